"""Parallel, resumable runs of an experiment, with results that do not depend on the processes that play.

A task is some deals of one pairing.  The games of a finished task are replayed (see `replay`) and written
atomically as one Parquet file with its checksum, so a run that was stopped or killed, or lost a worker
process, plays only the missing games.  The folder of a finished run holds

`experiment.toml`   the experiment
`identity.json`     the code and the files that the games depend on (see `identity`)
`games.parquet`     every game, replayable (see `rows`)
`timing.parquet`    the times of every game
`result.json`       standings, ratings, pairs (see `summary`); the same bytes every time
`made.json`         date, machine and command of the run, and the times of decisions
`index.html`        the report
`SHA256SUMS`        the checksums of all these files, for `sha256sum -c` and for `read_run`
"""

import json
import os
import platform
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import joblib

import bolicho
from bolicho.agents.agent import Agent
from bolicho.agents.loop import TABLES, play_deals
from bolicho.agents.mirrored_games import deal_seed, in_rotation, rotated
from bolicho.agents.registry import Traits, has_built_in_code, recipe, traits
from bolicho.agents.seated import ExternalAgent
from bolicho.agents.spec import parse_spec
from bolicho.arena import identity as identities
from bolicho.arena import subprocess_agent
from bolicho.arena.cluster import Cluster, work_there
from bolicho.arena.experiment import Experiment
from bolicho.arena.identity import VERSION, Identity, Places
from bolicho.arena.pairing import TASKS_WANTED, Task, apart, joined, tasks
from bolicho.arena.replay import check_rows
from bolicho.arena.rows import (
    EXPERIMENT,
    GAMES,
    IDENTITY,
    MADE,
    MADE_OF_IT,
    PAGE,
    PARTS,
    PLAYED,
    RESULT,
    TIMING,
    Row,
    begun_in,
    connect,
    demand_whole,
    is_finished,
    keep_part,
    kept_parts,
    make_row,
    merge_parts,
    read_games,
    read_identity,
    remove_leftovers,
    row_record,
    split_games,
)
from bolicho.arena.run_lock import Busy, EndSignal, end_with, leaving, lock_exclusively, lock_shared
from bolicho.arena.seeds import draw_seed, is_drawn, luck, shuffled
from bolicho.arena.summary import summarise, timing
from bolicho.errors import BadInput
from bolicho.files import check_place, read_bytes, uninterrupted, write_text_atomic
from bolicho.formats import RUN
from bolicho.games.game import Game
from bolicho.machine import processor_name
from bolicho.progress import Bar, progress
from bolicho.store.file_checksums import SUMS, write_sums

__all__ = ["Run", "read_run", "row_record", "run"]

MOST_CRASHES = 3  # consecutive crashes of worker processes without a finished task
TASK_SECONDS = 1.0  # tasks of fast agents are joined to this length: writing one takes 10 ms
TASKS_LEFT = 4  # tasks for each process in the rest of a run, so that all end together
QUIET_SECONDS = 2.0  # a faster run shows no progress bar


@dataclass(frozen=True)
class Run:
    """A finished run: its folder, experiment and result."""

    folder: Path
    experiment: Experiment
    result: dict[str, Any]  # result.json
    made: dict[str, Any]  # made.json

    def _repr_html_(self) -> str:
        from bolicho.arena.standings import standings_html  # drawing is slow to import

        return standings_html(self.result)


@contextmanager
def no_process_left() -> Iterator[None]:
    """End all agent processes afterwards."""
    try:
        yield
    finally:
        subprocess_agent.end_all()


@no_process_left()
def run(
    experiment: Experiment,
    out: Path | str,
    jobs: int | None = 1,
    *,
    command: str | None = None,
    cluster: str | None = None,
) -> Run:
    """Play `experiment` into the folder `out` with `jobs` processes on this machine (None: all cores).

    If the folder holds part of the same experiment, play the rest; if it is finished, read it; if it has fewer deals,
    play the others: the files are the same bytes as those of one run.  Raise `BadInput` for a folder of another
    experiment, other code or other files, naming the difference, and for a folder locked by another run.
    The report shows `command`.  With the address of a Dask scheduler as `cluster`, its workers play, and this process
    replays and writes.

    SIGTERM and SIGHUP stop a run as Ctrl-C does; finished tasks are kept, and all child processes end, even if
    this process is killed.  A joblib backend set elsewhere (threads, a cluster) has no effect.
    """
    if jobs is not None and jobs < 1:
        raise BadInput(f"jobs must be 1 or more processes, not {jobs}")
    folder = Path(out)
    met = [
        inspect_agent(experiment, spec) for spec in experiment.agents
    ]  # raises `BadInput` for an agent that cannot be made
    now, modules = identities.sums(experiment, [(each.modules, each.files) for each in met])
    asked = with_seed(experiment, folder)
    begun = _check_place(folder, asked, now)
    if begun != asked or not is_finished(folder) or (folder / PARTS).exists():
        with sole_writer(folder):
            asked = with_seed(experiment, folder)  # another process may have begun a run before the lock was taken
            claim(folder, asked, now)
            if not is_finished(folder):
                _finish(folder, asked, now, modules, jobs, command, [each.traits for each in met], cluster)
            shutil.rmtree(folder / PARTS, ignore_errors=True)
    return read_run(folder)


