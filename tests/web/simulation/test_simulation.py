"""Seeded faults around the shipped server: every seed passes and replays exactly."""

import json
import os
import subprocess
import sys
from collections import Counter

import pytest

from bolicho.cli import main
from bolicho.web.simulation.faults import RATES
from bolicho.web.simulation.run import simulate, simulate_many

SEEDS = 500
PARTS = 5  # of the seeds, so that several processes can share the work


@pytest.mark.parametrize(
    "part", [pytest.param(part, marks=[pytest.mark.nightly] if part else []) for part in range(PARTS)]
)
def test_five_hundred_seeds_pass(part):
    size = SEEDS // PARTS
    faults, ends = Counter(), Counter()
    for outcome in simulate_many(range(part * size, (part + 1) * size)):
        assert outcome.failure is None, f"bolicho simulate --seed {outcome.seed}: {outcome.failure}"
        faults += outcome.faults
        ends += outcome.ends
    assert set(faults) == set(RATES), "every fault happens"
    assert ends["played"] > size, "most seeds play matches to their end"


@pytest.mark.parametrize("seed", [1013, 1138, 1295, 3840, 5954, 6014])
def test_seeds_that_found_bugs_pass(seed):
    """Views in reverse order; a refusal to a lost connection; an agent not asked; a claim after a set-back clock; a
    view counted as sent although its transaction had failed (3840)."""
    assert simulate(seed).failure is None


def test_a_seed_replays_exactly_in_another_process():
    code = "from bolicho.web.simulation.run import simulate; print([simulate(seed).trace for seed in (3, 4)])"
    here = [simulate(seed).trace for seed in (3, 4)]
    for hash_seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": hash_seed}
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
        assert run.stdout.strip() == str(here)


def test_seeds_differ():
    assert len({simulate(seed, steps=50).trace for seed in range(5)}) == 5


def test_trace_contains_a_line_for_every_event():
    lines = []
    outcome = simulate(1, tell=lines.append)
    assert len(lines) > 50 and any("transaction" in line for line in lines)
    assert outcome.trace == simulate(1).trace


def run(monkeypatch, capfd, *words):
    monkeypatch.setattr(sys, "argv", ["bolicho", "simulate", *words])
    with pytest.raises(SystemExit) as stop:
        main()
    return stop.value.code, capfd.readouterr().out


def test_command_reports_the_number_of_checked_moves(monkeypatch, capfd):
    code, told = run(monkeypatch, capfd, "--seeds", "3", "--first", "7", "--json")
    facts = json.loads(told)
    assert code == 0 and facts["seeds"] == 3 and facts["failed"] == []
    assert facts["moves"] == sum(simulate(seed).moves for seed in (7, 8, 9))


def test_command_names_the_failing_seed_and_its_replay_fails_alike(monkeypatch, capfd):
    monkeypatch.setattr(
        "bolicho.web.transactions.Transaction.deal", lambda transaction, match: None
    )  # cards are never dealt
    code, told = run(monkeypatch, capfd, "--seeds", "1", "--steps", "60")
    assert code == 1 and "replay it with: bolicho simulate --seed 0 --steps 60" in told
    again, traced = run(monkeypatch, capfd, "--seed", "0", "--steps", "60")
    assert again == 1 and told.splitlines()[0] in traced
