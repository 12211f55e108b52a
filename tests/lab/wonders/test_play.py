"""The agents of 7 Wonders against random players and each other, in small."""

import numpy as np
import pytest

from bolicho.arena.experiment import Experiment
from bolicho.arena.run import run
from bolicho.lab.wonders import play


def test_points_by_kind_add_up():
    found = play.against_random("rules", games=6, seed=2)
    np.testing.assert_array_equal(sum(found.kinds.values()), found.points)
    assert found.points.mean() > 35 and found.won.mean() > 0.5
    table = play.points_table({"rules": found}, 6)
    assert table.rows[0][1].published == 53.83
    assert len(play.kinds_table({"rules": found}).rows[0]) == 1 + len(play.KINDS)
    assert play.kinds_figure({"rules": found}).name == "kinds"


def test_a_tournament_shares_its_victories(tmp_path):
    played = run(Experiment("wonders", play.TOURNAMENTS[0], duplicates=2, seed=4), tmp_path)
    table = play.tournament(played)
    assert [row[0] for row in table.rows] == list(play.TOURNAMENTS[0])
    assert sum(row[2].estimate.value for row in table.rows) == pytest.approx(1)
    assert [row[1].published for row in table.rows] == [42.92, 42.76, 39.09]
