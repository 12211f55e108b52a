"""Agent, Explanation, and the registry that turns `"pvcnps(base=learned)"` into an agent.

An agent is anything with `act(view, rng)`; deriving from `Agent` gives the rest:

>>> from bolicho import Agent
>>> class First(Agent):
...     "Always the first legal action."
...     def act(self, view, rng):
...         return view.legal[0]
"""

import ast
import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import numpy as np

from bolicho.errors import BadInput, unknown
from bolicho.games.game import Action, Game, View

Choice = Action | str | int


@dataclass(frozen=True)
class Explanation:
    """What a decision rests on: a sentence and, for who wants more, lines for people; facts for programs (JSON)."""

    sentence: str
    facts: dict[str, Any] = field(default_factory=dict)
    lines: tuple[str, ...] = ()


class Agent:
    """A player.  Override `act`; the rest has a default that does nothing."""

    games: tuple[str, ...] | None = None
    """The games it plays; None for every game."""

    oracle: bool = False
    """Whether it is handed the full state.  For measuring only."""

    def begin(self, game: Game, seat: int) -> None:
        """A game begins; called before the first view."""

    def act(self, view: View, rng: np.random.Generator) -> Choice:
        """One of `view.legal`, itself, as text or as number.  All chance comes from `rng`."""
        raise NotImplementedError(f"{type(self).__name__} does not say how it acts")

    def end(self, view: View) -> None:
        """The game is over; the last view."""

    def explain(self) -> Explanation | None:
        """What the last decision rested on, where the agent can tell."""
        return None

    def files(self, game: Game) -> Sequence[Path]:
        """The files it plays that game from, beside those its options name: when they change, it is another agent."""
        return ()


# --- The registry -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Entry:
    """A name in the registry: where its class or factory stands, and what it presets."""

    name: str
    home: str  # "module:attribute"
    games: tuple[str, ...] | None  # None: every game
    preset: tuple[tuple[str, Any], ...] = ()
    words: str = ""  # what it does, where the factory's own words are too general

    def factory(self) -> Callable[..., Agent]:
        module, attribute = self.home.split(":")
        made: Callable[..., Agent] = getattr(import_module(module), attribute)
        return made

    @property
    def about(self) -> str:
        """What it does, in a line."""
        return self.words or (inspect.getdoc(self.factory()) or "").split("\n")[0]

    @property
    def options(self) -> dict[str, Any]:
        """The options it takes, with their defaults."""
        parameters = inspect.signature(self.factory()).parameters.values()
        preset = dict(self.preset)
        return {p.name: p.default for p in parameters if p.name not in preset and p.default is not p.empty}


def entries() -> Iterator[Entry]:
    """Every agent there is, those of installed plug-ins included."""
    from bolicho.agents.catalogue import CATALOGUE

    yield from CATALOGUE
    for point in entry_points(group="bolicho.agents"):
        yield Entry(point.name, point.value, getattr(point.load(), "games", None))


def agent_names(game: str | None = None) -> list[str]:
    """The names of the agents that play `game` (or any game)."""
    return [entry.name for entry in entries() if game is None or entry.games is None or game in entry.games]


_SPEC = re.compile(r"\s*([A-Za-z_][\w.-]*(?::[A-Za-z_]\w*)?)\s*(?:\((.*)\))?\s*", re.DOTALL)


def parse_spec(spec: str) -> tuple[str, dict[str, Any]]:
    """`"mcts(iterations=100)"` as a name and its options.

    >>> parse_spec("pvcnps(base=learned, threshold=0.9)")
    ('pvcnps', {'base': 'learned', 'threshold': 0.9})
    """
    match = _SPEC.fullmatch(spec)
    if not match:
        raise BadInput(f"cannot read the agent {spec!r}; write a name, or a name with options: name(option=value)")
    name, inside = match.groups()
    options: dict[str, Any] = {}
    for part in _split(inside or ""):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not key.isidentifier() or not value:
            raise BadInput(f"cannot read {part.strip()!r} in the agent {spec!r}; write option=value")
        if key in options:
            raise BadInput(f"the agent {spec!r} gives {key} twice")
        options[key] = _value(value)
    return name, options


def _split(text: str) -> list[str]:
    """Split at commas that are not inside brackets."""
    parts, depth, start = [], 0, 0
    for i, letter in enumerate(text):
        depth += letter in "([" and 1
        depth -= letter in ")]" and 1
        if letter == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [part for part in [*parts, text[start:]] if part.strip()]


def _value(text: str) -> Any:
    """A Python literal, `true`/`false`, or the text itself."""
    if text in ("true", "false"):
        return text == "true"
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def write_spec(name: str, options: dict[str, Any]) -> str:
    """The canonical spec: options sorted, nothing quoted that need not be."""
    inside = ", ".join(f"{key}={value}" for key, value in sorted(options.items()))
    return f"{name}({inside})" if inside else name


def find(name: str, game: str | None = None) -> Entry:
    """The registry's entry for a name, or for a class as "module:Class"."""
    if ":" in name:
        return Entry(name, name, None)
    for entry in entries():
        if entry.name == name and (game is None or entry.games is None or game in entry.games):
            return entry
    for entry in entries():
        if entry.name == name:
            raise BadInput(f"the agent {name} does not play {game}; it plays {', '.join(entry.games or ())}")
    raise unknown("agent", name, agent_names(game))


def agent(spec: str, game: str | None = None) -> Agent:
    """The agent a spec names: `"balanced"`, `"mcts(iterations=100)"`, `"my_module:MyAgent"`."""
    name, options = parse_spec(spec)
    entry = find(name, game)
    try:
        factory = entry.factory()
    except (ImportError, AttributeError) as problem:
        raise BadInput(f"cannot load the agent {name!r}: {problem}") from None
    known = entry.options
    for key, value in options.items():
        if key not in known:
            raise unknown(f"option of {name}", key, known)
        default = known[key]
        if isinstance(default, float) and type(value) is int:
            options[key] = float(value)
        elif default is not None and type(options[key]) is not type(default):
            kind = type(default).__name__
            raise BadInput(f"option {key} of {name} must be {kind} (default {default!r}), not {value!r}")
    return factory(**{**dict(entry.preset), **options})
