"""Many tables as one environment, for learners: steps in bulk, features and masks as arrays.

>>> import numpy as np
>>> from bolicho.vector import Environment
>>> environment = Environment("dominoes", tables=256, seed=1)
>>> seen = environment.reset()
>>> seen.features.shape, seen.masks.shape, seen.seats.shape
((256, 138), (256, 112), (256,))
>>> rng = np.random.default_rng(1)
>>> finished = 0
>>> for _ in range(100):
...     actions = (rng.random(seen.masks.shape) * seen.masks).argmax(axis=1)    # any legal one
...     seen, rewards, done = environment.step(actions)
...     finished += done.sum()
>>> bool(finished > 100), bool((rewards[~done] == 0).all())
(True, True)

Shapes, with N tables, S seats, F features and A actions of the game (`environment.game`):

=============  ==========  =====================================================================
`seats`        N           the seat that must act at each table
`features`     N, F        what that seat knows, in [-1, 1]; `environment.feature_names` says what each is
`masks`        N, A        which actions it may take
`rewards`      N, S        what each seat got where a game just ended, 0 elsewhere
`done`         N           where a game just ended; a new one has been dealt there already
=============  ==========  =====================================================================

A seat's actions get their reward when the game ends: keep the steps of a table and hand each seat its
own number then.  The arrays are written again by the next step; copy what you keep.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bolicho.games import calls
from bolicho.games import game as make_game
from bolicho.games.chance import stream
from bolicho.games.game import Game
from bolicho.games.tables import Tables


class Seen(NamedTuple):
    """What the seats to act know, a row a table."""

    seats: NDArray[np.int8]
    features: NDArray[np.float32]
    masks: NDArray[np.bool_]


class Environment:
    """Tables of one game that are dealt anew as they end.  Same seed and actions, same everything."""

    def __init__(self, game: str | Game, tables: int = 1024, seed: int = 0, **rules: Any) -> None:
        self.game = make_game(game, **rules) if isinstance(game, str) else game
        self.tables = Tables(self.game, tables)
        self.feature_names = self.game.feature_names
        self.seed = seed
        self._dealt = np.zeros(tables, np.int64)  # games so far at each table
        self._own = np.array([stream(np.uint64(seed), table) for table in range(tables)], np.uint64)
        self._all = np.arange(tables)
        self._legal = np.zeros(self.game.num_actions, np.int16)
        self._view = np.zeros(1, self.game.dtype)
        self._seen = Seen(
            np.zeros(tables, np.int8),
            np.zeros((tables, self.game.num_features), np.float32),
            np.zeros((tables, self.game.num_actions), np.bool_),
        )
        self._rewards = np.zeros((tables, self.game.seats))

    def reset(self) -> Seen:
        """Begin again with the first deals."""
        self._dealt[:] = 0
        self._deal(self._all)
        return self._look()

    def step(self, actions: ArrayLike) -> tuple[Seen, NDArray[np.float64], NDArray[np.bool_]]:
        """Play one action at every table; where a game ends, deal the next one."""
        self.tables.play(self._all, actions)
        done = self.tables.turn < 0
        ended = np.flatnonzero(done)
        self._rewards[:] = 0
        if len(ended):
            self._rewards[ended] = self.tables.payoffs(ended)
            self._deal(ended)
        return self._look(), self._rewards, done

    def _deal(self, which: NDArray[np.int64]) -> None:
        """Deal the next games at some tables.  A deal that is over at once is passed over."""
        while len(which):
            seeds = [stream(self._own[table], self._dealt[table]) for table in which]
            self._dealt[which] += 1
            self.tables.deal(seeds, which)
            which = which[self.tables.turn[which] < 0]

    def _look(self) -> Seen:
        seats, features, masks = self._seen
        calls.observe_many(self.tables.pool, self._all, self._view, self._legal, features, masks)
        seats[:] = self.tables.turn
        return self._seen
