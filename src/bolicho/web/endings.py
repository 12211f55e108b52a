"""Ways in which a match ends, and the results that they give."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from bolicho.errors import BadInput
from bolicho.games.game import Table

Way = Literal["played", "away", "clock", "forfeit", "resigned", "stopped"]
"""By its actions; claimed, from a seat that is away or out of time; forfeited by a failing bot; resigned; or stopped
by agreement of all people, without a winner."""

CLAIMED = ("away", "clock")


@dataclass(frozen=True)
class Ending:
    """Way in which a match ends, and the seat that claims, forfeits or resigns it."""

    way: Way = "played"
    seat: int | None = None

    def result(self, table: Table) -> dict[str, Any]:
        """Return scores, winners and the seat that claimed the game, and how it ended unless by its actions."""
        facts: dict[str, Any] = {"scores": table.scores, "winners": self.winners(table), "claimed": None}
        if self.way == "forfeit":  # as if the first of the other seats had claimed the game
            return {**facts, "claimed": facts["winners"][0], "forfeit": self.seat}
        if self.way in CLAIMED:
            return {**facts, "claimed": self.seat, "ended": self.way}
        if self.way == "resigned":
            return {**facts, "ended": self.way, "by": self.seat}
        return facts if self.way == "played" else {**facts, "ended": self.way}

    def winners(self, table: Table) -> list[int]:
        """Return the winning seats."""
        if self.way == "played":
            return table.winners
        if self.way in CLAIMED:
            return [] if self.seat is None else [self.seat]
        return [] if self.way == "stopped" else [seat for seat in range(table.game.seats) if seat != self.seat]


PLAYED = Ending()


def read_ending(table: Table, result: Mapping[str, Any], agents: Sequence[Any]) -> Ending:
    """Return how a stored result says that a match ended; raise `BadInput` if that is not possible at this table."""
    claimed, forfeit, way = result["claimed"], result.get("forfeit"), result.get("ended")
    by = result.get("by") if way == "resigned" else None
    for name, seat in (("claimed", claimed), ("forfeit", forfeit), ("by", by)):
        if seat is not None and (type(seat) is not int or not 0 <= seat < table.game.seats):
            raise BadInput(f'"{name}" of the result is a seat from 0 to {table.game.seats - 1} or null, not {seat!r}')
    if claimed is None and forfeit is None and way in (None, *CLAIMED):
        if not table.over:
            raise BadInput(f"the actions end at ply {table.ply}, where the game is not over, and no seat claimed it")
        return PLAYED
    if table.over:
        raise BadInput("the game is over by its actions, so no seat could claim, forfeit or leave it")
    if forfeit is not None:
        if forfeit != table.turn:
            raise BadInput(f"seat {forfeit} forfeited, and it was the turn of seat {table.turn}")
        first = 1 if forfeit == 0 else 0
        if claimed != first:
            raise BadInput(f"seat {forfeit} forfeited, so the game is claimed for seat {first}, not {claimed}")
        return Ending("forfeit", forfeit)
    if claimed is not None:
        if claimed == table.turn:
            raise BadInput(f"seat {claimed} claimed the game, and it was that seat's own turn")
        if agents[claimed] is not None:
            raise BadInput(f"seat {claimed} claimed the game, and its player is an agent: agents cannot claim")
        return Ending("clock" if way == "clock" else "away", claimed)
    if way == "resigned" and by is not None:
        if agents[by] is not None:
            raise BadInput(f"seat {by} resigned, and its player is an agent: agents cannot resign")
        return Ending("resigned", by)
    if way == "stopped":
        return Ending("stopped")
    raise BadInput(f'"ended" of the result is one of away, clock, resigned (with "by") and stopped, not {way!r}')


def describe_ending(ending: Ending, table: Table) -> str:
    """Return how a match ended, for `bolicho verify`."""
    return {
        "played": "the game is over",
        "forfeit": f"seat {ending.seat}, which was to act, forfeited",
        "resigned": f"seat {ending.seat} resigned",
        "stopped": "all people agreed to stop",
    }.get(ending.way, f"seat {ending.seat} claimed it on the turn of seat {table.turn}")


def tally(result: Mapping[str, Any], options: Mapping[str, Any], seats: int) -> dict[str, list[int]]:
    """Return the games that each seat has won at a table, and its points in a series that goes on.

    `options` has the tally before this game as `evening`.  A series is won with its target, by one seat alone, and also
    where a game is resigned or claimed.
    """
    before = options.get("evening") or {"won": [0] * seats, "points": [0] * seats}
    won, points, winners = list(before["won"]), list(before["points"]), list(result["winners"])
    target = options.get("series")
    if target is not None and "ended" not in result:
        points = [had + more for had, more in zip(points, result["scores"], strict=True)]
        best = max(points)
        winners = [points.index(best)] if best >= target and points.count(best) == 1 else []
    if winners:
        points = [0] * seats
    for seat in winners:
        won[seat] += 1
    return {"won": won, "points": points}
