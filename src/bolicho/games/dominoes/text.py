"""Dominoes in words: actions, setups and events, both ways; what a person reads at the table."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bolicho.errors import BadInput, unknown
from bolicho.games.dominoes import kernel as k
from bolicho.games.dominoes.rules import HALVES, SIDES, TILES, DrawRules, FivesRules, set_size
from bolicho.games.game import Action, Pool, View
from bolicho.games.jit import njit
from bolicho.games.plain import Entry
from bolicho.words import Fact, Refused, Said, Seat, Several, Words, columns

_NUMBERS = {name: number for number, name in enumerate(TILES)}
_ACTION = re.compile(r"(\d+)-(\d+)(?: ([a-z]))?")
_SETUP_KEYS = ("first", "hands", "boneyard")


def held(words: NDArray[np.int64]) -> list[int]:
    """The tiles of a set of bits, ascending."""
    return tiles_of(int.from_bytes(words.tobytes(), "little"))


def tiles_of(bits: int) -> list[int]:
    """The tiles of a set given as one number."""
    return [tile for tile in range(bits.bit_length()) if bits >> tile & 1]


# --- Actions ------------------------------------------------------------------------------------


@lru_cache(maxsize=1 << 16)
def _fitting_sides(ends: bytes, tile: int) -> tuple[int, ...]:
    """The open sides where a tile fits."""
    return tuple(side for side, value in enumerate(ends) if value in HALVES[tile])


@lru_cache(maxsize=1 << 16)
def _text(ends: bytes, number: int) -> str:
    tile, side = divmod(number, k.NUM_SIDES)
    return f"{TILES[tile]} {SIDES[side]}" if len(_fitting_sides(ends, tile)) > 1 else TILES[tile]


def action_text(state: np.void, number: int) -> str:
    """A tile, and its side where there is a choice."""
    return _text(state["ends"].tobytes(), number)


def read_action(state: np.void, text: str) -> int:
    """The number of an action written as a tile, or as a tile and a side where it fits."""
    if text in ("draw", "pass"):
        raise _refused(f"forced {text}")
    match = _ACTION.fullmatch(text)
    if not match:
        raise _refused("syntax")
    tile = _read_tile(f"{match[1]}-{match[2]}", int(state["highest"]))
    name, side = TILES[tile], match[3]
    if side and side not in SIDES:
        raise _refused("no side", side=repr(side))
    seat = int(state["turn"])
    if seat >= 0 and tile not in held(state["hands"][seat]):
        raise Refused(Said("dominoes.refused.not held", tile=name), f"seat {seat} does not hold {name}")
    if state["num_plays"] == 0:
        if state["lead"] not in (k.NONE, tile):
            raise _refused("lead", tile=TILES[int(state["lead"])])
        if side in ("u", "d"):
            raise _refused("no arm")
        return tile * k.NUM_SIDES
    ends = {SIDES[i]: int(value) for i, value in enumerate(state["ends"]) if value != k.NONE}
    fitting = [letter for letter, value in ends.items() if value in HALVES[tile]]
    if side is None:
        if not fitting:
            needs = [Said("dominoes.refused.needs", side=side, value=value) for side, value in ends.items()]
            raise _refused("no fit", tile=name, needs=Several(needs, ","))
        if len(fitting) > 1:
            raise _refused("which", tile=name, sides=Several(fitting), side=fitting[0])
        side = fitting[0]
    elif side not in ends:
        raise _refused("not open", side=side, sides=Several(list(ends), ","))
    elif side not in fitting:
        raise _refused("not there", tile=name, side=side, value=ends[side])
    return tile * k.NUM_SIDES + SIDES.index(side)


def _refused(why: str, **facts: Fact) -> Refused:
    return Refused(Said(f"dominoes.refused.{why}", **facts))


@lru_cache(maxsize=1 << 10)
def _name(action: str) -> Said:
    tile, _, side = str(action).partition(" ")  # partition gives an Action back where it finds nothing
    if side:
        return Said("dominoes.action.side", tile=tile, side=Said(f"dominoes.side.{side}"))
    return Said("dominoes.action.tile", tile=tile)


def name_action(state: np.void, action: str) -> Said:
    """What people call an action: the tile, and the side where there is a choice."""
    return _name(action)


def _read_tile(name: Any, highest: int) -> int:
    """The number of a tile of the set, written high half first."""
    if not isinstance(name, str) or name not in _NUMBERS:
        high, dash, low = name.partition("-") if isinstance(name, str) else ("", "", "")
        if dash and f"{low}-{high}" in _NUMBERS:
            raise _refused("order", tile=repr(name), right=f"{low}-{high}")
        raise _refused("no tile", tile=repr(name))
    if _NUMBERS[name] >= set_size(highest):
        raise _refused("not in set", tile=repr(name), highest=highest)
    return _NUMBERS[name]


# --- Setups -------------------------------------------------------------------------------------


@njit
def _clear(pool: Pool) -> None:
    k.clear(pool[0])


@njit
def _lay(pool: Pool, seat: int, tile: int) -> None:
    """Deal a tile to a seat, or to the boneyard."""
    s = pool[0]
    if seat < 0:
        s.boneyard[s.num_boneyard] = tile
        s.num_boneyard += 1
    else:
        k.give(s, seat, tile)


@njit
def _open(pool: Pool, first: int) -> None:
    """Open the game for a seat, or for the one the rules say."""
    s = pool[0]
    k.open_game(s, first if first >= 0 else k.opener(s))


def read_setup(rules: DrawRules | FivesRules, pool: Pool, setup: Mapping[str, Any]) -> None:
    """Deal as written: {"first": 0, "hands": [[tiles], [tiles]], "boneyard": [tiles, first drawn first]}.

    Without `first` the rules say who opens; with it, that seat opens with what it likes.
    """
    for key in setup:
        if key not in _SETUP_KEYS:
            raise unknown("key of a dominoes setup", key, _SETUP_KEYS)
    first = setup.get("first")
    if first is not None and (type(first) is not int or first not in (0, 1)):
        raise BadInput(f"setup: first must be seat 0 or 1, not {first!r}")
    hands, boneyard = setup.get("hands"), setup.get("boneyard", [])
    if not (isinstance(hands, list | tuple) and len(hands) == 2 and all(isinstance(h, list | tuple) for h in hands)):
        raise BadInput("setup: hands must be two lists of tiles, as in [['6-4', '3-3'], ['5-0']]")
    if not isinstance(boneyard, list | tuple):
        raise BadInput("setup: boneyard must be a list of tiles, the first to be drawn first")
    _clear(pool)
    seen: set[int] = set()
    for seat, where, tiles in ((0, "seat 0", hands[0]), (1, "seat 1", hands[1]), (k.NONE, "the boneyard", boneyard)):
        if seat >= 0 and not tiles:
            raise BadInput(f"setup: {where} has an empty hand; it needs a tile")
        for name in tiles:
            try:
                tile = _read_tile(name, rules.highest)
            except BadInput as problem:
                raise BadInput(f"setup: {where}: {problem}") from None
            if tile in seen:
                raise BadInput(f"setup: the tile {name} is there twice")
            seen.add(tile)
            _lay(pool, seat, tile)
    _open(pool, k.NONE if first is None else first)


# --- Events -------------------------------------------------------------------------------------


def entry(row: NDArray[np.int16]) -> Entry:
    """An event of the state record as a dictionary; the tile of somebody else's draw is None."""
    kind, seat, value, extra = (int(x) for x in row)
    match kind:
        case k.OPENED:
            return {"event": "opens", "seat": seat, "tile": TILES[value]}
        case k.DREW:
            return {"event": "drew", "seat": seat, "tile": TILES[value] if value != k.NONE else None}
        case k.PASSED:
            return {"event": "passed", "seat": seat}
        case k.SCORED:
            return {"event": "points", "seat": seat, "points": value, "for": "ends"}
        case k.WON:
            return {"event": "won", "seat": seat, "points": value, "blocked": bool(extra)}
        case _:
            tile, side = divmod(value, k.NUM_SIDES)
            return {"event": "chose", "seat": seat, "action": TILES[tile] + (f" {SIDES[side]}" if extra else "")}


