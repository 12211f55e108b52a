"""HTTP routes of studies, for participants and researchers."""

import logging
from functools import partial
from typing import Annotated, Any, Literal

import anyio.to_thread
from fastapi import FastAPI, Query, Response
from pydantic import Field, StringConstraints
from sqlalchemy.exc import SQLAlchemyError

from bolicho.errors import BadInput
from bolicho.i18n import Message
from bolicho.store import studies
from bolicho.web import models
from bolicho.web.app_state import AppState
from bolicho.web.refusal import Refusal
from bolicho.web.schemas import Bearer, Client, Code, Number, Strict, allowed, answer, needed_token
from bolicho.web.study import case_bases, participation, status
from bolicho.web.study.parts import Plan
from bolicho.web.study.plan import check_agents, read_plan, shipped
from bolicho.web.study.qr import LONGEST, qr_svg
from bolicho.web.transactions import Transaction

log = logging.getLogger("bolicho.web")

Language = Annotated[str, StringConstraints(pattern="^[a-z]{2}$")]
Item = Annotated[str, StringConstraints(max_length=40)]


class EnterRequest(Strict):
    """Entry with a room code."""

    room: Code
    language: Language


Seconds = Annotated[float, Field(ge=0, le=10_000_000, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0, le=1_000_000)]


class Measured(Strict):
    """Measurements of the page of a step; all but `read` is stored only in a study with `signals = true`."""

    read: Annotated[Seconds, Field(description="seconds for which the page was visible")]
    away: Annotated[Count, Field(description="times that the reader left the page")] = 0
    keys: Annotated[Count, Field(description="keys pressed by a person")] = 0
    touches: Annotated[Count, Field(description="clicks and touches by a person")] = 0
    pastes: Annotated[Count, Field(description="texts pasted")] = 0
    trap: Annotated[bool, Field(description="whether a field that people do not see was filled in")] = False
    driver: Annotated[bool, Field(description="whether the browser says that a program drives it")] = False


class StepRequest(Strict):
    """Finished step, with its answers."""

    step: Annotated[int, Field(ge=1, le=10_000)]
    answers: dict[Item, bool | int | str | None] = Field(default={}, max_length=200)
    measured: Measured | None = None


class WithdrawRequest(Strict):
    """Confirmed withdrawal."""

    sure: Literal[True]


class PlanRequest(Strict):
    """Plan of a study, as the text of its file."""

    plan: Annotated[str, StringConstraints(max_length=400_000)]


class QrRequest(Strict):
    """Text of a QR code."""

    text: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST)]


class LinksRequest(Strict):
    """Number of new participants."""

    count: Annotated[int, Field(ge=1, le=1000)]
    scripted: bool = False


def add(app: FastAPI, app_state: AppState) -> None:
    """Add the routes of studies."""
    _add_participants(app, app_state)
    _add_researchers(app, app_state)


