"""Export of finished matches from the database: records, and cases for a case base."""

import json
import os
import sys
from collections import OrderedDict

import numpy as np
import pytest

from bolicho.agents.cbr.bases import load_base
from bolicho.agents.cbr.observe import cases_of_game
from bolicho.agents.cbr.truco import TRUCO
from bolicho.agents.training import train
from bolicho.cli import main
from bolicho.errors import BadInput
from bolicho.games.record import read_records, replay
from bolicho.store import studies, tokens
from bolicho.store.database import now, open_database, read_match
from bolicho.web import requests
from bolicho.web.bots import challenges as bots
from bolicho.web.requests import RequestedSeat
from bolicho.web.study import participation
from bolicho.web.transactions import Transaction
from bolicho.web.workers import AgentPool
from tests.web.running import pick
from tests.web.study.plans import plan
from tests.web.test_nonces import COMMITS, NONCES
from tests.web.test_transactions import OPTIONS, StubConnections

RULES = {"target": 6}


def of_two(transaction, **options):
    """Make a match of two people with nonces, and return (match, tokens)."""
    asked = {"game": "truco", "rules": RULES, "options": {**OPTIONS, "open_end": True, **options}}
    told = requests.make(
        transaction, places=[RequestedSeat("me", "Ana", nonce_commit=COMMITS[0]), RequestedSeat("open")], **asked
    )
    match, ana = told["match"], told["seats"][0]["token"]
    beto = requests.sit(transaction, match, told["seats"][1]["invite"], "Beto", COMMITS[1])["token"]
    for token, nonce in zip((ana, beto), NONCES, strict=True):
        requests.reveal(transaction, match, token, nonce)
    return match, [ana, beto]


def played(transaction, match, opened, plies=10_000):
    """Play until the end, or for so many plies, by the tokens of the seats."""
    for _ in range(plies):
        found = transaction.match(match)
        if found.state == "over":
            break
        seat = found.table.turn
        action = pick(found.view(seat).data(), match)
        if found.sitting[seat].agent is None:
            requests.move(transaction, match, opened[seat], found.ply, action)
        else:
            requests.agent_move(transaction, match, found.ply, action)
    return match


def against_agent(transaction):
    asked = {"game": "truco", "rules": RULES, "options": {**OPTIONS, "open_end": True}}
    told = requests.make(
        transaction, places=[RequestedSeat("me", "Ana"), RequestedSeat("agent", agent="balanced")], **asked
    )
    return played(transaction, told["match"], [told["seats"][0]["token"]])


def against_bot(transaction):
    token = tokens.new_token(transaction.connection, "robo", ["bot"])
    places = [RequestedSeat("self"), RequestedSeat("open", "Ana")]
    told = bots.challenge(transaction, token, "truco", RULES, places, {**OPTIONS, "open_end": True})
    ana = requests.sit(transaction, told["match"], told["seats"][1]["invite"], "Ana", "")["token"]
    return played(transaction, told["match"], [token, ana])


def of_study(transaction, study, scripted):
    """Play a study to its end, and return the participant's matches (practice first) and token."""
    _, token = studies.add_participant(transaction.connection, study, scripted, now=transaction.now)
    found = []
    answers = {"consent": {"agree": True}, "questions": {"fun": 3}}
    while (step := participation.me(transaction, study, token)["step"])["name"] != "thanks":
        if step["name"] in ("practice", "match"):
            found.append(played(transaction, step["match"], [step["token"]]))
        participation.answer(transaction, study, token, step["number"], answers.get(step["name"], {}))
    return found, token


def fill(url):
    """Fill a database with matches of every kind; return its engine, matches and seeds by name."""
    engine = open_database(url)
    with engine.begin() as connection:
        transaction = Transaction(connection, OrderedDict(), AgentPool(["truco"]), StubConnections(), now())
        found = {f"people {number}": played(transaction, *of_two(transaction)) for number in range(6)}
        transaction.now += 1
        found["agent"], found["bot"] = against_agent(transaction), against_bot(transaction)
        found["closed"] = played(transaction, *of_two(transaction, open_end=False))
        found["unfinished"] = played(transaction, *of_two(transaction), plies=3)
        study = studies.add_study(connection, plan(), opened=True)
        (found["practice"], found["study"], _), _ = of_study(transaction, study, scripted=False)
        (_, found["scripted"], _), _ = of_study(transaction, study, scripted=True)
        *_, token = of_study(transaction, study, scripted=False)
        participation.withdraw(transaction, study, token)
        transaction.write_moves()
        seeds = {name: transaction.match(match).table.record()["seed"] for name, match in found.items()}
    return engine, found, seeds


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = tmp_path_factory.mktemp("stored") / "matches.db"
    engine, found, seeds = fill(str(path))
    yield path, engine, found, seeds
    engine.dispose()


