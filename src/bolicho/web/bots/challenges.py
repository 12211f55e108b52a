"""Requests of bots: functions of a `Book`, which may run more than once.

A challenge is a match with seats reserved for bots; it has the id of the match.  When the last seat is taken, the
cards are dealt.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from bolicho.store import challenges, database
from bolicho.store.challenges import SCOPE, Kept
from bolicho.web import requests
from bolicho.web.clerk import EVERYBODY, Book
from bolicho.web.match import Match
from bolicho.web.refusal import Refusal
from bolicho.web.requests import Place
from bolicho.web.wire import allowed
from bolicho.words import Said

MOST = 200  # most seats in open challenges of one bot, and of all people together
AWAY = 30.0  # seconds without an open stream after which a bot is not offered as an opponent


# --- Challenging ----------------------------------------------------------------------------------


def challenge(
    book: Book, token: str, game: str, rules: Mapping[str, Any], places: list[Place], options: dict[str, Any]
) -> dict[str, Any]:
    """Challenge bots to a new match; it begins at once if no seat is open."""
    me = allowed(book, token, SCOPE).name
    seats = [replace(place, name=me) if place.who == "self" else place for place in places]
    if not any(place.who in ("self", "bot") for place in seats):
        raise Refusal(422, Said("server.bots.nobody"))
    return make(book, me, game=game, rules=rules, places=seats, options=options)


def make(book: Book, asker: str | None, places: list[Place], options: dict[str, Any], **asked: Any) -> dict[str, Any]:
    """Create a match with seats for bots, each bot at one seat only."""
    if challenges.asked_by(book.connection, asker, book.now) >= MOST:
        raise Refusal(429, Said("server.bots.many", most=MOST), after=10)
    named = [place.name for place in places if place.who in ("self", "bot") and place.name]
    for name in named:
        if named.count(name) > 1:
            raise Refusal(422, Said("server.bots.twice"))
        if not challenges.is_bot(book.connection, name):
            raise Refusal(404, Said("server.bots.no-bot", bot=name))
    match, told = requests.prepare(book, places=places, options={**options, "bots": True}, **asked)
    book.add(match)
    match.kept = list(_kept(book, match.id, asker, places))
    challenges.add(book.connection, match.kept)
    open_to_all = any(place.who == "bot" and not place.name for place in places)
    book.call(match, *named, *([EVERYBODY] if open_to_all else []))
    book.begin(match)
    return {**told, "state": "accepted" if match.is_full else "open"}


def _kept(book: Book, match: str, asker: str | None, places: list[Place]) -> Iterator[Kept]:
    for seat, place in enumerate(places):
        if place.who == "self":
            yield Kept(match, seat, asker, place.name, place.name, "accepted", book.now, book.now)
        elif place.who == "bot":
            yield Kept(match, seat, asker, place.name or None, None, "open", book.now)


# --- Accepting, declining and cancelling ----------------------------------------------------------


def accept(book: Book, token: str, number: str, nonce_commit: str) -> dict[str, Any]:
    """Accept a challenge to this bot or to any; repeating it changes nothing."""
    me, match, rows = _challenge(book, token, number)
    mine = next((row for row in rows if row.bot == me), None)
    if mine is not None:
        return _taken(match, mine.seat)
    if not any(row.asked in (me, None) for row in rows):
        raise Refusal(403, Said("server.bots.not-yours"))
    fitting = [row for row in rows if row.asked in (me, None) and challenges.state_of([row], book.now) == "open"]
    if not fitting:
        raise Refusal(410, Said("server.bots.closed"))
    row = min(fitting, key=lambda row: row.asked is None)
    sitting = requests.bot_row(row.seat, me, nonce_commit, book.now)
    book.touch(match)
    database.take_seat(book.connection, number, sitting)
    challenges.take(book.connection, row, me, book.now)
    match.sit(sitting)
    book.call(match, *([EVERYBODY] if row.asked is None else []))
    book.begin(match)
    return _taken(match, row.seat)


def _taken(match: Match, seat: int) -> dict[str, Any]:
    """Return the seat of a bot, and whether the deal can be proven to it."""
    return {"match": match.id, "seat": seat, "proven": match.sitting[seat].nonce_commit is not None}


def decline(book: Book, token: str, number: str) -> dict[str, Any]:
    """Decline a challenge to this bot by name, which closes it."""
    me, match, rows = _challenge(book, token, number)
    if not any(row.asked == me and row.asker != me for row in rows):
        raise Refusal(403, Said("server.bots.not-yours"))
    return _close(book, match, rows, "declined")


def cancel(book: Book, token: str, number: str) -> dict[str, Any]:
    """Cancel a challenge of this bot."""
    me, match, rows = _challenge(book, token, number)
    if not any(row.asker == me for row in rows):
        raise Refusal(403, Said("server.bots.not-yours"))
    return _close(book, match, rows, "cancelled")


def _close(book: Book, match: Match, rows: list[Kept], state: str) -> dict[str, Any]:
    now = challenges.state_of(rows, book.now)
    if now not in ("open", state):
        raise Refusal(410, Said("server.bots.closed"))
    if now == "open":
        book.touch(match)
        challenges.close(book.connection, match.id, state, book.now)
        match.kept = challenges.of_match(book.connection, match.id)
        asked = [row.asked for row in rows]
        book.call(match, *(name for name in asked if name), *([EVERYBODY] if None in asked else []))
    return {"match": match.id, "state": state}


def _challenge(book: Book, token: str, number: str) -> tuple[str, Match, list[Kept]]:
    """Return the calling bot and the challenge, locked and read again."""
    me = allowed(book, token, SCOPE).name
    if not challenges.of_match(book.connection, number):
        raise Refusal(404, Said("server.bots.no-challenge"))
    match = book.alone(number)
    return me, match, challenges.of_match(book.connection, number)


# --- Events ---------------------------------------------------------------------------------------


@dataclass
class Current:
    """State of a bot: open challenges, matches that wait for nonces, and matches under way, by id."""

    challenges: dict[str, dict[str, Any]] = field(default_factory=dict)
    reveals: dict[str, dict[str, Any]] = field(default_factory=dict)
    matches: dict[str, dict[str, Any]] = field(default_factory=dict)


def current(book: Book, token: str) -> Current:
    """Return the state of the token's bot, and note that it is connected."""
    return _current(book, allowed(book, token, SCOPE).name)


