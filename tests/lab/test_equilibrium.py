"""Study of Truco near equilibrium, run as a whole."""

import json

import pytest

from bolicho.agents.cfr.truco.response import KINDS
from bolicho.lab.study import run_study


@pytest.mark.nightly
def test_quick_study_reports_the_distance_of_agents_from_equilibrium(tmp_path):
    page = run_study("truco-equilibrium", jobs=1, out=tmp_path)
    found = {table["title"]: table["rows"] for table in json.loads((tmp_path / "findings.json").read_text())["tables"]}
    wins = {row[0]: row[1]["value"] for row in found["What a best response wins"]}
    assert 0 < wins["cfr"] < wins["balanced"]
    leaks = {row[0]: row[1]["value"] for row in found["Where cfr leaks"]}
    assert set(leaks) == {*KINDS, "everywhere"}
    assert max(leaks[kind] for kind in KINDS) <= leaks["everywhere"] + 1e-9
    assert "bolicho lab run truco-equilibrium --quick --seed 1" in page.read_text()
