"""Play an experiment: in parallel, resumable, with the same result whoever does the work.

Games are played in tasks, each some deals of one pairing.  What a finished task brings is written
at once as one Parquet file, whole or not at all, so a run that was stopped, killed or lost a worker
plays only what is missing.  At the end the folder holds

`experiment.toml`   the experiment, exactly
`games.parquet`     every game, replayable (see `rows`)
`timing.parquet`    what every game took
`result.json`       standings, ratings, pairs (see `summary`); the same bytes every time
`made.json`         when, where and by which command it was made, and what decisions took
`index.html`        all of it for people
"""

import json
import platform
import shlex
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import joblib
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
from rich.progress import Task as ProgressTask
from rich.text import Text

import bolicho
from bolicho.agents.agent import Agent, Recipe, Traits, recipe, traits
from bolicho.arena.experiment import Experiment
from bolicho.arena.pairing import Task, deal_seed, rotated, tasks
from bolicho.arena.play import play
from bolicho.arena.rows import GAMES, Row, connect, make_row, merge_parts, read_games, row_record, write_part
from bolicho.arena.seeds import draw_seed, is_drawn, luck
from bolicho.arena.summary import summarise, timing
from bolicho.errors import BadInput
from bolicho.files import uninterrupted, write_text_atomic
from bolicho.games.game import Game

__all__ = ["Run", "read_run", "row_record", "run"]

EXPERIMENT, RESULT, MADE, PAGE, PARTS = "experiment.toml", "result.json", "made.json", "index.html", "parts"
PATIENCE = 3  # how often in a row workers may die with nothing finished
QUIET_SECONDS = 2.0  # what is faster shows no progress


@dataclass(frozen=True)
class Run:
    """A finished run: its folder, what was played and what came of it."""

    folder: Path
    experiment: Experiment
    result: dict[str, Any]  # result.json
    made: dict[str, Any]  # made.json


def run(experiment: Experiment, out: Path | str, jobs: int | None = 1, *, command: str | None = None) -> Run:
    """Play `experiment` into the folder `out` with `jobs` processes (None: all cores).

    A folder that already holds part of the same experiment is finished, a finished one is read;
    one made by another experiment is refused.  `command` is what the report says made it.
    Another joblib backend (a cluster) takes over with `joblib.parallel_config(backend=...)`.
    """
    if jobs is not None and jobs < 1:
        raise BadInput(f"jobs must be 1 or more processes, not {jobs}")
    folder = Path(out)
    finished = (folder / PAGE).exists()
    found = [] if finished else find_traits(experiment)  # what cannot be made should fail first, in one sentence
    experiment = with_seed(experiment, folder)
    _claim(folder, experiment)
    if not finished:
        start = time.perf_counter()
        played = 0 if (folder / GAMES).exists() else _play_all(experiment, folder, jobs, found)
        made = {
            "command": command
            or f"bolicho tournament --config {shlex.quote(str(folder / EXPERIMENT))} --out NEW_FOLDER",
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
            "jobs": joblib.effective_n_jobs(-1 if jobs is None else jobs),
            "seconds": round(time.perf_counter() - start, 3),
            "played": played,  # the rest was there from before
            **_machine(),
        }
        _conclude(folder, experiment, made, found)
    return read_run(folder)


def read_run(folder: Path | str) -> Run:
    """A run that is finished."""
    folder = Path(folder)
    if not (folder / RESULT).exists() or not (folder / MADE).exists():
        raise BadInput(f"{str(folder)!r} holds no finished run (no {RESULT})")
    return Run(
        folder,
        Experiment.read(folder / EXPERIMENT),
        json.loads((folder / RESULT).read_text(encoding="utf-8")),
        json.loads((folder / MADE).read_text(encoding="utf-8")),
    )


def find_traits(experiment: Experiment) -> list[Traits]:
    """What every agent is, decided once and for the whole run."""
    game = experiment.make_game()
    return [traits(spec, game) for spec in experiment.agents]


