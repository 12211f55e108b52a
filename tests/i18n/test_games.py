"""Whole games in three languages: every text at a table is in every catalogue."""

import pickle

import numpy as np
import pytest

import bolicho
from bolicho.games.dominoes.rules import SIDES, TILES
from bolicho.games.truco.state import ACTIONS as TRUCO_ACTIONS
from bolicho.games.truco.text import NAMES as TRUCO_NAMES
from bolicho.games.wonders.action_help import cost, gives
from bolicho.games.wonders.cards import BOARDS, CARDS, GIVES
from bolicho.games.wonders.layout import KINDS
from bolicho.i18n import LANGUAGES, Catalogue, catalogue

FLORS = {"hands": [["1e", "7e", "12e"], ["7o", "2o", "4o"]]}
JUNK = ["", "?", "zzz", "1-4", "draw", "pass", "DRAW", "4-1 x", "13-1", "9-9", "{who}", "build", "build zzz", "não"]
VARIATIONS = {
    "truco": [
        {},
        {"target": 12, "envido_first": True, "envido_envido": True},
        {"hands": 1},
        {"flor": False, "face_down": False, "hands": 3},
    ],
    "dominoes": [
        {},
        {"opens": "double"},
        {"opens": "heaviest", "highest": 9, "reserve": 2},
        {"hand": 3, "opens": "lot"},
    ],
    "fives": [{}, {"opens": "double", "arms_after": 1}, {"spinner": "sides", "rounding": "none", "multiple": 3}],
    "wonders": [
        {},
        {"players": 7},
        {"players": 5, "trade": "choose", "sides": "B"},
        {"players": 4, "sides": "A"},
        {"players": 7, "trade": "choose", "sides": "B"},
    ],
}
GAMES = {"truco": 24, "dominoes": 12, "fives": 12, "wonders": 15}


class RecordingTemplates(dict):
    """Templates of a catalogue that record the requested keys."""

    def __init__(self, templates):
        super().__init__(templates)
        self.asked = set()

    def __getitem__(self, key):
        self.asked.add(key)
        return super().__getitem__(key)


def catalogues():
    return [Catalogue(language, RecordingTemplates(catalogue(language).templates)) for language in LANGUAGES]


def possible_inputs(name, rng):
    """Return inputs that a person may type in a game, legal or not."""
    if name == "truco":
        return [*TRUCO_ACTIONS, *JUNK]
    if name in ("dominoes", "fives"):
        tiles = [TILES[i] for i in rng.integers(len(TILES), size=12)]
        return [*tiles, *(f"{tile} {side}" for tile in tiles for side in SIDES), *JUNK]
    cards = [CARDS[i] for i in rng.integers(len(CARDS), size=6)]
    return [*(f"{kind} {card}" for kind in KINDS for card in cards), *cards, *JUNK]


def positions(name, rng):
    """Yield every position of some random games, in all variations of the rules."""
    for number in range(GAMES[name]):
        rules = VARIATIONS[name][number % len(VARIATIONS[name])]
        game = bolicho.game(name, **rules)
        table = game.setup(**FLORS) if name == "truco" and number % 8 == 0 else game.deal(number)
        while not table.over and table.ply < 400:
            yield table
            table.play(table.legal[int(rng.integers(len(table.legal)))])
        yield table


def messages_of(table, seen, rng):
    """Return all messages of a position: new log entries of each seat, help, names of actions, and refusals."""
    kind, view = table.game.kind, table.view()
    rows = {row.tobytes(): row for log in table.noted[:, seen:] for row in log}
    said = [kind.said(kind.entry(row)) for row in rows.values()]
    if table.over:
        return said
    said += [remark for _, remark in kind.action_help(view)]
    said += [kind.name_action(table.state, action) for action in table.legal]
    typed = [text for text in possible_inputs(table.game.name, rng) if text not in table.legal]
    return said + [why for text in typed if (why := kind.refusal(view, text)) is not None]


@pytest.mark.parametrize("name", sorted(GAMES))
def test_every_message_of_long_games_has_a_text_in_three_languages(name):
    rng = np.random.default_rng(1)
    chosen, names = catalogues(), [f"P{seat}" for seat in range(7)]
    seen, before = 0, None
    for table in positions(name, rng):
        seen, before = (seen if table is before else 0), table
        said = messages_of(table, seen, rng)
        seen = table.noted.shape[1]
        for entries in chosen:
            assert all(entries.say(each, names).strip() for each in said)
            assert table.view().text(entries).strip()
    section = "dominoes" if name == "fives" else name
    for entries in chosen:
        keys = {key for key in entries.templates if key.startswith(f"{section}.")}
        assert keys - entries.templates.asked == UNSAID[name]


UNSAID = {
    "truco": set(),
    "dominoes": {
        *("dominoes.moment.fives", "dominoes.points", "dominoes.does.score", "dominoes.view.sum"),
        *("dominoes.side.u", "dominoes.side.d", "dominoes.view.up", "dominoes.view.down"),
    },
    "fives": set(),
    "wonders": {"wonders.no revival"},
}
"""What does not come up in these games."""


def test_message_of_a_rare_event_has_a_text_in_every_language():
    said = bolicho.game("wonders").kind.said({"event": "no revival", "seat": 0, "stage": 1})
    for language in LANGUAGES:
        assert catalogue(language).say(said, ["Ana"]).startswith("Ana ")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_card_and_stage_of_7_wonders_has_texts_of_effect_and_cost(language):
    say = catalogue(language).say
    assert all(say(gives(number)) and say(cost(number)) for number, written in enumerate(GIVES) if written)


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_that_people_type_are_unique(language):
    say = catalogue(language).say
    kind = bolicho.game("wonders").kind
    for texts in (
        [say(name) for name in TRUCO_NAMES.values()],
        [say(kind.name_action(None, card)) for card in set(CARDS)],
    ):
        assert len(texts) == len({text.casefold() for text in texts})
    for section, names in (("wonders.card.", CARDS), ("wonders.board.", BOARDS)):
        keys = {key.removeprefix(section) for key in catalogue(language).templates if key.startswith(section)}
        assert keys == set(names)


@pytest.mark.parametrize("name", ["truco", "dominoes", "fives", "wonders"])
def test_names_of_actions_can_be_sent_between_processes(name):
    """Pickle names of actions, which an agent in a worker process sends back."""
    table = bolicho.game(name).deal(seed=1)
    called = [table.game.kind.name_action(table.view().state, action).as_json() for action in table.legal]
    assert pickle.loads(pickle.dumps(called)) == called
