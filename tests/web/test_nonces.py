"""Nonces of fair deals: commitments, reveals, deadlines, and deals without them."""

import hashlib
import json
from collections import OrderedDict

import pytest

from bolicho.errors import BadInput
from bolicho.store import challenges, tokens
from bolicho.store.database import MatchRow, SeatRow, add_match, now, open_database, read_match
from bolicho.web import fair_deals, requests, transactions
from bolicho.web.bots import challenges as bots
from bolicho.web.refusal import Refusal
from bolicho.web.requests import RequestedSeat
from bolicho.web.transactions import Transaction
from bolicho.web.workers import AgentPool
from tests.web.bots.playing import events, token_for
from tests.web.running import agent, invited, me, play_by_http, said
from tests.web.test_fair_deals import check
from tests.web.test_transactions import OPTIONS, StubConnections

SHORT = {"target": 2, "flor": False}
NONCES = ["00112233445566778899aabbccddeeff", "ffeeddccbbaa99887766554433221100"]
COMMITS = [hashlib.sha256(bytes.fromhex(nonce)).hexdigest() for nonce in NONCES]


@pytest.fixture
def connection(tmp_path):
    engine = open_database(str(tmp_path / "matches.db"))
    with engine.begin() as connection:
        yield connection
    engine.dispose()


@pytest.fixture
def transaction(connection):
    """A transaction whose time the test sets."""
    return Transaction(connection, OrderedDict(), AgentPool(["truco"]), StubConnections(), now())


def invitation(transaction, commit=COMMITS[0]):
    """Make a match with an invitation, and return (match, token, invitation)."""
    places = [RequestedSeat("me", "Ana", nonce_commit=commit), RequestedSeat("open")]
    told = requests.make(transaction, game="truco", rules=SHORT, places=places, options=OPTIONS)
    return told["match"], told["seats"][0]["token"], told["seats"][1]["invite"]


def table_of_two(transaction, commits=COMMITS):
    """Make a match with both seats taken, and return (match, tokens)."""
    match, ana, invite = invitation(transaction, commits[0])
    return match, [ana, requests.sit(transaction, match, invite, "Beto", commits[1])["token"]]


def refusal(request, *asked, **more):
    with pytest.raises(Refusal) as refused:
        request(*asked, **more)
    return refused.value.status, refused.value.says.key


def test_cards_are_dealt_when_the_last_nonce_is_revealed(transaction):
    match, tokens = table_of_two(transaction)
    facts = requests.facts(transaction, match)
    assert facts["state"] == "waiting" and facts["ply"] == -1
    assert facts["reveal"]["missing"] == [0, 1] and facts["reveal"]["nonce_commits"] == COMMITS
    requests.reveal(transaction, match, tokens[1], NONCES[1])
    assert requests.facts(transaction, match)["reveal"]["missing"] == [0]
    requests.reveal(transaction, match, tokens[0], NONCES[0])
    facts = requests.facts(transaction, match)
    assert facts["state"] == "playing" and "reveal" not in facts and facts["nonces"] == NONCES
    row, sitting = read_match(transaction.connection, match)
    made = fair_deals.deal_seed(row.secret, [bytes.fromhex(nonce) for nonce in NONCES], transaction.match(match).terms)
    assert transaction.match(match).table.record()["seed"] == made
    assert [(seat.nonce.hex(), seat.nonce_commit.hex()) for seat in sitting] == list(zip(NONCES, COMMITS, strict=True))


def test_nonce_is_refused_before_all_seats_have_committed(transaction):
    match, ana, invite = invitation(transaction)
    assert refusal(requests.reveal, transaction, match, ana, NONCES[0]) == (409, "server.reveal.early")
    assert requests.facts(transaction, match)["nonces"] == [None, None]
    requests.sit(transaction, match, invite, "Beto", COMMITS[1])
    requests.reveal(transaction, match, ana, NONCES[0])
    assert requests.facts(transaction, match)["nonces"] == [NONCES[0], None]


def test_seat_can_reveal_only_the_nonce_it_committed_to(transaction):
    match, tokens = table_of_two(transaction)
    assert refusal(requests.reveal, transaction, match, tokens[1], NONCES[0]) == (422, "server.reveal.other")
    for _ in range(2):  # a repetition changes nothing
        requests.reveal(transaction, match, tokens[1], NONCES[1])
    assert refusal(requests.reveal, transaction, match, tokens[1], NONCES[0]) == (422, "server.reveal.other")
    requests.reveal(transaction, match, tokens[0], NONCES[0])
    requests.reveal(transaction, match, tokens[0], NONCES[0])
    assert requests.facts(transaction, match)["state"] == "playing"


