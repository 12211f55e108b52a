"""Study of language models: measures of known agents, counts of illegal answers, and resuming without a model."""

import json
import math

import numpy as np
import pytest

from bolicho import BadInput
from bolicho.lab import language_models
from bolicho.lab.study import run_study
from tests.agents.llm.scripted import endpoint, plays

WRONG_EVERY = 5


def findings(page):
    tables = json.loads((page.parent / "findings.json").read_text())["tables"]
    return {
        table["title"]: [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]] for table in tables
    }


@pytest.fixture(autouse=True)
def few_deals(monkeypatch):
    monkeypatch.setattr(language_models, "QUICK", 4)


def test_the_strategy_itself_costs_nothing_and_a_scripted_model_is_counted(monkeypatch, tmp_path):
    def script(request):
        sent = len(server.requests)
        return "ACTION: fold" if sent % WRONG_EVERY == 0 and len(request["messages"]) == 2 else plays(request)

    asked = {"agents": ["cfr", "llm(model=m, at_once=1)"], "out": tmp_path / "report", "jobs": 1}
    with endpoint(monkeypatch, script) as server:
        page = run_study("language-models", **asked)
    found = findings(page)
    assert {row["agent"] for row in found["Ranking"]} == set(asked["agents"])
    strategy = [row for row in found["Decisions against cfr"] if row["agent"] == "cfr"]
    assert sum(row["number"] for row in strategy) >= 16
    for row in strategy:
        if row["number"]:
            assert row["on the support"]["value"] == 1 and abs(row["mean cost in points"]["value"]) < 0.15
    (service,) = found["Answers and cost"]
    assert service["illegal"] == service["repaired"] > 0 and service["failed"] == 0
    (model,) = [row for row in found["Ranking"] if row["agent"] != "cfr"]
    assert model["illegal answers"]["value"] == pytest.approx(service["illegal"] / service["decisions"])
    monkeypatch.delenv("BOLICHO_LLM_URL")
    before = (page.parent / "findings.json").read_bytes()
    monkeypatch.setattr(language_models, "_judge", None)  # neither the model nor the judge is asked again
    assert (run_study("language-models", **asked).parent / "findings.json").read_bytes() == before


def test_the_luck_of_a_forfeited_hand_ends_with_the_value_of_the_forfeited_position(monkeypatch, tmp_path):
    """The first answer is unreadable: the luck is then the value of the deal for that seat, opposite for the other."""
    with endpoint(monkeypatch, lambda request: "no"):
        page = run_study("language-models", agents=["llm(model=m)"], out=tmp_path / "report", jobs=1)
    hands = json.loads((page.parent / "work" / "agent-0-cfr" / "judged.json").read_text())["hands"]
    assert all(hand["count"] == [0, 0, 0] for hand in hands) and len(hands) == 8
    assert all(math.isfinite(hand["luck"]) and 0 < abs(hand["luck"]) < 24 for hand in hands)
    (row,) = findings(page)["Ranking"]
    assert row["forfeits"] == 16 and row["points a hand against cfr"]["value"] <= -1


def test_the_study_needs_agents_and_others_take_none(tmp_path):
    with pytest.raises(BadInput, match="needs agents to measure"):
        run_study("language-models", out=tmp_path)
    with pytest.raises(BadInput, match="measures its own agents"):
        run_study("styles", agents=["random"], out=tmp_path)


def test_ranks_are_ranges_where_intervals_overlap():
    def one(name, value, reach):
        estimate = language_models.Estimate(value, value - reach, value + reach)
        return language_models.Measures(name, {}, [], {}, estimate, (1.0, 1.0), None)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(language_models, "_cost", lambda one, kinds: one.controlled)
        patch.setattr(language_models, "_illegal", lambda one: [None, 0])
        rows = language_models._ranking([one("a", 1, 0.1), one("b", 0, 0.4), one("c", -0.2, 0.1)]).rows
    assert [(row[0], row[1]) for row in rows] == [("1", "a"), ("2 to 3", "b"), ("2 to 3", "c")]
    assert np.isfinite(rows[0][2].estimate.value)
