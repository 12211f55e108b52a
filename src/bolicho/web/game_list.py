"""Games and opponents of the server, as the home page shows them."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from pydantic import BaseModel, Field
from sqlalchemy.engine import Connection

from bolicho.agents.agent import Values, Within
from bolicho.agents.registry import Entry
from bolicho.games import kind
from bolicho.games.kind import Kind
from bolicho.i18n import LANGUAGES, Message, catalogue
from bolicho.lab import ratings
from bolicho.store import database
from bolicho.web.rendering import is_drawn, look_of
from bolicho.web.workers import AgentPool

FRESH = 30.0  # seconds for which counted results are reused


class Rule(BaseModel):
    """Rule that may vary."""

    type: Annotated[Literal["bool", "int", "float", "str"], Field(description="type of its values")]
    default: bool | int | float | str
    choices: Annotated[list[bool | int | float | str] | None, Field(description="all values, if they are listed")]


class ActionResponse(BaseModel):
    """Action of a game."""

    action: Annotated[str, Field(description="the text to send")]
    names: Annotated[dict[str, str], Field(description="its name, by language; without a name, the text")]


class GameResponse(BaseModel):
    """Game of this server."""

    name: Annotated[str, Field(description="the name for requests; for a game by address, `module:KIND`")]
    title: Annotated[str, Field(description="one line in English: a name, and optionally a colon and a description")]
    seats: Annotated[int, Field(description="seats under the default rules")]
    seat_numbers: Annotated[list[int], Field(description="all possible numbers of seats")]
    seats_rule: Annotated[str | None, Field(description="the rule that sets the number of seats, if any")]
    rules: dict[str, Rule]
    actions: Annotated[
        list[ActionResponse] | None, Field(description="all actions; null if their texts depend on the position")
    ]
    look: Annotated[str, Field(description="the page module that draws it; `generic` for games without their own")]
    drawn: Annotated[bool, Field(description="whether views of seats have an `svg`, which the generic table shows")]
    agents: Annotated[list[str], Field(description="the built-in agents that play it")]


class Games(BaseModel):
    """Games of this server."""

    games: list[GameResponse]


def games(agent_pool: AgentPool) -> dict[str, Any]:
    """Return the served games, as `Games`."""
    return {
        "games": [told_of(name, tuple(entry.name for entry in agent_pool.entries(name))) for name in agent_pool.games]
    }


@cache
def told_of(name: str, agents: tuple[str, ...]) -> dict[str, Any]:
    """Return a game with these agents, as `GameResponse`."""
    known = kind(name)
    rules = _rules(known)
    seats = _seats(known, rules)
    default = known.seats(known.rules())
    seats_rule = next((rule for rule, found in seats.items() if found == rules[rule]["choices"]), None)
    return {
        "name": name,
        "title": known.title,
        "seats": default,
        "seat_numbers": sorted({default}.union(*seats.values())),
        "seats_rule": seats_rule,
        "rules": rules,
        "actions": _actions(known),
        "look": look_of(known),
        "drawn": is_drawn(known),
        "agents": list(agents),
    }


def _rules(known: Kind) -> dict[str, Any]:
    """Return the rules of a game: their types, defaults and values."""
    hints = get_type_hints(known.rules)
    told = {}
    for field in dataclasses.fields(known.rules):
        hint = hints[field.name]
        choices = dict(known.choices).get(field.name, get_args(hint) if get_origin(hint) is Literal else ())
        told[field.name] = {
            "type": type(field.default).__name__,
            "default": field.default,
            "choices": list(choices) or None,
        }
    return told


def _seats(known: Kind, rules: dict[str, Any]) -> dict[str, list[int]]:
    """Return the numbers of seats by rule and value, for rules that change them, with defaults for the others."""
    default = known.seats(known.rules())
    found = {
        name: [known.seats(dataclasses.replace(known.rules(), **{name: value})) for value in rule["choices"]]
        for name, rule in rules.items()
        if rule["choices"]
    }
    return {name: numbers for name, numbers in found.items() if set(numbers) != {default}}


def _actions(known: Kind) -> list[dict[str, Any]] | None:
    """Return all actions of a game with their names, if their texts do not depend on the position."""
    if known.texts is None:
        return None
    blank = known.blank(known.rules())[0]
    said = {text: known.name_action(blank, text) for text in known.texts}
    return [
        {"action": text, "names": {language: catalogue(language).say(name) for language in LANGUAGES}}
        for text, name in said.items()
    ]


_counted: dict[int, tuple[float, dict[tuple[str, str], tuple[int, int]]]] = {}


def records(connection: Connection, moment: float) -> dict[tuple[str, str], tuple[int, int]]:
    """Count each agent's wins against people, and its other results; counts are reused for a while.

    `moment` is the monotonic time.
    """
    key = id(connection.engine)
    if key not in _counted or moment - _counted[key][0] > FRESH:
        _counted[key] = (moment, database.against_people(connection))
    return _counted[key][1]


def opponents(
    game: str, entries: Iterable[Entry], played: Mapping[tuple[str, str], tuple[int, int]]
) -> list[dict[str, Any]]:
    """Return these agents of a game, the strongest first as far as measured; `played` as by `records`."""
    rated = {row["agent"]: row for row in ratings.shipped().get(game, [])}
    found = []
    for entry in entries:
        won, lost = played.get((game, entry.name), (0, 0))
        row = rated.get(entry.name, {})
        found.append(
            {
                "name": entry.name,
                "says": entry.says.as_json(),
                **{name: row.get(name) for name in ("rating", "interval", "won", "games")},
                "record": {"won": won, "lost": lost},
            }
        )
    return sorted(found, key=lambda agent: -(agent["rating"] or 0))


def options(agent_pool: AgentPool, game: str, bases: Sequence[str] = ()) -> dict[str, dict[str, Any]]:
    """Return the options of each agent that may be chosen: the default, and `values` or the range of a number."""
    defaults = {entry.name: entry.options for entry in agent_pool.entries(game)}
    return {
        agent: {name: {"default": defaults[agent][name], **values_as_json(one)} for name, one in values.items()}
        for agent, values in agent_pool.option_values(game, bases).items()
    }


def values_as_json(values: Values) -> dict[str, Any]:
    """Return the values of an option, for a form."""
    if isinstance(values, Within):
        return {"least": values.least, "most": values.most, "whole": type(values.least) is int}
    return {"values": list(values)}


def bots(game: str, names: Iterable[str]) -> list[dict[str, Any]]:
    """Return the bots that may be challenged, for a game with two seats, since a bot has one seat."""
    seats = kind(game).seats(kind(game).rules())
    says = Message("server.bots.here").as_json()
    nothing = {"rating": None, "interval": None, "won": None, "games": None, "record": None}
    return [{"name": name, "bot": True, "says": says, **nothing} for name in names if seats == 2]
