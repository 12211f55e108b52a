"""Hands as mão and as pé: read from the log, compared, and beside the published wins."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from bolicho import game
from bolicho.games.truco import kernel as k
from bolicho.lab.markov import positions


def hand(match, mao, points, won=True):
    return positions.Hand(match, mao, {k.BY_CARDS: points}, won, None, None, None)


def logged(actions, seat, mao=0):
    """Return the hand of a match of one hand, as its log records it."""
    table = game("truco", hands=1, flor=False).setup(hands=[["1e", "7o", "4c"], ["3p", "2c", "12e"]], mao=mao)
    for action in actions:
        table.play(action)
    assert table.over
    (found,) = positions.hands_of(table.view(seat).rows, seat)
    return found


def test_a_hand_is_read_from_each_seat():
    actions = ["envido", "quero", "4c", "3p", "2c", "truco", "quero", "7o", "1e", "12e"]
    one, other = (logged(actions, seat) for seat in (0, 1))
    assert (one.mao, one.first, one.won, one.truco, one.envido) == (True, 0, True, True, True)
    assert (other.mao, other.first, other.won, other.truco, other.envido) == (False, 1, False, False, False)
    assert one.points[k.BY_CARDS] == 2 == -other.points[k.BY_CARDS]
    assert abs(one.points[k.BY_ENVIDO]) == 2 and one.points[k.BY_ENVIDO] == -other.points[k.BY_ENVIDO]


def test_a_refused_truco_wins_the_hand_without_a_round():
    found = logged(["truco", "nao"], 1)
    assert (found.mao, found.first, found.won, found.truco, found.envido) == (False, None, False, False, None)
    assert found.points == {k.BY_REFUSAL: -1}


@pytest.mark.parametrize(
    ("actions", "seat", "after_theirs", "after_own"),
    [
        (["truco", "nao"], 1, (-1, True), (0, None)),
        (["truco", "nao"], 0, (0, None), (1, False)),
        (["truco", "retruco", "nao"], 0, (0, None), (-2, True)),
        (["truco", "retruco", "nao"], 1, (2, False), (0, None)),
    ],
)
def test_refusals_count_for_the_seat_that_called_truco_first(actions, seat, after_theirs, after_own):
    found = logged(actions, seat)
    phases, decisions = positions.PHASES, positions.DECISIONS
    theirs, own = "refusals after the opponent's truco", "refusals after the agent's truco"
    assert (phases[theirs](found), decisions["agent refuses after the opponent's truco"](found)) == after_theirs
    assert (phases[own](found), decisions["agent refuses after its own truco"](found)) == after_own


def test_roles_are_compared_over_matches():
    hands = [hand(0, True, 2), hand(0, False, 1), hand(1, True, 0), hand(1, False, 1), hand(2, True, 4)]
    mao, pe, difference = positions.as_mao_and_pe(hands, positions.PHASES["cards"])
    assert (mao.value, pe.value, difference.value) == (2, 1, 1) and mao.low < 2 < mao.high
    parts = np.array([0, -2 / 3, 2 / 3])  # as mão 0, -2, 2 from its mean of three hands; as pé nothing varies
    error = np.sqrt(3 / 2 * (parts**2).sum())
    assert difference.high - 1 == pytest.approx(4.302653 * error) and 1 - difference.low == pytest.approx(
        4.302653 * error
    )


def test_hands_without_the_measured_decision_are_left_out():
    hands = [hand(0, True, 1), hand(1, True, 1, won=None), hand(0, False, 1, won=False), hand(1, False, 1)]
    mao, pe, _ = positions.as_mao_and_pe(hands, positions.DECISIONS["hand won"])
    assert (mao.value, pe.value) == (1, 0.5)


def test_tables_have_a_row_for_each_measure_and_opponent():
    logs = {name: [hand(match, role, 1) for match in range(3) for role in (True, False)] for name in ("nps", "pvs")}
    hands = {name: [one._replace(first=1.0, truco=one.match > 0) for one in log] for name, log in logs.items()}
    points, decisions = positions.tables(hands, ", by the text")
    assert len(points.rows) == 2 * len(positions.PHASES) and len(decisions.rows) == 2 * len(positions.DECISIONS)
    assert points.title.endswith("by the text") and points.note.startswith("12 hands")


def test_the_published_inversion_is_within_chance():
    """Test wins that began as mão in tables 5.2 and 5.3 of Rossato 2020: 21 of 57, 17 of 35, 24 of 54, 49 of 85."""
    table = positions.published_table()
    assert [row[:3] for row in table.rows] == [
        ["pvcnps", 57, 21], ["nps", 35, 17], ["pvcs", 54, 24], ["pvs", 85, 49], ["all four", 231, 111],
    ]  # fmt: skip
    assert all(row[3].estimate.low < 0.5 < row[3].estimate.high for row in table.rows)
    expected = chi2_contingency([[21, 17, 24, 49], [36, 18, 30, 36]]).pvalue
    wins, mao = ({row[0]: row[column] for row in table.rows[:4]} for column in (1, 2))
    assert positions.homogeneity(mao, wins) == pytest.approx(expected) and 0.05 < expected < 0.15
