"""The web table over HTTP and WebSockets.  Everything here is asked of the clerk; nothing is decided here."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Annotated, Any, Literal

import orjson
from fastapi import FastAPI, Query, Request, Response, WebSocket, WebSocketDisconnect
from fastapi.exceptions import RequestValidationError
from pydantic import Field
from sqlalchemy.engine import Engine
from starlette.exceptions import HTTPException

from bolicho.games import game_names
from bolicho.web import analysis, gallery, requests
from bolicho.web.arena import routes as arena
from bolicho.web.assets import catalogues, pages
from bolicho.web.bots import challenges
from bolicho.web.bots import routes as bots
from bolicho.web.guard import BODY, Guard
from bolicho.web.hall import Guest, refusal_text
from bolicho.web.house import House, Settings
from bolicho.web.match import dumps
from bolicho.web.refusal import Refusal
from bolicho.web.study import export
from bolicho.web.study import routes as study
from bolicho.web.thinking import Roster
from bolicho.web.wire import (
    REFUSED,
    ActionText,
    Bearer,
    BotName,
    Code,
    GameName,
    Name,
    Nonce,
    Number,
    OptionsAsked,
    Ply,
    RulesAsked,
    Spec,
    Strict,
    answer,
    answer_text,
    needed_token,
    send_asset,
    token_of,
)
from bolicho.words import Said

HELLO = 10.0  # seconds in which a connection says who it is
POLL = 25.0  # seconds that an answer waits at most


# --- What is sent to us ---------------------------------------------------------------------------


class SeatAsked(Strict):
    """Who is to sit at a seat: me, an agent, a bot if it accepts, or whoever has the invitation."""

    who: Literal["me", "agent", "open", "bot"]
    name: Name = "?"
    agent: Spec = ""
    bot: BotName = ""

    @property
    def called(self) -> str:
        """By which name."""
        return self.bot if self.who == "bot" else self.name


class MatchAsked(Strict):
    """A match to be made."""

    game: GameName
    rules: RulesAsked = Field(default={})
    seats: Annotated[list[SeatAsked], Field(min_length=1, max_length=7)]
    options: OptionsAsked = OptionsAsked()


class SitAsked(Strict):
    """Somebody comes with an invitation, and agrees to the options of the match."""

    invite: Code
    name: Name
    nonce: Nonce = ""
    agree: Literal[True] = True


class MoveAsked(Strict):
    """An action at a ply."""

    ply: Annotated[int, Field(ge=0, le=100_000)]
    action: ActionText


class HintAsked(Strict):
    """Who is asked what it would do."""

    agent: Spec


# --- The app --------------------------------------------------------------------------------------


def make_app(settings: Settings, roster: Roster, engine: Engine) -> FastAPI:
    """The app of a server process."""
    house = House(settings, engine, roster)

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        await house.open()
        yield
        await house.close()

    app = FastAPI(title="Bolicho", docs_url=None, redoc_url=None, lifespan=life, responses=REFUSED)
    app.state.house = house
    app.add_middleware(Guard)
    _add_refusals(app)
    _add_pages(app)
    _add_matches(app, house)
    _add_questions(app, house)
    _add_live(app, house)
    analysis.add(app, house)
    arena.add(app, house)
    study.add(app, house)
    export.add(app, house)
    bots.add(app, house)
    return app


def _add_refusals(app: FastAPI) -> None:
    @app.exception_handler(Refusal)
    async def refused(request: Request, refusal: Refusal) -> Response:
        headers = {} if refusal.after is None else {"retry-after": str(max(1, round(refusal.after)))}
        return answer(refusal.as_json(), refusal.status, headers)

    @app.exception_handler(HTTPException)
    async def no_such_request(request: Request, problem: HTTPException) -> Response:
        told = {404: Said("server.no-page"), 413: Said("server.large", bytes=BODY)}
        says = told.get(problem.status_code, Said("server.bad", problem=str(problem.detail)))
        return answer(Refusal(problem.status_code, says).as_json(), problem.status_code)

    @app.exception_handler(RequestValidationError)
    async def unreadable(request: Request, problem: RequestValidationError) -> Response:
        first = problem.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return answer(Refusal(422, Said("server.unreadable", where=where, problem=first["msg"])).as_json(), 422)


def _add_pages(app: FastAPI) -> None:
    @app.get("/", include_in_schema=False)
    async def home(request: Request) -> Response:
        return send_asset(request, pages().get("index.html"))

    @app.get("/m/{number}", include_in_schema=False)
    async def table(request: Request, number: str) -> Response:
        return send_asset(request, pages().get("table.html"))

    @app.get("/replay/{number}", include_in_schema=False)
    async def replay(request: Request, number: str) -> Response:
        return send_asset(request, pages().get("replay.html") or pages().get("table.html"))

    @app.get("/analysis/{number}", include_in_schema=False)
    async def analysed(request: Request, number: str) -> Response:
        return send_asset(request, pages().get("analysis.html"))

    @app.get("/a/{path:path}", include_in_schema=False)
    async def asset(request: Request, path: str) -> Response:
        return send_asset(request, pages().get(path))

    @app.get("/words/{language}.json", include_in_schema=False)
    async def catalogue(request: Request, language: str) -> Response:
        return send_asset(request, catalogues().get(language))


def _add_matches(app: FastAPI, house: House) -> None:
    clerk = lambda: house.clerk  # noqa: E731 (made when the server starts)

    @app.post("/api/matches", status_code=201)
    async def make(asked: MatchAsked) -> Response:
        house.matches.take("")
        options = asked.options.model_dump()
        places = [requests.Place(seat.who, seat.called, seat.agent) for seat in asked.seats]
        ask = partial(requests.make, game=asked.game, rules=asked.rules, places=places, options=options)
        if any(seat.who == "bot" for seat in asked.seats):
            house.challenges.take("")
            ask = partial(challenges.make, asker=None, **ask.keywords)
        return answer(await clerk().ask(ask), 201)

    @app.post("/api/matches/{number}/sit")
    async def sit(number: Number, asked: SitAsked) -> Response:
        house.questions.take(number)
        ask = partial(requests.sit, number=number, invite=asked.invite, name=asked.name, nonce=asked.nonce)
        return answer(await clerk().ask(ask))

    @app.get("/api/matches/{number}")
    async def facts(number: Number, authorization: Bearer = None) -> Response:
        house.looks.take(number)
        return answer(await clerk().ask(partial(requests.facts, number=number, token=token_of(authorization))))

    @app.get("/api/matches/{number}/view")
    async def view(
        number: Number,
        authorization: Bearer = None,
        ply: Annotated[int | None, Query(ge=-1, le=100_000)] = None,  # -1 knows of no deal yet
        log: Ply = 0,
        wait: Annotated[float | None, Query(ge=0, le=60)] = None,
        seat: Annotated[int | None, Query(ge=0, le=6)] = None,
    ) -> Response:
        token = token_of(authorization)
        house.looks.take(token or number)
        ask = partial(requests.look, number=number, token=token, log=log, eyes=seat)
        ask = partial(ask, ply=ply) if wait is None else partial(ask, known=ply)
        look: requests.Look = await clerk().ask(ask)
        if look.thinker:
            house.hall.think(number)
        if look.seat is not None:
            house.hall.hear(number, look.seat)
        if wait is not None and ply is not None and look.ply <= ply and not look.over:

            async def newer() -> bool:
                now: requests.Look = await clerk().ask(ask)
                return now.ply > ply or now.over

            await house.hall.changed(number, newer, min(wait, POLL))
            look = await clerk().ask(ask)
        return answer_text(look.text)

    @app.post("/api/matches/{number}/moves")
    async def move(number: Number, asked: MoveAsked, authorization: Bearer = None, log: Ply = 0) -> Response:
        token = needed_token(authorization)
        house.moves.take(f"{number} {token}")  # a bot's token is for many matches
        ask = partial(requests.move, number=number, token=token, ply=asked.ply, action=asked.action)
        await clerk().ask(ask)
        look: requests.Look = await clerk().ask(partial(requests.look, number=number, token=token, log=log))
        return answer_text(look.text)

    @app.post("/api/matches/{number}/claim")
    async def claim(number: Number, authorization: Bearer = None) -> Response:
        token = needed_token(authorization)
        house.questions.take(token)
        await clerk().ask(partial(requests.claim, number=number, token=token))
        return answer_text((await clerk().ask(partial(requests.look, number=number, token=token))).text)


def _add_questions(app: FastAPI, house: House) -> None:
    clerk = lambda: house.clerk  # noqa: E731

    @app.get("/api/games")
    async def games() -> Response:
        return answer({"games": gallery.games(house.roster.games)})

    @app.get("/api/agents")
    async def agents(game: Annotated[str, Query(max_length=40)] = "truco") -> Response:
        if game not in game_names():
            raise Refusal(404, Said("server.no-game", game=game))
        played, here = await clerk().ask(lambda book: (gallery.records(book.connection), challenges.online(book)))
        found = gallery.opponents(house.roster, game, played)
        return answer({"game": game, "agents": [*gallery.bots(game, here), *found]})

    @app.get("/api/matches/{number}/moment")
    async def moment(number: Number, authorization: Bearer = None) -> Response:
        token = needed_token(authorization)
        house.looks.take(token)
        return answer(await clerk().ask(partial(requests.moment, number=number, token=token)))

    @app.post("/api/matches/{number}/hint")
    async def hint(number: Number, asked: HintAsked, authorization: Bearer = None) -> Response:
        token = needed_token(authorization)
        house.questions.take(token)
        thought = await clerk().ask(partial(requests.hint, number=number, token=token, agent=asked.agent))
        facts = await house.hall.ask_agent(thought, explain=True)
        return answer({"agent": asked.agent, **facts})

    @app.get("/api/matches/{number}/why")
    async def why(number: Number, ply: Ply, authorization: Bearer = None) -> Response:
        token = token_of(authorization)
        house.questions.take(token or number)
        facts, thought = await clerk().ask(partial(requests.why, number=number, token=token, ply=ply))
        return answer({**facts, **await house.hall.ask_agent(thought, explain=True)})

    @app.get("/api/matches/{number}/record")
    async def record(
        number: Number,
        which: Annotated[Literal["seat", "whole"], Query(alias="as")] = "seat",
        authorization: Bearer = None,
    ) -> Response:
        token = token_of(authorization)
        house.looks.take(token or number)
        facts = await clerk().ask(partial(requests.record, number=number, token=token, whole=which == "whole"))
        name = f"{facts['game']}-{number}-{which}.json"
        return answer(facts, headers={"content-disposition": f'attachment; filename="{name}"'})

    @app.get("/api/matches/{number}/fair")
    async def fair(number: Number, authorization: Bearer = None) -> Response:
        house.looks.take(number)
        return answer(await clerk().ask(partial(requests.fair_facts, number=number, token=token_of(authorization))))


# --- Connections that stay ------------------------------------------------------------------------


def _add_live(app: FastAPI, house: House) -> None:
    @app.websocket("/api/matches/{number}/live")
    async def live(wire: WebSocket, number: str) -> None:
        await wire.accept()
        guest: Guest | None = None
        try:
            async with asyncio.timeout(HELLO):
                hello = _message(await wire.receive_text())
            guest = Guest(wire, number)
            token = await _greet(house, guest, hello)
            while not guest.lost:
                await _answer(house, guest, token, await wire.receive_text())
        except Refusal as refusal:
            await wire.send_text(dumps({"is": "bye", **refusal.as_json()}))
            await wire.close(4000 + refusal.status)
        except (TimeoutError, WebSocketDisconnect, RuntimeError, KeyError):
            pass  # gone, or never there; a frame of bytes has no text
        finally:
            if guest is not None:
                house.hall.leave(guest)

    # An echo, to know what a bare connection costs on this server.
    @app.websocket("/api/echo")
    async def echo(wire: WebSocket) -> None:
        await wire.accept()
        try:
            while True:
                await wire.send_text(await wire.receive_text())
        except (WebSocketDisconnect, RuntimeError, KeyError):
            pass


def _message(text: str) -> dict[str, Any]:
    """What a browser says: a JSON object with `do`."""
    try:
        message = orjson.loads(text)
    except orjson.JSONDecodeError:
        message = None
    if not isinstance(message, dict) or not isinstance(message.get("do"), str):
        raise Refusal(422, Said("server.unreadable", where="message", problem='{"do": ...}'))
    return message


async def _greet(house: House, guest: Guest, hello: dict[str, Any]) -> str | None:
    """Who comes is shown the match, and told of everything from then on; the token of who it is."""
    number = guest.match
    token, log = hello.get("token"), hello.get("log", 0)
    right = isinstance(token, str | None) and type(log) is int and 0 <= log <= 100_000
    if hello["do"] != "hello" or not right or not re.fullmatch("[a-z0-9]{1,16}", number):
        raise Refusal(422, Said("server.unreadable", where="hello", problem='{"do": "hello", "token": ..., "log": 0}'))
    look = await house.welcome(guest, token, log)
    guest.greet(look.text)
    return token


async def _answer(house: House, guest: Guest, token: str | None, text: str) -> None:
    """Answer one message of a browser."""
    message = _message(text)
    ply = message.get("ply")
    try:
        if guest.seat is not None:
            house.hall.hear(guest.match, guest.seat)
        match message["do"]:
            case "ping":
                guest.push('{"is":"pong"}')
            case "move":
                action = message.get("action")
                if type(ply) is not int or type(action) is not str or not 0 < len(action) <= 80:
                    raise Refusal(422, Said("server.unreadable", where="move", problem='{"ply": ..., "action": ...}'))
                if token is None:
                    raise Refusal(401, Said("server.no-token"))
                house.moves.take(f"{guest.match} {token}")
                ask = partial(requests.move, number=guest.match, token=token, ply=ply, action=action)
                house.clerk.post(ask, partial(house.hall.moved, guest, ply))
            case "claim":
                if token is None:
                    raise Refusal(401, Said("server.no-token"))
                house.questions.take(token)
                await house.clerk.ask(partial(requests.claim, number=guest.match, token=token))
            case _:
                raise Refusal(422, Said("server.unreadable", where="do", problem="hello, move, claim, ping"))
    except Refusal as refusal:
        guest.push(refusal_text(refusal, ply if type(ply) is int else None))
