"""A scripted participant: a program that takes a participant's place, through the API.

All it does is made of a seed: what it plays, what it answers and leaves blank, what it sends twice.
Whatever the server may not do is looked for on the way: an answer that is sent again changes nothing,
another one for a page that is done is refused, and who has withdrawn is known no more.
"""

import http.client
import json
import random
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from bolicho.errors import BadInput
from bolicho.words import Said, words

PATIENCE = 60.0  # seconds for an answer
BLANK, TWICE = 0.1, 0.3  # how often a question is left blank, and a page sent twice
WAITING = 0.2  # seconds between two looks whether another participant has come
LANGUAGE = "en"

Facts = dict[str, Any]


def _is_same(one: Facts, other: Facts) -> bool:
    """Whether nothing has changed in between; who waits for another participant may have been seated meanwhile."""
    if other["step"].get("waiting"):
        return bool(one["step"]["number"] >= other["step"]["number"])
    return one == other


class Broken(RuntimeError):
    """The server did what it may not do."""


@dataclass(frozen=True)
class Leaving:
    """At which step a participant leaves, and how: `vanish`, or `withdraw`."""

    how: str
    step: int


class Line:
    """A connection to a server, which waits where it is told to."""

    def __init__(self, base: str) -> None:
        self._base, address = base, urlsplit(base)
        make = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
        self._wire = make(address.netloc, timeout=PATIENCE)

    def ask(self, method: str, path: str, token: str | None = None, body: Any = None) -> tuple[int, bytes]:
        """Status and body of an answer; who is told to come back later does."""
        headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {token}"} if token else {})
        sent = None if body is None else json.dumps(body)
        for _ in range(100):
            try:
                self._wire.request(method, path, sent, headers)
                answer = self._wire.getresponse()
                told = answer.read()
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                self._wire.close()  # a line that was idle for long
                continue
            except (OSError, http.client.HTTPException) as problem:
                raise BadInput(f"no server answers at {self._base!r}: {problem}") from None
            if answer.status not in (429, 503):
                return answer.status, told
            time.sleep(min(5.0, json.loads(told).get("after", 1.0)))
        raise BadInput(f"the server has no time for {method} {path}")

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
    """The server refuses, in its own words."""

    def __init__(self, status: int, facts: Facts, path: str) -> None:
        self.status, (self.key, given) = status, facts["says"]
        super().__init__(f"{words(LANGUAGE).say(Said(self.key, **given))} ({path})")


class Mind:
    """What a scripted participant decides; what it says does not depend on how its matches go."""

    def __init__(self, seed: str) -> None:
        self._rng = random.Random(seed)
        self._plays = random.Random(f"{seed} at the table")
        self._mood = self._rng.uniform(0.3, 0.8)

    def plays(self, legal: list[str]) -> str:
        """Anything but going away from the hand, unless there is nothing else."""
        return self._plays.choice([one for one in legal if one not in ("baralho", "nao")] or legal)

    def answers(self, items: list[Facts]) -> Facts:
        """What is answered to the questions of a page; None for what is left blank."""
        return {item["name"]: None if self._rng.random() < BLANK else self._answer(item) for item in items}

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
    """A scripted participant of a study, through the API."""

    line: Line
    study: str
    token: str
    mind: Mind
    leaving: Leaving | None = None

    def take_part(self) -> str:
        """All the way to the end, or to where it leaves: `finished`, `vanished` or `withdrawn`."""
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
                raise Broken(f"an answer that was sent again has changed something: step {step['number']}")
            self._change_mind(path, step, answers, told)

    def _change_mind(self, path: str, step: Facts, answers: Facts, told: Facts) -> None:
        """Another answer for a page that is done is refused, and changes nothing."""
        scales = [item for item in step.get("items", []) if item["kind"] == "scale"]
        if not scales:
            return
        item = scales[0]
        other = {**answers, item["name"]: 1 if answers[item["name"]] != 1 else 2}
        status, _ = self.line.ask("POST", f"{path}/me", self.token, {"step": step["number"], "answers": other})
        if status != 409 or not _is_same(self.line.get(f"{path}/me", self.token), told):
            raise Broken(f"another answer for a page that was done was taken: step {step['number']}")

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
        self.line.post(f"{path}/withdraw", self.token, {"sure": True})
        status, _ = self.line.ask("GET", f"{path}/me", self.token)
        if status < 400:
            raise Broken("who has withdrawn is still let in")
        return "withdrawn"
