"""Files of older versions are read, and those of newer versions are refused: runs, artifacts and records."""

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pytest

from bolicho import formats
from bolicho.arena.experiment import Experiment
from bolicho.arena.rows import GAMES
from bolicho.arena.run import read_run, row_record, run
from bolicho.arena.upgrade import upgrade
from bolicho.errors import BadInput
from bolicho.games.record import read_records, replay, write_record
from bolicho.store import migrations
from bolicho.store.artifact import load_artifact, save_artifact
from bolicho.store.migrations import Migration, latest
from bolicho.store.parquet import read_parquet, write_parquet
from tests.test_cli import bolicho_json

OLD = Path(__file__).parent / "old" / "0.3.0"
NEWER = "has format {}, and this version of bolicho reads formats up to {}; install a newer bolicho"


def test_a_record_of_0_3_0_is_replayed():
    (record,) = read_records(OLD / "record.json")
    table = replay(record)
    assert table.over and table.scores == [4, 2]
    assert write_record(table.record()) + "\n" == (OLD / "record.json").read_text()


def test_artifacts_of_0_3_0_are_read():
    made = load_artifact(str(OLD / "artifact.safetensors"), game="truco", kind="example")
    assert made.arrays["weights"].tolist() == [0.0, 1.0, 2.0] and made.facts["version"] == "0.3.0"
    columns, facts = read_parquet(OLD / "cases.parquet")
    assert columns["card"].tolist() == [0, 1, 2] and facts == made.facts


def test_a_finished_run_of_0_3_0_is_read():
    found = read_run(OLD / "finished")
    assert found.experiment.agents == ("random", "balanced") and found.result["games"] == 4
    read = row_record(OLD / "finished", 0)
    assert replay(read).over and replay(read).record() == read


def test_a_run_of_format_1_and_one_of_the_current_format_have_the_same_records(tmp_path):
    """Compare with files of 0.3.0, whose actions are texts instead of numbers."""
    experiment = Experiment.read(OLD / "finished" / "experiment.toml")
    again = run(experiment, tmp_path / "run").folder
    assert (again / "experiment.toml").read_text().splitlines()[1] == f"format = {formats.RUN}"
    kinds = [duckdb.sql(f"SELECT actions FROM '{folder / GAMES}'").types[0] for folder in (OLD / "finished", again)]
    assert kinds == ["VARCHAR[]", "SMALLINT[]"]
    for row in range(experiment.num_games):
        assert row_record(again, row) == row_record(OLD / "finished", row)


def test_run_of_another_format_is_not_extended(tmp_path, monkeypatch):
    experiment = Experiment("truco", ["random", "balanced"], {"target": 3}, duplicates=1, seed=1)
    run(experiment, tmp_path / "run")
    monkeypatch.setattr("bolicho.arena.identity.RUN", formats.RUN + 1)
    with pytest.raises(BadInput, match="were played before a change of format of runs; choose another folder"):
        run(replace(experiment, duplicates=2), tmp_path / "run")


def test_unfinished_run_of_0_3_0_is_continued_by_that_version_alone(tmp_path, monkeypatch):
    folder = Path(shutil.copytree(OLD / "unfinished", tmp_path / "run"))
    before = sorted(path.name for path in folder.rglob("*"))
    monkeypatch.setattr("bolicho.__version__", "0.4.0")
    with pytest.raises(BadInput, match=r"another version of bolicho \(0.3.0, and this is 0.4.0\); finish it with that"):
        run(Experiment.read(folder / "experiment.toml"), folder)
    with pytest.raises(BadInput, match=r"pip install bolicho==0.3.0\), or play it again in another folder"):
        upgrade(str(folder), replay)
    assert sorted(path.name for path in folder.rglob("*")) == before


def test_files_of_a_newer_version_are_refused_with_the_reason(tmp_path):
    (record,) = read_records(OLD / "record.json")
    with pytest.raises(BadInput, match=f"the record {NEWER.format(2, formats.RECORD)}"):
        replay({**record, "format": 2})
    assert replay({**record, "format": 1}).over
    for wrong in (0, "1", True, None, 1.0):
        with pytest.raises(BadInput, match="the record: format must be a whole number"):
            replay({**record, "format": wrong})
    save_artifact(tmp_path / "a.safetensors", {"x": np.zeros(1)}, {"format": 2})
    with pytest.raises(BadInput, match=f"a.safetensors {NEWER.format(2, formats.ARTIFACT)}"):
        load_artifact(str(tmp_path / "a.safetensors"))
    write_parquet(tmp_path / "a.parquet", {"x": np.zeros(1)}, {"format": 2})
    with pytest.raises(BadInput, match=f"a.parquet {NEWER.format(2, formats.ARTIFACT)}"):
        read_parquet(tmp_path / "a.parquet")
    text = (OLD / "finished" / "experiment.toml").read_text()
    with pytest.raises(BadInput, match=f"experiment {NEWER.format(3, formats.RUN)}"):
        Experiment.from_toml("format = 3\n" + text)
    for number in (1, 2):
        assert Experiment.from_toml(f"format = {number}\n" + text) == Experiment.from_toml(text)


@pytest.mark.parametrize("name", ["record.json", "artifact.safetensors", "cases.parquet", "finished"])
def test_upgrade_reports_that_files_of_0_3_0_are_current_or_readable(name):
    which = "an older format that is read as it is" if name == "finished" else "the current format"
    assert upgrade(str(OLD / name), replay).endswith(f"{which} (1); nothing to do")


def test_upgrade_reports_that_a_new_run_is_current(tmp_path):
    made = run(Experiment("truco", ["random", "balanced"], {"target": 3}, duplicates=1, seed=1), tmp_path / "run")
    assert upgrade(str(made.folder), replay).endswith(f"the current format ({formats.RUN}); nothing to do")


def test_upgrade_brings_a_database_to_the_current_version(tmp_path, monkeypatch):
    old = Path(shutil.copy(OLD / "matches.db", tmp_path))
    monkeypatch.setattr(migrations, "STEPS", [*migrations.STEPS, Migration(latest() + 1, "nothing new")])
    assert f"from version 1 to {latest()}; the old database is kept in" in upgrade(str(old), replay)
    assert upgrade(str(old), replay) == "a database whose tables have the current version; nothing to do"
    with closing(sqlite3.connect(old)) as database:
        assert database.execute("SELECT schema FROM about").fetchall() == [(latest(),)]


def test_upgrade_refuses_foreign_and_missing_files(tmp_path):
    (tmp_path / "page.html").write_text("<html>")
    for place, why in (
        (tmp_path / "none", "cannot read"),
        (tmp_path, "holds no run"),
        (tmp_path / "page.html", "page"),
    ):
        with pytest.raises(BadInput, match=why):
            upgrade(str(place), replay)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["page.html"], "no database was made"


def test_the_command_upgrades_several_places_at_once():
    done = bolicho_json("upgrade", OLD / "record.json", OLD / "cases.parquet")["upgraded"]
    assert [said.split(" of ")[0] for said in done.values()] == ["1 record", "an artifact"]
