"""Storage of studies: plans, participants, their steps and answers, and their matches.

No row identifies a person: a participant is a code, and the access token is stored as its SHA-256.
"""

import json
import secrets
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from bolicho.errors import BadInput
from bolicho.store import database
from bolicho.store.flow import STATES
from bolicho.store.tables import decisions, erasures, matches, moves, participants, seats, steps, studies, study_seats

HOLDING = ("consented", "playing", "finished")
"""States of participants who occupy a place."""

BEFORE_CONSENT = ("invited", "declined")
"""States of participants of whom nothing but the invitation, and the refusal, is stored."""

GONE = ("declined", "withdrawn")
"""States of participants of whom only a number is exported."""

CODE = 6  # characters


@dataclass(frozen=True)
class StudyRow:
    """Stored study."""

    id: str
    plan: str
    made: float
    closed: float | None
    opened: float | None


@dataclass(frozen=True)
class Participant:
    """Stored participant."""

    study: str
    code: str
    row: int | None
    state: str
    made: float
    seen: float
    scripted: bool
    language: str | None
    consent: str | None
    replaced: bool


@dataclass(frozen=True)
class StepRow:
    """Stored step of a participant: when its page was first shown, when it was done, and the answers."""

    code: str
    step: int
    name: str
    shown: float
    done: float | None
    answers: dict[str, Any] | None
    measured: dict[str, Any] | None = None


@dataclass(frozen=True)
class StudyMatch:
    """Match of a study from the side of one participant, at `seat`."""

    match: str
    seat: int
    code: str
    step: int
    agent: str  # the opponent
    label: str
    practice: bool
    made: float = 0.0
    dealt: float | None = None  # None: the participant waits for another one
    ended: float | None = None
    result: dict[str, Any] | None = None


# --- Studies --------------------------------------------------------------------------------------


def add_study(connection: Connection, plan: str, opened: bool = False) -> str:
    """Add a study with a plan and return its id; until it is opened it admits scripted participants alone."""
    number, now = database.new_name(), database.now()
    row = {"id": number, "plan": plan, "made": now, "opened": now if opened else None}
    connection.execute(studies.insert(), row)
    return number


def open_study(connection: Connection, study: str, now: float) -> None:
    """Open a study to people."""
    where = (studies.c.id == study) & studies.c.opened.is_(None)
    connection.execute(studies.update().where(where).values(opened=now))


def change_plan(connection: Connection, study: str, plan: str) -> bool:
    """Replace the plan of a study that is not open yet, without its scripted participants; return whether it was."""
    lock_study(connection, study)
    where = (studies.c.id == study) & studies.c.opened.is_(None)
    if connection.execute(studies.update().where(where).values(plan=plan)).rowcount != 1:
        return False
    _drop_participants(connection, study, scripted=True)
    return True


def read_study(connection: Connection, study: str) -> StudyRow | None:
    """Return a study, or None if it does not exist."""
    if not study.isascii():
        return None
    found = connection.execute(studies.select().where(studies.c.id == study)).mappings().first()
    return None if found is None else StudyRow(**found)


def named_study(connection: Connection, study: str) -> StudyRow:
    """Return a study that a user has named; raise `BadInput` if it does not exist."""
    found = read_study(connection, study)
    if found is None:
        known = ", ".join(row.id for row in all_studies(connection)) or "none"
        raise BadInput(f"there is no study {study!r} in this database; there are: {known}")
    return found


def all_studies(connection: Connection) -> list[StudyRow]:
    """Return all studies, the newest first."""
    found = connection.execute(studies.select().order_by(studies.c.made.desc())).mappings()
    return [StudyRow(**row) for row in found]


def close_study(connection: Connection, study: str, now: float) -> None:
    """Close a study to new participants."""
    where = (studies.c.id == study) & studies.c.closed.is_(None)
    connection.execute(studies.update().where(where).values(closed=now))


def lock_study(connection: Connection, study: str) -> None:
    """Lock the assignment of places until this transaction ends.

    An update without effect: PostgreSQL locks the row for it and SQLite the file, so that later reads see what other
    transactions have written.
    """
    connection.execute(studies.update().where(studies.c.id == study).values(closed=studies.c.closed))


# --- Participants ---------------------------------------------------------------------------------


def add_participant(
    connection: Connection,
    study: str,
    scripted: bool = False,
    language: str | None = None,
    now: float | None = None,
) -> tuple[str, str]:
    """Invite a participant; return the code and the token.  `now` is the system's time by default."""
    code = database.new_name(CODE)
    while _is_taken(connection, study, code):
        code = database.new_name(CODE)
    token, now = secrets.token_urlsafe(24), database.now() if now is None else now
    row = {"study": study, "code": code, "digest": _digest(token), "state": "invited", "made": now, "seen": now}
    connection.execute(participants.insert(), {**row, "scripted": scripted, "language": language, "replaced": False})
    return code, token


def _is_taken(connection: Connection, study: str, code: str) -> bool:
    mine = (participants.c.study == study) & (participants.c.code == code)
    return connection.execute(sa.select(participants.c.code).where(mine)).first() is not None


