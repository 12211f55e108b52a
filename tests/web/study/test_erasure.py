"""Erasure of deleted data from case bases, the database file and its journal, also after a kill."""

import json
import os
import shutil
import signal
import sqlite3
import time
from collections import OrderedDict
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from bolicho.agents.cbr import agent as cbr
from bolicho.agents.cbr.bases import load_base, save_base
from bolicho.agents.cbr.casebase import CaseBase
from bolicho.agents.cbr.clusters import cluster_all, label
from bolicho.agents.cbr.truco.scenarios import TRUCO
from bolicho.cli import study as command
from bolicho.errors import BadInput
from bolicho.store import database, studies
from bolicho.store.database import MatchRow, SeatRow, open_database
from bolicho.store.parquet import read_parquet
from bolicho.web.app import make_app
from bolicho.web.app_state import Settings
from bolicho.web.match import Match
from bolicho.web.study import case_bases, erasure, participation
from bolicho.web.study.plan import read_plan
from bolicho.web.transactions import Transaction
from bolicho.web.workers import AgentPool
from tests.web.study.plans import plan
from tests.web.test_transactions import StubConnections

SECRET = "Zyxwv-{}-what-I-said"
PEOPLE = "pvs(base=people, victory=share)"
KILLED = 25  # upper bound on the number of kill points


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """Write a small initial base, and return its path."""
    path = tmp_path_factory.mktemp("base") / "small.parquet"
    shipped = load_base("baseline", TRUCO)
    cases = shipped.cases[:60].copy()
    small = CaseBase(TRUCO, cases, cluster_all(TRUCO, cases), shipped.made)
    label(small)
    save_base(small, path)
    return path


@pytest.fixture
def quick(base, monkeypatch):
    """Replace the growth of bases by a copy of the first base with new matches, to avoid slow clustering."""
    small = load_base(str(base), TRUCO)

    def grown(connection, plan, numbers):
        return CaseBase(TRUCO, small.cases, small.clusterings, {**small.made, "matches": numbers})

    monkeypatch.setattr(case_bases, "_grown", grown)


class Place:
    """A database with a study whose two participants have played and rated two matches each."""

    def __init__(self, folder, base=None):
        self.file = folder / "matches.db"
        self.engine = open_database(str(self.file))
        grown = (
            {"sees": f'[grow]\nbase = "{base}"\nevery = 2\n[sees]', "opponents": ("cautious", PEOPLE)} if base else {}
        )
        with self.engine.begin() as connection:
            self.study = studies.add_study(connection, plan(order="fixed", **grown), opened=True)
            made = [studies.add_participant(connection, self.study) for _ in range(2)]
            self.codes, self.tokens = zip(*made, strict=True)
            self.matches = [self._play(connection, number, seed) for number in (0, 1) for seed in (0, 1)]

    def _play(self, connection, number, seed):
        """Play a match of a participant, answer its questions, and return its name."""
        who = studies.meet(connection, self.study, self.tokens[number], 2.0)
        who = studies.change(connection, who, row=0, state="playing")
        name = f"match{number}{seed}"
        row = MatchRow(name, "truco", {"target": 4}, {"study": self.study}, bytes([number, seed]) * 16, 1.0, 1.0)
        sitting = [SeatRow(0, "?", token=b"t" * 32, nonce=b"n" * 16), SeatRow(1, "?", agent="novice")]
        database.add_match(connection, row, sitting)
        match, rng, moves = Match(row, sitting), np.random.default_rng(seed), []
        while not match.table.over:
            ply = match.ply
            seat = match.play(rng.choice(match.table.view().legal), 2.0)
            moves.append((name, ply, seat, int(match.table.actions[-1]), 2.0))
        database.add_moves(connection, moves)
        database.set_ended(connection, name, 3.0 + number, None, match.ended(3.0))
        one = studies.StudyMatch(name, 0, who.code, seed + 1, "novice", "Opponent", False)
        studies.add_study_seat(connection, who.study, one)
        studies.show_step(connection, who, seed + 1, "questions", 3.0)
        studies.finish_step(connection, who, seed + 1, {"remarks": SECRET.format(number) * 20}, 3.0)
        return name

    def grow(self):
        """Write both versions of the base."""
        for version in (1, 2):
            case_bases.make(str(self.file), self.study, version)

    def withdraw(self, number=0):
        with self.engine.begin() as connection:
            participation.withdraw(
                Transaction(connection, OrderedDict(), None, StubConnections(), 4.0), self.study, self.tokens[number]
            )

    def states(self):
        with self.engine.connect() as connection:
            return [one.state for one in studies.read_participants(connection, self.study)]

    def unfinished(self):
        with self.engine.connect() as connection:
            return studies.unfinished_erasures(connection)

    def held(self):
        """Return the matches whose hands are in each version."""
        found = case_bases.versions(case_bases.folder_of(self.engine, self.study))
        return {number: read_parquet(path)[1]["matches"] for number, path in sorted(found.items())}

    def traces(self, number=0):
        """Return the traces of a participant in the bytes of all files: answers, matches."""
        files = [path for path in self.file.parent.rglob("*") if path.is_file()]
        data = b"".join(path.read_bytes() for path in files)
        wanted = [SECRET.format(number), *self.matches[2 * number : 2 * number + 2]]
        return [one for one in wanted if one.encode() in data]


