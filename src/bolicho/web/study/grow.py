"""A case base that grows with people's hands while a study runs, where its plan says so.

After every so many finished matches there is a new version of it, a file beside the database: the cases of the base
that the plan names, and on top of them the hands of the people who have played so far, clustered anew: of each match
those of one person, which is the published rule (of two participants who play each other one is drawn).  A match is
played to its end with the version that it began with.
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
from bolicho.agents.cbr.observe import watch
from bolicho.errors import BadInput
from bolicho.store import database, studies
from bolicho.store.database import open_database
from bolicho.store.parquet import read_parquet
from bolicho.web.match import Match
from bolicho.web.study.plan import Grow, Plan, is_grown, read_plan, with_base
from bolicho.web.thinking import stay_with

log = logging.getLogger("bolicho.web")

LONGEST = 200  # letters of an agent, as a seat holds it
_VERSION = re.compile(rf"base-(\d{{4,}}){re.escape(ENDING)}")


def folder_of(engine: Engine, study: str) -> Path:
    """Where the bases of a study are: beside the database, or in `runs` where that is no file."""
    file = engine.url.database if engine.dialect.name == "sqlite" else None
    return (Path(file).parent if file else Path("runs")) / "studies" / study


def versions(folder: Path) -> dict[int, Path]:
    """The versions there are."""
    found = [(_VERSION.fullmatch(path.name), path) for path in folder.glob(f"base-*{ENDING}")]
    return {int(name[1]): path for name, path in found if name is not None}


def newest(folder: Path) -> str | None:
    """The file that new matches play from; None where there is none yet."""
    found = versions(folder)
    return str(found[max(found)]) if found else None


def counting(connection: Connection, study: str, grow: Grow) -> list[str]:
    """The finished matches whose hands count, each once, in the order in which they ended."""
    of = {one.code: one for one in studies.read_participants(connection, study)}
    found = studies.read_study_matches(connection, study)
    some = [one for one in found if one.ended and not one.practice and (grow.scripted or not of[one.code].scripted)]
    return list(dict.fromkeys(one.match for one in some))


def due(connection: Connection, study: str, plan: Plan) -> int | None:
    """The version that is to be made now, if any."""
    if plan.grow is None:
        return None
    reached = len(counting(connection, study, plan.grow)) // plan.grow.every
    made = versions(folder_of(connection.engine, study))
    return reached if reached > max(made, default=0) else None


def make(url: str, study: str, version: int) -> None:
    """Write a version, in a process of its own; where another process was faster, its file stands."""
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
    """Write those versions again that hold hands of deleted matches; of a deleted study, remove all."""
    folder = folder_of(engine, study)
    with engine.connect() as connection:
        row = studies.read_study(connection, study)
    if row is None:
        if folder.exists():
            shutil.rmtree(folder)
        return
    for draft in folder.glob(".*"):  # of a process that was killed; one that is alive writes its own again
        draft.unlink(missing_ok=True)
    for path, held in stale(engine, study):
        if held is None:
            path.unlink(missing_ok=True)
        else:
            _write(engine, study, read_plan(row.plan), path, held, replace=True)


def stale(engine: Engine, study: str) -> list[tuple[Path, list[str] | None]]:
    """The versions that hold hands of deleted matches, each with all its matches.

    None stands for the matches of a damaged file: no agent can play from it, and it may hold any hands.
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
    """Write a version of those matches that are still there.

    Its draft takes its place under the lock of the study, which withdrawals take too, and only if no match
    was deleted since it was begun: a version in its place never holds more than the database.
    """
    draft = path.with_name(f".{path.stem}.{os.getpid()}{ENDING}")
    try:
        while True:
            with engine.connect() as connection:
                numbers = [number for number in numbers if database.is_there(connection, number)]
                base = _grown(connection, plan, numbers)
            with suppress(FileNotFoundError):  # a renewal in another process has removed the draft
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
    """Refuse a place whose name, in an agent's, is longer than a seat can hold."""
    for spec in plan.agents:
        if is_grown(spec) and len(with_base(spec, str(path))) > LONGEST:
            raise BadInput(
                f"{spec} with the base {path} has more than {LONGEST} letters; name the database more shortly"
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
            cases.append(watch(domain, match.table, actions, _observed(match)))
    made = {**named.made, "name": f"{named.name} and people", "kind": "grown", "base": plan.grow.base}
    whole = np.concatenate(cases)
    return clustered(domain, whole, {**made, "matches": numbers})


def _observed(match: Match) -> int:
    """The seat whose hands are taken: a person's, drawn by the secret of the deal, so the same in every version."""
    return match.people[sha256(match.row.secret).digest()[0] % len(match.people)]


class Grower:
    """Has versions made beside the server, one after the other, in a process that ends with it."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._tasks: dict[Any, asyncio.Task[None]] = {}  # by what they do
        self._turn = asyncio.Lock()
        self._pool: ProcessPoolExecutor | None = None  # while something is done

    def soon(self, work: Callable[..., Any], *facts: Any) -> None:
        """Have something done, and let nobody wait for it; what is under way already is done once."""
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
            except Exception:  # people go on playing with the version before
                log.exception("the case bases of a study could not be written")
            finally:
                self.close()

    def close(self) -> None:
        """End the process, whatever it is at: what is not done is done again when a server starts."""
        pool, self._pool = self._pool, None
        if pool is not None:
            for process in list(pool._processes.values()):  # `terminate_workers` from Python 3.14 on
                process.terminate()
            pool.shutdown(wait=True, cancel_futures=True)
