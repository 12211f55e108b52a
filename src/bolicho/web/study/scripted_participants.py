"""Scripted participant: a program that takes part in a study through the API.

A seed determines what it plays, answers, leaves blank and sends twice.  It also checks the server: repeating an
answer changes nothing, another answer to a finished page is refused, and a withdrawn participant is unknown.
"""

import http.client
import json
import random
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from bolicho.errors import BadInput
from bolicho.i18n import Message, catalogue
from bolicho.web.study.parts import Plan

PATIENCE = 60.0  # seconds for a reply
BLANK, TWICE = 0.1, 0.3  # probabilities that a question is left blank, and that a page is sent twice
WAITING = 0.2  # seconds between two requests while waiting for another participant
LANGUAGE = "en"

Facts = dict[str, Any]


def _is_same(one: Facts, other: Facts) -> bool:
    """Return whether nothing has changed in between; a waiting participant may have been seated meanwhile."""
    if other["step"].get("waiting"):
        return bool(one["step"]["number"] >= other["step"]["number"])
    return one == other


class Broken(RuntimeError):
    """The server violates its contract."""


@dataclass(frozen=True)
class Leaving:
    """Early end of a participant: the step, and `vanish`, `withdraw` or `decline`."""

    how: str
    step: int


class Line:
    """HTTP connection to a server, which repeats requests as the server asks."""

    def __init__(self, base: str) -> None:
        self._base, address = base, urlsplit(base)
        make = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
        self._wire = make(address.netloc, timeout=PATIENCE)

    def ask(self, method: str, path: str, token: str | None = None, body: Any = None) -> tuple[int, bytes]:
        """Return status and body of a reply; after 429 and 503, wait and repeat the request."""
        headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {token}"} if token else {})
        sent = None if body is None else json.dumps(body)
        for _ in range(100):
            try:
                self._wire.request(method, path, sent, headers)
                answer = self._wire.getresponse()
                told = answer.read()
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                self._wire.close()  # the server has closed an idle connection
                continue
            except (OSError, http.client.HTTPException) as problem:
                raise BadInput(f"no server answers at {self._base!r}: {problem}") from None
            if answer.status not in (429, 503):
                return answer.status, told
            time.sleep(min(5.0, json.loads(told).get("after", 1.0)))
        raise BadInput(f"the server is too busy for {method} {path}")

    def get(self, path: str, token: str | None = None) -> Facts:
        return _read(path, *self.ask("GET", path, token))

    def post(self, path: str, token: str, body: Facts) -> Facts:
        return _read(path, *self.ask("POST", path, token, body))

    def close(self) -> None:
        self._wire.close()


def _read(path: str, status: int, told: bytes) -> Facts:
    facts: Facts = json.loads(told)
    if status >= 400:
        raise Refused(status, facts, path)
    return facts


class Refused(BadInput):
    """Refusal of the server, with its message."""

    def __init__(self, status: int, facts: Facts, path: str) -> None:
        self.status, (self.key, given) = status, facts["says"]
        super().__init__(f"{catalogue(LANGUAGE).say(Message(self.key, **given))} ({path})")


CAREFUL, CARELESS, AUTOMATED = "careful", "careless", "automated"
"""Characters: reads and answers; gives one mark everywhere and does not read; acts as a program does in a browser."""

THINKING = {CAREFUL: (0.35, 0.6), CARELESS: (0.05, 0.2), AUTOMATED: (0.0, 0.0)}
"""Shortest and longest decision at a table in a browser, in seconds."""


