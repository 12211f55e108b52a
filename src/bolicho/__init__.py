"""Lab for agents that play partial-information table games: Truco Gaúcho, dominoes, 7 Wonders.

>>> import bolicho
>>> table = bolicho.game("truco").deal(seed=7)
>>> table.play(table.legal[0])
>>> table.turn
1

Public names:

- `game(name, **rules)`: a game and its rules
- `agent(spec)`: an agent by its name and options
- `tournament(game, agents)`: agents meet on the same deals, in this process
- `replay(record)`: the table of a recorded game
- `read_records(path)`: the records of a file
- `check_game(game)`: verify that a game keeps the promises of every game
- `check_agent(agent, game)`: verify that an agent keeps the promises of every agent
- `Game`: rules with their options; deals tables
- `Table`: a game under way, with all that is hidden
- `View`: what one seat knows of a table
- `Action`: an action as text that knows its number
- `Agent`: the base class of agents
- `Explanation`: the reasons of a decision
- `BadInput`: the error of everything that a caller can correct
- `IllegalAction`: the error of an action that the rules refuse

Public modules: `bolicho.kit` for authors of games, agents and techniques; `bolicho.vector`, `bolicho.gymnasium`,
`bolicho.pettingzoo` and `bolicho.openspiel` for learners.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bolicho.agents.agent import Agent, Explanation
    from bolicho.agents.check import check_agent
    from bolicho.agents.registry import agent as agent
    from bolicho.arena.inprocess import tournament
    from bolicho.errors import BadInput, IllegalAction
    from bolicho.games import game
    from bolicho.games.check import check_game
    from bolicho.games.game import Game, Table, View
    from bolicho.games.kind import Action
    from bolicho.games.record import read_records, replay

__version__ = "0.3.0"

_HOMES = {
    "Action": "bolicho.games.kind",
    "Agent": "bolicho.agents.agent",
    "BadInput": "bolicho.errors",
    "Explanation": "bolicho.agents.agent",
    "Game": "bolicho.games.game",
    "IllegalAction": "bolicho.errors",
    "Table": "bolicho.games.game",
    "View": "bolicho.games.game",
    "agent": "bolicho.agents.registry",
    "check_agent": "bolicho.agents.check",
    "check_game": "bolicho.games.check",
    "game": "bolicho.games",
    "read_records": "bolicho.games.record",
    "replay": "bolicho.games.record",
    "tournament": "bolicho.arena.inprocess",
}

__all__ = list(_HOMES)


def __dir__() -> list[str]:
    """List the public names, imported or not."""
    return sorted([*__all__, "__doc__", "__version__"])


def __getattr__(name: str) -> Any:
    """Import on first use: `import bolicho` alone does no work."""
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'bolicho' has no attribute {name!r}")
