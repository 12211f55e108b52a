"""Databases of older versions: upgraded in one piece after a copy, or refused with the command that converts them."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from bolicho.errors import BadInput
from bolicho.store import migrations
from bolicho.store.database import open_database, read_match, read_moves
from bolicho.store.migrations import FIRST, STEPS, Migration, add_column, latest
from bolicho.store.studies import all_studies, read_participants, read_study_matches
from bolicho.store.tables import FACTS, about

OLD = Path(__file__).parent / "old" / "0.3.0"

LATER = sa.MetaData()
later = sa.Table("matches", LATER, sa.Column("note", sa.String(20)), sa.Column("stake", sa.Integer, server_default="1"))


def add_note(connection):
    add_column(later.c.note)(connection)
    add_column(later.c.stake)(connection)
    connection.execute(sa.text("UPDATE matches SET note = 'old'"))


NEXT = Migration(latest() + 1, "a note in each match", add_note)


@pytest.fixture
def old(tmp_path):
    """Return a copy of a database that version 0.3.0 wrote."""
    return Path(shutil.copy(OLD / "matches.db", tmp_path))


@pytest.fixture
def one_more(monkeypatch):
    """Simulate a program with one more step."""
    monkeypatch.setattr(migrations, "STEPS", [*STEPS, NEXT])


def version_of(path):
    with closing(sqlite3.connect(path)) as database:
        return database.execute("SELECT schema FROM about").fetchall()


def columns_of(path, table="matches"):
    with closing(sqlite3.connect(path)) as database:
        return [name for _, name, *_ in database.execute(f"PRAGMA table_info({table})")]


def shape(engine):
    """Return the structure of all tables of a database."""
    found = sa.inspect(engine)
    return {
        table: (
            {column["name"]: (str(column["type"]), column["nullable"]) for column in found.get_columns(table)},
            found.get_pk_constraint(table)["constrained_columns"],
            sorted(key["constrained_columns"] for key in found.get_foreign_keys(table)),
            sorted(index["column_names"] for index in found.get_indexes(table)),
            sorted(unique["column_names"] for unique in found.get_unique_constraints(table)),
        )
        for table in found.get_table_names()
    }


def test_steps_are_numbered_one_after_the_other():
    assert [step.version for step in STEPS] == list(range(FIRST + 1, FIRST + 1 + len(STEPS)))


def test_an_upgraded_database_has_the_tables_of_a_new_one(old, tmp_path):
    upgraded, new = open_database(str(old)), open_database(str(tmp_path / "new.db"))
    assert shape(upgraded) == shape(new), "a change of tables.py needs a step in migrations.py"
    assert set(shape(new)) == set(FACTS.tables)
    assert version_of(old) == version_of(tmp_path / "new.db") == [(latest(),)]


def test_database_of_version_0_3_0_is_read(old):
    with open_database(str(old)).connect() as connection:
        (study,) = all_studies(connection)
        (who,) = read_participants(connection, study.id)
        assert who.state == "finished" and who.scripted
        names = connection.execute(sa.text("SELECT id FROM matches ORDER BY made")).scalars().all()
        ended = {name: read_match(connection, name)[0].ended is not None for name in names}
        assert sorted(ended.values()) == [False, True, True]
        assert all(read_moves(connection, name) for name in names)


def test_participants_of_older_versions_sit_at_seat_0_of_their_matches(old):
    with closing(sqlite3.connect(old)) as database:
        names = "match, study, code, step, agent, label, practice"
        before = database.execute(f"SELECT {names} FROM study_matches ORDER BY step").fetchall()
    with open_database(str(old)).connect() as connection:
        (study,) = all_studies(connection)
        found = sorted(read_study_matches(connection, study.id), key=lambda one: one.step)
    assert before and [one.seat for one in found] == [0] * len(before)
    facts = [(one.match, study.id, one.code, one.step, one.agent, one.label, one.practice) for one in found]
    assert facts == before


def test_an_older_file_is_copied_and_upgraded_in_place(old, one_more, capsys):
    before = old.read_bytes()
    old.chmod(0o600)
    with open_database(str(old)).connect() as connection:
        rows = connection.execute(sa.text("SELECT note, stake FROM matches")).fetchall()
    assert rows == [("old", 1)] * 3
    assert version_of(old) == [(NEXT.version,)]
    copy = old.with_name(f"matches.db.before-{NEXT.version}")
    assert version_of(copy) == [(FIRST,)] and "note" not in columns_of(copy) and len(before) == copy.stat().st_size
    assert copy.stat().st_mode & 0o777 == 0o600, "the copy has the same permissions"
    assert {path.name for path in old.parent.glob(f"{copy.name}*")} == {copy.name}
    said = capsys.readouterr().err
    assert f"from version {FIRST} to {NEXT.version}" in said and copy.name in said
    open_database(str(old))
    assert capsys.readouterr().err == "", "a second start has nothing to upgrade"


def test_an_older_copy_is_never_overwritten(old, one_more):
    first = old.with_name(f"matches.db.before-{NEXT.version}")
    first.write_text("mine")
    open_database(str(old))
    assert first.read_text() == "mine" and version_of(f"{first}.1") == [(FIRST,)]


def test_database_without_a_version_is_treated_as_the_first_version(old, one_more):
    with closing(sqlite3.connect(old)) as database:  # killed between making the tables and noting their version
        database.execute("DELETE FROM about")
        database.commit()
    open_database(str(old))
    assert version_of(old) == [(NEXT.version,)] and "note" in columns_of(old)


@pytest.mark.parametrize("steps", [STEPS, [*STEPS, NEXT]])
def test_a_database_of_0_2_0_gets_the_tables_that_came_later(old, steps, monkeypatch):
    monkeypatch.setattr(migrations, "STEPS", steps)
    with closing(sqlite3.connect(old)) as database:
        for table in (set(FACTS.tables) | {"study_matches"}) - {"about", "matches", "seats", "moves"}:
            database.execute(f"DROP TABLE IF EXISTS {table}")
    assert set(sa.inspect(open_database(str(old))).get_table_names()) == set(FACTS.tables)


def test_newer_database_is_refused_and_not_changed(old, one_more, monkeypatch):
    open_database(str(old)).dispose()
    before = old.read_bytes()
    monkeypatch.undo()
    with pytest.raises(BadInput, match=rf"of version {NEXT.version}, and bolicho .* up to version {latest()}; install"):
        open_database(str(old))
    assert old.read_bytes() == before


def test_older_read_only_database_is_refused_with_a_remedy(old, one_more):
    with pytest.raises(BadInput, match="readonly database; copy it to where it can be written"):
        open_database(f"sqlite:///file:{old}?mode=ro&uri=true")
    assert version_of(old) == [(FIRST,)]
    assert not list(old.parent.glob("*.before-*"))


def test_a_step_that_fails_changes_nothing(old, monkeypatch):
    def fail(connection):
        add_note(connection)
        connection.execute(sa.text("UPDATE nowhere SET x = 1"))

    monkeypatch.setattr(migrations, "STEPS", [*STEPS, Migration(NEXT.version, "fails", fail)])
    with pytest.raises(BadInput, match="no such table: nowhere"):
        open_database(str(old))
    assert version_of(old) == [(FIRST,)] and "note" not in columns_of(old)
    assert not list(old.parent.glob("*.before-*"))


# --- Processes ------------------------------------------------------------------------------------

OPEN = """
import os, signal, sys
import sqlalchemy as sa
from bolicho.store import migrations
from bolicho.store.database import open_database

