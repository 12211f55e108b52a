"""Fair deals: the checks of `bolicho verify`, and the manipulations they detect."""

import copy
import hashlib
import json
import random
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bolicho.errors import BadInput
from bolicho.games.record import replay
from bolicho.store.database import MatchRow, SeatRow
from bolicho.web import fair_deals
from bolicho.web.endings import Ending
from bolicho.web.match import Match

GAMES = {"truco": {"target": 12}, "dominoes": {}, "wonders": {}}


def waiting(game, seed=3, version=fair_deals.VERSION, agents=1):
    """Make a match with all seats taken, the last ones by agents, and return (match, unrevealed nonces, generator)."""
    rng = random.Random(seed)
    row = MatchRow("abc", game, GAMES[game], {"open_end": True}, rng.randbytes(32), 1.0, fair_version=version)
    seats = 3 if game == "wonders" else 2
    nonces = [rng.randbytes(16) for _ in range(seats - agents)]
    commits = [None if version == 1 else fair_deals.nonce_commitment(nonce) for nonce in nonces]
    sitting = [
        SeatRow(seat, f"P{seat}", token=b"x", nonce_commit=commit, expires=9.0) for seat, commit in enumerate(commits)
    ]
    sitting += [SeatRow(seat, "random", agent="random") for seat in range(seats - agents, seats)]
    return Match(row, sitting), nonces, rng


def dealt(*asked, **more):
    """Make the same match with all nonces revealed; return it, the facts shown before, and the generator."""
    match, nonces, rng = waiting(*asked, **more)
    before = match.reveal()
    for seat, nonce in enumerate(nonces):
        match.sit(replace(match.sitting[seat], nonce=nonce))
    match.dealt(2.0)
    return match, before, rng


def as_json(*records):
    return tuple(json.loads(json.dumps(facts)) for facts in records)


def finished(game, seed=3, version=fair_deals.VERSION):
    """Play a match to its end, and return (its whole record, the records that seats kept meanwhile)."""
    match, before, rng = dealt(game, seed, version)
    seats = match.game.seats
    kept = []
    while not match.table.over:
        if match.ply in (1, 8, 20):
            kept += [match.seat_record(who) for who in (0, seats - 1, None)]
        match.play(rng.choice(match.table.view().legal), 3.0)
    match.ended(4.0)
    kept += [match.seat_record(who) for who in (0, 1, None)]
    kept += [] if before is None else [{"seat": 0, **before}]
    return as_json(match.whole_record(), kept)


def unfinished(forfeit=False, version=fair_deals.VERSION):
    """End a match of two people by a claim or a forfeit, and return its whole record and the seat to act."""
    match, _, _ = dealt("truco", version=version, agents=0)
    for _ in range(3):
        match.play(match.table.view().legal[0], 3.0)
    late = match.table.turn
    match.ended(4.0, Ending("forfeit", late) if forfeit else Ending("away", 1 - late))
    return as_json(match.whole_record(), late)


@pytest.fixture(scope="module", params=GAMES)
def records(request):
    return finished(request.param)


def check(whole, *parts):
    return fair_deals.check_record(whole) + [fair_deals.check_shown(whole, part) for part in parts]


def changed(record, *path):
    """Return a copy with another value at a path."""
    other = copy.deepcopy(record)
    *way, last = path[:-1]
    at = other
    for step in way:
        at = at[step]
    at[last] = path[-1]
    return other


def test_fair_match_passes_with_all_records_kept_by_seats(records):
    whole, kept = records
    lines = check(whole, *kept)
    assert len(lines) == 5 + len(whole["shown"]) + len(kept)
    assert "what was kept before the deal is the same" in lines[-1]


def test_seed_and_commitment_are_the_documented_hashes():
    secret, nonces = bytes(range(32)), [bytes(range(16)), None]
    terms = {
        "match": "abc",
        "game": "truco",
        "rules": {"target": 12},
        "agents": [None, "random"],
        "players": ["Zé", "B"],
    }
    covered = b'{"agents":[null,"random"],"game":"truco","match":"abc","rules":{"target":12}}'
    promised = hashlib.sha256(b"bolicho commit 2\x00" + secret + covered).hexdigest()
    assert fair_deals.commitment(secret, terms) == promised
    covered = (
        b'{"agents":[null,"random"],"game":"truco","match":"abc","nonces":["000102030405060708090a0b0c0d0e0f",null],'
    )
    covered += b'"players":["Z\\u00e9","B"],"rules":{"target":12}}'
    data = hashlib.sha256(b"bolicho deal 2\x00" + secret + covered).digest()
    assert fair_deals.deal_seed(secret, nonces, terms) == int.from_bytes(data[:8], "big")


