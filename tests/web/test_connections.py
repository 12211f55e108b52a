"""Connections at the level of bytes: protocol upgrades and slow clients."""

import asyncio
import contextlib
import socket
import threading
import time

import pytest
import uvicorn
from fastapi import FastAPI, Request, Response, WebSocket

from bolicho.store.database import open_database
from bolicho.web import websocket
from bolicho.web.app import make_app
from bolicho.web.app_state import Settings
from bolicho.web.http_protocol import Timeouts
from bolicho.web.serve import configure, listen
from bolicho.web.workers import AgentPool

UPGRADE = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAAB\r\n"
"""The headers that Java's HttpClient adds to a plain request by default."""


# --- Requests that offer HTTP/2 ---------------------------------------------------------------------


class Raw:
    """A connection that sends raw bytes and reads responses."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        self.file = self.socket.makefile("rb")

    def send(self, *parts):
        for part in parts:
            self.socket.sendall(part)

    def answer(self):
        """Return the status and body of the next response, or None if the connection is closed."""
        line = self.file.readline()
        if not line:
            return None
        headers = {}
        while (header := self.file.readline().strip()) != b"":
            name, _, value = header.partition(b":")
            headers[name.lower()] = value.strip()
        return int(line.split()[1]), self.file.read(int(headers[b"content-length"]))

    def closed_after(self):
        """Return the seconds until the server closes the connection."""
        start = time.monotonic()
        with contextlib.suppress(ConnectionError):
            while self.socket.recv(4096):
                pass
        return time.monotonic() - start


@pytest.fixture
def raw(server):
    connection = Raw(server.port)
    yield connection
    connection.file.close()
    connection.socket.close()


class Listening(uvicorn.Server):
    """A server with an event for the end of its startup."""

    def __init__(self, config):
        super().__init__(config)
        self.ready = threading.Event()

    async def startup(self, sockets=None):
        await super().startup(sockets)
        self.ready.set()


class Server:
    """A server in a thread, with given time limits, and by default an application that echoes bodies."""

    def __init__(self, limits, app=None):
        sock, address = listen("127.0.0.1", 0)
        self.port = address.port
        self._sock = sock
        self._server = Listening(configure(app or echoing(), limits))
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [sock]})
        self._thread.start()
        assert self._server.ready.wait(60)

    def close(self):
        self._server.should_exit = True
        self._thread.join()
        self._sock.close()


def echoing():
    app = FastAPI()

    @app.api_route("/", methods=["GET", "POST"])
    async def echo(request: Request):
        return Response(await request.body(), headers={"upgraded": str("upgrade" in request.headers)})

    @app.get("/slow")
    async def slow():
        await asyncio.sleep(0.4)  # longer than any limit of these tests
        return Response("late")

    @app.websocket("/live")
    async def live(wire: WebSocket):
        await wire.accept()
        await wire.receive_text()

    return app


SHORT = Timeouts(head=0.15, body=0.15, idle=0.15, ping=0.1)


@pytest.fixture(scope="module")
def server():
    server = Server(SHORT)
    yield server
    server.close()


def test_get_request_that_offers_http2_is_answered_with_http1(raw):
    for _ in range(2):
        raw.send(b"GET / HTTP/1.1\r\nHost: x\r\n" + UPGRADE + b"\r\n")
        assert raw.answer() == (200, b"")


def test_the_body_of_a_request_that_offers_http2_is_read(raw):
    head = b"POST / HTTP/1.1\r\nHost: x\r\n" + UPGRADE + b"Content-Length: 5\r\n\r\n"
    raw.send(head + b"truco" + b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nok")
    assert [raw.answer(), raw.answer()] == [(200, b"truco"), (200, b"ok")]
    raw.send(head[:50], head[50:], b"fl", b"or!")
    assert raw.answer() == (200, b"flor!")
    chunked = b"POST / HTTP/1.1\r\nHost: x\r\n" + UPGRADE + b"Transfer-Encoding: chunked\r\n\r\n"
    raw.send(chunked + b"6\r\nenvido\r\n", b"0\r\n\r\n")
    assert raw.answer() == (200, b"envido")


def test_connection_closes_after_a_request_with_upgrade_and_close(raw):
    upgrade = UPGRADE.replace(b"Connection: ", b"Connection: close, ")
    raw.send(b"POST / HTTP/1.1\r\nHost: x\r\n" + upgrade + b"Content-Length: 2\r\n\r\nok")
    assert raw.answer() == (200, b"ok") and raw.answer() is None


def test_connect_is_refused(raw):
    raw.send(b"CONNECT example.org:80 HTTP/1.1\r\nHost: example.org:80\r\n\r\n")
    assert raw.answer()[0] == 400


def test_request_that_offers_http2_can_make_a_match(truco):
    body = b'{"game":"truco","seats":[{"who":"me","name":"Ana"},{"who":"agent","agent":"balanced"}]}'
    head = b"POST /api/matches HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" + UPGRADE
    raw = Raw(truco.port)
    raw.send(head + b"Content-Length: %d\r\n\r\n" % len(body) + body)
    status, text = raw.answer()
    assert status == 201 and b'"commit"' in text


# --- Slow clients -----------------------------------------------------------------------------------


def test_a_connection_without_a_request_is_closed(raw):
    assert raw.closed_after() >= SHORT.head * 0.9


@pytest.mark.parametrize("sent", [b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\nA: ", b"\r\n"])
def test_incomplete_headers_are_refused_after_a_timeout(raw, sent):
    raw.send(sent)
    assert raw.answer()[0] == 408 and raw.answer() is None


def test_slow_bytes_do_not_extend_the_time_for_headers(raw):
    raw.send(b"GET / HTTP/1.1\r\nHost: x\r\n")
    with pytest.raises(ConnectionError):
        for _ in range(1000):
            raw.send(b"A")
            raw.socket.settimeout(0.02)
            with contextlib.suppress(TimeoutError):
                raw.socket.recv(1)


def test_incomplete_body_is_refused_after_a_timeout(raw):
    raw.send(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\ntru")
    assert raw.answer()[0] == 408 and raw.answer() is None


def test_idle_connection_is_closed_even_if_it_sends_empty_lines(raw):
    raw.send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    assert raw.answer() == (200, b"")
    raw.send(b"\r\n")
    assert raw.answer()[0] == 408 and raw.answer() is None


def test_response_may_take_longer_than_any_limit(raw):
    raw.send(b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
    assert raw.answer() == (200, b"late")
    raw.send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    assert raw.answer() == (200, b"")


WEBSOCKET = (
    b"GET %s HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)


def test_websocket_that_does_not_answer_pings_is_closed(raw):
    raw.send(WEBSOCKET % b"/live")
    assert raw.file.readline().startswith(b"HTTP/1.1 101")
    assert raw.closed_after() >= SHORT.ping


def test_websocket_that_does_not_send_hello_is_closed(tmp_path, monkeypatch):
    monkeypatch.setattr(websocket, "HELLO", 0.1)
    engine = open_database(str(tmp_path / "matches.db"))
    app = make_app(Settings(str(tmp_path / "matches.db")), AgentPool(["truco"]), engine)
    server = Server(Timeouts(), app)
    try:
        raw = Raw(server.port)
        raw.send(WEBSOCKET % b"/api/matches/abc/live")
        assert raw.file.readline().startswith(b"HTTP/1.1 101")
        assert raw.closed_after() >= 0.09
    finally:
        server.close()
        engine.dispose()
