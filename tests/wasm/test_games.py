"""Rules and views in WebAssembly and JavaScript: the same bytes as native."""

import hashlib

import numpy as np
import orjson
import pytest

import bolicho
from bolicho.games.compiled.chance import stream
from bolicho.wasm.describe import describe_game

GAMES = [
    ("truco", {}), ("truco", {"target": 12, "flor": False, "envido_first": True}), ("dominoes", {}),
    ("dominoes", {"highest": 12, "opens": "heaviest"}), ("fives", {}), ("fives", {"spinner": "sides", "highest": 9}),
    ("wonders", {}), ("wonders", {"players": 7, "trade": "choose"}), ("examples.kuhn:KUHN", {}),
]  # fmt: skip
RECORDS = 400  # games of each


def play_at_random(table):
    word = int(stream(np.uint64(table._origin["seed"]), np.uint64(table.ply)))
    table.play(int(table._legal[(word >> 32) % table._may]))


def record_hash(game, seed):
    digest, table = hashlib.sha256(), game.deal(seed)
    digest.update(table._memory)
    while not table.over:
        play_at_random(table)
        digest.update(table._memory)
    for log in table.noted:
        digest.update(log.tobytes())
    public = table.public_view()
    digest.update(public.pool.tobytes() + public.rows.tobytes())
    digest.update(np.array([*table.scores, *table.payoffs]).tobytes())
    return digest.hexdigest()


def views(game, seed):
    table = game.deal(seed)
    while True:
        seats = [table.public_view(), *map(table.view, range(game.seats))]
        yield from (orjson.dumps(view.data(table.ply % 3)).decode() for view in seats)
        if table.over:
            return
        play_at_random(table)


@pytest.mark.parametrize(("name", "rules"), GAMES)
def test_random_games_have_the_same_records_events_and_payoffs(name, rules, drive):
    game = bolicho.game(name, **rules)
    assert drive(game, "records", RECORDS) == [record_hash(game, seed) for seed in range(RECORDS)]


@pytest.mark.parametrize(("name", "rules"), GAMES)
def test_views_of_all_seats_and_spectators_are_the_same_json(name, rules, drive):
    game = bolicho.game(name, **rules)
    found = [text for texts in drive(game, "views", 12) for text in texts]
    expected = [text for seed in range(12) for text in views(game, seed)]
    assert len(found) == len(expected)
    differing = [(mine, theirs) for mine, theirs in zip(found, expected, strict=True) if mine != theirs]
    assert differing == []


def test_games_with_views_in_python_are_refused_in_a_sentence():
    with pytest.raises(bolicho.BadInput, match="without a server: its data, action_text or entry is written in Python"):
        describe_game(bolicho.game("bolicho.games.poker:POKER"))
