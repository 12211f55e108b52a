"""Requests to the database: functions of a `Transaction`, which may run more than once."""

import secrets
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from bolicho.errors import BadInput, IllegalAction
from bolicho.games.game import Game
from bolicho.i18n import Message
from bolicho.store import challenges, database
from bolicho.store.database import MatchRow, SeatRow
from bolicho.web import fair_deals
from bolicho.web.endings import Ending
from bolicho.web.match import Audience, Match, game_of, numbered_names, why_not
from bolicho.web.refusal import Refusal
from bolicho.web.transactions import Transaction, agent_to_act
from bolicho.web.workers import AgentPool, DecisionRequest, names

INVITED_FOR = 24 * 3600.0  # seconds
OVERDUE = 60.0  # seconds after which an agent is called again, because the result of the first call may be lost


@dataclass(frozen=True)
class RequestedSeat:
    """Requested seat: for an agent, the requesting person (`me`) or bot (`self`), another bot, or by invitation."""

    who: str
    name: str = ""
    agent: str = ""
    nonce_commit: str = ""  # SHA-256 of the nonce of the requesting client, in hexadecimal digits


def _hash(text: str) -> bytes:
    return sha256(text.encode()).digest()


def _committed(text: str) -> bytes | None:
    return bytes.fromhex(text) or None


# --- Creating and joining matches -----------------------------------------------------------------


def chosen_game(agent_pool: AgentPool, game: str, rules: Mapping[str, Any]) -> Game:
    """Return a served game with these rules."""
    if not agent_pool.knows(game):
        raise Refusal(422, Message("server.no-game", game=game))
    try:
        return game_of(game, rules)
    except BadInput as problem:
        raise Refusal(422, Message("server.rules", problem=str(problem))) from None


def prepare(
    transaction: Transaction, game: str, rules: Mapping[str, Any], places: list[RequestedSeat], options: dict[str, Any]
) -> tuple[Match, dict[str, Any]]:
    """Create a match and the reply to its creator, without writing anything."""
    chosen = chosen_game(transaction.agent_pool, game, rules)
    if len(places) != chosen.seats:
        raise Refusal(422, Message("server.seats", seats=chosen.seats, given=len(places)))
    agents = [transaction.agent_pool.check(chosen, place.agent) for place in places if place.who == "agent"]
    called = iter(zip(agents, numbered_names(names(agents)), strict=True))
    sitting: list[SeatRow] = []
    told: list[dict[str, Any]] = []
    for seat, place in enumerate(places):
        if place.who == "agent":
            spec, name = next(called)
            sitting.append(SeatRow(seat, name, agent=spec))
            told.append({"seat": seat})
        elif place.who == "me":
            token = secrets.token_urlsafe(24)
            committed = _committed(place.nonce_commit)
            sitting.append(SeatRow(seat, place.name, token=_hash(token), nonce_commit=committed, seen=transaction.now))
            told.append({"seat": seat, "token": token, "proven": committed is not None})
        elif place.who == "self":
            sitting.append(bot_row(seat, place.name, place.nonce_commit, transaction.now))
            told.append({"seat": seat, "proven": sitting[-1].nonce_commit is not None})
        elif place.who == "bot":
            sitting.append(SeatRow(seat, place.name or "?"))
            told.append({"seat": seat})
        else:
            invite, expires = secrets.token_urlsafe(12), transaction.now + INVITED_FOR
            sitting.append(SeatRow(seat, place.name, invite=_hash(invite), expires=expires))
            told.append({"seat": seat, "invite": invite, "expires": expires})
    row = MatchRow(
        database.new_name(),
        game,
        dict(chosen.options),
        options,
        fair_deals.new_secret(),
        transaction.now,
        fair_version=fair_deals.VERSION,
    )
    match = Match(row, sitting, transaction.uptime)
    return match, {"match": row.id, "commit": match.promised()["commit"], "seats": told}


def bot_row(seat: int, name: str, nonce_commit: str, now: float) -> SeatRow:
    """Return the row of a bot's seat, which only the bot's own token opens."""
    return SeatRow(seat, name, token=secrets.token_bytes(32), nonce_commit=_committed(nonce_commit), seen=now)


def make(transaction: Transaction, **asked: Any) -> dict[str, Any]:
    """Create a match; it begins at once if all seats are taken."""
    match, told = prepare(transaction, **asked)
    transaction.add(match)
    transaction.begin(match)
    return told


