"""Vector environments: many tables of a game, with features and masks as arrays.

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
`features`     N, F        features of that seat, in [-1, 1]; `environment.feature_names` names them
`masks`        N, A        legal actions of that seat
`rewards`      N, S        payoffs at tables where a game just ended, 0 elsewhere
`done`         N           tables where a game just ended; the next one is already dealt
=============  ==========  =====================================================================

A seat's actions get their reward at the end of the game: keep the steps of a table, and then give each seat
its own reward.  The next step overwrites the arrays; copy them to keep them.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bolicho.agents import kernel as players
from bolicho.agents.agent import is_oracle
from bolicho.agents.mirrored_games import luck_of_seats
from bolicho.agents.player import Compiled
from bolicho.agents.registry import recipe
from bolicho.agents.seated import answers
from bolicho.errors import BadInput, IllegalAction
from bolicho.games import game as make_game
from bolicho.games.compiled import calls
from bolicho.games.compiled.chance import stream
from bolicho.games.game import Game
from bolicho.games.tables import Actions, Numbers, Tables


class Seen(NamedTuple):
    """Observations of the seats to act, one row per table."""

    seats: NDArray[np.int8]
    features: NDArray[np.float32]
    masks: NDArray[np.bool_]


class Environment:
    """Tables of one game; a finished game is followed by a new deal.  Seed and actions determine all results."""

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
        """Restart with the first deals."""
        self._dealt[:] = 0
        calls.reset_all(self._pool, self._seed, self._dealt, self._actions, self._seen.features, self._masks)
        return self._observation()

    def step(self, actions: ArrayLike) -> tuple[Seen, NDArray[np.float64], NDArray[np.bool_]]:
        """Play one action at every table; if a game ends, deal the next one.

        An illegal action is an error, and then no table has changed.
        """
        chosen = _legal_actions(actions, self._masks, np.arange(len(self._dealt)))
        done = np.empty(len(chosen), np.bool_)
        features, masks, rewards = self._seen.features, self._masks, self._rewards
        calls.step_all(self._pool, chosen, self._seed, self._dealt, self._actions, features, masks, rewards, done)
        return self._observation(), rewards, done

    def step_at(self, which: Numbers, actions: ArrayLike) -> tuple[Seen, NDArray[np.float64], NDArray[np.bool_]]:
        """Step only the tables `which`; observations are of all tables, rewards and ends of these."""
        chosen = _legal_actions(actions, self._masks[which], which)
        done, rewards = np.empty(len(chosen), np.bool_), np.empty((len(chosen), self.game.seats))
        features, masks = self._seen.features, self._masks
        facts = (self._seed, self._dealt, self._actions, features, masks, rewards, done)
        calls.step_some(self._pool, which, chosen, *facts)
        return self._observation(), rewards, done

    def _observation(self) -> Seen:
        """Return the observations, with a copy of the masks, since the next step is checked by the original."""
        self._seen.seats[:] = self._pool["turn"]
        self._seen.masks[:] = self._masks
        return self._seen


def _legal_actions(actions: ArrayLike, masks: NDArray[np.bool_], which: Numbers) -> Numbers:
    """Return the actions as an array: one for each of these tables, legal by the row of `masks`."""
    chosen = np.ascontiguousarray(actions, np.int64)
    if chosen.shape != which.shape:
        raise BadInput(f"there must be an action for each of {len(which)} tables, not {chosen.shape}")
    place = calls.first_illegal(masks, chosen)
    if place >= 0:
        raise IllegalAction(f"table {which[place]}: {chosen[place]} is not legal there")
    return chosen


# --- One seat -----------------------------------------------------------------------------------

Policy = Callable[[Seen], ArrayLike]
"""Function from observations to an action for each row."""

Opponent = str | Policy
"""Player of the other seats: an agent by its name (`"balanced"`, `"mcts(iterations=100)"`), or a policy."""

MOST_OPPONENT_ACTIONS = 10_000
"""Consecutive rounds of opponents' actions after which the learner counts as never having a turn."""


