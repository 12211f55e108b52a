"""Heatmaps of the matrices, laid out as figures 5.5 to 5.16 of Rossato 2020.

The opponent's states run along X, one's own along Y, both from weak to strong, with the weakest of both in the upper
left corner. Few victories are brown, many are blue, with white in the middle.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bolicho.agents.markov.layout import MODES, SIZES, UNIT, level_counts, matrix
from bolicho.agents.markov.matrices import LearnedMatrices, initial
from bolicho.agents.markov.states import CLASS_NAMES, LEVELS, envido_name, flor_name, order_name, truco_name
from bolicho.errors import BadInput

BROWN_TO_BLUE = LinearSegmentedColormap.from_list(
    "brown_to_blue", ["#6b3e12", "#b07a3c", "#e3cfa8", "#ffffff", "#a9cfe4", "#3f8fc0", "#0b4a86"]
)
SHOWN = (1, 9, 17, 25)
"""Snapshots drawn in Rossato 2020, section 5.4."""

TICKS = 12  # maximum number of labels along an axis


@dataclass(frozen=True)
class Map:
    """Matrix to draw: its counts, and the names of its rows and columns."""

    title: str
    counts: NDArray[np.float64]
    rows: list[str]
    columns: list[str]


_STATE_NAMES: dict[str, Callable[[int], str]] = {
    "truco": truco_name,
    "envido": envido_name,
    "flor": flor_name,
    "cards": order_name,
}
_TITLES = {"truco": "Truco", "envido": "Envido", "flor": "Flor", "cards": "Play a card", "levels": "Levels"}


def map_of(learned: LearnedMatrices, mode: str) -> Map:
    """Return the map of a mode's victories, or of the counts of levels (`levels`), in whole counts."""
    if mode == "levels":
        return Map(_TITLES[mode], level_counts(learned.block) / UNIT, list(LEVELS), list(CLASS_NAMES))
    if mode not in MODES:
        raise BadInput(f"a heatmap shows one of {', '.join(MODES)} or levels, not {mode!r}")
    names = [_STATE_NAMES[mode](state) for state in range(SIZES[MODES.index(mode)])]
    return Map(_TITLES[mode], matrix(learned.block, mode) / UNIT, names, names)


def draw(axes: Axes, shown: Map, title: str) -> None:
    """Draw a map, own states downwards and the opponent's to the right, with its own colour bar."""
    image = axes.imshow(shown.counts, cmap=BROWN_TO_BLUE, origin="upper", aspect="auto", interpolation="nearest")
    axes.set_title(title, loc="left", fontsize=10)
    _label(axes, shown)
    axes.grid(False)
    bar = axes.figure.colorbar(image, ax=axes, fraction=0.046, pad=0.03)
    bar.ax.tick_params(labelsize=7)
    bar.outline.set_visible(False)


def _label(axes: Axes, shown: Map) -> None:
    for names, set_ticks, turn in ((shown.columns, axes.set_xticks, 90), (shown.rows, axes.set_yticks, 0)):
        every = max(1, -(-len(names) // TICKS)) if len(names) > len(CLASS_NAMES) else 1
        places = range(0, len(names), every)
        set_ticks(list(places), [names[place] for place in places], fontsize=7, rotation=turn)
    if len(shown.rows) == len(shown.columns):
        axes.set_xlabel("opponent", fontsize=8)
        axes.set_ylabel("player", fontsize=8)


def side_by_side(maps: Sequence[tuple[Map, str]], columns: int) -> Figure:
    """Return several maps in one figure, lettered as published."""
    rows = -(-len(maps) // columns)
    flat = len(maps[0][0].rows) * 2 < len(maps[0][0].columns)
    figure = Figure(figsize=(4.8 * columns, (2.3 if flat else 4.2) * rows), layout="constrained")
    for number, (shown, title) in enumerate(maps):
        axes = figure.add_subplot(rows, columns, number + 1)
        draw(axes, shown, f"({'abcd'[number]}) {title}")
    return figure


def initial_figures() -> dict[str, Figure]:
    """Return figures 5.5 and 5.6: the initial matrices."""
    start = initial()
    maps = {mode: (map_of(start, mode), _TITLES[mode]) for mode in (*MODES, "levels")}
    return {
        "5.5": side_by_side([maps["envido"], maps["flor"], maps["truco"]], 3),
        "5.6": side_by_side([maps["cards"], maps["levels"]], 2),
    }


EVOLUTION = {"5.7": "envido", "5.8": "flor", "5.9": "truco", "5.10": "cards", "5.11": "levels"}
CAMPAIGNS = {"5.12": "envido", "5.13": "flor", "5.14": "truco", "5.15": "cards", "5.16": "levels"}


def evolution_figures(snapshots: Sequence[LearnedMatrices], shown: Sequence[int] = SHOWN) -> dict[str, Figure]:
    """Return figures 5.7 to 5.11: each mode at four snapshots of the self-play (counted from 1)."""
    for number in shown:
        if not 1 <= number <= len(snapshots):
            raise BadInput(f"there is no snapshot {number}; there are 1 to {len(snapshots)}")
    return {
        name: side_by_side([(map_of(snapshots[number - 1], mode), f"snapshot {number}") for number in shown], 2)
        for name, mode in EVOLUTION.items()
    }


def campaign_figures(learned: Mapping[str, LearnedMatrices]) -> dict[str, Figure]:
    """Return figures 5.12 to 5.16: each mode after playing each of four opponents."""
    return {
        name: side_by_side([(map_of(known, mode), f"after {opponent}") for opponent, known in learned.items()], 2)
        for name, mode in CAMPAIGNS.items()
    }
