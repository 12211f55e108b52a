"""Kills between any two writes of a run, which the same command resumes."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import bolicho.arena.run as runs
from bolicho import BadInput
from bolicho.arena.experiment import Experiment
from bolicho.arena.rows import EXPERIMENT, IDENTITY, PARTS, kept_parts
from bolicho.arena.run import run
from bolicho.arena.run_lock import lock_exclusively
from bolicho.files import write_text_atomic

ONE = Experiment("truco", ["random", "novice"], {"hands": 1}, duplicates=1, seed=3)
WRITES = ("replace", "unlink", "mkdir", "write_bytes")


class Killed(BaseException):
    """End of a process, after which it does nothing."""


class Reached(BaseException):
    """Arrival of a run at the point where games are played."""


def kill_at(patch, number):
    """Replace the write of that number, and all later ones, by the end of the process."""
    done = 0

    def instead(write):
        def call(path, *arguments, **options):
            nonlocal done
            done += 1
            if done >= number:
                raise Killed
            return write(path, *arguments, **options)

        return call

    for name in WRITES:
        patch.setattr(Path, name, instead(getattr(Path, name)))


def begin(experiment, folder):
    """Begin or resume a run; return the deals that are kept when the others are about to be played."""
    kept = []

    def reached(experiment, folder, jobs, owner, *rest, **options):
        kept.extend(kept_parts(folder / PARTS, owner))
        raise Reached

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "play_missing", reached)
        with pytest.raises(Reached):
            run(experiment, folder)
    return kept


def killed(experiment, folder, number):
    """Return whether a run is killed at its write of that number, before it plays games."""
    with pytest.MonkeyPatch.context() as patch:
        kill_at(patch, number)
        try:
            begin(experiment, folder)
        except Killed:
            return True
    return False


def test_run_killed_at_any_early_write_is_begun_by_the_same_command(tmp_path):
    number = 1
    while killed(ONE, folder := tmp_path / str(number), number):
        begin(ONE, folder)
        assert {path.name for path in folder.iterdir()} == {".lock", EXPERIMENT, IDENTITY}, number
        number += 1
    assert number > 8, "two files, each written beside and renamed, and folders made"


def test_an_extension_killed_at_any_write_loses_no_game(tmp_path):
    finished, number = run(ONE, tmp_path / "finished").folder, 1
    more = replace(ONE, duplicates=2)
    while True:
        folder = tmp_path / str(number)
        shutil.copytree(finished, folder)
        if not killed(more, folder, number):
            break
        (kept,) = begin(more, folder)
        assert (kept.first, kept.deals) == (0, 1), number
        assert not list(folder.rglob("*.tmp")), number
        number += 1
    assert number > 12


def test_an_identity_without_an_experiment_is_replaced_only_if_a_run_wrote_it(tmp_path):
    (tmp_path / IDENTITY).write_text('{"name": "somebody"}')
    with pytest.raises(BadInput, match="is not empty and holds no run"):
        run(ONE, tmp_path)
    (tmp_path / IDENTITY).write_text("[]")
    with pytest.raises(BadInput, match="is broken"):
        run(ONE, tmp_path)


def leftovers(folder):
    """Return leftovers of killed writers: beside a file of the run, beside a part, and where a part is made."""
    (folder / PARTS).mkdir(parents=True, exist_ok=True)
    made = []
    for path in (
        folder / "games.parquet",
        folder / "match.json",
        folder / PARTS / "000000-000000000-000000001.abc.parquet",
    ):
        with pytest.MonkeyPatch.context() as patch, pytest.raises(Killed):
            kill_at(patch, 3)  # after the folder was made and the bytes were written
            write_text_atomic(path, "half")
        made += path.parent.glob(f".{path.name}*.tmp")
    made.append(folder / PARTS / ".000000-000000000-000000001.77.tmp")
    made[-1].write_text("half")
    assert len(made) == 4
    return made


def test_files_of_killed_writers_are_removed_by_the_run_that_locks_the_folder(tmp_path):
    begin(ONE, tmp_path / "run")
    made = leftovers(tmp_path / "run")
    other = tmp_path / "run" / "..asked.toml.0123abcd.1.tmp"
    other.write_text("of a server, which writes it without the lock")
    begin(ONE, tmp_path / "run")
    assert not any(path.exists() for path in made) and other.exists()


def test_files_of_a_live_writer_stay(tmp_path):
    begin(ONE, tmp_path / "run")
    with lock_exclusively(tmp_path / "run"):
        made = leftovers(tmp_path / "run")
        with pytest.raises(BadInput, match="another run is at work"):
            run(ONE, tmp_path / "run")
    runs.run_shard(ONE, tmp_path / "run", 2, 2)  # beside other shards, which may be writing
    assert all(path.exists() for path in made)


def test_a_lock_that_its_holder_removed_is_not_held_twice(tmp_path):
    """Lock opened before its holder ended: a deleted file that no other process can open."""
    fcntl = pytest.importorskip("fcntl")
    real, opened = fcntl.flock, []

    def slow(file, how):
        if not opened:
            opened.append(file)
            (tmp_path / ".lock").unlink()  # the holder ends between opening and locking
        real(file, how)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fcntl, "flock", slow)
        with lock_exclusively(tmp_path):
            assert (tmp_path / ".lock").exists()
            with pytest.raises(BadInput, match="another run is at work"), lock_exclusively(tmp_path):
                pass


# --- Special files --------------------------------------------------------------------------------


def odd(path, kind):
    """Replace what is at a path by a pipe, a folder, a device or a dangling link."""
    if path.exists():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("/dev/zero" if kind == "device" else "nowhere")


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    return run(ONE, tmp_path_factory.mktemp("runs") / "run").folder


@pytest.mark.timeout(60)
@pytest.mark.parametrize("kind", ["pipe", "folder", "device"])
@pytest.mark.parametrize(
    "name", [".lock", "experiment.toml", "identity.json", "games.parquet", "result.json", "SHA256SUMS"]
)
def test_special_file_in_place_of_a_file_is_refused_without_blocking(finished, tmp_path, name, kind):
    folder = tmp_path / "run"
    shutil.copytree(finished, folder)
    odd(folder / name, kind)
    before = (folder / name).lstat()
    with pytest.raises((BadInput, OSError)) as refused:
        runs.read_run(folder) if name != ".lock" else runs.run_shard(replace(ONE, seed=4), folder, 1, 1)
    assert str(folder) in str(refused.value)
    with pytest.raises((BadInput, OSError)):
        run(replace(ONE, duplicates=2), folder)
    assert (folder / name).lstat() == before, "it stays as it is"


@pytest.mark.timeout(60)
@pytest.mark.parametrize("kind", ["pipe", "folder", "device", "dangling"])
def test_special_file_among_the_parts_is_skipped(tmp_path, kind, capsys):
    begin(ONE, tmp_path / "run")
    (tmp_path / "run" / PARTS).mkdir()
    odd(tmp_path / "run" / PARTS / "000000-000000000-000000001.abc.parquet", kind)
    assert begin(ONE, tmp_path / "run") == []
    assert "is not a file; it is skipped." in capsys.readouterr().err