def at_random(seed: int) -> Policy:
    """Return a policy that takes a random legal action."""
    rng = np.random.default_rng(seed)
    return lambda seen: (rng.random(seen.masks.shape) * seen.masks).argmax(axis=1)


class OneSeat:
    """Single-agent environment: one seat of every table is yours, an opponent plays the others.

    A step is your action at every table, and all actions of the others until your next turn.
    Your reward is the payoff of your seat when a game in which you acted ends.

    >>> tables = OneSeat("dominoes", tables=64, seed=1, opponent="rule")
    >>> seen = tables.reset()
    >>> seen, rewards, done = tables.step(seen.masks.argmax(axis=1))
    >>> rewards.shape, bool((seen.seats == tables.seats).all())
    ((64,), True)

    `final_features` has your features at the end of a game, in the rows that are `done`.

    A policy may be replaced at any time (`tables.opponent = policy`), an agent only before a `reset`.  The
    luck of an agent depends only on the deal, the seat and the ply, so it plays every deal as in `agents.play`.
    """

    def __init__(
        self, game: str | Game, tables: int = 64, seed: int = 0, opponent: Opponent | None = None, **rules: Any
    ) -> None:
        self.game = make_game(game, **rules) if isinstance(game, str) else game
        self.seed = seed
        self.seats = np.arange(tables) % self.game.seats  # yours
        self.opponent: Opponent = at_random(seed) if opponent is None else opponent
        self._everywhere = np.arange(tables)
        self._seat_opponent()

    def _seat_opponent(self) -> None:
        """Make the tables, and the agent if the opponent is a spec."""
        chosen = self.opponent
        self._agent = _SeatedAgent(chosen, self.game, self.seats) if isinstance(chosen, str) else None
        self._tables = self._agent.tables if self._agent else Tables(self.game, len(self.seats))

    def reset(self, seed: int | None = None) -> Seen:
        """Restart with the first deals (of `seed`, if given), and play the others' actions before your first turn."""
        if seed is not None:
            self.seed = seed
        self._seat_opponent()
        self._streams = np.array(
            [stream(np.uint64(self.seed), table) for table in self._everywhere.tolist()], np.uint64
        )
        self._dealt = np.zeros(len(self.seats), np.int64)  # games so far at each table
        self._clear(done=True)  # a game that ends before your first action is not reported
        self._deal(self._everywhere)
        return self._wait()

    def step(self, actions: ArrayLike) -> tuple[Seen, NDArray[np.float64], NDArray[np.bool_]]:
        """Act at every table, then play the others' actions until your next turn at all tables.

        An illegal action is an error, and then no table has changed.
        """
        chosen = _legal_actions(actions, self._masks, self._everywhere)
        self._clear(done=False)
        self._play(self._everywhere, chosen)
        return self._wait(), self._rewards, self._done

    def _clear(self, done: bool) -> None:
        tables = len(self.seats)
        self._rewards, self._done = np.zeros(tables), np.full(tables, done)
        self.final_features = np.zeros((tables, self.game.num_features), np.float32)

    def _wait(self) -> Seen:
        """Play the others' actions until your turn at all tables; return your observations."""
        for _ in range(MOST_OPPONENT_ACTIONS):
            others = np.flatnonzero(self._tables.turn != self.seats)
            if len(others) == 0:
                seen = self._look(self._everywhere)
                self._masks = seen.masks.copy()  # checks the next step, even if the caller changes `seen.masks`
                return seen
            self._play(others, self._answer(others))
        raise BadInput(
            f"the opponent has acted {MOST_OPPONENT_ACTIONS:,} times at table {others[0]} "
            "and left nothing to decide there"
        )

    def _look(self, which: Numbers) -> Seen:
        return Seen(self._tables.turn[which], *self._tables.observe(which))

    def _answer(self, which: Numbers) -> Numbers | Actions:
        """Return the opponent's actions at these tables."""
        if not isinstance(self.opponent, str):
            seen = self._look(which)
            masks = seen.masks.copy()
            return _legal_actions(self.opponent(seen), masks, which)
        if self._agent is None or self._agent.spec != self.opponent:
            raise BadInput(f"the agent {self.opponent} takes its seats at a reset")
        return self._agent.act(which)

    def _play(self, which: Numbers, actions: Numbers | Actions) -> None:
        """Play legal actions at these tables; if a game ends, record its result and deal the next one."""
        self._tables.play(which, actions)
        if self._agent:
            self._agent.observe_actions(which)
        over = which[self._tables.turn[which] < 0]
        if len(over):
            self._conclude(over)
            self._deal(over)

    def _conclude(self, over: Numbers) -> None:
        """Record the results of finished games, except those that ended before your first action."""
        if self._agent:
            self._agent.end(over)
        mine = over[~self._done[over]]
        self._rewards[mine] = self._tables.payoffs(mine)[np.arange(len(mine)), self.seats[mine]]
        self._done[mine] = True
        pool = self._tables.pool
        for table, seat in zip(mine.tolist(), self.seats[mine].tolist(), strict=True):
            calls.features(pool[table : table + 1], seat, self.final_features[table])

    def _deal(self, which: Numbers) -> None:
        """Deal the next game of each table's own stream of seeds, as `Environment` does."""
        seeds = np.zeros(len(self.seats), np.uint64)
        waiting = which
        while len(waiting):  # skip deals that are over at once
            dealt = zip(self._streams[waiting], self._dealt[waiting].tolist(), strict=True)
            seeds[waiting] = [stream(own, game) for own, game in dealt]
            self._dealt[waiting] += 1
            self._tables.deal(seeds[waiting], waiting)
            waiting = waiting[self._tables.turn[waiting] < 0]
        if self._agent:
            self._agent.begin(which, seeds[which])