def run(*arguments, monkeypatch, capfd):
    monkeypatch.setattr(sys, "argv", ["bolicho", *map(str, arguments)])
    capfd.readouterr()
    with pytest.raises(SystemExit) as left:
        main()
    return left.value.code, capfd.readouterr()


# --- Records --------------------------------------------------------------------------------------


def test_records_contains_open_finished_matches_and_no_seed_of_others(stored, tmp_path, monkeypatch, capfd):
    path, engine, found, seeds = stored
    out = tmp_path / "new" / "matches.jsonl"
    asked = ("records", "--database", path, "--out", out, "--json")
    code, told = run(*asked, monkeypatch=monkeypatch, capfd=capfd)
    counts = {"open": 8, "closed": 1, "study": 6, "unfinished": 1}
    assert code == 0 and json.loads(told.out) == {"records": str(out), "matches": counts}
    text = out.read_text()
    handed_out = [*(f"people {number}" for number in range(6)), "agent", "bot"]
    assert {record["seed"] for record in read_records(out)} == {seeds[name] for name in handed_out}
    for name in set(found) - set(handed_out):
        assert str(seeds[name]) not in text and found[name] not in text
    with engine.connect() as connection:
        assert not any(read_match(connection, match)[0].secret.hex() in text for match in found.values())


def test_records_replay_to_the_stored_results_and_contain_no_names(stored, tmp_path, monkeypatch, capfd):
    path, engine, found, seeds = stored
    out = tmp_path / "matches.jsonl"
    code, told = run("records", "--database", path, "--out", out, monkeypatch=monkeypatch, capfd=capfd)
    assert code == 0 and "matches: 8; left out: 1 not finished, 1 not released, 6 of studies" in told.out
    by_seed = {record["seed"]: record for record in read_records(out)}
    with engine.connect() as connection:
        for name in ("people 0", "agent", "bot"):
            table = replay(by_seed[seeds[name]])
            assert table.over and table.scores == read_match(connection, found[name])[0].result["scores"]
    assert by_seed[seeds["people 0"]]["players"] == ["human", "human"]
    assert by_seed[seeds["agent"]]["players"] == ["human", "balanced"]
    assert by_seed[seeds["bot"]]["players"] == ["robo", "human"]
    assert "Ana" not in out.read_text() and "Beto" not in out.read_text()
    code, told = run("replay", out, "--json", monkeypatch=monkeypatch, capfd=capfd)
    assert code == 0 and len(told.out.splitlines()) == 8


def test_records_of_a_missing_database_or_an_unknown_game_are_refused(stored, tmp_path, monkeypatch, capfd):
    code, told = run("records", "--database", tmp_path / "none.db", monkeypatch=monkeypatch, capfd=capfd)
    assert code == 2 and "there is no database" in told.err and not (tmp_path / "none.db").exists()
    code, told = run("records", "--database", stored[0], "--game", "truc", monkeypatch=monkeypatch, capfd=capfd)
    assert code == 2 and "unknown game 'truc'" in told.err


# --- Cases ----------------------------------------------------------------------------------------


def hands(stored, name, seat):
    """Return the cases of one seat of a stored match."""
    _, engine, found, _ = stored
    with engine.connect() as connection:
        transaction = Transaction(connection, OrderedDict(), AgentPool(["truco"]), StubConnections(), now())
        table = transaction.match(found[name]).table
        return cases_of_game(TRUCO, table.back(0), [int(action) for action in table.actions], seat)


def base_of(source, tmp_path, seed=1, **options):
    out = tmp_path / "hands.parquet"
    train("cbr-baseline", out, seed, {"source": str(source), **options}, show=False)
    return load_base(str(out), TRUCO)


def same(cases, parts):
    """Return whether cases equal the parts together, in any order, apart from their groups."""
    names = [name for name in TRUCO.schema.dtype.names if name != "label"]
    one, other = (sorted(map(str, some[names].tolist())) for some in (cases, np.concatenate(parts)))
    return one == other


