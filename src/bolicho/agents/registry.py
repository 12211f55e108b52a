"""The registry of agents: what a spec such as `"pvcnps(base=learned)"` names, and how that agent is made."""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from bolicho.agents.agent import Agent, Values, is_oracle
from bolicho.agents.blame import blamed, short
from bolicho.agents.spec import parse_spec
from bolicho.agents.technique import Technique, house_techniques, other_techniques
from bolicho.errors import BadInput, unknown
from bolicho.games import game as find_game
from bolicho.games import game_names
from bolicho.games.game import Game
from bolicho.words import Said, plain, words


@dataclass(frozen=True)
class Entry:
    """A name in the registry: where its class or factory stands, and what it presets."""

    name: str
    home: str  # "module:attribute"
    preset: tuple[tuple[str, Any], ...] = ()
    portrait: Said | None = None  # what it does, in a sentence; otherwise the factory's own words
    broken: str = ""  # why it cannot be used, where that is known
    declared: str = ""  # the module that declares its technique

    def factory(self) -> Callable[..., Agent]:
        """What makes the agent; whatever keeps it from being loaded is bad input."""
        module, attribute = self.home.split(":")
        with blamed(f"cannot load the agent {self.name!r}"):
            made: Callable[..., Agent] = getattr(import_module(module), attribute)
        if not callable(made) or (isinstance(made, type) and not issubclass(made, Agent)):
            raise BadInput(
                f"{self.home} is no agent but a {type(made).__name__}; name a class that derives from bolicho.Agent"
            )
        return made

    @property
    def about(self) -> str:
        """What it does, in a line."""
        if self.broken:
            return f"broken: {self.broken}"
        if self.portrait is not None:
            return words("en").say(self.portrait)
        return (inspect.getdoc(self.factory()) or "").split("\n")[0]

    @property
    def says(self) -> Said:
        """The same in whatever language; of an agent of somebody's own, as it was written."""
        return self.portrait or plain(self.about)

    @property
    def options(self) -> dict[str, Any]:
        """The options it takes, with their defaults."""
        if self.broken:
            return {}
        return {name: default for name, default in _options(self).items() if default is not _REQUIRED}

    def option_values(self, game: str) -> dict[str, Values]:
        """The options that anybody may choose over HTTP in a game, with their values; of agents of the house alone."""
        if self.broken or not self.home.startswith("bolicho."):
            return {}
        declared = self.factory()(**dict(self.preset)).option_values(default_game(game))
        return {name: declared[name] for name in self.options if name in declared}

    @property
    def oracle(self) -> bool:
        """Whether its class asks for the full state."""
        return not self.broken and bool(getattr(self.factory(), "oracle", False))

    @property
    def games(self) -> tuple[str, ...] | None:
        """The games it plays as it is, with their default rules; None for all there are."""
        names = game_names()
        found = tuple(name for name in names if self.plays(name))
        return None if len(found) == len(names) else found

    def plays(self, game: str) -> bool:
        """Whether it plays the game of that name as it is; who cannot be asked says why when it is made."""
        try:
            with blamed(f"the agent {self.name} does not say what it plays"):
                return self.factory()(**dict(self.preset)).plays(default_game(game)) is None
        except BadInput:
            return not self.broken


_REQUIRED = inspect.Parameter.empty


@cache
def default_game(name: str) -> Game:
    """The game of that name with its default rules."""
    return find_game(name)


def _options(entry: Entry) -> dict[str, Any]:
    """The options of an agent with their defaults, those without one included."""
    factory = entry.factory()
    try:
        parameters = inspect.signature(factory).parameters.values()
    except (TypeError, ValueError):
        raise BadInput(f"{entry.home} is no agent: nobody can say which options it takes") from None
    preset = dict(entry.preset)
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return {p.name: p.default for p in parameters if p.name not in preset and p.kind not in several}


def entries() -> Iterator[Entry]:
    """Every agent there is, those of installed plug-ins included; one that does not load says so in `broken`."""
    yield from house_entries()
    for module, technique in other_techniques():
        if isinstance(technique, BadInput):
            yield Entry(module, module, broken=str(technique))
        else:
            yield from _entries(module, technique)
    for point in entry_points(group="bolicho.agents"):
        yield _plugged(point.name, point.value)


@cache
def house_entries() -> tuple[Entry, ...]:
    """Return the agents of this package."""
    return tuple(
        replace(entry, portrait=entry.portrait or Said(f"agents.portrait.{entry.name}"))
        for module, technique in house_techniques().items()
        for entry in _entries(module, technique)
    )


def _entries(module: str, technique: Technique) -> list[Entry]:
    """Return the agents of a technique that a module declares."""
    return [
        Entry(name, made.agent, tuple(made.options.items()), made.portrait, declared=module)
        for name, made in technique.presets().items()
    ]


