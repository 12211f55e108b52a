"""Python interface of compiled players: see `agents.kernel` for the contract."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.random import PCG64
from numpy.random.bit_generator import ISeedSequence
from numpy.typing import NDArray

from bolicho.agents import kernel
from bolicho.agents.agent import Agent, Explanation
from bolicho.games.game import Game, View
from bolicho.games.kind import Action, Pool

NOTHING = np.dtype([("nothing", "i1")])
"""Memory of players that need none."""


class _Words(ISeedSequence):
    """Four words that seed a generator in a tenth of NumPy's time; they need no further mixing."""

    def __init__(self, number: int) -> None:
        self.number = number

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> NDArray[Any]:
        words = _WORDS.copy()
        words[0] = self.number
        words[1] = self.number ^ _HALF
        return words


_HALF = 0x9E3779B97F4A7C15
_WORDS = np.array([0, _HALF, _HALF, 1], np.uint64)


class Luck(np.random.Generator):
    """Chance of one decision: a generator that keeps its seed number."""

    __slots__ = ("number",)
    number: int

    @classmethod
    def of(cls, number: int) -> "Luck":
        luck = cls(PCG64(_Words(number)))  # type: ignore[arg-type]
        luck.number = number
        return luck


def luck_of(rng: np.random.Generator) -> np.uint64:
    """Return the number behind a generator, or one drawn from it where it has none."""
    number = getattr(rng, "number", None)
    return np.uint64(rng.integers(2**64, dtype=np.uint64) if number is None else number)


class Compiled(Agent):
    """Agent with compiled decisions; the same code decides at one table or a thousand.

    Override `player`, `memory` if the player remembers events, and `explain_choice`.
    """

    memory: np.dtype[np.void] = NOTHING
    """Record of what it remembers of a game from a seat."""

    last: tuple[View, Action] | None = None
    """Last view and decision, for explanations ..."""

    luck = np.uint64(0)
    """... and the luck of that decision."""

    def player(self, game: Game) -> NamedTuple:
        """Return the player that `decide` reads; built anew in each process, and cheap after the first time."""
        raise NotImplementedError(f"{type(self).__name__} does not implement player")

    @property
    def remembers(self) -> bool:
        """Return whether the player must observe events."""
        return self.memory is not NOTHING

    _game: Game | None = None

    def begin(self, game: Game, seat: int) -> None:
        super().begin(game, seat)
        if self._game is not game:
            self._player, self._game = self.player(game), game
        self._memory: NDArray[np.void] = np.zeros(1, self.memory)
        self._read_rows = 0
        self.last = None
        if self.remembers:
            kernel.begin(self._player, self._memory, seat)

    def act(self, view: View, rng: np.random.Generator) -> Action:
        self._look(view)
        pool: Pool = view.pool
        self.luck = luck_of(rng)
        number = int(kernel.act(self._player, self._memory, pool, view.seat, self.luck))
        action = view.legal[view.numbers.index(number)]
        self.last = view, action
        return action

    def mixture(self, view: View) -> list[float] | None:
        """Return the probability of each of `view.legal`, or None where the player does not compute it."""
        self._look(view)
        out = np.zeros(view.game.num_actions)
        known = int(kernel.mix(self._player, self._memory, view.pool, view.seat, out))
        return out[:known].tolist() if known else None

    def sampled(self, view: View, luck: Sequence[int]) -> NDArray[np.int64]:
        """Return the number of decisions for each of `view.legal`, over these luck numbers."""
        self._look(view)
        counts = np.zeros(view.game.num_actions, np.int64)
        kernel.sample(self._player, self._memory, view.pool, view.seat, np.array(luck, np.uint64), counts)
        return counts[view.numbers]

    def _look(self, view: View) -> None:
        """Begin the game of a view if needed, and observe its new events."""
        if self._game is not view.game:
            self.begin(view.game, view.seat)
        if self.remembers:
            self._catch_up(view)

    def explain(self) -> Explanation | None:
        return self.explain_choice(*self.last) if self.last else None

    def explain_choice(self, view: View, action: Action) -> Explanation | None:
        """Return the explanation of its last decision; none by default."""
        return None

    def end(self, view: View) -> None:
        if self.remembers:
            self._catch_up(view)
        if self.learns:
            kernel.conclude(self._player, self._memory, view.pool, view.seat, True, np.zeros_like(view.pool))

    def _catch_up(self, view: View) -> None:
        """Observe the events since the last call."""
        rows: Any = view.rows
        kernel.read(self._player, self._memory, rows[self._read_rows :], view.seat)
        self._read_rows = len(rows)


class InMemoryAgent(Compiled):
    """Agent of a player held in memory instead of a file, such as one in training."""

    def __init__(self, player: NamedTuple, memory: np.dtype[np.void] = NOTHING, learns: bool = False) -> None:
        self.memory, self.learns = memory, learns
        self._at_hand = player

    def player(self, game: Game) -> NamedTuple:
        return self._at_hand


class OpenAtHand(InMemoryAgent):
    """`InMemoryAgent` with the full state."""

    oracle = True
