"""Progress of an unfinished run: standings computed from its complete parts."""

import shutil

import pytest

from bolicho.arena import progress as room
from bolicho.arena import run as runs
from bolicho.arena.experiment import Experiment
from bolicho.arena.progress import RunProgress
from bolicho.arena.run_lock import LOCK, at_work, lock_exclusively

EXPERIMENT = Experiment("truco", ["random", "novice", "balanced"], {"hands": 1}, duplicates=30)
ONE_PAIRING = 60  # games


@pytest.fixture(scope="module")
def grown(tmp_path_factory):
    """Finished run, and a copy of its folder right before the merge of its parts."""
    folder, before = tmp_path_factory.mktemp("run") / "it", tmp_path_factory.mktemp("before") / "it"
    merge = runs.merge_parts

    def copy_and_merge(database, parts, place, experiment):
        shutil.copytree(place, before)
        merge(database, parts, place, experiment)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "merge_parts", copy_and_merge)
        return runs.run(EXPERIMENT, folder), before


def without(folder, place, keep):
    """Return the progress of the same run with fewer parts."""
    shutil.copytree(folder, place)
    for path in (place / "parts").glob("*.parquet"):
        if not keep(path.name):
            path.unlink()
    return RunProgress(place)


def plain(result):
    """Return the standings without the traits of agents."""
    return [{k: v for k, v in row.items() if k not in ("oracle", "learns", "built_in")} for row in result["agents"]]


def test_standings_of_all_parts_equal_the_result(grown):
    run, before = grown
    growing = RunProgress(before)
    assert growing.read_new_parts() == EXPERIMENT.num_games == growing.played
    assert growing.table()["agents"] == plain(run.result)
    for name in ("ranked_by", "games", "pairs", "num_forfeits"):
        assert growing.table()[name] == run.result[name]


def test_finished_pairing_has_its_final_figures_and_the_others_have_none(grown, tmp_path):
    run, before = grown
    growing = without(before, tmp_path / "some", lambda name: name.startswith("000001"))  # random and balanced
    assert growing.read_new_parts() == ONE_PAIRING
    table = growing.table()
    assert table["pairs"][1] == run.result["pairs"][1]
    assert [pair["rate"]["value"] is None for pair in table["pairs"]] == [True, False, True]
    assert [pair["games"] for pair in table["pairs"]] == [0, ONE_PAIRING, 0]
    found = {row["agent"]: row for row in table["agents"]}
    assert found["novice"]["games"] == 0 and found["random"]["games"] == ONE_PAIRING
    assert all(row["rate"]["value"] is None for row in found.values())  # no agent has met all others
    rated = {name: row["rating"]["value"] for name, row in found.items()}
    assert rated["balanced"] > rated["novice"] > rated["random"]
    assert [row["agent"] for row in table["agents"]] == ["balanced", "random", "novice"]  # without games the last


def test_figures_of_some_deals_equal_those_of_a_run_of_these_deals(grown, tmp_path):
    _, before = grown
    first = min(path.name for path in (before / "parts").iterdir())
    growing = without(before, tmp_path / "first", lambda name: name == first)
    games = growing.read_new_parts()
    short = runs.run(
        Experiment("truco", EXPERIMENT.agents, EXPERIMENT.rules, duplicates=games // 2), tmp_path / "short"
    )
    assert 0 < games < ONE_PAIRING and growing.table()["pairs"][0] == short.result["pairs"][0]


def test_new_parts_are_added_and_damaged_ones_are_ignored(grown, tmp_path):
    _, before = grown
    growing = without(before, tmp_path / "it", lambda name: name.startswith("000000"))
    growing.read_new_parts()
    assert growing.table()["pairs"][2]["games"] == 0
    come = sorted((before / "parts").glob("000002*"))
    for path in come:
        shutil.copy(path, tmp_path / "it" / "parts")
    spoilt = tmp_path / "it" / "parts" / come[0].name
    spoilt.write_bytes(spoilt.read_bytes()[:-1] + b"x")
    assert growing.read_new_parts() == 2 * ONE_PAIRING - _games_of(come[0])
    assert spoilt.exists()  # reading the progress deletes nothing
    shutil.copy(come[0], spoilt)
    assert growing.read_new_parts() == 2 * ONE_PAIRING
    assert growing.table()["pairs"][2]["games"] == ONE_PAIRING


def _games_of(path):
    from bolicho.arena.rows import count_games

    return count_games([path])


def test_progress_of_a_large_run_has_only_the_number_of_games(grown, monkeypatch):
    _, before = grown
    monkeypatch.setattr(room, "MOST_WATCHED", 10)
    growing = RunProgress(before)
    assert growing.read_new_parts() == EXPERIMENT.num_games and growing.table() is None


def test_check_for_a_running_process_does_not_take_its_lock(tmp_path):
    assert not at_work(tmp_path)
    with lock_exclusively(tmp_path):
        assert at_work(tmp_path)
        assert at_work(tmp_path)
    assert not at_work(tmp_path)
    (tmp_path / LOCK).write_text("1\n")  # the number of a process, without a lock
    assert not at_work(tmp_path)
