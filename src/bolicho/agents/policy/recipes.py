"""How the policies that ship were made: each recipe one function, and one row of `agents.training`."""

from bolicho.agents.policy.train import policy
from bolicho.agents.training import Learner


def policy_truco(seed: int, games: int = 60_000) -> Learner:
    """Single hands, against itself."""
    return policy(seed, "truco(hands=1)", games, coding="features", scheme="payoff")


def policy_dominoes(seed: int, games: int = 30_000) -> Learner:
    """Against itself."""
    return policy(seed, "dominoes", games, coding="plays", scheme="payoff", mixed=0.02, sharp=3.0)


def policy_fives(seed: int, games: int = 120_000) -> Learner:
    """Against itself."""
    return policy(seed, "fives", games, coding="plays", scheme="payoff", mixed=0.02, sharp=3.0)


def policy_wonders(seed: int, games: int = 48_000) -> Learner:
    """From what `dqn-plus` values on, half of the games against two of it and half against itself."""
    return policy(
        seed, "wonders", games, coding="cities", scheme="margin", rate=4e-4, mixed=0.02, against="dqn-plus",
        start="wonders-dqn-plus", sharp=4.0,
    )  # fmt: skip
