"""Agent, Explanation, and the registry that turns `"pvcnps(base=learned)"` into an agent.

An agent derives from `Agent` and says how it acts; the rest has defaults:

>>> from bolicho import Agent
>>> class First(Agent):
...     "Always the first legal action."
...     def act(self, view, rng):
...         return view.legal[0]
"""

import html
import inspect
import re
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import numpy as np

from bolicho.errors import BadInput, one_line, unknown
from bolicho.games import game as find_game
from bolicho.games import game_names
from bolicho.games.game import Action, Game, View
from bolicho.strict import read_literal
from bolicho.words import Said, plain, words

Choice = Action | str | int
"""What `act` may return; the agents of the house return an `Action`."""


@dataclass(frozen=True, init=False)
class Explanation:
    """What a decision rests on: a sentence and, for who wants more, lines for people; facts for programs (JSON).

    The facts name the `action` that is explained, where it could be another.  `picture` is what a page may
    draw beside the sentence (JSON; see `agents.saying`).  A sentence or a line may be given as plain text.
    """

    sentence: Said
    facts: dict[str, Any]
    lines: tuple[Said, ...]
    picture: dict[str, Any] | None

    def __init__(
        self,
        sentence: Said | str,
        facts: dict[str, Any] | None = None,
        lines: Sequence[Said | str] = (),
        picture: dict[str, Any] | None = None,
    ) -> None:
        said = {"sentence": _said(sentence), "lines": tuple(map(_said, lines))}
        for name, value in {**said, "facts": facts or {}, "picture": picture}.items():
            object.__setattr__(self, name, value)

    def _repr_html_(self) -> str:
        say = words("en").say
        lines = "".join(f"<li>{html.escape(say(line))}</li>" for line in self.lines)
        return f"<p>{html.escape(say(self.sentence))}</p>" + (f"<ul>{lines}</ul>" if lines else "")

    def as_json(self) -> dict[str, Any]:
        """What people are shown, for pages: the sentence, the lines, the picture."""
        return {
            "why": self.sentence.as_json(),
            "lines": [line.as_json() for line in self.lines],
            "picture": self.picture,
        }


def _said(words: Said | str) -> Said:
    return plain(words) if isinstance(words, str) else words


@dataclass(frozen=True)
class Within:
    """Numbers that an option may be, both ends included: whole numbers where the ends are."""

    least: int | float
    most: int | float

    def __contains__(self, value: object) -> bool:
        is_number = type(value) is int or (type(value) is float and type(self.least) is float)
        return is_number and self.least <= value <= self.most  # type: ignore[operator]


Values = tuple[str, ...] | Within
"""The values that an option may have where anybody may choose it: over HTTP."""


class Agent:
    """A player.  Override `act`; the rest has a default that does nothing."""

    games: tuple[str, ...] | None = None
    """The games whose rules it was written for; None where `plays` knows better."""

    oracle: bool = False
    """Whether it is handed the full state.  For measuring only.  The class decides, once: what an
    object sets in itself changes nothing."""

    learns: bool = False
    """Whether one object is to play game after game.  Every other agent is made anew for each game."""

    def plays(self, game: Game) -> str | None:
        """Why it cannot play a game, as it was made; None where it can."""
        if self.games is None or game.name in self.games:
            return None
        return f"it plays {', '.join(self.games)}"

    def prepare(self, game: Game) -> None:
        """Get ready for games of these rules: load what is needed, or raise `BadInput` for what cannot be played.

        Called when the agent is made for a game, before anything is played.
        """

    def begin(self, game: Game, seat: int) -> None:
        """A game begins; called before the first view."""
        self.prepare(game)

    def act(self, view: View, rng: np.random.Generator) -> Choice:
        """One of `view.legal`, itself, as text or as number.  All chance comes from `rng`."""
        raise NotImplementedError(f"{type(self).__name__} does not say how it acts")

    def end(self, view: View) -> None:
        """The game is over; the last view."""

    def explain(self) -> Explanation | None:
        """What the last decision rested on, where the agent can tell."""
        return None

    def option_values(self, game: Game) -> Mapping[str, Values]:
        """The options that anybody may choose over HTTP, with their values: none is a path, an address or code."""
        return {}

    def files(self, game: Game) -> Sequence[Path]:
        """The files it plays that game from, beside those its options name: when they change, it is another agent."""
        return ()


