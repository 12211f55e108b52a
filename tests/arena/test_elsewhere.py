"""Shards into one folder, and workers of a cluster, with the bytes of one process."""

import subprocess
import sys
import threading
import warnings
from dataclasses import replace

import pytest

import bolicho.arena.cluster as clusters
import bolicho.arena.run as runs
from bolicho import BadInput
from bolicho.arena.experiment import Experiment
from bolicho.arena.run import run, run_shard
from bolicho.arena.run_lock import lock_shared
from tests.arena.players import HOME
from tests.test_cli import BOLICHO, ENVIRONMENT

SMALL = Experiment("truco", ["random", "novice", "balanced"], {"hands": 1}, duplicates=50, seed=3)
SAME_ALWAYS = ("experiment.toml", "identity.json", "games.parquet", "result.json")


def files(folder):
    return {name: (folder / name).read_bytes() for name in SAME_ALWAYS}


@pytest.fixture(scope="module")
def calm(tmp_path_factory):
    return files(run(SMALL, tmp_path_factory.mktemp("runs") / "calm").folder)


# --- Shards ---------------------------------------------------------------------------------------


def test_shards_one_after_the_other_give_the_bytes_of_one_process(calm, tmp_path):
    folder = tmp_path / "run"
    assert [run_shard(SMALL, folder, number, 3) for number in (2, 3)] == [None, None]
    played = {path.name.partition(".")[0] for path in (folder / "parts").iterdir()}
    last = run_shard(SMALL, folder, 1, 3)
    assert last is not None and last.made["played"] == 0, "the last shard merges the parts"
    assert files(folder) == calm
    assert 0.6 < sum(int(name[-9:]) for name in played) / 150 < 0.7, "two thirds of three pairings of 50 deals"


