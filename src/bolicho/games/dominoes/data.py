"""A view of dominoes as JSON: the part `table` (docs/views.md)."""

from typing import Any

from bolicho.games.dominoes import kernel as k
from bolicho.games.dominoes.rules import HALVES, SIDES, TILES
from bolicho.games.dominoes.text import lacked, lay, points_of, tiles_of, total_of
from bolicho.games.fields import Fields
from bolicho.games.game import NOBODY, View

_NAMES = ("fives", "highest", "lead", "hands", "counts", "num_boneyard", "drawn", "turn", "ends", "num_plays", "line",
          "by", "stuck")  # fmt: skip
_read = {dtype.itemsize: Fields(dtype, _NAMES) for dtype in (k.SIX, k.LARGE)}


def data(view: View) -> dict[str, Any]:
    """The line and its ends, one's own hand, how many tiles are where, and what each seat showed that it lacked."""
    s: dict[str, Any] = _read[view.game.record_size](view.pool)
    seat, plays, fives = view.seat, s["num_plays"], bool(s["fives"])
    laid = lay(s["line"][:plays], fives)
    hands = _hands(s["hands"])
    return {
        "fives": fives,
        "highest": s["highest"],
        "line": {
            "row": [list(tile) for tile in laid.row],
            "first": laid.first,
            "spinner": laid.spinner,
            "up": [list(tile) for tile in laid.up],
            "down": [list(tile) for tile in laid.down],
        },
        "ends": {SIDES[side]: value for side, value in enumerate(s["ends"]) if value != k.NONE},
        "total": total_of(view.pool) if fives else None,
        "hand": [TILES[tile] for tile in hands[seat]] if seat != NOBODY else [],
        "counts": list(s["counts"]),
        "boneyard": s["num_boneyard"] - s["drawn"],
        "last": TILES[s["line"][plays - 1] // k.NUM_SIDES] if plays else None,
        "lead": TILES[s["lead"]] if s["lead"] != k.NONE and not plays else None,
        "lacked": [lacked(each, s["stuck"], s["by"], plays) for each in range(2)],
        "points": {str(action): points_of(view.pool, action.number) for action in view.legal} if fives else {},
        "hands": [[TILES[tile] for tile in hand] for hand in hands] if s["turn"] < 0 else None,
        "pips": sum(sum(HALVES[tile]) for tile in hands[seat]) if seat != NOBODY else None,
    }


def _hands(words: tuple[int, ...]) -> list[list[int]]:
    """The tiles of both seats, from their words of bits."""
    half = len(words) // 2
    return [
        tiles_of(sum((word & (1 << 64) - 1) << 64 * i for i, word in enumerate(hand)))
        for hand in (words[:half], words[half:])
    ]
