"""Payoff of a player against an agent that has all other seats."""

from collections.abc import Callable

from bolicho import stats
from bolicho.agents.agent import Agent
from bolicho.agents.mirrored_games import meet
from bolicho.games.game import Game
from bolicho.stats import Estimate


def measure(
    game: Game,
    mine: Callable[[], Agent],
    other: str,
    deals: int,
    seed: int,
    advance: Callable[[int], None] | None = None,
) -> tuple[Estimate, Estimate]:
    """Return the payoff and the share of wins per game, over deals that are each played from every seat."""
    met = meet(game, [mine, *[other] * (game.seats - 1)], deals, seed, advance=advance)
    return stats.mean(met.payoffs[..., 0].mean(axis=1)), stats.rate(met.first_won)
