"""Compile ahead of time what games need, by playing: nothing here knows what is compiled."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bolicho.agents.agent import parse_spec
from bolicho.agents.catalogue import CATALOGUE
from bolicho.arena import terminal
from bolicho.arena.experiment import Experiment
from bolicho.arena.run import run
from bolicho.errors import BadInput
from bolicho.games import game as make_game
from bolicho.games import kind

SEED = 1
NOBODY = "random"  # who sits in the other seats: quick, and compiles nothing of its own
PERSON = "human"


def house_agents(game: str) -> list[str]:
    """An agent of the house for each technique that plays a game: those made by one class compile the same."""
    techniques = {entry.home: entry.name for entry in reversed(CATALOGUE) if entry.plays(game) and entry.name != PERSON}
    return sorted(techniques.values(), key=[entry.name for entry in CATALOGUE].index)


def warm(wanted: Mapping[str, Sequence[str]]) -> None:
    """Play each game with each of its agents, and a tournament of one deal, so that nothing is left to compile.

    A bar on stderr says what is being played.
    """
    steps = [(name, spec) for name, specs in wanted.items() for spec in (*specs, None)]
    for name in wanted:
        kind(name)  # an unknown game is said to be unknown before anything is compiled
    columns = (TextColumn("compiling {task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=len(steps))
        for name, spec in steps:
            bar.update(task, description=f"{name}: {'a tournament' if spec is None else parse_spec(spec)[0]}")
            if spec is None:
                _play_tournament(name)
            else:
                _play_game(name, spec)
            bar.advance(task)


def _play_game(name: str, spec: str) -> None:
    """One game in the terminal's way, reasons asked for, nothing told."""
    others = [NOBODY] * (make_game(name).seats - 1)
    played, _ = terminal.play_sitting(terminal.sit(name, [spec, *others], {}, SEED), True, tell=lambda line: None)
    if played is not None and played.forfeit is not None:
        raise BadInput(f"{spec} cannot play {name}: {played.forfeit[1]}")


def _play_tournament(name: str) -> None:
    """What a tournament does with the games it keeps."""
    with tempfile.TemporaryDirectory() as folder:
        run(Experiment(name, (NOBODY,), duplicates=1, seed=SEED), Path(folder) / name, jobs=1)
