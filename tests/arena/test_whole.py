"""Integrity of stored runs: damage is detected and named, with a remedy."""

import subprocess

import duckdb
import pytest

import bolicho.arena.run
from bolicho import BadInput
from bolicho.arena.experiment import Experiment
from bolicho.arena.run import read_run, row_record, run
from bolicho.store.file_checksums import SUMS

EXPERIMENT = Experiment("truco", ["random", "novice"], {"hands": 1}, duplicates=6)
FILES = ("games.parquet", "result.json")


@pytest.fixture(scope="module")
def calm(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "calm"
    run(EXPERIMENT, folder)
    return {name: (folder / name).read_bytes() for name in FILES}


@pytest.fixture
def finished(tmp_path):
    return run(EXPERIMENT, tmp_path / "run").folder


@pytest.fixture
def parts(tmp_path, monkeypatch):
    """Parts of a run that was stopped after its last game and before the merge."""

    def give_up(*arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(bolicho.arena.run, "merge_parts", give_up)
        with pytest.raises(KeyboardInterrupt):
            run(EXPERIMENT, tmp_path / "run")
    found = sorted((tmp_path / "run" / "parts").glob("*.parquet"))
    assert len(found) == 6
    return found


def flip(path, place=0.5):
    """Flip one bit of a file."""
    data = bytearray(path.read_bytes())
    data[int(place * (len(data) - 1))] ^= 4
    path.write_bytes(data)


def files(folder):
    return {name: (folder / name).read_bytes() for name in FILES}


@pytest.mark.parametrize("place", [0, 0.3, 0.6, 1])
def test_a_part_with_a_flipped_bit_is_played_again(place, parts, calm, capsys):
    flip(parts[2], place)
    finished = run(EXPERIMENT, parts[0].parents[1])
    assert f"{str(parts[2])!r} has changed since it was written; its games are played again." in capsys.readouterr().err
    assert files(finished.folder) == calm
    assert finished.made["played"] == 2, "one deal from both seats"


def test_a_part_in_the_place_of_another_is_played_again(parts, calm, capsys):
    one, other = parts[1].read_bytes(), parts[4].read_bytes()
    parts[1].write_bytes(other)
    parts[4].write_bytes(one)
    assert files(run(EXPERIMENT, parts[0].parents[1]).folder) == calm
    assert capsys.readouterr().err.count("has changed since it was written") == 2


def test_a_part_under_the_name_of_another_is_played_again(parts, calm, capsys):
    parts[1].unlink()
    rest = parts[4].name.partition(".")[2]
    parts[4].rename(parts[4].with_name(f"{parts[1].name.partition('.')[0]}.{rest}"))
    assert files(run(EXPERIMENT, parts[0].parents[1]).folder) == calm
    assert "its games are played again" in capsys.readouterr().err


def test_a_part_of_another_run_is_played_again(parts, calm, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(bolicho.arena.run, "merge_parts", lambda *arguments: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        run(Experiment("truco", EXPERIMENT.agents, {"hands": 1}, duplicates=6, seed=77), tmp_path / "other")
    monkeypatch.undo()
    for part in (tmp_path / "other" / "parts").glob("*.parquet"):
        part.rename(parts[0].parent / part.name)
    for part in parts:
        part.unlink()
    assert files(run(EXPERIMENT, parts[0].parents[1]).folder) == calm
    assert capsys.readouterr().err.count("its games are played again") == 6


@pytest.mark.parametrize("name", ["games.parquet", "timing.parquet", "experiment.toml", "identity.json"])
def test_error_for_a_damaged_file_of_games_names_the_folder_to_delete(name, finished):
    (finished / name).write_bytes((finished / name).read_bytes() + b"\n")
    with pytest.raises(
        BadInput, match=rf"{name}' has changed since it was written .*; delete the folder and play again"
    ):
        read_run(finished)


@pytest.mark.parametrize("name", ["result.json", "made.json", "index.html"])
def test_deleted_derived_files_are_made_again(name, finished, calm):
    flip(finished / name)
    with pytest.raises(
        BadInput, match=rf"{name}' has changed since it was written .*; delete that file, and the same command"
    ):
        run(EXPERIMENT, finished)
    (finished / name).unlink()
    run(EXPERIMENT, finished)
    assert files(finished) == calm
    assert read_run(finished).made["played"] == 0


def test_a_game_is_not_read_from_a_damaged_file(finished):
    flip(finished / "games.parquet")
    with pytest.raises(BadInput, match=r"games\.parquet' has changed since it was written"):
        row_record(finished, 0)


def test_damaged_checksum_file_is_detected(finished):
    flip(finished / SUMS, 0.1)
    with pytest.raises(BadInput, match="has changed since it was written"):
        read_run(finished)
    (finished / SUMS).write_text("nothing\n")
    with pytest.raises(BadInput, match=rf"{SUMS}' has changed since it was written"):
        read_run(finished)


def test_checksums_can_be_checked_with_sha256sum(finished):
    checked = subprocess.run(["sha256sum", "--check", "--strict", SUMS], cwd=finished, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
    assert checked.stdout.count(": OK") == 7


def test_forged_games_are_detected(finished):
    games = finished / "games.parquet"
    better = "SELECT * REPLACE ([100, 0]::BIGINT[] AS scores)"
    duckdb.sql(f"COPY ({better} FROM '{games}') TO '{finished / 'forged.parquet'}' (FORMAT parquet)")
    (finished / "forged.parquet").replace(games)
    with pytest.raises(BadInput, match=r"games\.parquet' has changed since it was written"):
        run(EXPERIMENT, finished)