def _add_participants(app: FastAPI, app_state: AppState) -> None:
    transactions = lambda: app_state.transactions  # noqa: E731 (created when the server starts)

    @app.get("/api/studies/{study}", response_model=models.StudyResponse)
    async def about(study: Number, client: Client) -> Response:
        """Return title, game, languages, whether new participants are accepted (`open`), and by a code (`room`)."""
        app_state.looks.take(client)
        return answer(await transactions().ask(partial(participation.about, study=study)))

    @app.post("/api/studies/{study}/enter", response_model=models.NewParticipantResponse)
    async def enter(study: Number, asked: EnterRequest, client: Client) -> Response:
        """Enter by a room code; return `token` and `code` of a new participant.

        A wrong code, a study without a room and an unknown study have the same refusal.
        """
        app_state.matches.take(client)
        ask = partial(participation.enter, study=study, room=asked.room, language=asked.language)
        with app_state.room_limits.trying(study, client):
            return answer(await transactions().ask(ask))

    @app.get("/api/studies/{study}/me", response_model=models.ParticipantResponse)
    async def me(study: Number, authorization: Bearer = None) -> Response:
        """Return `code`, `state`, and the current `step` with what its page needs.

        That is `text` (consent, instructions, thanks), `items` (questions), or `match`, `seat`, its `token`, `label`
        and `over` (practice, match).
        """
        token = needed_token(authorization)
        app_state.looks.take(token)
        return answer(await transactions().ask(partial(participation.me, study=study, token=token)))

    @app.post("/api/studies/{study}/me", response_model=models.ParticipantResponse)
    async def do(study: Number, asked: StepRequest, authorization: Bearer = None) -> Response:
        """Complete a step; return the next one.

        Consent is `{"agree": true}`, optionally with `language`; a blank is null or absent.  The same answer again
        changes nothing; another one, or one for another step, is refused with the current step.
        """
        token = needed_token(authorization)
        app_state.moves.take(token)
        measured = asked.measured and asked.measured.model_dump()
        done: dict[str, Any] = {"number": asked.step, "answers": asked.answers, "measured": measured}
        ask = partial(participation.answer, study=study, token=token, **done)
        standing = await transactions().ask(ask)
        version = await transactions().ask(partial(_due, study=study))
        if version is not None:
            app_state.grower.soon(case_bases.make, study, version)
        return answer(standing)

    @app.post("/api/studies/{study}/decline")
    async def decline(study: Number, authorization: Bearer = None) -> Response:
        """Store that the participant declines, and nothing else; return the panel's `link` for that, or null."""
        token = needed_token(authorization)
        app_state.questions.take(token)
        told = await transactions().ask(partial(participation.decline, study=study, token=token))
        await _erased(app_state)
        return answer(told)

    @app.post("/api/studies/{study}/withdraw")
    async def withdraw(study: Number, asked: WithdrawRequest, authorization: Bearer = None) -> Response:
        """Delete all data of the participant.

        `remains` names copies that are erased later: `bases` (case bases), `journal` (a program reads the database).
        """
        token = needed_token(authorization)
        app_state.questions.take(token)
        await transactions().ask(partial(participation.withdraw, study=study, token=token))
        return answer({"withdrawn": True, "remains": await _erased(app_state)})

    @app.get("/api/studies/{study}/consent")
    async def consent(
        study: Number, authorization: Bearer = None, language: Annotated[Language | None, Query()] = None
    ) -> Response:
        """Return the text that was agreed to."""
        token = needed_token(authorization)
        app_state.looks.take(token)
        text = await transactions().ask(
            partial(participation.consent_copy, study=study, token=token, language=language)
        )
        headers = {"cache-control": "no-store", "content-disposition": f'attachment; filename="consent-{study}.txt"'}
        return Response(text, 200, headers, "text/plain; charset=utf-8")


async def _erased(app_state: AppState) -> list[str]:
    """Erase what a request has deleted from the files of the database; return the places where it remains."""
    try:
        return await app_state.eraser.remaining()
    except (SQLAlchemyError, OSError):  # the rows are deleted; the eraser repeats the rest
        log.exception("deleted rows may still be in the files of the database; trying again")
        return ["journal"]


def _due(transaction: Transaction, study: str) -> int | None:
    _, plan = participation.known_study(transaction.connection, study)
    return case_bases.due(transaction.connection, study, plan)