def _plugged(name: str, home: str) -> Entry:
    """The entry of a plug-in."""
    try:
        found = Entry(name, _home(home))
        _options(found)
        return found
    except BadInput as problem:
        return Entry(name, home, broken=str(problem))


def _home(value: str) -> str:
    """ "module:attribute" of an entry point, extras left out."""
    home = value.partition("[")[0].strip()
    if not re.fullmatch(r"[\w.]+\s*:\s*\w+", home):
        raise BadInput(f"its entry point {value!r} is not written as module:Class")
    return home.replace(" ", "")


def agent_names(game: str | None = None) -> list[str]:
    """The names of the agents that play the game of that name (or any game)."""
    return [entry.name for entry in entries() if not entry.broken and (game is None or entry.plays(game))]


def find(name: str, game: str | None = None) -> Entry:
    """The registry's entry for a name, or for a class as "module:Class"; the unknown are told who plays `game`."""
    if ":" in name:
        return Entry(name, name)
    for entry in entries():
        if entry.name == name:
            if entry.broken:
                raise BadInput(f"the agent {name} is broken: {entry.broken}")
            return entry
    raise unknown("agent", name, agent_names(game))


def has_house_code(spec: str) -> bool:
    """Whether all code of an agent that runs here is the house's own: its class, and no option names somebody's
    module:function."""
    name, options = parse_spec(spec)
    foreign = any(isinstance(value, str) and ":" in value and "://" not in value for value in options.values())
    return find(name).home.startswith("bolicho.") and not foreign


def is_elsewhere(spec: str) -> bool:
    """Whether what an agent does is decided at an address that it is given."""
    return any(isinstance(value, str) and "://" in value for value in parse_spec(spec)[1].values())


def is_house(spec: str) -> bool:
    """Whether nobody else has a hand in what an agent does: its code is the house's, and decides here."""
    return has_house_code(spec) and not is_elsewhere(spec)


@dataclass(frozen=True)
class Recipe:
    """An agent that can be made any number of times: what its spec says, read and checked once."""

    spec: str
    factory: Callable[..., Agent]
    options: Mapping[str, Any]
    house: bool  # whether all of its code is the house's

    def make(self, game: Game | None = None) -> Agent:
        """A new agent, ready for `game` if one is given; whatever keeps it from being made is bad input."""
        with blamed(f"the agent {self.spec} cannot be made"):
            made = self.factory(**self.options)
            if not isinstance(made, Agent):
                raise BadInput(f"{self.spec} makes a {type(made).__name__}, not a bolicho.Agent")
            if game is not None:
                self.check(made, game)
                made.prepare(game)
        return made

    def check(self, made: Agent, game: Game) -> None:
        """Refuse a game that it does not play."""
        with blamed(f"the agent {self.spec} does not say what it plays"):
            if (why := made.plays(game)) is not None:
                raise BadInput(f"the agent {self.spec} does not play {game.name}: {why}")

    def maker(self, game: Game) -> Callable[[], Agent]:
        """Makes an agent for each game; who cannot be made, in the middle of games, sits down and forfeits."""

        def make() -> Agent:
            try:
                return self.make(game)
            except BadInput as problem:
                return _Unmade(problem)

        return make


class _Unmade(Agent):
    """Sits where an agent should that could be made once and now cannot; forfeits with the reason."""

    def __init__(self, problem: BadInput) -> None:
        self.problem = problem

    def begin(self, game: Game, seat: int) -> None:
        raise self.problem


def recipe(spec: str, game: str | None = None) -> Recipe:
    """How to make the agent a spec names, for the game of that name."""
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
    return Recipe(spec, entry.factory(), {**dict(entry.preset), **options}, is_house(spec))


def _check_option(name: str, key: str, value: Any, default: Any) -> Any:
    """The value of an option, of the type of its default."""
    if isinstance(default, float) and type(value) is int:
        return float(value)
    if default is not None and default is not _REQUIRED and type(value) is not type(default):
        kind = type(default).__name__
        raise BadInput(f"option {key} of {name} must be {kind} (default {short(default)}), not {value!r}")
    return value


def agent(spec: str, game: Game | str | None = None) -> Agent:
    """The agent a spec names: `"balanced"`, `"mcts(iterations=100)"`, `"my_module:MyAgent"`.

    Given a game and not only its name, it is made ready for it: what it needs is loaded or found missing.
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
    """What decides how an agent is treated, found out once, before the first game of a run."""

    oracle: bool
    learns: bool
    house: bool


def traits(spec: str, game: Game) -> Traits:
    """The traits of an agent; makes one to see that it can be made."""
    found = recipe(spec, game.name)
    made = found.make(game)
    with blamed(f"the agent {spec} does not say whether it learns"):
        return Traits(is_oracle(made), bool(made.learns), found.house)
