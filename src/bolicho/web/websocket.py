"""WebSocket connections of browsers to matches."""

import asyncio
import re
from contextlib import suppress
from functools import partial
from typing import Any

import orjson
from fastapi import WebSocket, WebSocketDisconnect

from bolicho.i18n import Message
from bolicho.web import requests
from bolicho.web.app_state import AppState
from bolicho.web.connections import LiveConnection, refusal_text
from bolicho.web.match import dumps
from bolicho.web.refusal import Refusal

HELLO = 10.0  # seconds for the first message of a connection


async def converse(app_state: AppState, wire: WebSocket, number: str, client: str) -> None:
    """Serve one connection of a client to a match until it ends."""
    await wire.accept()
    client_connection: LiveConnection | None = None
    try:
        async with asyncio.timeout(HELLO):
            hello = _message(await wire.receive_text())
        client_connection = LiveConnection(wire, number, client)
        token = await _greet(app_state, client_connection, hello)
        while not client_connection.lost:
            await _answer(app_state, client_connection, token, await wire.receive_text())
    except Refusal as refusal:
        with suppress(WebSocketDisconnect, RuntimeError):  # closed meanwhile
            await wire.send_text(dumps({"is": "bye", **refusal.as_json()}))
            await wire.close(4000 + refusal.status)
    except (TimeoutError, WebSocketDisconnect, RuntimeError, KeyError):
        pass  # closed or silent; a binary frame has no text
    finally:
        if client_connection is not None:
            app_state.connections.leave(client_connection)


def _message(text: str) -> dict[str, Any]:
    """Parse a message of a browser: a JSON object with `do`."""
    try:
        message = orjson.loads(text)
    except orjson.JSONDecodeError:
        message = None
    if not isinstance(message, dict) or not isinstance(message.get("do"), str):
        raise Refusal(422, Message("server.unreadable", where="message", problem='{"do": ...}'))
    return message


def _seconds(took: Any) -> float | None:
    """Return the time of a decision, or None if the browser has not measured one."""
    return float(took) if type(took) in (int, float) and 0 <= took <= 1_000_000 else None


async def _greet(app_state: AppState, client_connection: LiveConnection, hello: dict[str, Any]) -> str | None:
    """Send the match to a new connection, and register it for all later changes; return the token of its seat."""
    number = client_connection.match
    token, log = hello.get("token"), hello.get("log", 0)
    right = isinstance(token, str | None) and type(log) is int and 0 <= log <= 100_000
    if hello["do"] != "hello" or not right or not re.fullmatch("[a-z0-9]{1,16}", number):
        raise Refusal(
            422, Message("server.unreadable", where="hello", problem='{"do": "hello", "token": ..., "log": 0}')
        )
    look = await app_state.welcome(client_connection, token, log)
    client_connection.greet(look.text, look.ply)
    return token


async def _answer(app_state: AppState, client_connection: LiveConnection, token: str | None, text: str) -> None:
    """Handle one message of a browser."""
    message = _message(text)
    ply = message.get("ply")
    try:
        if client_connection.seat is not None:
            app_state.connections.record_sign_of_life(client_connection.match, client_connection.seat)
        match message["do"]:
            case "ping":
                client_connection.push('{"is":"pong"}')
            case "move":
                action = message.get("action")
                if type(ply) is not int or type(action) is not str or not 0 < len(action) <= 80:
                    raise Refusal(
                        422, Message("server.unreadable", where="move", problem='{"ply": ..., "action": ...}')
                    )
                if token is None:
                    raise Refusal(401, Message("server.no-token"))
                app_state.moves.take(f"{client_connection.match} {token}")
                ask = partial(
                    requests.move,
                    number=client_connection.match,
                    token=token,
                    ply=ply,
                    action=action,
                    took=_seconds(message.get("took")),
                )
                app_state.transactions.post(ask, partial(app_state.connections.moved, client_connection, ply))
            case "claim":
                if token is None:
                    raise Refusal(401, Message("server.no-token"))
                app_state.questions.take(token)
                await app_state.transactions.ask(partial(requests.claim, number=client_connection.match, token=token))
            case _:
                raise Refusal(422, Message("server.unreadable", where="do", problem="hello, move, claim, ping"))
    except Refusal as refusal:
        client_connection.push(refusal_text(refusal, ply if type(ply) is int else None))
