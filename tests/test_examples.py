"""The examples run, and do what they say in a small form."""

import csv
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"


def test_who_learns_by_playing_itself_beats_random(tmp_path):
    curve = tmp_path / "curve.csv"
    command = [EXAMPLES / "selfplay.py", "dominoes", "--minutes", "0.5", "--games", "600", "--curve", curve]
    subprocess.run([sys.executable, *map(str, command)], check=True, capture_output=True)
    rows = list(csv.DictReader(curve.open()))
    assert float(rows[0]["payoff"]) < 2.5, "an untrained net plays at random"
    assert float(rows[-1]["payoff"]) > 3
