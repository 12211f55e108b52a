"""Matches of a study: opponents by step, and the seating of two participants at one match.

A participant who is to meet another one takes a seat of a new match and waits; the next participant at such a step
takes the other seat, and the cards are dealt.  Seats are assigned under the lock of the study.
"""

import base64
import secrets
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from bolicho.i18n import Message, catalogue
from bolicho.store import database, studies
from bolicho.store.database import MatchRow, SeatRow
from bolicho.store.studies import Participant, StudyMatch, StudyRow
from bolicho.web import fair_deals
from bolicho.web.match import Match, game_of
from bolicho.web.study import case_bases, latin_squares
from bolicho.web.study.parts import PERSON, Plan
from bolicho.web.study.plan import played_spec
from bolicho.web.transactions import Transaction
from bolicho.web.workers import names

SEAT = 0  # seat of a participant against agents
FRESH = 20.0  # seconds since the last request of a waiting page, after which its participant gets no partner


@dataclass(frozen=True)
class Step:
    """Step of a participant; `place` is the number of the match that it plays or asks about, from 1."""

    name: str
    place: int = 0


@dataclass(frozen=True)
class Here:
    """Participant within one transaction."""

    transaction: Transaction
    study: StudyRow
    plan: Plan
    who: Participant
    token: str

    @property
    def language(self) -> str:
        return self.who.language or self.plan.languages[0]

    def become(self, **values: Any) -> "Here":
        """Update the participant's row."""
        return replace(self, who=studies.change(self.transaction.connection, self.who, **values))


def met(plan: Plan, row: int) -> list[int]:
    """Return the opponents, as numbers in the plan, in the order in which a row of the sequence meets them."""
    return latin_squares.sequence(plan.order, len(plan.opponents), row) * plan.matches


def opponent(plan: Plan, row: int | None, place: int) -> str:
    """Return the planned opponent of a place."""
    assert row is not None
    return plan.opponents[met(plan, row)[place - 1]]


def seat_token(token: str, match: str) -> str:
    """Derive the token of a seat from the participant's token, so that it is the same on every device."""
    digest = sha256(f"seat {token} {match}".encode()).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def label(here: Here, place: int, spec: str) -> str:
    """Return the name of an opponent: the number of its first match, or the agent's name if the plan shows names."""
    assert here.who.row is not None
    if spec == PERSON:
        return catalogue(here.language).say(Message("server.study.person"))
    if here.plan.sees.names == "agents":
        return names([spec])[0][:40]
    order = met(here.plan, here.who.row)
    return catalogue(here.language).say(Message("server.study.opponent", n=order.index(order[place - 1]) + 1))


def find_match(here: Here, number: int) -> StudyMatch | None:
    """Return the match of a step, if there is one."""
    found = studies.read_study_matches(here.transaction.connection, here.study.id, here.who.code)
    return next((one for one in found if one.step == number), None)


def take_match(here: Here, number: int, step: Step) -> StudyMatch | None:
    """Return the match of a step, created at the first call; None if the wait for another participant is over.

    In a match without a deal, the participant waits.
    """
    found = find_match(here, number)
    if found is not None and found.dealt is not None:
        return found
    if step.name == "practice":
        assert here.plan.practice is not None
        called = catalogue(here.language).say(Message("server.study.practice"))
        return _against_agent(here, number, here.plan.practice.agent, called, practice=True)
    spec = opponent(here.plan, here.who.row, step.place)
    if spec == PERSON:
        return _against_person(here, number, step)
    return _against_agent(here, number, spec, label(here, step.place, spec))


# --- Matches against agents -----------------------------------------------------------------------


def _against_agent(here: Here, number: int, spec: str, called: str, practice: bool = False) -> StudyMatch:
    transaction, row = here.transaction, _new_row(here, practice)
    own = catalogue(here.language).say(Message("server.study.participant"))
    sitting = [_own_seat(here, row.id, SEAT, own)]
    plays = played_spec(
        here.plan, spec, case_bases.newest(case_bases.folder_of(transaction.connection.engine, here.study.id))
    )
    seats = game_of(row.game, row.rules).seats
    sitting += [
        SeatRow(seat, called if seats == 2 else f"{called} {chr(64 + seat)}", plays) for seat in range(1, seats)
    ]
    match = Match(row, sitting)
    transaction.add(match)
    one = StudyMatch(row.id, SEAT, here.who.code, number, spec, called, practice)
    studies.add_study_seat(transaction.connection, here.study.id, one)
    transaction.deal(match)
    return replace(one, dealt=match.row.dealt, ended=match.row.ended, result=match.row.result)


