"""Matches between two participants of a study: seating, waiting, leaving, and export."""

import asyncio
import threading
from collections import Counter, OrderedDict
from functools import partial

import pytest
import sqlalchemy as sa

from bolicho.agents.cbr.truco.baseline import Observation, exported_columns
from bolicho.errors import BadInput
from bolicho.store import studies
from bolicho.store.database import open_database, read_match
from bolicho.store.export_schema import TABLES, read_table
from bolicho.store.finished import finished
from bolicho.store.tables import matches, participants, seats, study_seats
from bolicho.web import requests
from bolicho.web.match import Match
from bolicho.web.refusal import Refusal
from bolicho.web.study import case_bases, participation, status
from bolicho.web.study.export import export_folder
from bolicho.web.study.plan import PERSON, Grow, Person, check_agents, read_plan
from bolicho.web.transactions import Transaction
from bolicho.web.workers import AgentPool
from tests.web.running import said
from tests.web.study.plans import plan
from tests.web.study.test_processes import begin, url
from tests.web.test_transactions import StubConnections, two

__all__ = ["url"]  # a fixture
EACH_OTHER = "{person = true}"
NOW = 1_000_000.0
STEP = 4  # number of the step of the match without practice


@pytest.fixture
def meeting(study):
    """Make studies without practice whose first opponent is another participant."""
    return lambda person=EACH_OTHER, *more, **options: study(
        opponents=(person, *more), order="fixed", practice="", **options
    )


def invite_at_match(one, count, **options):
    """Invite participants (with their codes) whose next step is the match."""
    found = []
    for _ in range(count):
        guest = one.invite(**options)
        guest.code = one.code
        for answers in ({"agree": True}, {}, {}):
            assert guest.do(answers).status_code == 200
        found.append(guest)
    return found


def play_both(first, second):
    """Play the match of both participants to its end."""
    other = threading.Thread(target=second.play)
    other.start()
    first.play()
    other.join(60)


def let_pass(one, seconds):
    """Move the begin of all waits and the last contact of all seats back in time."""
    with one.engine.begin() as connection:
        mine = sa.select(matches.c.id).where(matches.c.options.contains(one.id))
        connection.execute(matches.update().where(matches.c.id.in_(mine)).values(made=matches.c.made - seconds))
        connection.execute(
            seats.update().where(seats.c.match.in_(mine)).values(seen=seats.c.seen - seconds, here=False)
        )


def exported(one, folder):
    export_folder(one.engine, one.id, folder)
    return {name: read_table(folder, name, TABLES[name]) for name in TABLES}


# --- The plan ---------------------------------------------------------------------------------------


def test_plan_configures_meetings():
    found = read_plan(plan(opponents=("cautious", '{person = true, wait = 60, instead = "bluffer", meetings = 2}')))
    assert found.opponents == ("cautious", PERSON) and found.agents == ("cautious", "bluffer")
    assert found.person == Person(wait=60, instead="bluffer", meetings=2, clock=900)
    check_agents(found)
    assert read_plan(plan(opponents=(EACH_OTHER,))).person == Person(wait=300, instead=None, meetings=1, clock=900)


@pytest.mark.parametrize(
    ("table", "options", "problem"),
    [
        ('{person = true, agent = "novice"}', {}, "opponent 1: an opponent is an agent or a person"),
        ("{person = 1}", {}, "opponent 1: person must be true or false"),
        ("{person = false}", {}, "opponent 1: agent is missing"),
        ("{person = true, wait = 0}", {}, "opponent 1: wait must be 1 to 3600, not 0"),
        ("{person = true, wiat = 9}", {}, "opponent 1: unknown key 'wiat'"),
        ('{person = true, instead = "human"}', {}, "opponent 1: instead: a person is not an agent"),
        ('{person = true, instead = "nobody"}', {}, "opponent 1: instead: unknown agent 'nobody'"),
        ("{person = true}, {person = true}", {}, "opponent 2: person is listed twice"),
        (EACH_OTHER, {"matches": 2, "target": 2}, "raise target or meetings"),
    ],
)
def test_invalid_meeting_is_refused(table, options, problem):
    with pytest.raises(BadInput, match=problem):
        check_agents(read_plan(plan(opponents=(table,), **options)))


def test_meeting_needs_a_game_of_two_seats():
    text = plan(opponents=(EACH_OTHER,), practice="").replace('"truco"\nrules = {target = 4}', '"wonders"')
    with pytest.raises(BadInput, match="game of two seats, and wonders has"):
        read_plan(text)


# --- Seating, at several processes ------------------------------------------------------------------


