"""Faults, each with a rate, drawn from one seed and counted."""

from collections import Counter
from random import Random

RATES = {
    # Per transaction.
    "kill before commit": 0.01,
    "kill after commit": 0.01,
    "commit fails": 0.02,
    "commit fails after it was written": 0.01,
    "slow disk": 0.03,
    # Per drawing of large faults, every few seconds.
    "kill": 0.15,
    "full disk": 0.08,
    "clock jumps forward": 0.06,
    "clock jumps back": 0.06,
    "notifications lost": 0.1,
    # Per message of a client.
    "message lost": 0.04,
    "message sent twice": 0.06,
    "message delayed": 0.06,
    "connection lost": 0.03,
    "answer lost": 0.05,
    # Per action of a client.
    "illegal action": 0.06,
    "wrong ply": 0.06,
    "claim": 0.06,
    "player leaves": 0.05,
    "player is silent": 0.03,
    # Per call of an agent outside the transaction.
    "worker killed": 0.1,
    "worker slow": 0.08,
    "agent answers twice": 0.15,
    "bot fails": 0.3,
}
"""Probability of each fault per opportunity, in seeds that have the fault."""

SWARM = 0.6
"""Share of the faults that a seed has; with fewer at a time, long sequences of one kind occur too."""


class Faults:
    """Random source of faults."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.counts: Counter[str] = Counter()
        self.are_over = False
        self._rates = {name: rate for name, rate in RATES.items() if random.random() < SWARM}

    def happens(self, name: str) -> bool:
        """Return whether a fault happens now."""
        rate = self._rates.get(name)
        if rate is None or self.are_over or self.random.random() >= rate:
            return False
        self.counts[name] += 1
        return True