def _new_row(here: Here, practice: bool = False, **options: Any) -> MatchRow:
    plan, sees = here.plan, here.plan.sees
    game = game_of(plan.game, dict(plan.make_game(practice).options))
    agreed: dict[str, Any] = {"why": sees.why, "hint": sees.hint, "open_end": False, "clock": None, "claims": False}
    agreed |= {"study": here.study.id, "neutral": sees.names == "neutral", "pace": sees.pace} | options
    rules, now = dict(game.options), here.transaction.now
    return MatchRow(
        database.new_name(), plan.game, rules, agreed, fair_deals.new_secret(), now, fair_version=fair_deals.VERSION
    )


def _own_seat(here: Here, match: str, seat: int, name: str) -> SeatRow:
    digest = sha256(seat_token(here.token, match).encode()).digest()
    return SeatRow(seat, name, token=digest, seen=here.transaction.now)


# --- Matches of two participants ------------------------------------------------------------------


def _against_person(here: Here, number: int, step: Step) -> StudyMatch | None:
    """Seat a participant with the one who has waited longest; else wait, and after the wait follow the plan."""
    transaction, person = here.transaction, here.plan.person
    assert person is not None
    studies.lock_study(transaction.connection, here.study.id)
    own = find_match(here, number)  # again: a partner may have joined before the lock was taken
    if own is not None and own.dealt is not None:
        return own
    times = studies.people_met(transaction.connection, here.who)
    waiting = studies.read_waiting(transaction.connection, here.who, transaction.now - FRESH)
    partner = next((one for one in waiting if times[one.code] < person.meetings), None)
    if partner is None and own is None:
        return _wait(here, number, step)
    if partner is None and own is not None and transaction.now < own.made + person.wait:
        return own
    if own is not None:
        studies.drop_study_match(transaction.connection, own.match)
        transaction.remove(own.match)
    if partner is not None:
        return _join(here, number, step, partner.match)
    if person.instead is None:
        return None
    return _against_agent(here, number, person.instead, label(here, step.place, person.instead))


def _wait(here: Here, number: int, step: Step) -> StudyMatch:
    """Create a match in which the participant takes one seat and waits for the other."""
    assert here.plan.person is not None
    seat = secrets.randbelow(2)
    row = _new_row(here, clock={"seconds": here.plan.person.clock, "plus": 0}, claims=True)
    sitting = [_person_seat(here, row.id, seat), SeatRow(1 - seat, "?")]
    here.transaction.add(Match(row, sorted(sitting, key=lambda one: one.seat), here.transaction.uptime))
    return _note(here, number, step, StudyMatch(row.id, seat, here.who.code, number, PERSON, "", False, row.made))


def _join(here: Here, number: int, step: Step, name: str) -> StudyMatch:
    """Take the free seat of a match in which another participant waits, and deal."""
    match = here.transaction.lock_match(name)
    seat = next(one.seat for one in match.sitting if not one.taken)
    row = _person_seat(here, name, seat)
    here.transaction.mark_changed(match)
    database.take_seat(here.transaction.connection, name, row)
    match.sit(row)
    one = _note(here, number, step, StudyMatch(name, seat, here.who.code, number, PERSON, "", False, match.row.made))
    here.transaction.deal(match)
    return replace(one, dealt=match.row.dealt, ended=match.row.ended, result=match.row.result)


def _person_seat(here: Here, match: str, seat: int) -> SeatRow:
    """Return a seat with a neutral name, since both participants see it."""
    own = catalogue(here.language).say(Message("server.study.participant"))
    return _own_seat(here, match, seat, f"{own} {chr(65 + seat)}")


def _note(here: Here, number: int, step: Step, one: StudyMatch) -> StudyMatch:
    one = replace(one, label=label(here, step.place, PERSON))
    studies.add_study_seat(here.transaction.connection, here.study.id, one)
    return one
