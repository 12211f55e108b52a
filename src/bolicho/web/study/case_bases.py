"""Case base that grows from participants' hands during a study, if its plan has a table [grow].

After every `every` finished matches a new version is written to a file beside the database: the cases of the plan's
base, and the hands of all counted matches so far, clustered anew.  Of each match it takes the hands of one person, as
in the published method; if two participants play each other, one is drawn.  A match is played to its end with the
version that it began with.
"""

import asyncio
import logging
import multiprocessing
import os
import re
import shutil
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy.engine import Connection, Engine

from bolicho.agents.cbr.bases import ENDING, domain_of, load_base, save_base
from bolicho.agents.cbr.casebase import CaseBase
from bolicho.agents.cbr.clusters import clustered
from bolicho.agents.cbr.observe import cases_of_game
from bolicho.errors import BadInput
from bolicho.store import database, studies
from bolicho.store.database import open_database
from bolicho.store.parquet import read_parquet
from bolicho.web.match import Match
from bolicho.web.study.parts import Grow, Plan
from bolicho.web.study.plan import is_grown, read_plan, with_base
from bolicho.web.workers import stay_with

log = logging.getLogger("bolicho.web")

LONGEST = 200  # characters of an agent's spec in the column `seats.agent`
_VERSION = re.compile(rf"base-(\d{{4,}}){re.escape(ENDING)}")


def folder_of(engine: Engine, study: str) -> Path:
    """Return the folder of a study's bases: beside a SQLite file, else below `runs`."""
    file = engine.url.database if engine.dialect.name == "sqlite" else None
    return (Path(file).parent if file else Path("runs")) / "studies" / study


def versions(folder: Path) -> dict[int, Path]:
    """Return the existing versions."""
    found = [(_VERSION.fullmatch(path.name), path) for path in folder.glob(f"base-*{ENDING}")]
    return {int(name[1]): path for name, path in found if name is not None}


def newest(folder: Path) -> str | None:
    """Return the file that new matches use; None before the first version."""
    found = versions(folder)
    return str(found[max(found)]) if found else None


def counting(connection: Connection, study: str, grow: Grow) -> list[str]:
    """Return the finished matches whose hands count, once each, in the order in which they ended."""
    of = {one.code: one for one in studies.read_participants(connection, study)}
    found = studies.read_study_matches(connection, study)
    some = [one for one in found if one.ended and not one.practice and (grow.scripted or not of[one.code].scripted)]
    return list(dict.fromkeys(one.match for one in some))


def due(connection: Connection, study: str, plan: Plan) -> int | None:
    """Return the version to write now, if any."""
    if plan.grow is None:
        return None
    reached = len(counting(connection, study, plan.grow)) // plan.grow.every
    made = versions(folder_of(connection.engine, study))
    return reached if reached > max(made, default=0) else None


def make(url: str, study: str, version: int) -> None:
    """Write a version, in a process of its own; a version that another process has written stays."""
    engine = open_database(url)
    path = folder_of(engine, study) / f"base-{version:04}{ENDING}"
    with engine.connect() as connection:
        row = studies.read_study(connection, study)
        plan = None if row is None else read_plan(row.plan)
        if plan is None or plan.grow is None or path.exists():
            return
        _check_length(plan, path)
        some = counting(connection, study, plan.grow)[: version * plan.grow.every]
    _write(engine, study, plan, path, some, replace=False)


def renew(engine: Engine, study: str) -> None:
    """Write versions again that hold hands of deleted matches; if the study is deleted, remove all."""
    folder = folder_of(engine, study)
    with engine.connect() as connection:
        row = studies.read_study(connection, study)
    if row is None:
        if folder.exists():
            shutil.rmtree(folder)
        return
    for draft in folder.glob(".*"):  # drafts of killed processes; a living one writes its draft again
        draft.unlink(missing_ok=True)
    for path, held in stale(engine, study):
        if held is None:
            path.unlink(missing_ok=True)
        else:
            _write(engine, study, read_plan(row.plan), path, held, replace=True)


