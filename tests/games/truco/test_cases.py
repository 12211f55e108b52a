"""The rules of Truco as hand-written games: each line of `cases.jsonl` is a record with its expected result."""

import json
from pathlib import Path
from typing import Any

import pytest

import bolicho
from bolicho.errors import BadInput, IllegalAction
from bolicho.games.game import Table

CASES = [json.loads(line) for line in Path(__file__).with_name("cases.jsonl").read_text("utf-8").splitlines()]
HANDS = [["1e", "3p", "4c"], ["2e", "2p", "5c"]]


def replay(record: dict[str, Any]) -> Table:
    table = bolicho.game(record["game"], **record.get("rules", {})).setup(**record["setup"])
    for action in record["actions"]:
        table.play(action)
    return table


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_rule(case: dict[str, Any]) -> None:
    table = replay(case["record"])
    result = table.result()
    assert {key: result[key] for key in case["expect"]} == case["expect"]
    assert table.record() == case["record"]


def test_every_case_has_its_own_name() -> None:
    assert len({case["name"] for case in CASES}) == len(CASES) >= 60


def test_every_call_is_chosen_in_some_case_and_offered_in_some_case() -> None:
    from bolicho.games.truco.rules import CALLS

    chosen = {action for case in CASES for action in case["record"]["actions"]}
    offered = {action for case in CASES for action in case["expect"].get("legal", [])}
    assert set(CALLS) <= chosen
    assert set(CALLS) <= offered


@pytest.mark.parametrize(
    ("actions", "illegal", "legal"),
    [
        ([], "2e", "1e, 3p, 4c, baralho, envido, falta, real, truco"),
        ([], "quero", "1e, 3p, 4c, baralho, envido, falta, real, truco"),
        ([], "virada 1e", "1e, 3p, 4c, baralho, envido, falta, real, truco"),
        (["truco"], "baralho", "nao, quero, retruco"),
        (["truco"], "envido", "nao, quero, retruco"),
        (["envido"], "truco", "falta, nao, quero, real"),
        (["1e", "2e"], "1e", "3p, 4c, baralho, truco, virada 3p, virada 4c"),
        ([], "ás de espadas", "1e, 3p, 4c, baralho, envido, falta, real, truco"),
        ([], "", "1e, 3p, 4c, baralho, envido, falta, real, truco"),
        ([], "TRUCO", "1e, 3p, 4c, baralho, envido, falta, real, truco"),
        ([], " truco", "1e, 3p, 4c, baralho, envido, falta, real, truco"),
    ],
)
def test_illegal_action_is_refused_with_the_legal_ones(actions: list[str], illegal: str, legal: str) -> None:
    table = replay({"game": "truco", "setup": {"hands": HANDS}, "actions": actions})
    before = table.result()
    with pytest.raises(IllegalAction) as refused:
        table.play(illegal)
    assert f"ply {len(actions)}: " in str(refused.value)
    assert repr(illegal) in str(refused.value)
    assert str(refused.value).endswith(f"legal: {legal}")
    assert table.result() == before


def test_no_action_is_legal_when_the_hand_is_over() -> None:
    table = bolicho.game("truco", hands=1).setup(hands=HANDS)
    table.play("baralho")
    for action in ("1e", "truco", "baralho"):
        with pytest.raises(IllegalAction, match="the game is over"):
            table.play(action)


