"""Registry of agents: resolves a spec such as `"pvcnps(base=learned)"` to an agent and its options."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from inspect import Parameter, getdoc
from pathlib import Path
from typing import Any

from bolicho.agents.agent import Agent, Values, is_oracle
from bolicho.agents.agent_errors import blamed, short
from bolicho.agents.spec import arguments_of, parameters_of, parse_spec
from bolicho.agents.technique import Technique, built_in_techniques, other_techniques
from bolicho.errors import BadInput, unknown
from bolicho.games import game as find_game
from bolicho.games import game_names
from bolicho.games.game import Game
from bolicho.i18n import Message, catalogue, plain


@dataclass(frozen=True)
class Entry:
    """Registry entry: the location of an agent's class or factory, and its preset options."""

    name: str
    home: str  # "module:attribute"
    preset: tuple[tuple[str, Any], ...] = ()
    portrait: Message | None = None  # description in a sentence; default: the factory's docstring
    broken: str = ""  # reason why it cannot be used, where known
    declared: str = ""  # module that declares its technique
    slow: tuple[str, ...] = ()  # see `technique.Preset`
    elsewhere: bool = False  # True if it decides on another machine, and no option names code

    def factory(self) -> Callable[..., Agent]:
        """Load the class or factory of the agent; raise `BadInput` where loading fails."""
        module, attribute = self.home.split(":")
        with blamed(f"cannot load the agent {self.name!r}"):
            made: Callable[..., Agent] = getattr(import_module(module), attribute)
        if not callable(made) or (isinstance(made, type) and not issubclass(made, Agent)):
            raise BadInput(
                f"{self.home} is not an agent but a {type(made).__name__}; name a class that derives from bolicho.Agent"
            )
        return made

    def made(self, **options: Any) -> Agent:
        """Create the agent with its preset options and these."""
        factory = self.factory()
        return factory(**arguments_of(factory, {**dict(self.preset), **options}))

    @property
    def about(self) -> str:
        """Description in one line."""
        if self.broken:
            return f"broken: {self.broken}"
        if self.portrait is not None:
            return catalogue("en").say(self.portrait)
        return (getdoc(self.factory()) or "").split("\n")[0]

    @property
    def says(self) -> Message:
        """Description in any language; for an external agent, its plain text."""
        return self.portrait or plain(self.about)

    @property
    def options(self) -> dict[str, Any]:
        """Options with their defaults."""
        if self.broken:
            return {}
        return {name: default for name, default in _options(self).items() if default is not _REQUIRED}

    def option_values(self, game: str) -> dict[str, Values]:
        """Return the options that any client may set over HTTP in a game, with their values; built-in agents only."""
        if self.broken or not self.home.startswith("bolicho."):
            return {}
        declared = self.made().option_values(default_game(game))
        return {name: declared[name] for name in self.options if name in declared}

    @property
    def oracle(self) -> bool:
        """True if its class requires the full state."""
        return not self.broken and bool(getattr(self.factory(), "oracle", False))

    @property
    def games(self) -> tuple[str, ...] | None:
        """Games that it plays unchanged, with their default rules; None for all."""
        names = game_names()
        found = tuple(name for name in names if self.plays(name))
        return None if len(found) == len(names) else found

    def plays(self, game: str) -> bool:
        """Return whether it plays the named game unchanged; true where unknown, as creation reports the reason."""
        try:
            with blamed(f"the agent {self.name} failed to report which games it plays"):
                return self.made().plays(default_game(game)) is None
        except BadInput:
            return not self.broken


_REQUIRED = Parameter.empty


@cache
def default_game(name: str) -> Game:
    """Return the named game with its default rules."""
    return find_game(name)


