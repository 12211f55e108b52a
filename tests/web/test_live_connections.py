"""Live connections: decisions of agents, order of messages, and missed views."""

import asyncio
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from bolicho.i18n import Message
from bolicho.web import requests
from bolicho.web.clock import Clock
from bolicho.web.connections import Connections, LiveConnection
from bolicho.web.refusal import Refusal
from bolicho.web.transactions import MatchUpdate


class TransactionThread:
    """Stub that delivers messages before the results of the same transaction."""

    def __init__(self, connections):
        self.connections = connections
        self.asked = 0

    def ask(self, request, background=False):
        future = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_soon(self._deliver, request, future)
        return future

    def _deliver(self, request, future):
        if request.func is requests.thought:
            self.asked += 1
            if self.asked == 1:  # the agent is idle; the same transaction contains a move of its opponent
                self.connections.think("match")
        future.set_result(requests.Progress(more=False, watched=False) if request.func is requests.go_on else None)


def test_move_during_the_transaction_of_an_idle_agent_is_answered():
    async def play():
        connections = Connections(agent_pool=None)
        connections.transactions = transactions = TransactionThread(connections)
        connections.think("match")
        for _ in range(50):
            await asyncio.sleep(0)
        return transactions.asked

    assert asyncio.run(play()) == 2


class Line:
    """A connection that remembers the texts it was sent."""

    def __init__(self):
        self.texts = []

    async def send_text(self, text):
        self.texts.append(text)


def test_newer_view_replaces_older_messages_in_the_queue():
    async def send():
        line = Line()
        guest = LiveConnection(line, "match")
        guest.greet("ply 6", 6)
        guest.push("news of ply 7", 7)
        guest.push("pong")
        guest.greet("ply 8", 8)
        guest.push("news of ply 9", 9)
        await asyncio.sleep(0.01)
        return line.texts

    assert asyncio.run(send()) == ["ply 8", "pong", "news of ply 9"]


class Failing:
    """Stub of the transaction thread that fails once, for a match where an agent acts once."""

    def __init__(self):
        self.left = ["fails", "acts"]

    def ask(self, request, background=False):
        future = asyncio.get_running_loop().create_future()
        if request.func is requests.go_on and self.left[:1] == ["fails"]:
            self.left.pop(0)
            future.set_exception(Refusal(503, Message("server.database"), after=2))
        elif request.func is requests.go_on:
            future.set_result(requests.Progress(more=False, watched=False))
        else:
            self.left.clear()
            future.set_result(None)
        return future


class Quick(Clock):
    """A clock that does not wait."""

    async def sleep(self, seconds):
        await asyncio.sleep(0)


def test_agent_is_asked_again_after_a_failure_while_the_match_is_viewed():
    async def play(is_looked_at):
        connections = Connections(agent_pool=None, clock=Quick())
        connections.transactions = transactions = Failing()
        with connections.next_change("match") if is_looked_at else nullcontext():
            connections.think("match")
            for _ in range(50):
                await asyncio.sleep(0)
        return transactions.left

    assert asyncio.run(play(is_looked_at=True)) == []
    assert asyncio.run(play(is_looked_at=False)) == ["acts"]


class FailsToCommit:
    """Stub of the transaction thread whose first transaction fails after its run; the match is at ply 4."""

    def __init__(self):
        self.asked = 0

    def ask(self, request, background=False):
        self.asked += 1
        future = asyncio.get_running_loop().create_future()
        looked = request(self)
        if self.asked == 1:
            future.set_exception(Refusal(503, Message("server.database"), after=2))
        else:
            future.set_result(looked)
        return future

    now = 0.0

    def match(self, number):
        return SimpleNamespace(ply=4, message=lambda seat, now: f"view of ply 4 for seat {seat}")


@pytest.mark.parametrize("times", [1, 2])
def test_missed_view_is_sent_after_the_first_transaction_for_it_failed(times):
    async def play():
        connections, line = Connections(agent_pool=None, clock=Quick()), Line()
        connections.transactions = FailsToCommit()
        guest = LiveConnection(line, "match")
        connections.join(guest, 0, 3)
        for _ in range(times):
            connections.send_changes(
                [MatchUpdate("match", 4, 4, {0: "news of who is here"}, None)]
            )  # ply 4 itself was missed
        for _ in range(50):
            await asyncio.sleep(0)
        return line.texts, guest.ply, connections.transactions.asked

    assert asyncio.run(play()) == (["view of ply 4 for seat 0"], 4, 2)
