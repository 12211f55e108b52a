"""Published results of Rossato 2020 for the Markov agent, with section and table."""

OPPONENTS = ("pvcnps", "nps", "pvcs", "pvs")
"""The four best case-based agents of Paulus 2020, first to fourth (section 5.3)."""

TABLE_5_2 = {
    "pvcnps": (0.1140, 0.3684, 0.6316),
    "nps": (0.0700, 0.4857, 0.5143),
    "pvcs": (0.1080, 0.4444, 0.5556),
    "pvs": (0.1700, 0.5765, 0.4235),
}
"""Share of 500 matches won against the learned base, and shares of those wins that it began as mão and as pé.

The agent started from the initial matrices and learned during the matches.
"""

DEFEATS_AS_PE = {"pvcnps": 0.4831}
"""Share of the defeats that it began as pé, in the same matches (section 5.3, for the first opponent only)."""

TABLE_5_3 = {
    "pvcnps": (12, 13, 7, 16, 9),
    "nps": (10, 6, 2, 10, 7),
    "pvcs": (7, 14, 11, 12, 10),
    "pvs": (21, 19, 15, 16, 14),
}
"""Wins in each hundred of the same 500 matches."""

TABLE_5_4 = {"pvcnps": 0.14, "nps": 0.32, "pvcs": 0.42, "pvs": 0.24}
"""Share of 50 matches won with the initial base on both sides."""

CAMPAIGN_MATCHES, INITIAL_MATCHES = 500, 50

SELF_PLAY_MATCHES, SNAPSHOTS = 5_000, 25
