"""Messages for people: a message is a key and facts, and the catalogue of a language makes a sentence of it.

>>> points = Message("truco.points.envido", who=Seat(0), points=2)
>>> catalogue("en").say(points, ["Ana", "Rui"])
'Ana scores 2 points for envido'

A template has `{fact}`; `{n|point|points}`, which picks the first where n is 1; `{share:%}`, a share in percent;
`{x:2}`, two decimals, as the language writes them; and `{{`, `}}` for braces.  The browser does the same
(web/pages/i18n.js).
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bolicho.errors import BadInput, unknown

LANGUAGES = ("en", "pt", "es")
"""English, Portuguese of Brazil, Spanish."""

HERE = Path(__file__).parent
_FIELD = re.compile(r"\{\{|\}\}|\{(\w+)(?:\|([^|{}]*)\|([^|{}]*)|:(%|\d))?\}")


@dataclass(frozen=True)
class Seat:
    """Seat in a message, replaced by the name of its player."""

    number: int


@dataclass(frozen=True)
class Several:
    """Facts in a row: `a, b and c`."""

    facts: Sequence["Fact"]
    joined: str = "and"  # "and", "or" or ","


class Message:
    """Key of a template, and the facts that fill it."""

    __slots__ = ("_json", "facts", "key")

    def __init__(self, key: str, /, **facts: "Fact") -> None:
        self.key = key
        self.facts = facts
        self._json: list[Any] | None = None

    def __repr__(self) -> str:
        return f"Message({self.key!r}{''.join(f', {name}={fact!r}' for name, fact in self.facts.items())})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Message) and (self.key, self.facts) == (other.key, other.facts)

    def __hash__(self) -> int:
        return hash(self.key)

    def as_json(self) -> list[Any]:
        """Return [key, facts] for programs and pages; always the same list, which must not be changed."""
        if self._json is None:
            self._json = [self.key, {name: _json(fact) for name, fact in self.facts.items()}]
        return self._json


Fact = int | float | str | Message | Seat | Several


def plain(text: str) -> Message:
    """Return a message with the same text in every language."""
    return Message("terminal.plain", text=text)


def _json(fact: Fact) -> Any:
    match fact:
        case Message():
            return fact.as_json()
        case Seat():
            return {"seat": fact.number}
        case Several():
            return {"several": [_json(one) for one in fact.facts], "with": fact.joined}
        case _:
            return fact


class Catalogue:
    """Templates of one language, which make sentences of messages."""

    def __init__(self, language: str, templates: Mapping[str, str]) -> None:
        self.language = language
        self.templates = templates

    def say(self, said: Message, names: Sequence[str] = ()) -> str:
        """Return the sentence of a message; `names` are those of the seats."""
        if said.key not in self.templates:
            raise BadInput(f"the catalogue {self.language!r} lacks the key {said.key!r}")

        def fill(field: re.Match[str]) -> str:
            name, one, many, form = field.groups()
            if name is None:
                return field[0][0]
            if name not in said.facts:
                raise BadInput(f"{said.key!r} of the catalogue {self.language!r} needs the fact {name!r}")
            fact = said.facts[name]
            if one is not None:
                return one if fact == 1 else many
            return self._number(fact, form) if form else self._fact(fact, names)

        return _FIELD.sub(fill, self.templates[said.key])

    def _fact(self, fact: Fact, names: Sequence[str]) -> str:
        match fact:
            case Message():
                return self.say(fact, names)
            case Seat():
                return names[fact.number] if fact.number < len(names) else str(fact.number)
            case Several():
                return self._several([self._fact(one, names) for one in fact.facts], fact.joined)
            case float():  # as in the browser, where JSON's 2.0 is 2
                return self._number(fact, "0" if fact.is_integer() else "2")
            case _:
                return str(fact)

    def _several(self, parts: list[str], joined: str) -> str:
        if len(parts) < 2 or joined == ",":
            return ", ".join(parts)
        return f"{', '.join(parts[:-1])} {self.templates[f'page.{joined}']} {parts[-1]}"

    def _number(self, fact: Any, form: str) -> str:
        text = f"{100 * fact:.0f}%" if form == "%" else f"{fact:.{form}f}"
        return text if self.language == "en" else text.replace(".", ",")


class Refused(BadInput):
    """Bad input at a table: `said` in any language, the exception's own text in English."""

    def __init__(self, said: Message, sentence: str = "") -> None:
        super().__init__(sentence or catalogue("en").say(said))
        self.said = said

    def __reduce__(self) -> tuple[type["Refused"], tuple[Message, str]]:
        return Refused, (self.said, str(self))


def columns(rows: Sequence[tuple[str, str]]) -> list[str]:
    """Return lines of labels and texts, with the texts aligned."""
    width = max([7, *(len(label) for label, _ in rows)])
    return [f"  {label:<{width}} {text}" for label, text in rows]


def sections(language: str) -> list[Path]:
    """Return the files of a catalogue."""
    return sorted((HERE / language).glob("*.json"))


def preferred(environment: Mapping[str, str]) -> str:
    """Return the language of an environment (`LANG=pt_BR.UTF-8`), or English."""
    asked = next((environment[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(name)), "")
    return asked[:2] if asked[:2] in LANGUAGES else LANGUAGES[0]


@cache
def catalogue(language: str) -> Catalogue:
    """Return the catalogue of a language."""
    if language not in LANGUAGES:
        raise unknown("language", language, LANGUAGES)
    templates: dict[str, str] = {}
    for file in sections(language):
        templates |= json.loads(file.read_text(encoding="utf-8"))
    return Catalogue(language, templates)
