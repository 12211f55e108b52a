"""Upgrades of databases, run folders, artifacts and records of older versions."""

import json
from collections.abc import Callable
from pathlib import Path

import bolicho
from bolicho.arena.experiment import Experiment
from bolicho.arena.identity import VERSION
from bolicho.arena.rows import EXPERIMENT, IDENTITY, is_finished
from bolicho.arena.run import read_run
from bolicho.errors import BadInput
from bolicho.files import read_text
from bolicho.formats import ARTIFACT, RECORD, RUN, check_format
from bolicho.games.record import read_records
from bolicho.store.artifact_search import ENDINGS, facts_of
from bolicho.strict import read_toml

SQLITE = b"SQLite format 3\0"  # header of every SQLite file


def upgrade(place: str, replay: Callable[[dict[str, object]], object]) -> str:
    """Upgrade a file, a folder or a database to the current version; return a sentence on what it is and what was done.

    `replay` replays a record, of the terminal or of the web server.
    """
    path = Path(place)
    if "://" in place:
        return upgrade_database(place)
    if path.is_dir():
        return check_run(path)
    try:
        with path.open("rb") as file:
            begins = file.read(len(SQLITE))
    except OSError as problem:
        raise BadInput(f"cannot read {place!r}: {problem.strerror}") from None
    if begins == SQLITE:
        return upgrade_database(place)
    if path.suffix in ENDINGS:
        facts = facts_of(path)
        made = f" of bolicho {facts['version']}" if "version" in facts else ""
        return f"an artifact{made}, which has the current format ({ARTIFACT}); nothing to do"
    games = sum(1 for record in read_records(path) if replay(record))
    return f"{games} {'record' if games == 1 else 'records'} of the current format ({RECORD}); nothing to do"


def upgrade_database(url: str) -> str:
    """Upgrade the tables of an existing database."""
    from bolicho.store.database import open_database

    said: list[str] = []
    open_database(url, upgrade=True, tell=said.append).dispose()
    return said[0] if said else "a database whose tables have the current version; nothing to do"


def check_run(folder: Path) -> str:
    """Check that a run folder can be read; an unfinished run can be resumed only with the version that began it."""
    if not (folder / EXPERIMENT).exists():
        raise BadInput(f"{str(folder)!r} holds no run (no {EXPERIMENT})")
    if is_finished(folder):
        made = read_run(folder).made.get("bolicho")
        found = check_format(read_toml(read_text(folder / EXPERIMENT)), RUN, str(folder))
        which = "the current format" if found == RUN else "an older format that is read as it is"
        return f"a finished run of bolicho {made}, which has {which} ({found}); nothing to do"
    Experiment.read(folder / EXPERIMENT)
    begun = json.loads((folder / IDENTITY).read_text(encoding="utf-8")).get(VERSION)
    if begun != bolicho.__version__:
        raise BadInput(
            f"{str(folder)!r} is a run that bolicho {begun} began and did not finish; other versions play other games, "
            f"so finish it with that version (pip install bolicho=={begun}), or play it again in another folder"
        )
    return "an unfinished run of this version; nothing to do"
