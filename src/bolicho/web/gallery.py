"""The games and the opponents there are, as the home page shows them."""

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy.engine import Connection

from bolicho.agents.agent import Values, Within
from bolicho.games import kind
from bolicho.lab import ratings
from bolicho.store import database
from bolicho.web.thinking import Roster
from bolicho.words import Said

FRESH = 30.0  # seconds that what was counted is taken to be true


def games(names: Iterable[str]) -> list[dict[str, Any]]:
    """The games, their seats and the rules that may vary."""
    kinds = [kind(name) for name in names]
    return [
        {"name": k.name, "title": k.title, "seats": k.seats(k.rules()), "rules": dataclasses.asdict(k.rules())}
        for k in kinds
    ]


_counted: dict[int, tuple[float, dict[tuple[str, str], tuple[int, int]]]] = {}


def records(connection: Connection, moment: float) -> dict[tuple[str, str], tuple[int, int]]:
    """Count how often each agent has won against people here, and how often not; counted now and then.

    `moment` is the monotonic time.
    """
    key = id(connection.engine)
    if key not in _counted or moment - _counted[key][0] > FRESH:
        _counted[key] = (moment, database.against_people(connection))
    return _counted[key][1]


def opponents(roster: Roster, game: str, played: dict[tuple[str, str], tuple[int, int]]) -> list[dict[str, Any]]:
    """Who may be invited, the strongest first where that was measured."""
    rated = {row["agent"]: row for row in ratings.shipped().get(game, [])}
    found = []
    for entry in roster.entries(game):
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


def options(roster: Roster, game: str, bases: Sequence[str] = ()) -> dict[str, dict[str, Any]]:
    """The options that may be chosen of each agent that has any: the default, and `values` or the range of a number."""
    defaults = {entry.name: entry.options for entry in roster.entries(game)}
    return {
        agent: {name: {"default": defaults[agent][name], **values_as_json(one)} for name, one in values.items()}
        for agent, values in roster.option_values(game, bases).items()
    }


def values_as_json(values: Values) -> dict[str, Any]:
    """The values of an option, for a form."""
    if isinstance(values, Within):
        return {"least": values.least, "most": values.most, "whole": type(values.least) is int}
    return {"values": list(values)}


def bots(game: str, names: Iterable[str]) -> list[dict[str, Any]]:
    """Bots that may be challenged, where there is one opponent: a bot has one seat."""
    seats = kind(game).seats(kind(game).rules())
    says = Said("server.bots.here").as_json()
    nothing = {"rating": None, "interval": None, "won": None, "games": None, "record": None}
    return [{"name": name, "bot": True, "says": says, **nothing} for name in names if seats == 2]