class Mind:
    """Decisions of a scripted participant; answers do not depend on the course of its matches."""

    def __init__(self, seed: str, character: str = CAREFUL, plan: Plan | None = None) -> None:
        self.character = character
        self._right = {one.name: one.correct for one in plan.questions if one.correct is not None} if plan else {}
        self._least = {"consent": plan.consent.seconds, "instructions": plan.instructions.seconds} if plan else {}
        self._rng = random.Random(seed)
        self._plays = random.Random(f"{seed} at the table")
        self._mood = self._rng.uniform(0.3, 0.8)

    def plays(self, legal: list[str]) -> str:
        """Choose any legal action except leaving the hand, unless there is no other."""
        return self._plays.choice([one for one in legal if one not in ("baralho", "nao")] or legal)

    def answers(self, items: list[Facts]) -> Facts:
        """Return the answers to the questions of a page; None is a blank."""
        return {item["name"]: self._given(item) for item in items}

    def _given(self, item: Facts) -> int | str | None:
        if item["name"] in self._right:
            return self._checked(item)
        if self.character == CARELESS and item["kind"] == "scale":
            return (1 + int(item["points"])) // 2
        return None if self._rng.random() < BLANK else self._answer(item)

    def _checked(self, item: Facts) -> int | str:
        """Return the right answer to a check, or if careless a wrong one."""
        right = self._right[item["name"]]
        values = [one["value"] for one in item.get("choices", [])] if item["kind"] == "choice" else []
        others = [one for one in values or range(1, item["points"] + 1) if one != right]
        chosen: int | str = self._rng.choice(others) if self.character == CARELESS else right
        return chosen

    def thinks(self) -> float:
        """Return how long it thinks at a table in a browser, in seconds."""
        return self._plays.uniform(*THINKING[self.character])

    def reads(self, step: str) -> float:
        """Return how long it reads a page, in seconds."""
        return self._least.get(step, 0) + self._plays.uniform(0.2, 0.6) if self.character == CAREFUL else 0.0

    def _answer(self, item: Facts) -> int | str:
        if item["kind"] == "scale":
            points: int = item["points"]
            return 1 + sum(self._rng.random() < self._mood for _ in range(points - 1))
        if item["kind"] == "choice":
            chosen: str = self._rng.choice(item["choices"])["value"]
            return chosen
        return f"Scripted answer {self._rng.randrange(100)}."

    def sends_twice(self) -> bool:
        return self._rng.random() < TWICE

    def speaks(self, languages: list[str]) -> str:
        return self._rng.choice(languages)


@dataclass
class Participant:
    """Scripted participant of a study, through the API."""

    line: Line
    study: str
    token: str
    mind: Mind
    leaving: Leaving | None = None

    def take_part(self) -> str:
        """Take part until the end, or until it leaves; return how it ended."""
        path = f"/api/studies/{self.study}"
        language = self.mind.speaks(self.line.get(path)["languages"])
        while True:
            me = self.line.get(f"{path}/me", self.token)
            if not me["scripted"]:
                raise Broken(f"{me['code']} is scripted, and the server does not say so")
            step = me["step"]
            if self.leaving is not None and step["number"] >= self.leaving.step:
                return self._leave(path)
            if step["name"] == "thanks":
                return "finished"
            if step.get("waiting"):
                time.sleep(WAITING)
                continue
            if step["name"] in ("practice", "match"):
                self._play(step["match"], step["token"])
            self._answer(path, step, language)

    def _answer(self, path: str, step: Facts, language: str) -> None:
        answers = self.mind.answers(step.get("items", []))
        if step["name"] == "consent":
            answers = {"agree": True, "language": language}
        body = {"step": step["number"], "answers": answers}
        told = self.line.post(f"{path}/me", self.token, body)
        if self.mind.sends_twice():
            if not _is_same(self.line.post(f"{path}/me", self.token, body), told):
                raise Broken(f"repeating an answer changed the state: step {step['number']}")
            self._change_mind(path, step, answers, told)

    def _change_mind(self, path: str, step: Facts, answers: Facts, told: Facts) -> None:
        """Check that another answer to a finished page is refused and changes nothing."""
        scales = [item for item in step.get("items", []) if item["kind"] == "scale"]
        if not scales:
            return
        item = scales[0]
        other = {**answers, item["name"]: 1 if answers[item["name"]] != 1 else 2}
        status, _ = self.line.ask("POST", f"{path}/me", self.token, {"step": step["number"], "answers": other})
        if status != 409 or not _is_same(self.line.get(f"{path}/me", self.token), told):
            raise Broken(f"another answer to a finished page was accepted: step {step['number']}")

    def _play(self, match: str, token: str) -> None:
        path = f"/api/matches/{match}"
        told = self.line.get(f"{path}/view", token)
        while told["state"] != "over":
            legal = [one["action"] for one in told["view"]["legal"]]
            if legal:
                told = self.line.post(f"{path}/moves", token, {"ply": told["ply"], "action": self.mind.plays(legal)})
            elif told["claim"] and told["claim"]["in"] <= 0:  # the other participant has left
                told = self.line.post(f"{path}/claim", token, {})
            else:
                told = self.line.get(f"{path}/view?ply={told['ply']}&wait=20", token)

    def _leave(self, path: str) -> str:
        assert self.leaving is not None
        if self.leaving.how == "vanish":
            return "vanished"
        if self.leaving.how == "decline":
            self.line.post(f"{path}/decline", self.token, {})
            return "declined"
        self.line.post(f"{path}/withdraw", self.token, {"sure": True})
        status, _ = self.line.ask("GET", f"{path}/me", self.token)
        if status < 400:
            raise Broken("a withdrawn participant is still accepted")
        return "withdrawn"
