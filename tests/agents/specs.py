"""Specs of the agents of the package for tests, derived from the techniques that declare them."""

from bolicho.agents.registry import Entry, built_in_entries

LIMITS = {
    "alphabeta": "nodes=300",
    "mcts": "iterations=20",
    "infer": "iterations=20, worlds=20",
    "open-mcts": "iterations=20",
    "pimc-search": "worlds=3, nodes=100",
    "pimc": "worlds=3",
}
"""Options of agents with a time limit by default: limits in other units than time."""

ELSEWHERE = ("human", "llm", "remote")
"""Agents whose decisions are made outside this process."""


def quick(name: str) -> str:
    """Return the spec of an agent that decides within milliseconds and the same each time."""
    return f"{name}({LIMITS[name]})" if name in LIMITS else name


def playing(game: str) -> list[Entry]:
    """Return the agents of the package that play a game with its default rules and decide in this process."""
    return [entry for entry in built_in_entries() if entry.name not in ELSEWHERE and entry.plays(game)]


def one_of_each(game: str) -> list[str]:
    """Return the specs of the agents that play a game, one for each class or factory."""
    return [quick(name) for name in {entry.home: entry.name for entry in reversed(playing(game))}.values()]