def sit(transaction: Transaction, number: str, invite: str, name: str, nonce_commit: str) -> dict[str, Any]:
    """Take a seat by invitation; the match begins with the last one."""
    match = transaction.lock_match(
        number
    )  # locked: otherwise two clients that take the last two seats would each see one left
    if match.study is not None:
        raise Refusal(404, Message("server.no-match"))
    digest = _hash(invite)
    seat = next((seat for seat in match.sitting if seat.invite == digest), None)
    if seat is None or seat.taken:
        raise Refusal(410, Message("server.invite"))
    if seat.expires is not None and seat.expires < transaction.now:
        raise Refusal(410, Message("server.expired"))
    token = secrets.token_urlsafe(24)
    committed = _committed(nonce_commit)
    row = SeatRow(seat.seat, name, token=_hash(token), nonce_commit=committed, seen=transaction.now)
    transaction.mark_changed(match)
    database.take_seat(transaction.connection, number, row)
    match.sit(row)
    transaction.begin(match)
    return {"seat": seat.seat, "token": token, "proven": committed is not None}


def reveal(transaction: Transaction, number: str, token: str, nonce: str) -> None:
    """Reveal the nonce that a seat has committed to, and deal after the last one; repeating it changes nothing."""
    match = transaction.lock_match(number)
    seat = _opened(transaction, match, token)
    assert seat is not None
    row, data = match.sitting[seat], bytes.fromhex(nonce)
    if row.nonce_commit is None:
        raise Refusal(409, Message("server.reveal.none"))
    if fair_deals.nonce_commitment(data) != row.nonce_commit:
        raise Refusal(422, Message("server.reveal.other"))
    if row.nonce is not None:
        return
    if not match.is_full:
        raise Refusal(409, Message("server.reveal.early"))
    if match.is_void(transaction.now):
        raise Refusal(410, Message("server.reveal.late"))
    transaction.mark_changed(match)
    database.set_nonce(transaction.connection, number, seat, data)
    match.sit(replace(row, nonce=data, expires=None))
    transaction.begin(match)


# --- Reading ----------------------------------------------------------------------------------------


def facts(transaction: Transaction, number: str, token: str | None = None) -> dict[str, Any]:
    """Return the public facts of a match; those of a study's match need a token."""
    match, _ = _admitted(transaction, number, token)
    facts = {**match.about(), "made": match.row.made, **match.fair(), **match.facts(transaction.now)}
    return facts if token is None else {**facts, "invited": match.invited(token, transaction.now)}


@dataclass(frozen=True)
class MatchReading:
    """Reply to a client that looks at a match, and its state."""

    seat: Audience
    ply: int
    text: str
    agent_to_act: bool
    over: bool


def read_match(
    transaction: Transaction,
    number: str,
    token: str | None,
    log: int = 0,
    ply: int | None = None,
    known: int | None = None,
    eyes: int | None = None,
) -> MatchReading:
    """Return the view of the token's seat (or of the public), now or at a ply, at least as new as `known`.

    If all cards may be shown, `eyes` selects the view of any seat.
    """
    match, seat = _known(transaction, number, token)
    if match.ply < max(-1 if ply is None else ply, -1 if known is None else known):
        match = transaction.again(number)
    if eyes is not None and eyes != seat:
        if not match.is_open:
            raise Refusal(403, Message("server.not-open"))
        if eyes >= match.game.seats:
            raise Refusal(404, Message("server.no-seat", seat=eyes + 1, seats=match.game.seats))
    text = match.message(seat if eyes is None else eyes, transaction.now, log, ply)
    return MatchReading(seat, match.ply, text, agent_to_act(match) is not None, match.state == "over")


def action_help(transaction: Transaction, number: str, token: str) -> list[dict[str, Any]]:
    """Return the rules in force for a seat, and the effect of each legal action."""
    match, seat = seated(transaction, number, token)
    view = match.view(seat)
    return [{"about": about, "says": says.as_json()} for about, says in match.game.kind.action_help(view)]


def record(transaction: Transaction, number: str, token: str | None, whole: bool) -> dict[str, Any]:
    """Return the record of a match, whole or as the seat saw it."""
    match, seat = _known(transaction, number, token)
    return match.whole_record() if whole else match.seat_record(seat)


def fair_facts(transaction: Transaction, number: str, token: str | None = None) -> dict[str, Any]:
    """Return the facts of the deal, under the same conditions as `facts`."""
    match, _ = _admitted(transaction, number, token)
    return match.fair()


