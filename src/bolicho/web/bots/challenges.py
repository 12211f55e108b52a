"""Requests of bots: functions of a `Transaction`, which may run more than once.

A challenge is a match with seats reserved for bots; it has the id of the match.  When the last seat is taken, the
cards are dealt.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from bolicho.i18n import Message
from bolicho.store import challenges, database
from bolicho.store.challenges import SCOPE, StoredSeat
from bolicho.web import requests
from bolicho.web.match import Match
from bolicho.web.refusal import Refusal
from bolicho.web.requests import RequestedSeat
from bolicho.web.schemas import allowed
from bolicho.web.transactions import EVERYBODY, Transaction

MOST = 200  # most seats in open challenges of one bot, and of all people together
AWAY = 30.0  # seconds without an open stream after which a bot is not offered as an opponent


# --- Challenging ----------------------------------------------------------------------------------


def challenge(
    transaction: Transaction,
    token: str,
    game: str,
    rules: Mapping[str, Any],
    places: list[RequestedSeat],
    options: dict[str, Any],
) -> dict[str, Any]:
    """Challenge bots to a new match; it begins at once if no seat is open."""
    me = allowed(transaction, token, SCOPE).name
    seats = [replace(place, name=me) if place.who == "self" else place for place in places]
    if not any(place.who in ("self", "bot") for place in seats):
        raise Refusal(422, Message("server.bots.nobody"))
    return make(transaction, me, game=game, rules=rules, places=seats, options=options)


def make(
    transaction: Transaction, asker: str | None, places: list[RequestedSeat], options: dict[str, Any], **asked: Any
) -> dict[str, Any]:
    """Create a match with seats for bots, each bot at one seat only."""
    if challenges.asked_by(transaction.connection, asker, transaction.now) >= MOST:
        raise Refusal(429, Message("server.bots.many", most=MOST), after=10)
    named = [place.name for place in places if place.who in ("self", "bot") and place.name]
    for name in named:
        if named.count(name) > 1:
            raise Refusal(422, Message("server.bots.twice"))
        if not challenges.is_bot(transaction.connection, name):
            raise Refusal(404, Message("server.bots.no-bot", bot=name))
    match, told = requests.prepare(transaction, places=places, options={**options, "bots": True}, **asked)
    transaction.add(match)
    match.kept = list(_kept(transaction, match.id, asker, places))
    challenges.add(transaction.connection, match.kept)
    open_to_all = any(place.who == "bot" and not place.name for place in places)
    transaction.call(match, *named, *([EVERYBODY] if open_to_all else []))
    transaction.begin(match)
    return {**told, "state": "accepted" if match.is_full else "open"}


def _kept(transaction: Transaction, match: str, asker: str | None, places: list[RequestedSeat]) -> Iterator[StoredSeat]:
    for seat, place in enumerate(places):
        if place.who == "self":
            yield StoredSeat(match, seat, asker, place.name, place.name, "accepted", transaction.now, transaction.now)
        elif place.who == "bot":
            yield StoredSeat(match, seat, asker, place.name or None, None, "open", transaction.now)


# --- Accepting, declining and cancelling ----------------------------------------------------------


def accept(transaction: Transaction, token: str, number: str, nonce_commit: str) -> dict[str, Any]:
    """Accept a challenge to this bot or to any; repeating it changes nothing."""
    me, match, rows = _challenge(transaction, token, number)
    mine = next((row for row in rows if row.bot == me), None)
    if mine is not None:
        return _taken(match, mine.seat)
    if not any(row.asked in (me, None) for row in rows):
        raise Refusal(403, Message("server.bots.not-yours"))
    fitting = [row for row in rows if row.asked in (me, None) and challenges.state_of([row], transaction.now) == "open"]
    if not fitting:
        raise Refusal(410, Message("server.bots.closed"))
    row = min(fitting, key=lambda row: row.asked is None)
    sitting = requests.bot_row(row.seat, me, nonce_commit, transaction.now)
    transaction.mark_changed(match)
    database.take_seat(transaction.connection, number, sitting)
    challenges.take(transaction.connection, row, me, transaction.now)
    match.sit(sitting)
    transaction.call(match, *([EVERYBODY] if row.asked is None else []))
    transaction.begin(match)
    return _taken(match, row.seat)


def _taken(match: Match, seat: int) -> dict[str, Any]:
    """Return the seat of a bot, and whether the deal can be proven to it."""
    return {"match": match.id, "seat": seat, "proven": match.sitting[seat].nonce_commit is not None}


def decline(transaction: Transaction, token: str, number: str) -> dict[str, Any]:
    """Decline a challenge to this bot by name, which closes it."""
    me, match, rows = _challenge(transaction, token, number)
    if not any(row.asked == me and row.asker != me for row in rows):
        raise Refusal(403, Message("server.bots.not-yours"))
    return _close(transaction, match, rows, "declined")


def cancel(transaction: Transaction, token: str, number: str) -> dict[str, Any]:
    """Cancel a challenge of this bot."""
    me, match, rows = _challenge(transaction, token, number)
    if not any(row.asker == me for row in rows):
        raise Refusal(403, Message("server.bots.not-yours"))
    return _close(transaction, match, rows, "cancelled")


def _close(transaction: Transaction, match: Match, rows: list[StoredSeat], state: str) -> dict[str, Any]:
    now = challenges.state_of(rows, transaction.now)
    if now not in ("open", state):
        raise Refusal(410, Message("server.bots.closed"))
    if now == "open":
        transaction.mark_changed(match)
        challenges.close(transaction.connection, match.id, state, transaction.now)
        match.kept = challenges.of_match(transaction.connection, match.id)
        asked = [row.asked for row in rows]
        transaction.call(match, *(name for name in asked if name), *([EVERYBODY] if None in asked else []))
    return {"match": match.id, "state": state}


def _challenge(transaction: Transaction, token: str, number: str) -> tuple[str, Match, list[StoredSeat]]:
    """Return the calling bot and the challenge, locked and read again."""
    me = allowed(transaction, token, SCOPE).name
    if not challenges.of_match(transaction.connection, number):
        raise Refusal(404, Message("server.bots.no-challenge"))
    match = transaction.lock_match(number)
    return me, match, challenges.of_match(transaction.connection, number)


# --- Events ---------------------------------------------------------------------------------------


@dataclass
class Current:
    """State of a bot: open challenges, matches that wait for nonces, and matches under way, by id."""

    challenges: dict[str, dict[str, Any]] = field(default_factory=dict)
    reveals: dict[str, dict[str, Any]] = field(default_factory=dict)
    matches: dict[str, dict[str, Any]] = field(default_factory=dict)


def current(transaction: Transaction, token: str) -> Current:
    """Return the state of the token's bot, and note that it is connected."""
    return _current(transaction, allowed(transaction, token, SCOPE).name)


