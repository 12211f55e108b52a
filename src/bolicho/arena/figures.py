"""Figures of a run's result."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from bolicho.arena.html_page import ACCENT, INK, LINE, LOSE, PAPER, SERIES, SOFT, WIN, plot_style
from bolicho.arena.standings import label, seat_names
from bolicho.stats import Estimate

WIDTH = 9.6  # inches of a figure: the width of the page


def _rows_figure(names: Sequence[str], height: float = 0.34) -> tuple[Figure, Any]:
    """Return a figure with one line per agent, the first on top."""
    figure = Figure(figsize=(WIDTH, 0.9 + height * len(names)))
    axes = figure.add_subplot()
    axes.set_yticks(range(len(names)), [_plain(name) for name in names])
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    axes.spines["left"].set_visible(False)
    axes.tick_params(length=0, pad=6)
    return figure, axes


def _plain(name: str) -> str:
    """Return a name for matplotlib: dollar signs and backslashes are escaped, a long name is cut."""
    name = name if len(name) <= 44 else name[:43] + "…"
    return re.sub(r"([$\\])", r"\\\1", name)


def _interval(axes: Any, written: Mapping[str, float | None], y: float, colour: str, **how: Any) -> None:
    """Draw a dot with its interval."""
    found = Estimate.read(written)
    if math.isnan(found.value):
        return
    if found.has_interval:
        axes.plot([found.low, found.high], [y, y], color=colour, linewidth=2.4, alpha=0.55)
    axes.plot([found.value], [y], "o", color=colour, markersize=7.5, markeredgecolor=PAPER, markeredgewidth=1.4, **how)


def ratings_figure(agents: Sequence[dict[str, Any]]) -> Figure:
    """Draw ratings with their intervals, one line per agent."""
    with plot_style():
        figure, axes = _rows_figure([label(row) for row in agents])
        axes.axvline(1500, color=SOFT, linewidth=1, linestyle=(0, (2, 3)))
        for y, row in enumerate(agents):
            _interval(axes, row["rating"], y, ACCENT)
        axes.set_xlabel("rating")
    return figure


def margins_figure(agents: Sequence[dict[str, Any]]) -> Figure:
    """Draw the mean margins of wins and losses."""
    with plot_style():
        figure, axes = _rows_figure([label(row) for row in agents])
        for y, row in enumerate(agents):
            for key, colour in (("in_wins", WIN), ("in_losses", LOSE)):
                _bar(axes, row[key], y, colour)
        axes.axvline(0, color=INK, linewidth=1)
        axes.set_xlabel("points behind in losses, ahead in wins")
    return figure


def _bar(axes: Any, written: Mapping[str, float | None], y: float, colour: str) -> None:
    found = Estimate.read(written)
    if math.isnan(found.value):
        return
    axes.barh(y, found.value, height=0.56, color=colour)
    if found.has_interval:
        axes.plot([found.low, found.high], [y, y], color=INK, linewidth=1.4)


def seats_figure(result: dict[str, Any]) -> Figure:
    """Draw the share of games won from each seat."""
    agents, names = result["agents"], seat_names(result)
    with plot_style():
        figure, axes = _rows_figure([label(row) for row in agents], height=0.4)
        axes.axvline(1 / result["seats"], color=SOFT, linewidth=1, linestyle=(0, (2, 3)))
        spread = 0.5 / len(names)
        for y, row in enumerate(agents):
            values = [seat["rate"]["value"] for seat in row["seats"]]
            axes.plot([min(values), max(values)], [y, y], color=LINE, linewidth=5, zorder=0.9)
            for number, seat in enumerate(row["seats"]):
                offset = (number - (len(names) - 1) / 2) * spread
                key = {"label": names[number]} if y == 0 else {}
                _interval(axes, seat["rate"], y + offset, SERIES[number % len(SERIES)], **key)
        axes.xaxis.set_major_formatter(lambda x, _: f"{100 * x:.0f}%")
        axes.set_xlabel("games won")
        figure.legend(loc="outside upper right", ncols=len(names), handletextpad=0.2)
    return figure
