"""Training: 5,000 matches of self-play in 25 snapshots, as published; or everything the plus has."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress

import bolicho
from bolicho.agents.markov.matrices import (
    Learned,
    Packed,
    load_snapshots,
    pack_snapshot,
    rounded,
    save_learned,
    save_snapshots,
)
from bolicho.agents.markov.options import PLUS, PUBLISHED, MindPool, Options, new_mind, what_it_learned
from bolicho.agents.markov.practice import Room, learn_from, self_play
from bolicho.errors import BadInput

MATCHES, SNAPSHOTS = 5_000, 25  # Rossato 2020, section 5.3
PLUS_MATCHES = 10_000
PLUS_TEACHERS = (None, "balanced", None, "aggressive", None, "bluffer", None, "cautious", None, "novice")
"""Whom the plus plays in turn: itself (None) and the scripted styles."""
PLUS_EXPLORES = 0.1  # of its answers are drawn by lot, so that the log knows both
PLUS_GRAIN = 1000  # thousandths: whole counts are enough to ship
_SLICE = 100  # matches with one teacher, and between chances for Ctrl-C

UNFINISHED = ".part.safetensors"
ENDING = ".safetensors"


@dataclass(frozen=True)
class Recipe:
    """How a player is trained."""

    name: str
    options: Options = PUBLISHED
    teachers: tuple[str | None, ...] = (None,)
    told: bool = True
    explore: float = 0.0
    grain: int = 1
    keep_snapshots: bool = True

    def facts(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "options": self.options.facts(),
            "teachers": [teacher or "self" for teacher in self.teachers],
            "told": self.told,
            "explore": self.explore,
        }


AS_PUBLISHED = Recipe("markov")
AS_PLUS = Recipe("markov-plus", PLUS, PLUS_TEACHERS, False, PLUS_EXPLORES, PLUS_GRAIN, False)


def train_markov(
    out: Path | str, seed: int = 0, matches: int = MATCHES, snapshots: int = SNAPSHOTS, progress: bool = True
) -> dict[str, Any]:
    """Self-play as published.  Writes `out` and, beside it, the snapshots (`-snapshots.safetensors`)."""
    return _train(AS_PUBLISHED, Path(out), seed, matches, snapshots, progress)


def train_markov_plus(
    out: Path | str, seed: int = 0, matches: int = PLUS_MATCHES, progress: bool = True
) -> dict[str, Any]:
    """Self-play and play against the scripted styles, with every option on."""
    return _train(AS_PLUS, Path(out), seed, matches, SNAPSHOTS, progress)


def practise(mind: MindPool, recipe: Recipe, seed: int, done: int, end: int, room: Room) -> Iterator[int]:
    """Play and learn from the matches of a training after `done`, up to `end`; says how far it got."""
    while done < end:
        size = min(_SLICE - done % _SLICE, end - done)
        teacher = recipe.teachers[done // _SLICE % len(recipe.teachers)]
        if teacher is None:
            self_play(room, mind, seed, done, size, recipe.told)
        else:  # a deal is played from both seats: two matches
            learn_from(room, mind, teacher, seed, done, (size + 1) // 2)
        done += size
        yield done


def evolution(
    matches: int = MATCHES, snapshots: int = SNAPSHOTS, seed: int = 0, recipe: Recipe = AS_PUBLISHED
) -> Iterator[Learned]:
    """What is known after each part of a training, the last being the whole."""
    mind = new_mind(recipe.options, explore=recipe.explore, learns=True)
    room, done = Room(), 0
    for end in _ends(matches, snapshots):
        for _ in practise(mind, recipe, seed, done, end, room):
            pass
        done = end
        yield what_it_learned(mind)


def _ends(matches: int, snapshots: int) -> list[int]:
    """After which matches a snapshot is taken."""
    return sorted({matches * part // snapshots for part in range(1, snapshots + 1)} - {0})


def _train(recipe: Recipe, out: Path, seed: int, matches: int, snapshots: int, progress: bool) -> dict[str, Any]:
    for what, number in (("matches", matches), ("snapshots", snapshots)):
        if type(number) is not int or number < 1:
            raise BadInput(f"{what} must be a whole number from 1 on, not {number!r}")
    parts = "" if recipe.name == AS_PLUS.name else f" snapshots={snapshots}"
    story = {
        **recipe.facts(),
        "version": bolicho.__version__,
        "command": f"bolicho train {recipe.name} matches={matches}{parts} --seed {seed}",
        "seed": seed,
        "matches": matches,
        "snapshots": snapshots,
    }
    stem = out.name.removesuffix(ENDING)
    unfinished = out.with_name(stem + UNFINISHED)
    kept, done = _resume(unfinished, story)
    mind = new_mind(recipe.options, kept[-1] if kept else None, recipe.explore, learns=True)
    packed: Packed = {}
    for taken, learned in enumerate(kept, 1):
        packed |= pack_snapshot(learned, taken)
    room = Room()
    with Progress(console=Console(stderr=True), disable=not progress) as bar:
        task = bar.add_task(recipe.name, total=matches, completed=done)
        for number, end in enumerate(_ends(matches, snapshots), 1):
            if end <= done:
                continue
            for reached in practise(mind, recipe, seed, done, end, room):
                bar.update(task, completed=reached)
            done = end
            packed |= pack_snapshot(what_it_learned(mind), number if recipe.keep_snapshots else 1)
            save_snapshots(unfinished, packed, {"story": story, "done": done})
    save_learned(out, rounded(what_it_learned(mind), recipe.grain), story, recipe.grain)
    report: dict[str, Any] = {"matches": matches, "bytes": out.stat().st_size}
    if recipe.keep_snapshots:
        beside = out.with_name(f"{stem}-snapshots{ENDING}")
        save_snapshots(beside, packed, story)
        report["snapshots"] = str(beside)
    unfinished.unlink()
    return report


def _resume(unfinished: Path, story: dict[str, Any]) -> tuple[list[Learned], int]:
    """The snapshots of an unfinished training and how far it got, if it is the same training."""
    if unfinished.exists():
        kept, facts = load_snapshots(str(unfinished))
        if facts["story"] == json.loads(json.dumps(story)):
            return kept, facts["done"]
    return [], 0
