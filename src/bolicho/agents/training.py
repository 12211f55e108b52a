"""The one way to train.  A technique says how it learns, as a `Learner`; everything else is done here.

That is: looking a training up by name, checking its options, showing progress, keeping unfinished work and
going on with it, and writing down with what was learned who made it (command, seed, version) and the course
it took.  Techniques declare their trainings (`technique.Training`).
"""

import inspect
import json
import os
import re
import shlex
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, is_dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

import bolicho
from bolicho.agents.spec import parse_spec
from bolicho.agents.technique import Training, load, techniques
from bolicho.errors import BadInput, unknown
from bolicho.files import check_place, write_text_atomic
from bolicho.games import game as find_game
from bolicho.games import game_names
from bolicho.store.artifact import Arrays, artifact_path, has_artifact, load_artifact, renamed, save_artifact

UNFINISHED, CURVE = ".part.safetensors", ".curve.json"  # what stands beside an artifact
EVERY = 60.0  # seconds between two times that unfinished work is kept,
QUICKLY = 3.0  # where that takes no longer than so many; otherwise so much longer

Facts = dict[str, Any]  # as JSON


class Learner(Protocol):
    """A training under way, at its beginning when it is made.  The technique writes this, and nothing beside it.

    What a step does depends on the learner's making and its state alone: not on the clock, the process, or how
    often it was stopped.  Chance is drawn by number (seed, game) or is part of the state.
    """

    facts: Facts
    """What it learns and how: stands in the artifact; work under other facts is not gone on with."""

    unit: str
    """What is counted: "games", "matches", ..."""

    total: int
    done: int
    """How much there is to do, and how much of it is done: at the end, all."""

    def step(self) -> Facts | None:
        """Learn a little, some seconds at most; a point of the learning curve, where one is due."""

    def state(self) -> Arrays:
        """Everything but `done` that the steps to come, and the end, depend on."""

    def restore(self, state: Arrays) -> None:
        """Go on from a state; `done` is what it was then."""

    def finish(self, out: Path, story: Facts) -> Facts:
        """Write what was learned to `out`, with its story inside; facts for people to read."""


Watch = Callable[[Learner, Facts | None], bool]
"""Called before the first step, and after each with its point of the curve; True stops the training there."""


# --- Trainings by name --------------------------------------------------------------------------


@dataclass(frozen=True)
class Chosen:
    """A training and the game that it is for, as text: "truco" or "truco(hands=1)"."""

    training: Training
    game: str

    @property
    def name(self) -> str:
        """What stands behind `bolicho train`."""
        return f"{self.training.name} {self.game}"

    @property
    def artifact(self) -> str:
        """The name of what it makes, NAME-GAME; rules of the game are part of it, so that it is found by no agent."""
        return re.sub(r"[^\w.=-]+", "-", f"{self.training.name}-{self.game}").strip("-")

    def begin(self, seed: int, options: Mapping[str, Any]) -> Learner:
        """Return the learner at its beginning."""
        given = {**self.training.games.get(self.game, {}), **options}
        name, rules = parse_spec(given.pop("game", self.game))
        function = load(self.training.learner)
        for key, parameter in inspect.signature(function).parameters.items():
            if is_dataclass(parameter.default):  # whose fields are options
                fields = asdict(parameter.default)  # type: ignore[arg-type]
                given[key] = replace(parameter.default, **{of: given.pop(of) for of in fields if of in given})  # type: ignore[type-var]
        if "game" in inspect.signature(function).parameters:
            given["game"] = find_game(name, **rules)
        learner: Learner = function(seed, **given)
        return learner

    def options(self) -> dict[str, tuple[Any, bool]]:
        """Return the options: the default of each, and whether a command names it in any case."""
        found: dict[str, tuple[Any, bool]] = {}
        for key, parameter in inspect.signature(load(self.training.learner)).parameters.items():
            if is_dataclass(parameter.default):
                found |= {of: (value, False) for of, value in asdict(parameter.default).items()}  # type: ignore[arg-type]
            elif key not in ("seed", "game"):
                found[key] = (parameter.default, parameter.kind is not parameter.KEYWORD_ONLY)
        own = self.training.games.get(self.game, {})
        return {key: (own.get(key, default), named) for key, (default, named) in found.items()}


