"""Sequential training matches: in self-play, or against a scripted style."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.markov.compiled.hand import MEMORY
from bolicho.agents.markov.compiled.player import Player
from bolicho.agents.markov.compiled.practice import play_match
from bolicho.agents.markov.options import MindPool
from bolicho.agents.meet import deal_seed, luck_of_seats
from bolicho.agents.player import NOTHING, Compiled
from bolicho.agents.registry import agent
from bolicho.games import game
from bolicho.games.kind import Pool


def _table() -> Pool:
    return game("truco").deal(0).pool


@dataclass
class Room:
    """Work records of matches."""

    table: Pool = field(default_factory=_table)
    view: Pool = field(default_factory=_table)
    memory: NDArray[np.void] = field(default_factory=lambda: np.zeros((1, 2), MEMORY))
    idle: NDArray[np.void] = field(default_factory=lambda: np.zeros(1, NOTHING))


def self_play(room: Room, mind: MindPool, seed: int, first: int, count: int, told: bool = True) -> None:
    """Play matches `first` to `first + count` of the seed in self-play, and learn from both seats.

    With `told`, as in the author's scripts, a seat also learns from the other's points of envido and flor, shown or
    not. It never decides by them.
    """
    for number in range(first, first + count):
        _play(room, mind, Player(mind), room.memory[0], [0, 1], deal_seed(seed, number), told)


def learn_from(room: Room, mind: MindPool, style: str, seed: int, first: int, count: int) -> None:
    """Play against a scripted style, each deal from both seats, and learn from the observations."""
    scripted = agent(style, "truco")
    assert isinstance(scripted, Compiled)
    teacher = scripted.player(game("truco"))
    for number in range(first, first + count):
        for seat in range(2):
            _play(room, mind, teacher, room.idle, [seat], deal_seed(seed, number), False)


def _play(
    room: Room, mind: MindPool, teacher: NamedTuple, idle: NDArray[np.void], seats: list[int], seed: int, told: bool
) -> None:
    luck = np.array(luck_of_seats(seed, 2), np.uint64)
    play_match(
        room.table, room.view, Player(mind), room.memory, teacher, idle, np.array(seats), np.uint64(seed), luck, told
    )
