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

from bolicho.errors import BadInput, IllegalAction
from bolicho.games import game as make_game
from bolicho.games.compiled import calls
from bolicho.games.game import Game


class Seen(NamedTuple):
    """What the seats to act know, a row a table."""

    seats: NDArray[np.int8]
    features: NDArray[np.float32]
    masks: NDArray[np.bool_]


class Environment:
    """Tables of one game that are dealt anew as they end.  Same seed and actions, same everything."""

    def __init__(self, game: str | Game, tables: int = 1024, seed: int = 0, **rules: Any) -> None:
        if tables < 1:
            raise BadInput(f"there must be one table or more, not {tables}")
        self.game = make_game(game, **rules) if isinstance(game, str) else game
        self.feature_names = self.game.feature_names
        self.seed = seed
        self._seed = np.uint64(seed)
        self._pool = np.frombuffer(bytearray(self.game.blank_bytes * tables), self.game.dtype)
        self._dealt = np.zeros(tables, np.int64)  # games so far at each table
        self._actions = np.zeros(self.game.num_actions, np.int16)
        self._masks = np.zeros((tables, self.game.num_actions), np.bool_)
        self._seen = Seen(
            np.zeros(tables, np.int8),
            np.zeros((tables, self.game.num_features), np.float32),
            np.zeros((tables, self.game.num_actions), np.bool_),
        )
        self._rewards = np.zeros((tables, self.game.seats))

    def reset(self) -> Seen:
        """Begin again with the first deals."""
        self._dealt[:] = 0
        calls.reset_all(self._pool, self._seed, self._dealt, self._actions, self._seen.features, self._masks)
        return self._told()

    def step(self, actions: ArrayLike) -> tuple[Seen, NDArray[np.float64], NDArray[np.bool_]]:
        """Play one action at every table; where a game ends, deal the next one.

        If one of the actions is illegal, that is an error and nothing has been played anywhere.
        """
        chosen = self._checked(actions)
        done = np.empty(len(chosen), np.bool_)
        features, masks, rewards = self._seen.features, self._masks, self._rewards
        calls.step_all(self._pool, chosen, self._seed, self._dealt, self._actions, features, masks, rewards, done)
        return self._told(), rewards, done

    def _told(self) -> Seen:
        """What is handed out: the masks as a copy, since the next step is checked by ours."""
        self._seen.seats[:] = self._pool["turn"]
        self._seen.masks[:] = self._masks
        return self._seen

    def _checked(self, actions: ArrayLike) -> NDArray[np.int64]:
        """An action for every table, each legal there."""
        chosen = np.ascontiguousarray(actions, np.int64)
        if chosen.shape != self._dealt.shape:
            raise BadInput(f"there must be an action for each of {len(self._dealt)} tables, not {chosen.shape}")
        table = calls.first_illegal(self._masks, chosen)
        if table >= 0:
            raise IllegalAction(f"table {table}: {chosen[table]} is not legal there")
        return chosen
