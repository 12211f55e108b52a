"""Requests to a chat-completions endpoint: retries with back-off, and no secret in anything that is kept.

Address and key come from the environment. What is wrong with the set-up or the network (a refused key, an endpoint that
is gone) raises `BadInput`, which stops a run that can be resumed. What is wrong with an answer (late, too large, not
JSON) is the outcome of that decision.
"""

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from queue import SimpleQueue
from time import perf_counter
from typing import Any

from bolicho.agents.remote.http_client import HttpClient, InvalidReply, Late, Reply, Unreachable, read_address
from bolicho.errors import BadInput
from bolicho.strict import read_json

PATH = "/chat/completions"
LARGEST = 1024 * 1024  # bytes of a response
LONGEST = 64 * 1024  # characters of an answer
LONGEST_WAIT = 60.0  # seconds before another try, also if the endpoint asks for more
MOST_TOKENS = 10**8  # a larger count is not believed
BUSY = (408, 409, 425, 429, 500, 502, 503, 504, 529)
"""Statuses after which the same request may succeed."""


@dataclass(frozen=True)
class Completion:
    """Answer of a model, or the reason why there is none."""

    content: str = ""
    failed: str = ""
    tokens: tuple[int, int] = (0, 0)
    seconds: float = 0.0
    tries: int = 0


@dataclass(frozen=True)
class Secrets:
    """Address and key of an endpoint, by the names of two environment variables."""

    url: str
    key: str

    def address(self) -> str:
        """Return the address for requests."""
        base = os.environ.get(self.url, "").rstrip("/")
        if not base:
            raise BadInput(
                f"the environment variable {self.url} has no address of a chat-completions endpoint; "
                f"write for instance {self.url}=http://127.0.0.1:8000/v1"
            )
        return base if base.endswith(PATH) else base + PATH

    def headers(self) -> dict[str, str]:
        """Return the headers of requests: the key, where there is one."""
        key = os.environ.get(self.key, "")
        if not key.isascii() or not key.isprintable():
            raise BadInput(f"the environment variable {self.key} has a key with characters that no header may have")
        return {"authorization": f"Bearer {key}"} if key else {}

    def scrubbed(self, text: str) -> str:
        """Return a text without the key and the address, which an endpoint may repeat."""
        for secret in (os.environ.get(self.key, ""), self._url(), self._host()):
            if len(secret) >= SHORTEST_SECRET:
                text = text.replace(secret, "[removed]")
        return text

    def _url(self) -> str:
        return os.environ.get(self.url, "").rstrip("/")

    def _host(self) -> str:
        return self._url().partition("://")[2].partition("/")[0]


SHORTEST_SECRET = 4  # characters; shorter texts occur everywhere


class Endpoint:
    """Connections to an endpoint, used by several threads."""

    def __init__(self, secrets: Secrets, at_once: int, retries: int, backoff: float) -> None:
        self._secrets = secrets
        self._retries = retries
        self._backoff = backoff
        try:
            address = read_address(secrets.address())
        except BadInput as problem:
            raise BadInput(secrets.scrubbed(str(problem))) from None
        self._lines: SimpleQueue[HttpClient] = SimpleQueue()
        for _ in range(at_once):
            self._lines.put(HttpClient(address, secrets.headers(), LARGEST))

    def ask(self, request: Mapping[str, Any], seconds: float) -> Completion:
        """Return the completion of a request; each try may take this many seconds."""
        body, tries, problem = json.dumps(request, ensure_ascii=False).encode(), 0, ""
        reply: Reply | None = None
        line = self._lines.get()
        try:
            while tries <= self._retries:
                if tries:
                    time.sleep(self._wait(tries, reply))
                tries += 1
                start, reply = perf_counter(), None
                try:
                    reply = line.post(body, seconds)
                except Unreachable as broken:
                    problem = str(broken)
                    continue
                except Late as broken:
                    return Completion(failed=str(broken), seconds=seconds, tries=tries)
                except InvalidReply as broken:
                    return Completion(failed=str(broken), seconds=perf_counter() - start, tries=tries)
                problem = f"answered with status {reply.status}"
                if reply.status == 200:
                    return self._read(reply, perf_counter() - start, tries)
                if reply.status not in BUSY:
                    break
        finally:
            self._lines.put(line)
        raise BadInput(
            self._secrets.scrubbed(f"the endpoint of {request['model']} {problem}, in {tries} tries; ")
            + f"check {self._secrets.url}, {self._secrets.key} and the model; the same command resumes a run"
        )

    def _wait(self, tries: int, reply: Reply | None) -> float:
        """Return the seconds before the next try: as asked by the endpoint, or doubled each time."""
        try:
            asked = float(reply.headers.get("retry-after", "")) if reply is not None else -1.0
        except ValueError:  # a date
            asked = -1.0
        wait = asked if asked >= 0 else self._backoff * 2 ** (tries - 1)
        return min(wait, LONGEST_WAIT)

    def _read(self, reply: Reply, seconds: float, tries: int) -> Completion:
        """Return the completion in a response of status 200."""
        try:
            facts = read_json(reply.body)
            content = _content(facts["choices"][0]["message"]["content"])
        except (BadInput, KeyError, IndexError, TypeError):
            return Completion(failed="answered with no chat completion", seconds=seconds, tries=tries)
        usage = facts.get("usage")
        tokens = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
        content = self._secrets.scrubbed(content)
        if len(content) > LONGEST:
            return Completion("", f"answered with more than {LONGEST} characters", tokens, seconds, tries)
        return Completion(content, "", tokens, seconds, tries)


def _content(value: Any) -> str:
    """Return the text of a message: a text, parts of a text, or nothing."""
    if isinstance(value, list):
        return "".join(part["text"] for part in value if part["type"] == "text")
    if value is None:
        return ""
    if not isinstance(value, str):
        raise TypeError
    return value


def _count(usage: Any, name: str) -> int:
    """Return a number of tokens; 0 where the endpoint states none that can be believed."""
    count = usage.get(name) if isinstance(usage, dict) else None
    return count if type(count) is int and 0 <= count <= MOST_TOKENS else 0
