"""Whole random games against an independent, plain implementation of the rules."""

import numpy as np
import pytest

import bolicho
from bolicho.games.wonders.cards import BOARDS, CARDS

from .referee import Referee


def referee_of(table):
    """Return the same deal for the referee."""
    s, n = table.state, table.game.seats
    ages = [[[CARDS[card] for card in hand] for hand in age[:n]] for age in s["cards"]]
    return Referee([BOARDS[board] for board in s["board"][:n]], ages, table.game.rules.trade)


def compare(table, referee):
    result = table.result()
    assert set(result["legal"]) == referee.legal()
    assert result["coins"] == [city.coins for city in referee.cities]
    assert result["points"] == [referee.points(seat) for seat in range(referee.n)]
    assert result["scores"] == [points["total"] for points in result["points"]]


def pick(rng, legal):
    """Return a random action; builds are taken more often than by uniform choice, for richer cities."""
    builds = [action for action in legal if not action.startswith("sell")]
    return rng.choice(builds if builds and rng.random() < 0.9 else legal)


@pytest.mark.parametrize("trade", ["cheapest", "choose"])
@pytest.mark.parametrize(("players", "games"), [(3, 8), (4, 3), (5, 2), (6, 1), (7, 1)])
def test_random_games_agree_with_the_referee_at_every_step(players, games, trade):
    game = bolicho.game("wonders", players=players, trade=trade)
    for seed in range(games):
        rng = np.random.default_rng(seed)
        table = game.deal(1000 * players + seed)
        referee = referee_of(table)
        while not table.over:
            compare(table, referee)
            assert table.turn == referee.seat
            action = pick(rng, [str(action) for action in table.legal])
            table.play(action)
            referee.play(action)
        compare(table, referee)
        assert referee.phase == "over"
        assert table.result()["winners"] == referee.winners()


@pytest.mark.parametrize("side", ["A", "B"])
def test_three_player_games_of_each_side_agree_with_the_referee(side):
    game = bolicho.game("wonders", sides=side)
    for seed in range(10):
        rng = np.random.default_rng(seed)
        table = game.deal(seed)
        referee = referee_of(table)
        while not table.over:
            action = pick(rng, [str(action) for action in table.legal])
            table.play(action)
            referee.play(action)
            assert table.result()["coins"] == [city.coins for city in referee.cities]
        compare(table, referee)