def _options(entry: Entry) -> dict[str, Any]:
    """Return the options of an agent with their defaults, including required ones."""
    factory = entry.factory()
    try:
        parameters = parameters_of(factory).values()
    except (TypeError, ValueError):
        raise BadInput(f"{entry.home} is not an agent: it has no readable signature") from None
    preset, several = dict(entry.preset), (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    return {p.name: p.default for p in parameters if p.name not in preset and p.kind not in several}


def entries() -> Iterator[Entry]:
    """Yield every agent, including those of installed plug-ins; one that fails to load has the reason in `broken`."""
    yield from built_in_entries()
    for module, technique in other_techniques():
        if isinstance(technique, BadInput):
            yield Entry(module, module, broken=str(technique))
        else:
            yield from _entries(module, technique)
    for point in entry_points(group="bolicho.agents"):
        yield _plugged(point.name, point.value)


@cache
def built_in_entries() -> tuple[Entry, ...]:
    """Return the agents of this package."""
    return tuple(
        replace(entry, portrait=entry.portrait or Message(f"agents.portrait.{entry.name}"))
        for module, technique in built_in_techniques().items()
        for entry in _entries(module, technique)
    )


def _entries(module: str, technique: Technique) -> list[Entry]:
    """Return the agents of a technique that a module declares."""
    return [
        Entry(
            name,
            made.agent,
            tuple(made.options.items()),
            made.portrait,
            declared=module,
            slow=made.slow,
            elsewhere=made.elsewhere,
        )
        for name, made in technique.presets().items()
    ]


def _plugged(name: str, home: str) -> Entry:
    """Return the entry of a plug-in."""
    try:
        found = Entry(name, _home(home))
        _options(found)
        return found
    except BadInput as problem:
        return Entry(name, home, broken=str(problem))


def _home(value: str) -> str:
    """Return the "module:attribute" of an entry point, without extras."""
    home = value.partition("[")[0].strip()
    if not re.fullmatch(r"[\w.]+\s*:\s*\w+", home):
        raise BadInput(f"its entry point {value!r} is not written as module:Class")
    return home.replace(" ", "")


def agent_names(game: str | None = None) -> list[str]:
    """Return the names of the agents that play the named game (or any game)."""
    return [entry.name for entry in entries() if not entry.broken and (game is None or entry.plays(game))]


def find(name: str, game: str | None = None) -> Entry:
    """Return the entry for a name, or for a class as "module:Class"; the error lists the agents of `game`."""
    if ":" in name:
        return Entry(name, name)
    for entry in entries():
        if entry.name == name:
            if entry.broken:
                raise BadInput(f"the agent {name} is broken: {entry.broken}")
            return entry
    raise unknown("agent", name, agent_names(game))


def has_built_in_code(spec: str) -> bool:
    """Return whether all code of an agent in this process is built in: its class and its options."""
    name, options = parse_spec(spec)
    entry = find(name)
    foreign = any(isinstance(value, str) and ":" in value and "://" not in value for value in options.values())
    return entry.home.startswith("bolicho.") and (entry.elsewhere or not foreign)


def is_elsewhere(spec: str) -> bool:
    """Return whether an agent decides on another machine: by its declaration, or at an address in its options.

    Runs of older versions may name agents that are unknown now.
    """
    name, options = parse_spec(spec)
    at_address = any(isinstance(value, str) and "://" in value for value in options.values())
    return at_address or next((entry.elsewhere for entry in entries() if entry.name == name), False)


def is_built_in(spec: str) -> bool:
    """Return whether an agent's code is built in and decides in this process."""
    return has_built_in_code(spec) and not is_elsewhere(spec)


@dataclass(frozen=True)
class Recipe:
    """Agent that can be created any number of times: its spec, read and checked once."""

    spec: str
    factory: Callable[..., Agent]
    options: Mapping[str, Any]
    built_in: bool  # True if all of its code is built in

    def make(self, game: Game | None = None, folder: Path | None = None) -> Agent:
        """Create an agent, prepared for `game` and told the folder of its run if given; `BadInput` where that fails."""
        with blamed(f"the agent {self.spec} cannot be made"):
            made = self.factory(**arguments_of(self.factory, self.options))
            if not isinstance(made, Agent):
                raise BadInput(f"{self.spec} makes a {type(made).__name__}, not a bolicho.Agent")
            if folder is not None:
                made.keep_in(folder)
            if game is not None:
                self.check(made, game)
                made.prepare(game)
        return made

    def check(self, made: Agent, game: Game) -> None:
        """Raise `BadInput` for a game that the agent does not play."""
        with blamed(f"the agent {self.spec} failed to report which games it plays"):
            if (why := made.plays(game)) is not None:
                raise BadInput(f"the agent {self.spec} does not play {game.name}: {why}")

    def maker(self, game: Game, folder: Path | None = None) -> Callable[[], Agent]:
        """Return a factory of agents for each game; an agent whose creation fails between games forfeits."""

        def make() -> Agent:
            try:
                return self.make(game, folder)
            except BadInput as problem:
                return _FailedAgent(problem)

        return make


class _FailedAgent(Agent):
    """Placeholder for an agent that can no longer be created; forfeits with the reason."""

    def __init__(self, problem: BadInput) -> None:
        self.problem = problem

    def begin(self, game: Game, seat: int) -> None:
        raise self.problem


def recipe(spec: str, game: str | None = None) -> Recipe:
    """Read and check a spec, for the named game."""
    name, options = parse_spec(spec)
    entry = find(name, game)
    known = _options(entry)
    for key, value in options.items():
        if key not in known:
            raise unknown(f"option of {name}", key, known)
        options[key] = _check_option(name, key, value, known[key])
    for key, default in known.items():
        if default is _REQUIRED and key not in options:
            raise BadInput(f"the agent {name} needs the option {key}: write {name}({key}=...)")
    return Recipe(spec, entry.factory(), {**dict(entry.preset), **options}, is_built_in(spec))


def _check_option(name: str, key: str, value: Any, default: Any) -> Any:
    """Return the value of an option, converted to the type of its default."""
    if isinstance(default, float) and type(value) is int:
        return float(value)
    if default is not None and default is not _REQUIRED and type(value) is not type(default):
        kind = type(default).__name__
        raise BadInput(f"option {key} of {name} must be {kind} (default {short(default)}), not {value!r}")
    return value


def agent(spec: str, game: Game | str | None = None) -> Agent:
    """Create the agent of a spec: `"balanced"`, `"mcts(iterations=100)"`, `"my_module:MyAgent"`.

    Given a `Game` instead of a name, the agent is also prepared for it: its files are loaded or reported missing.
    """
    if isinstance(game, Game):
        return recipe(spec, game.name).make(game)
    found = recipe(spec, game)
    made = found.make()
    if game is not None:
        found.check(made, default_game(game))
    return made


@dataclass(frozen=True)
class Traits:
    """Properties that determine how a run treats an agent, determined once before its first game."""

    oracle: bool
    learns: bool
    built_in: bool


def traits(spec: str, game: Game) -> Traits:
    """Return the traits of an agent; creates one to check that it can be created."""
    found = recipe(spec, game.name)
    made = found.make(game)
    with blamed(f"the agent {spec} failed to report whether it learns"):
        return Traits(is_oracle(made), bool(made.learns), found.built_in)