def stale(engine: Engine, study: str) -> list[tuple[Path, list[str] | None]]:
    """Return the versions that hold hands of deleted matches, each with the ids of all its matches.

    None stands for the matches of a damaged file: no agent can use it, and it may hold any hands.
    """
    found: list[tuple[Path, list[str] | None]] = []
    for path in versions(folder_of(engine, study)).values():
        try:
            held = read_parquet(path)[1].get("matches", [])
        except BadInput:
            found.append((path, None))
            continue
        with engine.connect() as connection:
            if not _are_there(connection, held):
                found.append((path, held))
    return found


def _write(engine: Engine, study: str, plan: Plan, path: Path, numbers: list[str], replace: bool) -> None:
    """Write a version from those of the matches that still exist.

    The draft replaces the file under the lock of the study, which withdrawals take too, and only if no match was
    deleted since it was begun: a version never holds more than the database.
    """
    draft = path.with_name(f".{path.stem}.{os.getpid()}{ENDING}")
    try:
        while True:
            with engine.connect() as connection:
                numbers = [number for number in numbers if database.is_there(connection, number)]
                base = _grown(connection, plan, numbers)
            with suppress(FileNotFoundError):  # another process has removed the draft
                save_base(base, draft)
            with engine.begin() as connection:
                studies.lock_study(connection, study)
                if studies.read_study(connection, study) is None or (path.exists() and not replace):
                    return
                if _are_there(connection, numbers):
                    with suppress(FileNotFoundError):
                        draft.replace(path)
                        return
    finally:
        draft.unlink(missing_ok=True)


def _are_there(connection: Connection, numbers: Iterable[str]) -> bool:
    return all(database.is_there(connection, number) for number in numbers)


def _check_length(plan: Plan, path: Path) -> None:
    """Refuse a path that makes the spec of an agent longer than the column of seats."""
    for spec in plan.agents:
        if is_grown(spec) and len(with_base(spec, str(path))) > LONGEST:
            raise BadInput(
                f"{spec} with the base {path} has more than {LONGEST} letters; use a shorter path for the database"
            )


def _grown(connection: Connection, plan: Plan, numbers: list[str]) -> CaseBase:
    assert plan.grow is not None
    domain = domain_of(plan.game)
    named = load_base(plan.grow.base, domain)
    cases = [named.cases]
    for number in numbers:
        found = database.read_match(connection, number)
        if found is not None:
            match = Match(*found)
            actions = [action for _, action, _ in database.read_moves(connection, number)]
            cases.append(cases_of_game(domain, match.table, actions, _observed(match)))
    made = {**named.made, "name": f"{named.name} and people", "kind": "grown", "base": plan.grow.base}
    whole = np.concatenate(cases)
    return clustered(domain, whole, {**made, "matches": numbers})


def _observed(match: Match) -> int:
    """Return the seat whose hands are taken: a person's, drawn from the deal's secret, so the same in every version."""
    return match.people[sha256(match.row.secret).digest()[0] % len(match.people)]


class CaseBaseGrower:
    """Background writer of versions, one after the other, in a worker process that ends with the server."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._tasks: dict[Any, asyncio.Task[None]] = {}  # by function and arguments
        self._turn = asyncio.Lock()
        self._pool: ProcessPoolExecutor | None = None  # while a function runs

    def soon(self, work: Callable[..., Any], *facts: Any) -> None:
        """Run a function in the background, unless the same call is running already."""
        what = (work, repr(facts))
        if what not in self._tasks:
            task = self._tasks[what] = asyncio.ensure_future(self._do(work, *facts))
            task.add_done_callback(lambda _: self._tasks.pop(what))

    async def _do(self, work: Callable[..., Any], *facts: Any) -> None:
        async with self._turn:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(1, context, stay_with, (os.getpid(),))
            try:
                await asyncio.get_running_loop().run_in_executor(self._pool, work, self._url, *facts)
            except Exception:  # matches continue with the version before
                log.exception("the case bases of a study could not be written")
            finally:
                self.close()

    def close(self) -> None:
        """End the worker process; unfinished work is repeated when a server starts."""
        pool, self._pool = self._pool, None
        if pool is not None:
            for process in list(pool._processes.values()):  # `terminate_workers` from Python 3.14 on
                process.terminate()
            pool.shutdown(wait=True, cancel_futures=True)
