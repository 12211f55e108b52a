"""Results against opponents that call more or less."""

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from bolicho.agents.cbr.bases import load_base
from bolicho.agents.cbr.truco import TRUCO
from bolicho.agents.markov.matrices import initial
from bolicho.agents.spec import parse_spec
from bolicho.lab.cbr import published as cbr
from bolicho.lab.markov import calling, opponents
from bolicho.lab.markov.case_based import AS_PUBLISHED, BASELINE, LEARNED, OURS, SETTINGS, specs
from bolicho.lab.study import Effort


def result(calls, wins, settings=OURS):
    """Return an opponent that called in so many of 100 hands, and lost so many of 100 matches."""
    won = [True] * wins + [False] * (100 - wins)
    done = opponents.Campaign(won, [True, False] * 50, 100, {}, calls, initial())
    return calling.CallingResult("novice", "learned", settings, {"pvs": done})


def test_rank_correlation_is_full_when_losses_grow_with_calls():
    falling = [result(20, 40), result(50, 39), result(90, 2)]
    assert calling.rank_correlation(falling, OURS) == pytest.approx(-1)
    rising = [result(20, 1), result(30, 5), result(90, 50)]
    assert calling.rank_correlation(rising, OURS) == pytest.approx(1)
    tied = [result(20, 7), result(40, 7), result(60, 0)]  # ranks 0, 1, 2 and 1.5, 1.5, 0
    assert calling.rank_correlation(tied, OURS) == pytest.approx(-(3**0.5) / 2)
    assert calling.rank_correlation([*falling, result(99, 99, AS_PUBLISHED)], OURS) == pytest.approx(-1)


def test_every_opponent_is_a_point_at_its_calling_rate_and_share_of_wins():
    plot = calling.draw([result(20, 40), result(90, 2, AS_PUBLISHED)], {"novice": result(35, 48).campaigns["pvs"]})
    points = [tuple(map(float, spot)) for cloud in plot.axes[0].collections for spot in cloud.get_offsets()]
    assert points == [(20, 40), (90, 2)]
    assert ("novice", (35, 48)) in [(note.get_text(), tuple(map(float, note.xy))) for note in plot.axes[0].texts]
    (row,) = calling.summary([result(20, 40)]).rows
    assert row[:4] == ["novice", "learned", OURS, "20%"] and row[4].estimate.value == 0.4 and row[5] == "40.0%"


@pytest.mark.parametrize("marks", [((38, 33), (39, 33)), ((60, 3), (62, 5)), ((62, 4), (61, 4)), ((38, 35), (39, 30))])
def test_labels_of_styles_near_each_other_do_not_overlap(marks):
    scripted = dict(zip(("cautious", "aggressive"), (result(*mark).campaigns["pvs"] for mark in marks), strict=True))
    plot = calling.draw([result(20, 40), result(90, 2)], scripted)
    FigureCanvasAgg(plot).draw()
    one, other = (note.get_window_extent() for note in plot.axes[0].texts)
    assert not one.overlaps(other)


def test_bases_of_a_style_are_made_once_and_played_from(tmp_path):
    effort = Effort(False, 3, 1, tmp_path)
    bases = {settings: calling.bases_of("cautious", settings, 3_300, effort) for settings in SETTINGS}
    made = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("*.parquet")}
    assert sorted(made) == [
        "cautious-3-every-round-decision-published.parquet", "cautious-3.parquet",
        "cautious-cbr-learned-3-3300.parquet", "cautious-cbr-published-3-3300.parquet",
    ]  # fmt: skip
    assert bases == {settings: calling.bases_of("cautious", settings, 3_300, effort) for settings in SETTINGS}
    assert made == {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("*.parquet")}
    for settings, by_kind in bases.items():
        for kind, base in by_kind.items():
            done = opponents.campaign(specs(settings, kind, base)["pvs"], 4)
            assert len(done.won) == 4 and 0 < done.calls < 1


def test_opponents_as_published_have_every_part_of_the_published_definition(tmp_path):
    """Compare options, initial base and learned base with `AS_PUBLISHED`, and ours with the defaults."""
    bases = calling.bases_of(calling.ALL, AS_PUBLISHED, 10, Effort(False, 3, 1, tmp_path))
    for kind, threshold in ((BASELINE, cbr.LOW), (LEARNED, cbr.HIGH)):
        for name, spec in specs(AS_PUBLISHED, kind, bases[kind]).items():
            policy, options = parse_spec(spec)
            assert policy == name and options.pop("base") == bases[kind]
            assert options == cbr.as_published(threshold).changed()
    learned, start = load_base(bases[LEARNED], TRUCO), load_base(bases[BASELINE], TRUCO)
    assert (learned.made["membership"], learned.made["cleaning"]) == cbr.SCOPES[cbr.AS_PUBLISHED.scope]
    assert start.cases["every_round"].all() and start.cases["unfit"].any()
    ours = calling.bases_of(calling.ALL, OURS, 10, Effort(False, 3, 1, tmp_path))
    assert ours == {BASELINE: "baseline", LEARNED: "learned"}
    assert specs(OURS, LEARNED, ours[LEARNED])["nps"] == "nps(base=learned)"
