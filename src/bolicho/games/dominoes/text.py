"""Texts of dominoes: actions, setups and events in both directions, and the view for a terminal."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bolicho.errors import BadInput, unknown
from bolicho.games.dominoes import kernel as k
from bolicho.games.dominoes.compiled import calls
from bolicho.games.dominoes.rules import HALVES, SIDES, TILES, DrawRules, FivesRules, set_size
from bolicho.games.dominoes.state import PIPS, DominoesTable, Fields, Line, lacked, open_ends
from bolicho.games.game import View
from bolicho.games.kind import Action, Pool
from bolicho.games.small_game import Entry
from bolicho.i18n import Catalogue, Fact, Message, Refused, Seat, Several, columns

_NUMBERS = {name: number for number, name in enumerate(TILES)}
_ACTION = re.compile(r"(\d+)-(\d+)(?: ([a-z]))?")
_SETUP_KEYS = ("first", "hands", "boneyard")


def held(words: NDArray[np.int64]) -> list[int]:
    """Return the tiles of a set of bits, ascending."""
    bits = int.from_bytes(words.tobytes(), "little")
    return [tile for tile in range(bits.bit_length()) if bits >> tile & 1]


# --- Actions ------------------------------------------------------------------------------------


@lru_cache(maxsize=1 << 16)
def _fitting_sides(ends: bytes, tile: int) -> tuple[int, ...]:
    """Return the open sides that a tile fits."""
    return tuple(side for side, value in enumerate(ends) if value in HALVES[tile])


@lru_cache(maxsize=1 << 16)
def _text(ends: bytes, number: int) -> str:
    tile, side = divmod(number, k.NUM_SIDES)
    return f"{TILES[tile]} {SIDES[side]}" if len(_fitting_sides(ends, tile)) > 1 else TILES[tile]


def action_text(state: np.void, number: int) -> str:
    """Return a tile, and its side if there is a choice."""
    return _text(state["ends"].tobytes(), number)


def read_action(state: np.void, text: str) -> int:
    """Return the number of an action, written as a tile, or as a tile and a side that it fits."""
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
        raise Refused(Message("dominoes.refused.not held", tile=name), f"seat {seat} does not hold {name}")
    if state["num_plays"] == 0:
        if state["lead"] not in (k.NONE, tile):
            raise _refused("lead", tile=TILES[int(state["lead"])])
        if side in ("u", "d"):
            raise _refused("no arm")
        return tile * k.NUM_SIDES
    ends = open_ends(state["ends"].tolist())
    fitting = [letter for letter, value in ends.items() if value in HALVES[tile]]
    if side is None:
        if not fitting:
            needs = [Message("dominoes.refused.needs", side=side, value=value) for side, value in ends.items()]
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
    return Refused(Message(f"dominoes.refused.{why}", **facts))


@lru_cache(maxsize=1 << 10)
def _name(action: str) -> Message:
    tile, _, side = str(action).partition(" ")  # partition returns an Action itself if it finds nothing
    if side:
        return Message("dominoes.action.side", tile=tile, side=Message(f"dominoes.side.{side}"))
    return Message("dominoes.action.tile", tile=tile)


def name_action(state: np.void, action: str) -> Message:
    """Return the name of an action, for people: the tile, and the side if there is a choice."""
    return _name(action)


def _read_tile(name: Any, highest: int) -> int:
    """Return the number of a tile of the set, written with its high half first."""
    if not isinstance(name, str) or name not in _NUMBERS:
        high, dash, low = name.partition("-") if isinstance(name, str) else ("", "", "")
        if dash and f"{low}-{high}" in _NUMBERS:
            raise _refused("order", tile=repr(name), right=f"{low}-{high}")
        raise _refused("no tile", tile=repr(name))
    if _NUMBERS[name] >= set_size(highest):
        raise _refused("not in set", tile=repr(name), highest=highest)
    return _NUMBERS[name]


# --- Setups -------------------------------------------------------------------------------------


def read_setup(rules: DrawRules | FivesRules, pool: Pool, setup: Mapping[str, Any]) -> None:
    """Deal given hands: {"first": 0, "hands": [[tiles], [tiles]], "boneyard": [tiles, first drawn first]}.

    Without `first` the rules decide who opens; with it, that seat opens with any tile.
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
    calls.clear(pool)
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
            calls.deal_tile(pool, seat, tile)
    calls.open_game(pool, k.NONE if first is None else first)


# --- Events -------------------------------------------------------------------------------------


def entry(row: NDArray[np.int16]) -> Entry:
    """Return an event of the state record as a dictionary; the tile of another seat's draw is None."""
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


