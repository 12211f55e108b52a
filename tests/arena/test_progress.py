"""A run under way: its table is made by the same code as the last one, of the parts that are whole."""

import shutil

import pytest

from bolicho.arena import progress as room
from bolicho.arena import run as runs
from bolicho.arena.experiment import Experiment
from bolicho.arena.progress import RunProgress
from bolicho.arena.run_lock import LOCK, alone, at_work

EXPERIMENT = Experiment("truco", ["random", "novice", "balanced"], {"hands": 1}, duplicates=30)
ONE_PAIRING = 60  # games


@pytest.fixture(scope="module")
def grown(tmp_path_factory):
    """A finished run, and a folder as it was right before the parts were put together."""
    folder, before = tmp_path_factory.mktemp("run") / "it", tmp_path_factory.mktemp("before") / "it"
    merge = runs.merge_parts

    def copy_and_merge(database, parts, place, experiment):
        shutil.copytree(place, before)
        merge(database, parts, place, experiment)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "merge_parts", copy_and_merge)
        return runs.run(EXPERIMENT, folder), before


def without(folder, place, keep):
    """The same run with fewer parts."""
    shutil.copytree(folder, place)
    for path in (place / "parts").glob("*.parquet"):
        if not keep(path.name):
            path.unlink()
    return RunProgress(place)


def plain(result):
    """Standings without what is known of agents beforehand."""
    return [{k: v for k, v in row.items() if k not in ("oracle", "learns", "house")} for row in result["agents"]]


def test_with_all_parts_the_table_so_far_is_the_result(grown):
    run, before = grown
    growing = RunProgress(before)
    assert growing.look() == EXPERIMENT.num_games == growing.played
    assert growing.table()["agents"] == plain(run.result)
    for name in ("ranked_by", "games", "pairs", "num_forfeits"):
        assert growing.table()[name] == run.result[name]


def test_a_pairing_that_is_done_stands_as_at_the_end_and_the_others_wait(grown, tmp_path):
    run, before = grown
    growing = without(before, tmp_path / "some", lambda name: name.startswith("000001"))  # random and balanced
    assert growing.look() == ONE_PAIRING
    table = growing.table()
    assert table["pairs"][1] == run.result["pairs"][1]
    assert [pair["rate"]["value"] is None for pair in table["pairs"]] == [True, False, True]
    assert [pair["games"] for pair in table["pairs"]] == [0, ONE_PAIRING, 0]
    found = {row["agent"]: row for row in table["agents"]}
    assert found["novice"]["games"] == 0 and found["random"]["games"] == ONE_PAIRING
    assert all(row["rate"]["value"] is None for row in found.values())  # nobody has met everybody
    rated = {name: row["rating"]["value"] for name, row in found.items()}
    assert [row["agent"] for row in table["agents"]] == sorted(rated, key=rated.get, reverse=True)
    assert rated["balanced"] > rated["novice"] > rated["random"]


def test_some_deals_are_told_as_a_run_of_those_deals_would_be(grown, tmp_path):
    _, before = grown
    first = min(path.name for path in (before / "parts").iterdir())
    growing = without(before, tmp_path / "first", lambda name: name == first)
    games = growing.look()
    short = runs.run(
        Experiment("truco", EXPERIMENT.agents, EXPERIMENT.rules, duplicates=games // 2), tmp_path / "short"
    )
    assert 0 < games < ONE_PAIRING and growing.table()["pairs"][0] == short.result["pairs"][0]


def test_parts_that_come_are_added_and_spoilt_ones_are_not_taken(grown, tmp_path):
    _, before = grown
    growing = without(before, tmp_path / "it", lambda name: name.startswith("000000"))
    growing.look()
    assert growing.table()["pairs"][2]["games"] == 0
    come = sorted((before / "parts").glob("000002*"))
    for path in come:
        shutil.copy(path, tmp_path / "it" / "parts")
    spoilt = tmp_path / "it" / "parts" / come[0].name
    spoilt.write_bytes(spoilt.read_bytes()[:-1] + b"x")
    assert growing.look() == 2 * ONE_PAIRING - _games_of(come[0])
    assert spoilt.exists()  # who looks touches nothing
    shutil.copy(come[0], spoilt)
    assert growing.look() == 2 * ONE_PAIRING
    assert growing.table()["pairs"][2]["games"] == ONE_PAIRING


def _games_of(path):
    from bolicho.arena.rows import count_games

    return count_games([path])


def test_of_a_run_too_large_to_watch_the_number_is_told(grown, monkeypatch):
    _, before = grown
    monkeypatch.setattr(room, "MOST_WATCHED", 10)
    growing = RunProgress(before)
    assert growing.look() == EXPERIMENT.num_games and growing.table() is None


def test_who_is_at_work_is_seen_and_not_disturbed(tmp_path):
    assert not at_work(tmp_path)
    with alone(tmp_path):
        assert at_work(tmp_path)
        assert at_work(tmp_path)
    assert not at_work(tmp_path)
    (tmp_path / LOCK).write_text("1\n")  # somebody's process, and no lock
    assert not at_work(tmp_path)
