"""Training framework. A technique provides a `Learner`; this module does the rest.

It finds a training by name, checks its options, shows progress, saves and resumes unfinished work, and records in the
artifact its origin (command, seed, version), with the learning curve beside it. Techniques declare their trainings
(`technique.Training`).
"""

import inspect
import json
import os
import re
import shlex
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import bolicho
from bolicho.agents.spec import arguments_of, parameters_of, parse_spec
from bolicho.agents.technique import Training, load, techniques
from bolicho.errors import BadInput, unknown
from bolicho.files import check_place, write_text_atomic
from bolicho.games import game as find_game
from bolicho.games import game_names
from bolicho.progress import progress
from bolicho.store.artifact import Arrays, artifact_path, has_artifact, load_artifact, renamed, save_artifact

UNFINISHED, CURVE = ".part.safetensors", ".curve.json"  # suffixes of files beside an artifact
EVERY = 60.0  # seconds between two checkpoints of unfinished work ...
QUICKLY = 3.0  # ... where a checkpoint takes at most so many seconds; otherwise proportionally more

Facts = dict[str, Any]  # as JSON


class Learner(Protocol):
    """Training in progress; new when created. A technique implements only this.

    A step depends only on the learner's arguments and its state: not on the clock, the process, or the number of
    interruptions. Chance is drawn by number (seed, game) or is part of the state.
    """

    facts: Facts
    """Description of the training, stored in the artifact; work with other facts is not resumed."""

    unit: str
    """Unit of progress: "games", "matches", ..."""

    total: int
    done: int
    """Total amount of work, and the finished part; equal at the end."""

    def step(self) -> Facts | None:
        """Learn for at most some seconds; return a point of the learning curve, where one is due."""

    def state(self) -> Arrays:
        """Return everything except `done` that later steps and the result depend on."""

    def restore(self, state: Arrays) -> None:
        """Resume from a state; `done` is set to its value at that time."""

    def finish(self, out: Path, story: Facts) -> Facts:
        """Write the result to `out`, with its story inside; return facts for readers."""


Watch = Callable[[Learner, Facts | None], bool]
"""Callback before the first step, and after each step with its point of the curve; True stops the training."""


# --- Trainings by name --------------------------------------------------------------------------


@dataclass(frozen=True)
class Chosen:
    """Training and its game, as text: "truco" or "truco(hands=1)"."""

    training: Training
    game: str

    @property
    def name(self) -> str:
        """Arguments for `bolicho train`."""
        return f"{self.training.name} {self.game}"

    @property
    def artifact(self) -> str:
        """Name of its artifact, NAME-GAME; rules of the game are part of it, so that no agent loads it by default."""
        return re.sub(r"[^\w.=-]+", "-", f"{self.training.name}-{self.game}").strip("-")

    def begin(self, seed: int, options: Mapping[str, Any]) -> Learner:
        """Create the learner."""
        learner: Learner = load(self.training.learner)(seed, **self.arguments(options))
        return learner

    def arguments(self, options: Mapping[str, Any]) -> Facts:
        """Return the arguments of the learner's function except the seed."""
        given = {**self.training.games.get(self.game, {}), **options}
        name, rules = parse_spec(given.pop("game", self.game))
        function = load(self.training.learner)
        given = arguments_of(function, given)
        parameters = inspect.signature(function).parameters
        if "game" in parameters:
            given["game"] = find_game(name, **rules)
        if "name" in parameters:
            given["name"] = self.artifact
        return given

    def options(self) -> dict[str, tuple[Any, bool]]:
        """Return the options: the default of each, and whether a command always names it."""
        own, found = self.training.games.get(self.game, {}), parameters_of(load(self.training.learner))
        return {
            key: (own.get(key, one.default), one.kind is not one.KEYWORD_ONLY)
            for key, one in found.items()
            if key not in ("seed", "game", "name")
        }


def trainings() -> list[Chosen]:
    """Return every training for every game that it declares."""
    rows = [training for technique in techniques() for training in technique.trainings]
    return [Chosen(row, game) for row in rows for game in row.games]


def find(name: str) -> Chosen:
    """Find a training by "NAME GAME", by its name where it has one game, or by the name of its artifact."""
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
        raise BadInput(f"{word} trains {plain} with its default rules only: leave the rules out")
    if not fitting:
        raise unknown(f"game of the training {word}", plain, games)
    return Chosen(fitting[0], game)


