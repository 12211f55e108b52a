"""The agents of 7 Wonders against random players and each other, in small."""

import numpy as np
import pytest

from bolicho.arena.experiment import Experiment
from bolicho.arena.run import run
from bolicho.lab.study import Measured, Table
from bolicho.lab.wonders import play
from bolicho.stats import Estimate


def test_points_by_kind_add_up():
    found = play.against_random("rules", games=6, seed=2)
    np.testing.assert_array_equal(sum(found.kinds.values()), found.points)
    assert found.points.mean() > 35 and found.won.mean() > 0.5
    table = play.points_table({"rules": found}, 6)
    assert table.rows[0][1].published == 53.83
    assert len(play.kinds_table({"rules": found}).rows[0]) == 1 + len(play.KINDS)
    assert play.kinds_figure({"rules": found}).name == "kinds"


def test_figures_of_scores_have_the_line_of_the_best_players():
    """Compare with 53 points, the mean of the best players of Board Game Arena (Pereira 2021, section 4.1)."""
    rows = [["random", Measured(Estimate(25.6, 25.1, 26.1))], ["rules", Measured(Estimate(55.3, 54.8, 55.8), 53.83)]]
    against, tournament = Table("a", ["agent", "points"], rows), Table("t", ["agent", "points"], rows[:1])
    panels = play.points_figure(against, [tournament]).plot.axes
    assert len(panels) == 2
    for axes, table in zip(panels, (against, tournament), strict=True):
        (line,) = [line for line in axes.lines if line.get_label() == "best players of Board Game Arena: 53"]
        assert set(line.get_ydata()) == {53}
        assert [bar.get_height() for bar in axes.patches] == [row[1].estimate.value for row in table.rows]
    (published,) = [line for line in panels[0].lines if line.get_label() == "Pereira 2021"]
    assert list(published.get_ydata()) == [53.83]


def test_a_tournament_shares_its_victories(tmp_path):
    played = run(Experiment("wonders", play.TOURNAMENTS[0], duplicates=2, seed=4), tmp_path)
    table = play.tournament(played)
    assert [row[0] for row in table.rows] == list(play.TOURNAMENTS[0])
    assert sum(row[2].estimate.value for row in table.rows) == pytest.approx(1)
    assert [row[1].published for row in table.rows] == [42.92, 42.76, 39.09]
