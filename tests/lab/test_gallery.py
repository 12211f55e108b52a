"""Gallery of opponents: output of the study, and the shipped file."""

import json
from pathlib import Path

import pytest

from bolicho import __version__
from bolicho.agents.registry import find
from bolicho.games import BUILT_IN
from bolicho.lab import gallery
from bolicho.lab.study import run_study

SHIPPED = json.loads(Path(gallery.__file__).with_name(gallery.FILE).read_text())


def check(game, rows):
    """Check the rows of a game, which the pages rely on."""
    assert sorted(row["agent"] for row in rows) == sorted(gallery.rated(game))
    assert [row["won"] for row in rows] == sorted((row["won"] for row in rows), reverse=True)
    assert sum(row["rating"] for row in rows) / len(rows) == pytest.approx(1500, abs=1)
    for row in rows:
        low, high = row["interval"]
        assert low <= row["rating"] <= high and 0 <= row["won"] <= 1


def test_a_study_writes_the_gallery_beside_its_report(tmp_path, monkeypatch):
    monkeypatch.setattr(gallery, "BUILT_IN", ("dominoes",))
    quick = [name for name in gallery.rated("dominoes") if name not in ("mcts", "infer", "pimc-search", "pimc")]
    monkeypatch.setattr(gallery, "rated", lambda game: quick)
    page = run_study("gallery", seed=4, jobs=1, out=tmp_path)
    written = json.loads((tmp_path / gallery.FILE).read_text())
    assert written["command"] == "bolicho lab run gallery --quick --seed 4" and written["command"] in page.read_text()
    assert (written["seed"], written["version"], list(written["games"])) == (4, __version__, ["dominoes"])
    rows = written["games"]["dominoes"]
    check("dominoes", rows)
    assert [row["agent"] for row in rows][-1] == "random"
    assert {row["games"] for row in rows} == {(len(rows) - 1) * gallery.QUICK * 2}  # the others, deals, seats


@pytest.mark.parametrize("game", BUILT_IN)
def test_shipped_gallery_rates_all_agents_that_answer_quickly(game):
    assert SHIPPED["command"] == "bolicho lab run gallery --full --seed 1" and SHIPPED["seed"] == 1
    rows = SHIPPED["games"][game]
    check(game, rows)
    assert all(row["games"] >= 1000 for row in rows)


@pytest.mark.parametrize("game", BUILT_IN)
def test_oracles_are_not_rated(game):
    assert not any(find(name, game).oracle for name in gallery.rated(game))
    assert "human" not in gallery.rated(game) and "random" in gallery.rated(game)
