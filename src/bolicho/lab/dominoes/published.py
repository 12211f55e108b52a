"""Published results of Pinto 2018 for dominoes, and the assumed speed of its program.

Its figure of merit is the *rate of points*: the points that one player won, of all points that both won.

Three causes may separate our searches from the published ones: better search, more speed, and solving instead of
searching. So each search is compared with the published one at the published time on our machine, and at the nodes or
iterations of a slow program in that time (`SLOW`).
"""

from collections.abc import Mapping

Pair = tuple[str, str]

SARSA_AGAINST_RULE = {"dominoes": 0.60, "fives": 0.52}
"""Rates of points in table 1."""

ALPHABETA_AGAINST_SARSA = {("fives", 1.0): 0.67}
"""Rates of points in figure 13, by game and seconds per move, where the text gives a number."""

ROUND_ROBINS: Mapping[str, Mapping[Pair, float]] = {
    "dominoes": {
        ("rule", "random"): 0.55,
        ("sarsa", "random"): 0.56,
        ("sarsa", "rule"): 0.52,
        ("pimc", "random"): 0.69,
        ("pimc", "rule"): 0.66,
        ("pimc", "sarsa"): 0.65,
        ("pi", "random"): 0.99,
        ("pi", "rule"): 0.95,
        ("pi", "sarsa"): 0.95,
        ("pi", "pimc"): 0.80,
    },
    "fives": {
        ("rule", "random"): 0.66,
        ("sarsa", "random"): 0.66,
        ("sarsa", "rule"): 0.51,
        ("pimc", "random"): 0.69,
        ("pimc", "rule"): 0.55,
        ("pimc", "sarsa"): 0.54,
        ("pi", "random"): 0.81,
        ("pi", "rule"): 0.68,
        ("pi", "sarsa"): 0.68,
        ("pi", "pimc"): 0.65,
    },
}
"""Rates of points of the first against the second (tables 2 and 3)."""

INNER = {"dominoes": "mcts", "fives": "alphabeta"}
"""Published search of a world, also used by the oracle."""

WORLD_SECONDS = 0.007  # the document says "units of time" here and seconds everywhere else
PI_SECONDS = 1.0  # not given for the oracle: the longest time of figures 13 and 14

PLAIN = "plain=true, eval=scores"
"""Options of alpha-beta as published: deepening and pruning alone. The document does not give the evaluation at the
horizon; here it is the points won so far, which in draw dominoes are none."""

NODES_A_SECOND = 20_000
"""Speed of a slow program: alpha-beta of the package `dominoes` does 19 to 90 thousand (`bolicho bench dominoes`)."""

ITERATIONS_A_SECOND = 2_000
"""Speed of the same program: an iteration plays a game to its end, and half a random game has eight or nine choices."""

SLOW = ", slow"
"""Suffix of players that are limited to the nodes or iterations of a slow program."""
