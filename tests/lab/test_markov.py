"""The studies of the Markov agent: published tables that agree, and figures of small runs."""

import json
from dataclasses import asdict

import numpy as np
import pytest

from bolicho.agents.cbr.bases import load_base
from bolicho.agents.cbr.truco import TRUCO
from bolicho.agents.cbr.truco.baseline import make_baseline
from bolicho.agents.cbr.truco.train import train_baseline
from bolicho.agents.markov import heatmap
from bolicho.agents.markov.layout import UNIT, level_counts, matrix
from bolicho.agents.markov.matrices import initial
from bolicho.agents.markov.options import PLUS, PUBLISHED, SINGLE, WITHOUT
from bolicho.agents.markov.train import AS_PUBLISHED, evolution
from bolicho.agents.rules.truco import STYLES
from bolicho.errors import BadInput
from bolicho.games.truco import kernel as k
from bolicho.lab import markov
from bolicho.lab import markov_calling as calling
from bolicho.lab import markov_published as published
from bolicho.lab.study import STUDIES, Effort, Measured

# --- What was published -------------------------------------------------------------------------


def test_published_hundreds_add_up_to_the_published_shares():
    for name in published.OPPONENTS:
        total, mao, pe = published.TABLE_5_2[name]
        wins = sum(published.TABLE_5_3[name])
        assert wins / published.CAMPAIGN_MATCHES == total and mao + pe == pytest.approx(1)
        assert round(wins * mao) / wins == pytest.approx(mao, abs=5e-5)
    wins = sum(share * published.INITIAL_MATCHES for share in published.TABLE_5_4.values())
    assert wins == 56 and 4 * published.INITIAL_MATCHES == 200  # Rossato 2020, chapter 6: 56 of 200


def test_the_studies_are_listed():
    names = {study.name: study for study in STUDIES}
    assert {"markov-self-play", "markov-opponents", "markov-calling", "markov-options"} <= set(names)


# --- Heatmaps -----------------------------------------------------------------------------------


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


# --- Self-play ----------------------------------------------------------------------------------