@contextmanager
def sole_writer(folder: Path) -> Iterator[None]:
    """Lock a folder against other runs, and remove temporary files of killed processes."""
    with lock_exclusively(folder) as is_locked:
        if is_locked:
            remove_leftovers(folder)
        yield


def _finish(
    folder: Path,
    experiment: Experiment,
    now: Identity,
    modules: Places,
    jobs: int | None,
    command: str | None,
    found: Sequence[Traits],
    cluster: str | None,
) -> None:
    """Play the missing games, and write the files derived from the games."""
    start = time.perf_counter()
    played = 0
    if (folder / SUMS).exists():  # the games are complete; some derived files are missing
        demand_whole(folder, PLAYED)
    else:
        there = None if cluster is None else Cluster(cluster, identities.digest(now), identities.authors(modules))
        parts, played = play_missing(experiment, folder, jobs, identities.owner(experiment, now), found, there=there)
        with uninterrupted():
            merge_parts(connect(), parts, folder, experiment)
        for name in identities.edited(now, modules):
            raise BadInput(
                f"{name} was changed while the run in {str(folder)!r} was under way, so its games may be of both "
                "versions; delete the folder and play again"
            )
    made = {
        "command": command or f"bolicho tournament --config {shlex.quote(str(folder / EXPERIMENT))} --out NEW_FOLDER",
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "jobs": jobs or joblib.cpu_count(),
        "seconds": round(time.perf_counter() - start, 3),
        "played": played,  # without the games of earlier calls
        **_machine(),
    }
    _conclude(folder, experiment, identities.digest(now), made, found)


@no_process_left()
def run_shard(experiment: Experiment, out: Path | str, number: int, count: int, jobs: int | None = 1) -> Run | None:
    """Play the shard `number` (from 1) of `count` of an experiment into a folder shared with the other shards.

    The last shard to end merges all parts and returns the finished run; the others return None.  If no shard merged
    (two ended at the same moment, or a network drive was slow), `run` merges the parts.
    """
    if not 1 <= number <= count <= MOST_SHARDS:
        raise BadInput(f"a shard is K/N, with K from 1 to N and N at most {MOST_SHARDS}; not {number}/{count}")
    if experiment.seed is None:
        raise BadInput("shards need a common seed: give one")
    folder = Path(out)
    met = [inspect_agent(experiment, spec) for spec in experiment.agents]
    now, modules = identities.sums(experiment, [(each.modules, each.files) for each in met])
    begun = _check_place(folder, experiment, now)
    if is_finished(folder):
        if begun == experiment:
            return read_run(folder)
        raise BadInput(f"{str(folder)!r} is finished with fewer deals; more of them are played without --shard")
    pairings = experiment.pairings()
    found = [each.traits for each in met]
    owner, cut = identities.owner(experiment, now), max(TASKS_WANTED, TASKS_A_SHARD * count)
    with lock_shared(folder):
        claim(folder, experiment, now)  # every shard writes the same bytes
        play_missing(experiment, folder, jobs, owner, found, cut=cut, share=slice(number - 1, None, count))
        for name in identities.edited(now, modules):
            raise BadInput(f"{name} was changed while the shard was under way; delete {str(folder)!r} and play again")
        whole = [n for n, pairing in enumerate(pairings) if any(found[agent].learns for agent in pairing)]
        work = len(pairings), experiment.duplicates, whole
        if tasks(*work, apart(kept_parts(folder / PARTS, owner), *work)):
            return None
    for pause in _PAUSES:
        try:
            return run(experiment, folder, jobs)
        except Busy:  # another shard holds the lock: it still plays, or it merges
            time.sleep(pause)
    return None


MOST_SHARDS = 10_000
TASKS_A_SHARD = 4
_PAUSES = (0.2, 0.5, 1.0, 0.0)  # seconds between attempts to merge the shards


