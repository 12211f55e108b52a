"""Explanations of all built-in agents: texts in three languages, and pictures as JSON."""

import json
import re

import numpy as np
import pytest

from bolicho import Explanation, agent, game
from bolicho.agents.explanation import signed
from bolicho.agents.neural.agents import input_names, say
from bolicho.agents.registry import built_in_entries, entries
from bolicho.agents.sarsa.model import new_model, say_feature
from bolicho.games import BUILT_IN
from bolicho.i18n import _FIELD, LANGUAGES, Message, catalogue
from tests.agents.specs import playing, quick

SILENT = "random"
"""Agent without explanations."""

PLAYERS = [(entry.name, name) for name in BUILT_IN for entry in playing(name) if entry.name != SILENT]
PLAIN = {int, float, str, bool, type(None)}
"""Types that strict JSON writers accept: no numbers of NumPy, though some are a `float`."""

UNFILLED = re.compile(r"[{}]|\bnan\b|\binf\b")


def decisions(name, spec, count, seed=3):
    """Yield positions of random games, with the agent's action and explanation."""
    rng = np.random.default_rng(seed)
    chosen, player = game(name), agent(spec, name)
    table = chosen.deal(seed)
    for _ in range(count):
        for _ in range(int(rng.integers(4))):
            if not table.over:
                table.play(table.legal[rng.integers(len(table.legal))])
        if table.over:
            table = chosen.deal(int(rng.integers(2**32)))
        seat = table.turn
        view = table.open_view(seat) if type(player).oracle else table.view(seat)
        player.begin(chosen, seat)
        action = player.act(view, np.random.default_rng(table.ply))
        yield view, action, player.explain()


def messages_in(data):
    """Yield every [key, facts] that `Message.as_json` writes."""
    if isinstance(data, list) and len(data) == 2 and isinstance(data[0], str) and isinstance(data[1], dict):
        yield data
        data = list(data[1].values())
    if isinstance(data, dict):
        data = list(data.values())
    if isinstance(data, list):
        for each in data:
            yield from messages_in(each)


def leaves(data):
    """Yield the values that are neither lists nor dictionaries."""
    if isinstance(data, list | dict):
        for each in data.values() if isinstance(data, dict) else data:
            yield from leaves(each)
    else:
        yield data


@pytest.mark.parametrize(("name", "where"), PLAYERS)
def test_explanations_have_texts_in_every_language(name, where):
    drawn = 0
    for view, action, why in decisions(where, quick(name), 25):
        assert why.facts.get("action", str(action)) == str(action)
        for language in LANGUAGES:
            for said in (why.sentence, *why.lines):
                text = catalogue(language).say(said)
                assert text.strip() and not UNFILLED.search(text), text
        assert json.loads(json.dumps(why.as_json(), allow_nan=False)) == why.as_json()
        assert set(map(type, leaves(why.as_json()))) <= PLAIN
        for key, facts in messages_in(why.as_json()):
            check_message(key, facts)
        if why.picture is not None:
            check_picture(view, action, why.picture)
            drawn += 1
    assert drawn or name in ("novice", "cautious", "aggressive", "bluffer", "balanced")


def check_message(key, facts):
    """Check that every catalogue has the key and gets all its facts, and that plain text is only notation."""
    for language in LANGUAGES:
        asked = {field[1] for field in _FIELD.finditer(catalogue(language).templates[key]) if field[1]}
        assert asked <= set(facts), key
    if key == "terminal.plain":
        assert not re.search(r"[a-z]{3}", facts["text"]), facts


def check_picture(view, action, picture):
    assert picture["action"] == str(action)
    if picture["kind"] == "bars":
        (chosen,) = [bar for bar in picture["bars"] if bar["chosen"]]
        assert chosen["says"] in (view.game.kind.name_action(view.state, str(action)).as_json(), card_of(action))
    elif picture["kind"] == "cells":
        for row in picture["rows"]:
            assert 0 <= row["chance"] <= 1 and 0 <= row["minimum"] <= 1 and 0 <= row["draw"] <= 1
            assert all(0 <= cell["share"] <= 1 for cell in row["cells"])
    else:
        assert picture["kind"] == "cases"
        for row in picture["rows"]:
            assert len(row) == len(picture["columns"])
            assert all(0 <= local <= 1 for local in row[picture["shaded"] :])
        assert sum(vote["chosen"] for vote in picture["votes"]) <= 1


def card_of(action):
    """Return the card of an action of 7 Wonders, which the rules agent weighs."""
    return [f"wonders.card.{str(action).partition(' ')[2]}", {}]


def test_drawn_cells_add_up_to_the_counts_of_the_questions():
    seen = 0
    for _, _, why in decisions("truco", "markov(base=initial)", 300):
        if why.picture is None or why.picture["kind"] != "cells":
            continue
        for row, question in zip(why.picture["rows"], why.facts["questions"], strict=True):
            if row["cells"]:
                assert sum(cell["won"] for cell in row["cells"]) == pytest.approx(question["v"])
                assert sum(cell["lost"] for cell in row["cells"]) == pytest.approx(question["d"])
                seen += 1
    assert seen > 20


def names_with_messages():
    """Yield the names of the inputs of learners, with their messages."""
    for name, coding, nets in (("wonders", "ages", 3), ("wonders", "table", 1), ("wonders", "cities", 1),
                               ("truco", "hand", 1), ("dominoes", "plays", 1)):  # fmt: skip
        for net in range(nets):
            yield from ((each, say(game(name), each)) for each in input_names(game(name), coding, net))
    open_too = ("dominoes", "fives")
    for name in BUILT_IN:
        for perfect in (False, True) if name in open_too else (False,):
            yield from ((each, say_feature(name, each)) for each in new_model(game(name), perfect).names)


def test_every_learner_input_has_a_text():
    for name, said in names_with_messages():
        assert said.key != "terminal.plain", name
        assert catalogue("en").say(said) == name.replace("compasss", "compasses")
        assert catalogue("pt").say(said) and catalogue("es").say(said)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_agent_has_a_description_of_one_sentence(language):
    said = {entry.name: catalogue(language).say(entry.says) for entry in entries()}
    assert all(text.endswith(".") and len(text) < 140 for text in said.values())
    assert len(set(said.values())) == len(said)


def test_command_line_shows_the_english_description():
    assert all(entry.about == catalogue("en").say(entry.says) for entry in built_in_entries())


def test_plain_text_is_accepted_in_explanations():
    why = Explanation("because", {"action": "truco"}, ["one", Message("agents.forced")])
    for language in LANGUAGES:
        assert catalogue(language).say(why.sentence) == "because" and catalogue(language).say(why.lines[0]) == "one"
    assert catalogue("pt").say(why.lines[1]) == "A única jogada possível."
    assert why == Explanation(why.sentence, why.facts, why.lines) != Explanation("otherwise")


def test_a_number_shows_its_sign_as_the_language_writes_it():
    assert catalogue("en").say(Message("agents.list", what=signed(-0.5))) == "-0.50"
    assert catalogue("pt").say(Message("agents.list", what=signed(1234.567))) == "+1234,57"
    assert catalogue("es").say(Message("agents.list", what=signed(3))) == "+3"
    assert catalogue("en").say(Message("agents.list", what=signed(0.26, ".1"))) == "+0.3"
