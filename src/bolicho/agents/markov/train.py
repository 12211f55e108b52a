"""Training: 5,000 matches of self-play in 25 snapshots, as published; or with all options of `markov-plus`."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.markov.compiled.hand import MEMORY
from bolicho.agents.markov.compiled.match_play import play_match
from bolicho.agents.markov.compiled.player import MarkovPlayer
from bolicho.agents.markov.matrices import (
    WEAKEST,
    LearnedMatrices,
    pack_snapshot,
    rounded,
    save_learned,
    save_snapshots,
)
from bolicho.agents.markov.options import (
    PLUS,
    PUBLISHED,
    MarkovOptions,
    PlayerStates,
    learned_matrices,
    new_player_state,
)
from bolicho.agents.mirrored_games import deal_seed, luck_of_seats
from bolicho.agents.player import NOTHING, Compiled
from bolicho.agents.registry import agent
from bolicho.agents.training import Learner, beside, whole_numbers
from bolicho.games import game
from bolicho.games.kind import Pool
from bolicho.store.artifact import Arrays

MATCHES, SNAPSHOTS = 5_000, 25  # Rossato 2020, section 5.3
PLUS_MATCHES = 10_000
PLUS_TEACHERS = (None, "balanced", None, "aggressive", None, "bluffer", None, "cautious", None, "novice")
"""Opponents of `markov-plus` in turn: itself (None) and the scripted styles."""
PLUS_EXPLORES = 0.1  # share of random answers, so that the ledger contains both answers
PLUS_GRAIN = 1000  # in thousandths: whole counts suffice for the shipped file
SNAPSHOTS_ENDING = "-snapshots.safetensors"
_SLICE = 100  # consecutive matches with one teacher


@dataclass(frozen=True)
class TrainingParameters:
    """Parameters of a training."""

    options: MarkovOptions = PUBLISHED
    teachers: tuple[str | None, ...] = (None,)
    told: bool = True
    explore: float = 0.0
    grain: int = 1
    keep_snapshots: bool = True

    def facts(self) -> dict[str, Any]:
        """Return the parameters as JSON."""
        return {
            "options": self.options.facts(),
            "teachers": [teacher or "self" for teacher in self.teachers],
            "told": self.told,
            "explore": self.explore,
        }


AS_PUBLISHED = TrainingParameters()
AS_PLUS = TrainingParameters(PLUS, PLUS_TEACHERS, False, PLUS_EXPLORES, PLUS_GRAIN, False)


class MatchLearner:
    """Learner from matches against itself and its teachers, with snapshots at equal intervals."""

    unit = "matches"

    def __init__(self, recipe: TrainingParameters, seed: int, matches: int, snapshots: int = SNAPSHOTS) -> None:
        whole_numbers(matches=matches, snapshots=snapshots)
        self.recipe, self.seed = recipe, seed
        self.total, self.done = matches, 0
        self.facts = {**recipe.facts(), "matches": matches, "snapshots": snapshots}
        self.ends = sorted({matches * part // snapshots for part in range(1, snapshots + 1)} - {0})
        self.mind = new_player_state(recipe.options, explore=recipe.explore, learns=True)
        self.packed: Arrays = {}
        self._room = MatchWorkspace()

    def step(self) -> None:
        recipe, done = self.recipe, self.done
        end = next(end for end in self.ends if end > done)
        size = min(_SLICE - done % _SLICE, end - done)
        teacher = recipe.teachers[done // _SLICE % len(recipe.teachers)]
        if teacher is None:
            self_play(self._room, self.mind, self.seed, done, size, recipe.told)
        else:  # a deal is played from both seats: two matches
            learn_from(self._room, self.mind, teacher, self.seed, done, (size + 1) // 2)
        self.done += size
        if self.done == end and recipe.keep_snapshots:
            self.packed |= pack_snapshot(learned_matrices(self.mind), 1 + self.ends.index(end))

    def state(self) -> Arrays:
        return {"mind": self.mind.view(np.uint8), **self.packed}

    def restore(self, state: Arrays) -> None:
        self.packed = dict(state)
        self.mind.view(np.uint8)[:] = self.packed.pop("mind")

    def finish(self, out: Path, story: dict[str, Any]) -> dict[str, Any]:
        grain = self.recipe.grain
        save_learned(out, rounded(learned_matrices(self.mind), grain), story, grain)
        report: dict[str, Any] = {"matches": self.done, "bytes": out.stat().st_size}
        if self.packed:
            save_snapshots(beside(out, SNAPSHOTS_ENDING), self.packed, story)
            report["snapshots"] = str(beside(out, SNAPSHOTS_ENDING))
        return report


def markov(seed: int, matches: int = MATCHES, snapshots: int = SNAPSHOTS, *, weakest: str = WEAKEST[0]) -> Learner:
    """Train in self-play as published, with snapshots in a file beside the artifact (`-snapshots.safetensors`).

    `weakest` selects the initial matrices of the weakest pair and flor (`matrices.WEAKEST`).
    """
    return MatchLearner(replace(AS_PUBLISHED, options=replace(PUBLISHED, weakest=weakest)), seed, matches, snapshots)


def markov_plus(seed: int, matches: int = PLUS_MATCHES) -> Learner:
    """Train in self-play and against the scripted styles, with all options."""
    return MatchLearner(AS_PLUS, seed, matches)


def evolution(
    matches: int = MATCHES, snapshots: int = SNAPSHOTS, seed: int = 0, recipe: TrainingParameters = AS_PUBLISHED
) -> Iterator[LearnedMatrices]:
    """Yield the learned state after each part of a training, the last one being complete."""
    player = MatchLearner(replace(recipe, keep_snapshots=False), seed, matches, snapshots)
    while player.done < player.total:
        player.step()
        if player.done in player.ends:
            yield learned_matrices(player.mind)


# --- Matches in sequence, in self-play or against a scripted style ------------------------------


def _table() -> Pool:
    return game("truco").deal(0).pool


@dataclass
class MatchWorkspace:
    """Work records of matches."""

    table: Pool = field(default_factory=_table)
    view: Pool = field(default_factory=_table)
    memory: NDArray[np.void] = field(default_factory=lambda: np.zeros((1, 2), MEMORY))
    idle: NDArray[np.void] = field(default_factory=lambda: np.zeros(1, NOTHING))


def self_play(room: MatchWorkspace, mind: PlayerStates, seed: int, first: int, count: int, told: bool = True) -> None:
    """Play matches `first` to `first + count` of the seed in self-play, and learn from both seats.

    With `told`, as in the author's scripts, a seat also learns from the other's points of envido and flor, shown or
    not. It never decides by them.
    """
    for number in range(first, first + count):
        _play(room, mind, MarkovPlayer(mind), room.memory[0], [0, 1], deal_seed(seed, number), told)


def learn_from(room: MatchWorkspace, mind: PlayerStates, style: str, seed: int, first: int, count: int) -> None:
    """Play against a scripted style, each deal from both seats, and learn from the observations."""
    scripted = agent(style, "truco")
    assert isinstance(scripted, Compiled)
    teacher = scripted.player(game("truco"))
    for number in range(first, first + count):
        for seat in range(2):
            _play(room, mind, teacher, room.idle, [seat], deal_seed(seed, number), False)


def _play(
    room: MatchWorkspace,
    mind: PlayerStates,
    teacher: NamedTuple,
    idle: NDArray[np.void],
    seats: list[int],
    seed: int,
    told: bool,
) -> None:
    luck = np.array(luck_of_seats(seed, 2), np.uint64)
    play_match(
        room.table,
        room.view,
        MarkovPlayer(mind),
        room.memory,
        teacher,
        idle,
        np.array(seats),
        np.uint64(seed),
        luck,
        told,
    )
