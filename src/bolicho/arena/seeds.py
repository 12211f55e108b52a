"""Where the chance of a run comes from.

A run has one seed.  Given by hand it is a number, and whoever knows or guesses it knows every deal.  So
where somebody's own agent plays and no seed is given, 128 bits are drawn, and SHA-256 makes of them, under
labels of their own, the seed of each deal and the luck of the agents: from what an agent is handed, neither the
other stream nor the run's seed can be computed.  The house's own agents do not try, and have a fixed seed.
"""

import hashlib
import re
import secrets
from collections.abc import Iterable

from bolicho.agents.meet import deal_seed

HOUSE_SEED = 1
"""Of a run in which only the house's own agents play."""

Seed = int | str
"""A number, or what `draw_seed` drew."""

_DRAWN = re.compile(r"drawn:[0-9a-f]{32}")


def draw_seed() -> str:
    """A seed that nobody can guess."""
    return f"drawn:{secrets.token_hex(16)}"


def is_drawn(seed: object) -> bool:
    """Whether a seed was drawn by a run, and not given."""
    return isinstance(seed, str) and _DRAWN.fullmatch(seed) is not None


def luck(seed: Seed, deal: int) -> Seed:
    """What seeds the agents' generators in a deal of a run: of a given number the deal's own seed, as ever."""
    return f"{seed} {deal}" if is_drawn(seed) else deal_seed(seed, deal)


def shuffled(deals: Iterable[int], seed: Seed, rotation: int) -> list[int]:
    """Return deals in the order of play of a rotation, so that places in it do not link two rotations of a deal."""
    return sorted(deals, key=lambda deal: hashlib.sha256(f"{seed} {deal} {rotation} order".encode()).digest())


def as_number(seed: Seed) -> int:
    """A seed for who wants a number."""
    return int(seed.removeprefix("drawn:"), 16) if isinstance(seed, str) else seed