def test_growth_says_how_much_moved():
    snapshots = list(evolution(50, 25, 1, AS_PUBLISHED))
    assert len(snapshots) == 25
    rows = markov.growth_table(snapshots).rows
    assert [row[0] for row in rows] == [1, 9, 17, 25]
    cards = [int(matrix(snapshots[row[0] - 1].block, "cards").max()) // UNIT for row in rows]
    assert [row[-1] for row in rows] == cards and cards == sorted(cards) and cards[-1] > 11


def test_levels_only_grow():
    first, *_, last = evolution(20, 4, 1, AS_PUBLISHED)
    assert (level_counts(last.block) >= level_counts(first.block)).all()


# --- Opponents ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def campaigns():
    return markov.campaigns({"pvs": "pvs(base=baseline)", "novice": "novice"}, 100, 1)


def test_a_campaign_is_reproducible_and_learns(campaigns):
    again = markov.campaign("novice", 100, 1)
    one = campaigns["novice"]
    assert one.won == again.won and (one.learned.block == again.learned.block).all()
    assert not (one.learned.block == initial().block).all()
    assert 20 < sum(one.mao) < 80 and len(one.won) == 100


def test_points_of_a_campaign_decide_its_matches(campaigns):
    for done in campaigns.values():
        scored = sum(points for (_, ours), points in done.points.items() if ours)
        assert scored >= 24 * sum(done.won) and done.hands > 100 * 6
        assert {why for why, _ in done.points} <= {*markov.SOURCES.values(), k.BY_DECK}


def test_tables_stand_beside_the_published_ones(campaigns):
    rows = {row[0]: row for row in markov.table_5_2(campaigns).rows}
    assert rows["pvs"][1].published == 0.17 and rows["pvs"][3::2] == ["57.6%", "42.4%", None]
    _, _, mao, _, pe, *_ = rows["novice"]
    assert mao.value + pe.value == pytest.approx(1) and mao.low < mao.value < mao.high
    assert rows["novice"][1].published is None and rows["novice"][1].low < rows["novice"][1].value
    (_, first), (_, other) = markov.table_5_3(campaigns).rows
    assert first == Measured(float(sum(campaigns["pvs"].won)), published=21) and other.published is None
    assert {row[0]: row[1].published for row in markov.table_5_4(campaigns).rows}["pvs"] == 0.24
    sources = markov.points_table({"baseline": campaigns}).rows
    assert [row[:2] for row in sources] == [["pvs", "baseline"], ["novice", "baseline"]]
    assert len(sources[0]) == 3 + len(markov.SOURCES) and 0 < campaigns["pvs"].trucos < campaigns["pvs"].hands


def never_won(name="pvs"):
    return {name: markov.Campaign([False] * 100, [True, False] * 50, 900, {}, 600, initial())}


def test_shares_of_no_wins_are_a_dash_beside_what_was_published():
    table = markov.table_5_2(never_won())
    columns, (row,) = table.written()
    shown = dict(zip(columns, row, strict=True))
    assert (shown["of these as mão"], shown["of these as mão (published)"]) == ("-", "57.6%")
    assert (shown["of these as pé"], shown["of these as pé (published)"]) == ("-", "42.4%")
    assert shown["of the defeats as pé"].startswith("50.0%") and not any("nan" in cell for cell in row)
    json.dumps(asdict(table), allow_nan=False)


def test_figures_by_the_text_bear_the_published_number_alone():
    plot = heatmap.initial_figures()["5.6"]
    assert markov._figure("5.10", plot, "text").name == "figure-5.10"
    assert markov._figure("5.10", plot, "scripts").name == "figure-5.10-scripts"


# --- Opponents who call more, or less -----------------------------------------------------------


def met(calls, wins, settings=calling.OURS):
    """One opponent that called in so many of 100 hands, and lost so many of 100 matches."""
    won = [True] * wins + [False] * (100 - wins)
    done = markov.Campaign(won, [True, False] * 50, 100, {}, calls, initial())
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
    assert row[:4] == ["novice", "learned", calling.OURS, "20%"] and row[4].value == 0.4 and row[5] == "40.0%"


def test_bases_of_a_style_are_made_once_and_played_from(tmp_path):
    effort = Effort(False, 3, 1, tmp_path)
    assert calling.bases_of(calling.SHIPPED, 10, effort) == {"baseline": "base=baseline", "learned": "base=learned"}
    options = calling.bases_of("cautious", 3_300, effort)
    made = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert sorted(made) == ["cautious-3-3300.parquet", "cautious-3.parquet"]
    assert calling.bases_of("cautious", 3_300, effort) == options
    assert made == {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    for kind, option in options.items():
        for settings in calling.SETTINGS.values():
            done = markov.campaign(f"pvs({option}{settings[kind]})", 4)
            assert len(done.won) == 4 and 0 < done.calls < 1


def test_a_base_of_chosen_styles_holds_their_hands_and_says_so(tmp_path):
    quiet, loud = (make_baseline(400, 1, (style,)) for style in ("cautious", "aggressive"))
    called = [float((base.cases["truco_by"][:, 0] > 0).mean()) for base in (quiet, loud)]
    assert called[0] < called[1]
    assert quiet.made["styles"] == ["cautious"] and "styles" not in make_baseline(30, 1).made
    assert (make_baseline(30, 1).cases == make_baseline(30, 1, tuple(STYLES)).cases).all()
    train_baseline(tmp_path / "b.parquet", 1, 60, styles="cautious+novice")
    story = load_base(str(tmp_path / "b.parquet"), TRUCO).made
    assert story["command"] == "bolicho train cbr-baseline hands=60 styles=cautious+novice --seed 1"
    with pytest.raises(BadInput, match="unknown scripted style 'shy'"):
        train_baseline(tmp_path / "b.parquet", 1, 60, styles="cautious+shy")
    with pytest.raises(BadInput, match="give source or styles, not both"):
        train_baseline(tmp_path / "b.parquet", 1, source="hands.csv", styles="novice")


def test_shipped_agents_meet_on_both_seats(tmp_path):
    effort = Effort(False, 1, 1, tmp_path)
    table = markov.shipped_table(effort, ("markov", "markov-plus"), ("pvs",), duplicates=6)
    ((name, weak, strong),) = table.rows
    assert name == "pvs" and 0 <= weak.low <= weak.value <= weak.high < strong.value <= 1


# --- Options ------------------------------------------------------------------------------------


def test_options_alone_and_left_out():
    assert list(SINGLE) == list(WITHOUT) == [name for name in PUBLISHED.facts() if name != "reading"]
    for name in SINGLE:
        assert SINGLE[name].facts() == PUBLISHED.facts() | {name: PLUS.facts()[name]} != PUBLISHED.facts()
        assert WITHOUT[name].facts() == PLUS.facts() | {name: PUBLISHED.facts()[name]} != PLUS.facts()


def test_effects_have_intervals_and_a_spread():
    found = markov.effects(markov.Parts(30, 30, 4, 1), (1, 2))
    assert list(found) == [*SINGLE, "everything"]
    assert all(effect.alone.shape == (2, 4) for effect in found.values()) and found["everything"].without is None
    assert found["area"].without.shape == (2, 4) and found["area"].four.shape == (2, 1)
    table = markov.effects_table(found)
    assert len(table.rows) == 8 and all(row[1].low <= row[1].value <= row[1].high for row in table.rows)
    shares = 100 * found["minimums"].alone.mean(axis=1)
    assert next(row for row in table.rows if row[0] == "minimums")[2] == f"{shares.min():.0f} to {shares.max():.0f}"


def test_a_player_against_itself_wins_half():
    mind = markov.trained(PUBLISHED, 10, 1)
    shares = markov.duel(mind, mind, 5, 3)
    assert set(np.unique(shares)) <= {0.0, 0.5, 1.0}