def read_run(folder: Path | str) -> Run:
    """Read a finished run."""
    folder = Path(folder)
    if not all((folder / name).is_file() for name in (RESULT, MADE, SUMS)):
        raise BadInput(f"{str(folder)!r} holds no finished run (no {RESULT}, or no {SUMS})")
    demand_whole(folder, (*PLAYED, *MADE_OF_IT))
    return Run(
        folder,
        Experiment.read(folder / EXPERIMENT),
        json.loads(read_bytes(folder / RESULT)),
        json.loads(read_bytes(folder / MADE)),
    )


def plays_apart(experiment: Experiment, spec: str) -> bool:
    """Return whether an agent's code is loaded only in a separate process; there are none on Windows."""
    return os.name == "posix" and not experiment.trust and not has_built_in_code(spec)


def inspect_agent(experiment: Experiment, spec: str) -> subprocess_agent.Description:
    """Return the traits of an agent, fixed for the whole run, and the modules and files it consists of."""
    game = experiment.make_game()
    if plays_apart(experiment, spec):
        return subprocess_agent.describe(spec, game)
    return subprocess_agent.Description(traits(spec, game), *identities.of_agent(spec, game))


def with_seed(experiment: Experiment, folder: Path) -> Experiment:
    """Return the experiment with a seed: its own, the one drawn when the folder was begun, or a new one."""
    if experiment.seed is not None:
        return experiment
    begun = begun_in(folder)
    return replace(experiment, seed=begun.seed if begun and is_drawn(begun.seed) else draw_seed())


def _check_place(folder: Path, experiment: Experiment, now: Identity) -> Experiment | None:
    """Compare an experiment, its seed included, with the one that a folder was begun with; write nothing.

    Return the earlier experiment: equal, or one with fewer deals that the new one extends.  Return None for an empty
    folder, or one where a run was killed before its experiment was written.  Raise `BadInput` for any other folder.
    """
    made = begun_in(folder)
    if made is None:
        _check_unused(folder)
        return None
    if made.extends(experiment):
        raise BadInput(
            f"{str(folder)!r} is of {made.duplicates} deals a pairing; "
            "ask for as many or more, or choose another folder"
        )
    if made != experiment and not experiment.extends(made):
        raise BadInput(f"{str(folder)!r} was made by another experiment (see its {EXPERIMENT}); choose another folder")
    before = read_identity(folder)
    if before is None:
        raise BadInput(f"{str(folder)!r} was begun by another version of bolicho; choose another folder")
    if before.get(VERSION) != now[VERSION]:
        raise BadInput(
            f"{str(folder)!r} was begun by another version of bolicho ({before.get(VERSION)}, and this is "
            f"{now[VERSION]}); finish it with that version, or choose another folder"
        )
    if changed := identities.changes(before, now):
        more = f" and {len(changed) - 1} more ({', '.join(changed[1:4])})" if len(changed) > 1 else ""
        raise BadInput(
            f"the games in {str(folder)!r} were played before a change of {changed[0]}{more}; "
            "choose another folder, or delete this one to play it again"
        )
    return made


def _check_unused(folder: Path) -> None:
    """Refuse a folder without an experiment that holds anything but hidden files and the identity of a run."""
    if not folder.exists():
        return
    found = [file.name for file in folder.iterdir() if not file.name.startswith(".")] if folder.is_dir() else [""]
    is_half_made = found == [IDENTITY] and VERSION in (read_identity(folder) or ())  # killed between the two files
    if found and not is_half_made:
        raise BadInput(f"{str(folder)!r} is not empty and holds no run; choose another folder")


def claim(folder: Path, experiment: Experiment, now: Identity) -> None:
    """Write the experiment and its identity to the folder, unless another process already did.

    Split the games of a finished run with fewer deals into parts again.  Both experiments can be resumed from these
    parts, so an interruption at any point is safe.
    """
    made = _check_place(folder, experiment, now)
    for name in (*PLAYED, *MADE_OF_IT, SUMS):
        check_place(folder / name)  # fail before any game is played
    if made is None:
        write_text_atomic(folder / IDENTITY, identities.write(now))
    elif made == experiment:
        return
    elif (folder / SUMS).exists():
        demand_whole(folder, PLAYED)
        split_games(connect(), folder, identities.owner(experiment, now), made)
        (folder / SUMS).unlink()
    write_text_atomic(folder / EXPERIMENT, f"# bolicho {bolicho.__version__}\nformat = {RUN}\n" + experiment.to_toml())
    for name in (*MADE_OF_IT, GAMES, TIMING):
        (folder / name).unlink(missing_ok=True)  # files of the run with fewer deals


