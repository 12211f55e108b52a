"""Help for dominoes at the table: predictions equal what happens, and refusals give reasons."""

import re

import numpy as np
import pytest

import bolicho
from bolicho.games.dominoes.action_help import action_help, refusal
from bolicho.i18n import catalogue

ENGLISH = catalogue("en")

SIDES = {"left end": "l", "right end": "r", "upper arm": "u", "lower arm": "d"}


def check_prediction(table, action, sentence):
    """Check a predicted effect against what happens, and return its kinds."""
    before, tried = len(table.log), table.copy()
    tried.play(action)
    entries, ends = tried.log[before:], tried.result()["ends"]
    if match := re.match(r"goes to the (.*?), which is then a (\d+)", sentence):
        assert ends[SIDES[match[1]]] == int(match[2])
    else:
        high, low = re.match(r"opens the line with ends (\d+) and (\d+)", sentence).groups()
        assert action == f"{high}-{low}" and {ends["l"], ends["r"]} == {int(high), int(low)}
    scored = next((entry["points"] for entry in entries if entry["event"] == "points"), 0)
    assert scored == int((re.search(r"scores (\d+)", sentence) or [0, 0])[1])
    out = any(entry["event"] == "won" and not entry["blocked"] for entry in entries)
    assert out == ("you are out" in sentence)
    return {name for name, true in (("score", scored), ("out", out)) if true}


@pytest.mark.parametrize("name", ["dominoes", "fives"])
def test_help_predicts_the_effect_of_every_legal_tile(name):
    rng = np.random.default_rng(1)
    seen = set()
    for seed in range(12):
        table = bolicho.game(name).deal(seed)
        while not table.over:
            said = [(heading, ENGLISH.say(remark)) for heading, remark in action_help(table.view()) if heading]
            assert [heading for heading, _ in said] == list(table.legal)
            for action, sentence in said:
                seen |= check_prediction(table, action, sentence)
            table.play(table.legal[int(rng.integers(len(table.legal)))])
    assert seen == ({"score", "out"} if name == "fives" else {"out"})


def test_help_begins_with_the_rules_in_force():
    table = bolicho.game("fives", opens="double").deal(7)
    lead = str(table.legal[0])
    lines = [ENGLISH.say(remark) for heading, remark in action_help(table.view()) if not heading]
    assert f"must open with {lead}" in lines[0] and any("multiple of 5" in line for line in lines)
    table.play(lead)
    lines = [ENGLISH.say(remark) for heading, remark in action_help(table.view()) if not heading]
    assert "matches an open end" in lines[0] and f"({table.view().boneyard} tiles)" in lines[1]


def test_refusal_gives_the_reason():
    table = bolicho.game("dominoes").setup(first=0, hands=[["6-4", "3-3"], ["4-1", "2-2"]], boneyard=["5-5"])
    table.play("6-4")
    assert "fits no open side" in ENGLISH.say(refusal(table.view(), "2-2"))
    assert "high half first: 4-1" in ENGLISH.say(refusal(table.view(), "1-4"))
    assert "forced" in ENGLISH.say(refusal(table.view(), "DRAW"))
