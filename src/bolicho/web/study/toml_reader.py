"""Strict reader of TOML tables; errors name the place."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from bolicho.agents.agent_errors import short
from bolicho.errors import BadInput, unknown
from bolicho.games import game as make_game

SOON = "write for instance"


class Reader:
    """Table of the file with its place; keys that are never read are refused."""

    def __init__(self, table: Any, where: str, languages: Sequence[str] = ()) -> None:
        if not isinstance(table, dict):
            raise BadInput(f"{where} must be a table, not {short(table)}")
        self.table = table
        self.where = where
        self.languages = languages
        self._asked: set[str] = set()

    def at(self, name: str) -> str:
        return f"{self.where}: {name}"

    def take(self, name: str, example: str, default: Any = ...) -> Any:
        """Return the value of a key, or the default; refuse a missing key without a default."""
        self._asked.add(name)
        if name not in self.table:
            if default is ...:
                raise BadInput(f"{self.at(name)} is missing; {SOON} {name} = {example}")
            return default
        return self.table[name]

    def of(self, kind: type, words: str, name: str, example: str, default: Any = ...) -> Any:
        """Return the value of a key, which must have that type."""
        value = self.take(name, example, default)
        if value is not default and type(value) is not kind:
            raise BadInput(f"{self.at(name)} must be {words}, not {short(value)}; {SOON} {name} = {example}")
        return value

    def text(self, name: str, example: str, default: Any = ..., longest: int = 200) -> Any:
        """Return a short text that is not empty."""
        value = self.of(str, "a text", name, example, default)
        if value is not default and not (value.strip() and len(value) <= longest):
            raise BadInput(f"{self.at(name)} must have 1 to {longest} letters, not {len(value.strip())}")
        if value is not default and "\0" in value:
            raise BadInput(f"{self.at(name)} must have no NUL character: PostgreSQL cannot store it")
        return value

    def number(self, name: str, low: int, high: int, default: Any = ...) -> Any:
        """Return a whole number from low to high."""
        value = self.of(int, "a whole number", name, str(low if default in (..., None) else default), default)
        if value is not default and not low <= value <= high:
            raise BadInput(f"{self.at(name)} must be {low} to {high}, not {value}")
        return value

    def flag(self, name: str, default: bool) -> bool:
        return bool(self.of(bool, "true or false", name, "true", default))

    def one_of(self, name: str, known: Sequence[str], default: Any = ...) -> str:
        value = self.of(str, "a text", name, f'"{known[0]}"', default)
        if value not in known:
            raise BadInput(f"{self.where}: {unknown(name, value, known)}")
        return str(value)

    def day(self, name: str, default: Any = ...) -> Any:
        return self.of(date, "a day", name, "2027-01-31", default)

    def words(self, name: str, longest: int = 1000, default: Any = ...) -> Any:
        """Return a text in every language of the study, and in no other."""
        example = "{" + ", ".join(f'{language} = "..."' for language in self.languages) + "}"
        value = self.of(dict, "a table with a text in each language", name, example, default)
        if value is default:
            return value
        for language in self.languages:
            if not isinstance(value.get(language), str) or not value[language].strip():
                raise BadInput(f"{self.at(name)} has no text in {language!r}, a language of the study")
            if len(value[language]) > longest:
                raise BadInput(f"{self.at(name)}.{language} has more than {longest} letters")
        for language in value:
            if language not in self.languages:
                raise BadInput(f"{self.at(name)} has a text in {language!r}, which is not a language of the study")
        return {language: value[language].strip() for language in self.languages}

    def rules(self, name: str, game: str, more: Mapping[str, Any]) -> dict[str, Any]:
        """Return rules of the game that are valid together with `more`."""
        value: dict[str, Any] = self.of(dict, "a table of rules", name, "{}", {})
        try:
            make_game(game, **{**more, **value})
        except (BadInput, TypeError) as problem:
            raise BadInput(f"{self.at(name)}: {problem}") from None
        return value

    def inner(self, name: str, needed: bool) -> "Reader | None":
        """Return an inner table."""
        value = self.take(name, "...", ... if needed else None)
        return None if value is None else Reader(value, f"{self.where}, [{name}]", self.languages)

    def done(self) -> None:
        """Refuse keys that were not read."""
        for name in self.table:
            if name not in self._asked:
                raise BadInput(f"{self.where}: {unknown('key', name, self._asked)}")
