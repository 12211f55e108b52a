"""A case base that grows with people's hands while a study runs, where its plan says so.

After every so many finished matches there is a new version of it, a file beside the database: the cases of the base
that the plan names, and on top of them the hands of the people who have played so far (of each match the seat of the
person, which is the published rule: one player of a match is observed), clustered anew.  A match is played to its end
with the version that it began with.
"""

import asyncio
import logging
import multiprocessing
import os
import re
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy.engine import Connection, Engine

from bolicho.agents.cbr.bases import ENDING, load_base, save_base
from bolicho.agents.cbr.casebase import CaseBase
from bolicho.agents.cbr.clusters import cluster_all, label
from bolicho.agents.cbr.domains import domain_of
from bolicho.agents.cbr.observe import watch
from bolicho.errors import BadInput
from bolicho.store import database, studies
from bolicho.store.database import open_database
from bolicho.store.parquet import read_parquet
from bolicho.store.studies import StudyMatch
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


def counting(connection: Connection, study: str, grow: Grow) -> list[StudyMatch]:
    """The finished matches whose hands count, in the order in which they ended."""
    of = {one.code: one for one in studies.read_participants(connection, study)}
    found = studies.read_study_matches(connection, study)
    return [one for one in found if one.ended and not one.practice and (grow.scripted or not of[one.code].scripted)]


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
        some = [one.match for one in counting(connection, study, plan.grow)[: version * plan.grow.every]]
        base = _grown(connection, plan, some)
    beside = path.with_name(f".{path.stem}.{os.getpid()}{ENDING}")
    try:
        save_base(base, beside)
        os.link(beside, path)
    except FileExistsError:
        pass
    finally:
        beside.unlink(missing_ok=True)
    with engine.connect() as connection:
        gone = [number for number in some if not database.is_there(connection, number)]
    if gone:  # withdrawn in the meantime
        without(url, study, gone)


def _check_length(plan: Plan, path: Path) -> None:
    """Refuse a place whose name, in an agent's, is longer than a seat can hold."""
    for spec in plan.opponents:
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
            cases += [watch(domain, match.table, actions, seat) for seat in match.people]
    made = {**named.made, "name": f"{named.name} and people", "kind": "grown", "base": plan.grow.base}
    whole = np.concatenate(cases)
    base = CaseBase(domain, whole, cluster_all(domain, whole), {**made, "matches": numbers})
    label(base)
    return base


def without(url: str, study: str, gone: list[str]) -> None:
    """Write those versions again that hold hands of matches that were withdrawn, without these."""
    engine = open_database(url)
    folder = folder_of(engine, study)
    with engine.connect() as connection:
        row = studies.read_study(connection, study)
        plan = None if row is None else read_plan(row.plan)
        for path in versions(folder).values():
            held = list(read_parquet(path)[1].get("matches", []))
            if plan is not None and set(held) & set(gone):
                save_base(_grown(connection, plan, [number for number in held if number not in gone]), path)


class Grower:
    """Has versions made beside the server, one after the other, in a process that ends with it."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._tasks: dict[Any, asyncio.Task[None]] = {}  # by what they do
        self._turn = asyncio.Lock()

    def soon(self, work: Callable[..., None], *facts: Any) -> None:
        """Have something done, and let nobody wait for it; what is under way already is done once."""
        what = (work, repr(facts))
        if what not in self._tasks:
            task = self._tasks[what] = asyncio.ensure_future(self._do(work, *facts))
            task.add_done_callback(lambda _: self._tasks.pop(what))

    async def _do(self, work: Callable[..., None], *facts: Any) -> None:
        async with self._turn:
            context = multiprocessing.get_context("spawn")
            pool = ProcessPoolExecutor(1, context, stay_with, (os.getpid(),))
            try:
                await asyncio.get_running_loop().run_in_executor(pool, work, self._url, *facts)
            except Exception:  # people go on playing with the version before
                log.exception("a base could not be made of people's hands")
            finally:
                pool.shutdown(wait=False)