def add_note(connection):
    connection.execute(sa.text("ALTER TABLE matches ADD COLUMN note VARCHAR"))
    if sys.argv[2] == "die":
        os.kill(os.getpid(), signal.SIGKILL)

migrations.STEPS.append(migrations.Migration(migrations.latest() + 1, "a note", add_note))
print("ready", flush=True)
sys.stdin.readline()
open_database(sys.argv[1], upgrade=True)
"""


def opening(url, how="live"):
    """Start a process that opens a database with one more step, once it gets a line."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, "-c", OPEN, url, how], env={**os.environ}, **pipes)


def open_together(url, processes=3):
    """Return how often a database was upgraded by processes that open it at the same moment."""
    started = [opening(url) for _ in range(processes)]
    for process in started:
        assert process.stdout.readline() == "ready\n"
    for process in started:
        process.stdin.write("\n")
        process.stdin.flush()
    said = [process.communicate()[1] for process in started]
    assert [process.returncode for process in started] == [0] * processes, said
    return sum("upgraded" in each for each in said)


def test_killed_upgrade_changes_nothing_and_the_next_start_completes_it(old, one_more):
    process = opening(str(old), "die")
    process.communicate("\n")
    assert process.returncode == -signal.SIGKILL
    assert version_of(old) == [(FIRST,)] and "note" not in columns_of(old)
    assert version_of(old.with_name(f"matches.db.before-{NEXT.version}")) == [(FIRST,)]
    with open_database(str(old)).connect() as connection:
        assert connection.execute(sa.text("SELECT count(*) FROM matches WHERE note = 'old'")).scalar() == 3