@pytest.fixture
def place(tmp_path):
    made = Place(tmp_path)
    yield made
    made.engine.dispose()


@pytest.fixture
def reader(place):
    """Open a read transaction that keeps the state before any deletion."""
    with closing(sqlite3.connect(place.file, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        connection.execute("SELECT * FROM steps").fetchall()
        yield connection


# --- Readers --------------------------------------------------------------------------------------


def test_data_kept_in_the_journal_by_a_reader_is_reported_and_erased_afterwards(place, reader):
    place.withdraw()
    assert erasure.finish(place.engine, 0.05) == ["journal"] and place.traces() and place.unfinished()
    assert erasure.finish(place.engine, 0.05) == ["journal"]
    reader.execute("ROLLBACK")
    assert erasure.finish(place.engine, 0.05) == [] and place.unfinished() == {}
    assert place.traces() == [] and place.traces(1) != []


def test_journal_does_not_grow_while_a_reader_blocks_its_erasure(place, reader):
    place.withdraw()
    journal = Path(f"{place.file}-wal")
    before = journal.stat().st_size
    for _ in range(3):
        erasure.finish(place.engine, 0.05)
    assert journal.stat().st_size == before


def test_repeated_deletion_of_a_study_finishes_after_a_reader_has_ended(place, reader, monkeypatch, capsys):
    monkeypatch.setattr(command, "keep_stdout", lambda: None)
    monkeypatch.setattr(command, "CHECKPOINT_TIMEOUT", 0.05)
    with pytest.raises(BadInput, match=r"remain in .*matches\.db-wal, which another program is reading"):
        command.delete(place.study, database=str(place.file))
    assert place.traces() and place.traces(1)
    reader.execute("ROLLBACK")
    command.delete(place.study, database=str(place.file))
    assert place.traces() == place.traces(1) == [] and place.unfinished() == {}
    assert place.study.encode() not in place.file.read_bytes() + Path(f"{place.file}-wal").read_bytes()
    with pytest.raises(BadInput, match="there is no study"):
        command.delete(place.study, database=str(place.file))


def test_copies_of_rows_moved_between_pages_are_erased(tmp_path):
    engine = open_database(str(tmp_path / "matches.db"))
    rng = np.random.default_rng(1)
    with engine.begin() as connection:
        study = studies.add_study(connection, plan(), opened=True)
        made = [studies.add_participant(connection, study) for _ in range(200)]
        people = [studies.meet(connection, study, token, 2.0) for _, token in made]
        for at in rng.permutation(2000):
            studies.show_step(connection, people[at % 200], int(at) // 200, "questions", 3.0)
        for at in rng.permutation(2000):
            text = f"Zyx-{at % 200}-" + "x" * int(rng.integers(300))
            studies.finish_step(connection, people[at % 200], int(at) // 200, {"remarks": text}, 3.0)
    with engine.begin() as connection:
        for one in people[:100]:
            studies.take_out(connection, one)
    assert erasure.finish(engine, 0.05) == []
    data = (tmp_path / "matches.db").read_bytes()
    assert [number for number in range(200) if f"Zyx-{number}-".encode() in data] == list(range(100, 200))
    engine.dispose()


def test_starting_server_finishes_pending_erasures(place, tmp_path):
    place.withdraw()
    assert place.unfinished() and place.traces()
    settings = Settings(
        str(place.file), games=("truco",), runs=str(tmp_path / "runs"), reports=str(tmp_path / "reports")
    )
    with TestClient(make_app(settings, AgentPool(["truco"]), place.engine)):
        end = time.monotonic() + 60
        while place.unfinished():
            assert time.monotonic() < end
            time.sleep(0.02)
    assert place.traces() == [] and place.traces(1) != []


# --- Case bases -----------------------------------------------------------------------------------


@pytest.fixture
def grown(tmp_path, base):
    made = Place(tmp_path, base)
    made.grow()
    yield made
    made.engine.dispose()


def test_withdrawn_hands_are_removed_from_every_version_and_loaded_copy(grown):
    path = str(case_bases.versions(case_bases.folder_of(grown.engine, grown.study))[2])
    before = cbr.load_index(path, "truco")
    assert cbr.load_index(path, "truco") is before
    grown.withdraw()
    assert erasure.finish(grown.engine) == []
    assert grown.held() == {1: [], 2: ["match10", "match11"]}
    after = cbr.load_index(path, "truco")
    assert len(after.base) < len(before.base) and after.base.made["matches"] == ["match10", "match11"]


def test_base_is_read_again_only_if_its_content_has_changed(quick, grown):
    one, two = (
        path for _, path in sorted(case_bases.versions(case_bases.folder_of(grown.engine, grown.study)).items())
    )
    first = cbr.load_index(str(one), "truco")
    os.utime(one, (1, 1))
    assert cbr.load_index(str(one), "truco") is first
    shutil.copy(two, one)
    os.utime(one, (1, 1))
    assert cbr.load_index(str(one), "truco").base.made["matches"] == grown.matches
    one.unlink()
    with pytest.raises(BadInput, match="no case file"):
        cbr.load_index(str(one), "truco")


def killed_at(place, number):
    """Withdraw a participant in a child process that is killed before a step; return whether it was killed."""
    place.engine.dispose()
    if child := os.fork():
        return os.waitpid(child, 0)[1] == signal.SIGKILL
    steps = iter(range(KILLED))

    def before(function):
        def counted(*arguments, **options):
            if next(steps) == number:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*arguments, **options)

        return counted

    for module, name in [
        (studies, "take_out"),
        (studies, "finish_erasures"),
        (case_bases, "renew"),
        (case_bases, "save_base"),
        (Path, "replace"),
        (database, "scrub"),
        (database, "_empty_journal"),
    ]:
        setattr(module, name, before(getattr(module, name)))
    sa.event.listen(place.engine, "commit", before(lambda connection: None))
    try:
        place.withdraw()
        erasure.finish(place.engine)
    finally:
        os._exit(0)


def test_withdrawal_is_atomic_wherever_the_process_is_killed(tmp_path, base, quick):
    kept = tmp_path / "kept"
    kept.mkdir()
    place = Place(kept, base)
    place.grow()
    place.engine.dispose()
    states, number = [], 0
    while True:
        place.file = Path(shutil.copytree(kept, tmp_path / str(number))) / "matches.db"
        place.engine = open_database(str(place.file))
        is_killed = killed_at(place, number)
        assert erasure.finish(place.engine) == [] and erasure.finish(place.engine) == []  # as a starting server does
        assert place.unfinished() == {}
        states.append(place.states()[0])
        if states[-1] == "withdrawn":
            assert place.held() == {1: [], 2: ["match10", "match11"]} and place.traces() == []
        else:
            assert place.held() == {1: place.matches[:2], 2: place.matches}
        assert place.traces(1) != []
        place.engine.dispose()
        number += 1
        if not is_killed:
            break
    assert 10 < number < KILLED and set(states) == {"playing", "withdrawn"}


def test_deletions_from_before_a_schema_upgrade_are_finished(quick, grown):
    grown.withdraw()
    grown.engine.dispose()
    with closing(sqlite3.connect(grown.file)) as connection, connection:
        connection.execute("DROP TABLE erasures")
        connection.execute("UPDATE about SET schema = 1")
    grown.engine = open_database(str(grown.file))
    assert list(grown.unfinished().values()) == [grown.study] and grown.held()[1] == ["match00", "match01"]
    assert erasure.finish(grown.engine) == [] and grown.held() == {1: [], 2: ["match10", "match11"]}


def test_base_begun_before_a_withdrawal_excludes_the_withdrawn_hands(tmp_path, base, quick, monkeypatch):
    place = Place(tmp_path, base)
    save = case_bases.save_base

    def withdraw_meanwhile(*arguments):
        save(*arguments)
        if place.states()[0] != "withdrawn":
            place.withdraw()
            assert erasure.finish(place.engine) == []

    monkeypatch.setattr(case_bases, "save_base", withdraw_meanwhile)
    case_bases.make(str(place.file), place.study, 2)
    assert place.held() == {2: ["match10", "match11"]} and place.traces() == []
    place.engine.dispose()


def test_deleted_study_loses_its_bases_and_unfinished_ones_are_discarded(quick, grown, monkeypatch):
    folder = case_bases.folder_of(grown.engine, grown.study)
    shutil.copy(folder / "base-0001.parquet", folder / ".base-0003.1.parquet")  # left by a killed process
    with grown.engine.begin() as connection:
        studies.delete_study(connection, grown.study)
    read = read_plan(plan(order="fixed", sees='[grow]\nbase = "x"\n[sees]', opponents=("cautious", PEOPLE)))
    assert erasure.finish(grown.engine) == [] and not folder.exists()
    case_bases._write(grown.engine, grown.study, read, folder / "base-0001.parquet", [], replace=False)
    assert list(folder.iterdir()) == []


def test_two_processes_can_finish_the_same_deletions_concurrently(quick, grown):
    for number in (0, 1):
        grown.withdraw(number)
    grown.engine.dispose()
    children = []
    for _ in range(2):
        if child := os.fork():
            children.append(child)
            continue
        try:
            erasure.finish(open_database(str(grown.file)), 5)
        finally:
            os._exit(0)
    for child in children:
        os.waitpid(child, 0)
    assert erasure.finish(grown.engine) == [] and grown.held() == {1: [], 2: []}
    assert grown.traces() == grown.traces(1) == []
    assert json.dumps(grown.unfinished()) == "{}"