def test_match_with_a_missing_nonce_is_void_after_the_deadline(transaction):
    match, tokens = table_of_two(transaction)
    requests.reveal(transaction, match, tokens[0], NONCES[0])
    transaction.now += transactions.REVEALED_WITHIN - 1
    assert requests.facts(transaction, match)["state"] == "waiting"
    transaction.now += 2
    facts = requests.facts(transaction, match)
    assert facts["state"] == "void" and facts["reveal"]["missing"] == [1] and facts["result"] is None
    assert refusal(requests.reveal, transaction, match, tokens[1], NONCES[1]) == (410, "server.reveal.late")
    assert refusal(requests.move, transaction, match, tokens[0], 0, "1e")[0] == 409
    assert refusal(requests.claim, transaction, match, tokens[0]) == (409, "server.no-claim")
    assert read_match(transaction.connection, match)[0].dealt is None


def test_seat_without_a_commitment_gets_an_unproven_deal(transaction):
    seats = [RequestedSeat("me", "Ana"), RequestedSeat("me", "Beto", nonce_commit=COMMITS[1])]
    told = requests.make(transaction, game="truco", rules=SHORT, places=seats, options=OPTIONS)
    assert [seat["proven"] for seat in told["seats"]] == [False, True]
    tokens = [seat["token"] for seat in told["seats"]]
    assert refusal(requests.reveal, transaction, told["match"], tokens[0], NONCES[0]) == (409, "server.reveal.none")
    requests.reveal(transaction, told["match"], tokens[1], NONCES[1])
    facts = requests.facts(transaction, told["match"])
    assert facts["state"] == "playing" and facts["nonces"] == [None, NONCES[1]], "the server draws none for the seat"
    match, _, invite = invitation(transaction, "")
    assert requests.sit(transaction, match, invite, "Beto", "")["proven"] is False
    assert requests.facts(transaction, match)["state"] == "playing", "no seat owes a nonce"


def test_match_from_before_commitments_continues_with_version_1(transaction):
    digest, invite = hashlib.sha256(b"ana").digest(), hashlib.sha256(b"invite").digest()
    row = MatchRow("older", "truco", SHORT, OPTIONS, b"s" * 32, 1.0)
    seats = [
        SeatRow(0, "Ana", token=digest, nonce=b"n" * 16),
        SeatRow(1, "", invite=invite, expires=transaction.now + 9),
    ]
    add_match(transaction.connection, row, seats)
    beto = requests.sit(transaction, "older", "invite", "Beto", COMMITS[1])["token"]
    requests.reveal(transaction, "older", beto, NONCES[1])
    match = transaction.match("older")
    assert match.promised()["commit"] == hashlib.sha256(b"s" * 32).hexdigest(), "the commitment of version 1"
    while match.state == "playing":
        transaction.play(match, match.table.view().legal[0])
    whole = json.loads(json.dumps(match.whole_record()))
    assert whole["fair"]["version"] == 1
    assert any("not committed to (version 1)" in line for line in fair_deals.check_record(whole))


# --- Bots -------------------------------------------------------------------------------------------


def test_bots_are_informed_of_a_match_that_is_void_for_a_missing_nonce(transaction):
    ana, rui = (tokens.new_token(transaction.connection, name, ["bot"]) for name in ("ana", "rui"))
    places = [RequestedSeat("self", nonce_commit=COMMITS[0]), RequestedSeat("bot", "rui")]
    told = bots.challenge(transaction, ana, game="truco", rules=SHORT, places=places, options=OPTIONS)
    assert bots.accept(transaction, rui, told["match"], "")["proven"] is False
    known, heard = bots.news(transaction, rui, bots.Current())
    assert [event["is"] for event in heard] == ["reveal"] and heard[0]["missing"] == [0]
    transaction.now += challenges.PERSON_CHALLENGE_SECONDS + 1
    known, heard = bots.news(transaction, rui, known)
    assert [(event["is"], event["missing"]) for event in heard] == [("void", [0])]
    assert bots.news(transaction, rui, known)[1] == [] and bots.current(transaction, ana).reveals == {}


