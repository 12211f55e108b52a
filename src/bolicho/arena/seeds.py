"""Seeds of runs, deals and agents.

A run has one seed.  A given seed is a number; code that knows or guesses it knows every deal.  So if an external
agent plays and no seed is given, the run draws 128 bits, and SHA-256 derives from them, with separate labels, the
seed of each deal and the luck of the agents: an agent can compute neither the other stream nor the run's seed from
its own luck.  Runs of built-in agents alone have a fixed seed.
"""

import hashlib
import re
import secrets
from collections.abc import Iterable

from bolicho.agents.mirrored_games import deal_seed

BUILT_IN_SEED = 1
"""Seed of a run of built-in agents alone."""

Seed = int | str
"""A number, or a text from `draw_seed`."""

_DRAWN = re.compile(r"drawn:[0-9a-f]{32}")


def draw_seed() -> str:
    """Draw a seed that cannot be guessed."""
    return f"drawn:{secrets.token_hex(16)}"


def is_drawn(seed: object) -> bool:
    """Return whether a seed was drawn by a run, and not given."""
    return isinstance(seed, str) and _DRAWN.fullmatch(seed) is not None


def luck(seed: Seed, deal: int) -> Seed:
    """Return the seed of the agents' generators in a deal; for a given run seed it is the seed of the deal."""
    return f"{seed} {deal}" if is_drawn(seed) else deal_seed(seed, deal)


def shuffled(deals: Iterable[int], seed: Seed, rotation: int) -> list[int]:
    """Return deals in the order of play of a rotation, so that positions do not link two rotations of a deal."""
    return sorted(deals, key=lambda deal: hashlib.sha256(f"{seed} {deal} {rotation} order".encode()).digest())


def as_number(seed: Seed) -> int:
    """Return a seed as a number."""
    return int(seed.removeprefix("drawn:"), 16) if isinstance(seed, str) else seed
