"""Drawings shared by several studies."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bolicho.arena.html_page import SERIES, plot_style


@contextmanager
def drawing(width: float, height: float) -> Iterator[tuple[Figure, Axes]]:
    """Yield a figure of this size in inches and its axes, in the style of the pages."""
    with plot_style():
        figure = Figure(figsize=(width, height))
        yield figure, figure.add_subplot()


def grouped_bars(axes: Axes, groups: Sequence[str], series: Mapping[str, Sequence[float]]) -> None:
    """Draw bars side by side, a place for each group and a colour for each series."""
    width = 0.8 / len(series)
    for i, (name, heights) in enumerate(series.items()):
        places = [place + (i - (len(series) - 1) / 2) * width for place in range(len(groups))]
        axes.bar(places, heights, width * 0.9, color=SERIES[i % len(SERIES)], label=name)
    axes.set_xticks(range(len(groups)), groups)
    axes.grid(axis="x", visible=False)