def said(entry: Entry) -> Message:
    """Return the message of an event."""
    who = Seat(entry["seat"])
    match entry["event"]:
        case "opens":
            return Message("dominoes.opens", who=who, tile=entry["tile"])
        case "drew" if entry["tile"] is None:
            return Message("dominoes.drew.hidden", who=who)
        case "drew":
            return Message("dominoes.drew.tile", who=who, tile=entry["tile"])
        case "passed":
            return Message("dominoes.passed", who=who)
        case "points":
            return Message("dominoes.points", who=who, points=entry["points"])
        case "won":
            how = "blocked" if entry["blocked"] else "out"
            return Message(f"dominoes.won.{how}", who=who, points=entry["points"])
        case _:
            return Message("dominoes.chose", who=who, action=_name(entry["action"]))


def result(state: np.void) -> Entry:
    """Return the game-specific part of a result: hands, boneyard and open ends."""
    return {
        "hands": [[TILES[tile] for tile in held(hand)] for hand in state["hands"]],
        "boneyard": [TILES[tile] for tile in state["boneyard"][state["drawn"] : state["num_boneyard"]]],
        "ends": open_ends(state["ends"].tolist()),
    }


def tie_winners(state: np.void) -> list[int]:
    """Return the seat that went out or closed the game, though the other hand has no pips (the tile 0-0)."""
    kind, seat, *_ = state["events"][int(state["num_events"]) - 1]
    return [int(seat)] if kind == k.WON else []


# --- The view -----------------------------------------------------------------------------------


class DominoesView(View):
    """A seat's view of dominoes: its hand, the line, and the numbers of tiles in other places."""

    __slots__ = ()
    fields: Fields
    table: DominoesTable

    @property
    def hand(self) -> list[str]:
        """Tiles in hand, the lowest high half first."""
        return list(self.fields.hands[self.seat])

    @property
    def other_hand(self) -> list[str]:
        """The other seat's tiles: known when the game is over, and to an oracle; otherwise empty."""
        return list(self.fields.hands[1 - self.seat])

    @property
    def other(self) -> int:
        """Number of tiles in the other seat's hand."""
        return self.fields.counts[1 - self.seat]

    @property
    def boneyard(self) -> int:
        """Number of tiles in the boneyard."""
        return self.fields.num_boneyard - self.fields.drawn

    @property
    def ends(self) -> dict[str, int]:
        """The open sides and the value that fits each, as {"l": 6, "r": 4}."""
        return open_ends(self.fields.ends)

    @property
    def line(self) -> Line:
        """The tiles on the table, in their arrangement."""
        return self.table.line

    @property
    def last(self) -> str | None:
        """Tile played last."""
        return self.table.last

    @property
    def pips(self) -> int:
        """Number of pips in hand."""
        return sum(PIPS[tile] for tile in self.hand)

    @property
    def unseen(self) -> list[str]:
        """Tiles in the other hand or in the boneyard."""
        seen = {*self.hand, *self.fields.played}
        return [tile for tile in self.fields.tiles if tile not in seen]

    @property
    def lacked(self) -> list[int]:
        """Values that the other seat lacked when it last had to draw or pass."""
        return lacked(self.fields, 1 - self.seat)

    @property
    def total(self) -> int:
        """Sum of the open ends, as all fives counts it."""
        return self.table.total or 0

    def points(self, action: Action) -> int:
        """Return the points of the open ends after a legal action, before any bonus (all fives)."""
        return int(calls.points(self.pool, int(action)))

    def text(self, words: Catalogue) -> str:
        """Return the line and the hand as text, as this seat sees them."""
        shown, me = self.table, self.seat

        def say(key: str, **facts: Fact) -> str:
            return words.say(Message(key, **facts))

        mine, theirs = self.scores[me], self.scores[1 - me]
        head = say("dominoes.view", mine=mine, theirs=theirs, boneyard=shown.boneyard, other=self.other)
        rows = [(say("dominoes.view.line"), _row(shown.line))]
        for key, arm in (("dominoes.view.up", shown.line.up), ("dominoes.view.down", shown.line.down)):
            if arm:
                rows.append((say(key), " ".join(f"{inner}-{outer}" for inner, outer in arm)))
        if shown.ends:
            ends = ", ".join(f"{side} {value}" for side, value in shown.ends.items())
            if shown.fives:
                ends = say("dominoes.view.sum", ends=ends, total=self.total)
            rows.append((say("dominoes.view.ends"), ends))
        hand = say("dominoes.view.pips", tiles=" ".join(shown.hand) or "-", pips=self.pips)
        rows.append((say("dominoes.view.hand"), hand))
        if self.lacked:
            rows.append((say("dominoes.view.lacked"), ", ".join(map(str, self.lacked))))
        return "\n".join([head, *columns(rows)])


def _row(laid: Line) -> str:
    """Return the row as text, with the spinner in brackets."""
    tiles = [f"{left}-{right}" for left, right in laid.row]
    if laid.spinner is not None:
        tiles[laid.spinner] = f"[{tiles[laid.spinner]}]"
    return " ".join(tiles) or "-"