def trainings() -> list[Chosen]:
    """Return every training for every game that it declares."""
    rows = [training for technique in techniques() for training in technique.trainings]
    return [Chosen(row, game) for row in rows for game in row.games]


def find(name: str) -> Chosen:
    """Find a training by "NAME GAME", by its name where it has one game, or by the name of what it makes."""
    word, _, game = name.strip().partition(" ")
    rows = [training for technique in techniques() for training in technique.trainings]
    known = {row.name for row in rows}
    if word not in known and not game:
        agent, _, of = renamed(word).rpartition("-")
        word, game = (agent, of) if agent in known and of in game_names() else (word, "")
    if word not in known:
        raise unknown("training", word, known)
    rows = [row for row in rows if row.name == word]
    games = [game for row in rows for game in row.games]
    if not game:
        if len(games) > 1:
            raise BadInput(f"the training {word} needs a game: bolicho train {word} GAME, one of {', '.join(games)}")
        game = games[0]
    plain, rules = parse_spec(game)
    fitting = [row for row in rows if (plain in row.games and not rules) or row.any_game]
    if not fitting and plain in games:
        raise BadInput(f"{word} trains {plain} by its default rules: leave the rules out")
    if not fitting:
        raise unknown(f"game of the training {word}", plain, games)
    return Chosen(fitting[0], game)


def options_of(name: str) -> Facts:
    """The options a training takes beside `seed`, with their defaults."""
    return {key: default for key, (default, _) in find(name).options().items()}


def train(
    name: str, out: Path | str, seed: int, options: Mapping[str, Any], show: bool = True, watch: Watch | None = None
) -> Facts:
    """Train an artifact into the file `out`, or go on with it; `name` is "NAME GAME"."""
    chosen, known = find(name), options_of(name)
    for key, value in options.items():
        if key not in known:
            raise unknown(f"option of the training {chosen.name}", key, known)
        fitting = (int, float) if type(known[key]) is float else (type(known[key]),)
        if type(value) not in fitting:
            wanted = "a number" if float in fitting else fitting[0].__name__
            raise BadInput(
                f"option {key} of the training {chosen.name} must be {wanted} (default {known[key]!r}), not {value!r}"
            )
    story = {"command": command(name, seed, options), "seed": seed, "version": bolicho.__version__}
    return run(chosen.begin(seed, options), out, story, show, watch)


def command(name: str, seed: int, options: Mapping[str, Any]) -> str:
    """The command that trains so.

    It names every option before the `*` of the function's parameters, and those behind it that are not the default.
    """
    chosen, written = find(name), []
    for key, (default, named) in chosen.options().items():
        value = options.get(key, default)
        if named or value != default:
            written.append(f"{key}={str(value).lower() if isinstance(value, bool) else value}")
    return shlex.join(["bolicho", "train", chosen.training.name, chosen.game, *written, "--seed", str(seed)])


def how_to_play(name: str, out: Path) -> str:
    """Return the command that plays with what a training wrote to `out`; nothing where no agent plays from it."""
    chosen = find(name)
    agent = chosen.training.played.replace("FILE", str(out))
    if not agent:
        return ""
    ending = chosen.training.ending
    if agent.startswith(f"{chosen.training.name}(") and has_artifact(chosen.artifact, ending):
        is_found = artifact_path(chosen.artifact, ending).resolve() == out.resolve()
        agent = chosen.training.name if is_found and "(" not in chosen.game else agent
    plain, rules = parse_spec(chosen.game)
    others = ["random"] * (find_game(plain, **rules).seats - 1)
    given = [f"{key}={str(value).lower() if isinstance(value, bool) else value}" for key, value in rules.items()]
    return shlex.join(["bolicho", "play", plain, agent, *others, *(word for one in given for word in ("--rule", one))])


def whole_numbers(least: int = 1, /, **numbers: int) -> None:
    """Refuse what is no whole number from `least` on."""
    for what, number in numbers.items():
        if type(number) is not int or number < least:
            raise BadInput(f"{what} must be a whole number from {least} on, not {number!r}")


# --- The course of a training -------------------------------------------------------------------


