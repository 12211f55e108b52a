"""Winning chances by match score, and envido at a score: known cases, independent computations, and play of `cfr`."""

import numpy as np
import pytest
from scipy.optimize import linprog

from bolicho import game
from bolicho.agents.cfr.truco.compiled.scores import (
    BETS,
    CARDS,
    CHOICES,
    MOST_BET,
    MOST_CARDS,
    SITUATIONS,
    VALUES,
    best_response,
    chance_within,
    induce,
    lay_pays,
    solve_points,
)
from bolicho.agents.cfr.truco.match import load_scores
from bolicho.agents.cfr.truco.scores import back_from_the_end, meeting
from bolicho.agents.check import check_agent
from bolicho.agents.registry import agent

MATCH = game("truco")
EVEN = np.array([0.02, 0.06, 0.12, 0.3, 0, 0.3, 0.12, 0.06, 0.02])
"""Chances of the points that cards bring, the same for the pé and the mão."""


def room():
    return np.zeros((4, SITUATIONS, CHOICES, VALUES))


def no_bets():
    bets = np.zeros((2, BETS))
    bets[:, MOST_BET] = 1
    return bets


def chances_of(target, bets, cards, iterations=0):
    chances = np.zeros((target, target))
    for a, b in back_from_the_end(target):
        induce(meeting(), 0.0, bets, cards, a, b, iterations, chances, room())
    return chances


def test_joint_distribution_of_envido_points_matches_counted_deals():
    # 33: a seven and a six of a suit, and a card of another; no hand of the other seat may be a flor
    pairs = 4 * 10**3 * (7770 - 3 * 84 - 120) + 4 * 3 * 45 * 10 * (7770 - 56 - 84 - 2 * 120)
    assert meeting()[VALUES - 1].sum() == pytest.approx(120 * (7770 - 56 - 84 - 2 * 120) / pairs, rel=1e-12)
    assert meeting() == pytest.approx(meeting().T)
    assert meeting().sum() == pytest.approx(1)


def test_equal_players_have_symmetric_chances():
    chances = chances_of(8, no_bets(), EVEN)
    assert chances + chances.T == pytest.approx(np.ones((8, 8)))
    assert (np.diff(chances, axis=0) > 0).all() and (np.diff(chances, axis=1) < 0).all()


def test_chances_match_simulated_matches():
    target, rng = 5, np.random.default_rng(1)
    cards = np.array([0.1, 0, 0.1, 0.2, 0, 0.3, 0.3, 0, 0])
    bets = no_bets()
    bets[0, MOST_BET], bets[0, MOST_BET + 2], bets[0, 0], bets[0, -1] = 0.5, 0.3, 0.1, 0.1
    chances = chances_of(target, bets, cards)
    won = []
    for _ in range(20_000):
        points, mao = [1, 0], 0
        while True:
            bet, card = rng.choice(BETS, p=bets[0]) - MOST_BET, rng.choice(CARDS, p=cards) - MOST_CARDS
            if abs(bet) == MOST_BET:
                bet = np.sign(bet) * (target - max(points))
            points[mao if bet > 0 else 1 - mao] += abs(bet)
            if max(points) < target:
                points[mao if card > 0 else 1 - mao] += abs(card)
            if max(points) >= target:
                break
            mao = 1 - mao
        won.append(points[0] >= target)
    assert np.mean(won) == pytest.approx(chances[1, 0], abs=4 * 0.5 / np.sqrt(20_000))


def solved(a, b, iterations):
    chances = np.zeros((24, 24))
    for later in back_from_the_end(24):
        if sum(later) > a + b:
            induce(meeting(), 0.0, no_bets(), EVEN, *later, 0, chances, room())
    pays, found = np.zeros((2, 7, 3)), room()
    lay_pays(chances, EVEN, a, b, pays)
    base = chance_within(chances, EVEN, a, b)
    return pays, base, found[1], solve_points(meeting(), pays, base, iterations, found)


def test_value_at_23_23_matches_a_linear_programme():
    # a refusal loses the match, so a call is a comparison: each seat calls or stays silent, by its points
    pays, base, _, value = solved(23, 23, 1_000)
    wins = np.greater_equal.outer(np.arange(VALUES), np.arange(VALUES))
    silent = meeting() * (base - wins)
    found = linprog(
        np.concatenate([np.zeros(VALUES), -np.ones(VALUES)]),
        A_ub=np.hstack([-silent.T, np.eye(VALUES)]),
        b_ub=np.zeros(VALUES),
        bounds=[(0, 1)] * VALUES + [(None, 0)] * VALUES,
    )
    assert value == pytest.approx((meeting() * wins).sum() - found.fun, abs=1e-4)
    assert (pays[..., 0] == 1).all() and (pays[..., 1] == 0).all()


@pytest.mark.parametrize("score", [(0, 0), (22, 20), (12, 23)])
def test_best_response_gains_little_against_the_solution(score):
    pays, base, shares, value = solved(*score, 300)
    as_mao, as_pe = (best_response(meeting(), pays, base, shares, seat) for seat in range(2))
    assert value - 1e-9 <= as_mao < value + 5e-4
    assert -value - 1e-9 <= as_pe < -value + 5e-4


def test_chances_increase_with_points():
    chances = load_scores(MATCH).chances
    assert (np.diff(chances, axis=0) > 0).all() and (np.diff(chances, axis=1) < 0).all()
    assert 0.49 < chances[0, 0] < 0.52


def mixture(spec, scores, *played, hands=(("4e", "5p", "6c"), ("6e", "7e", "4c"))):
    """Return the mixture of an agent at a score, after the actions played."""
    table = MATCH.setup(hands=[list(hand) for hand in hands], scores=list(scores), mao=0)
    for action in played:
        table.play(action)
    view = table.view()
    return dict(zip(map(str, view.legal), agent(spec, MATCH).mixture(view), strict=True))


def test_opening_at_0_0_equals_the_learned_strategy():
    assert mixture("cfr", (0, 0)) == pytest.approx(mixture("cfr(scores=false)", (0, 0)))
    assert mixture("cfr", (0, 0), "4e") == pytest.approx(mixture("cfr(scores=false)", (0, 0), "4e"))


def test_falta_envido_of_few_points_is_accepted_with_weaker_hands():
    hands = (("4e", "5p", "6c"), ("3e", "5e", "4c"))  # the pé has 28
    assert mixture("cfr(scores=false)", (22, 20), "falta", hands=hands)["nao"] > 0.5
    assert mixture("cfr", (22, 20), "falta", hands=hands)["quero"] > 0.9


def test_cfr_never_refuses_when_refusal_loses_the_match():
    assert mixture("cfr", (23, 10), "truco")["nao"] == 0


def test_cfr_keeps_the_contract_in_matches_and_explains_its_use_of_the_score():
    report = check_agent("cfr", MATCH, games=1)
    assert report.mixtures == report.explanations == report.decisions > 0
    made = agent("cfr", MATCH)
    view = MATCH.setup(hands=[["4e", "5p", "6c"], ["6e", "7e", "4c"]], scores=[20, 22], mao=0).view(0)
    made.act(view, np.random.default_rng(1))
    assert [line.key for line in made.explain().lines] == ["agents.cfr.score"]