def _admitted(transaction: Transaction, number: str, token: str | None) -> tuple[Match, Audience]:
    """Return a match and its audience; any token may see the public facts, except in a study's match."""
    match = transaction.match(number)
    return (match, None) if match.study is None else _known(transaction, number, token)


def _known(transaction: Transaction, number: str, token: str | None) -> tuple[Match, Audience]:
    """Return the match and the audience of a token; read it again in case another process has given away the seat."""
    match = transaction.match(number)
    try:
        return match, _opened(transaction, match, token)
    except Refusal:
        match = transaction.again(number)
        return match, _opened(transaction, match, token)


def _opened(transaction: Transaction, match: Match, token: str | None) -> Audience:
    """Return the seat that a token opens: the seat's own token, or that of the bot at the seat."""
    try:
        return match.seat_of(token)
    except Refusal:
        seat = challenges.seat_of(transaction.connection, match.id, token or "") if match.option("bots") else None
        if seat is None:
            raise
        return seat


def seated(transaction: Transaction, number: str, token: str) -> tuple[Match, int]:
    """Return the match and the seat that the token opens."""
    match, seat = _known(transaction, number, token)
    assert seat is not None
    return match, seat


# --- Playing ----------------------------------------------------------------------------------------


SLACK = 1.0  # seconds that a decision may seem longer in the browser than here


def move(transaction: Transaction, number: str, token: str, ply: int, action: str, took: float | None = None) -> bool:
    """Play an action at a ply and return whether it is new; repeating it changes nothing.

    In a match of a study, the time of the decision that the browser has measured is stored, unless it is longer than
    the turn.
    """
    match, seat = seated(transaction, number, token)
    if match.ply < ply:
        match = transaction.again(number)
    if match.state != "playing":
        if match.state == "waiting" or not _played(match, seat, ply, action):
            raise Refusal(409, Message("server.waiting" if match.state == "waiting" else "server.over"))
        return False
    if ply < match.ply:
        if _played(match, seat, ply, action):
            return False
        raise Refusal(409, Message("server.late", ply=match.ply))
    if ply > match.ply:
        raise Refusal(409, Message("server.late", ply=match.ply))
    if match.table.turn != seat:
        raise Refusal(409, Message("server.turn"))
    lasted = transaction.now - match.since
    try:
        transaction.play(match, action)
    except IllegalAction:
        raise Refusal(422, why_not(match.view(seat), action)) from None
    if match.study is not None and took is not None and 0 <= took <= lasted + SLACK:
        database.add_decision(transaction.connection, number, ply, took)
    return True


def _played(match: Match, seat: int, ply: int, action: str) -> bool:
    """Return whether a seat has played that action at a ply."""
    if not 0 <= ply < match.ply:
        return False
    table = match.table.back(ply)
    if table.turn != seat:
        return False
    try:
        table.play(action)
    except IllegalAction:
        return False
    return table.actions[-1] == match.table.actions[ply]


def agent_move(transaction: Transaction, number: str, ply: int, action: int) -> None:
    """Play the action that an agent has chosen in a worker process, unless the ply has been played already."""
    match = transaction.match(number)
    if match.ply == ply and match.state == "playing":
        try:
            transaction.play(match, action)
        except IllegalAction:
            raise Refusal(500, Message("server.illegal")) from None


def forfeit(transaction: Transaction, number: str, ply: int) -> None:
    """End the match as lost for the seat to act at that ply."""
    match = transaction.lock_match(number)
    if match.ply == ply and match.state == "playing" and match.table.turn is not None:
        transaction.end(match, Ending("forfeit", match.table.turn))


@dataclass(frozen=True)
class Progress:
    """State of a match after agents have played."""

    more: bool  # True if an immediate agent is still to act
    watched: bool  # True if all seats are agents


def go_on(transaction: Transaction, number: str) -> Progress:
    """Let immediate agents play while it is their turn."""
    match = transaction.match(number)
    if match.state == "playing":
        transaction.answer(match)
    seat = agent_to_act(match)
    more = seat is not None and transaction.agent_pool.at_once(match.game, match.sitting[seat].agent or "") is not None
    return Progress(more, not match.people)


def claim(transaction: Transaction, number: str, token: str) -> None:
    """Claim the game because the seat to act has been away for too long or is out of time."""
    match = transaction.lock_match(number)  # locked and read again: another process may have heard of the seat to act
    seat = _opened(transaction, match, token)
    assert seat is not None
    match.check_claim(seat, transaction.now)
    transaction.end(match, Ending(match.lateness(transaction.now), seat))