def test_concurrent_participants_are_seated_in_pairs(url):
    study, tokens = begin(url, 6, opponents=(EACH_OTHER,), order="fixed", practice="")

    async def work(one, two):
        threads = [one, two] * 3
        for number, answers in enumerate([{"agree": True}, {}, {}], 1):
            ask = partial(participation.answer, study=study, number=number, answers=answers)
            await asyncio.gather(*[c.ask(partial(ask, token=t)) for c, t in zip(threads, tokens, strict=True)])
        look = partial(participation.me, study=study)
        return await asyncio.gather(*[c.ask(partial(look, token=t)) for c, t in zip(threads, tokens, strict=True)])

    standing = two(url, work)
    engine = open_database(url)
    with engine.connect() as connection:
        found = studies.read_study_matches(connection, study)
    engine.dispose()
    assert Counter(one.match for one in found) == dict.fromkeys({one.match for one in found}, 2)
    assert len({one.code for one in found}) == len({(one.match, one.seat) for one in found}) == 6
    assert all(one.dealt is not None and one.agent == PERSON and one.step == STEP for one in found)
    seated = {(me["code"], me["step"]["match"], me["step"]["seat"]) for me in standing if "match" in me["step"]}
    assert seated <= {(one.code, one.match, one.seat) for one in found}


def test_participant_is_seated_only_with_a_present_participant(meeting):
    one = meeting(target=8)
    first, second = invite_at_match(one, 2)
    # The first two are seated together. A third waits, and is not seated while absent.
    assert first.me()["step"]["match"] == second.me()["step"]["match"]
    [third] = invite_at_match(one, 1)
    step = third.me()["step"]
    assert step["waiting"] and 0 < step["left"] <= 300 and not {"match", "seat", "token"} & set(step)
    with one.engine.begin() as connection:
        connection.execute(participants.update().where(participants.c.code == third.code).values(seen=1.0))
    [fourth] = invite_at_match(one, 1)
    assert fourth.me()["step"]["waiting"]
    assert third.me()["step"]["match"] == fourth.me()["step"]["match"], "a returning one is seated with a waiting one"
    [scripted] = invite_at_match(one, 1, scripted=True)
    [fifth] = invite_at_match(one, 1)
    assert scripted.me()["step"]["waiting"] and fifth.me()["step"]["waiting"]


def test_number_of_meetings_of_a_pair_is_limited_by_the_plan(meeting):
    one = meeting("{person = true, meetings = 1}", matches=2, target=4)
    first, second = invite_at_match(one, 2)
    play_both(first, second)
    for guest in (first, second):
        guest.do()
        guest.do({"fun": 3})
    assert first.me()["step"]["waiting"] and second.me()["step"]["waiting"]
    [third] = invite_at_match(one, 1)
    assert third.me()["step"]["match"] == first.me()["step"]["match"]


# --- Play and export --------------------------------------------------------------------------------


def test_export_has_separate_rows_and_answers_for_both_participants(meeting, tmp_path):
    one = meeting(EACH_OTHER, "cautious", target=4)
    first, second = invite_at_match(one, 2)
    play_both(first, second)
    for guest, fun in ((first, 1), (second, 5)):
        assert guest.me()["step"]["over"] and guest.do().json()["step"]["about"] == "Another participant"
        guest.do({"fun": fun, "remarks": f"said by {guest.code}"})
        guest.go()
    for guest, other in ((first, second), (second, first)):
        heard = "".join(guest.heard)
        assert other.code not in heard and other.token not in heard
    tables = exported(one, tmp_path / "data")
    met = [row for row in tables["matches"] if row["agent"] == PERSON]
    assert {row["participant"] for row in met} == {first.code, second.code}
    assert len({row["match"] for row in met}) == len({row["record"] for row in met}) == 1
    assert {row["seat"] for row in met} == {0, 1} and {row["winner"] for row in met} == {"participant", PERSON}
    assert met[0]["points"] == met[1]["against"] and met[1]["points"] == met[0]["against"]
    assert all(row["played"] == PERSON and row["label"] == "Another participant" for row in met)
    acts = [row for row in tables["moves"] if row["match"] == met[0]["match"]]
    assert sorted(row["ply"] for row in acts) == list(range(met[0]["moves"])), "every action is exported once"
    seat_of = {row["participant"]: row["seat"] for row in met}
    assert all(row["seat"] == seat_of[row["participant"]] and row["by"] == "participant" for row in acts)
    fun = {row["participant"]: row["answer"] for row in tables["answers"] if row["item"] == "fun" and row["place"] == 1}
    assert fun == {first.code: "1", second.code: "5"}
    assert [row["outcome"] for row in tables["meetings"]] == ["played"] * 2
    assert len((tmp_path / "data" / "matches.jsonl").read_text().splitlines()) == 3
    _check_hands(one, tmp_path / "data", met[0])


