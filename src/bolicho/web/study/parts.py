"""Parts of a plan: what a study shows, plays and asks."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from bolicho.games import game as make_game
from bolicho.games.game import Game
from bolicho.store import export_schema
from bolicho.web.study.questions import Question, Text

PERSON = export_schema.PERSON
"""Name, among the agents of a plan, of an opponent that is another participant."""


@dataclass(frozen=True)
class Person:
    """Terms on which participants play against each other."""

    wait: int  # seconds that a participant waits for another one
    instead: str | None  # agent that plays when the wait is over; None: skip the match
    meetings: int  # matches that the same pair may play
    clock: int  # seconds of thinking time for each seat in a match


@dataclass(frozen=True)
class Sees:
    """Information that a study shows to participants."""

    names: str = "neutral"  # or "agents"
    why: bool = False
    hint: bool = False
    pace: int | None = None  # milliseconds between two shown events; None: no pacing


@dataclass(frozen=True)
class Practice:
    """Practice match, which is not part of the results."""

    agent: str
    rules: Mapping[str, Any]


@dataclass(frozen=True)
class Consent:
    """Consent that a participant gives."""

    version: str
    text: Text
    seconds: int = 0  # least time to read it; who was faster is reported


@dataclass(frozen=True)
class Instructions:
    """Instructions to participants."""

    text: Text
    seconds: int = 0  # least time to read them; who was faster is reported


@dataclass(frozen=True)
class Debriefing:
    """Text after the last question; with `names`, also which agent each opponent was."""

    text: Text
    names: bool


@dataclass(frozen=True)
class Panel:
    """Codes and links that lead participants back to the panel that sent them.

    In a link, the browser replaces `{id}` by the identifier that the panel put into the address of the study; the
    server never reads it.
    """

    code: str | None  # shown at the end
    link: str | None  # followed at the end
    declined: str | None  # link to follow without consent


@dataclass(frozen=True)
class Grow:
    """Case base that grows from participants' hands: the base it starts from and the matches between two steps."""

    base: str
    every: int
    scripted: bool  # True if hands of scripted participants count too


@dataclass(frozen=True)
class Plan:
    """Plan of a study."""

    title: Text
    game: str
    rules: Mapping[str, Any]
    opponents: tuple[str, ...]
    person: Person | None
    matches: int
    order: str
    target: int
    ends: date | None
    languages: tuple[str, ...]
    lost_after: float  # hours
    retention: date
    room: str | None
    sees: Sees
    practice: Practice | None
    consent: Consent
    instructions: Instructions
    questions: tuple[Question, ...]
    is_shuffled: bool  # True if each participant gets the questions of a page in an order of their own
    signals: bool  # True if pages report signs of automated participation
    debriefing: Debriefing | None
    thanks: Text
    panel: Panel | None
    grow: Grow | None

    @property
    def agents(self) -> tuple[str, ...]:
        """Return the agents that a participant may meet outside the practice."""
        instead = self.person.instead if self.person else None
        return tuple(dict.fromkeys([spec for spec in (*self.opponents, instead) if spec not in (PERSON, None)]))

    def asked(self, when: str) -> list[Question]:
        """Return the questions of a moment."""
        return [question for question in self.questions if question.when == when]

    @property
    def texts(self) -> Iterator[tuple[str, str, str]]:
        """Yield the texts that participants read: name, language, text."""
        found = {"title": self.title, "[consent]": self.consent.text, "[instructions]": self.instructions.text}
        found |= {} if self.debriefing is None else {"[debriefing]": self.debriefing.text}
        found |= {"[thanks]": self.thanks}
        for question in self.questions:
            place = f"question {question.name}"
            ends = {"low": question.low, "high": question.high}
            found |= {place: question.text, **{f"{place}, {name}": text for name, text in ends.items() if text}}
            found |= {f"{place}, choice {value}": text for value, text in question.choices}
        for name, text in found.items():
            for language in self.languages:
                yield name, language, text[language]

    @property
    def blanks(self) -> list[tuple[str, str, str]]:
        """Return the places that the researcher still has to fill in: name of the text, language, `[what]`."""
        return [
            (name, language, blank)
            for name, language, text in self.texts
            for blank in re.findall(r"\[[^\[\]\n]+\]", text)
        ]

    def make_game(self, practice: bool = False) -> Game:
        """Return the game of the practice or of the counted matches."""
        more = self.practice.rules if practice and self.practice else {}
        return make_game(self.game, **{**self.rules, **more})

    def has_ended(self, now: float) -> bool:
        """Return whether the last day has passed."""
        return self.ends is not None and datetime.fromtimestamp(now, UTC).date() > self.ends
