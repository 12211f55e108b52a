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

from collections.abc import Callable
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

    def step_at(
        self, which: NDArray[np.int64], actions: ArrayLike
    ) -> tuple[Seen, NDArray[np.float64], NDArray[np.bool_]]:
        """The same at some tables alone, by their numbers: what is seen is of all, rewards and ends are of these."""
        chosen = self._checked(actions, which)
        done, rewards = np.empty(len(chosen), np.bool_), np.empty((len(chosen), self.game.seats))
        features, masks = self._seen.features, self._masks
        facts = (self._seed, self._dealt, self._actions, features, masks, rewards, done)
        calls.step_some(self._pool, which, chosen, *facts)
        return self._told(), rewards, done

    def _told(self) -> Seen:
        """What is handed out: the masks as a copy, since the next step is checked by ours."""
        self._seen.seats[:] = self._pool["turn"]
        self._seen.masks[:] = self._masks
        return self._seen

    def _checked(self, actions: ArrayLike, which: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """An action for every table, or for these, each legal there."""
        chosen = np.ascontiguousarray(actions, np.int64)
        tables = len(self._dealt) if which is None else len(which)
        if chosen.shape != (tables,):
            raise BadInput(f"there must be an action for each of {tables} tables, not {chosen.shape}")
        place = calls.first_illegal(self._masks if which is None else self._masks[which], chosen)
        if place >= 0:
            raise IllegalAction(f"table {place if which is None else which[place]}: {chosen[place]} is not legal there")
        return chosen


# --- One seat -----------------------------------------------------------------------------------

Opponent = Callable[[Seen], ArrayLike]
"""Who has the other seats: an action for each row of what they see."""


PATIENCE = 10_000
"""Who never lets the other seat act, in game after game, is found out by then."""


def at_random(seed: int) -> Opponent:
    """Takes any legal action."""
    rng = np.random.default_rng(seed)
    return lambda seen: (rng.random(seen.masks.shape) * seen.masks).argmax(axis=1)


class OneSeat:
    """One seat of every table is yours, and the others belong to an opponent who goes by the same features and masks.

    So it is an environment for one: a step is your action at every table, and all that the others do until you are
    asked again.  Your reward is what your seat got, where a game in which you acted has just ended.

    >>> tables = OneSeat("dominoes", tables=64, seed=1)
    >>> seen = tables.reset()
    >>> seen, rewards, done = tables.step(seen.masks.argmax(axis=1))
    >>> rewards.shape, bool((seen.seats == tables.seats).all())
    ((64,), True)
    """

    def __init__(
        self, game: str | Game, tables: int = 64, seed: int = 0, opponent: Opponent | None = None, **rules: Any
    ) -> None:
        self.environment = Environment(game, tables, seed, **rules)
        self.game = self.environment.game
        self.seats = np.arange(tables) % self.game.seats  # yours
        self.opponent = opponent or at_random(seed)
        self._rewards, self._done = np.zeros(tables), np.ones(tables, np.bool_)

    def reset(self) -> Seen:
        """Begin again with the first deals; the others have acted where they are first."""
        self._done = np.ones(len(self.seats), np.bool_)  # what ends before the first action is told to nobody
        return self._wait(self.environment.reset())

    def step(self, actions: ArrayLike) -> tuple[Seen, NDArray[np.float64], NDArray[np.bool_]]:
        """Act at every table, and let the others act until it is your turn again everywhere."""
        tables = len(self.seats)
        self._rewards, self._done = np.zeros(tables), np.zeros(tables, np.bool_)
        everywhere = np.arange(tables)
        seen, rewards, done = self.environment.step_at(everywhere, actions)
        self._note(everywhere, rewards, done)
        return self._wait(seen), self._rewards, self._done

    def _wait(self, seen: Seen) -> Seen:
        for _ in range(PATIENCE):
            others = np.flatnonzero(seen.seats != self.seats)
            if len(others) == 0:
                return seen
            theirs = Seen(seen.seats[others], seen.features[others], seen.masks[others])
            seen, rewards, done = self.environment.step_at(others, self.opponent(theirs))
            self._note(others, rewards, done)
        raise BadInput(
            f"the opponent has acted {PATIENCE:,} times at table {others[0]} and left nothing to decide there"
        )

    def _note(self, which: NDArray[np.int64], rewards: NDArray[np.float64], done: NDArray[np.bool_]) -> None:
        """Note what ended; a game that ends before you act in it is not told."""
        mine = done & ~self._done[which]
        self._rewards[which[mine]] = rewards[mine, self.seats[which[mine]]]
        self._done[which[mine]] = True