def _current(book: Book, me: str) -> Current:
    challenges.set_seen(book.connection, me, book.now)
    kept = challenges.open_for(book.connection, me, book.now)
    return Current(
        {number: _facts(book, rows) for number, rows in kept.items()},
        dict(_reveals(book, me)),
        {number: _begun(book, number, seat) for number, seat in challenges.playing(book.connection, me)},
    )


def news(book: Book, token: str, known: Current) -> tuple[Current, list[dict[str, Any]]]:
    """Return the state of a bot, and the events since the state `known`."""
    me = allowed(book, token, SCOPE).name
    now = _current(book, me)
    gone = [number for number in known.challenges if number not in now.challenges]
    closed = [_facts(book, challenges.of_match(book.connection, number)) for number in gone]
    new = [facts for number, facts in now.challenges.items() if known.challenges.get(number) != facts]
    events = [{"is": "challenge", **facts} for facts in (*closed, *new)]
    events += [{"is": "reveal", **facts} for number, facts in now.reveals.items() if number not in known.reveals]
    events += [{"is": "start", **facts} for number, facts in now.matches.items() if number not in known.matches]
    waited = {number: facts["seat"] for number, facts in known.reveals.items() if number not in now.reveals}
    events += [
        {"is": "void", **_begun(book, number, seat), "missing": [row.seat for row in book.match(number).unrevealed]}
        for number, seat in waited.items()
        if book.match(number).is_void(book.now)
    ]
    ended = {number: facts["seat"] for number, facts in known.matches.items() if number not in now.matches}
    for facts in closed:  # begun and ended in between
        mine = [kept["seat"] for kept in facts["seats"] if kept["bot"] == me]
        if facts["state"] == "accepted" and mine and facts["match"] not in {**known.matches, **now.matches}:
            ended[facts["match"]] = mine[0]
    events += [_finished(book, number, seat) for number, seat in ended.items() if book.match(number).state == "over"]
    return now, events


def _facts(book: Book, rows: list[Kept]) -> dict[str, Any]:
    """Return the facts of a challenge."""
    match = book.match(rows[0].match)
    seats = [{"seat": row.seat, "asked": row.asked, "bot": row.bot} for row in rows]
    agents = [{"seat": seat.seat, "agent": seat.agent} for seat in match.sitting if seat.agent is not None]
    about = {
        "match": match.id,
        "state": challenges.state_of(rows, book.now),
        "by": rows[0].asker,
        "seats": seats,
        "agents": agents,
    }
    options = {name: match.row.options.get(name) for name in ("why", "hint", "open_end", "clock")}
    more = {"game": match.row.game, "rules": dict(match.game.options), "options": options}
    return {**about, **more, "commit": match.promised()["commit"], "expires": rows[0].expires}


def _begun(book: Book, number: str, seat: int) -> dict[str, Any]:
    match = book.match(number)
    return {"match": number, "seat": seat, "game": match.row.game, "rules": dict(match.game.options)}


def _reveals(book: Book, me: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the matches of a bot that wait for nonces, with the facts it keeps before it reveals its own."""
    for number, seat in challenges.revealing(book.connection, me, book.now):
        reveal = book.match(number).reveal() or book.again(number).reveal()  # another process may just have filled it
        if reveal is not None:
            yield number, {"seat": seat, **reveal}


def _finished(book: Book, number: str, seat: int) -> dict[str, Any]:
    return {"is": "finish", **_begun(book, number, seat), "result": book.match(number).row.result}


def online(book: Book) -> list[str]:
    """Return the bots that may be challenged now."""
    return challenges.seen_since(book.connection, book.now - AWAY)