def _add_researchers(app: FastAPI, app_state: AppState) -> None:
    async def ask(request: Any, authorization: str | None) -> Response:
        """Run a request of a token with the scope `research`."""
        token = needed_token(authorization)
        app_state.looks.take(token)

        def checked(transaction: Transaction) -> Any:
            allowed(transaction, token, "research")
            return request(transaction)

        return answer(await app_state.transactions.ask(checked))

    @app.get("/api/research/studies")
    async def all_studies(authorization: Bearer = None) -> Response:
        """Return a summary of every study."""
        return await ask(lambda transaction: status.listed(transaction.connection, transaction.now), authorization)

    @app.get("/api/research/studies/{study}")
    async def one_study(study: Number, scripted: bool = False, authorization: Bearer = None) -> Response:
        """Return counts by state, balance, attrition, results and participants, of people or scripted ones."""
        return await ask(
            lambda transaction: status.whole(transaction.connection, study, transaction.now, scripted), authorization
        )

    @app.post("/api/research/studies")
    async def create(asked: PlanRequest, authorization: Bearer = None) -> Response:
        """Create a study from a plan, not open to people yet; return its status."""
        await ask(lambda transaction: None, authorization)
        plan = await anyio.to_thread.run_sync(checked_plan, asked.plan)
        return await ask(partial(_create, text=asked.plan, plan=plan), authorization)

    @app.post("/api/research/plan")
    async def check(asked: PlanRequest, authorization: Bearer = None) -> Response:
        """Check a plan and its agents as `bolicho study check`; return steps, blanks and warnings."""
        await ask(lambda transaction: None, authorization)
        plan = await anyio.to_thread.run_sync(checked_plan, asked.plan)
        return answer(status.plan_facts(plan))

    @app.get("/api/research/plan")
    async def template(authorization: Bearer = None) -> Response:
        """Return the built-in plan, with a new room code, as a template."""
        return await ask(lambda transaction: {"plan": shipped()}, authorization)

    @app.post("/api/research/qr")
    async def qr(asked: QrRequest, authorization: Bearer = None) -> Response:
        """Return the QR code of a link, as `svg`."""
        return await ask(lambda transaction: {"svg": qr_svg(asked.text)}, authorization)

    @app.put("/api/research/studies/{study}/plan")
    async def change(study: Number, asked: PlanRequest, authorization: Bearer = None) -> Response:
        """Replace the plan of a study that is not open yet; its scripted participants are deleted."""
        await ask(lambda transaction: None, authorization)
        await anyio.to_thread.run_sync(checked_plan, asked.plan)
        return await ask(partial(_change, study=study, text=asked.plan), authorization)

    @app.post("/api/research/studies/{study}/open")
    async def open_study(study: Number, authorization: Bearer = None) -> Response:
        """Open the study to people; refused while texts have blanks to fill in."""
        return await ask(partial(_open, study=study), authorization)

    @app.post("/api/research/studies/{study}/links")
    async def links(study: Number, asked: LinksRequest, authorization: Bearer = None) -> Response:
        """Add participants; return a link for each."""
        return await ask(partial(invite, study=study, count=asked.count, scripted=asked.scripted), authorization)

    @app.post("/api/research/studies/{study}/close")
    async def close(study: Number, authorization: Bearer = None) -> Response:
        """Close the study to new participants."""
        return await ask(partial(_close, study=study), authorization)


def checked_plan(text: str) -> Plan:
    """Read a plan and check its agents; refuse it with the place of the first error."""
    try:
        plan = read_plan(text)
        check_agents(plan)
    except BadInput as problem:
        raise Refusal(422, Message("server.study.plan", problem=str(problem))) from None
    return plan


def _create(transaction: Transaction, text: str, plan: Plan) -> dict[str, Any]:
    return {"study": studies.add_study(transaction.connection, text), **status.plan_facts(plan)}


def _change(transaction: Transaction, study: str, text: str) -> dict[str, Any]:
    participation.known_study(transaction.connection, study)
    if not studies.change_plan(transaction.connection, study, text):
        raise Refusal(409, Message("server.study.edited"))
    return status.whole(transaction.connection, study, transaction.now)


def _open(transaction: Transaction, study: str) -> dict[str, Any]:
    participation.open_to_people(transaction.connection, study, transaction.now)
    return status.whole(transaction.connection, study, transaction.now)


def invite(transaction: Transaction, study: str, count: int, scripted: bool) -> dict[str, Any]:
    """Invite participants; return a link for each."""
    participation.known_study(transaction.connection, study)
    made = [studies.add_participant(transaction.connection, study, scripted, now=transaction.now) for _ in range(count)]
    return {"links": [{"code": code, "path": f"/s/{study}#p={token}", "scripted": scripted} for code, token in made]}


def _close(transaction: Transaction, study: str) -> dict[str, Any]:
    participation.known_study(transaction.connection, study)
    studies.close_study(transaction.connection, study, transaction.now)
    return status.whole(transaction.connection, study, transaction.now)
