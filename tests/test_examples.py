"""Examples, run in small."""

import csv
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


def run(*command):
    return subprocess.run([sys.executable, *map(str, command)], check=True, capture_output=True, text=True).stdout


def test_self_play_draws_its_curve(tmp_path):
    curve, picture = tmp_path / "dominoes.csv", tmp_path / "curves.svg"
    told = run(EXAMPLES / "selfplay.py", "dominoes", "--minutes", "0.05", "--games", "200", "--curve", curve)
    assert len(list(csv.DictReader(curve.open()))) == len(told.splitlines()) == 2, "at the start, at the end"
    run(EXAMPLES / "curves.py", picture, curve)
    assert "dominoes" in picture.read_text() and "won against random" in picture.read_text()


@pytest.mark.nightly
def test_self_play_learner_beats_random(tmp_path):
    curve = tmp_path / "dominoes.csv"
    told = run(EXAMPLES / "selfplay.py", "dominoes", "--minutes", "0.5", "--games", "600", "--curve", curve)
    rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(curve.open())]
    assert len(rows) == len(told.splitlines()) == 3, "rows: at the start, after twenty seconds, at the end"
    assert rows[0]["low"] < 0.58, "an untrained net plays nearly at random"
    assert rows[-1]["low"] > 0.5
    assert (rows[1]["payoff"] + rows[2]["payoff"]) / 2 > 3, "mean of two rows, since single ones fluctuate"


def test_masked_ppo_of_a_known_library_trains_in_the_environment():
    pytest.importorskip("sb3_contrib", reason="sb3-contrib is not installed (extra `test`)")
    told = run(EXAMPLES / "masked_ppo.py", "dominoes", "--steps", "12000", "--rounds", "2", "--deals", "20")
    assert 0.2 < float(re.fullmatch(r"dominoes: won (0\.\d+) \[.*\] against random\n", told)[1]) < 1


def test_self_play_example_has_fewer_than_150_lines():
    assert len((EXAMPLES / "selfplay.py").read_text().splitlines()) < 150
