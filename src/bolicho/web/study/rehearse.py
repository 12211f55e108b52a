"""`bolicho study rehearse`: a whole study with scripted participants, as a test before people take part.

It uses the server's own HTTP, or the real pages in Chromium, and ends with an export.  Without the address of a
server it starts one for this machine only, with a temporary database, so that the study itself stays unchanged.
"""

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Timer
from typing import Any

import sqlalchemy as sa

from bolicho.agents.spec import short_names
from bolicho.errors import BadInput
from bolicho.progress import progress
from bolicho.store import studies
from bolicho.store.database import open_database
from bolicho.store.tables import participants, seats, study_seats
from bolicho.store.tokens import new_token
from bolicho.web.study.export import check_folder, unpack
from bolicho.web.study.participation import way
from bolicho.web.study.parts import Plan
from bolicho.web.study.plan import read_plan
from bolicho.web.study.scripted_participants import (
    AUTOMATED,
    CAREFUL,
    CARELESS,
    Facts,
    Leaving,
    Line,
    Mind,
    Participant,
    Refused,
)

AT_ONCE = 4  # concurrent participants
STARTING = 600.0  # seconds until a server is ready; the first time it compiles
FULL = 60.0  # seconds to wait for a free place
OPEN = "Bolicho is open at "

Walk = Callable[[str, str, Mind, Leaving | None], str]
"""Function that runs one participant (study, token, mind, leaving) and returns how it ended, such as `finished`."""


@dataclass
class Rehearsed:
    """Result of a rehearsal."""

    study: str
    folder: Path
    ends: dict[str, int] = field(default_factory=dict)  # participants by end: finished, vanished, withdrawn, declined
    balance: Facts = field(default_factory=dict)


@dataclass(frozen=True)
class Cast:
    """Participants of a rehearsal: the share that leaves, and the numbers of the inattentive kinds."""

    dropouts: float = 0.0
    careless: int = 0
    automated: int = 0
    declining: int = 0  # besides those who finish

    def characters(self, people: int, rng: random.Random) -> list[str]:
        """Return the characters of the first participants, in a drawn order."""
        found = [CARELESS] * self.careless + [AUTOMATED] * self.automated
        found += [CAREFUL] * (people - len(found))
        rng.shuffle(found)
        return found


@dataclass(frozen=True)
class Place:
    """Server, a researcher's token for it, the study to rehearse, and the database if the server is our own."""

    base: str
    token: str
    study: str
    database: str | None = None


# --- A server of our own ------------------------------------------------------------------------


@contextmanager
def own_place(plan: str) -> Iterator[Place]:
    """Yield a server of our own for a plan, with a temporary database."""
    with tempfile.TemporaryDirectory(prefix="rehearsal-") as folder:
        database = f"{folder}/matches.db"
        engine = open_database(database, "normal")
        with engine.begin() as connection:
            study = studies.add_study(connection, plan)
            token = new_token(connection, "rehearsal", ["research"])
        engine.dispose()
        with _served(database, read_plan(plan).game, Path(folder) / "said") as base:
            yield Place(base, token, study, database)


@contextmanager
def _served(database: str, game: str, notes: Path) -> Iterator[str]:
    """Yield the address of a server process that ends with the block; its log goes to a file."""
    command = [sys.executable, "-c", "from bolicho.cli import main; main()", "serve", "--port", "0"]
    command += ["--database", database, "--game", game, "--sync", "normal"]
    with notes.open("w") as errors:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, text=True, env={**os.environ, "COLUMNS": "200"}
        )
    assert process.stdout is not None
    too_long = Timer(STARTING, process.kill)
    too_long.start()
    try:
        line = process.stdout.readline()
        too_long.cancel()
        if not line.startswith(OPEN):
            said = notes.read_text().strip().splitlines() or ["no message"]
            raise BadInput(f"the server for the rehearsal did not start: {said[-1]}")
        yield line.removeprefix(OPEN).strip().rstrip("/")
    finally:
        too_long.cancel()
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def let_time_pass(place: Place, codes: Sequence[str], hours: float) -> None:
    """Set the last visits of participants that many hours back, in the rehearsal's own database."""
    assert place.database is not None
    engine = open_database(place.database, "normal")
    then = time.time() - hours * 3600 - 60
    mine = (participants.c.study == place.study) & participants.c.code.in_(codes)
    theirs = (
        sa.select(study_seats.c.match)
        .where((study_seats.c.study == place.study) & study_seats.c.code.in_(codes))
        .where((study_seats.c.match == seats.c.match) & (study_seats.c.seat == seats.c.seat))
    )
    with engine.begin() as connection:
        connection.execute(participants.update().where(mine).values(seen=then))
        connection.execute(seats.update().where(theirs.exists() & seats.c.seen.is_not(None)).values(seen=then))
    engine.dispose()


# --- The rehearsal ------------------------------------------------------------------------------


def rehearsal(
    plan: str | None,
    server: str | None,
    token: str | None,
    study: str,
    people: int | None,
    out: Path,
    *,
    cast: Cast,
    seed: int,
    browser: bool,
    show: bool = True,
) -> Rehearsed:
    """Rehearse a plan on a server of its own, or a study on another server, which needs a token."""
    check_folder(out)
    with ExitStack() as stack:
        if server is not None:
            if token is None:
                raise BadInput("a rehearsal on a server needs a token: bolicho token new NAME --scope research")
            place = Place(server.rstrip("/"), token, study)
            plan = str(Line(place.base).get(f"/api/research/studies/{study}", token)["plan"])
        assert plan is not None
        read = read_plan(plan)
        wanted = read.target if people is None else people
        check(read, wanted, cast)
        if browser and read.person is not None:
            raise BadInput("--browser cannot rehearse matches between participants; leave it out")
        if server is None:
            place = stack.enter_context(own_place(plan))
        if browser:
            from bolicho.web.study.chromium import by_pages

            walk = by_pages(place.base)
        else:
            walk = by_api(place.base)
        return rehearse(place, read, wanted, out, cast=cast, seed=seed, walk=walk, at_once=AT_ONCE, show=show)