def test_deals_of_protocol_version_1_are_still_verified():
    secret, nonces = bytes(range(32)), [bytes(range(16)), None]
    data = b"bolicho deal\x00" + secret + b"\x01" + nonces[0] + b"\x01"
    assert fair_deals.deal_seed(secret, nonces, None) == int.from_bytes(hashlib.sha256(data).digest()[:8], "big")
    assert fair_deals.commitment(secret, None) == hashlib.sha256(secret).hexdigest()
    whole, kept = finished("truco", version=1)
    for name in ("version", "nonce_commits"):  # absent in records of version 1
        del whole["fair"][name]
    for name in ("match", "agents"):
        del whole[name]
    kept = [{name: part[name] for name in part if name not in ("version", "nonce_commits", "agents")} for part in kept]
    lines = check(whole, *kept)
    assert any("not committed to (version 1)" in line for line in lines)
    assert any("version 1" in line for line in fair_deals.unchecked(whole))
    with pytest.raises(BadInput, match="not made of secret and nonces"):
        check(changed(whole, "fair", "nonces", 0, "11" * 16))


@pytest.mark.parametrize("version", [0, 3, "2", True, None, 2.0])
def test_an_unknown_version_of_the_protocol_is_refused(version):
    with pytest.raises(BadInput, match="version"):
        check(changed(WHOLE, "fair", "version", version))


def test_changed_secret_is_found(records):
    whole, kept = records
    other = "00" + whole["fair"]["secret"][2:]
    with pytest.raises(BadInput, match="not give the commitment that was promised"):
        check(changed(whole, "fair", "secret", other))
    again = changed(whole, "fair", "secret", other)
    terms = {"rules": {}, **whole}
    again["fair"]["commit"] = fair_deals.commitment(bytes.fromhex(other), terms)
    with pytest.raises(BadInput, match="not made of"):
        check(again)
    nonces = [n and bytes.fromhex(n) for n in whole["fair"]["nonces"]]
    again["seed"] = fair_deals.deal_seed(bytes.fromhex(other), nonces, terms)
    with pytest.raises(BadInput):  # other cards: actions, cards or the kept commitment differ
        check(again, *kept)


def test_changed_nonce_is_found(records):
    whole, kept = records
    other = changed(whole, "fair", "nonces", 0, "11" * 16)
    with pytest.raises(BadInput, match="seat 0 is not the one it committed to"):
        check(other)
    other["fair"]["nonce_commits"][0] = fair_deals.nonce_commitment(bytes.fromhex("11" * 16)).hex()
    with pytest.raises(BadInput, match="not made of"):
        check(other)
    with pytest.raises(BadInput, match="nonces that was shown then"):
        check(whole, changed(kept[0], "nonces", 0, "11" * 16))
    with pytest.raises(BadInput, match="commit that was shown then"):
        check(whole, changed(kept[0], "commit", "00" * 32))
    first, second = whole["fair"]["nonces"][0], "11" * 16
    for nonces in ([first + second], [first[:-2], "00" + second], [None, first], "ab", 7, [7], ["zz"]):
        for name in ("nonces", "nonce_commits"):
            with pytest.raises(BadInput):
                check(changed(whole, "fair", name, nonces))


def test_nonce_chosen_with_knowledge_of_others_is_found_by_kept_commitments():
    match, before, _ = dealt("truco", agents=0)
    secret, nonces, terms = match.row.secret, [seat.nonce for seat in match.sitting], match.terms
    chosen = next(  # server and seat 1 search together for a deal in which seat 1 holds the highest card
        nonce
        for nonce in (number.to_bytes(16) for number in range(10_000))
        if "1e"
        in match.game.deal(fair_deals.deal_seed(secret, [nonces[0], nonce], terms)).view(1).data()["table"]["cards"]
    )
    match.sit(replace(match.sitting[1], nonce=chosen, nonce_commit=fair_deals.nonce_commitment(chosen)))
    match.dealt(2.0)
    while not match.table.over:
        match.play(match.table.view().legal[0], 3.0)
    match.ended(4.0)
    whole, kept = as_json(match.whole_record(), {"seat": 0, **before})
    assert check(whole)  # the record alone does not show it
    with pytest.raises(BadInput, match="nonce_commits that was shown then"):
        check(whole, kept)