def test_one_of_several_processes_that_start_together_upgrades(old):
    assert open_together(str(old)) == 1
    assert version_of(old) == [(NEXT.version,)]
    assert len(list(old.parent.glob("*.before-*"))) == 1


def test_processes_that_start_together_make_one_new_database(tmp_path):
    assert open_together(str(tmp_path / "new.db")) == 0
    assert version_of(tmp_path / "new.db") == [(NEXT.version,)]


# --- PostgreSQL -----------------------------------------------------------------------------------


@pytest.fixture
def old_postgresql(postgresql):
    """Create a PostgreSQL database of the previous version with a match in it, and return its address."""
    with sa.create_engine(postgresql.replace("postgresql:", "postgresql+psycopg:")).connect() as connection:
        connection.execution_options(isolation_level="AUTOCOMMIT").execute(sa.text("CREATE DATABASE older"))
    url = postgresql.replace("/postgres?", "/older?")
    engine = open_database(url)
    with engine.begin() as connection:
        connection.execute(about.update().values(schema=latest()))
        connection.execute(
            sa.text("INSERT INTO matches (id, game, rules, options, secret, made) VALUES ('a', 'truco', '', '', '', 0)")
        )
    engine.dispose()
    yield url
    with sa.create_engine(postgresql.replace("postgresql:", "postgresql+psycopg:")).connect() as connection:
        connection.execution_options(isolation_level="AUTOCOMMIT").execute(sa.text("DROP DATABASE older WITH (FORCE)"))


def test_postgresql_is_upgraded_on_request_in_one_transaction(old_postgresql, monkeypatch):
    def fail(connection):
        add_note(connection)
        raise BadInput("half-way")

    monkeypatch.setattr(migrations, "STEPS", [*STEPS, Migration(NEXT.version, "fails", fail)])
    with pytest.raises(BadInput, match="pg_dump, and run: bolicho upgrade ADDRESS"):
        open_database(old_postgresql)
    with pytest.raises(BadInput, match="half-way"):
        open_database(old_postgresql, upgrade=True)
    monkeypatch.setattr(migrations, "STEPS", [*STEPS, NEXT])
    with open_database(old_postgresql, upgrade=True).connect() as connection:
        assert connection.execute(sa.text("SELECT note, stake FROM matches")).fetchall() == [("old", 1)]
        assert connection.execute(sa.select(about.c.schema)).fetchall() == [(NEXT.version,)]
    monkeypatch.undo()
    with pytest.raises(BadInput, match="install a newer bolicho"):
        open_database(old_postgresql)


def test_one_of_several_processes_that_start_together_upgrades_postgresql(old_postgresql):
    assert open_together(old_postgresql) == 1
