"""Hidden information: the bytes sent to a seat do not depend on cards that it does not see.

At random plies the table in the server's memory is replaced by a redeal of the seat's view: the same for
that seat, other cards elsewhere, and nothing of the logs of the others.  Everything the server sends to that seat
must then be the same, byte for byte, headers included. The record of a seat is derived, for earlier plies, from
views of these plies, which are compared at their own turn.
"""

import json
import random

import pytest
from starlette.testclient import TestClient

import bolicho
from bolicho.agents.play import advice
from bolicho.agents.registry import agent as make_agent
from bolicho.errors import BadInput
from bolicho.store.database import open_database
from bolicho.web import fair_deals
from bolicho.web.app import make_app
from bolicho.web.app_state import Settings
from bolicho.web.clock import Clock
from bolicho.web.transactions import Transaction
from bolicho.web.workers import AgentPool
from tests.web.running import me

GAMES = {"truco": {}, "dominoes": {}, "fives": {}, "wonders": {"players": 4}}
TEXTS = ["1e", "7o", "virada 1e", "virada", "truco", "envido", "flor", "quero", "baralho", "6-6 l", "0-0", "5-5 r"]
TEXTS += ["pass", "sell Altar", "build Altar", "wonder Loom", "Altar", "x" * 80, "\u202e", "1", "-1", "é"]