def test_changed_action_is_found(records):
    whole, kept = records
    mine = [part for part in kept if part.get("over") and part["seat"] is not None]
    rng = random.Random(1)
    for ply in sorted(rng.sample(range(len(whole["actions"])), min(20, len(whole["actions"])))):
        table = replay(
            {**{k: whole[k] for k in ("game", "rules", "seed") if k in whole}, "actions": whole["actions"][:ply]}
        )
        others = [str(action) for action in table.view().legal if str(action) != whole["actions"][ply]]
        for other in others[:3]:
            with pytest.raises(BadInput):
                check(changed(whole, "actions", ply, other), *mine)


def test_missing_and_added_actions_are_found(records):
    whole, _ = records
    with pytest.raises(BadInput, match="not over"):
        check({**whole, "actions": whole["actions"][:-1]})
    with pytest.raises(BadInput, match="the game is over"):
        check({**whole, "actions": [*whole["actions"], whole["actions"][-1]]})


def test_changed_card_is_found(records):
    whole, kept = records
    for seat, moments in whole["shown"].items():
        for number, (_, cards) in list(enumerate(moments))[::5]:
            if cards:
                with pytest.raises(BadInput, match=f"seat {seat} was shown"):
                    check(changed(whole, "shown", seat, number, 1, 0, "another"))
        with pytest.raises(BadInput, match="changed"):
            check(changed(whole, "shown", seat, moments[:-1]))
        with pytest.raises(BadInput, match="changed"):
            check(changed(whole, "shown", seat, [*moments, [9999, []]]))
    part = next(part for part in kept if part["seat"] == 0)
    with pytest.raises(BadInput, match="seat 0 was shown"):
        check(whole, changed(part, "shown", 0, 1, 0, "another"))
    with pytest.raises(BadInput, match=r"seat 0 was shown .* as entry 0 of the log"):
        check(whole, changed(part, "log", 0, {"event": "another"}))


def test_changed_result_is_found(records):
    whole, _ = records
    with pytest.raises(BadInput, match="scores"):
        check(changed(whole, "result", "scores", 0, 999))
    with pytest.raises(BadInput, match="result"):
        check({**whole, "result": None})
    seats = range(len(whole["players"]))
    for winners in [[], [9], [True], None, *([seat] for seat in seats), list(seats)]:
        if winners != whole["result"]["winners"]:
            with pytest.raises(BadInput, match="winners"):
                check(changed(whole, "result", "winners", winners))
    for people in (0, 7, True, None):
        if people != whole["result"]["people"] or people is True:
            with pytest.raises(BadInput, match="people"):
                check(changed(whole, "result", "people", people))
    for name in ("claimed", "forfeit"):
        with pytest.raises(BadInput, match="over by its actions"):
            check(changed(whole, "result", name, 0))


@pytest.mark.parametrize("version", [1, fair_deals.VERSION])
def test_a_false_claim_is_found(version):
    whole, late = unfinished(version=version)
    assert any(f"seat {1 - late} claimed it on the turn of seat {late}" in line for line in check(whole))
    assert any("time of the claim" in line for line in fair_deals.unchecked(whole))
    for claimed in (late, 2, -1, True, "0"):
        with pytest.raises(BadInput, match=r"claimed"):
            check(changed({**whole, "result": {**whole["result"], "winners": [claimed]}}, "result", "claimed", claimed))
    with pytest.raises(BadInput, match="not over, and no seat claimed it"):
        check(changed(whole, "result", "claimed", None))
    with pytest.raises(BadInput, match="winners"):
        check(changed(whole, "result", "winners", [late]))
    with pytest.raises(BadInput, match="was the turn of"):
        check(changed(whole, "result", "forfeit", 1 - late))


