"""Results of the nets of 7 Wonders, in small."""

from bolicho.lab.study import find
from bolicho.lab.wonders import nets


def test_accuracies_are_by_age_beside_the_published_ones():
    table = nets.accuracy_table(games=8)
    assert [row[0] for row in table.rows][:3] == ["neural, age I", "neural, age II", "neural, age III"]
    assert table.columns[1:] == ["train, raw", "test, raw", "train, legal", "test, legal"]
    assert [row[1].published for row in table.rows[:3]] == [0.9714, 0.9988, 0.9998]
    assert [row[2].published for row in table.rows[:3]] == [0.4623, 0.4, 0.5257]
    for row in table.rows[:3]:
        assert (
            row[1].estimate.value <= row[3].estimate.value and row[2].estimate.value <= row[4].estimate.value
        )  # the best of all is the best legal one
    for row in table.rows[3:]:
        assert row[1:3] == ["-", "-"] and row[4].estimate.value > 0.6


def test_the_curve_is_drawn_and_the_study_registered():
    assert nets.training_figure().name == "training"
    assert find("wonders").home == "bolicho.lab.wonders.play:run"