def test_bots_reveal_their_nonces_and_can_verify_what_they_were_shown(truco):
    names = {name: token_for(truco, name) for name in ("nonce-ana", "nonce-rui")}
    ana, rui = names.values()
    body = {"game": "truco", "rules": SHORT, "to": "nonce-rui", "nonce_commit": COMMITS[0]}
    with events(truco, ana) as one, events(truco, rui) as two:
        told = truco.post("/api/challenges", body, ana).json()
        match = told["match"]
        assert told["seats"][0]["proven"] is True
        sat = truco.post(f"/api/challenges/{match}/accept", {"nonce_commit": COMMITS[1]}, rui).json()
        assert sat == {"match": match, "seat": 1, "proven": True}
        kept = [one.hear("reveal"), two.hear("reveal")]
        assert [event["seat"] for event in kept] == [0, 1] and kept[0]["commit"] == told["commit"]
        assert [reveal["match"] for reveal in truco.get("/api/account", ana).json()["reveals"]] == [match]
        for nonce, token in zip(NONCES, (ana, rui), strict=True):
            assert truco.post(f"/api/matches/{match}/reveal", {"nonce": nonce}, token).status_code == 200
        assert one.hear("start")["match"] == two.hear("start")["match"] == match
    for token in (ana, rui) * 40:
        view = truco.view(match, token)
        if view["state"] == "over":
            break
        if view["view"]["legal"]:
            truco.move(match, token, view["ply"], view["view"]["legal"][0]["action"])
    whole = truco.get(f"/api/matches/{match}/record", ana, **{"as": "whole"}).json()
    assert check(whole, *kept)
    with pytest.raises(BadInput, match="nonce_commits that was shown then"):
        check(whole, {**kept[0], "nonce_commits": [COMMITS[0], COMMITS[0]]})


# --- Over HTTP --------------------------------------------------------------------------------------


def test_person_against_agents_commits_with_the_request_and_reveals_afterwards(truco):
    made = truco.made("truco", [{**me(), "nonce_commit": COMMITS[0]}, agent("balanced")], SHORT)
    match, seat = made["match"], made["seats"][0]
    assert seat["proven"] is True and truco.view(match, seat["token"])["state"] == "waiting"
    answer = truco.post(f"/api/matches/{match}/reveal", {"nonce": NONCES[0]}, seat["token"])
    assert answer.status_code == 200 and answer.json()["view"]["seat"] == 0
    play_by_http(truco, match, seat["token"])
    whole = truco.get(f"/api/matches/{match}/record", seat["token"], **{"as": "whole"}).json()
    assert whole["fair"]["commit"] == made["commit"] and whole["fair"]["nonces"] == [NONCES[0], None]
    assert fair_deals.check_record(whole)


def test_people_see_all_commitments_before_any_nonce_is_requested(truco):
    made = truco.made("truco", [{**me("Ana"), "nonce_commit": COMMITS[0]}, invited()], SHORT)
    match, ana = made["match"], made["seats"][0]["token"]
    with truco.live(match, ana) as line:
        assert "reveal" not in line.hear()
        body = {"invite": made["seats"][1]["invite"], "name": "Beto", "nonce_commit": COMMITS[1]}
        beto = truco.post(f"/api/matches/{match}/sit", body).json()["token"]
        told = line.hear("players")
        while "reveal" not in told:
            told = line.hear("players")
        kept = {"seat": 0, **told["reveal"]}
        assert kept["nonce_commits"] == COMMITS and kept["players"] == ["Ana", "Beto"]
        assert kept["commit"] == made["commit"] and told["state"] == "waiting"
        for nonce, token in zip(NONCES, (ana, beto), strict=True):
            truco.post(f"/api/matches/{match}/reveal", {"nonce": nonce}, token)
        assert line.hear("view")["state"] == "playing"
    facts = truco.get(f"/api/matches/{match}/fair").json()
    assert {name: facts[name] for name in kept if name in facts} == {name: kept[name] for name in kept if name in facts}


def test_nonce_sent_with_the_invitation_is_refused(truco):
    made = truco.made("truco", [me("Ana"), invited()], SHORT)
    body = {"invite": made["seats"][1]["invite"], "name": "Beto", "nonce": NONCES[0]}
    answer = truco.post(f"/api/matches/{made['match']}/sit", body)
    assert answer.status_code == 422 and said(answer) == "server.unreadable"
    assert truco.get(f"/api/matches/{made['match']}").json()["state"] == "waiting"
    for nonce in ("", "00", NONCES[0].upper(), NONCES[0] + "00"):
        answer = truco.post(f"/api/matches/{made['match']}/reveal", {"nonce": nonce}, made["seats"][0]["token"])
        assert answer.status_code == 422
    assert truco.post(f"/api/matches/{made['match']}/reveal", {"nonce": NONCES[0]}).status_code == 401
