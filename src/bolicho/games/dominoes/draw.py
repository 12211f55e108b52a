"""SVG drawing of a view of dominoes: the line of play, both hands, the boneyard.

The unit is half a tile.  The four arms leave the middle tile as on a pinwheel: an arm that reaches the border turns
clockwise into its own quarter of the table and snakes there, so that lines of any length fit and no two arms meet.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from bolicho.games.dominoes.rules import HALVES, TILES
from bolicho.games.dominoes.state import Line
from bolicho.games.dominoes.text import DominoesView
from bolicho.games.game import View

UNIT = 28  # pixels of half a tile, at the drawing's nominal size
REACH = {"l": 11.0, "r": 11.0, "u": 6.0, "d": 6.0}  # length of an arm before it turns
KEEP_OFF = 1.6  # minimum distance to the next arm: half a tile laid across, and a gap
DIRECTIONS = {"l": (-1, 0), "r": (1, 0), "u": (0, -1), "d": (0, 1)}
MARGIN = 0.6
HAND_ROW = 16  # tiles in a row of a hand

FELT, TILE, INK, BACK, MARK, WORDS = "#2f6b4f", "#fdf9ee", "#26302b", "#7a4a2b", "#e0a526", "#eef4ee"

_ROW3 = (0.22, 0.5, 0.78)
_ROW4 = (0.17, 0.39, 0.61, 0.83)
_CORNERS = [(x, y) for x in (_ROW3[0], _ROW3[2]) for y in (_ROW3[0], _ROW3[2])]
_SIX = [(x, y) for x in (_ROW3[0], _ROW3[2]) for y in _ROW3]
_EIGHT = [(x, y) for x in _ROW3 for y in _ROW3 if (x, y) != (0.5, 0.5)]
_TEN = [(x, y) for x in _ROW4 for y in (_ROW3[0], _ROW3[2])]
PIP_PLACES: tuple[list[tuple[float, float]], ...] = (
    [],
    [(0.5, 0.5)],
    [_CORNERS[0], _CORNERS[3]],
    [_CORNERS[0], (0.5, 0.5), _CORNERS[3]],
    _CORNERS,
    [*_CORNERS, (0.5, 0.5)],
    _SIX,
    [*_SIX, (0.5, 0.5)],
    _EIGHT,
    [*_EIGHT, (0.5, 0.5)],
    [*_TEN, (_ROW4[1], 0.5), (_ROW4[2], 0.5)],
    [*_TEN, (_ROW4[0], 0.5), (0.5, 0.5), (_ROW4[3], 0.5)],
    [(x, y) for x in _ROW4 for y in _ROW3],
)
"""Positions of the pips of a half, for each value, in a square of side 1."""


@dataclass(frozen=True)
class Placed:
    """A tile on the table: its middle, its halves, and the direction from the first half to the second."""

    x: float
    y: float
    first: int
    second: int
    dx: int
    dy: int

    @property
    def name(self) -> str:
        return f"{max(self.first, self.second)}-{min(self.first, self.second)}"


# --- Positions of the tiles ---------------------------------------------------------------------


def lay_out(laid: Line) -> list[Placed]:
    """Return every tile of the line with its position; the middle tile (the spinner, or the first tile) is at 0, 0."""
    if not laid.row:
        return []
    middle = laid.first if laid.spinner is None else laid.spinner
    left, right = laid.row[middle]
    is_across = left == right
    placed = [Placed(0, 0, left, right, *((0, 1) if is_across else (1, 0)))]
    half = 0.5 if is_across else 1.0
    arms = {
        "l": (half, [(inner, outer) for outer, inner in reversed(laid.row[:middle])]),
        "r": (half, laid.row[middle + 1 :]),
        "u": (1.0, laid.up),
        "d": (1.0, laid.down),
    }
    for side, (start, tiles) in arms.items():
        placed.extend(_lay_arm(side, start, tiles))
    return placed


def _lay_arm(side: str, start: float, tiles: list[tuple[int, int]]) -> Iterator[Placed]:
    """Yield the tiles of one arm: straight out, then in rows to and fro in the quarter clockwise of it."""
    out = DIRECTIONS[side]
    turned = (-out[1], out[0])  # clockwise, with y downwards
    x, y = out[0] * start, out[1] * start  # midpoint of the edge at which the next tile joins
    along, sign, turns = out, 1, 0
    for inner, outer in tiles:
        distance = x * out[0] + y * out[1]
        room = REACH[side] - distance if sign > 0 else distance - KEEP_OFF
        if turns == 1 or (turns == 0 and room < 2):
            new = turned if turns == 0 else (-out[0] * sign, -out[1] * sign)
            middle_x, middle_y = x + 0.5 * (along[0] + new[0]), y + 0.5 * (along[1] + new[1])
            yield Placed(middle_x, middle_y, inner, outer, *new)
            x, y = x + 0.5 * along[0] + 1.5 * new[0], y + 0.5 * along[1] + 1.5 * new[1]
            along = new
            turns += 1
            if turns == 2:
                sign, turns = -sign, 0
            continue
        if inner == outer:  # laid across
            yield Placed(x + 0.5 * along[0], y + 0.5 * along[1], inner, outer, *turned)
            x, y = x + along[0], y + along[1]
        else:
            yield Placed(x + along[0], y + along[1], inner, outer, *along)
            x, y = x + 2 * along[0], y + 2 * along[1]


# --- Pictures of tiles --------------------------------------------------------------------------


def _pips(value: int, x: float, y: float, upright: bool) -> Iterator[str]:
    """Yield the pips of a half whose centre is x, y; they rotate with the tile."""
    radius = 0.085 if value < 10 else 0.07
    for across, down in PIP_PLACES[value]:
        u, v = (across, down) if upright else (down, across)
        yield f'<circle cx="{x + u - 0.5:.3f}" cy="{y + v - 0.5:.3f}" r="{radius}"/>'


def tile(name: str, x: float, y: float, first: int, second: int, dx: int, dy: int, mark: bool = False) -> str:
    """Return a face-up tile with its centre at x, y."""
    upright = dx == 0
    width, height = (1.0, 2.0) if upright else (2.0, 1.0)
    edge = f'stroke="{MARK}" stroke-width="0.1"' if mark else f'stroke="{INK}" stroke-width="0.03"'
    bar = (0.36, 0.0) if upright else (0.0, 0.36)
    return "".join(
        [
            f"<g><title>{name}</title>",
            f'<rect x="{x - width / 2 + 0.04:.3f}" y="{y - height / 2 + 0.04:.3f}" width="{width - 0.08:.3f}"'
            f' height="{height - 0.08:.3f}" rx="0.12" fill="{TILE}" {edge}/>',
            f'<path d="M{x - bar[0]:.3f} {y - bar[1]:.3f}L{x + bar[0]:.3f} {y + bar[1]:.3f}" stroke="{INK}"'
            ' stroke-width="0.03"/>',
            *_pips(first, x - dx * 0.5, y - dy * 0.5, upright),
            *_pips(second, x + dx * 0.5, y + dy * 0.5, upright),
            "</g>",
        ]
    )


def back(x: float, y: float) -> str:
    """Return an upright face-down tile with its centre at x, y."""
    return (
        f'<rect x="{x - 0.46:.3f}" y="{y - 0.96:.3f}" width="0.92" height="1.92" rx="0.12" fill="{BACK}"'
        f' stroke="{INK}" stroke-width="0.03"/>'
    )


def _words(text: str, x: float, y: float, anchor: str = "start", size: float = 0.62) -> str:
    return (
        f'<text x="{x:.2f}" y="{y:.2f}" font-family="system-ui, sans-serif" font-size="{size}" fill="{WORDS}"'
        f' text-anchor="{anchor}">{text}</text>'
    )


def _hand(names: list[str | None], x: float, top: float, marked: set[str]) -> str:
    """Return tiles in rows, centred on x; None is a face-down tile, and a marked tile is raised."""
    parts = []
    for start in range(0, len(names), HAND_ROW):
        row = names[start : start + HAND_ROW]
        for i, name in enumerate(row):
            at = x + 1.15 * (i - (len(row) - 1) / 2)
            y = top + 1 + 2.4 * (start // HAND_ROW)
            if name is None:
                parts.append(back(at, y))
            else:
                high, low = HALVES[TILES.index(name)]
                parts.append(tile(name, at, y - 0.25 * (name in marked), high, low, 0, 1))
    return "".join(parts)


def _rows(count: int) -> float:
    """Return the height of a hand of `count` tiles."""
    return 2.4 * max(1, -(-count // HAND_ROW))


# --- Whole drawing ------------------------------------------------------------------------------


def svg(view: View) -> str:
    """Return the table as a seat sees it: the other hand above, the line, the seat's own hand below."""
    assert isinstance(view, DominoesView)
    laid = view.line
    placed = lay_out(laid)
    left = min([-8.0, *(p.x - 1 for p in placed)]) - MARGIN
    right = max([8.0, *(p.x + 1 for p in placed)]) + MARGIN
    top = min([-1.5, *(p.y - 1 for p in placed)]) - 2 * MARGIN
    bottom = max([1.5, *(p.y + 1 for p in placed)]) + 2 * MARGIN
    middle = (left + right) / 2
    other: list[str | None] = [*view.other_hand] or [None] * view.other
    above, below = top - _rows(len(other)) - 0.9, bottom + 0.3
    head, foot = above - 1.3, below + _rows(len(view.hand)) + 1.2
    playable = {action.partition(" ")[0] for action in view.legal} if view.turn == view.seat else set()
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:.2f} {head:.2f} {right - left:.2f} {foot - head:.2f}"'
        f' width="{(right - left) * UNIT:.0f}" height="{(foot - head) * UNIT:.0f}" role="img">',
        f"<title>{view.game.kind.title.partition(':')[0]}, seen by seat {view.seat}</title>",
        f'<rect x="{left:.2f}" y="{head:.2f}" width="{right - left:.2f}" height="{foot - head:.2f}" fill="{FELT}"/>',
        f'<g fill="{INK}">',
        _hand(other, middle, above, set()),
        *(tile(p.name, p.x, p.y, p.first, p.second, p.dx, p.dy, mark=p.name == view.last) for p in placed),
        _hand([*view.hand], middle, below, playable),
        "</g>",
        _words(f"other {view.scores[1 - view.seat]}", left + MARGIN, head + 0.9),
        _words(f"boneyard {view.boneyard}", right - MARGIN, head + 0.9, "end"),
        _words(f"you {view.scores[view.seat]}", left + MARGIN, foot - 0.4),
        _words(_status(view), right - MARGIN, foot - 0.4, "end"),
        "</svg>",
    ]
    return "".join(parts)


def _status(view: DominoesView) -> str:
    """Return the status: whose turn it is, the open ends and their sum."""
    if view.over:
        return "game over"
    turn = "your turn" if view.turn == view.seat else "the other's turn"
    ends = ", ".join(f"{side} {value}" for side, value in view.ends.items())
    total = f", sum {view.total}" if view.table.fives and ends else ""
    return f"{ends}{total}; {turn}" if ends else turn
