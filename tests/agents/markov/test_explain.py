"""Explanations of the Markov agents: facts that imply the action, and sentences."""

import json

import numpy as np
import pytest

from bolicho import agent, game
from bolicho.agents.markov import layout
from bolicho.agents.markov.agent import Markov
from bolicho.games.truco import kernel as k
from bolicho.games.truco.rules import CARDS
from bolicho.i18n import catalogue
from tests.agents.markov.lots import Lot
from tests.agents.markov.positions import tables
from tests.agents.markov.test_decision import decided, example

CALLS = {"truco": k.TRUCO, "retruco": k.RETRUCO, "vale4": k.VALE4, "envido": k.ENVIDO, "real": k.REAL, "falta": k.FALTA,
         "contraflor": k.CONTRAFLOR, "resto": k.RESTO}  # fmt: skip


def follows(questions, last_card):
    """Return the action that follows from the answers."""
    done = None
    for question in questions:
        if question["request"] == "card":
            return CARDS.index(question["chosen"])
        if question["yes"]:
            done = k.QUERO if question["role"] == "answering" else CALLS[question["request"]]
        elif question["role"] == "answering":
            return k.NAO
    if done is not None:
        return done
    if any(question["request"] == "contraflor" for question in questions):
        return k.FLOR
    return last_card


@pytest.mark.parametrize("spec", ["markov", "markov(base=initial)", "markov-plus", "markov(rounds=true)"])
def test_action_follows_from_the_facts_of_the_explanation(spec):
    player, rng = agent(spec, "truco"), np.random.default_rng(2)
    roulette = player.options.roulette
    seen = set()
    for table in tables(700, 5, "bluffer", "random"):
        view = table.view()
        player.begin(table.game, view.seat)
        action = player.act(view, rng)
        found = player.explain()
        questions = json.loads(json.dumps(found.facts))["questions"]
        sentence = catalogue("en").say(found.sentence)
        assert int(action) == follows(questions, int(view.state["hands"][view.seat, 0])), sentence
        assert "nan" not in sentence and "; ".join(q["sentence"] for q in questions) in sentence
        for question in questions:
            seen.add(question["request"])
            if question["request"] == "card":
                assert sum(question["shares"].values()) == pytest.approx(1)
                continue
            assert question["p"] == pytest.approx(question["v"] / (question["v"] + question["d"]))
            above = question["used"] > question["minimum"] + 1e-9
            assert question["yes"] == (above and (not roulette or question["draw"] < question["used"]))
            if "against" in question and question["cells"]:
                assert len(question["against"]) == question["cells"]
    assert {"truco", "envido", "card"} <= seen


def test_sentence_contains_v_d_p_the_minimum_and_the_draw():
    player = Markov("initial")
    action, _ = decided(player, example(), 0.49)
    assert action == "envido"
    assert catalogue("en").say(player.explain().sentence) == (
        "envido? 0-7 against 29 possible ones, v 384, d 364, p 0.51 taken as 0.5: above the minimum 0.40, "
        "the roulette stops at 0.49, yes; real envido? 0-7 against 29 possible ones, v 384, d 364, p 0.51 "
        "taken as 0.5: not above the minimum 0.60, no"
    )


def test_sentence_states_that_a_card_is_the_last_one():
    table = example()
    for action in ("7o", "4e", "7p", "2e", "7e"):
        table.play(action)
    player = Markov("initial")
    assert decided(player, table, 0.99)[0] == "12p"
    assert catalogue("en").say(player.explain().sentence).endswith("card: rei of paus, the last one")


@pytest.mark.parametrize(("scores", "minimum", "words"), [
    ((0, 23), layout.FORCED, "a no would lose the match"),
    ((23, 0), layout.FUTILE, "the hand wins the match as it is"),
])  # fmt: skip
def test_adaptive_minimums_depend_on_the_score(scores, minimum, words):
    table = game("truco", flor=False).setup(hands=[["1e", "5c", "6o"], ["4e", "7e", "3p"]], mao=0, scores=scores)
    for action in ("1e", "truco" if minimum == layout.FORCED else "4e"):
        table.play(action)
    player = agent("markov-plus(base=initial)", "truco")
    player.begin(table.game, 0)
    player.act(table.view(0), Lot(0.5))
    asked = player.explain().facts["questions"][0]
    assert asked["minimum"] == minimum and words in asked["sentence"]
    assert asked["yes"] == (minimum == layout.FORCED)


def test_explanation_is_absent_before_the_first_decision():
    assert agent("markov", "truco").explain() is None