def is_oracle(agent: Agent) -> bool:
    """Whether an agent's class asks for the full state."""
    return bool(type(agent).oracle)


# --- The registry -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Entry:
    """A name in the registry: where its class or factory stands, and what it presets."""

    name: str
    home: str  # "module:attribute"
    preset: tuple[tuple[str, Any], ...] = ()
    portrait: Said | None = None  # what it does, in a sentence; otherwise the factory's own words
    broken: str = ""  # why it cannot be used, where that is known

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
    from bolicho.agents.catalogue import CATALOGUE

    yield from CATALOGUE
    for point in entry_points(group="bolicho.agents"):
        yield _plugged(point.name, point.value)


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


_SPEC = re.compile(r"\s*([A-Za-z_][\w.-]*(?::[A-Za-z_]\w*)?)\s*(?:\((.*)\))?\s*", re.DOTALL)


def parse_spec(spec: str) -> tuple[str, dict[str, Any]]:
    """`"mcts(iterations=100)"` as a name and its options.

    >>> parse_spec("pvcnps(base=learned, threshold=0.9)")
    ('pvcnps', {'base': 'learned', 'threshold': 0.9})
    """
    match = _SPEC.fullmatch(spec)
    if not match or not spec.isprintable():
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


_PIECE = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|.""", re.DOTALL)  # a quoted text or a letter


def _split(text: str) -> list[str]:
    """Split at commas that are inside neither brackets nor quotes; brackets come in pairs."""
    parts, depth = [""], 0
    for piece in _PIECE.findall(text):
        depth += piece in ("(", "[") and 1
        depth -= piece in (")", "]") and 1
        if depth < 0:
            break
        if piece == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += piece
    if depth:
        raise BadInput(f"a bracket is missing in {text!r}; a text with a single one is written in quotes")
    return [part for part in parts if part.strip()]


def _value(text: str) -> Any:
    """`true`, `false`, or what `read_literal` makes of it: most often the text itself."""
    if text in ("true", "false"):
        return text == "true"
    return read_literal(text)


def write_spec(name: str, options: dict[str, Any]) -> str:
    """The canonical spec: options sorted, nothing quoted that need not be."""
    inside = ", ".join(f"{key}={_written(value)}" for key, value in sorted(options.items()))
    return f"{name}({inside})" if inside else name


def _written(value: Any) -> str:
    """A value so that it is read as itself."""
    plain = str(value)
    try:
        same = parse_spec(f"it(is={plain})")[1] == {"is": value} and not set(plain) & set("'\"")
    except BadInput:
        same = False
    return plain if same else repr(value)


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


# --- Words for what strangers do ----------------------------------------------------------------

REASON_LENGTH = 300  # characters of a reason that are kept: a sentence, not a dump


def short(thing: object) -> str:
    """A `repr` that cannot fail and is not long."""
    try:
        text = repr(thing)
    except Exception:
        text = f"an object of type {type(thing).__name__}"
    return text if len(text) <= 60 else text[:60] + "…"


def sentence(text: str) -> str:
    """One line, not too long, and the same in every process (no addresses of objects)."""
    text = one_line(re.sub(r"0x[0-9a-fA-F]+", "0x…", " ".join(text.split())))
    return text if len(text) <= REASON_LENGTH else text[:REASON_LENGTH] + "…"


def told(problem: BaseException) -> str:
    """What was raised, and the line of the agent it came from."""
    try:
        said = f": {problem}" if str(problem) else ""
    except Exception:
        said = ""
    _, *theirs = traceback.extract_tb(problem.__traceback__)
    ours = (__file__, import_module.__code__.co_filename)
    theirs = [frame for frame in theirs if frame.filename not in ours and not frame.filename.startswith("<frozen ")]
    line = f" ({Path(theirs[-1].filename).name}, line {theirs[-1].lineno})" if theirs else ""
    return sentence(f"{type(problem).__name__}{said}{line}")


@contextmanager
def blamed(what: str) -> Iterator[None]:
    """Whatever somebody's code raises here is bad input: `what` happened, and why.  Ctrl-C is nobody's fault."""
    try:
        yield
    except (BadInput, KeyboardInterrupt):
        raise
    except BaseException as problem:  # even SystemExit: a module may do anything
        raise BadInput(f"{what}: {told(problem)}") from problem
