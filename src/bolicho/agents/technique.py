"""Declaration of a technique: its agents, trainings, game-specific code and matrix rows, in the technique's package.

A package `agents/NAME/__init__.py` declares `TECHNIQUE = Technique(...)`; an external package registers the same object
under the entry point `bolicho.techniques`. Strings "module:attribute" name code, so that nothing is imported before it
is needed. The identity of a run covers the modules in the strings of `bindings` as well as imports (`bolicho.sources`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from bolicho.errors import BadInput, unknown
from bolicho.i18n import Message

BUILT_IN = ("basic", "remote", "llm", "rules", "search", "sarsa", "neural", "policy", "cbr", "cfr", "markov")
"""Packages below `bolicho.agents` that declare a technique, in the order of tables."""

GROUP = "bolicho.techniques"


@dataclass(frozen=True)
class Preset:
    """Agent of a technique: the "module:attribute" of its class or factory, and the options that its name presets."""

    agent: str
    options: Mapping[str, Any] = field(default_factory=dict)
    portrait: Message | None = None  # description in a sentence; default: the portrait of its name, or its docstring
    slow: tuple[str, ...] = ()  # games of which one against random players takes more than 50 ms; they are not rated
    elsewhere: bool = False  # True if it decides on another machine, and no option names code


@dataclass(frozen=True)
class Training:
    """Training for `bolicho train NAME GAME`: writes the artifact NAME-GAME, usually of the agent NAME."""

    name: str
    learner: str
    """The "module:function" that returns a new `Learner`.

    It takes `seed`, `game` (where it trains several), `name` (of the artifact, where wanted) and options with defaults,
    and rejects invalid options.
    """

    about: str
    games: Mapping[str, Mapping[str, Any]]
    """Games, each with the measured best defaults of options; `game` may set rules."""

    any_game: bool = False  # True if it also trains other games, and games with rules: "truco(hands=1)"
    played: str = ""  # agent that plays the result: "sarsa(artifact=FILE)"
    ending: str = ".safetensors"
    offered: str = ""  # "module:attribute" of the option values that a request may set, where trainable over HTTP


@dataclass(frozen=True)
class Absent:
    """Reason why no agent of a technique plays a game."""

    why: str


@dataclass(frozen=True)
class Technique:
    """Technique: its agents and trainings, its game-specific code, its rows of the matrix of techniques and games."""

    name: str
    agents: Mapping[str, str | Preset]
    trainings: tuple[Training, ...] = ()
    bindings: Mapping[str, str] = field(default_factory=dict)
    """Code written for one game: {game: "module" or "module:attribute"}."""

    matrix: Mapping[str, Mapping[str, str | Absent]] = field(default_factory=dict)
    """Matrix rows: the agent that plays each game, or the reason why none does."""

    def presets(self) -> dict[str, Preset]:
        """Return the agents by name."""
        return {name: Preset(made) if isinstance(made, str) else made for name, made in self.agents.items()}

    def binding(self, game: str) -> Any:
        """Load the code written for a game; None where there is none."""
        return load(self.bindings[game]) if game in self.bindings else None

    def need(self, game: str, what: str) -> Any:
        """Load the code written for a game, which must exist; `what` names it in the error message."""
        if game not in self.bindings:
            raise unknown(what, game, self.bindings)
        return self.binding(game)


def load(home: str) -> Any:
    """Return the module or the attribute that a string names."""
    module, _, attribute = home.partition(":")
    found = import_module(module)
    return getattr(found, attribute) if attribute else found


@cache
def built_in_techniques() -> Mapping[str, Technique]:
    """Return the techniques of this package by the module that declares them."""
    modules = [f"bolicho.agents.{name}" for name in BUILT_IN]
    return {module: import_module(module).TECHNIQUE for module in modules}


def other_techniques() -> Iterator[tuple[str, Technique | BadInput]]:
    """Yield the techniques of installed packages with the module that declares each, or the reason why it fails."""
    for point in entry_points(group=GROUP):
        try:
            yield point.module, _loaded(point)
        except BadInput as problem:
            yield point.name, problem


def _loaded(point: EntryPoint) -> Technique:
    try:
        found = point.load()
    except Exception as problem:
        raise BadInput(f"cannot load its technique {point.value}: {type(problem).__name__}: {problem}") from problem
    if not isinstance(found, Technique):
        raise BadInput(f"its entry point {point.value} is a {type(found).__name__}, not a Technique")
    return found


def techniques() -> list[Technique]:
    """Return all techniques that load, those of this package first."""
    others = [found for _, found in other_techniques() if isinstance(found, Technique)]
    return [*built_in_techniques().values(), *others]
