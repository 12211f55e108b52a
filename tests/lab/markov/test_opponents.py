"""The Markov agent against others while it learns: published tables beside small runs."""

import json
from dataclasses import asdict

import pytest

from bolicho.agents.markov.layout import matrix
from bolicho.agents.markov.matrices import initial
from bolicho.agents.markov.states import order_name
from bolicho.games.truco import kernel as k
from bolicho.lab.markov import opponents
from bolicho.lab.markov.case_based import OURS
from bolicho.lab.study import Effort, Measured
from bolicho.stats import Estimate


@pytest.fixture(scope="module")
def campaigns():
    return opponents.campaigns({"pvs": "pvs(base=baseline)", "novice": "novice"}, 100, 1)


def test_a_campaign_is_reproducible_and_learns(campaigns):
    again = opponents.campaign("novice", 100, 1)
    one = campaigns["novice"]
    assert one.won == again.won and (one.learned.block == again.learned.block).all()
    assert not (one.learned.block == initial().block).all()
    assert 20 < sum(one.mao) < 80 and len(one.won) == 100


def test_points_of_a_campaign_decide_its_matches(campaigns):
    for done in campaigns.values():
        scored = sum(points for (_, ours), points in done.points.items() if ours)
        assert scored >= 24 * sum(done.won) and done.hands > 100 * 6
        assert {why for why, _ in done.points} <= {*opponents.SOURCES.values(), k.BY_DECK}


def test_the_log_of_a_campaign_holds_all_its_hands_and_points(campaigns):
    for done in campaigns.values():
        assert len(done.log) == done.hands and {hand.match for hand in done.log} == set(range(100))
        assert sum(hand.truco is False for hand in done.log) == done.trucos
        for why in opponents.SOURCES.values():
            logged = sum(hand.points.get(why, 0) for hand in done.log)
            assert logged == done.points.get((why, True), 0) - done.points.get((why, False), 0)
        begun = {hand.match: hand.mao for hand in reversed(done.log)}
        assert [begun[match] for match in range(100)] == done.mao


def test_tables_show_published_values_beside_measured_ones(campaigns):
    rows = {row[0]: row for row in opponents.table_5_2(campaigns).rows}
    assert rows["pvs"][1].published == 0.17 and rows["pvs"][3::2] == ["57.6%", "42.4%", None]
    mao, pe = (rows["novice"][column].estimate for column in (2, 4))
    assert mao.value + pe.value == pytest.approx(1) and mao.low < mao.value < mao.high
    assert rows["novice"][1].published is None and rows["novice"][1].estimate.low < rows["novice"][1].estimate.value
    (_, first), (_, other) = opponents.table_5_3(campaigns).rows
    assert first == Measured(Estimate(float(sum(campaigns["pvs"].won))), published=21) and other.published is None
    wins = sum(sum(done.won) for done in campaigns.values())
    assert opponents.table_5_3(campaigns).note.startswith(f"{wins} wins in 200 matches: {wins / 2:.1f}% [")
    assert {row[0]: row[1].published for row in opponents.table_5_4(campaigns).rows}["pvs"] == 0.24
    sources = opponents.points_table({"baseline": campaigns}).rows
    assert [row[:2] for row in sources] == [["pvs", "baseline"], ["novice", "baseline"]]
    assert len(sources[0]) == 3 + len(opponents.SOURCES) and 0 < campaigns["pvs"].trucos < campaigns["pvs"].hands


def never_won(name="pvs"):
    return {name: opponents.Campaign([False] * 100, [True, False] * 50, 900, {}, 600, initial())}


def test_shares_of_no_wins_are_a_dash_beside_the_published_share():
    table = opponents.table_5_2(never_won())
    columns, (row,) = table.written()
    shown = dict(zip(columns, row, strict=True))
    assert (shown["of these as mão"], shown["of these as mão (published)"]) == ("-", "57.6%")
    assert (shown["of these as pé"], shown["of these as pé (published)"]) == ("-", "42.4%")
    assert shown["of the defeats as pé"].startswith("50.0%") and not any("nan" in cell for cell in row)
    json.dumps(asdict(table), allow_nan=False)


def test_shipped_agents_meet_on_both_seats(tmp_path):
    effort = Effort(False, 1, 1, tmp_path)
    theirs = {OURS: {"pvs": "pvs(base=learned)"}}
    table = opponents.shipped_table(effort, ("markov", "markov-plus"), theirs, duplicates=30)
    ((name, settings, *found),) = table.rows
    weak, strong = (cell.estimate for cell in found)
    assert (name, settings) == ("pvs", OURS) and 0 <= weak.low <= weak.value <= weak.high < strong.value <= 1


def test_described_halves_orders_and_levels_are_those_of_the_matrices():
    start = initial()
    envido, cards = matrix(start.block, "envido"), matrix(start.block, "cards")
    envido[:], cards[:] = 10, 0
    envido[:, 15:] = 0  # the right half brown, the left one blue
    cards[5, 0] = 9
    name, left, right, strong, levels = opponents.described_table({"pvs": start}).rows[0]
    assert (name, left, right) == ("pvs", "0%", "100%") and strong == f"{order_name(5)}-{order_name(0)}"
    assert levels.startswith("4 B, 5 B")
