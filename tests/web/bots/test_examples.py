"""The example bots play challenges, also when the server is killed meanwhile."""

import time
from contextlib import ExitStack

import pytest
import sqlalchemy as sa

import bolicho
from bolicho.agents.mirrored_games import luck_of_seats
from bolicho.agents.play import answer
from bolicho.agents.registry import agent as make_agent
from bolicho.store import database
from bolicho.store.tables import matches
from bolicho.web import fair_deals
from bolicho.web.match import Match
from tests.web.bots.playing import events, is_installed, running, token_for, watching
from tests.web.running import Served, agent

RULES = {"target": 2, "flor": False}
OPPONENTS = ["balanced", "random", "bluffer", "novice"]
PATIENCE = 300.0  # seconds without an end of any match


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A server that tests may kill."""
    served = Served(tmp_path_factory.mktemp("bots") / "matches.db", "--game", "truco")
    yield served
    if served.process.poll() is None:
        served.stop()


def challenge(served, token, bot, number):
    """Challenge a bot with a built-in agent, in either seat."""
    seats = [agent(OPPONENTS[number % len(OPPONENTS)]), {"who": "bot", "bot": bot}]
    asked = {"game": "truco", "rules": RULES, "seats": seats if number % 2 else seats[::-1]}
    answer = served.post("/api/challenges", asked, token)
    assert answer.status_code == 201, answer.text
    return answer.json()["match"]


def wait_for(engine, played, count):
    """Wait until so many of these matches are over."""
    known, end = -1, 0.0
    while known < count:
        with engine.connect() as connection:
            query = sa.select(sa.func.count()).where(matches.c.id.in_(played) & matches.c.ended.is_not(None))
            now = connection.execute(query).scalar_one()
        known, end = (now, time.monotonic() + PATIENCE) if now > known else (known, end)
        assert time.monotonic() < end, f"{known} of {count} matches are over, and nothing happens"
        time.sleep(0.02)


def check(engine, number):
    """Check that a match was played legally to its end, and that the agent's moves are those of its seed."""
    with engine.connect() as connection:
        row, sitting = database.read_match(connection, number)
        moves = database.read_moves(connection, number)
    game = bolicho.game(row.game, **row.rules)
    assert all(seat.agent or fair_deals.nonce_commitment(seat.nonce) == seat.nonce_commit for seat in sitting)
    table = Match(row, sitting).table
    luck = luck_of_seats(fair_deals.luck(row.secret), game.seats)
    for seat, action, _ in moves:
        assert table.turn == seat
        spec = sitting[seat].agent
        if spec is not None:
            assert int(answer(table, make_agent(spec, game), luck[seat])) == action
        table.play(action)
    assert table.over and row.claimed is None and row.result["scores"] == table.scores


def test_example_bots_continue_after_the_server_is_killed(served):
    counts = {example: count for example, count in {"bot.mjs": 100, "bot.py": 20}.items() if is_installed(example)}
    host = token_for(served, "host")
    tokens = {example: token_for(served, example) for example in counts}
    played = [challenge(served, host, bot, number) for bot, count in counts.items() for number in range(count)]
    engine = database.open_database(served.database)
    with ExitStack() as bots:
        for example, token in tokens.items():
            bots.enter_context(running(example, served.base, BOLICHO_TOKEN=token))
        wait_for(engine, played, len(played) // 3)
        served.kill()
        served.start()
        wait_for(engine, played, len(played))
    for number in played:
        check(engine, number)
    engine.dispose()
    for token in tokens.values():
        told = served.get("/api/account", token).json()
        assert told["challenges"] == told["matches"] == []
    if "bot.mjs" not in counts:
        pytest.skip("Node is not installed: the bot in Python has played, the one in JavaScript has not")


@pytest.mark.parametrize("example", ["bot.mjs", "bot.py"])
def test_example_bot_with_a_wrong_token_exits_with_an_error(served, example):
    with running(example, served.base, BOLICHO_TOKEN="nobody") as process:
        assert process.wait(60) != 0


def test_server_closes_its_streams_when_it_ends(served):
    token = token_for(served, "late")
    match, seat = served.make()
    with events(served, token) as ears, watching(served, match, seat) as eyes:
        eyes.hear("full")
        told = served.stop()
        for stream in (ears, eyes):
            while stream.line() is not None:
                pass
    assert told.strip() == "", told