def with_seed(experiment: Experiment, folder: Path) -> Experiment:
    """The experiment with a seed: its own, the one drawn when the folder was begun, or a new one."""
    if experiment.seed is not None:
        return experiment
    path = folder / EXPERIMENT
    begun = Experiment.read(path).seed if path.exists() else None
    return replace(experiment, seed=begun if is_drawn(begun) else draw_seed())


def _claim(folder: Path, experiment: Experiment) -> None:
    """Make the folder this experiment's, or see that it is."""
    path = folder / EXPERIMENT
    heading = f"# bolicho {bolicho.__version__}\n"
    if path.exists():
        if Experiment.read(path) != experiment:
            raise BadInput(
                f"{str(folder)!r} was made by another experiment (see its {EXPERIMENT}); choose another folder"
            )
        if not (folder / GAMES).exists() and not path.read_text(encoding="utf-8").startswith(heading):
            raise BadInput(f"{str(folder)!r} was begun by another version of bolicho; choose another folder")
    elif folder.exists() and (not folder.is_dir() or any(not file.name.startswith(".") for file in folder.iterdir())):
        raise BadInput(f"{str(folder)!r} is not empty and holds no run; choose another folder")
    else:
        write_text_atomic(path, heading + experiment.to_toml())


def _conclude(folder: Path, experiment: Experiment, made: dict[str, Any], found: Sequence[Traits]) -> None:
    """Everything that is made of the games; the page last, since it says that all is done."""
    from bolicho.arena.report import write_report  # drawing is slow to import, and workers do not draw

    shutil.rmtree(folder / PARTS, ignore_errors=True)
    games = read_games(folder, experiment)
    result = summarise(experiment, games, folder, found)
    made["timing"] = timing(experiment, games)
    write_text_atomic(folder / RESULT, json.dumps(result, indent=1, ensure_ascii=False) + "\n")
    write_text_atomic(folder / MADE, json.dumps(made, indent=1, ensure_ascii=False) + "\n")
    write_report(folder / PAGE, result, made)


# --- Playing ------------------------------------------------------------------------------------


def _play_all(experiment: Experiment, folder: Path, jobs: int | None, found: Sequence[Traits]) -> int:
    """Play every task that has no part yet, then put the parts together; how many games were played."""
    game = experiment.make_game()
    pairings = experiment.pairings()
    whole = [number for number, pairing in enumerate(pairings) if any(found[agent].learns for agent in pairing)]
    parts = {
        task: folder / PARTS / f"{task.name}.parquet" for task in tasks(len(pairings), experiment.duplicates, whole)
    }
    database = connect()
    per_deal = game.seats
    missing = [task for task, part in parts.items() if not part.exists()]
    kept = sum(task.deals for task in parts if task not in set(missing)) * per_deal
    before, deaths = kept, 0
    with _progress(experiment.num_games, kept) as advance:
        try:
            while missing:
                try:
                    for task, rows in _work(experiment, missing, jobs, found):
                        with uninterrupted():
                            write_part(database, parts[task], rows)
                        kept += task.deals * per_deal
                        deaths = 0
                        advance(task.deals * per_deal)
                except BrokenProcessPool:
                    deaths += 1
                missing = [task for task in missing if not parts[task].exists()]
                if missing and deaths >= PATIENCE:
                    raise BadInput(_dying(experiment, missing[0], kept, folder))
        except KeyboardInterrupt:
            print(
                f"Stopped.  {kept} of {experiment.num_games} games are kept in {str(folder)!r}; "
                "the same command again plays the rest.",
                file=sys.stderr,
            )
            raise
    with uninterrupted():
        merge_parts(database, parts.values(), folder)
    return kept - before


