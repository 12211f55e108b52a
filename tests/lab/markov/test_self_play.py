"""The Markov agent against itself: growth of the matrices."""

import numpy as np

from bolicho.agents.markov import heatmap
from bolicho.agents.markov.layout import UNIT, level_counts, matrix
from bolicho.agents.markov.train import AS_PUBLISHED, evolution
from bolicho.lab.markov import readings, self_play


def test_growth_table_shows_the_largest_level_of_each_snapshot():
    snapshots = list(evolution(50, 25, 1, AS_PUBLISHED))
    assert len(snapshots) == 25
    drawn = {str(number): snapshots[number - 1] for number in heatmap.SHOWN}
    rows = self_play.growth_table(drawn, "snapshot").rows
    assert [row[0] for row in rows] == ["1", "9", "17", "25"]
    cards = [int(matrix(drawn[row[0]].block, "cards").max()) // UNIT for row in rows]
    assert [row[-1] for row in rows] == cards and cards == sorted(cards) and cards[-1] > 11


def test_levels_only_grow():
    first, *_, last = evolution(20, 4, 1, AS_PUBLISHED)
    assert (level_counts(last.block) >= level_counts(first.block)).all()


def test_weakest_pair_wins_only_when_it_is_unknown_at_first():
    """Use seed 4, a training in which the row grows from the first matches on."""
    rows = self_play.weakest_table(range(3, 5), 60).rows
    found = {tuple(row[:2]): [cell.estimate.value for cell in row[2:]] for row in rows}
    assert list(found) == [(by, weakest) for by in ("text", "scripts") for weakest in ("unknown", "loses")]
    assert found["text", "unknown"][0] == 0.5 and found["scripts", "unknown"][0] == 1
    assert found["text", "loses"] == found["scripts", "loses"] == [0, 0, 0]


def test_brown_ends_half_way_up_the_scale():
    counts = np.array([[0, 50], [51, 100]], np.uint32)
    assert self_play.is_brown(counts).tolist() == [[True, False], [False, False]], "half-way is white"


def test_only_figures_by_the_text_have_the_published_number():
    plot = heatmap.initial_figures()["5.6"]
    assert readings.published_figure("5.10", plot, "text").name == "figure-5.10"
    assert readings.published_figure("5.10", plot, "scripts").name == "figure-5.10-scripts"