def seen(
    transaction: Transaction, heard: Mapping[tuple[str, int], tuple[float, bool]], looked_at: Collection[str] = ()
) -> list[str]:
    """Store when seats were last connected and whether they have left, and notify the others.

    For the matches `looked_at`, read the same from other processes.  Return those whose agent is overdue: the process
    that called it may have ended.
    """
    database.set_seen(transaction.connection, heard)
    found = dict(heard)
    for number, seat, at, here in database.read_seen(transaction.connection, looked_at):
        found[number, seat] = (at, here)
    numbers = dict.fromkeys([number for number, _ in found])
    there = {number: match for number in numbers if (match := transaction.find(number)) is not None}
    for (number, seat), (at, here) in found.items():
        if number in there:
            match = there[number]
            match.sit(replace(match.sitting[seat], seen=at, here=here))
    for match in there.values():
        if match.told_here != match.here(transaction.now):
            transaction.mark_changed(match)
    return [
        number
        for number in looked_at
        if (found_here := transaction.find(number)) and _is_overdue(found_here, transaction.now)
    ]


def _is_overdue(match: Match, now: float) -> bool:
    return agent_to_act(match) is not None and not match.since <= now < match.since + OVERDUE


def again(transaction: Transaction, numbers: Collection[str] | None = None) -> None:
    """Read matches again that another process has changed (None: all); drop those without connections here."""
    for number in transaction.known() if numbers is None else numbers:
        if transaction.connections.is_looked_at(number) and transaction.find(number) is not None:
            with suppress(Refusal):  # deleted; its connections are notified
                transaction.again(number)
        else:
            transaction.drop(number)


# --- Calls of agents --------------------------------------------------------------------------------


def thought(transaction: Transaction, number: str, ply: int | None = None) -> tuple[int, DecisionRequest] | None:
    """Return the ply and the call of the agent to act, now or at a ply; None if no agent is to act."""
    match = transaction.match(number)
    table = match.table if ply is None else match.table.back(ply)
    seat = table.turn
    if seat is None or match.sitting[seat].agent is None or (ply is None and match.state != "playing"):
        return None
    return table.ply, _thought(match, table.actions, match.sitting[seat].agent or "", fair_deals.luck(match.row.secret))


def played(match: Match) -> DecisionRequest:
    """Return all actions of a match, for an analysis."""
    return _thought(match, match.table.actions, "", "")


def _thought(match: Match, actions: Any, spec: str, luck: str) -> DecisionRequest:
    seed = int(match.table.record()["seed"])
    rules, watched = dict(match.game.options), not match.people
    return DecisionRequest(match.row.game, rules, seed, tuple(map(int, actions)), spec, luck, watched)


def why(transaction: Transaction, number: str, token: str | None, ply: int) -> tuple[dict[str, Any], DecisionRequest]:
    """Return the call that explains an agent's decision at a ply, once the explanation helps no player."""
    match, _ = _known(transaction, number, token)
    if not match.option("why"):
        raise Refusal(403, Message("server.why-off"))
    table = match.table
    if not 0 <= ply < table.ply:
        raise Refusal(404, Message("server.no-ply", ply=ply, last=table.ply))
    before = table.back(ply)
    seat = before.turn
    assert seat is not None
    agent = match.sitting[seat].agent
    if agent is None:
        raise Refusal(404, Message("server.why-person"))
    if match.state != "over" and not _dealt_since(match, before):
        raise Refusal(403, Message("server.why-early"))
    asked = _thought(match, before.actions, agent, fair_deals.luck(match.row.secret))
    return {"ply": ply, "seat": seat, "agent": match.agent_shown(match.sitting[seat])}, asked


def _dealt_since(match: Match, before: Any) -> bool:
    """Return whether a new deal has begun since a position, so that its hidden cards no longer matter."""
    entries = match.table.log[before.noted.shape[1] :]
    return any(entry["event"] in match.game.kind.deals for entry in entries)


def hint(transaction: Transaction, number: str, token: str, agent: str) -> DecisionRequest:
    """Return the call of an agent for a hint from the seat's view."""
    match, seat = seated(transaction, number, token)
    if not match.option("hint"):
        raise Refusal(403, Message("server.hint-off"))
    if match.state != "playing" or match.table.turn != seat:
        raise Refusal(409, Message("server.turn"))
    agent = transaction.agent_pool.check_adviser(match.game, agent)
    return _thought(match, match.table.actions, agent, f"hint {seat} {match.id}")