def _dying(experiment: Experiment, task: Task, kept: int, folder: Path) -> str:
    meeting = " against ".join(experiment.agents[number] for number in experiment.pairings()[task.pairing])
    return (
        f"the processes that play {meeting} died {PATIENCE} times in a row (out of memory, or a crash in an agent); "
        f"{kept} of {experiment.num_games} games are kept in {str(folder)!r}"
    )


def _work(
    experiment: Experiment, missing: list[Task], jobs: int | None, found: Sequence[Traits]
) -> Iterator[tuple[Task, list[Row]]]:
    """What the tasks bring, in the order they are finished."""
    parallel = joblib.Parallel(n_jobs=-1 if jobs is None else jobs, batch_size=1, return_as="generator_unordered")
    results: Iterator[tuple[Task, list[Row]]] = parallel(
        joblib.delayed(play_task)(experiment, task, found) for task in missing
    )
    return results


def play_task(experiment: Experiment, task: Task, found: Sequence[Traits]) -> tuple[Task, list[Row]]:
    """Play some deals of one pairing in every rotation.  What a worker runs.

    No object sees a deal twice: an agent is made anew for every game, and one that learns for every
    rotation, which it plays from the first deal to the last.
    """
    assert experiment.seed is not None
    game = experiment.make_game()
    pairing = experiment.pairings()[task.pairing]
    specs = [experiment.agents[number] for number in pairing]
    recipes = [recipe(spec, experiment.game) for spec in specs]
    rows = []
    for rotation in range(game.seats):
        learners = [
            _make(made, game) if found[number].learns else None for made, number in zip(recipes, pairing, strict=True)
        ]
        oracles = rotated([found[number].oracle for number in pairing], rotation)
        for deal in range(task.first, task.first + task.deals):
            agents = [kept or _make(made, game) for kept, made in zip(learners, recipes, strict=True)]
            seed = deal_seed(experiment.seed, deal)
            played = play(
                game,
                rotated(agents, rotation),
                seed,
                luck=luck(experiment.seed, deal),
                oracles=oracles,
                move_limit=experiment.move_limit,
            )
            row = (task.pairing * experiment.duplicates + deal) * game.seats + rotation
            place = {"row": row, "pairing": task.pairing, "deal": deal, "rotation": rotation, "seed": seed}
            rows.append(make_row(played, rotated(specs, rotation), **place))
    return task, rows


class _Unmade(Agent):
    """Sits where an agent should that could be made once and now cannot; forfeits with the reason."""

    def __init__(self, problem: BadInput) -> None:
        self.problem = problem

    def begin(self, game: Game, seat: int) -> None:
        raise self.problem


def _make(made: Recipe, game: Game) -> Agent:
    """A new agent; who breaks while being made, in the middle of a run, forfeits like anybody who breaks."""
    try:
        return made.make(game)
    except BadInput as problem:
        return _Unmade(problem)


# --- What people see meanwhile ------------------------------------------------------------------


class _GamesPerSecond(ProgressColumn):
    def render(self, task: ProgressTask) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f} games/s" if speed >= 10 else f"{speed:.2g} games/s")


@contextmanager
def _progress(total: int, done: int) -> Iterator[Callable[[int], None]]:
    """Progress on stderr, for what takes longer than a moment."""
    progress = Progress(
        TextColumn("playing"),
        BarColumn(),
        MofNCompleteColumn(),
        _GamesPerSecond(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )
    task = progress.add_task("", total=total, completed=done)
    later = threading.Timer(QUIET_SECONDS, progress.start)
    later.daemon = True
    later.start()
    try:
        yield lambda games: progress.advance(task, games)
    finally:
        later.cancel()
        later.join()
        progress.stop()


def _machine() -> dict[str, Any]:
    """Where it runs: what the time measured depends on."""
    import numba
    import numpy

    return {
        "bolicho": bolicho.__version__,
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "numba": numba.__version__,
        "system": platform.platform(terse=True),
        "processor": _processor(),
        "cores": joblib.cpu_count(),
    }


def _processor() -> str:
    """The processor's name, where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