@pytest.mark.parametrize("version", [1, fair_deals.VERSION])
def test_a_false_forfeit_is_found(version):
    whole, late = unfinished(forfeit=True, version=version)
    assert any(f"seat {late}, which was to act, forfeited" in line for line in check(whole))
    assert any("why seat" in line for line in fair_deals.unchecked(whole))
    other = changed(whole, "result", "forfeit", 1 - late)
    with pytest.raises(BadInput, match="it was the turn of"):
        check({**other, "result": {**other["result"], "winners": [late], "claimed": late}})
    with pytest.raises(BadInput, match="winners"):
        check(changed(whole, "result", "winners", [late]))
    with pytest.raises(BadInput, match="claimed for seat"):
        check(changed(whole, "result", "claimed", late))


def test_claim_by_an_agent_is_found():
    match, _, rng = dealt("truco")
    while match.table.turn != 0:
        match.play(rng.choice(match.table.view().legal), 3.0)
    match.ended(4.0, Ending("away", 1))
    with pytest.raises(BadInput, match="agents cannot claim"):
        check(*as_json(match.whole_record()))


def test_changed_names_rules_agents_and_match_are_found(records):
    whole, kept = records
    names = ["Mallory", *whole["players"][1:]]
    with pytest.raises(BadInput, match=r"not made of .*names"):
        check(changed(whole, "players", names))
    with pytest.raises(BadInput, match=r"not made of .*names"):
        check({name: value for name, value in whole.items() if name != "players"})
    rules = {**whole.get("rules", {}), "target": 24} if whole["game"] != "wonders" else {"players": 4}
    for path in (("rules", rules), ("match", "abd"), ("agents", [None] * len(names)), ("game", "kuhn")):
        with pytest.raises(BadInput, match="not give the commitment that was promised"):
            check(changed({"rules": {}, **whole}, *path))
    for part in kept:
        for name, value in (("players", names), ("rules", rules), ("match", "abd"), ("agents", []), ("version", 1)):
            with pytest.raises(BadInput, match=f"{name} that was shown then"):
                fair_deals.check_shown(whole, changed(part, name, value))


def test_unknown_field_of_the_result_is_listed_as_not_checked():
    whole, _ = finished("truco")
    assert any("'stars'" in line for line in fair_deals.unchecked(changed(whole, "result", "stars", 5)))
    assert not any("'people'" in line for line in fair_deals.unchecked(whole))


def test_seat_without_a_nonce_is_listed_as_not_proven():
    match, _, rng = waiting("truco", agents=0)
    for seat in (0, 1):
        match.sit(replace(match.sitting[seat], nonce_commit=None))
    match.dealt(2.0)
    while not match.table.over:
        match.play(rng.choice(match.table.view().legal), 3.0)
    match.ended(4.0)
    whole = as_json(match.whole_record())[0]
    assert "no seat added a nonce: the server alone determined the deal" in check(whole)
    assert any("seats 0, 1" in line for line in fair_deals.unchecked(whole))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)
PLACES = [("fair",), ("fair", "commit"), ("fair", "secret"), ("fair", "nonces"), ("seed",), ("shown",), ("shown", "0")]
PLACES += [("actions",), ("rules",), ("result",), ("game",), ("players",), ("match",), ("agents",)]
PLACES += [("fair", "version"), ("fair", "nonce_commits"), ("result", "winners"), ("result", "claimed")]
PLACES += [("result", "forfeit"), ("result", "people")]
WHOLE, KEPT = finished("truco", 4)


@settings(max_examples=50)
@given(st.sampled_from(PLACES), VALUES)
def test_nonsense_is_bad_input(path, value):
    other = changed(WHOLE, *path, value)
    try:
        check(other)
    except BadInput:
        return
    assert other == WHOLE or (path == ("result", "forfeit") and value is None)


@settings(max_examples=50)
@given(st.sampled_from(["seat", "log", "shown", "commit", "nonces"]), VALUES)
def test_nonsense_from_a_seat_is_bad_input(name, value):
    part = changed(KEPT[0], name, value)
    try:
        check(WHOLE, part)
    except BadInput:
        return
    assert value in ([], None) or part == KEPT[0]  # an empty value contradicts nothing


def test_verification_needs_no_server_packages():
    """Check that `bolicho verify` imports none of the packages of the server."""
    code = "import sys, bolicho.web.fair_deals; print(sorted({'sqlalchemy', 'fastapi', 'orjson'} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
