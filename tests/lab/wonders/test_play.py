"""The study of 7 Wonders, in small."""

import numpy as np
import pytest

from bolicho.arena.experiment import Experiment
from bolicho.arena.run import run
from bolicho.lab.study import find
from bolicho.lab.wonders import play as wonders


def test_points_by_kind_add_up():
    found = wonders.against_random("rules", games=6, seed=2)
    np.testing.assert_array_equal(sum(found.kinds.values()), found.points)
    assert found.points.mean() > 35 and found.won.mean() > 0.5
    table = wonders.points_table({"rules": found}, 6)
    assert table.rows[0][1].published == 53.83
    assert len(wonders.kinds_table({"rules": found}).rows[0]) == 1 + len(wonders.KINDS)
    assert wonders.kinds_figure({"rules": found}).name == "kinds"


def test_accuracies_are_by_age_with_the_published_beside():
    table = wonders.accuracy_table(games=8)
    assert [row[0] for row in table.rows][:3] == ["neural, age I", "neural, age II", "neural, age III"]
    assert table.columns[1:] == ["train, raw", "test, raw", "train, legal", "test, legal"]
    assert [row[1].published for row in table.rows[:3]] == [0.9714, 0.9988, 0.9998]
    assert [row[2].published for row in table.rows[:3]] == [0.4623, 0.4, 0.5257]
    for row in table.rows[:3]:
        assert row[1].value <= row[3].value and row[2].value <= row[4].value  # the best of all is the best legal one
    for row in table.rows[3:]:
        assert row[1:3] == ["-", "-"] and row[4].value > 0.6


def test_a_tournament_shares_its_victories(tmp_path):
    played = run(Experiment("wonders", wonders.TOURNAMENTS[0], duplicates=2, seed=4), tmp_path)
    table = wonders.tournament(played)
    assert [row[0] for row in table.rows] == list(wonders.TOURNAMENTS[0])
    assert sum(row[2].value for row in table.rows) == pytest.approx(1)
    assert [row[1].published for row in table.rows] == [42.92, 42.76, 39.09]


def test_the_curve_is_drawn_and_the_study_registered():
    assert wonders.training_figure().name == "training"
    assert find("wonders").home == "bolicho.lab.wonders.play:run"
