"""Scripted chat-completions endpoint on loopback: correct, slow, lying, dying, rate limiting or pouring out text.

A script is a function of the request that returns an answer: a text, or a `Raw` response. The default one plays the
legal action that the hash of the conversation picks, so it is deterministic and differs from position to position.
"""

import json
import re
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "sk-secret-0123456789"


@dataclass
class Raw:
    """Response as it is sent."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    wait: float = 0.0
    hang_up: bool = False


def legal(request: dict[str, Any]) -> list[str]:
    """Return the legal actions that the last message lists."""
    listed = re.findall(r"^The legal actions are exactly: (.*)\.$", request["messages"][-1]["content"], re.MULTILINE)
    return listed[-1].split(", ")


def picked(request: dict[str, Any]) -> str:
    choices = legal(request)
    asked = json.dumps([request["messages"], request.get("seed")]).encode()
    return choices[int(sha256(asked).hexdigest(), 16) % len(choices)]


def plays(request: dict[str, Any]) -> str:
    """Answer with a legal action."""
    return f"ACTION: {picked(request)}"


def completion(content: Any, tokens: tuple[int, int] = (100, 10)) -> bytes:
    usage = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    return json.dumps({"object": "chat.completion", "choices": [choice], "usage": usage}).encode()


class Scripted(ThreadingHTTPServer):
    """Endpoint that answers by a script, and notes what it was asked."""

    daemon_threads = True

    def __init__(self, script: Callable[[dict[str, Any]], str | Raw], port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.script = script
        self.requests: list[dict[str, Any]] = []
        self.keys: set[str | None] = set()
        self.most_at_once = self.at_once = 0
        self.lock = threading.Lock()
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that leave."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Scripted

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        server = self.server
        with server.lock:
            server.requests.append(request)
            server.keys.add(self.headers["authorization"])
            server.at_once += 1
            server.most_at_once = max(server.most_at_once, server.at_once)
        try:
            assert self.path == "/v1/chat/completions"
            said = server.script(request)
            raw = said if isinstance(said, Raw) else Raw(completion(said))
            time.sleep(raw.wait)
            if raw.hang_up:
                self.close_connection = True
                return
            self.send_response(raw.status)
            for name, value in {"content-length": str(len(raw.body)), **raw.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(raw.body)
        finally:
            with server.lock:
                server.at_once -= 1

    def log_message(self, *about: Any) -> None:
        """Write nothing."""


@contextmanager
def endpoint(monkeypatch, script=plays, key=KEY, port=0):
    """Run a scripted endpoint whose address and key are in the environment."""
    server = Scripted(script, port)
    monkeypatch.setenv("BOLICHO_LLM_URL", server.url)
    monkeypatch.setenv("BOLICHO_LLM_KEY", key)
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
