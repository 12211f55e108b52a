"""Requests of a study's participants: functions of a `Transaction`, which may run more than once.

The plan determines a list of steps: consent, instructions, questions on them, practice, questions before, each match
and the questions about it, questions after, debriefing, thanks.  A step is reached when all before it are done, and
answered once: repeating the answer changes nothing, and another answer is refused.  All progress is in the database, so
that a participant can continue after a reload, on another device or through another server process.  Before consent
nothing is stored but the invitation; a declined one is a state without a time.
"""

import secrets
from contextlib import suppress
from typing import Any

from sqlalchemy.engine import Connection

from bolicho.errors import BadInput
from bolicho.i18n import Message
from bolicho.store import studies
from bolicho.store.studies import BEFORE_CONSENT, HOLDING, Participant, StudyMatch, StudyRow
from bolicho.web.refusal import Refusal
from bolicho.web.study import latin_squares
from bolicho.web.study.parts import PERSON, Plan
from bolicho.web.study.plan import played_spec, read_plan
from bolicho.web.study.questions import UNDERSTANDING, Question, shuffled
from bolicho.web.study.room_limits import WRONG
from bolicho.web.study.seating import Here, Step, find_match, label, opponent, seat_token, take_match
from bolicho.web.transactions import Transaction
from bolicho.web.workers import names

HOUR = 3600.0
PLAYED = ("practice", "match")
UNDERSTOOD = "comprehension"  # step with questions on the instructions; the second one is skipped if all are right
MOMENTS = {UNDERSTOOD: UNDERSTANDING, "before": "before", "questions": "match", "after": "after"}
"""Steps with questions, and the moment that their questions name."""


def way(plan: Plan) -> list[Step]:
    """Return the steps of a participant, in order."""
    found = [Step("consent"), Step("instructions")]
    found += [Step(UNDERSTOOD), Step(UNDERSTOOD)] if plan.asked(UNDERSTANDING) else []
    found += [Step("practice")] if plan.practice is not None else []
    found += [Step("before")] if plan.asked("before") else []
    for place in range(1, len(plan.opponents) * plan.matches + 1):
        found += [Step("match", place)]
        found += [Step("questions", place)] if plan.asked("match") else []
    found += [Step("after")] if plan.asked("after") else []
    found += [Step("debriefing")] if plan.debriefing is not None else []
    return [*found, Step("thanks")]


# --- Joining --------------------------------------------------------------------------------------


def known_study(connection: Connection, study: str) -> tuple[StudyRow, Plan]:
    """Return the study and its plan."""
    found = studies.read_study(connection, study)
    if found is None:
        raise Refusal(404, Message("server.study.none"))
    return found, read_plan(found.plan)


def about(transaction: Transaction, study: str) -> dict[str, Any]:
    """Return the public facts of a study."""
    row, plan = known_study(transaction.connection, study)
    return {
        "study": study,
        "title": plan.title,
        "game": plan.game,
        "languages": plan.languages,
        "open": is_open(row, plan, transaction.now),
        "opened": row.opened is not None,
        "room": plan.room is not None,
        "signals": plan.signals,
    }


def is_open(row: StudyRow, plan: Plan, now: float, scripted: bool = False) -> bool:
    """Return whether new participants may join if places are left; scripted ones may before the study is opened."""
    return row.closed is None and not plan.has_ended(now) and (scripted or row.opened is not None)


def open_to_people(connection: Connection, study: str, now: float) -> None:
    """Open a study to people, unless its texts have blanks to fill in."""
    _, plan = known_study(connection, study)
    if blanks := plan.blanks:
        place, language, blank = blanks[0]
        first = Message("server.study.blanks", count=len(blanks), place=place, language=language, blank=blank)
        raise Refusal(409, first)
    studies.open_study(connection, study, now)


def opponents(connection: Connection, now: float) -> list[tuple[str, str]]:
    """Return the agents of all open studies, each with its game; a plan that cannot be read has none."""
    found: list[tuple[str, str]] = []
    for row in studies.all_studies(connection):
        with suppress(BadInput):
            plan = read_plan(row.plan)
            specs = [*plan.agents, *([plan.practice.agent] if plan.practice else [])]
            found += [(plan.game, played_spec(plan, spec)) for spec in specs if is_open(row, plan, now, True)]
    return found