class Still(Clock):
    """A clock that stands still, so that times in messages are the same."""

    def now(self):
        return 1_000_000.0


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The app in this process, without worker processes."""
    file = tmp_path_factory.mktemp("leaks") / "matches.db"
    app = make_app(Settings(str(file)), AgentPool(), open_database(str(file)), Still())
    for rate in ("looks", "moves", "questions"):
        getattr(app.state.app_state, rate).a_second = 1e9
    with TestClient(app) as client:
        yield client, app.state.app_state


@pytest.fixture(autouse=True)
def still(monkeypatch):
    """Freeze presence and time, and do not read matches from the database again."""
    monkeypatch.setattr("bolicho.web.connections.Connections.record_sign_of_life", lambda *_, **__: None)
    monkeypatch.setattr("bolicho.web.transactions.Transaction.again", Transaction.match)


def redealt(table, seat, seed):
    """Return a table that the seat cannot distinguish from the real one, without the logs of other seats."""
    other = table.view(seat).redeal(seed)
    other.take_past(table)
    other._logs[[row for row in range(len(other._logs)) if row != seat]] = 0
    return other


def refused(view):
    """Return texts that are no legal action of the seat."""
    texts = []
    for text in TEXTS:
        try:
            number = view.game.kind.read_action(view.state, text)
        except BadInput:
            number = -1
        if number not in view.numbers:
            texts.append(text)
    return texts


def sent(client, texts, match, token, ply, log):
    """Return all bytes sent to a seat: HTTP responses, refusals of moves, and messages of a WebSocket."""
    headers = {"authorization": f"Bearer {token}"}
    path = f"/api/matches/{match}"
    answers = [
        client.get(path),
        client.get(f"{path}/view", headers=headers),
        client.get(f"{path}/view", headers=headers, params={"log": log}),
        client.get(f"{path}/view", headers=headers, params={"ply": ply}),
        client.get(f"{path}/action-help", headers=headers),
        client.get(f"{path}/moment", headers=headers),  # deprecated name
        client.get(f"{path}/fair"),
        client.get(f"{path}/record", headers=headers, params={"as": "whole"}),
        client.get(f"{path}/why", headers=headers, params={"ply": ply}),
        *(client.post(f"{path}/moves", headers=headers, json={"ply": ply, "action": text}) for text in texts),
        *(client.post(f"{path}/moves", headers=headers, json={"ply": at, "action": "1e"}) for at in (ply + 1, ply + 9)),
    ]
    found = [(answer.status_code, sorted(answer.headers.items()), answer.content) for answer in answers]
    with client.websocket_connect(f"{path}/live") as wire:
        wire.send_json({"do": "hello", "token": token, "log": log})
        found.append(wire.receive_text())
        wire.send_json({"do": "claim"})
        found.append(wire.receive_text())
    return found


def news(app_state, match, seat, rows):
    """Return the message to a connected seat about the last ply."""
    known = app_state.transactions._matches[match]
    known.frames = {seat: [known.view(seat).data(log_from=rows)]}
    return known.news(seat, app_state.clock.now())


@pytest.mark.parametrize("game", GAMES)
def test_bytes_sent_to_a_seat_do_not_depend_on_hidden_cards(served, game):
    client, app_state = served
    seats = bolicho.game(game, **GAMES[game]).seats
    body = {"game": game, "rules": GAMES[game], "seats": [me(f"P{seat}") for seat in range(seats)]}
    rng = random.Random(game)
    compared = different = 0
    while compared < 24:  # the server deals at random, and some matches are short
        made = client.post("/api/matches", json=body).json()
        match, tokens = made["match"], [seat["token"] for seat in made["seats"]]
        length = rng.randrange(20, 50)
        rows = 0
        for ply in range(length):
            known = app_state.transactions._matches[match]
            real = known.table
            if real.over:
                break
            if ply % 3 == 0:
                seat = rng.randrange(seats)
                log = rng.randrange(real.noted.shape[1] + 1)
                texts = rng.sample(refused(real.view(seat)), 6)
                expected = sent(client, texts, match, tokens[seat], ply, log), news(app_state, match, seat, rows)
                for _ in range(2):
                    known._table = redealt(real, seat, rng.randrange(2**64))
                    try:
                        again = sent(client, texts, match, tokens[seat], ply, log), news(app_state, match, seat, rows)
                    finally:
                        different += known._table.pool.tobytes() != real.pool.tobytes()
                        known._table = real
                    assert again == expected, f"seat {seat} of {game} at ply {ply} can tell"
                    compared += 1
            rows = real.noted.shape[1]
            action = rng.choice(real.view().legal)
            headers = {"authorization": f"Bearer {tokens[real.turn]}"}
            moved = client.post(f"/api/matches/{match}/moves", headers=headers, json={"ply": ply, "action": action})
            assert moved.status_code == 200, moved.text
    assert different > compared / 4  # many redeals differ from the real deal


def test_comparison_finds_a_planted_leak(served, monkeypatch):
    """Check that one fact that depends on hidden cards changes the bytes."""
    client, app_state = served
    made = client.post("/api/matches", json={"game": "truco", "seats": [me("A"), me("B")]}).json()
    match, token = made["match"], made["seats"][0]["token"]
    known = app_state.transactions._matches[match]
    real = known.table
    facts = type(known).facts
    monkeypatch.setattr(
        type(known), "facts", lambda self, now: {**facts(self, now), "sum": sum(self.table.pool.tobytes())}
    )
    texts = []
    expected = sent(client, texts, match, token, 0, 0)
    assert sent(client, texts, match, token, 0, 0) == expected
    known._table = redealt(real, 0, 5)
    assert sent(client, texts, match, token, 0, 0) != expected


@pytest.mark.parametrize("game", GAMES)
def test_record_of_a_seat_follows_from_its_views(game):
    """Compare the cards held at earlier plies with the views of these plies, for any redeal."""
    rng = random.Random(game)
    table = bolicho.game(game, **GAMES[game]).deal(7)
    seat, told = 1, []
    for ply in range(25):
        if table.over:
            break
        for at in (table, redealt(table, seat, rng.randrange(2**64))):
            cards = at.view(seat).data()["table"]
            held = [c["card"] if isinstance(c, dict) else c for c in cards.get("cards", cards.get("hand", []))]
            if not told or told[-1][1] != held:
                assert at is table
                told.append([ply, held])
        table.play(rng.choice(table.view().legal))
    record = table.record()
    shown = fair_deals.cards_shown(record, seat)
    assert shown[: len(told)] == told


@pytest.mark.parametrize(
    "name", ["balanced", "bluffer", "markov", "mjs", "mcts(iterations=50)", "pimc-search(worlds=4)"]
)
def test_hint_does_not_depend_on_hidden_cards(name):
    rng = random.Random(name)
    table = bolicho.game("truco").deal(11)
    for _ in range(12):
        if table.over:
            break
        seat = table.turn
        if table.ply % 3 == 0:
            told = []
            for at in (table, redealt(table, seat, rng.randrange(2**64))):
                action, why = advice(at, make_agent(name, at.game), f"hint {seat} abc")
                told.append((str(action), None if why is None else json.dumps(why.as_json())))
            assert told[0] == told[1]
        table.play(rng.choice(table.view().legal))
