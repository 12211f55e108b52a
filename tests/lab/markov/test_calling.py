"""Opponents who call more, or less."""

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from bolicho.agents.markov.matrices import initial
from bolicho.lab.markov import calling, opponents
from bolicho.lab.study import Effort


def met(calls, wins, settings=calling.OURS):
    """One opponent that called in so many of 100 hands, and lost so many of 100 matches."""
    won = [True] * wins + [False] * (100 - wins)
    done = opponents.Campaign(won, [True, False] * 50, 100, {}, calls, initial())
    return calling.Met("novice", "learned", settings, {"pvs": done})


def test_who_loses_more_the_more_it_calls_correlates_fully():
    falling = [met(20, 40), met(50, 39), met(90, 2)]
    assert calling.rank_correlation(falling, calling.OURS) == pytest.approx(-1)
    rising = [met(20, 1), met(30, 5), met(90, 50)]
    assert calling.rank_correlation(rising, calling.OURS) == pytest.approx(1)
    tied = [met(20, 7), met(40, 7), met(60, 0)]  # ranks 0, 1, 2 and 1.5, 1.5, 0
    assert calling.rank_correlation(tied, calling.OURS) == pytest.approx(-(3**0.5) / 2)
    assert calling.rank_correlation([*falling, met(99, 99, calling.AS_PUBLISHED)], calling.OURS) == pytest.approx(-1)


def test_every_opponent_is_a_point_at_its_calling_rate_and_its_share():
    plot = calling.draw([met(20, 40), met(90, 2, calling.AS_PUBLISHED)], {"novice": met(35, 48).campaigns["pvs"]})
    points = [tuple(map(float, spot)) for cloud in plot.axes[0].collections for spot in cloud.get_offsets()]
    assert points == [(20, 40), (90, 2)]
    assert ("novice", (35, 48)) in [(note.get_text(), tuple(map(float, note.xy))) for note in plot.axes[0].texts]
    (row,) = calling.summary([met(20, 40)]).rows
    assert row[:4] == ["novice", "learned", calling.OURS, "20%"] and row[4].estimate.value == 0.4 and row[5] == "40.0%"


@pytest.mark.parametrize("marks", [((38, 33), (39, 33)), ((60, 3), (62, 5)), ((62, 4), (61, 4)), ((38, 35), (39, 30))])
def test_labels_of_styles_near_each_other_do_not_overlap(marks):
    scripted = dict(zip(("cautious", "aggressive"), (met(*mark).campaigns["pvs"] for mark in marks), strict=True))
    plot = calling.draw([met(20, 40), met(90, 2)], scripted)
    FigureCanvasAgg(plot).draw()
    one, other = (note.get_window_extent() for note in plot.axes[0].texts)
    assert not one.overlaps(other)


def test_bases_of_a_style_are_made_once_and_played_from(tmp_path):
    effort = Effort(False, 3, 1, tmp_path)
    assert calling.bases_of(calling.SHIPPED, 10, effort) == {"baseline": "base=baseline", "learned": "base=learned"}
    options = calling.bases_of("cautious", 3_300, effort)
    made = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("*.parquet")}
    assert sorted(made) == ["cautious-3-3300.parquet", "cautious-3.parquet"]
    assert calling.bases_of("cautious", 3_300, effort) == options
    assert made == {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("*.parquet")}
    for kind, option in options.items():
        for settings in calling.SETTINGS.values():
            done = opponents.campaign(f"pvs({option}{settings[kind]})", 4)
            assert len(done.won) == 4 and 0 < done.calls < 1