def meet(connection: Connection, study: str, token: str, now: float) -> Participant | None:
    """Return the participant of a token and lock the row until the transaction ends; note the visit after consent."""
    mine = (participants.c.digest == _digest(token)) & (participants.c.study == study)
    seen = sa.case((participants.c.state.in_(BEFORE_CONSENT), participants.c.seen), else_=now)
    if connection.execute(participants.update().where(mine).values(seen=seen)).rowcount != 1:
        return None
    return _participant(connection.execute(participants.select().where(mine)).mappings().one())


def lock_participant(connection: Connection, study: str, code: str) -> Participant:
    """Lock a participant's row until the transaction ends."""
    mine = (participants.c.study == study) & (participants.c.code == code)
    connection.execute(participants.update().where(mine).values(seen=participants.c.seen))
    return _participant(connection.execute(participants.select().where(mine)).mappings().one())


def read_participants(connection: Connection, study: str) -> list[Participant]:
    """Return all participants, in the order of their invitations."""
    query = participants.select().where(participants.c.study == study)
    found = connection.execute(query.order_by(participants.c.made, participants.c.code)).mappings()
    return [_participant(row) for row in found]


def _participant(row: Any) -> Participant:
    return Participant(**{name: value for name, value in row.items() if name != "digest"})


def change(connection: Connection, who: Participant, **values: Any) -> Participant:
    """Update a participant's row and return the new version."""
    mine = (participants.c.study == who.study) & (participants.c.code == who.code)
    connection.execute(participants.update().where(mine).values(**values))
    return replace(who, **values)


def last_connected(connection: Connection, study: str) -> dict[str, float]:
    """Return when each participant was last connected to a match."""
    query = (
        sa.select(study_seats.c.code, sa.func.max(seats.c.seen))
        .join(seats, (seats.c.match == study_seats.c.match) & (seats.c.seat == study_seats.c.seat))
        .where((study_seats.c.study == study) & seats.c.seen.is_not(None))
        .group_by(study_seats.c.code)
    )
    return {row[0]: row[1] for row in connection.execute(query)}


# --- Steps and matches ----------------------------------------------------------------------------


def read_steps(connection: Connection, study: str, code: str | None = None) -> list[StepRow]:
    """Return the steps of one participant, or of all, in order."""
    where = steps.c.study == study
    if code is not None:
        where &= steps.c.code == code
    found = connection.execute(steps.select().where(where).order_by(steps.c.code, steps.c.step)).mappings()
    return [
        StepRow(
            **{name: row[name] for name in ("code", "step", "name", "shown", "done")},
            answers=_json(row["answers"]),
            measured=_json(row["measured"]),
        )
        for row in found
    ]


def show_step(connection: Connection, who: Participant, step: int, name: str, now: float, done: bool = False) -> None:
    """Store that a step is shown for the first time."""
    row = {"study": who.study, "code": who.code, "step": step, "name": name, "shown": now}
    connection.execute(steps.insert(), {**row, "done": now if done else None})


def finish_step(
    connection: Connection,
    who: Participant,
    step: int,
    answers: dict[str, Any],
    now: float,
    measured: dict[str, Any] | None = None,
) -> None:
    """Store that a step is done, with what the browser has measured on its page."""
    mine = (steps.c.study == who.study) & (steps.c.code == who.code) & (steps.c.step == step)
    values = {"done": now, "answers": json.dumps(answers, ensure_ascii=False)}
    values["measured"] = None if measured is None else json.dumps(measured)
    connection.execute(steps.update().where(mine).values(**values))


_SEAT = ("match", "seat", "code", "step", "agent", "label", "practice")


def add_study_seat(connection: Connection, study: str, one: StudyMatch) -> None:
    """Store a participant's seat in a match."""
    connection.execute(study_seats.insert(), {"study": study, **{name: getattr(one, name) for name in _SEAT}})


def read_study_matches(connection: Connection, study: str, code: str | None = None) -> list[StudyMatch]:
    """Return the matches of one participant, or of all, in the order in which they ended; unfinished ones last.

    A match of two participants is listed twice, once for each.
    """
    where = study_seats.c.study == study
    if code is not None:
        where &= study_seats.c.code == code
    order = (matches.c.ended.is_(None), matches.c.ended, study_seats.c.match, study_seats.c.seat)
    return _study_matches(connection, _of_study().where(where).order_by(*order))


def read_waiting(connection: Connection, who: Participant, since: float) -> list[StudyMatch]:
    """Return the matches in which other participants wait for an opponent, the longest wait first.

    Participants not seen since `since` are left out; people meet only people, and scripted participants each other.
    """
    other = (participants.c.study == study_seats.c.study) & (participants.c.code == study_seats.c.code)
    alike = (participants.c.scripted == who.scripted) & (participants.c.seen >= since)
    mine = (study_seats.c.study == who.study) & (study_seats.c.code != who.code)
    query = _of_study().join(participants, other).where(mine & alike & matches.c.dealt.is_(None))
    return _study_matches(connection, query.order_by(matches.c.made, study_seats.c.match))


