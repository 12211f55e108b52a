"""Remote bots at the table of the browser: they delay no other match, and forfeit when they fail."""

import asyncio
from contextlib import asynccontextmanager
from functools import partial

import pytest

from bolicho.store.database import open_database
from bolicho.web import connections as connections_of
from bolicho.web import fair_deals, requests
from bolicho.web.connections import Connections
from bolicho.web.requests import RequestedSeat
from bolicho.web.transactions import TransactionThread
from bolicho.web.workers import AgentPool
from tests.agents.remote.strange import answer, body, first, listening, says, silent

OPTIONS = {"why": True, "hint": True, "open_end": True, "clock": None}


@asynccontextmanager
async def opened(url, spec):
    """Open the parts of a server process."""
    engine = open_database(str(url))
    connections = Connections(AgentPool(["truco"], [spec]))
    connections.transactions = TransactionThread(
        engine, connections.agent_pool, connections, asyncio.get_running_loop()
    )
    try:
        yield connections
    finally:
        connections.transactions.close()
        connections.agent_pool.close()
        engine.dispose()


async def made(connections, spec, rules):
    """Make a match of a bot against a person in the second seat."""
    places = [RequestedSeat("agent", agent=spec), RequestedSeat("me", "Ana")]
    ask = partial(requests.make, game="truco", rules=rules, places=places, options=OPTIONS)
    told = await connections.transactions.ask(ask)
    return told["match"], told["seats"][1]["token"]


async def until(connections, match, condition):
    async with asyncio.timeout(300):  # the first decision may compile the agent
        while not condition(await connections.transactions.ask(lambda transaction: transaction.match(match))):
            await asyncio.sleep(0.01)


def test_remote_bot_plays_a_match_to_its_end(tmp_path):
    async def play(spec):
        async with opened(tmp_path / "m.db", spec) as connections:
            match, token = await made(connections, spec, {"target": 2, "flor": False})
            while True:
                await until(connections, match, lambda now: now.state == "over" or now.table.turn == 1)
                now = await connections.transactions.ask(lambda transaction: transaction.match(match))
                if now.state == "over":
                    return now.row.result
                move = partial(requests.move, number=match, token=token, ply=now.ply, action=now.view(1).legal[0])
                await connections.transactions.ask(move)

    with listening(first) as bot:
        result = asyncio.run(play(f"remote(url={bot.url})"))
        assert result["claimed"] is None and "forfeit" not in result and bot.asked > 0


def test_bots_that_do_not_answer_do_not_delay_other_matches(tmp_path):
    async def play(spec):
        async with opened(tmp_path / "m.db", spec) as connections:
            waiting = [await made(connections, spec, {"flor": False}) for _ in range(3)]
            while bot.asked < 3:
                await asyncio.sleep(0.01)
            other, _ = await made(connections, "random", {})
            await until(connections, other, lambda now: now.ply > 0)
            for match, _ in waiting:
                assert (
                    await connections.transactions.ask(lambda transaction, match=match: transaction.match(match))
                ).ply == 0
            bot.ended.set()  # closes the connections without an answer

    with listening(silent) as bot:
        asyncio.run(play(f"remote(url={bot.url}, seconds=60)"))


@pytest.mark.parametrize("reply", [says(), says(answer(body("9z"))), says(b"?")], ids=["gone", "illegal", "nonsense"])
def test_failing_bot_forfeits_and_the_match_can_be_verified(tmp_path, monkeypatch, reply):
    monkeypatch.setattr(connections_of, "RETRY_PAUSES", (0.0, 0.0, 0.0))

    async def play(spec):
        async with opened(tmp_path / "m.db", spec) as connections:
            match, _ = await made(connections, spec, {"flor": False})
            await until(connections, match, lambda now: now.state == "over")
            return await connections.transactions.ask(
                lambda transaction: (transaction.match(match).whole_record(), transaction.again(match).row)
            )

    with listening(reply) as bot:
        record, row = asyncio.run(play(f"remote(url={bot.url}, seconds=5)"))
        assert bot.asked == 3, "a failing bot is asked three times"
    result = record["result"]
    assert fair_deals.check_record(record)
    assert result["winners"] == [1] and result["forfeit"] == 0 and row.ended is not None
    assert row.result == result and row.claimed == result["claimed"] == 1


def test_bot_gets_the_same_request_again_after_a_restart(tmp_path):
    asked = []

    def note(line, question, ended):
        asked.append(question)
        silent(line, question, ended)

    async def begin(spec):
        async with opened(tmp_path / "m.db", spec) as connections:
            match, _ = await made(connections, spec, {"flor": False})
            while not asked:
                await asyncio.sleep(0.01)
            return match

    async def go_on(spec, match):
        async with opened(tmp_path / "m.db", spec) as connections:
            connections.think(match)
            while len(asked) < 2:
                await asyncio.sleep(0.01)

    with listening(note) as bot:
        spec = f"remote(url={bot.url}, seconds=2)"
        match = asyncio.run(begin(spec))
        asyncio.run(go_on(spec, match))
    assert asked[0] == asked[1]
