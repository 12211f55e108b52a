"""Chances of winning a match of Truco from each score, from the results of simulated hands."""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.mirrored_games import meet
from bolicho.agents.search.truco.compiled.hand import Hand
from bolicho.games import game as find_game
from bolicho.games.game import Game
from bolicho.games.kind import Pool

BY = "balanced"  # agent that plays the simulated hands
HANDS, SEED = 2_000, 1


def leaf(game: Game, pool: Pool) -> Hand | None:
    """Return the leaf at the end of a position's hand; None for games of a fixed number of hands."""
    if game.rules.hands:
        return None
    return Hand(int(pool["hand_number"][0]), chances(game))


def chances(game: Game) -> NDArray[np.float64]:
    """Return the mão's chances of winning the match before a hand, by its points and the other's."""
    return _chances(int(game.rules.target), tuple(sorted(game.options.items())))


@lru_cache
def _chances(target: int, options: tuple[tuple[str, Any], ...]) -> NDArray[np.float64]:
    hand = find_game("truco", **{**dict(options), "hands": 1})
    scores = meet(hand, [BY, BY], HANDS // 2, SEED).scores  # the mão is agent 0, in the other rotation agent 1
    brought = np.concatenate([scores[:, 0], scores[:, 1, ::-1]])
    outcomes, counts = np.unique(brought, axis=0, return_counts=True)
    return match_chances(target, outcomes, counts / len(brought))


def match_chances(target: int, outcomes: NDArray[np.int64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mão's chances from the points that a hand gives the mão and the other, and their frequencies.

    After each hand the other seat is mão. Where both reach the target in one hand, their order is unknown and each gets
    half.
    """
    found = np.zeros((target, target))
    for total in range(2 * (target - 1), -1, -1):
        for mine in range(max(0, total - target + 1), min(total, target - 1) + 1):
            other = total - mine
            for (p, q), share in zip(outcomes.tolist(), shares.tolist(), strict=True):
                mine_then, other_then = mine + p, other + q
                if mine_then >= target:
                    won = 0.5 if other_then >= target else 1.0
                else:
                    won = 0.0 if other_then >= target else 1 - found[other_then, mine_then]
                found[mine, other] += share * won
    return found