def _current(transaction: Transaction, me: str) -> Current:
    challenges.set_seen(transaction.connection, me, transaction.now)
    kept = challenges.open_for(transaction.connection, me, transaction.now)
    return Current(
        {number: _facts(transaction, rows) for number, rows in kept.items()},
        dict(_reveals(transaction, me)),
        {number: _begun(transaction, number, seat) for number, seat in challenges.playing(transaction.connection, me)},
    )


def news(transaction: Transaction, token: str, known: Current) -> tuple[Current, list[dict[str, Any]]]:
    """Return the state of a bot, and the events since the state `known`."""
    me = allowed(transaction, token, SCOPE).name
    now = _current(transaction, me)
    gone = [number for number in known.challenges if number not in now.challenges]
    closed = [_facts(transaction, challenges.of_match(transaction.connection, number)) for number in gone]
    new = [facts for number, facts in now.challenges.items() if known.challenges.get(number) != facts]
    events = [{"is": "challenge", **facts} for facts in (*closed, *new)]
    events += [{"is": "reveal", **facts} for number, facts in now.reveals.items() if number not in known.reveals]
    events += [{"is": "start", **facts} for number, facts in now.matches.items() if number not in known.matches]
    waited = {number: facts["seat"] for number, facts in known.reveals.items() if number not in now.reveals}
    events += [
        {
            "is": "void",
            **_begun(transaction, number, seat),
            "missing": [row.seat for row in transaction.match(number).unrevealed],
        }
        for number, seat in waited.items()
        if transaction.match(number).is_void(transaction.now)
    ]
    ended = {number: facts["seat"] for number, facts in known.matches.items() if number not in now.matches}
    for facts in closed:  # begun and ended in between
        mine = [kept["seat"] for kept in facts["seats"] if kept["bot"] == me]
        if facts["state"] == "accepted" and mine and facts["match"] not in {**known.matches, **now.matches}:
            ended[facts["match"]] = mine[0]
    events += [
        _finished(transaction, number, seat)
        for number, seat in ended.items()
        if transaction.match(number).state == "over"
    ]
    return now, events


def _facts(transaction: Transaction, rows: list[StoredSeat]) -> dict[str, Any]:
    """Return the facts of a challenge."""
    match = transaction.match(rows[0].match)
    seats = [{"seat": row.seat, "asked": row.asked, "bot": row.bot} for row in rows]
    agents = [{"seat": seat.seat, "agent": seat.agent} for seat in match.sitting if seat.agent is not None]
    about = {
        "match": match.id,
        "state": challenges.state_of(rows, transaction.now),
        "by": rows[0].asker,
        "seats": seats,
        "agents": agents,
    }
    options = {name: match.row.options.get(name) for name in ("why", "hint", "open_end", "clock")}
    more = {"game": match.row.game, "rules": dict(match.game.options), "options": options}
    return {**about, **more, "commit": match.promised()["commit"], "expires": rows[0].expires}


def _begun(transaction: Transaction, number: str, seat: int) -> dict[str, Any]:
    match = transaction.match(number)
    return {"match": number, "seat": seat, "game": match.row.game, "rules": dict(match.game.options)}


def _reveals(transaction: Transaction, me: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the matches of a bot that wait for nonces, with the facts it keeps before it reveals its own."""
    for number, seat in challenges.revealing(transaction.connection, me, transaction.now):
        reveal = (
            transaction.match(number).reveal() or transaction.again(number).reveal()
        )  # another process may just have filled it
        if reveal is not None:
            yield number, {"seat": seat, **reveal}


def _finished(transaction: Transaction, number: str, seat: int) -> dict[str, Any]:
    return {"is": "finish", **_begun(transaction, number, seat), "result": transaction.match(number).row.result}


def online(transaction: Transaction) -> list[str]:
    """Return the bots that may be challenged now."""
    return challenges.seen_since(transaction.connection, transaction.now - AWAY)