def rehearse(
    place: Place,
    plan: Plan,
    people: int,
    out: Path,
    *,
    cast: Cast,
    seed: int,
    walk: Walk,
    at_once: int,
    show: bool,
) -> Rehearsed:
    """Let that many scripted participants finish; a share of all leave early and are replaced."""
    rng = random.Random(f"rehearsal {seed}")
    done = Rehearsed(place.study, out)
    gone: list[str] = []  # codes of vanished participants
    line = Line(place.base)
    with progress("rehearsal", people, "participants", show=show) as bar, ThreadPoolExecutor(at_once) as pool:
        while (missing := people - done.ends.get("finished", 0)) > 0:
            first = not done.ends
            leaving = _leavers(plan, missing, cast.dropouts, first=first, vanish=place.database is not None, rng=rng)
            characters = cast.characters(missing, rng) if first else [CAREFUL] * missing
            if first:
                leaving += [Leaving("decline", 1)] * cast.declining
                characters += [CAREFUL] * cast.declining
            seeds = [f"{seed} {sum(done.ends.values()) + number}" for number in range(len(leaving))]
            minds = [Mind(one, who, plan) for one, who in zip(seeds, characters, strict=True)]
            comers = list(zip(_invite(line, place, len(leaving)), minds, leaving, strict=True))
            come = partial(_come, place, plan, tuple(gone), walk)
            for code, end in pool.map(come, comers) if at_once > 1 else map(come, comers):
                done.ends[end] = done.ends.get(end, 0) + 1
                gone += [code] if end == "vanished" else []
                bar.update(done.ends.get("finished", 0))
    done.balance = line.get(f"/api/research/studies/{place.study}?scripted=true", place.token)["balance"]
    unpack(_zip(line, place), out)
    line.close()
    return done


def check(plan: Plan, people: int, cast: Cast) -> None:
    """Refuse a rehearsal that cannot end."""
    if not 1 <= people <= plan.target:
        raise BadInput(
            f"this study has {plan.target} places: rehearse with 1 to {plan.target} participants, not {people}"
        )
    if not 0 <= cast.dropouts <= 0.9:
        raise BadInput(f"--dropouts is a share from 0 to 0.9, not {cast.dropouts:g}")
    if cast.careless + cast.automated > people:
        raise BadInput(f"{cast.careless} careless and {cast.automated} automated are more than {people} participants")


def _leavers(
    plan: Plan, coming: int, share: float, *, first: bool, vanish: bool, rng: random.Random
) -> list[Leaving | None]:
    """Draw which participants leave, and where; they vanish and withdraw by turns."""
    last = len(way(plan)) - 1
    number = min(coming, max(1, round(share * coming))) if first and share else int(share * coming)
    ways = ("vanish", "withdraw") if vanish else ("withdraw",)
    found: list[Leaving | None] = [Leaving(ways[i % len(ways)], rng.randint(2, last)) for i in range(number)]
    found += [None] * (coming - number)
    rng.shuffle(found)
    return found


def _invite(line: Line, place: Place, count: int) -> list[tuple[str, str]]:
    """Invite scripted participants; return their codes and tokens."""
    found: list[tuple[str, str]] = []
    while len(found) < count:
        body = {"count": min(1000, count - len(found)), "scripted": True}
        told = line.post(f"/api/research/studies/{place.study}/links", place.token, body)
        found += [(one["code"], one["path"].partition("#p=")[2]) for one in told["links"]]
    return found


Comer = tuple[tuple[str, str], Mind, Leaving | None]
"""Arriving participant: code and token, mind, and leaving or None."""


def _come(place: Place, plan: Plan, gone: Sequence[str], walk: Walk, comer: Comer) -> tuple[str, str]:
    """Run one participant; return code and end.  If all places are taken, first make vanished ones lost."""
    (code, token), mind, leaving = comer
    until = time.monotonic() + FULL
    while True:
        if gone and place.database is not None:
            let_time_pass(place, gone, plan.lost_after)
        try:
            return code, walk(place.study, token, mind, leaving)
        except Refused as problem:
            if problem.key != "server.study.full" or time.monotonic() > until:
                raise
            time.sleep(0.5)


def _zip(line: Line, place: Place) -> bytes:
    status, packed = line.ask("GET", f"/api/research/studies/{place.study}/export.zip", place.token)
    if status != 200:
        raise BadInput(f"the server refuses the export of {place.study}")
    return packed


def by_api(base: str) -> Walk:
    """Return a walk over HTTP."""

    def walk(study: str, token: str, mind: Mind, leaving: Leaving | None) -> str:
        line = Line(base)
        try:
            return Participant(line, study, token, mind, leaving).take_part()
        finally:
            line.close()

    return walk


def told(done: Rehearsed) -> list[str]:
    """Return the result as lines for the terminal."""
    lines = [f"{count} {end}" for end, count in sorted(done.ends.items())]
    lines = [f"scripted participants: {', '.join(lines)}"]
    for name, words in (("positions", "met at each position"), ("successions", "met right after each of the agents")):
        lines.append(f"how often each agent was {words}:")
        table: list[list[Any]] = done.balance[name]
        called = short_names(agent for agent, _ in table)
        wide = max(map(len, called.values()))
        lines += [
            f"  {called[agent].ljust(wide)}  {' '.join(f'{count:3d}' for count in counts)}" for agent, counts in table
        ]
    return [*lines, f"export: {done.folder}"]
