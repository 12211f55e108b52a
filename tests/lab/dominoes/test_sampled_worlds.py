"""Effects of inference and recursion in PIMC, in small."""

import json
from itertools import combinations

from bolicho.agents.search.pimc import INFERENCES
from bolicho.lab.dominoes import sampled_worlds
from bolicho.lab.dominoes.sampled_worlds import RECURSIVE
from bolicho.lab.study import run_study


def test_inferences_play_each_other_and_recursive_pimc_plays_pimc_and_the_rule(tmp_path, monkeypatch):
    monkeypatch.setattr(sampled_worlds, "QUICK_DEALS", 2)
    run_study("dominoes-inference", out=tmp_path, jobs=1)
    tables = json.loads((tmp_path / "findings.json").read_text())["tables"]
    assert [table["title"] for table in tables] == [
        f"{what}: {game}" for what in ("Inference", "Recursion") for game in ("draw dominoes", "all fives")
    ]
    players = [*(f"pimc, {inference}" for inference in reversed(INFERENCES)), "rule"]
    for table in tables[:2]:
        assert [(row[0], row[1]) for row in table["rows"]] == list(combinations(players, 2))
        assert all(row[2]["low"] <= row[2]["value"] <= row[2]["high"] for row in table["rows"])
    for table in tables[2:]:
        assert [(row[0], row[1]) for row in table["rows"]] == list(combinations((RECURSIVE, "pimc, all", "rule"), 2))
