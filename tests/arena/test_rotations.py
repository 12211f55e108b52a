"""Memory outside an agent's object does not reach another rotation of a deal, nor the same deal in another pairing."""

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
    """The actions of every game, played as one worker plays them, task after task."""
    actions = {}
    for task in work:
        for row in play_task(experiment, task, found)[1]:
            actions[row["pairing"], row["deal"], row["rotation"]] = list(row["actions"])
            assert row["reason"] is None, row["reason"]
    return actions


def forgetful(experiment, found, work):
    """The same games with agents that have no memory, in this process."""
    agents = [spec.replace(f"memory={name}", "memory=none") for spec in experiment.agents for name in [_memory(spec)]]
    return played(replace(experiment, agents=agents, trust=True), found, work)


def _memory(spec):
    return spec.partition("memory=")[2].rstrip(")") or "-"


@pytest.fixture(autouse=True)
def _nothing_stays():
    yield
    subprocess_agent.end_all()


@pytest.mark.parametrize("memory", MEMORIES)
def test_memory_outside_the_object_does_not_reach_the_mirrored_game(memory):
    experiment = Experiment("truco", ["random", peeks(memory)], HAND, duplicates=6, seed=SEED)
    found, work = [BUILT_IN, EXTERNAL], [Task(0, 0, 4), Task(0, 4, 2)]
    assert played(experiment, found, work) == forgetful(experiment, found, work)
    assert len(process._processes) == 2, "a process for each rotation, and not for each task"


def test_in_the_playing_process_the_same_memory_knows_the_mirrored_game():
    """The attack works where nothing protects from it, so the other tests can fail."""
    experiment = Experiment("truco", ["random", peeks("module")], HAND, duplicates=6, seed=SEED, trust=True)
    found, work = [BUILT_IN, EXTERNAL], [Task(0, 0, 6)]
    assert played(experiment, found, work) != forgetful(experiment, found, work)


def test_memory_outside_the_object_does_not_reach_another_pairing():
    """In the second pairing the agent sits in the other seat, and then in the same seat, of deals it has played."""
    agents = ["random", peeks("module"), "novice"]
    experiment = Experiment("truco", agents, HAND, duplicates=4, seed=SEED)
    found, work = [BUILT_IN, EXTERNAL, BUILT_IN], tasks(3, 4, wanted=6)
    assert played(experiment, found, work) == forgetful(experiment, found, work)
    assert len(process._processes) == 4


def test_at_three_seats_every_place_and_rotation_has_a_process_that_has_not_seen_the_deal():
    """Two of the three seats are the same agent's."""
    experiment = Experiment("wonders", ["random", peeks("module")], duplicates=1, seed=SEED)
    found, work = [BUILT_IN, EXTERNAL], [Task(1, 0, 1)]
    assert played(experiment, found, work) == forgetful(experiment, found, work)
    assert len(process._processes) == 6


def test_an_agent_that_learns_does_not_remember_the_other_rotation_outside_its_object():
    experiment = Experiment("truco", ["random", peeks("module", "PeeksAndLearns")], HAND, duplicates=4, seed=SEED)
    found, work = [BUILT_IN, LEARNER], [Task(0, 0, 4)]
    assert played(experiment, found, work) == forgetful(experiment, found, work)


def by_place(games):
    return {(game["pairing"], game["deal"], game["rotation"]): game["actions"] for game in games}


def test_processes_that_live_on_meet_no_deal_again_in_shards_longer_runs_and_matches(tmp_path, monkeypatch):
    """As in the workers of a pool or a cluster, where a process plays for one run after the other."""
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


def test_workers_and_a_run_that_goes_on_after_a_kill_meet_no_deal_again(tmp_path):
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


def test_rotations_of_a_deal_have_different_places_in_the_order_of_play():
    """A bot at an address that counts its games does not find the mirrored one by its number."""
    orders = [shuffled(range(100), SEED, rotation) for rotation in range(3)]
    assert all(sorted(order) == list(range(100)) for order in orders)
    for one, other in ((0, 1), (0, 2), (1, 2)):
        assert sum(a == b for a, b in zip(orders[one], orders[other], strict=True)) < 10