def said(entry: Entry) -> Said:
    """An event as something to be said."""
    who = Seat(entry["seat"])
    match entry["event"]:
        case "opens":
            return Said("dominoes.opens", who=who, tile=entry["tile"])
        case "drew" if entry["tile"] is None:
            return Said("dominoes.drew.hidden", who=who)
        case "drew":
            return Said("dominoes.drew.tile", who=who, tile=entry["tile"])
        case "passed":
            return Said("dominoes.passed", who=who)
        case "points":
            return Said("dominoes.points", who=who, points=entry["points"])
        case "won":
            how = "blocked" if entry["blocked"] else "out"
            return Said(f"dominoes.won.{how}", who=who, points=entry["points"])
        case _:
            return Said("dominoes.chose", who=who, action=_name(entry["action"]))


def result(state: np.void) -> Entry:
    """What dominoes adds to a result: hands, boneyard and open ends as they stand."""
    return {
        "hands": [[TILES[tile] for tile in held(hand)] for hand in state["hands"]],
        "boneyard": [TILES[tile] for tile in state["boneyard"][state["drawn"] : state["num_boneyard"]]],
        "ends": open_ends(state),
    }


def open_ends(state: np.void) -> dict[str, int]:
    """The open sides and the value that fits each."""
    return {SIDES[side]: int(value) for side, value in enumerate(state["ends"]) if value != k.NONE}


# --- The line -----------------------------------------------------------------------------------


@dataclass
class Line:
    """The tiles on the table as they lie.

    `row` goes from left to right, each tile as (left half, right half); `up` and `down` go from the spinner
    outwards, each tile as (inner half, outer half).  `first` and `spinner` are the places in the row of the tile that
    was played first and of the spinner.
    """

    row: list[tuple[int, int]] = field(default_factory=list)
    first: int = 0
    spinner: int | None = None
    up: list[tuple[int, int]] = field(default_factory=list)
    down: list[tuple[int, int]] = field(default_factory=list)