def run(
    learner: Learner, out: Path | str, story: Facts | None = None, show: bool = True, watch: Watch | None = None
) -> Facts:
    """Let a learner learn to the end, and write what it learned to `out`; what it says of it.

    Unfinished work stands beside `out` (`.part.safetensors`) and is gone on with, to the same bytes.  So does the curve
    (`.curve.json`), with what the training cost: seconds of a processor, which are never twice the same and therefore
    stand in no artifact.  Stopped by `watch`, it keeps the unfinished work and raises `KeyboardInterrupt`.
    """
    out = Path(out)
    check_place(out)
    story = json.loads(json.dumps({**learner.facts, **(story or {})}))
    unfinished = beside(out, UNFINISHED)
    curve, spent = _go_on(learner, unfinished, story)
    spent -= _processor_time()
    kept, pause = time.monotonic(), EVERY
    with progress(out.name.removesuffix(out.suffix), learner.total, learner.unit, show) as tell:
        tell(learner.done, "")
        if watch is not None and watch(learner, None):
            raise KeyboardInterrupt
        while learner.done < learner.total:
            point = learner.step()
            if point is not None:
                curve.append(point)
            tell(learner.done, "" if point is None else _in_words(point))
            stops = watch is not None and watch(learner, point) and learner.done < learner.total
            if stops or time.monotonic() - kept >= pause:
                began = time.monotonic()
                cost = spent + _processor_time()
                facts = {"story": story, "done": learner.done, "curve": curve, "cpu_seconds": cost}
                save_artifact(unfinished, learner.state(), facts)
                if stops:
                    raise KeyboardInterrupt
                kept = time.monotonic()
                pause = EVERY * max(1.0, (kept - began) / QUICKLY)
    report = learner.finish(out, story)
    cost = round(spent + _processor_time(), 3)
    text = json.dumps({"story": story, "curve": curve, "cpu_seconds": cost}, indent=1, sort_keys=True)
    write_text_atomic(beside(out, CURVE), text + "\n")
    report |= {"curve": str(beside(out, CURVE)), "CPU seconds": cost}
    unfinished.unlink(missing_ok=True)
    return report


def _processor_time() -> float:
    """Seconds of a processor that this process and those it waited for have had."""
    return time.process_time() + sum(os.times()[2:4])


def _go_on(learner: Learner, unfinished: Path, story: Facts) -> tuple[list[Facts], float]:
    """Take up what is unfinished, if anything is; the curve so far, and what it cost."""
    if not unfinished.exists():
        return [], 0.0
    part = load_artifact(str(unfinished))
    if part.facts.get("story") != story:
        begun = (part.facts.get("story") or {}).get("command", "another training")
        raise BadInput(f"{unfinished} is unfinished work of `{begun}`; go on with that, delete it, or write elsewhere")
    learner.done = part.facts["done"]
    learner.restore(part.arrays)
    return part.facts["curve"], part.facts.get("cpu_seconds", 0.0)


def beside(out: Path, ending: str) -> Path:
    """A file that stands beside an artifact: of its name, with another ending."""
    return out.with_name(out.name.removesuffix(out.suffix) + ending)


def read_curve(artifact: Path) -> list[Facts]:
    """The learning curve that stands beside an artifact."""
    curve: list[Facts] = json.loads(beside(artifact, CURVE).read_text())["curve"]
    return curve


def read_cost(artifact: Path) -> float | None:
    """The seconds of a processor that an artifact took, where that was noted."""
    noted = beside(artifact, CURVE)
    found: float | None = json.loads(noted.read_text()).get("cpu_seconds") if noted.exists() else None
    return found


@contextmanager
def progress(what: str, total: int, unit: str, show: bool = True) -> Iterator[Callable[[int, str], None]]:
    """A bar on stderr; call what is yielded with how much is done and a few words."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn(unit))
    times = (TimeElapsedColumn(), TimeRemainingColumn(), TextColumn("{task.fields[words]}"))
    with Progress(*columns, *times, console=Console(stderr=True), disable=not show) as bar:
        task = bar.add_task(what, total=total, words="")
        yield lambda done, words: bar.update(task, completed=done, words=words or bar.tasks[0].fields["words"])


def _in_words(point: Facts) -> str:
    """The first two things that a point of the curve measures."""
    return ", ".join([f"{name} {value:.3g}" for name, value in point.items() if isinstance(value, float)][:2])