def test_concurrent_shards_are_merged_by_one_of_them(calm, tmp_path):
    config, folder = tmp_path / "experiment.toml", tmp_path / "run"
    config.write_text(SMALL.to_toml())
    command = [*BOLICHO, "tournament", "--config", str(config), "--out", str(folder), "--jobs", "1", "--shard"]
    shards = [
        subprocess.Popen([*command, f"{number}/3"], env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
        for number in (1, 2, 3)
    ]
    said = [shard.communicate(timeout=300)[0] for shard in shards]
    assert [shard.returncode for shard in shards] == [0, 0, 0]
    assert sum("the last shard merges all" in text for text in said) in (0, 1, 2)
    assert files(run(SMALL, folder).folder) == calm


def test_whole_run_plays_the_games_of_a_missing_shard(calm, tmp_path):
    run_shard(SMALL, tmp_path / "run", 1, 2)
    finished = run(SMALL, tmp_path / "run")
    assert files(finished.folder) == calm and 0 < finished.made["played"] < SMALL.num_games


def test_repeated_shard_plays_nothing(tmp_path):
    run_shard(SMALL, tmp_path / "run", 1, 2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "play_task", None)  # playing would fail
        assert run_shard(SMALL, tmp_path / "run", 1, 2) is None


def test_whole_run_and_shards_exclude_each_other(tmp_path):
    folder = tmp_path / "run"
    with lock_shared(folder), pytest.raises(BadInput, match="another run is at work"):
        run(SMALL, folder)
    with runs.lock_exclusively(folder), pytest.raises(BadInput, match="a whole run is at work"):
        run_shard(SMALL, folder, 1, 2)


def test_invalid_shards_are_refused(tmp_path):
    for number, count in ((0, 3), (4, 3), (1, 0), (1, 10**6)):
        with pytest.raises(BadInput, match="a shard is K/N"):
            run_shard(SMALL, tmp_path / "run", number, count)
    with pytest.raises(BadInput, match="shards need a common seed"):
        run_shard(Experiment("truco", ["random", f"{HOME}:First"]), tmp_path / "run", 1, 2)
    few = run(replace(SMALL, duplicates=2), tmp_path / "few").folder
    with pytest.raises(BadInput, match="more of them are played without --shard"):
        run_shard(SMALL, few, 1, 2)


# --- Cluster --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cluster():
    """Dask cluster of two worker processes on the loopback interface."""
    distributed = pytest.importorskip("distributed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=None,
            worker_dashboard_address=None,
            silence_logs=50,
        ) as made:
            assert made.scheduler_address.startswith("tcp://127.0.0.1:")
            yield made


def test_workers_of_a_cluster_give_the_bytes_of_one_process(cluster, calm, tmp_path):
    assert files(run(SMALL, tmp_path / "run", cluster=cluster.scheduler_address).folder) == calm


def test_killed_worker_does_not_change_the_result(cluster, tmp_path):
    """Worker that kills itself with signal 9 in the middle of a game."""
    lives = tmp_path / "lives"
    lives.write_text("x")
    killer = f"{HOME}:KillsItsProcess(lives={tmp_path})"
    experiment = Experiment("truco", ["random", killer], {"hands": 1}, duplicates=6, seed=0, trust=True)
    disturbed = run(experiment, tmp_path / "disturbed", cluster=cluster.scheduler_address)
    assert lives.read_text() == ""
    assert files(disturbed.folder) == files(run(experiment, tmp_path / "calm").folder)
    assert disturbed.result["num_forfeits"] == 0


def test_workers_with_other_code_do_not_play(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr("bolicho.arena.identity.digest", lambda found: "another")
    with pytest.raises(BadInput, match="has other code or files than this machine"):
        run(SMALL, tmp_path / "run", cluster=cluster.scheduler_address)


def test_missing_scheduler_is_reported(tmp_path):
    with pytest.raises(BadInput, match="there is no Dask scheduler at tcp://127"):
        run(SMALL, tmp_path / "run", cluster="tcp://127.0.0.1:9")


def test_missing_package_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(BadInput, match=r"pip install 'bolicho\[cluster\]'"):
        run(SMALL, tmp_path / "run", cluster="tcp://127.0.0.1:9")


MINE = """
from bolicho import Agent
from cluster_pack.taste import favourite

class Mine(Agent):
    def act(self, view, rng):
        return view.legal[favourite(len(view.legal))]
"""
HERS = "from bolicho import Agent\n\nclass Hers(Agent):\n    def act(self, view, rng):\n        return view.legal[0]\n"


@pytest.fixture
def authors(tmp_path, monkeypatch):
    """Folder with modules of an author, which only this process can import."""
    folder = tmp_path / "code"
    (folder / "cluster_pack").mkdir(parents=True)
    (folder / "cluster_mine.py").write_text(MINE)
    (folder / "cluster_hers.py").write_text(HERS)
    (folder / "cluster_pack" / "__init__.py").write_text("")
    (folder / "cluster_pack" / "taste.py").write_text("def favourite(n):\n    return 0\n")
    monkeypatch.syspath_prepend(folder)
    yield folder
    for name in ("cluster_mine", "cluster_hers", "cluster_pack", "cluster_pack.taste"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("trust", [False, True])
def test_modules_of_authors_are_sent_to_the_workers(cluster, authors, tmp_path, trust):
    agents = ["cluster_hers:Hers", "cluster_mine:Mine"]
    experiment = Experiment("truco", agents, {"hands": 1}, duplicates=2, seed=0, trust=trust)
    finished = run(experiment, tmp_path / "run", cluster=cluster.scheduler_address)
    assert finished.result["num_forfeits"] == 0
    assert files(finished.folder) == files(run(experiment, tmp_path / "here").folder)


def test_workers_play_the_last_version_sent_and_keep_no_module(cluster, authors, tmp_path):
    experiment = Experiment("truco", ["random", "cluster_mine:Mine"], {"hands": 1}, duplicates=2, seed=0)
    first = run(experiment, tmp_path / "first", cluster=cluster.scheduler_address)
    (authors / "cluster_pack" / "taste.py").write_text("def favourite(n):\n    return n - 1\n")
    second = run(experiment, tmp_path / "second", cluster=cluster.scheduler_address)
    assert first.result["agents"] != second.result["agents"]
    with cluster.get_client() as client:
        found = client.run(lambda: __import__("importlib.util").util.find_spec("cluster_mine"))
    assert set(found.values()) == {None}


def test_cluster_without_workers_is_reported(tmp_path, capfd, monkeypatch):
    """Message with advice after some seconds; the run waits and continues when a worker connects."""
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(clusters, "LOOK_EVERY", 0.05)
    monkeypatch.setattr(clusters, "NO_WORKERS_AFTER", 0.2)
    options = {"n_workers": 0, "threads_per_worker": 1, "host": "127.0.0.1", "silence_logs": 50}
    with distributed.LocalCluster(**options, processes=False, protocol="tcp", dashboard_address=None) as made:
        address = made.scheduler_address
        told = []

        def bring_workers():
            while "0 workers" not in "".join(told):
                told.append(capfd.readouterr().err)
            made.scale(1)

        helper = threading.Thread(target=bring_workers)
        helper.start()
        few = replace(SMALL, duplicates=1)
        finished = run(few, tmp_path / "run", cluster=address)
        helper.join()
    sentence = f"The Dask scheduler at {address} has 0 workers; the run waits for one."
    assert sentence in "".join(told) and f"dask worker {address} --nthreads 1" in "".join(told)
    assert "".join(told).count("0 workers") == 1 and finished.made["played"] == few.num_games