def enter(transaction: Transaction, study: str, room: str, language: str) -> dict[str, Any]:
    """Add a participant who has a room code."""
    row = studies.read_study(transaction.connection, study)
    plan = None if row is None else read_plan(row.plan)
    code = None if plan is None else plan.room
    if row is None or plan is None or code is None or not secrets.compare_digest(code, room):
        raise Refusal(WRONG, Message("server.study.room"))
    if language not in plan.languages:
        raise Refusal(422, Message("server.study.language", languages=", ".join(plan.languages)))
    _check_open(transaction, row, plan, scripted=False)
    code, token = studies.add_participant(transaction.connection, study, language=language, now=transaction.now)
    return {"token": token, "code": code}


def _check_open(transaction: Transaction, row: StudyRow, plan: Plan, scripted: bool) -> None:
    """Refuse a new participant if the study is not open or full."""
    if row.opened is None and not scripted:
        raise Refusal(410, Message("server.study.unopened"))
    if not is_open(row, plan, transaction.now, scripted):
        raise Refusal(410, Message("server.study.closed"))
    if len(_held(transaction, row, plan, scripted)) >= plan.target:
        raise Refusal(409, Message("server.study.full"))


def _met(transaction: Transaction, study: str, token: str) -> Here:
    """Authenticate a participant; their rows are locked until the transaction ends."""
    row, plan = known_study(transaction.connection, study)
    who = studies.meet(transaction.connection, study, token, transaction.now)
    if who is None:
        raise Refusal(401, Message("server.study.token"))
    here = Here(transaction, row, plan, who, token)
    return _come_back(here) if who.state == "lost" else here


# --- Places ---------------------------------------------------------------------------------------


def _held(transaction: Transaction, row: StudyRow, plan: Plan, scripted: bool) -> list[int]:
    """Return the occupied rows of the sequence; participants absent for too long are lost and occupy none.

    Scripted participants are counted apart and occupy no place of people.
    """
    found = sweep(transaction.connection, row.id, plan, transaction.now)
    return [
        one.row
        for one in found
        if one.state in HOLDING and one.scripted == scripted and not one.replaced and one.row is not None
    ]


def sweep(connection: Connection, study: str, plan: Plan, now: float) -> list[Participant]:
    """Mark participants absent for too long as lost, and return all participants."""
    since = now - plan.lost_after * HOUR
    heard = studies.last_connected(connection, study)
    found = []
    for one in studies.read_participants(connection, study):
        under_way = one.state in ("consented", "playing")
        if under_way and max(one.seen, heard.get(one.code, 0.0)) < since:
            one = studies.change(connection, one, state="lost")
        found.append(one)
    return found


def _take_place(here: Here) -> Here:
    """Assign a row of the sequence to a participant who has consented."""
    studies.lock_study(here.transaction.connection, here.study.id)
    _check_open(here.transaction, here.study, here.plan, here.who.scripted)
    held = _held(here.transaction, here.study, here.plan, here.who.scripted)
    row = latin_squares.next_row(here.plan.order, len(here.plan.opponents), held, here.plan.target)
    assert row is not None
    version, now = here.plan.consent.version, here.transaction.now
    return here.become(row=row, state="consented", consent=version, seen=now)


def _come_back(here: Here) -> Here:
    """Reactivate a lost participant; if the place was reassigned, the participant does not count."""
    studies.lock_study(here.transaction.connection, here.study.id)
    held = _held(here.transaction, here.study, here.plan, here.who.scripted)
    assert here.who.row is not None
    free = latin_squares.has_room(here.plan.order, len(here.plan.opponents), held, here.plan.target, here.who.row)
    played = studies.read_study_matches(here.transaction.connection, here.study.id, here.who.code)
    return here.become(state="playing" if played else "consented", replaced=here.who.replaced or not free)


# --- Current step ---------------------------------------------------------------------------------


def me(transaction: Transaction, study: str, token: str) -> dict[str, Any]:
    """Return the participant's current step, with all that its page needs."""
    return _standing(_met(transaction, study, token))


def _standing(here: Here) -> dict[str, Any]:
    steps, done = way(here.plan), _done(here)
    number = min(len(done) + 1, len(steps))
    step = steps[number - 1]
    if step.name == "consent":
        _check_open(here.transaction, here.study, here.plan, here.who.scripted)
    elif number not in _shown(here):
        is_last = step.name == "thanks"
        studies.show_step(here.transaction.connection, here.who, number, step.name, here.transaction.now, done=is_last)
    if step.name == "thanks" and here.who.state != "finished":
        here = here.become(state="finished")
    if step.name in PLAYED:
        here = here.become(state="playing") if here.who.state == "consented" else here
        match = take_match(here, number, step)
        if match is None:
            _skip(here, here.who, number, "nobody")
            return _standing(here)
        own = _match_facts(here, step, match)
    else:
        own = _facts(here, number, step)
    facts = {"number": number, "name": step.name, "of": len(steps), **own}
    return {"code": here.who.code, "state": here.who.state, "step": facts, "scripted": here.who.scripted}