def _check_hands(one, folder, met):
    """Check that one seat of the match is observed in every way to make cases of it."""
    cases = read_table(folder, "cases", exported_columns())
    names = [row["participant"] for row in cases if row["match"] == met["match"]]
    mine, other = (names.count(code) for code in dict.fromkeys(names))
    assert mine == other > 0
    observed = [Observation(source=folder, seed=seed).cases for seed in range(8)]
    assert {len(one) for one in observed} == {len(cases) - mine}
    assert len({one.tobytes() for one in observed}) == 2, "either seat may be drawn"
    with one.engine.connect() as connection:
        found = [match for match in finished(connection, "truco", studies=True) if match.row.id == met["match"]]
        assert len(found) == 1 and found[0].people == [0, 1]
        counted = case_bases.counting(connection, one.id, Grow("baseline", 1, False))
        assert counted.count(met["match"]) == 1 and len(counted) == 3
        facts = status.whole(connection, one.id, 0.0)
        assert [row[1] for row in facts["balance"]["positions"]] == [[2, 0], [0, 2]]
        assert [(row["agent"], row["matches"]) for row in facts["results"]] == [(PERSON, 2), ("cautious", 2)]
        assert facts["results"][0]["won"] == 1
        match = Match(*read_match(connection, met["match"]))
        assert case_bases._observed(match) == case_bases._observed(match) in match.people


def test_seat_shows_only_its_own_cards(meeting):
    one = meeting(target=4)
    first, second = invite_at_match(one, 2)
    mine, theirs = first.me()["step"], second.me()["step"]
    match = mine["match"]
    names = [player["name"] for player in one.served.get(f"/api/matches/{match}", mine["token"]).json()["players"]]
    assert names == ["Participant A", "Participant B"]
    views = [one.served.view(match, step["token"])["view"] for step in (mine, theirs)]
    assert [view["seat"] for view in views] == [mine["seat"], theirs["seat"]] and mine["seat"] != theirs["seat"]
    assert not {one["action"] for one in views[0]["legal"]} & {one["action"] for one in views[1]["legal"]}
    assert one.served.get(f"/api/matches/{match}").status_code == 404
    assert one.served.get(f"/api/matches/{match}/view", "A" * 32).status_code == 404
    assert one.served.get(f"/api/matches/{match}/view", mine["token"], seat=theirs["seat"]).status_code == 403


# --- Missing and leaving participants ---------------------------------------------------------------


def test_match_without_a_second_participant_is_skipped_with_its_questions(meeting, tmp_path):
    one = meeting("{person = true, wait = 30}", "cautious")
    [guest] = invite_at_match(one, 1)
    assert guest.me()["step"]["waiting"] and said(guest.do()) == "server.study.playing"
    let_pass(one, 31)
    assert (guest.me()["step"]["name"], guest.me()["step"]["place"]) == ("match", 2)
    guest.go()
    tables = exported(one, tmp_path / "data")
    assert [(row["place"], row["agent"]) for row in tables["matches"]] == [(2, "cautious")]
    [met] = tables["meetings"]
    assert (met["outcome"], met["match"]) == ("nobody", None) and met["waited"] >= 0
    assert [row["name"] for row in tables["pages"]][3:6] == ["match", "skipped", "match"]
    assert {row["place"] for row in tables["answers"] if row["name"] == "questions"} == {2}
    with one.engine.connect() as connection:
        balance = status.whole(connection, one.id, 0.0)["balance"]
    assert balance["positions"] == [[PERSON, [0, 0]], ["cautious", [0, 1]]]
    assert balance["successions"] == [[PERSON, [0, 0]], ["cautious", [0, 0]]]


def test_substitute_agent_is_exported_as_an_agent(meeting, tmp_path):
    one = meeting('{person = true, wait = 30, instead = "bluffer"}')
    [guest] = invite_at_match(one, 1)
    let_pass(one, 31)
    step = guest.me()["step"]
    assert step["label"] == "Opponent 1" and step["match"]
    guest.go()
    tables = exported(one, tmp_path / "data")
    assert [(row["agent"], row["played"]) for row in tables["matches"]] == [("bluffer", "bluffer")]
    assert [row["outcome"] for row in tables["meetings"]] == ["agent"]
    assert {row["agent"] for row in tables["answers"] if row["name"] == "questions"} == {"bluffer"}
    with one.engine.connect() as connection:
        assert [row["matches"] for row in status.whole(connection, one.id, 0.0)["results"]] == [0, 1]