def drawn(stored, cases, number):
    """Return the seats of a match between people whose hands are among the cases."""
    found = []
    for seat in (0, 1):
        mine = {str(case) for case in without_groups(hands(stored, f"people {number}", seat))}
        found += [seat] if mine <= {str(case) for case in without_groups(cases)} else []
    return found


def without_groups(cases):
    return cases[[name for name in TRUCO.schema.dtype.names if name != "label"]].tolist()


def test_one_seat_of_each_match_between_people_becomes_cases(stored, tmp_path):
    """Paulus 2020: matches between people (section 3.1), of which one player is observed (section 4.1.3)."""
    base = base_of(stored[0], tmp_path)
    seats = [drawn(stored, base.cases, number) for number in range(6)]
    assert all(len(one) == 1 for one in seats)
    assert same(base.cases, [hands(stored, f"people {number}", seat) for number, [seat] in enumerate(seats)])
    assert base.made["kind"] == "recorded" and base.made["name"] == "matches"


def test_observed_seats_are_drawn_with_the_seed(stored, tmp_path):
    seats = {}
    for seed in (1, 1, 2, 3):
        cases = base_of(stored[0], tmp_path, seed).cases
        found = tuple(seat for number in range(6) for seat in drawn(stored, cases, number))
        assert seats.setdefault(seed, found) == found
    assert len(set(seats.values())) > 1 and {0, 1} == set(sum(seats.values(), ()))


def test_only_people_are_observed_in_matches_against_agents_and_bots(stored, tmp_path):
    between = base_of(stored[0], tmp_path)
    all_cases = base_of(stored[0], tmp_path, against="anybody")
    more = [hands(stored, "agent", 0), hands(stored, "bot", 1)]
    assert len(all_cases) == len(between) + sum(map(len, more))
    found = {str(case) for case in without_groups(all_cases.cases)}
    assert all(str(case) in found for part in more for case in without_groups(part))


def test_matches_of_studies_are_used_only_on_request(stored, tmp_path):
    anybody = base_of(stored[0], tmp_path, against="anybody")
    people = base_of(stored[0], tmp_path, against="anybody", studies=True)
    all_cases = base_of(stored[0], tmp_path, against="anybody", studies=True, scripted=True)
    usual, found, most = ({str(case) for case in without_groups(base.cases)} for base in (anybody, people, all_cases))
    study, scripted, practice, closed = (
        {str(case) for case in without_groups(hands(stored, name, 0))}
        for name in ("study", "scripted", "practice", "closed")
    )
    assert study <= found and not study <= usual
    assert scripted <= most and not scripted <= found
    assert not practice <= most and not closed <= most


def test_error_for_a_database_without_suitable_matches_lists_its_contents(tmp_path):
    engine = open_database(str(tmp_path / "matches.db"))
    with engine.begin() as connection:
        transaction = Transaction(connection, OrderedDict(), AgentPool(["truco"]), StubConnections(), now())
        against_agent(transaction)
        transaction.write_moves()
    engine.dispose()
    with pytest.raises(BadInput, match=r"between people in 'matches.db': of its matches 1 are against agents"):
        base_of(tmp_path / "matches.db", tmp_path)
    for options, says in (
        ({"against": "bots"}, "unknown opponent 'bots'"),
        ({"scripted": True}, "source=DATABASE studies=true"),
    ):
        with pytest.raises(BadInput, match=says):
            base_of(tmp_path / "matches.db", tmp_path, **options)
    with pytest.raises(BadInput, match="select matches of a database"):
        train("cbr-baseline", tmp_path / "b.parquet", 1, {"studies": True}, show=False)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadInput, match="there is no case file"):
        base_of(tmp_path / "pipe", tmp_path)
    with pytest.raises(BadInput, match="omit the password from source"):
        base_of("postgresql://ana:secret@localhost/table", tmp_path)


def test_records_and_cases_are_read_from_postgresql(postgresql, tmp_path, monkeypatch, capfd):
    out = tmp_path / "matches.jsonl"

    def written():
        code, told = run("records", "--database", postgresql, "--out", out, monkeypatch=monkeypatch, capfd=capfd)
        lines = len(out.read_text().splitlines())
        assert code == 0 and f"matches: {lines};" in told.out
        return lines

    open_database(postgresql).dispose()  # creates the tables if needed
    before = written()
    engine, *_ = fill(postgresql)
    engine.dispose()
    assert written() == before + 8
    assert len(base_of(postgresql, tmp_path)) > 0