@pytest.mark.parametrize(
    ("setup", "words"),
    [
        ({"hands": [["1e", "3p", "4c"], ["1e", "2p", "5c"]]}, "1e is dealt twice"),
        ({"hands": [["1e", "1e", "4c"], ["2e", "2p", "5c"]]}, "1e is dealt twice"),
        ({"hands": [["1e", "3p"], ["2e", "2p", "5c"]]}, "seat 0 must hold three cards"),
        ({"hands": [["1e", "3p", "4c"], ["2e", "2p", "5c", "6c"]]}, "seat 1 must hold three cards"),
        ({"hands": [["1e", "3p", "4c"]]}, "two lists of three cards"),
        ({}, "two lists of three cards"),
        ({"hands": [["8e", "3p", "4c"], ["2e", "2p", "5c"]]}, "'8e', which is not a card"),
        ({"hands": [[1, "3p", "4c"], ["2e", "2p", "5c"]]}, "1, which is not a card"),
        ({"hands": [[["1e"], "3p", "4c"], ["2e", "2p", "5c"]]}, "which is not a card"),
        ({"hands": ["1e3p4c", ["2e", "2p", "5c"]]}, "seat 0 must hold three cards"),
        ({"hands": HANDS, "mao": 2}, "mao must be seat 0 or 1"),
        ({"hands": HANDS, "mao": True}, "mao must be seat 0 or 1"),
        ({"hands": HANDS, "mao": 1.0}, "mao must be seat 0 or 1"),
        ({"hands": HANDS, "mao": None}, "mao must be seat 0 or 1"),
        ({"hands": HANDS, "mao": [0]}, "mao must be seat 0 or 1"),
        ({"hands": HANDS, "scores": [24, 0]}, "seat 0 has 24 points"),
        ({"hands": HANDS, "scores": [0, 30]}, "seat 1 has 30 points"),
        ({"hands": HANDS, "scores": [0, -1]}, "seat 1 has -1 points"),
        ({"hands": HANDS, "scores": [0]}, "two whole numbers"),
        ({"hands": HANDS, "scores": [0.5, 0]}, "two whole numbers"),
        ({"hands": HANDS, "scores": "00"}, "two whole numbers"),
        ({"hands": HANDS, "dealer": 0}, "unknown key of a truco setup 'dealer'"),
    ],
)
def test_impossible_setup_is_refused_with_the_reason(setup: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words.replace("(", r"\(")):
        bolicho.game("truco").setup(**setup)


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"target": 0}, "target must be 1 to 1000"),
        ({"hands": -1}, "hands must be 0"),
        ({"flor_points": -3}, "flor_points must be 0 to 100"),
        ({"target": "24"}, "rule target of truco must be int"),
        ({"flor": 1}, "rule flor of truco must be bool"),
        ({"flour": True}, "did you mean 'flor'"),
    ],
)
def test_impossible_rules_are_refused_with_the_reason(rules: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        bolicho.game("truco", **rules)


def test_log_holds_forced_moves_and_points_in_order() -> None:
    table = bolicho.game("truco", hands=1).setup(hands=[["5p", "4p", "12o"], ["7e", "6e", "1e"]])
    for action in ("envido", "truco", "nao"):
        table.play(action)
    assert table.log == [
        {"event": "dealt", "mao": 0, "hand": 0},
        {"event": "chose", "seat": 0, "action": "envido", "round": 1},
        {"event": "flor", "seat": 1},
        {"event": "points", "seat": 1, "points": 3, "for": "flor"},
        {"event": "chose", "seat": 0, "action": "truco", "round": 1},
        {"event": "chose", "seat": 1, "action": "nao", "round": 1},
        {"event": "points", "seat": 0, "points": 1, "for": "refusal"},
    ]


def test_payoff_of_a_match_is_plus_or_minus_one_and_of_a_single_hand_its_points() -> None:
    match = bolicho.game("truco").setup(hands=HANDS, scores=[23, 20])
    hand = bolicho.game("truco", hands=1).setup(hands=HANDS, scores=[3, 20])
    for table in (match, hand):
        for action in ("truco", "nao"):
            table.play(action)
    assert match.payoffs == [1, -1]
    assert hand.payoffs == [1, -1]
    folded = bolicho.game("truco", hands=1).setup(hands=HANDS, scores=[3, 20])
    for action in ("truco", "quero", "baralho"):
        folded.play(action)
    assert folded.payoffs == [-2, 2]