def line(state: np.void) -> Line:
    """How the tiles played so far lie."""
    return lay(state["line"][: state["num_plays"]].tolist(), bool(state["fives"]))


def lay(actions: Sequence[int], fives: bool) -> Line:
    """How tiles lie that were played so; in fives the first double is the spinner."""
    laid = Line()
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


def lacked(seat: int, stuck: Sequence[int], by: Sequence[int], plays: int) -> list[int]:
    """The values that a seat had none of when it last had to draw or pass."""
    for ply in range(plays, 0, -1):
        if stuck[ply] and by[ply - 1] != seat:
            return [value for value in range(stuck[ply].bit_length()) if stuck[ply] >> value & 1]
    return []


# --- The view -----------------------------------------------------------------------------------


class DominoesView(View):
    """A seat's view of dominoes: its hand, the line, how many tiles are where."""

    __slots__ = ()

    @property
    def hand(self) -> list[str]:
        """The tiles in hand, the lowest high half first."""
        return [TILES[tile] for tile in held(self.state["hands"][self.seat])]

    @property
    def other_hand(self) -> list[str]:
        """The other seat's tiles: known when the game is over, and to an oracle; else empty."""
        return [TILES[tile] for tile in held(self.state["hands"][1 - self.seat])]

    @property
    def other(self) -> int:
        """How many tiles the other seat holds."""
        return int(self.state["counts"][1 - self.seat])

    @property
    def boneyard(self) -> int:
        """How many tiles lie in the boneyard."""
        return int(self.state["num_boneyard"] - self.state["drawn"])

    @property
    def ends(self) -> dict[str, int]:
        """The open sides and the value that fits each, as {"l": 6, "r": 4}."""
        return open_ends(self.state)

    @property
    def line(self) -> Line:
        """The tiles on the table as they lie."""
        return line(self.state)

    @property
    def last(self) -> str | None:
        """The tile played last."""
        played = int(self.state["num_plays"])
        return TILES[int(self.state["line"][played - 1]) // k.NUM_SIDES] if played else None

    @property
    def pips(self) -> int:
        """The pips in hand."""
        return sum(sum(HALVES[tile]) for tile in held(self.state["hands"][self.seat]))

    @property
    def unseen(self) -> list[str]:
        """The tiles that are in the other hand or in the boneyard."""
        s = self.state
        return [TILES[tile] for tile in held(s["tiles"] & ~(s["hands"][self.seat] | s["played"]))]

    @property
    def lacked(self) -> list[int]:
        """The values that the other seat had none of when it last had to draw or pass."""
        s = self.state
        return lacked(1 - self.seat, s["stuck"].tolist(), s["by"].tolist(), int(s["num_plays"]))

    @property
    def total(self) -> int:
        """The sum of the open ends, as all fives counts it."""
        return total_of(self.pool) if self.state["fives"] else 0

    def points(self, action: Action) -> int:
        """All fives: what the open ends score once a legal action is played, before any bonus."""
        return points_of(self.pool, int(action))

    def text(self, words: Words) -> str:
        """The line and the hand as this seat sees them, in letters."""
        laid, me = self.line, self.seat

        def say(key: str, **facts: Fact) -> str:
            return words.say(Said(key, **facts))

        mine, theirs = self.scores[me], self.scores[1 - me]
        head = say("dominoes.view", mine=mine, theirs=theirs, boneyard=self.boneyard, other=self.other)
        rows = [(say("dominoes.view.line"), _row(laid))]
        for key, arm in (("dominoes.view.up", laid.up), ("dominoes.view.down", laid.down)):
            if arm:
                rows.append((say(key), " ".join(f"{inner}-{outer}" for inner, outer in arm)))
        if self.ends:
            ends = ", ".join(f"{side} {value}" for side, value in self.ends.items())
            fives = self.state["fives"]
            rows.append(
                (say("dominoes.view.ends"), say("dominoes.view.sum", ends=ends, total=self.total) if fives else ends)
            )
        hand = say("dominoes.view.pips", tiles=" ".join(self.hand) or "-", pips=self.pips)
        rows.append((say("dominoes.view.hand"), hand))
        if self.lacked:
            rows.append((say("dominoes.view.lacked"), ", ".join(map(str, self.lacked))))
        return "\n".join([head, *columns(rows)])


def _row(laid: Line) -> str:
    """The row in letters, the spinner in brackets."""
    tiles = [f"{left}-{right}" for left, right in laid.row]
    if laid.spinner is not None:
        tiles[laid.spinner] = f"[{tiles[laid.spinner]}]"
    return " ".join(tiles) or "-"


def total_of(pool: Pool) -> int:
    """All fives: the sum of the open ends."""
    return int(_total(pool))


def points_of(pool: Pool, action: int) -> int:
    """All fives: what the open ends score once a legal action is played."""
    return int(_points(pool, action))


@njit
def _total(pool: Pool) -> Any:
    return k.ends_total(pool[0])


@njit
def _points(pool: Pool, action: int) -> Any:
    return k.points_of(pool[0], action)
