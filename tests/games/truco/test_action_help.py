"""Help for Truco at the table: predictions equal what happens, and every refusal has a reason."""

import re

import numpy as np
import pytest

import bolicho
from bolicho.games.truco.action_help import action_help, refusal
from bolicho.games.truco.rules import STRENGTH_CLASSES
from bolicho.games.truco.state import ACTIONS
from bolicho.i18n import catalogue

FLORS = {"hands": [["1e", "7e", "12e"], ["7o", "2o", "4o"]]}
RULES = [{}, {"envido_first": True, "envido_envido": True, "target": 12}, {"hands": 1}, {"flor": False}]


DOES = "truco.does."
ENGLISH = catalogue("en")


def read(said):
    """Return the name of a prediction and the numbers that it shows."""
    assert said.key.startswith(DOES)
    shown = re.findall(r"\{(\w+)\}", ENGLISH.templates[said.key])
    return said.key.removeprefix(DOES), {name: said.facts[name] for name in shown if name != "theirs"}


def after(table, *actions):
    """Return a copy of the table after these actions, and what they add to the log."""
    tried, before = table.copy(), len(table.log)
    for action in actions:
        tried.play(action)
    return tried, tried.log[before:]


def scored(entries, reason):
    """Return the seat and points of the first score for a reason."""
    return next((entry["seat"], entry["points"]) for entry in entries if entry.get("for") == reason)


def check_prediction(table, action, remark):
    """Check a predicted effect against what happens, and return its name."""
    name, said = read(remark)
    seat, other = table.turn, 1 - table.turn
    tried, entries = after(table, action)
    match name.split():
        case ["lead"]:
            (strength,) = (i for i, cards in enumerate(STRENGTH_CLASSES, 1) if action in cards)
            assert said == {"strength": strength, "strongest": 14}
        case ["win" | "tie" | "lose"]:
            winner = next(entry["winner"] for entry in entries if entry["event"] == "round")
            assert winner == {"win": seat, "tie": None, "lose": other}[name]
        case ["raise" | "reraise"]:
            assert after(table, action, "quero")[0].state["level"] + 1 == said["accepted"] == said["worth"] + 1
            assert scored(after(table, action, "nao")[1], "refusal") == (seat, said["refused"])
        case ["envido" | "flor", "bet"] if {"quero", "nao"} <= set(tried.legal):  # else a flor voids the envido
            reason = name.split()[0]
            assert scored(after(table, action, "quero")[1], reason)[1] == said["accepted"]
            assert scored(after(table, action, "nao")[1], reason) == (seat, said["refused"])
        case ["flor"] | ["accept", "envido" | "flor"]:
            assert scored(entries, name.split()[-1])[1] == said["accepted"]
        case ["accept", "truco"]:
            assert tried.state["level"] + 1 == said["accepted"]
        case ["refuse", "truco"]:
            assert scored(entries, "refusal") == (other, said["refused"])
        case ["refuse", "bet"]:
            assert (entries[1]["seat"], entries[1]["points"]) == (other, said["refused"])
        case ["fold"]:
            assert scored(entries, "deck") == (other, said["worth"])
    return name


def test_help_predicts_the_effect_of_every_legal_action():
    rng = np.random.default_rng(1)
    seen = set()
    for number in range(60):
        game = bolicho.game("truco", **RULES[number % len(RULES)])
        table = game.setup(**FLORS) if number % 5 == 0 and game.rules.flor else game.deal(number)
        while not table.over and table.ply < 60:
            said = [(heading, remark) for heading, remark in action_help(table.view()) if heading]
            assert [heading for heading, _ in said] == list(table.legal)
            seen |= {check_prediction(table, action, remark) for action, remark in said}
            table.play(table.legal[int(rng.integers(len(table.legal)))])
    assert seen == {key.removeprefix(DOES) for key in ENGLISH.templates if key.startswith(DOES)}


def test_help_begins_with_the_stakes_in_force():
    table = bolicho.game("truco").setup(hands=[["1e", "7o", "12p"], ["7c", "2e", "4p"]])
    table.play("truco")
    first, second, *_ = (ENGLISH.say(said) for _, said in action_help(table.view()))
    assert "worth 1" in first and "24 points win" in first and "called truco" in second
    table.play("quero")
    assert "only the other may raise" in ENGLISH.say(action_help(table.view())[1][1])


@pytest.mark.parametrize(
    ("actions", "typed", "why"),
    [
        ([], "retruco", "the next raise is truco"),
        ([], "quero", "the other has called nothing"),
        ([], "VIRADA 1e", "from the second round on"),
        ([], "2e", "you do not hold 2 of espadas"),
        ([], "flor", "announces itself"),
        ([], "fold", "it is neither a card"),
        (["truco"], "2e", "the other called truco: answer it first"),
        (["truco", "quero"], "retruco", "only the player who accepted the last call"),
        (["truco", "quero", "1e"], "envido", "an envido is opened once a hand"),
        (["truco", "retruco", "vale4", "quero"], "truco", "vale4 was the last raise"),
    ],
)
def test_refusal_gives_the_reason(actions, typed, why):
    table = bolicho.game("truco").setup(hands=[["1e", "7o", "12p"], ["7c", "2e", "4p"]])
    for action in actions:
        table.play(action)
    assert why in ENGLISH.say(refusal(table.view(), typed))


def test_every_illegal_action_has_a_reason():
    rng = np.random.default_rng(2)
    table = bolicho.game("truco").deal(3)
    while not table.over:
        for action in set(ACTIONS) - set(table.legal):
            assert ENGLISH.say(refusal(table.view(), action))
        table.play(table.legal[int(rng.integers(len(table.legal)))])
