"""Definition of a run, as a value and as a TOML file.

>>> experiment = Experiment("truco", ["random"], duplicates=2)
>>> Experiment.from_toml(experiment.to_toml()) == experiment
True
"""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from bolicho.agents.agent import Agent
from bolicho.agents.registry import find, is_built_in
from bolicho.agents.spec import parse_spec, write_spec
from bolicho.arena.pairing import Pairing, pairings
from bolicho.arena.seeds import BUILT_IN_SEED, Seed, is_drawn
from bolicho.errors import BadInput, unknown
from bolicho.files import read_text
from bolicho.formats import RUN, check_format
from bolicho.games import game
from bolicho.games.game import Game
from bolicho.strict import read_toml

MOST_DUPLICATES = 10_000_000
MOST_SEED = 2**63 - 1  # largest integer of TOML


@dataclass(frozen=True)
class Experiment:
    """A round-robin tournament: all inputs of its result.

    Default rules are left out and specs of agents are canonical, so that equivalent experiments are equal.  The
    defaults below apply to experiments from Python, a file and the command line.
    """

    game: str
    agents: Sequence[str]  # specs; a class of a module is converted to one
    rules: Mapping[str, Any] = field(default_factory=dict)
    duplicates: int = 100
    seed: Seed | None = None  # None: fixed if only built-in agents play, otherwise drawn by the run
    move_limit: float | None = 30.0  # seconds; None (inf in TOML): no limit
    trust: bool = False  # True if external agents play without a separate process

    def __post_init__(self) -> None:
        _check_type("game", self.game, str, "a name")
        if not isinstance(self.rules, Mapping):
            raise BadInput(f"experiment: rules must be a table of rules and values, not {self.rules!r}")
        object.__setattr__(self, "rules", dict(game(self.game, **self.rules).options))
        object.__setattr__(self, "agents", _read_agents(self.agents, self.game))
        _check_type("duplicates", self.duplicates, int, "a whole number")
        if not 1 <= self.duplicates <= MOST_DUPLICATES:
            raise BadInput(f"experiment: duplicates must be 1 to {MOST_DUPLICATES}, not {self.duplicates}")
        _check_type("trust", self.trust, bool, "true or false")
        if all(map(is_built_in, self.agents)):
            object.__setattr__(self, "trust", False)  # without effect here; equivalent experiments must be equal
            if self.seed is None:
                object.__setattr__(self, "seed", BUILT_IN_SEED)
        if self.seed is not None and not is_drawn(self.seed):
            _check_type("seed", self.seed, int, "a whole number")
            if not 0 <= int(self.seed) <= MOST_SEED:
                raise BadInput(f"experiment: seed must be 0 to 2**63 - 1, not {self.seed}")
        if self.move_limit is not None:
            if isinstance(self.move_limit, bool) or not isinstance(self.move_limit, int | float):
                raise BadInput(f"experiment: move_limit must be a number of seconds, not {self.move_limit!r}")
            if not self.move_limit > 0:
                raise BadInput(f"experiment: move_limit must be more than 0 seconds, not {self.move_limit}")
            object.__setattr__(self, "move_limit", None if self.move_limit == math.inf else float(self.move_limit))

    def make_game(self) -> Game:
        return game(self.game, **self.rules)

    def pairings(self) -> list[Pairing]:
        return pairings(len(self.agents), self.make_game().seats)

    @property
    def num_games(self) -> int:
        return len(self.pairings()) * self.duplicates * self.make_game().seats

    @property
    def hash(self) -> str:
        """Hash that is equal for equivalent experiments."""
        return hashlib.sha256(self.to_toml().encode()).hexdigest()[:16]

    @property
    def stem(self) -> str:
        """Hash without the number of deals: experiments with the same stem share their games."""
        return replace(self, duplicates=1).hash

    def extends(self, other: "Experiment") -> bool:
        """Return whether this is the other experiment with more deals."""
        return self.duplicates > other.duplicates and replace(other, duplicates=self.duplicates) == self

    def to_toml(self) -> str:
        lines = [
            f"game = {_toml(self.game)}",
            f"agents = {_toml_list(self.agents)}",
            f"duplicates = {_toml(self.duplicates)}",
        ]
        if self.seed is not None:
            lines.append(f"seed = {_toml(self.seed)}")
        lines.append(f"move_limit = {_toml(math.inf if self.move_limit is None else self.move_limit)}")
        if self.trust:
            lines.append("trust = true")
        if self.rules:
            lines += ["", "[rules]", *(f"{name} = {_toml(value)}" for name, value in sorted(self.rules.items()))]
        return "\n".join(lines) + "\n"

    @classmethod
    def from_toml(cls, text: str, where: str = "experiment") -> "Experiment":
        """Read an experiment, strictly; errors name the valid input."""
        try:
            given = read_toml(text)
        except BadInput as problem:
            raise BadInput(f"{where}: {problem}") from None
        check_format(given, RUN, where)
        given.pop("format", None)
        known = [f.name for f in fields(cls)]
        for key in given:
            if key not in known:
                raise unknown(f"key of {where}", key, known)
        for key in ("game", "agents"):
            if key not in given:
                raise BadInput(f"{where}: {key} is missing; write for instance {_EXAMPLES[key]}")
        return cls(**given)

    @classmethod
    def read(cls, path: Path | str) -> "Experiment":
        """Read the experiment in a TOML file."""
        try:
            text = read_text(path)
        except (OSError, UnicodeDecodeError) as problem:
            raise BadInput(f"cannot read the experiment {str(path)!r}: {problem}") from None
        return cls.from_toml(text, str(path))


_EXAMPLES = {"game": 'game = "truco"', "agents": 'agents = ["random"]'}


def _check_type(name: str, value: object, wanted: type, words: str) -> None:
    if type(value) is not wanted:
        raise BadInput(f"experiment: {name} must be {words}, not {value!r}")


def spec_of(player: type[Agent]) -> str:
    """Return the spec of a class, by which every process of a run can load it."""
    if player.__module__ == "__main__" or "." in player.__qualname__:
        raise BadInput(
            f"experiment: the processes of a run cannot load the class {player.__qualname__} from here; put it into a "
            "module, or let it play in this process (bolicho.arena.inprocess.tournament)"
        )
    return f"{player.__module__}:{player.__qualname__}"


def _read_agents(specs: object, game: str) -> tuple[str, ...]:
    """Return the canonical specs; refuse unknown agents and duplicates."""
    if isinstance(specs, Sequence) and not isinstance(specs, str):
        specs = [spec_of(spec) if isinstance(spec, type) and issubclass(spec, Agent) else spec for spec in specs]
    if isinstance(specs, str) or not isinstance(specs, Sequence) or not all(isinstance(spec, str) for spec in specs):
        raise BadInput(f"experiment: agents must be a list of agents like {_EXAMPLES['agents']}, not {specs!r}")
    if not specs:
        raise BadInput(f"experiment: agents is empty; write for instance {_EXAMPLES['agents']}")
    canonical: list[str] = []
    for spec in specs:
        name, options = parse_spec(spec)
        find(name, game)
        written = write_spec(name, options)
        if written in canonical:
            raise BadInput(f"experiment: the agent {written} is listed twice")
        canonical.append(written)
    return tuple(canonical)


def _toml(value: object) -> str:
    """Return a scalar in TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # JSON does not escape it
    return repr(value)


def _toml_list(values: Sequence[str]) -> str:
    """Return a list of strings in TOML, one per line if there are many."""
    if len(values) <= 3:
        return f"[{', '.join(map(_toml, values))}]"
    return "[\n" + "".join(f"    {_toml(value)},\n" for value in values) + "]"
