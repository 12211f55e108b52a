"""WebSocket connections of browsers to matches."""

import asyncio
import re
from contextlib import suppress
from functools import partial
from typing import Any

import orjson
from fastapi import WebSocket, WebSocketDisconnect

from bolicho.web import requests
from bolicho.web.hall import Guest, refusal_text
from bolicho.web.house import House
from bolicho.web.match import dumps
from bolicho.web.refusal import Refusal
from bolicho.words import Said

HELLO = 10.0  # seconds for the first message of a connection


async def converse(house: House, wire: WebSocket, number: str, client: str) -> None:
    """Serve one connection of a client to a match until it ends."""
    await wire.accept()
    guest: Guest | None = None
    try:
        async with asyncio.timeout(HELLO):
            hello = _message(await wire.receive_text())
        guest = Guest(wire, number, client)
        token = await _greet(house, guest, hello)
        while not guest.lost:
            await _answer(house, guest, token, await wire.receive_text())
    except Refusal as refusal:
        with suppress(WebSocketDisconnect, RuntimeError):  # closed meanwhile
            await wire.send_text(dumps({"is": "bye", **refusal.as_json()}))
            await wire.close(4000 + refusal.status)
    except (TimeoutError, WebSocketDisconnect, RuntimeError, KeyError):
        pass  # closed or silent; a binary frame has no text
    finally:
        if guest is not None:
            house.hall.leave(guest)


def _message(text: str) -> dict[str, Any]:
    """Parse a message of a browser: a JSON object with `do`."""
    try:
        message = orjson.loads(text)
    except orjson.JSONDecodeError:
        message = None
    if not isinstance(message, dict) or not isinstance(message.get("do"), str):
        raise Refusal(422, Said("server.unreadable", where="message", problem='{"do": ...}'))
    return message


async def _greet(house: House, guest: Guest, hello: dict[str, Any]) -> str | None:
    """Send the match to a new connection, and register it for all later changes; return the token of its seat."""
    number = guest.match
    token, log = hello.get("token"), hello.get("log", 0)
    right = isinstance(token, str | None) and type(log) is int and 0 <= log <= 100_000
    if hello["do"] != "hello" or not right or not re.fullmatch("[a-z0-9]{1,16}", number):
        raise Refusal(422, Said("server.unreadable", where="hello", problem='{"do": "hello", "token": ..., "log": 0}'))
    look = await house.welcome(guest, token, log)
    guest.greet(look.text, look.ply)
    return token


async def _answer(house: House, guest: Guest, token: str | None, text: str) -> None:
    """Handle one message of a browser."""
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
