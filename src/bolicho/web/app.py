"""HTTP and WebSocket routes of the table; all decisions are in the requests."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Annotated, Literal

from fastapi import FastAPI, Query, Request, Response, WebSocket
from fastapi.exceptions import RequestValidationError
from pydantic import Field
from sqlalchemy.engine import Engine
from starlette.exceptions import HTTPException

from bolicho.i18n import Message
from bolicho.web import agreements, analysis, game_list, models, puzzles, requests
from bolicho.web.app_state import AppState, Settings
from bolicho.web.arena import routes as arena
from bolicho.web.assets import catalogues, pages
from bolicho.web.bots import challenges
from bolicho.web.bots import routes as bots
from bolicho.web.clock import SYSTEM, Clock
from bolicho.web.limits import BODY, RequestLimits
from bolicho.web.refusal import Refusal
from bolicho.web.schemas import (
    REFUSALS,
    ActionText,
    Bearer,
    BotName,
    Client,
    Code,
    GameName,
    Name,
    Nonce,
    NonceCommit,
    Number,
    OptionsRequest,
    Ply,
    RulesRequest,
    RulesText,
    Spec,
    Strict,
    answer,
    answer_text,
    needed_token,
    read_rules,
    send_asset,
    token_of,
)
from bolicho.web.study import export
from bolicho.web.study import routes as study
from bolicho.web.websocket import converse
from bolicho.web.workers import AgentPool

POLL = 25.0  # most seconds of a long poll
PAGES_AT = {
    "/": "index.html", "/m/{number}": "table.html", "/replay/{number}": "replay.html",
    "/analysis/{number}": "analysis.html", "/arena": "arena.html", "/s/{study}": "study.html",
    "/research": "research.html", "/learn/{game}": "learn.html", "/puzzle/{game}": "puzzle.html",
}  # fmt: skip


# --- Request bodies -------------------------------------------------------------------------------


class SeatRequest(Strict):
    """Requested seat: for the client itself, an agent, a bot that must accept, or open to an invitation."""

    who: Literal["me", "agent", "open", "bot"]
    name: Name = "?"
    agent: Spec = ""
    bot: BotName = ""
    nonce_commit: NonceCommit = ""  # for `me`

    @property
    def called(self) -> str:
        """Return the name of the seat."""
        return self.bot if self.who == "bot" else self.name


class MatchRequest(Strict):
    """Match to be created."""

    game: GameName
    rules: RulesRequest = Field(default={})
    seats: Annotated[list[SeatRequest], Field(min_length=1, max_length=7)]
    options: OptionsRequest = OptionsRequest()


class SitRequest(Strict):
    """Use of an invitation, with consent to the options of the match."""

    invite: Code
    name: Name
    nonce_commit: NonceCommit = ""
    agree: Literal[True] = True


class RevealRequest(Strict):
    """Nonce that a seat has committed to."""

    nonce: Nonce


class MoveRequest(Strict):
    """Action at a ply."""

    ply: Annotated[int, Field(ge=0, le=100_000)]
    action: ActionText
    took: Annotated[
        float | None,
        Field(ge=0, le=1_000_000, description="seconds from the view on the screen to the choice; kept in studies"),
    ] = None


class RematchRequest(Strict):
    """Offer of a rematch, with the commitment to a nonce for its deal."""

    nonce_commit: NonceCommit = ""


class StopRequest(Strict):
    """Offer to end the match without a winner, or its withdrawal."""

    offer: bool = True


class HintRequest(Strict):
    """Agent that is to give a hint."""

    agent: Spec


# --- The app --------------------------------------------------------------------------------------


def make_app(settings: Settings, agent_pool: AgentPool, engine: Engine, clock: Clock = SYSTEM) -> FastAPI:
    """Create the app of a server process."""
    app_state = AppState(settings, engine, agent_pool, clock)

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        await app_state.open()
        yield
        await app_state.close()

    app = FastAPI(title="Bolicho", docs_url=None, redoc_url=None, lifespan=life, responses=REFUSALS)
    app.state.app_state = app_state
    app.add_middleware(RequestLimits)
    _add_refusals(app)
    _add_pages(app)
    _add_matches(app, app_state)
    _add_agreements(app, app_state)
    _add_questions(app, app_state)
    _add_live(app, app_state)
    analysis.add(app, app_state)
    puzzles.add(app, app_state)
    arena.add(app, app_state)
    study.add(app, app_state)
    export.add(app, app_state)
    bots.add(app, app_state)
    return app


def _add_refusals(app: FastAPI) -> None:
    @app.exception_handler(Refusal)
    async def refused(request: Request, refusal: Refusal) -> Response:
        headers = {} if refusal.after is None else {"retry-after": str(max(1, round(refusal.after)))}
        return answer(refusal.as_json(), refusal.status, headers)

    @app.exception_handler(HTTPException)
    async def no_such_request(request: Request, problem: HTTPException) -> Response:
        allowed = (problem.headers or {}).get("Allow", "")
        told = {
            404: Message("server.no-page"),
            405: Message("server.method", method=request.method, allowed=allowed),
            413: Message("server.large", bytes=BODY),
        }
        if problem.status_code == 404 and "text/html" in request.headers.get("accept", ""):
            return send_asset(request, pages().get("missing.html"), 404)
        says = told.get(problem.status_code, Message("server.bad", problem=str(problem.detail)))
        return answer(Refusal(problem.status_code, says).as_json(), problem.status_code, dict(problem.headers or {}))

    @app.exception_handler(Exception)
    async def broken(request: Request, problem: Exception) -> Response:
        return answer(Refusal(500, Message("server.broken")).as_json(), 500)

    @app.exception_handler(RequestValidationError)
    async def unreadable(request: Request, problem: RequestValidationError) -> Response:
        first = problem.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return answer(Refusal(422, Message("server.unreadable", where=where, problem=first["msg"])).as_json(), 422)


def _add_pages(app: FastAPI) -> None:
    def page(name: str) -> Callable[[Request], Awaitable[Response]]:
        async def send(request: Request) -> Response:
            return send_asset(request, pages().get(name))

        return send

    for address, name in PAGES_AT.items():
        app.add_api_route(address, page(name), include_in_schema=False)

    @app.get("/a/{path:path}", include_in_schema=False)
    async def asset(request: Request, path: str) -> Response:
        return send_asset(request, pages().get(path))

    @app.get("/words/{language}.json", include_in_schema=False)
    async def catalogue(request: Request, language: str) -> Response:
        return send_asset(request, catalogues().get(language))


def _add_matches(app: FastAPI, app_state: AppState) -> None:
    transactions = lambda: app_state.transactions  # noqa: E731 (created when the server starts)

    @app.post("/api/matches", status_code=201, response_model=models.NewMatchResponse)
    async def make(asked: MatchRequest, client: Client) -> Response:
        """Make a match; return `match`, `commit`, and per seat its `token`, or an `invite` that `expires`.

        The seat of a bot is reserved until it accepts.
        """
        app_state.matches.take(client)
        options = asked.options.model_dump()
        places = [requests.RequestedSeat(seat.who, seat.called, seat.agent, seat.nonce_commit) for seat in asked.seats]
        ask = partial(requests.make, game=asked.game, rules=asked.rules, places=places, options=options)
        if any(seat.who == "bot" for seat in asked.seats):
            app_state.challenges.take(client)
            ask = partial(challenges.make, asker=None, **ask.keywords)
        if any(seat.who != "agent" for seat in asked.seats):
            return answer(await transactions().ask(ask), 201)
        with app_state.connections.watched(client) as made:
            told = await transactions().ask(ask)
            made.append(told["match"])
        return answer(told, 201)

    @app.post("/api/matches/{number}/sit", response_model=models.NewSeatResponse)
    async def sit(number: Number, asked: SitRequest) -> Response:
        """Take a seat by an invitation, which is valid once; return `seat`, `token` and `proven`."""
        app_state.questions.take(asked.invite)
        ask = partial(requests.sit, number=number, invite=asked.invite, name=asked.name)
        return answer(await transactions().ask(partial(ask, nonce_commit=asked.nonce_commit)))

    @app.post("/api/matches/{number}/reveal", response_model=models.MatchResponse)
    async def reveal(number: Number, asked: RevealRequest, authorization: Bearer = None) -> Response:
        """Reveal the nonce of a seat, once all seats are taken; return the match.  Idempotent."""
        token = needed_token(authorization)
        app_state.questions.take(f"{number} {token}")
        await transactions().ask(partial(requests.reveal, number=number, token=token, nonce=asked.nonce))
        return answer_text((await transactions().ask(partial(requests.read_match, number=number, token=token))).text)

    @app.get("/api/matches/{number}", response_model=models.MatchFactsResponse)
    async def facts(number: Number, client: Client, authorization: Bearer = None) -> Response:
        """Return seats, options, state, clock and claim; before the deal, the `reveal` of nonces.

        The clock has the seconds `left` and the seat that is `running`, the claim the `late` seat and `in` how many
        seconds it wins.  An invitation is accepted as the token.
        """
        token = token_of(authorization)
        app_state.looks.take(token or client)
        return answer(await transactions().ask(partial(requests.facts, number=number, token=token)))

    @app.get("/api/matches/{number}/view", response_model=models.MatchResponse)
    async def view(
        number: Number,
        client: Client,
        authorization: Bearer = None,
        ply: Annotated[int | None, Query(ge=-1, le=100_000)] = None,  # -1: no deal is known yet
        log: Ply = 0,
        wait: Annotated[float | None, Query(ge=0, le=60)] = None,
        seat: Annotated[int | None, Query(ge=0, le=6)] = None,
    ) -> Response:
        """Return the view of the seat, without a token the public one, now or at a ply, its log from entry `log` on.

        `wait` is a long poll: it returns after `ply` (-1: no deal is known yet), when a connection opens or closes, at
        the end of the match, or after so many seconds, at most 25.
        """
        token = token_of(authorization)
        app_state.looks.take(token or client)
        ask = partial(requests.read_match, number=number, token=token, log=log, eyes=seat)
        ask = partial(ask, ply=ply) if wait is None else partial(ask, known=ply)
        look: requests.MatchReading = await transactions().ask(ask)
        if look.agent_to_act:
            app_state.connections.think(number)
        if look.seat is not None:
            app_state.connections.record_sign_of_life(number, look.seat)
        if wait is not None and ply is not None and look.ply <= ply and not look.over:

            async def newer() -> bool:
                now: requests.MatchReading = await transactions().ask(ask)
                return now.ply > ply or now.over

            await app_state.connections.changed(number, newer, min(wait, POLL))
            look = await transactions().ask(ask)
        return answer_text(look.text)

    @app.post("/api/matches/{number}/moves", response_model=models.MatchResponse)
    async def move(number: Number, asked: MoveRequest, authorization: Bearer = None, log: Ply = 0) -> Response:
        """Play an action, once; return the match after it and the immediate answers of agents."""
        token = needed_token(authorization)
        app_state.moves.take(f"{number} {token}")  # a bot's token is valid for many matches
        ask = partial(requests.move, number=number, token=token, ply=asked.ply, action=asked.action, took=asked.took)
        await transactions().ask(ask)
        look: requests.MatchReading = await transactions().ask(
            partial(requests.read_match, number=number, token=token, log=log)
        )
        return answer_text(look.text)

    @app.post("/api/matches/{number}/claim", response_model=models.MatchResponse)
    async def claim(number: Number, authorization: Bearer = None) -> Response:
        """Claim the game from a player who was away for a minute or is out of time."""
        token = needed_token(authorization)
        app_state.questions.take(token)
        await transactions().ask(partial(requests.claim, number=number, token=token))
        return answer_text((await transactions().ask(partial(requests.read_match, number=number, token=token))).text)


def _add_agreements(app: FastAPI, app_state: AppState) -> None:
    transactions = lambda: app_state.transactions  # noqa: E731

    async def shown(number: str, token: str) -> Response:
        return answer_text((await transactions().ask(partial(requests.read_match, number=number, token=token))).text)

    @app.post("/api/matches/{number}/resign", response_model=models.MatchResponse)
    async def resign(number: Number, authorization: Bearer = None) -> Response:
        """Resign the match: all other seats win."""
        token = needed_token(authorization)
        app_state.questions.take(token)
        await transactions().ask(partial(agreements.resign, number=number, token=token))
        return await shown(number, token)

    @app.post("/api/matches/{number}/stop", response_model=models.MatchResponse)
    async def stop(number: Number, asked: StopRequest, authorization: Bearer = None) -> Response:
        """Offer to end the match without a winner; it ends once all people offer it."""
        token = needed_token(authorization)
        app_state.questions.take(token)
        await transactions().ask(partial(agreements.stop, number=number, token=token, offer=asked.offer))
        return await shown(number, token)

    @app.post("/api/matches/{number}/rematch", response_model=models.RematchResponse)
    async def rematch(number: Number, asked: RematchRequest, authorization: Bearer = None) -> Response:
        """Offer a rematch with the same players, each one seat further; it is created once all people offer it.

        The people keep their tokens.  Return the `match`, null while others have not offered it, and the `seat`.
        """
        token = needed_token(authorization)
        app_state.questions.take(token)
        ask = partial(agreements.rematch, number=number, token=token, nonce_commit=asked.nonce_commit)
        return answer(await transactions().ask(ask))


def _add_questions(app: FastAPI, app_state: AppState) -> None:
    transactions = lambda: app_state.transactions  # noqa: E731

    @app.get("/api/games", response_model=game_list.Games)
    async def games() -> Response:
        """Return the served games."""
        return answer(game_list.games(app_state.agent_pool))

    @app.get("/api/agents", response_model=models.AgentsResponse)
    async def agents(game: Annotated[str, Query(max_length=40)] = "truco", rules: RulesText = "{}") -> Response:
        """Return the agents that may be invited, listening bots (`bot`) first; `rules` are a JSON object.

        Agents that do not play by these rules are left out.
        """
        if not app_state.agent_pool.knows(game):
            raise Refusal(404, Message("server.no-game", game=game))
        chosen = requests.chosen_game(app_state.agent_pool, game, read_rules(rules))
        moment = app_state.clock.monotonic()
        ask = lambda transaction: (game_list.records(transaction.connection, moment), challenges.online(transaction))  # noqa: E731
        played, here = await transactions().ask(ask)
        entries = await asyncio.to_thread(app_state.agent_pool.fitting, chosen)
        found = game_list.opponents(game, entries, played)
        return answer({"game": game, "agents": [*game_list.bots(game, here), *found]})

    @app.get("/api/options", response_model=models.OptionsResponse)
    async def options(game: Annotated[str, Query(max_length=40)] = "truco") -> Response:
        """Return the options of agents: `default`, and `values` or `least`, `most`, `whole`.

        A spec has them in parentheses, `pvcnps(base=baseline, victory=share)`; other options and values are refused.
        """
        if not app_state.agent_pool.knows(game):
            raise Refusal(404, Message("server.no-game", game=game))
        return answer({"game": game, "agents": game_list.options(app_state.agent_pool, game)})

    @app.get("/api/matches/{number}/moment", response_model=list[models.ActionHelpResponse], deprecated=True)
    @app.get("/api/matches/{number}/action-help", response_model=list[models.ActionHelpResponse])
    async def action_help(number: Number, authorization: Bearer = None) -> Response:
        """Return what is in force, and the effect of each legal action."""
        token = needed_token(authorization)
        app_state.looks.take(token)
        return answer(await transactions().ask(partial(requests.action_help, number=number, token=token)))

    @app.post("/api/matches/{number}/hint", response_model=models.AdviceResponse)
    async def hint(number: Number, asked: HintRequest, authorization: Bearer = None) -> Response:
        """Return the action of an agent from this view, and its reason."""
        token = needed_token(authorization)
        app_state.questions.take(token)
        thought = await transactions().ask(partial(requests.hint, number=number, token=token, agent=asked.agent))
        facts = await app_state.connections.ask_agent(thought, explain=True)
        return answer({"agent": asked.agent, **facts})

    @app.get("/api/matches/{number}/why", response_model=models.AdviceResponse)
    async def why(number: Number, ply: Ply, client: Client, authorization: Bearer = None) -> Response:
        """Return the reason of an agent's action; in Truco once the next hand is dealt, otherwise at the end."""
        token = token_of(authorization)
        app_state.questions.take(token or client)
        facts, thought = await transactions().ask(partial(requests.why, number=number, token=token, ply=ply))
        return answer({**facts, **await app_state.connections.ask_agent(thought, explain=True)})

    @app.get("/api/matches/{number}/record")
    async def record(
        number: Number,
        client: Client,
        which: Annotated[Literal["seat", "whole"], Query(alias="as")] = "seat",
        authorization: Bearer = None,
    ) -> Response:
        """Return the record of the seat or of the whole match."""
        token = token_of(authorization)
        app_state.looks.take(token or client)
        facts = await transactions().ask(partial(requests.record, number=number, token=token, whole=which == "whole"))
        name = f"{facts['game']}-{number}-{which}.json"
        return answer(facts, headers={"content-disposition": f'attachment; filename="{name}"'})

    @app.get("/api/matches/{number}/fair", response_model=models.DealResponse)
    async def fair(number: Number, client: Client, authorization: Bearer = None) -> Response:
        """Return the protocol of fair deals: version, what its hashes cover, commitments, nonces.

        Secret and seed are added where they may be shown.
        """
        token = token_of(authorization)
        app_state.looks.take(token or client)
        return answer(await transactions().ask(partial(requests.fair_facts, number=number, token=token)))


# --- WebSockets -----------------------------------------------------------------------------------


def _add_live(app: FastAPI, app_state: AppState) -> None:
    @app.websocket("/api/matches/{number}/live")
    async def live(wire: WebSocket, number: str, client: Client) -> None:
        await converse(app_state, wire, number, client)