def people_met(connection: Connection, who: Participant) -> Counter[str]:
    """Count the matches of a participant with each other one."""
    mine = sa.select(study_seats.c.match).where((study_seats.c.study == who.study) & (study_seats.c.code == who.code))
    query = sa.select(study_seats.c.code).where(study_seats.c.match.in_(mine) & (study_seats.c.code != who.code))
    return Counter(connection.execute(query).scalars())


def read_partners(connection: Connection, who: Participant, match: str) -> list[StudyMatch]:
    """Return a match from the side of the other participants in it."""
    where = (study_seats.c.match == match) & (study_seats.c.code != who.code)
    return _study_matches(connection, _of_study().where(where))


def _of_study() -> sa.Select[Any]:
    columns = (
        *(study_seats.c[name] for name in _SEAT),
        *(matches.c[name] for name in ("made", "dealt", "ended", "result")),
    )
    return sa.select(*columns).join(matches, matches.c.id == study_seats.c.match)


def _study_matches(connection: Connection, query: sa.Select[Any]) -> list[StudyMatch]:
    return [StudyMatch(**{**row, "result": _json(row["result"])}) for row in connection.execute(query).mappings()]


def read_decision_times(connection: Connection, study: str) -> dict[str, list[float]]:
    """Return the times of each participant's decisions that a browser has measured, without practice."""
    ply = (moves.c.match == decisions.c.match) & (moves.c.ply == decisions.c.ply)
    seat = (study_seats.c.match == moves.c.match) & (study_seats.c.seat == moves.c.seat)
    query = sa.select(study_seats.c.code, decisions.c.seconds).select_from(decisions).join(moves, ply)
    found: dict[str, list[float]] = {}
    where = (study_seats.c.study == study) & sa.not_(study_seats.c.practice)
    for code, seconds in connection.execute(query.join(study_seats, seat).where(where)):
        found.setdefault(code, []).append(seconds)
    return found


# --- Deleting -------------------------------------------------------------------------------------


def take_out(connection: Connection, who: Participant) -> None:
    """Delete all that a participant did and answered; the state and the row of the sequence remain.

    The participant's matches must be deleted first.
    """
    of_steps = (steps.c.study == who.study) & (steps.c.code == who.code)
    connection.execute(steps.delete().where(of_steps))
    state = "declined" if who.row is None else "withdrawn"  # before consent a withdrawal is a refusal
    change(connection, who, state=state, language=None, consent=None, seen=who.made)
    mine = (participants.c.study == who.study) & (participants.c.code == who.code)
    connection.execute(participants.update().where(mine).values(digest=secrets.token_bytes(32)))
    _begin_erasure(connection, who.study)


def decline(connection: Connection, who: Participant, made: float) -> Participant:
    """Store that an invitation was declined, without a time: `made` is that of the study."""
    who = change(connection, who, state="declined", language=None, made=made, seen=made)
    _begin_erasure(connection, who.study)
    return who


def drop_study_match(connection: Connection, match: str) -> None:
    """Remove a match from its study, before the match itself is deleted."""
    connection.execute(study_seats.delete().where(study_seats.c.match == match))


def delete_study(connection: Connection, study: str) -> None:
    """Delete a study with all that belongs to it."""
    lock_study(connection, study)
    _drop_participants(connection, study)
    connection.execute(studies.delete().where(studies.c.id == study))
    _begin_erasure(connection, study)


def _drop_participants(connection: Connection, study: str, scripted: bool | None = None) -> None:
    """Delete the participants of a study, all or only scripted ones, with their steps and matches."""
    found = [one.code for one in read_participants(connection, study) if scripted in (None, one.scripted)]
    for match in [one.match for one in read_study_matches(connection, study) if one.code in found]:
        drop_study_match(connection, match)
        database.delete_match(connection, match)
    for table in (steps, participants):
        connection.execute(table.delete().where((table.c.study == study) & table.c.code.in_(found)))


def _begin_erasure(connection: Connection, study: str) -> None:
    """Note, in the transaction that deletes rows, that files may still hold them (see `web.study.erase`)."""
    row = {"id": database.new_name(), "study": study, "made": database.now()}
    connection.execute(erasures.insert(), row)


def unfinished_erasures(connection: Connection) -> dict[str, str]:
    """Return the study of each unfinished erasure, by its id."""
    found = connection.execute(sa.select(erasures.c.id, erasures.c.study).order_by(erasures.c.made))
    return {row.id: row.study for row in found}


def finish_erasures(connection: Connection, numbers: Iterable[str]) -> None:
    """Delete the notes of erasures whose rows are in no file any more."""
    connection.execute(erasures.delete().where(erasures.c.id.in_(list(numbers))))


def _digest(token: str) -> bytes:
    return sha256(token.encode()).digest()


def _json(text: str | None) -> dict[str, Any] | None:
    found: dict[str, Any] | None = None if text is None else json.loads(text)
    return found


def counted(found: Iterable[Participant]) -> dict[str, int]:
    """Count the participants in each state."""
    states = [one.state for one in found]
    return {state: states.count(state) for state in STATES}
