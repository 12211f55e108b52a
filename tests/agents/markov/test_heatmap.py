"""Heatmaps of the matrices, drawn as published."""

import pytest

from bolicho.agents.markov import heatmap
from bolicho.agents.markov.matrices import initial
from bolicho.errors import BadInput
from bolicho.lab.markov import published


def test_low_is_brown_high_is_blue():
    low, middle, high = (heatmap.BROWN_TO_BLUE(x)[:3] for x in (0.0, 0.5, 1.0))
    assert low[0] > low[1] > low[2] and high[2] > high[1] > high[0] and min(middle) > 0.98


def test_own_states_run_down_and_the_opponents_to_the_right():
    shown = heatmap.map_of(initial(), "truco")
    assert shown.counts.shape == (502, 502) and shown.rows[0] == shown.columns[0] == "4-4-4"
    assert (shown.counts[0, -1], shown.counts[-1, 0]) == (1, 73)  # the weakest of mine: upper row, few victories
    axes = heatmap.side_by_side([(shown, "x")], 1).axes[0]
    assert axes.get_ylim()[0] > axes.get_ylim()[1]  # the first row on top
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("opponent", "player")
    with pytest.raises(BadInput, match="not 'poker'"):
        heatmap.map_of(initial(), "poker")


def test_every_published_figure_is_drawn():
    snapshots = [initial()] * 25
    found = {**heatmap.initial_figures(), **heatmap.evolution_figures(snapshots)}
    assert sorted(found, key=float) == sorted([f"5.{n}" for n in range(5, 12)], key=float)
    assert set(heatmap.campaign_figures(dict.fromkeys(published.OPPONENTS, initial()))) == {
        f"5.{n}" for n in range(12, 17)
    }
    panels = [axes.get_title(loc="left") for axes in found["5.9"].axes if axes.get_title(loc="left")]
    assert panels == ["(a) snapshot 1", "(b) snapshot 9", "(c) snapshot 17", "(d) snapshot 25"]
    with pytest.raises(BadInput, match="no snapshot 9"):
        heatmap.evolution_figures(snapshots[:3])
