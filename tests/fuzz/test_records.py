"""A thousand damaged records: each is refused in one sentence, or keeps its meaning when it is written again."""

import json
import random
import sys

import pytest

import bolicho
from bolicho import BadInput
from bolicho.games.record import read_records, replay, write_record

from . import mutate

PLAYERS = ["Zé", "a\u2028b", "\x1b[31m[red]"]


def game_record(name, seed, setup=None, **rules):
    """Return the record of a random game, played to its end or to a random ply."""
    game = bolicho.game(name, **rules)
    table = game.setup(**setup) if setup else game.deal(seed)
    rng = random.Random(seed)
    while not table.over and rng.random() > 0.02:
        table.play(rng.choice(table.legal))
    table.players = PLAYERS[: game.seats]
    return table.record()


@pytest.fixture(scope="module")
def records():
    truco = {"mao": 1, "hands": [["1e", "7o", "12p"], ["7c", "2e", "4e"]], "scores": [3, 23]}
    tiles = {"first": 0, "hands": [["6-6", "5-0"], ["6-4", "3-3"]], "boneyard": ["1-0", "2-2"]}
    return [
        game_record("truco", 1),
        game_record("truco", 2, target=12, flor=False),
        game_record("truco", 3, truco, hands=1),
        game_record("dominoes", 4),
        game_record("dominoes", 5, tiles),
        game_record("fives", 6),
        game_record("wonders", 7),
    ]


def test_writing_an_accepted_record_keeps_its_meaning(records, tmp_path):
    file, again = tmp_path / "record.json", tmp_path / "again.json"
    accepted = 0
    for number in range(1000):
        rng = random.Random(number)
        changed = mutate.json_of(records[number % len(records)], rng)
        file.write_bytes(changed)
        try:
            tables = [(record, replay(record)) for record in read_records(file)]
        except BadInput as problem:
            assert str(problem)
            continue
        for record, table in tables:
            line = write_record(table.record())
            assert len(line.splitlines()) == 1
            again.write_text(line, encoding="utf-8")
            (read,) = read_records(again)
            other = replay(read)
            assert other.pool.tobytes() == table.pool.tobytes() and other.result() == table.result()
            assert write_record(other.record()) == line
            assert read.get("players") == record.get("players") and read.get("seed") == record.get("seed")
            assert read.get("setup") == record.get("setup")
            assert len(read["actions"]) == len(record.get("actions", []))
            json.dumps(table.result(), ensure_ascii=False).encode(sys.stdout.encoding or "utf-8")
            accepted += 1
    assert 50 < accepted < 900, "too few or too many records are accepted for a useful test"