class Table:
    """Two participants at a match, on a database without a server, with a given time."""

    def __init__(self, folder, **options):
        self.engine = open_database(str(folder / "matches.db"))
        with self.engine.begin() as connection:
            text = plan(opponents=(EACH_OTHER, "cautious"), order="fixed", practice="", **options)
            self.study = self.id = studies.add_study(connection, text, opened=True)
            made = [studies.add_participant(connection, self.study, now=NOW) for _ in range(2)]
        self.codes, self.tokens = zip(*made, strict=True)
        for number, answers in enumerate([{"agree": True}, {}, {}], 1):
            for token in self.tokens:
                self.ask(participation.answer, token, number=number, answers=answers)
        self.steps = [self.ask(participation.me, token)["step"] for token in self.tokens]
        self.match = self.steps[0]["match"]

    def at(self, request, *facts, now=NOW, **more):
        with self.engine.begin() as connection:
            return request(Transaction(connection, OrderedDict(), AgentPool(), StubConnections(), now), *facts, **more)

    def ask(self, request, token, now=NOW, **more):
        return self.at(request, self.study, token, now=now, **more)

    def turn(self):
        """Return the index of the participant to act."""
        seat = self.at(lambda transaction: transaction.match(self.match).table.turn)
        return [step["seat"] for step in self.steps].index(seat)


def outcomes(table, folder):
    return {row["participant"]: row["outcome"] for row in exported(table, folder)["meetings"]}


@pytest.mark.parametrize(("here", "seconds"), [(False, 61), (True, 901)])
def test_claim_against_an_absent_or_late_participant_lets_both_continue(tmp_path, here, seconds):
    table = Table(tmp_path)
    late = table.turn()
    stays = table.steps[1 - late]
    if here:
        heard = {(table.match, table.steps[late]["seat"]): (NOW + seconds, True)}
        table.at(requests.seen, heard)
    with pytest.raises(Refusal, match="early-claim"):
        table.at(requests.claim, table.match, stays["token"], now=NOW + seconds - 10)
    table.at(requests.claim, table.match, stays["token"], now=NOW + seconds)
    for token in table.tokens:
        told = table.ask(participation.answer, token, now=NOW + seconds, number=STEP, answers={})
        assert told["step"]["name"] == "questions"
    found = outcomes(table, tmp_path / "data")
    assert found == {table.codes[1 - late]: "claimed", table.codes[late]: "left"}


def test_withdrawal_deletes_the_match_and_keeps_the_data_of_the_other_participant(tmp_path):
    table = Table(tmp_path)
    gone = table.ask(participation.withdraw, table.tokens[0])
    assert gone == [table.match]
    step = table.ask(participation.me, table.tokens[1])["step"]
    assert (step["name"], step["place"]) == ("match", 2), "the other participant continues with the next step"
    assert table.ask(participation.answer, table.tokens[1], number=STEP, answers={})["step"]["place"] == 2
    assert outcomes(table, tmp_path / "data") == {table.codes[1]: "withdrawn"}
    with table.engine.connect() as connection:
        kept = studies.read_steps(connection, table.study)
        assert {row.code for row in kept} == {table.codes[1]}
        for one in (matches.c.id, seats.c.match, study_seats.c.match):
            assert connection.execute(sa.select(one).where(one == table.match)).first() is None


def test_answers_about_a_match_are_kept_after_a_later_withdrawal_of_the_other(tmp_path):
    table = Table(tmp_path)
    late = table.turn()
    table.at(requests.claim, table.match, table.steps[1 - late]["token"], now=NOW + 100)
    for number, answers in ((STEP, {}), (STEP + 1, {"fun": 2})):
        table.ask(participation.answer, table.tokens[1], now=NOW + 100, number=number, answers=answers)
    table.ask(participation.withdraw, table.tokens[0], now=NOW + 200)
    tables = exported(table, tmp_path / "data")
    [fun] = [row for row in tables["answers"] if row["item"] == "fun"]
    assert (fun["participant"], fun["answer"], fun["agent"], fun["match"]) == (table.codes[1], "2", PERSON, None)
    assert outcomes(table, tmp_path / "data") == {table.codes[1]: "withdrawn"}


def test_connection_to_a_deleted_match_is_closed_with_a_reason(meeting):
    one = meeting(target=4)
    first, second = invite_at_match(one, 2)
    step = first.me()["step"]
    with one.served.live(step["match"], step["token"]) as line:
        line.hear()
        assert second.post("withdraw", {"sure": True}).status_code == 200
        assert line.hear("bye")["says"][0] == "server.gone"
    assert first.me()["step"]["name"] == "after"
