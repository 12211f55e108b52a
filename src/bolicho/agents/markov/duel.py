"""Matches in compiled code: two of these players, or one and a scripted style, on mirrored deals."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.markov.compiled.hand import HAND
from bolicho.agents.markov.compiled.loop import play_matches
from bolicho.agents.markov.options import MindPool
from bolicho.agents.rules.truco.styles import STYLES, style_row
from bolicho.errors import unknown
from bolicho.games import game
from bolicho.games.game import Pool


def _table() -> Pool:
    return game("truco").deal(0).pool


@dataclass
class Room:
    """Where compiled matches are played."""

    pool: Pool = field(default_factory=_table)
    view: Pool = field(default_factory=_table)
    hands: NDArray[np.void] = field(default_factory=lambda: np.zeros(2, HAND))


def self_play(room: Room, mind: MindPool, seed: int, first: int, count: int, told: bool = True) -> None:
    """Let a mind play itself, matches `first` to `first + count` of the seed, and learn from both seats.

    `told` as the author's scripts are: a seat also learns from the other's points of envido and
    flor, shown or not.  It never decides by them.
    """
    _play(room, mind, (0, 0), None, (True, True), told, seed, first, count, mirrored=False)


def learn_from(room: Room, mind: MindPool, style: str, seed: int, first: int, count: int) -> None:
    """Let a mind play a scripted style, the seats alternating, and learn from what it sees."""
    _play(room, mind, (0, 0), style, (True, False), False, seed, first, count, mirrored=True)


def duel(
    one: MindPool, other: MindPool | str, deals: int, seed: int = 1, room: Room | None = None
) -> NDArray[np.float64]:
    """The share of the two matches of each deal, seats exchanged, that `one` wins: 0, 0.5 or 1.

    `other` is a mind or the name of a scripted style.  Nobody learns.
    """
    room = room or Room()
    style = other if isinstance(other, str) else None
    minds = one.copy() if isinstance(other, str) else np.concatenate([one, other])
    who = (0, 0) if isinstance(other, str) else (0, 1)
    won = _play(room, minds, who, style, (False, False), False, seed, 0, deals, mirrored=True)
    shares: NDArray[np.float64] = (won == 0).mean(axis=1)
    return shares


def _play(
    room: Room,
    minds: MindPool,
    who: tuple[int, int],
    style: str | None,
    learn: tuple[bool, bool],
    told: bool,
    seed: int,
    first: int,
    count: int,
    mirrored: bool,
) -> NDArray[np.int8]:
    if style is not None and style not in STYLES:
        raise unknown("scripted style", style, STYLES)
    out = np.zeros((count, 2), np.int8)
    row = style_row(STYLES[style or "balanced"])
    scripted = style is not None
    play_matches(
        room.pool, room.view, room.hands, minds, who, row, scripted, learn, told, np.uint64(seed), first, count,
        mirrored, out,
    )  # fmt: skip
    return out
