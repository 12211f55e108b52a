"""Lab for agents that play partial-information table games: Truco Gaúcho, dominoes, 7 Wonders.

>>> import bolicho
>>> table = bolicho.game("truco").deal(seed=7)
>>> table.play(table.legal[0])
>>> table.turn
1

`bolicho.kit` has what authors of games, agents and techniques need beside these names.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bolicho.agents.agent import Agent, Explanation
    from bolicho.agents.agent import agent as agent
    from bolicho.agents.check import check_agent
    from bolicho.arena.here import tournament
    from bolicho.errors import BadInput, IllegalAction
    from bolicho.games import game
    from bolicho.games.check import check_game
    from bolicho.games.game import Action, Game, Table, View
    from bolicho.games.record import read_records, replay

__version__ = "0.3.0"

_HOMES = {
    "Action": "bolicho.games.game",
    "Agent": "bolicho.agents.agent",
    "BadInput": "bolicho.errors",
    "Explanation": "bolicho.agents.agent",
    "Game": "bolicho.games.game",
    "IllegalAction": "bolicho.errors",
    "Table": "bolicho.games.game",
    "View": "bolicho.games.game",
    "agent": "bolicho.agents.agent",
    "check_agent": "bolicho.agents.check",
    "check_game": "bolicho.games.check",
    "game": "bolicho.games",
    "read_records": "bolicho.games.record",
    "replay": "bolicho.games.record",
    "tournament": "bolicho.arena.here",
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
