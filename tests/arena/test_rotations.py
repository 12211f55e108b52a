"""Isolation of memory outside an agent's object between rotations and pairings of a deal."""

import os
import subprocess
from dataclasses import replace
from functools import cache

import pytest

from bolicho.agents.registry import Traits
from bolicho.arena import subprocess_agent
from bolicho.arena.experiment import Experiment
from bolicho.arena.match import elo_bounds, play_match
from bolicho.arena.pairing import Task, tasks
from bolicho.arena.run import play_task, run, run_shard
from bolicho.arena.seeds import shuffled
from bolicho.arena.subprocess_agent import process
from tests.arena.peeking import HOME, MEMORIES, SEED
from tests.arena.test_leaving import wait_until
from tests.arena.test_run import ROOT, program, rows

HAND = {"hands": 1}
BUILT_IN = Traits(oracle=False, learns=False, built_in=True)
EXTERNAL = Traits(oracle=False, learns=False, built_in=False)
LEARNER = Traits(oracle=False, learns=True, built_in=False)


def peeks(memory, kind="Peeks"):
    return f"{HOME}:{kind}(memory={memory})"


def played(experiment, found, work):
    """Return the actions of every game, played task after task as by one worker."""
    actions = {}
    for task in work:
        for row in play_task(experiment, task, found)[1]:
            actions[row["pairing"], row["deal"], row["rotation"]] = list(row["actions"])
            assert row["reason"] is None, row["reason"]
    return actions


def without_memory(experiment, found, work):
    """Return the actions of the same games by agents without memory, in this process."""
    agents = [spec.replace(f"memory={name}", "memory=none") for spec in experiment.agents for name in [_memory(spec)]]
    return played(replace(experiment, agents=agents, trust=True), found, work)


def _memory(spec):
    return spec.partition("memory=")[2].rstrip(")") or "-"


@pytest.fixture(autouse=True)
def _end_processes():
    yield
    subprocess_agent.end_all()


@pytest.mark.parametrize("memory", MEMORIES)
def test_memory_outside_the_object_does_not_reach_the_mirrored_game(memory):
    experiment = Experiment("truco", ["random", peeks(memory)], HAND, duplicates=6, seed=SEED)
    found, work = [BUILT_IN, EXTERNAL], [Task(0, 0, 4), Task(0, 4, 2)]
    assert played(experiment, found, work) == without_memory(experiment, found, work)
    assert len(process._processes) == 2, "a process for each rotation, and not for each task"


def test_memory_reaches_the_mirrored_game_without_separate_processes():
    """Success of the attack without isolation, which shows that the other tests can fail."""
    experiment = Experiment("truco", ["random", peeks("module")], HAND, duplicates=6, seed=SEED, trust=True)
    found, work = [BUILT_IN, EXTERNAL], [Task(0, 0, 6)]
    assert played(experiment, found, work) != without_memory(experiment, found, work)


def test_memory_outside_the_object_does_not_reach_another_pairing():
    """Pairings in which the agent plays the deals of the first one from the other seat, and from the same seat."""
    agents = ["random", peeks("module"), "novice"]
    experiment = Experiment("truco", agents, HAND, duplicates=4, seed=SEED)
    found, work = [BUILT_IN, EXTERNAL, BUILT_IN], tasks(3, 4, wanted=6)
    assert played(experiment, found, work) == without_memory(experiment, found, work)
    assert len(process._processes) == 4


def test_every_seat_and_rotation_of_a_game_of_three_has_its_own_process():
    """Pairing in which one agent has two of the three seats."""
    experiment = Experiment("wonders", ["random", peeks("module")], duplicates=1, seed=SEED)
    found, work = [BUILT_IN, EXTERNAL], [Task(1, 0, 1)]
    assert played(experiment, found, work) == without_memory(experiment, found, work)
    assert len(process._processes) == 6


def test_memory_of_a_learning_agent_does_not_reach_the_other_rotation():
    experiment = Experiment("truco", ["random", peeks("module", "PeeksAndLearns")], HAND, duplicates=4, seed=SEED)
    found, work = [BUILT_IN, LEARNER], [Task(0, 0, 4)]
    assert played(experiment, found, work) == without_memory(experiment, found, work)


def by_place(games):
    return {(game["pairing"], game["deal"], game["rotation"]): game["actions"] for game in games}


def test_reused_processes_never_play_a_deal_twice_in_shards_extensions_and_matches(tmp_path, monkeypatch):
    """Processes that play for one run after the other, as in workers of a pool or a cluster."""
    monkeypatch.setattr(subprocess_agent, "describe", cache(subprocess_agent.describe))
    end_all = subprocess_agent.end_all
    monkeypatch.setattr(subprocess_agent, "end_all", lambda: None)
    short = Experiment("truco", ["random", peeks("module")], HAND, duplicates=3, seed=SEED)
    longer = replace(short, duplicates=64)
    honest = Experiment("truco", ["random", peeks("none")], HAND, duplicates=64, seed=SEED, trust=True)
    wanted = by_place(rows(run(honest, tmp_path / "honest")))
    try:
        for number in (1, 2):
            run_shard(longer, tmp_path / "shards", number, 2)
        assert by_place(rows(run(longer, tmp_path / "shards"))) == wanted
        run(short, tmp_path / "longer")
        assert by_place(rows(run(longer, tmp_path / "longer"))) == wanted
        answers = [
            play_match(experiment, elo_bounds(0, 40, 0.05, 0.05), out=tmp_path / name)
            for name, experiment in (("match", longer), ("honest match", honest))
        ]
        told = [{name: answer[name] for name in ("pairs", "counts", "llr", "forfeits")} for answer in answers]
        assert told[0] == told[1]
    finally:
        end_all()


def test_processes_of_a_resumed_run_with_workers_never_play_a_deal_twice(tmp_path):
    experiment = Experiment(
        "truco", ["random", f"{HOME}:Peeks(memory=module, nap=0.02)"], HAND, duplicates=64, seed=SEED
    )
    process = subprocess.Popen(
        program(experiment, tmp_path / "run", jobs=2),
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},
        start_new_session=True,
    )
    wait_until(lambda: list((tmp_path / "run").glob("parts/*.parquet")) or process.poll() is not None)
    process.kill()
    process.wait()
    finished = run(experiment, tmp_path / "run", jobs=2)
    assert 0 < finished.made["played"] < experiment.num_games
    honest = Experiment("truco", ["random", peeks("none")], HAND, duplicates=64, seed=SEED, trust=True)
    assert by_place(rows(finished)) == by_place(rows(run(honest, tmp_path / "honest")))


def test_rotations_play_the_deals_in_different_orders():
    """Orders in which a bot that counts its games cannot find the mirrored one by its number."""
    orders = [shuffled(range(100), SEED, rotation) for rotation in range(3)]
    assert all(sorted(order) == list(range(100)) for order in orders)
    for one, other in ((0, 1), (0, 2), (1, 2)):
        assert sum(a == b for a, b in zip(orders[one], orders[other], strict=True)) < 10