def _conclude(folder: Path, experiment: Experiment, code: str, made: dict[str, Any], found: Sequence[Traits]) -> None:
    """Write all files derived from the games; the checksums last, since they mark a run as finished."""
    from bolicho.arena.report import write_report  # matplotlib is slow to import, and worker processes do not need it

    games = read_games(folder, experiment)
    result = summarise(experiment, games, folder, code, found)
    made["timing"] = timing(experiment, games)
    write_text_atomic(folder / RESULT, json.dumps(result, indent=1, ensure_ascii=False) + "\n")
    write_text_atomic(folder / MADE, json.dumps(made, indent=1, ensure_ascii=False) + "\n")
    write_report(folder / PAGE, result, made)
    write_sums(folder, (*PLAYED, *MADE_OF_IT))


# --- Playing ------------------------------------------------------------------------------------


def play_missing(
    experiment: Experiment,
    folder: Path,
    jobs: int | None,
    owner: str,
    found: Sequence[Traits],
    bar: Bar | None = None,
    cut: int | None = None,
    share: slice = slice(None),
    there: Cluster | None = None,
) -> tuple[list[Path], int]:
    """Play all deals that are in no part yet, in about `cut` tasks; return the parts and the number of games played.

    A caller that passes a `bar` also prints the notice of a stopped run.  `share` restricts play and the count of
    parts to a slice of all tasks.  With a cluster `there`, its workers play.
    """
    game = experiment.make_game()
    pairings = experiment.pairings()
    whole = [number for number, pairing in enumerate(pairings) if any(found[agent].learns for agent in pairing)]
    work = len(pairings), experiment.duplicates, whole
    database = connect()
    per_deal = game.seats
    parts = kept_parts(folder / PARTS, owner)
    kept = before = sum(task.deals for task in apart(parts, *work)) * per_deal
    tries = 0

    def wanted() -> list[Task]:
        if share == slice(None):
            return tasks(*work, apart(parts, *work), cut)
        return [task for task in tasks(*work, wanted=cut)[share] if task not in parts]

    own = progress("playing", experiment.num_games, "games", after=QUIET_SECONDS) if bar is None else nullcontext(bar)
    with leaving(), own as shown:
        shown.update(kept)
        start, played = time.perf_counter(), kept

        def most() -> int:
            """Return the deals of a task that takes `TASK_SECONDS` at the pace so far, but leaves work for all."""
            if share != slice(None):  # the tasks of shards are fixed
                return 0
            deals, left = ((kept - played) // per_deal, (experiment.num_games - kept) // per_deal)
            rate = deals / (time.perf_counter() - start)
            processes = jobs or joblib.cpu_count()
            return int(min(rate * TASK_SECONDS, left / TASKS_LEFT) / processes)

        try:
            while missing := wanted():
                if tries >= MOST_CRASHES:
                    raise BadInput(_dying(experiment, missing[0], kept, folder))
                tries += 1
                lost = sum(task.deals for task in missing)
                with suppress(BrokenProcessPool):
                    for task, rows in _work(experiment, joined(missing, most), jobs, found, there, folder):
                        check_rows(game, experiment, task, rows)
                        with uninterrupted():
                            keep_part(database, folder / PARTS, task, owner, rows)
                        kept += task.deals * per_deal
                        tries, lost = 0, lost - task.deals
                        shown.update(kept)
                parts = kept_parts(folder / PARTS, owner)
                if sum(task.deals for task in wanted()) > lost:
                    raise BadInput(f"files written to {str(folder / PARTS)!r} change or vanish; use another disk")
        except KeyboardInterrupt as stop:
            with suppress(OSError):  # the terminal may be closed
                if bar is None:
                    print(
                        f"Stopped.  {kept} of {experiment.num_games} games are kept in {str(folder)!r}; "
                        "the same command again plays the rest.",
                        file=sys.stderr,
                    )
            if isinstance(stop, EndSignal):
                raise SystemExit(128 + stop.number) from None
            raise
    return [parts[task] for task in apart(parts, *work)], kept - before


def _dying(experiment: Experiment, task: Task, kept: int, folder: Path) -> str:
    meeting = " against ".join(experiment.agents[number] for number in experiment.pairings()[task.pairing])
    return (
        f"the processes that play {meeting} died {MOST_CRASHES} times in a row (out of memory, or a crash in an agent);"
        f" {kept} of {experiment.num_games} games are kept in {str(folder)!r}"
    )


def _work(
    experiment: Experiment,
    missing: Iterable[Task],
    jobs: int | None,
    found: Sequence[Traits],
    there: Cluster | None,
    folder: Path,
) -> Iterator[tuple[Task, list[Row]]]:
    """Yield each task and its rows, in the order of completion."""
    if there is not None:
        return work_there(there, experiment, list(missing), found)
    parallel = joblib.Parallel(
        n_jobs=-1 if jobs is None else jobs, backend="loky", batch_size=1, return_as="generator_unordered"
    )
    results: Iterator[tuple[Task, list[Row]]] = parallel(
        joblib.delayed(_play_for)(os.getpid(), _environment(experiment), experiment, task, found, folder)
        for task in missing
    )
    return results


OURS = "BOLICHO_"
"""Beginning of the names of our environment variables."""


def _environment(experiment: Experiment) -> dict[str, str]:
    """Return the environment variables that agents may read: ours, and those that options of agents name."""
    options = [parse_spec(spec)[1].values() for spec in experiment.agents]
    named = {value for values in options for value in values if isinstance(value, str)}
    return {name: value for name, value in os.environ.items() if name.startswith(OURS) or name in named}


def _play_for(
    parent: int,
    environment: Mapping[str, str],
    experiment: Experiment,
    task: Task,
    found: Sequence[Traits],
    folder: Path,
) -> tuple[Task, list[Row]]:
    """Play a task in a worker process that ends with its parent.

    The worker may be older than the parent's present environment, so it takes over the variables of agents.
    """
    end_with(parent)
    for name in [name for name in os.environ if name.startswith(OURS) and name not in environment]:
        del os.environ[name]
    os.environ.update(environment)
    return play_task(experiment, task, found, folder)


def play_task(
    experiment: Experiment, task: Task, found: Sequence[Traits], folder: Path | None = None
) -> tuple[Task, list[Row]]:
    """Play some deals of one pairing in every rotation, in a worker process that sees the folder of the run, if any.

    No object sees a deal twice: an agent is made anew for every game, a learning agent for every rotation, which it
    plays from the first deal to the last.  With external agents, rotations are played one after the other, each in its
    own order of deals, and by processes that have not seen these deals.
    """
    assert experiment.seed is not None
    game = experiment.make_game()
    pairing = experiment.pairings()[task.pairing]
    specs = [experiment.agents[number] for number in pairing]
    learning = any(found[number].learns for number in pairing)
    built_in = all(found[number].built_in for number in pairing)
    deals = range(task.first, task.end)
    rows = []
    for rotations in [range(game.seats)] if built_in and not learning else [[r] for r in range(game.seats)]:
        places = [
            {
                "row": (task.pairing * experiment.duplicates + deal) * game.seats + rotation,
                "pairing": task.pairing,
                "deal": deal,
                "rotation": rotation,
                "seed": deal_seed(experiment.seed, deal),
            }
            for deal in (deals if built_in or learning else shuffled(deals, experiment.seed, rotations[0]))
            for rotation in rotations
        ]
        outcomes = play_deals(
            game,
            [
                _player(experiment, game, spec, deals, found[number], folder)
                for spec, number in zip(specs, pairing, strict=True)
            ],
            [
                in_rotation(game.seats, place["rotation"], place["seed"], luck(experiment.seed, place["deal"]))
                for place in places
            ],
            tables=1 if learning else TABLES,
            oracles=[found[number].oracle for number in pairing],
            move_limit=experiment.move_limit,
        )
        for outcome in outcomes:
            place = places[outcome.number]
            rows.append(make_row(outcome, rotated(specs, place["rotation"]), **place))
    return task, rows


def _player(
    experiment: Experiment, game: Game, spec: str, deals: range, found: Traits, folder: Path | None
) -> Callable[[], Agent] | ExternalAgent:
    """Return the agent of a rotation of these deals for the loop; a learning agent is made once for all games."""
    if plays_apart(experiment, spec):
        assert experiment.seed is not None
        process = subprocess_agent.process_of(game, spec, experiment.move_limit, experiment.seed, deals)
        return subprocess_agent.SubprocessAgent(process, found.learns)
    make = recipe(spec, experiment.game).maker(game, folder)
    if not found.learns:
        return make
    agent = make()
    return lambda: agent


def _machine() -> dict[str, Any]:
    """Return the machine and versions that measured times depend on."""
    import numba
    import numpy

    return {
        "bolicho": bolicho.__version__,
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "numba": numba.__version__,
        "system": platform.platform(terse=True),
        "processor": processor_name(),
        "cores": joblib.cpu_count(),
    }
