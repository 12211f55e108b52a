"""State of a study for researchers: progress, attrition, balance and results, without cards and tokens."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy.engine import Connection

from bolicho.agents.spec import short_names
from bolicho.store import studies
from bolicho.store.flow import flow
from bolicho.store.studies import Participant, StepRow, StudyMatch, counted
from bolicho.web.study import latin_squares, participation, seating
from bolicho.web.study.parts import PERSON, Plan
from bolicho.web.study.plan import is_easy_to_guess, new_room
from bolicho.web.study.questions import Question
from bolicho.web.study.signals import seen, signals


def plan_facts(plan: Plan) -> dict[str, Any]:
    """Return the steps of a participant, the balance of orders, blanks and warnings of a plan."""
    rows = latin_squares.num_rows(plan.order, len(plan.opponents))
    return {
        "game": plan.game,
        "opponents": list(plan.opponents),
        "sequences": rows,
        "target": plan.target,
        "balanced": plan.order == "williams" and plan.target % rows == 0,
        "steps": [step.name for step in participation.way(plan)],
        "blanks": [list(blank) for blank in plan.blanks],
        "warnings": warnings(plan),
    }


def warnings(plan: Plan) -> list[str]:
    """Return warnings about a plan: a room code that is easy to guess."""
    if plan.room is None or not is_easy_to_guess(plan.room):
        return []
    return [f"the room code {plan.room!r} is easy to guess; one that is not: {new_room()}"]


def listed(connection: Connection, now: float) -> dict[str, Any]:
    """Return a summary of every study."""
    return {"studies": [_in_short(connection, row.id, now) for row in studies.all_studies(connection)]}


def _in_short(connection: Connection, study: str, now: float) -> dict[str, Any]:
    row, plan = participation.known_study(connection, study)
    people = [one for one in participation.sweep(connection, study, plan, now) if not one.scripted]
    facts = {"study": study, "title": plan.title, "game": plan.game, "made": row.made, "closed": row.closed}
    when = {"ends": _day(plan.ends), "retention": _day(plan.retention), "open": participation.is_open(row, plan, now)}
    now_open = {"opened": row.opened, "blanks": [list(blank) for blank in plan.blanks]}
    return {
        **facts,
        **when,
        **now_open,
        "target": plan.target,
        "counts": counted(people),
        "finished": len(_finished(people)),
    }


def whole(connection: Connection, study: str, now: float, scripted: bool = False) -> dict[str, Any]:
    """Return the full state of a study; counts cover people, or with `scripted` scripted participants instead."""
    row, plan = participation.known_study(connection, study)
    everybody = participation.sweep(connection, study, plan, now)
    some = [one for one in everybody if one.scripted == scripted]
    codes = {one.code for one in some}
    steps = [one for one in studies.read_steps(connection, study) if one.code in codes]
    matches = [one for one in studies.read_study_matches(connection, study) if one.code in codes]
    facts = {**_in_short(connection, study, now), "plan": row.plan, "of": "scripted" if scripted else "people"}
    return {
        **facts,
        "room": plan.room,
        "counts": counted(some),
        "finished": len(_finished(some)),
        "scripted": sum(one.scripted for one in everybody),
        "replaced": sum(one.replaced for one in some),
        "flow": asdict(flow(counted(some), sum(one.replaced and one.state == "finished" for one in some))),
        "labels": short_names([*plan.opponents, *plan.agents]),
        "balance": balance(plan, some, matches),
        "attrition": attrition(plan, steps),
        "scales": [question.name for question in plan.questions if question.kind == "scale"],
        "results": [_result(plan, agent, matches, steps) for agent in dict.fromkeys([*plan.opponents, *plan.agents])],
        "participants": _participants(connection, study, plan, everybody),
    }


def _finished(people: Sequence[Participant]) -> list[Participant]:
    """Return the participants who have finished and are not replaced."""
    return [one for one in people if one.state == "finished" and not one.replaced]


def balance(plan: Plan, people: Sequence[Participant], matches: Sequence[StudyMatch]) -> dict[str, Any]:
    """Count, for finished participants, each opponent's positions and predecessors."""
    way = participation.way(plan)
    played = {(one.code, way[one.step - 1].place, one.agent) for one in matches if one.ended is not None}
    sequences = [
        [
            number if plan.opponents[number] != PERSON or (one.code, place, PERSON) in played else None
            for place, number in enumerate(seating.met(plan, one.row), 1)
        ]
        for one in _finished(people)
        if one.row is not None
    ]
    positions, successions = latin_squares.balance(sequences, len(plan.opponents))
    return {
        name: [[agent, counts] for agent, counts in zip(plan.opponents, table, strict=True)]
        for name, table in (("positions", positions), ("successions", successions))
    }


def attrition(plan: Plan, steps: Sequence[StepRow]) -> list[list[Any]]:
    """Return for each step: name, number, participants who reached it, participants who finished it."""
    return [
        [
            step.name,
            number,
            sum(row.step == number for row in steps),
            sum(row.step == number and row.done is not None for row in steps),
        ]
        for number, step in enumerate(participation.way(plan), 1)
    ]


def _result(plan: Plan, agent: str, matches: Sequence[StudyMatch], steps: Sequence[StepRow]) -> dict[str, Any]:
    """Return the results of matches against an agent: its wins, and the counts of answers."""
    mine = [one for one in matches if one.agent == agent and not one.practice]
    over = [one for one in mine if one.result is not None]
    won = [one for one in over if one.result and one.result["winners"] and one.seat not in one.result["winners"]]
    about = {(one.code, one.step + 1) for one in mine}  # the questions about a match are the step after it
    given = [row.answers for row in steps if row.name == "questions" and row.answers and (row.code, row.step) in about]
    asked = [question for question in plan.asked("match") if question.kind != "text"]
    return {
        "agent": agent,
        "matches": len(over),
        "won": len(won),
        "answers": {question.name: _counts(question, given) for question in asked},
        "blank": {question.name: sum(one.get(question.name) is None for one in given) for question in asked},
    }


def _counts(question: Question, given: Sequence[dict[str, Any]]) -> list[int]:
    values: list[Any] = [value for value, _ in question.choices] or list(range(1, question.points + 1))
    said = [one.get(question.name) for one in given]
    return [said.count(value) for value in values]


def _participants(
    connection: Connection, study: str, plan: Plan, people: Sequence[Participant]
) -> list[dict[str, Any]]:
    heard = studies.last_connected(connection, study)
    pages: dict[str, list[StepRow]] = {}
    for row in studies.read_steps(connection, study):
        pages.setdefault(row.code, []).append(row)
    times = studies.read_decision_times(connection, study)
    done = {code: sum(row.done is not None for row in rows) for code, rows in pages.items()}
    return [
        {
            "code": one.code,
            "state": one.state,
            "step": done.get(one.code, 0) + (one.state not in ("finished", "withdrawn", "declined")),
            "scripted": one.scripted,
            "replaced": one.replaced,
            "seen": _seen(one, heard),
            "signals": seen(signals(plan, pages.get(one.code, []), times.get(one.code, []))),
        }
        for one in people
    ]


def _seen(one: Participant, heard: Mapping[str, float]) -> float | None:
    """Return when a participant was last seen; None before consent and after a withdrawal."""
    if one.state in (*studies.BEFORE_CONSENT, "withdrawn"):
        return None
    return max(one.seen, heard.get(one.code, 0.0))


def _day(day: Any) -> str | None:
    return None if day is None else day.isoformat()
