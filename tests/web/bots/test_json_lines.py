"""End of streams: with the reader, with a slow reader, and with the server."""

import asyncio

import pytest

from bolicho.web.bots import json_lines
from bolicho.web.bots.json_lines import HEARTBEAT, Lines, Mailbox, Streams
from bolicho.web.refusal import Refusal


async def endless():
    while True:
        yield "a line"
        await asyncio.sleep(0)


async def forever(*_):
    await asyncio.Event().wait()


def run(lines, receive, send):
    """Send these lines, and return whether the stream called its callback at the end."""
    done = []

    async def answer():
        async with asyncio.timeout(30):
            await Lines(lines, lambda: done.append(True))({}, receive, send)

    asyncio.run(answer())
    return done == [True]


def test_stream_of_a_slow_reader_is_closed(monkeypatch):
    monkeypatch.setattr(json_lines, "SLOW", 0.02)
    sent = []

    async def send(message):
        sent.append(message)
        if len(sent) > 3:
            await forever()

    assert run(endless(), forever, send)
    assert len(sent) == 4 and b"content-length" not in dict(sent[0]["headers"])


def test_stream_ends_when_its_reader_disconnects():
    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        while len(sent) < 5:
            await asyncio.sleep(0)
        return {"type": "http.disconnect"}

    assert run(endless(), receive, send)


def test_finished_stream_sends_an_empty_last_body():
    sent = []

    async def two():
        yield "a"
        yield ""

    async def send(message):
        sent.append((message.get("body"), message.get("more_body")))

    assert run(two(), forever, send)
    assert sent[1:] == [(b"a\n", True), (b"\n", True), (b"", False)]


def test_messages_are_taken_in_order_until_the_end(monkeypatch):
    monkeypatch.setattr(json_lines, "HEARTBEAT", 0.01)
    assert HEARTBEAT < 10

    async def take():
        box = Mailbox()
        sending = asyncio.ensure_future(box.send_text("a"))
        taken = [await box.take(), await box.take()]
        await sending
        box.ended.set()
        return [*taken, await box.take()]

    assert asyncio.run(take()) == ["a", "", None]


def test_streams_are_counted_by_token_and_none_opens_when_the_server_ends():
    async def count():
        open_here = Streams()
        with (
            open_here.counted("a", 1),
            open_here.counted("b", 1),
            pytest.raises(Refusal),
            open_here.counted("a", 1),
        ):
            pass
        with open_here.counted("a", 1), open_here.mailbox() as box:
            open_here.end()
            assert await box.take() is None
        with pytest.raises(Refusal), open_here.counted("a", 1):
            pass

    asyncio.run(count())
