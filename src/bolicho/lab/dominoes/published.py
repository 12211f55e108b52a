"""What Pinto 2018 published of dominoes, and how fast its program is taken to have been.

Its figure of merit is the *rate of points*: the points one player won, of all the points both won.

Three things may part our searches from the published ones: better search, more speed, solving instead of searching.
So each stands beside the published search at the published time on our machine, and beside the same with no more
nodes or iterations than a slow program does in that time (`SLOW`).
"""

from collections.abc import Mapping

Pair = tuple[str, str]

SARSA_AGAINST_RULE = {"dominoes": 0.60, "fives": 0.52}
"""Table 1."""

ALPHABETA_AGAINST_SARSA = {("fives", 1.0): 0.67}
"""Figure 13, where the text gives the number."""

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
"""Tables 2 and 3: the rate of points of the first against the second."""

INNER = {"dominoes": "mcts", "fives": "alphabeta"}
"""What searched a world in the document, and for the oracle."""

WORLD_SECONDS = 0.007  # "units of time" in the document, which says seconds everywhere else
PI_SECONDS = 1.0  # not said for the oracle: the longest of figures 13 and 14

PLAIN = "plain=true, eval=scores"
"""Alpha-beta as published: deepening and pruning alone.  What judged the horizon is not said; here the points won so
far do, in draw dominoes nothing."""

NODES_A_SECOND = 20_000
"""Of a slow program: the alpha-beta of the package `dominoes` does 19 to 90 thousand (`bolicho bench dominoes`)."""

ITERATIONS_A_SECOND = 2_000
"""Of the same program: an iteration plays a game to its end, and half a random game has eight or nine choices."""

SLOW = ", slow"
"""What is added to the name of a player that is limited to the nodes or iterations of a slow program."""
