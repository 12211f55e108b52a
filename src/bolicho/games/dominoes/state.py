"""Structures of dominoes for views, their JSON (docs/views.md), texts and drawings."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from bolicho.games.dominoes import kernel as k
from bolicho.games.dominoes.compiled import calls
from bolicho.games.dominoes.rules import HALVES, OPENS, ROUNDINGS, SIDES, SPINNER_COUNTS, TILES
from bolicho.games.fields import Names, Structure
from bolicho.games.game import NOBODY, View

EVENTS = ("chose", "opens", "drew", "passed", "points", "won")
ENUMERATIONS = (
    ("side", tuple(SIDES)), ("event", EVENTS),
    ("opens", OPENS), ("spinner", SPINNER_COUNTS), ("rounding", ROUNDINGS),
)  # fmt: skip

VIEW_CALLS = (("ends_total", calls.ends_total, "pool"), ("points", calls.points, "pool int"))
facts = dict  # all others are enumerations

PIPS = {name: high + low for name, (high, low) in zip(TILES, HALVES, strict=True)}
TILE = Names("tile", {k.NONE: None, **dict(enumerate(TILES))})
HELD = Names("tile", TILE.of, "bits")

Tiles = Annotated[tuple[str, ...], HELD]
Hands = Annotated[tuple[tuple[str, ...], ...], HELD]


class Fields(NamedTuple):
    """The visible fields of a record, see `kernel`."""

    fives: int
    highest: int
    multiple: int
    lead: Annotated[str | None, TILE]
    tiles: Tiles
    hands: Hands
    counts: tuple[int, int]
    num_boneyard: int
    drawn: int
    turn: int
    ends: tuple[int, ...]
    played: Tiles
    num_plays: int
    line: tuple[int, ...]
    by: tuple[int, ...]
    stuck: tuple[int, ...]


@dataclass
class Line(Structure):
    """The tiles on the table, in their arrangement."""

    row: list[tuple[int, int]]  # from left to right, each tile as (left half, right half)
    first: int  # index in the row of the first tile played
    spinner: int | None  # index in the row of the spinner
    up: list[tuple[int, int]]  # from the spinner outwards, each tile as (inner half, outer half)
    down: list[tuple[int, int]]  # from the spinner outwards


@dataclass(frozen=True)
class DominoesTable(Structure):
    """The line and its ends, one's own hand, the numbers of tiles elsewhere, and the values that each seat lacked."""

    fives: bool  # True in all fives, where the ends score
    highest: int  # the highest double of the set
    line: Line
    ends: dict[str, int]  # value that fits each open side: `l`, `r`, `u`, `d`
    total: int | None  # sum of the ends, in all fives
    hand: list[str]  # own tiles
    counts: list[int]  # tiles in hand, by seat
    boneyard: int  # tiles in the boneyard
    last: str | None  # tile played last
    lead: str | None  # tile that must open
    lacked: list[list[int]]  # by seat, the values that it lacked when it last drew or passed
    points: dict[str, int]  # in all fives, the score of each legal action
    hands: list[list[str]] | None  # both hands when the game is over
    pips: int | None  # of the own tiles


def table(view: View) -> DominoesTable:
    """Return the table of a view."""
    s: Fields = view.fields
    plays, fives = s.num_plays, bool(s.fives)
    hand = s.hands[view.seat] if view.seat != NOBODY else ()
    return DominoesTable(
        fives=fives,
        highest=s.highest,
        line=arrangement(s.line[:plays], fives),
        ends=open_ends(s.ends),
        total=int(calls.ends_total(view.pool)) if fives else None,
        hand=list(hand),
        counts=list(s.counts),
        boneyard=s.num_boneyard - s.drawn,
        last=TILES[s.line[plays - 1] // k.NUM_SIDES] if plays else None,
        lead=s.lead if not plays else None,
        lacked=[lacked(s, seat) for seat in range(2)],
        points={str(action): int(calls.points(view.pool, action.number)) for action in view.legal} if fives else {},
        hands=[list(tiles) for tiles in s.hands] if s.turn < 0 else None,
        pips=sum(PIPS[tile] for tile in hand) if view.seat != NOBODY else None,
    )


def open_ends(ends: Iterable[int]) -> dict[str, int]:
    """Return the open sides and the value that fits each."""
    return {side: value for side, value in zip(SIDES, ends, strict=True) if value != k.NONE}


def arrangement(actions: Sequence[int], fives: bool) -> Line:
    """Return the arrangement of tiles after these actions; in fives the first double is the spinner."""
    laid = Line(row=[], first=0, spinner=None, up=[], down=[])
    row = laid.row
    for number in actions:
        tile, side = divmod(number, k.NUM_SIDES)
        high, low = HALVES[tile]
        place = 0
        if not row:
            row.append((high, low))
        elif side == k.LEFT:
            inner = row[0][0]
            row.insert(0, (high + low - inner, inner))
            laid.first += 1
            laid.spinner = None if laid.spinner is None else laid.spinner + 1
        elif side == k.RIGHT:
            inner = row[-1][1]
            row.append((inner, high + low - inner))
            place = len(row) - 1
        else:
            assert laid.spinner is not None
            arm = laid.up if side == k.UP else laid.down
            inner = arm[-1][1] if arm else row[laid.spinner][0]
            arm.append((inner, high + low - inner))
        if fives and high == low and laid.spinner is None:
            laid.spinner = place
    return laid


def lacked(s: Fields, seat: int) -> list[int]:
    """Return the values that a seat lacked when it last had to draw or pass."""
    for ply in range(s.num_plays, 0, -1):
        stuck = s.stuck[ply]
        if stuck and s.by[ply - 1] != seat:
            return [value for value in range(stuck.bit_length()) if stuck >> value & 1]
    return []
