"""Regret table of a training in Python: creation, growth, saving and resuming."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cfr.compiled import table
from bolicho.agents.cfr.compiled.walk import Learning, Workspace, iterate
from bolicho.errors import BadInput
from bolicho.games.game import Game
from bolicho.games.kind import copy_pool
from bolicho.store.artifact import Arrays

DEEPEST = 200  # maximum number of a seat's decisions in one game
MOST_NODES = 50_000_000  # maximum per walk
FIRST_SLOTS = 1 << 12
ARMS_A_SLOT = 2


def room(game: Game, deepest: int) -> Workspace:
    """Allocate the work arrays of walks through a game."""
    width, blank = game.num_actions, game.deal(0).pool
    return Workspace(
        pool=np.frombuffer(bytearray(blank.tobytes() * deepest), game.dtype),
        seen=copy_pool(blank),
        past=np.zeros((deepest, game.seats), np.uint64),
        actions=np.zeros((deepest, width), np.int16),
        labels=np.zeros(width, np.int16),
        strategy=np.zeros((deepest, width), np.float32),
        values=np.zeros((deepest, width)),
        first=np.zeros(deepest, np.int64),
        prunes=np.zeros(deepest, np.bool_),
        count=np.zeros(deepest, np.int64),
        tried=np.zeros(deepest, np.int64),
        payoffs=np.zeros(game.seats),
    )


class Situations:
    """Regrets and averages of every visited situation, in a table that grows."""

    def __init__(self, slots: int = FIRST_SLOTS, arms: int = ARMS_A_SLOT * FIRST_SLOTS) -> None:
        self.status = np.zeros(table.STATUS, np.int64)
        self.slots: NDArray[np.void] = np.zeros(slots, table.SLOT)
        self.arms: NDArray[np.void] = np.zeros(arms, table.ARM)

    def __len__(self) -> int:
        return int(self.status[table.SITUATIONS])

    def met(self) -> NDArray[np.void]:
        """Return the visited situations, in the order of their first visits."""
        used = self.slots[self.slots["count"] > 0]
        return used[np.argsort(used["first"])]

    def learned(self) -> NDArray[np.void]:
        """Return the arms of all visited situations."""
        return self.arms[: self.status[table.ARMS]]

    def grow(self) -> None:
        """Enlarge the table if it is nearly full."""
        if 2 * len(self) >= len(self.slots):
            kept, self.slots = self.met(), np.zeros(2 * len(self.slots), table.SLOT)
            table.place(self.slots, kept)
        if 4 * self.status[table.ARMS] >= 3 * len(self.arms):
            self.arms = np.concatenate([self.arms, np.zeros_like(self.arms)])

    def state(self) -> Arrays:
        met, arms = self.met(), self.learned()
        fields = {name: met[name] for name in table.SLOT.names or ()}
        return {
            **fields,
            **{name: arms[name] for name in table.ARM.names or ()},
            "status": self.status.copy(),
            "room": np.array([len(self.slots), len(self.arms)]),
        }

    def restore(self, state: Arrays) -> None:
        self.status[:] = state["status"]
        slots, arms = state["room"].tolist()
        kept = np.zeros(len(self), table.SLOT)
        for name in table.SLOT.names or ():
            kept[name] = state[name]
        self.slots, self.arms = np.zeros(slots, table.SLOT), np.zeros(arms, table.ARM)
        table.place(self.slots, kept)
        for name in table.ARM.names or ():
            self.arms[name][: self.status[table.ARMS]] = state[name]


class Regrets(Situations):
    """Regrets of one game and seed, learned by walks."""

    def __init__(self, game: Game, abstraction: NamedTuple, learning: Learning, seed: int) -> None:
        super().__init__()
        self.game, self.abstraction, self.learning = game, abstraction, learning
        self.seed = np.uint64(seed)
        self.done = 0
        self._room = room(game, DEEPEST)

    def iterate(self, count: int) -> None:
        """Run `count` more iterations: a deal and a walk for each seat."""
        end = self.done + count
        while self.done < end:
            self.done += iterate(
                self.abstraction, self.learning, self._room, self.slots, self.arms, self.status, self.seed,
                self.done, end - self.done, MOST_NODES,
            )  # fmt: skip
            if self.status[table.CLASHED]:
                raise BadInput(
                    f"the abstraction {type(self.abstraction).__name__} is not consistent in {self.game!r}: "
                    "two situations have one key and different choices"
                )
            if self.status[table.TOO_DEEP]:
                raise BadInput(f"a game of {self.game!r} has more than {DEEPEST} decisions of a seat, the limit")
            if self.status[table.TOO_LARGE]:
                raise BadInput(
                    f"a walk through {self.game!r} visits more than {MOST_NODES:,} decisions; "
                    "train on a smaller game, such as a single hand"
                )
            self.grow()

    @property
    def nodes(self) -> int:
        """Number of decisions visited by the walks."""
        return int(self.status[table.NODES])
