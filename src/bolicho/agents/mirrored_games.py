"""Mirrored deals: agents play the same deals, each once in every seat, to measure strength.

>>> import bolicho
>>> from bolicho.agents.mirrored_games import meet
>>> met = meet(bolicho.game("truco"), ["balanced", "random"], deals=20, seed=1)
>>> met.payoffs.shape                               # (deal, rotation, agent)
(20, 2, 2)
>>> bool(met.won[..., 0].mean() > 0.9)
True
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.agent import Agent
from bolicho.agents.loop import TABLES, Deal, play_deals
from bolicho.agents.registry import recipe
from bolicho.games.game import Game
from bolicho.games.retrace import retrace
from bolicho.stats import win_shares

T = TypeVar("T")


def rotated(pairing: Sequence[T], rotation: int) -> list[T]:
    """Return the agents by seat in a rotation, which moves each agent on by that many seats.

    >>> rotated("abc", 1)
    ['c', 'a', 'b']
    """
    seats = len(pairing)
    return [pairing[(seat - rotation) % seats] for seat in range(seats)]


@lru_cache(2048)
def deal_seed(seed: int | str, deal: int) -> int:
    """Return the seed of the deal of that number; the same for all agents."""
    digest = hashlib.sha256(f"{seed} {deal} deal".encode()).digest()
    return int.from_bytes(digest[:8])


@lru_cache(2048)
def luck_of_seats(luck: int | str, seats: int) -> Sequence[int]:
    """Return the number behind the chance of each seat in a game.

    A one-way hash: from one number nothing follows about `luck` or about another seat's number.
    """
    digests = [hashlib.sha256(f"{luck} {seat} agent".encode()).digest() for seat in range(seats)]
    return tuple(int.from_bytes(digest[:8]) for digest in digests)


def in_rotation(seats: int, rotation: int, seed: int, luck: int | str) -> Deal:
    """Return a deal with the agents of a rotation; the luck stays with the seat."""
    return Deal(seed, rotated(range(seats), rotation), luck_of_seats(luck, seats))


@dataclass(frozen=True)
class MeetResult:
    """Results of a meeting: arrays of (deal, rotation, agent)."""

    payoffs: NDArray[np.float64]
    scores: NDArray[np.int64]
    did: NDArray[np.int64] | None = None
    """Behaviours, if requested: (deal, agent, behaviour, [times, chances]), summed over rotations."""

    @property
    def won(self) -> NDArray[np.float64]:
        """Return each agent's share in the win of each game: 1 for a sole winner, a fraction where several tie."""
        return win_shares(self.payoffs)

    @property
    def first_won(self) -> NDArray[np.float64]:
        """Return the first agent's share in the wins of each deal, over all seats."""
        return np.asarray(self.won[..., 0].mean(axis=1))


def meet(
    game: Game,
    agents: Sequence[str | Callable[[], Agent]],
    deals: int,
    seed: int,
    *,
    first: int = 0,
    tables: int = TABLES,
    advance: Callable[[int], None] | None = None,
    behaviours: bool = False,
) -> MeetResult:
    """Let agents, one per seat (specs or factories), play `deals` deals of a seed, from `first` on, in every seat.

    The games are those of a tournament with that seed. `advance` is called for every game that ends; `behaviours`
    counts the agents' behaviours (`Kind.behaviours`). A failing agent is an error here: a tournament continues without
    it, a study must not.
    """
    makers = [recipe(agent, game.name).maker(game) if isinstance(agent, str) else agent for agent in agents]
    seats = game.seats
    seeds = [deal_seed(seed, first + deal) for deal in range(deals)]
    wanted = [in_rotation(seats, rotation, each, each) for each in seeds for rotation in range(seats)]
    payoffs, scores = np.zeros((len(wanted), seats)), np.zeros((len(wanted), seats), np.int64)
    did = np.zeros((deals, seats, len(game.kind.behaviours), 2), np.int64) if behaviours else None
    for outcome in play_deals(game, makers, wanted, tables=tables):
        if outcome.forfeit is not None:
            raise RuntimeError(f"a measured agent failed: {outcome.forfeit[1]}")
        seated = list(wanted[outcome.number].seated)
        payoffs[outcome.number, seated] = outcome.payoffs
        scores[outcome.number, seated] = outcome.scores
        if did is not None:
            again = retrace(game, wanted[outcome.number].seed, outcome.actions)
            did[outcome.number // seats, seated] += again.did
        if advance is not None:
            advance(1)
    shape = deals, seats, seats
    return MeetResult(payoffs.reshape(shape), scores.reshape(shape), did)