def _done(here: Here) -> dict[int, dict[str, Any] | None]:
    """Return the answers of finished steps, by step."""
    found = studies.read_steps(here.transaction.connection, here.study.id, here.who.code)
    return {row.step: row.answers for row in found if row.done is not None}


def _shown(here: Here) -> set[int]:
    return {row.step for row in studies.read_steps(here.transaction.connection, here.study.id, here.who.code)}


def _facts(here: Here, number: int, step: Step) -> dict[str, Any]:
    """Return the data for the page of a step."""
    plan = here.plan
    match step.name:
        case "consent":
            return {"version": plan.consent.version, "text": plan.consent.text}
        case "instructions":
            return {"text": plan.instructions.text}
        case "debriefing":
            assert plan.debriefing is not None
            return {"text": plan.debriefing.text, "opponents": _unmasked(here) if plan.debriefing.names else []}
        case "thanks":
            panel = plan.panel
            return {"text": plan.thanks, "panel": panel and {"code": panel.code, "link": panel.link}}
        case _:
            items = [one.as_json() for one in asked(here.study.id, plan, here.who.code, number, step)]
            facts = {"items": items, "about": _about(here, number, step), "place": step.place}
            is_again = step.name == UNDERSTOOD and way(plan)[number - 2].name == UNDERSTOOD
            return facts | ({"text": plan.instructions.text} if is_again else {})


def _about(here: Here, number: int, step: Step) -> str | None:
    """Return the label of the opponent that the questions are about; for a person, of the opponent actually met."""
    if not step.place:
        return None
    planned = opponent(here.plan, here.who.row, step.place)
    found = find_match(here, number - 1) if planned == PERSON else None
    return label(here, step.place, planned) if found is None else found.label


def _unmasked(here: Here) -> list[dict[str, str]]:
    """Return which agent each opponent was, in the order in which they were met."""
    met = studies.read_study_matches(here.transaction.connection, here.study.id, here.who.code)
    found = {one.label: one.agent for one in sorted(met, key=lambda one: one.step) if one.agent != PERSON}
    return [{"label": label, "agent": spec, "name": names([spec])[0]} for label, spec in found.items()]


def _match_facts(here: Here, step: Step, found: StudyMatch) -> dict[str, Any]:
    """Return the data for the page of a match; without the match while the participant waits for another one."""
    matches = len(here.plan.opponents) * here.plan.matches
    facts: dict[str, Any] = {"label": found.label, "place": step.place, "matches": matches}
    if found.dealt is None:
        assert here.plan.person is not None
        until = found.made + here.plan.person.wait
        return {**facts, "waiting": True, "left": max(0.0, round(until - here.transaction.now, 1)), "over": False}
    token = seat_token(here.token, found.match)
    return {**facts, "match": found.match, "seat": found.seat, "token": token, "over": found.ended is not None}


def _skip(here: Here, who: Participant, number: int, why: str) -> None:
    """Finish the step of a match that is not played (any more), and skip the questions about it.

    `why` is `nobody` if no other participant came, or `withdrawn` if the other one has withdrawn.
    """
    connection, now = here.transaction.connection, here.transaction.now
    studies.finish_step(connection, who, number, {"met": why}, now)
    if way(here.plan)[number].name == "questions":
        studies.show_step(connection, who, number + 1, "skipped", now, done=True)


def asked(study: str, plan: Plan, code: str, number: int, step: Step) -> list[Question]:
    """Return the questions of a step in the order in which a participant gets them."""
    found = plan.asked(MOMENTS[step.name])
    return shuffled(found, f"{study} {code} {number}") if plan.is_shuffled else found


# --- Answers --------------------------------------------------------------------------------------


