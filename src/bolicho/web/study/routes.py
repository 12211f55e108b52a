"""HTTP routes of studies, for participants and researchers."""

import logging
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Query, Request, Response
from pydantic import Field, StringConstraints
from sqlalchemy.exc import SQLAlchemyError

from bolicho.store import studies
from bolicho.web.assets import pages
from bolicho.web.clerk import Book
from bolicho.web.house import House
from bolicho.web.study import course, grow, status
from bolicho.web.wire import Bearer, Client, Code, Number, Strict, allowed, answer, needed_token, send_asset

log = logging.getLogger("bolicho.web")

Language = Annotated[str, StringConstraints(pattern="^[a-z]{2}$")]
Item = Annotated[str, StringConstraints(max_length=40)]


class EnterAsked(Strict):
    """Entry with a room code."""

    room: Code
    language: Language


class StepAsked(Strict):
    """Finished step, with its answers."""

    step: Annotated[int, Field(ge=1, le=10_000)]
    answers: dict[Item, bool | int | str | None] = Field(default={}, max_length=200)


class WithdrawAsked(Strict):
    """Confirmed withdrawal."""

    sure: Literal[True]


class LinksAsked(Strict):
    """Number of new participants."""

    count: Annotated[int, Field(ge=1, le=1000)]
    scripted: bool = False


def add(app: FastAPI, house: House) -> None:
    """Add the routes of studies."""
    _add_pages(app)
    _add_participants(app, house)
    _add_researchers(app, house)


def _add_pages(app: FastAPI) -> None:
    @app.get("/s/{study}", include_in_schema=False)
    async def participate(request: Request, study: str) -> Response:
        return send_asset(request, pages().get("study.html"))

    @app.get("/research", include_in_schema=False)
    async def research(request: Request) -> Response:
        return send_asset(request, pages().get("research.html"))


def _add_participants(app: FastAPI, house: House) -> None:
    clerk = lambda: house.clerk  # noqa: E731 (created when the server starts)

    @app.get("/api/studies/{study}")
    async def about(study: Number, client: Client) -> Response:
        house.looks.take(client)
        return answer(await clerk().ask(partial(course.about, study=study)))

    @app.post("/api/studies/{study}/enter")
    async def enter(study: Number, asked: EnterAsked, client: Client) -> Response:
        house.matches.take(client)
        ask = partial(course.enter, study=study, room=asked.room, language=asked.language)
        with house.door.trying(study, client):
            return answer(await clerk().ask(ask))

    @app.get("/api/studies/{study}/me")
    async def me(study: Number, authorization: Bearer = None) -> Response:
        token = needed_token(authorization)
        house.looks.take(token)
        return answer(await clerk().ask(partial(course.me, study=study, token=token)))

    @app.post("/api/studies/{study}/me")
    async def do(study: Number, asked: StepAsked, authorization: Bearer = None) -> Response:
        token = needed_token(authorization)
        house.moves.take(token)
        ask = partial(course.answer, study=study, token=token, number=asked.step, answers=asked.answers)
        standing = await clerk().ask(ask)
        version = await clerk().ask(partial(_due, study=study))
        if version is not None:
            house.grower.soon(grow.make, study, version)
        return answer(standing)

    @app.post("/api/studies/{study}/withdraw")
    async def withdraw(study: Number, asked: WithdrawAsked, authorization: Bearer = None) -> Response:
        token = needed_token(authorization)
        house.questions.take(token)
        await clerk().ask(partial(course.withdraw, study=study, token=token))
        try:
            remains = await house.eraser.remaining()
        except (SQLAlchemyError, OSError):  # the rows are deleted; the eraser repeats the rest
            log.exception("deleted rows may still be in the files of the database; trying again")
            remains = ["journal"]
        return answer({"withdrawn": True, "remains": remains})

    @app.get("/api/studies/{study}/consent")
    async def consent(
        study: Number, authorization: Bearer = None, language: Annotated[Language | None, Query()] = None
    ) -> Response:
        token = needed_token(authorization)
        house.looks.take(token)
        text = await clerk().ask(partial(course.consent_copy, study=study, token=token, language=language))
        headers = {"cache-control": "no-store", "content-disposition": f'attachment; filename="consent-{study}.txt"'}
        return Response(text, 200, headers, "text/plain; charset=utf-8")


def _due(book: Book, study: str) -> int | None:
    _, plan = course.known_study(book.connection, study)
    return grow.due(book.connection, study, plan)


def _add_researchers(app: FastAPI, house: House) -> None:
    async def ask(request: Any, authorization: str | None) -> Response:
        """Run a request of a token with the scope `research`."""
        token = needed_token(authorization)
        house.looks.take(token)

        def checked(book: Book) -> Any:
            allowed(book, token, "research")
            return request(book)

        return answer(await house.clerk.ask(checked))

    @app.get("/api/research/studies")
    async def all_studies(authorization: Bearer = None) -> Response:
        return await ask(lambda book: status.listed(book.connection, book.now), authorization)

    @app.get("/api/research/studies/{study}")
    async def one_study(study: Number, scripted: bool = False, authorization: Bearer = None) -> Response:
        return await ask(lambda book: status.whole(book.connection, study, book.now, scripted), authorization)

    @app.post("/api/research/studies/{study}/links")
    async def links(study: Number, asked: LinksAsked, authorization: Bearer = None) -> Response:
        return await ask(partial(invite, study=study, count=asked.count, scripted=asked.scripted), authorization)

    @app.post("/api/research/studies/{study}/close")
    async def close(study: Number, authorization: Bearer = None) -> Response:
        return await ask(partial(_close, study=study), authorization)


def invite(book: Book, study: str, count: int, scripted: bool) -> dict[str, Any]:
    """Invite participants; return a link for each."""
    course.known_study(book.connection, study)
    made = [studies.add_participant(book.connection, study, scripted, now=book.now) for _ in range(count)]
    return {"links": [{"code": code, "path": f"/s/{study}#p={token}", "scripted": scripted} for code, token in made]}


def _close(book: Book, study: str) -> dict[str, Any]:
    course.known_study(book.connection, study)
    studies.close_study(book.connection, study, book.now)
    return status.whole(book.connection, study, book.now)