def options_of(name: str) -> Facts:
    """Return the options of a training except `seed`, with their defaults."""
    return {key: default for key, (default, _) in find(name).options().items()}


def train(
    name: str, out: Path | str, seed: int, options: Mapping[str, Any], show: bool = True, watch: Watch | None = None
) -> Facts:
    """Train an artifact into the file `out`, or resume an unfinished training; `name` is "NAME GAME"."""
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
    """Return the command of a training.

    It names every option before the `*` of the function's parameters, and of the others those that are not the default.
    """
    chosen, written = find(name), []
    for key, (default, named) in chosen.options().items():
        value = options.get(key, default)
        if named or value != default:
            written.append(f"{key}={str(value).lower() if isinstance(value, bool) else value}")
    return shlex.join(["bolicho", "train", chosen.training.name, chosen.game, *written, "--seed", str(seed)])


def how_to_play(name: str, out: Path) -> str:
    """Return the command that plays with the result `out` of a training; empty where no agent plays it."""
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
    """Raise `BadInput` for values that are not integers of at least `least`."""
    for what, number in numbers.items():
        if type(number) is not int or number < least:
            raise BadInput(f"{what} must be a whole number from {least} on, not {number!r}")


# --- Running a training -------------------------------------------------------------------------


def run(
    learner: Learner, out: Path | str, story: Facts | None = None, show: bool = True, watch: Watch | None = None
) -> Facts:
    """Run a learner to the end and write its result to `out`; return its report.

    Unfinished work is saved beside `out` (`.part.safetensors`); resuming it gives the same bytes. The curve is saved
    beside it too (`.curve.json`), with the cost in processor seconds, which vary between runs and therefore are not
    part of the artifact. When `watch` stops the training, the unfinished work is saved and `KeyboardInterrupt` raised.
    """
    out = Path(out)
    check_place(out)
    story = json.loads(json.dumps({**learner.facts, **(story or {})}))
    unfinished = beside(out, UNFINISHED)
    curve, spent = _go_on(learner, unfinished, story)
    spent -= _processor_time()
    kept, pause = time.monotonic(), EVERY
    with progress(out.name.removesuffix(out.suffix), learner.total, learner.unit, show=show) as bar:
        bar.update(learner.done)
        if watch is not None and watch(learner, None):
            raise KeyboardInterrupt
        while learner.done < learner.total:
            point = learner.step()
            if point is not None:
                curve.append(point)
            bar.update(learner.done, note=None if point is None else _in_words(point))
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
    """Return the processor seconds of this process and of its finished child processes."""
    return time.process_time() + sum(os.times()[2:4])


def _go_on(learner: Learner, unfinished: Path, story: Facts) -> tuple[list[Facts], float]:
    """Resume unfinished work, if there is any; return the curve so far and its cost."""
    if not unfinished.exists():
        return [], 0.0
    part = load_artifact(str(unfinished))
    if part.facts.get("story") != story:
        begun = (part.facts.get("story") or {}).get("command", "another training")
        raise BadInput(f"{unfinished} is unfinished work of `{begun}`; resume it, delete it, or write to another file")
    learner.done = part.facts["done"]
    learner.restore(part.arrays)
    return part.facts["curve"], part.facts.get("cpu_seconds", 0.0)


def beside(out: Path, ending: str) -> Path:
    """Return the path of a file beside an artifact: its name with another ending."""
    return out.with_name(out.name.removesuffix(out.suffix) + ending)


def read_curve(artifact: Path) -> list[Facts]:
    """Return the learning curve saved beside an artifact."""
    curve: list[Facts] = json.loads(beside(artifact, CURVE).read_text())["curve"]
    return curve


def read_cost(artifact: Path) -> float | None:
    """Return the processor seconds of an artifact's training, where recorded."""
    noted = beside(artifact, CURVE)
    found: float | None = json.loads(noted.read_text()).get("cpu_seconds") if noted.exists() else None
    return found


def _in_words(point: Facts) -> str:
    """Return the first two measurements of a point of the curve as text."""
    return ", ".join([f"{name} {value:.3g}" for name, value in point.items() if isinstance(value, float)][:2])