def answer(
    transaction: Transaction,
    study: str,
    token: str,
    number: int,
    answers: dict[str, Any],
    measured: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Finish a step, with what the browser has measured on its page, and return the next one."""
    here = _met(transaction, study, token)
    steps, done = way(here.plan), _done(here)
    if not 1 <= number <= len(steps):
        raise Refusal(422, Message("server.study.no-step", step=number, steps=len(steps)))
    step = steps[number - 1]
    if step.name == "thanks":
        return _standing(here)
    language, given = _read(here, step, answers)
    if number in done:
        if given == done[number] or step.name in PLAYED:
            return _standing(here)
        raise Refusal(409, Message("server.study.answered"), more=_standing(here))
    if number != len(done) + 1:
        raise Refusal(409, Message("server.study.step"), more=_standing(here))
    if step.name in PLAYED and ((match := find_match(here, number)) is None or match.ended is None):
        raise Refusal(409, Message("server.study.playing"), more=_standing(here))
    if step.name == "consent":
        here = _take_place(here)
    if language is not None:
        here = here.become(language=language)
    if number not in _shown(here):  # consent, or the page was shown by another server process
        read = (measured or {}).get("read", 0.0)
        studies.show_step(transaction.connection, here.who, number, step.name, transaction.now - read)
    kept = measured if here.plan.signals or not measured else {"read": measured["read"]}
    studies.finish_step(transaction.connection, here.who, number, given, transaction.now, kept)
    if step.name == UNDERSTOOD and steps[number].name == UNDERSTOOD and is_right(here.plan, given):
        studies.show_step(transaction.connection, here.who, number + 1, "skipped", transaction.now, done=True)
    return _standing(here)


def is_right(plan: Plan, answers: dict[str, Any]) -> bool:
    """Return whether all questions on the instructions are answered correctly."""
    return all(answers.get(question.name) == question.correct for question in plan.asked(UNDERSTANDING))


def decline(transaction: Transaction, study: str, token: str) -> dict[str, Any]:
    """Store that the participant does not take part, and nothing else; consent stays possible."""
    here = _met(transaction, study, token)
    if here.who.state not in BEFORE_CONSENT:
        raise Refusal(409, Message("server.study.consented"), more=_standing(here))
    studies.decline(transaction.connection, here.who, here.study.made)
    return {"declined": True, "link": here.plan.panel and here.plan.panel.declined}


def _read(here: Here, step: Step, answers: dict[str, Any]) -> tuple[str | None, dict[str, Any]]:
    """Check the answers; return the chosen language, if any, and the answers with null for each blank."""
    if step.name == "consent":
        return _agreed(here, answers)
    moment = MOMENTS.get(step.name)
    known = {} if moment is None else {question.name: question for question in here.plan.asked(moment)}
    for name, value in answers.items():
        if name not in known:
            raise Refusal(422, Message("server.study.item", item=name[:40]))
        if not known[name].is_answer(value):
            raise Refusal(422, Message("server.study.value", item=name))
    return None, {name: None if answers.get(name) == "" else answers.get(name) for name in known}


def _agreed(here: Here, answers: dict[str, Any]) -> tuple[str | None, dict[str, Any]]:
    language = answers.get("language")
    if set(answers) - {"agree", "language"} or answers.get("agree") is not True:
        raise Refusal(422, Message("server.study.agree"))
    if language is not None and language not in here.plan.languages:
        raise Refusal(422, Message("server.study.language", languages=", ".join(here.plan.languages)))
    return language, {"agree": True, "version": here.plan.consent.version}


# --- Withdrawal -----------------------------------------------------------------------------------


def withdraw(transaction: Transaction, study: str, token: str) -> list[str]:
    """Delete all data of a participant, free its place, and return the deleted matches."""
    here = _met(transaction, study, token)
    studies.lock_study(transaction.connection, study)  # against `grow`, which writes case bases
    gone = [one.match for one in studies.read_study_matches(transaction.connection, study, here.who.code)]
    for number in gone:
        _release(here, number)
        studies.drop_study_match(transaction.connection, number)
        transaction.remove(number)
    studies.take_out(transaction.connection, here.who)
    return gone


def _release(here: Here, match: str) -> None:
    """Finish the step of another participant in a deleted match; their answers stay."""
    for one in studies.read_partners(here.transaction.connection, here.who, match):
        partner = studies.lock_participant(here.transaction.connection, here.study.id, one.code)
        steps = studies.read_steps(here.transaction.connection, here.study.id, one.code)
        if not any(row.step == one.step and row.done is not None for row in steps):
            _skip(here, partner, one.step, "withdrawn")


def consent_copy(transaction: Transaction, study: str, token: str, language: str | None) -> str:
    """Return a copy of the consent form for the participant."""
    here = _met(transaction, study, token)
    spoken = language if language in here.plan.languages else here.language
    consent = here.plan.consent
    facts = f"{here.study.id}  {here.who.code}  {consent.version}"
    return f"{here.plan.title[spoken]}\n{facts}\n\n{consent.text[spoken]}\n"
