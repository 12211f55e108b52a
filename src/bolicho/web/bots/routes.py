"""HTTP routes for bots: account, challenges and streams; streams are open to programs of people, too."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import ExitStack, suppress
from functools import partial
from typing import Annotated, Any, Literal

import orjson
from fastapi import FastAPI, Response
from pydantic import Field

from bolicho.store.challenges import SCOPE
from bolicho.web import models, requests
from bolicho.web.app_state import AppState
from bolicho.web.bots import challenges
from bolicho.web.bots.challenges import Current
from bolicho.web.bots.json_lines import HEARTBEAT, LISTENING, Lines, Mailbox
from bolicho.web.connections import LiveConnection
from bolicho.web.match import dumps
from bolicho.web.refusal import Refusal
from bolicho.web.requests import RequestedSeat
from bolicho.web.schemas import (
    Bearer,
    BotName,
    Client,
    GameName,
    NonceCommit,
    Number,
    OptionsRequest,
    RulesRequest,
    Spec,
    Strict,
    allowed,
    answer,
    known,
    needed_token,
    token_of,
)
from bolicho.web.transactions import BOT, Transaction


class SeatKept(Strict):
    """Seat of a challenge: of the challenging bot (`me`), an agent, or reserved for a bot (or for any)."""

    who: Literal["me", "agent", "bot"]
    agent: Spec = ""
    bot: BotName | None = None


class ChallengeRequest(Strict):
    """Challenge to the bot `to`, or to any, in a game for two; or a challenge with all `seats` given."""

    game: GameName
    rules: RulesRequest = Field(default={})
    to: BotName | None = None
    seats: Annotated[list[SeatKept], Field(min_length=1, max_length=7)] | None = None
    options: OptionsRequest = OptionsRequest()
    nonce_commit: NonceCommit = ""

    def places(self) -> list[RequestedSeat]:
        """Return the requested seats."""
        seats = self.seats or [SeatKept(who="me"), SeatKept(who="bot", bot=self.to)]
        mine = RequestedSeat("self", nonce_commit=self.nonce_commit)
        return [mine if seat.who == "me" else RequestedSeat(seat.who, seat.bot or "", seat.agent) for seat in seats]


class AcceptRequest(Strict):
    """SHA-256 of the nonce of an accepting bot."""

    nonce_commit: NonceCommit = ""


def add(app: FastAPI, app_state: AppState) -> None:
    """Add the routes for bots."""
    _add_challenges(app, app_state)
    _add_streams(app, app_state)


def _add_challenges(app: FastAPI, app_state: AppState) -> None:
    async def ask(request: Any, token: str) -> Any:
        app_state.challenges.take(token)
        return await app_state.transactions.ask(partial(request, token=token))

    @app.get("/api/account")
    async def account(authorization: Bearer = None) -> Response:
        """Return name and scopes of a personal token, and current challenges, reveals and matches."""

        def facts(transaction: Transaction, token: str) -> dict[str, Any]:
            who = known(transaction, token)
            now = challenges.current(transaction, token) if SCOPE in who.scopes else Current()
            lists = {name: list(facts.values()) for name, facts in vars(now).items()}
            return {"name": who.name, "scopes": sorted(who.scopes), **lists}

        return answer(await ask(facts, needed_token(authorization)))

    @app.post("/api/challenges", status_code=201, response_model=models.NewMatchResponse)
    async def challenge(asked: ChallengeRequest, authorization: Bearer = None) -> Response:
        """Challenge a bot; return the match, its commitment and its seats."""
        token = needed_token(authorization)
        app_state.matches.take(token)
        places, options = asked.places(), asked.options.model_dump()
        request = partial(challenges.challenge, game=asked.game, rules=asked.rules, places=places, options=options)
        return answer(await ask(request, token), 201)

    @app.post("/api/challenges/{number}/accept")
    async def accept(number: Number, asked: AcceptRequest | None = None, authorization: Bearer = None) -> Response:
        """Take the seat of a challenge; return `match`, `seat` and `proven`.  Idempotent."""
        request = partial(challenges.accept, number=number, nonce_commit=asked.nonce_commit if asked else "")
        return answer(await ask(request, needed_token(authorization)))

    @app.post("/api/challenges/{number}/decline")
    async def decline(number: Number, authorization: Bearer = None) -> Response:
        """Decline a challenge, as the bot that is named in it.  Idempotent."""
        return answer(await ask(partial(challenges.decline, number=number), needed_token(authorization)))

    @app.post("/api/challenges/{number}/cancel")
    async def cancel(number: Number, authorization: Bearer = None) -> Response:
        """Withdraw a challenge, as its challenger.  Idempotent."""
        return answer(await ask(partial(challenges.cancel, number=number), needed_token(authorization)))


# --- Streams: not described in OpenAPI --------------------------------------------------------------


def _add_streams(app: FastAPI, app_state: AppState) -> None:
    @app.get("/api/stream/events", include_in_schema=False)
    async def events(authorization: Bearer = None) -> Response:
        token = needed_token(authorization)
        app_state.looks.take(token)
        name = (await app_state.transactions.ask(lambda transaction: allowed(transaction, token, SCOPE))).name
        with ExitStack() as stack:
            stack.enter_context(app_state.streams.counted(f"events {token}", LISTENING))
            return Lines(_events(app_state, token, name), stack.pop_all().close)

    @app.get("/api/stream/matches/{number}", include_in_schema=False)
    async def match(number: Number, client: Client, authorization: Bearer = None) -> Response:
        token = token_of(authorization)
        with ExitStack() as stack:
            if token is not None:  # spectators are counted with the match
                stack.enter_context(app_state.streams.counted(token))
            box = stack.enter_context(app_state.streams.mailbox())
            client_connection = LiveConnection(box, number, client)
            look = await app_state.welcome(client_connection, token)
            stack.callback(app_state.connections.leave, client_connection)
            facts = await app_state.transactions.ask(partial(requests.facts, number=number, token=token))
            client_connection.greet(
                dumps({**facts, **orjson.loads(look.text), "is": "full", "seat": look.seat}), look.ply
            )
            return Lines(_match(app_state, client_connection, box), stack.pop_all().close)


async def _events(app_state: AppState, token: str, name: str) -> AsyncGenerator[str, None]:
    """Yield the state of a bot, then its changes."""
    known = Current()
    try:
        while not app_state.streams.ending:
            with app_state.connections.next_change(BOT + name) as bell:
                known, events = await app_state.transactions.ask(partial(challenges.news, token=token, known=known))
                for event in events:
                    yield dumps(event)
                if not events:
                    yield ""
                with suppress(TimeoutError):
                    await asyncio.wait_for(bell.wait(), HEARTBEAT)
    except Refusal as refusal:
        yield dumps({"is": "bye", **refusal.as_json()})


async def _match(app_state: AppState, client_connection: LiveConnection, box: Mailbox) -> AsyncGenerator[str, None]:
    """Yield the messages of a match to a seat or a spectator, up to its end."""
    while not client_connection.lost and (text := await box.take()) is not None:
        if client_connection.seat is not None:
            app_state.connections.record_sign_of_life(client_connection.match, client_connection.seat)
        yield text
        if text and orjson.loads(text).get("state") == "over":
            return