class _SeatedAgent:
    """Tables, and a registered agent that has all seats but one of each."""

    def __init__(self, spec: str, game: Game, yours: NDArray[np.int64]) -> None:
        found = recipe(spec, game.name)
        sample = found.make(game)
        self.spec = spec
        self.tables = Tables(game, len(yours), logged=not isinstance(sample, Compiled))
        self._answers = answers(found.maker(game), self.tables, is_oracle(sample))
        self._ledger = players.ledger(len(yours), game.seats)
        self._ledger["seated"][:, : game.seats] = np.arange(game.seats) != yours[:, None]  # 0: you, 1: the agent

    def begin(self, which: Numbers, seeds: NDArray[np.uint64]) -> None:
        seats = self.tables.game.seats
        self._ledger["keys"][which, :seats] = np.array(
            [luck_of_seats(seed, seats) for seed in seeds.tolist()], np.uint64
        )
        for table, seat in self._places(which):
            self._check(table, self._answers.begin(table, seat, None))

    def act(self, which: Numbers) -> Actions:
        """Return the agent's actions at these tables, which must be all those where it has the turn."""
        count = self.tables.count
        counts, order, luck = np.zeros(2, np.int64), np.zeros(count, np.int64), np.zeros(count, np.uint64)
        self._ledger["turn"] = self.tables.turn
        players.split(self._ledger, self.tables.plies, counts, order, luck)
        actions, seconds = np.zeros(len(which), np.int16), np.zeros(len(which))
        for place, why in self._answers.answer(which, luck[counts[0] :], actions, seconds).items():
            self._check(int(which[place]), why)
        return actions

    def observe_actions(self, which: Numbers) -> None:
        if self._answers.remembers:
            self._answers.observe_actions(1, self._ledger, which, np.ones(len(which), np.bool_))

    def end(self, which: Numbers) -> None:
        for table, seat in self._places(which):
            self._check(table, self._answers.end(table, seat))

    def _places(self, which: Numbers) -> list[tuple[int, int]]:
        """Return the tables and seats of the agent at these tables."""
        rows, seats = np.nonzero(self._ledger["seated"][which])
        return list(zip(which[rows].tolist(), seats.tolist(), strict=True))

    def _check(self, table: int, why: str | None) -> None:
        if why is not None:
            raise BadInput(f"the opponent {self.spec} broke at table {table}: {why}")
