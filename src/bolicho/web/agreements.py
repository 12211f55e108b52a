"""Requests about the end of a match: resigning, stopping by agreement, and a rematch at the same table."""

from dataclasses import replace
from typing import Any

from bolicho.i18n import Message
from bolicho.store import database
from bolicho.store.database import SeatRow
from bolicho.web import fair_deals
from bolicho.web.endings import Ending, tally
from bolicho.web.match import Match
from bolicho.web.refusal import Refusal
from bolicho.web.transactions import Transaction


def resign(transaction: Transaction, number: str, token: str) -> None:
    """End the match as lost for the token's seat; with three seats and more only if no other person plays."""
    match, seat = _playing(transaction, number, token)
    if match.game.seats > 2 and len(match.people) > 1:
        raise Refusal(403, Message("server.no-resign"))
    transaction.end(match, Ending("resigned", seat))


def stop(transaction: Transaction, number: str, token: str, offer: bool) -> None:
    """Offer to end the match without a winner, or take the offer back; it ends once all people offer it."""
    match, seat = _playing(transaction, number, token)
    if len(match.people) < 2:
        raise Refusal(403, Message("server.no-stop"))
    transaction.mark_changed(match)
    database.set_seat(transaction.connection, number, seat, stops=offer)
    match.sit(replace(match.sitting[seat], stops=offer))
    if all(match.sitting[person].stops for person in match.people):
        transaction.end(match, Ending("stopped"))


def _playing(transaction: Transaction, number: str, token: str) -> tuple[Match, int]:
    """Return a match under way, locked, and the token's seat; those of studies end as their plan says."""
    match, seat = _locked(transaction, number, token)
    if match.state != "playing":
        raise Refusal(409, Message("server.waiting" if match.state == "waiting" else "server.over"))
    return match, seat


def _locked(transaction: Transaction, number: str, token: str) -> tuple[Match, int]:
    match = transaction.lock_match(number)
    seat = match.seat_of(token)
    assert seat is not None
    if match.study is not None or match.option("bots"):
        raise Refusal(403, Message("server.no-agreement"))
    return match, seat


def rematch(transaction: Transaction, number: str, token: str, nonce_commit: str) -> dict[str, Any]:
    """Offer a rematch; it is created once all people offer it.  Return its id, or null, and the seat there.

    All players move on by one seat, and the people keep their tokens.
    """
    match, seat = _locked(transaction, number, token)
    if match.state != "over":
        raise Refusal(409, Message("server.not-over"))
    if match.row.following is None:
        transaction.mark_changed(match)
        commit = bytes.fromhex(nonce_commit)
        database.set_seat(transaction.connection, number, seat, rematch=commit)
        match.sit(replace(match.sitting[seat], rematch=commit))
        if all(match.sitting[person].rematch is not None for person in match.people):
            _begin(transaction, match)
    return {"match": match.row.following, "seat": next_seat(match, seat)}


def next_seat(match: Match, seat: int) -> int:
    """Return the seat in the rematch of the player of a seat."""
    return (seat + 1) % match.game.seats


def _begin(transaction: Transaction, match: Match) -> None:
    """Create the rematch."""
    row = replace(
        match.row,
        id=database.new_name(),
        options={**match.row.options, "evening": _evening(match)},
        secret=fair_deals.new_secret(),
        made=transaction.now,
        dealt=None,
        ended=None,
        claimed=None,
        result=None,
        fair_version=fair_deals.VERSION,
    )
    following = Match(row, _sitting(match, transaction.now), transaction.uptime)
    transaction.add(following)
    database.set_following(transaction.connection, match.id, row.id)
    match.row = replace(match.row, following=row.id)
    transaction.begin(following)


def _sitting(match: Match, now: float) -> list[SeatRow]:
    moved = [
        SeatRow(
            next_seat(match, old.seat),
            old.name,
            agent=old.agent,
            token=old.token,
            nonce_commit=old.rematch or None,
            seen=None if old.agent is not None else now,
        )
        for old in match.sitting
    ]
    return sorted(moved, key=lambda row: row.seat)


def _evening(match: Match) -> dict[str, list[int]]:
    """Return the games won at this table and the points of its series, by the seats of the rematch."""
    assert match.row.result is not None
    found = tally(match.row.result, match.row.options, match.game.seats)
    return {name: _moved(match, numbers) for name, numbers in found.items()}


def _moved(match: Match, numbers: list[int]) -> list[int]:
    """Return numbers of seats by the seats of the rematch."""
    found = [0] * len(numbers)
    for seat, number in enumerate(numbers):
        found[next_seat(match, seat)] = number
    return found
