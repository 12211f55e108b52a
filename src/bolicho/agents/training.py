"""The one way to train.  A technique says how it learns, as a `Learner`; everything else is done here.

That is: looking a training up by name, checking its options, showing progress, keeping unfinished work and
going on with it, and writing down with what was learned who made it (command, seed, version) and the course
it took.  A training is a row of `TRAININGS`: a function that takes `seed` and options with defaults, refuses
what makes no sense, and returns the learner at its beginning.
"""

import inspect
import json
import os
import shlex
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

import bolicho
from bolicho.errors import BadInput, unknown
from bolicho.files import check_place, write_text_atomic
from bolicho.store.artifact import Arrays, load_artifact, save_artifact

TRAININGS: dict[str, tuple[str, str]] = {
    "cbr-baseline": ("bolicho.agents.cbr.truco.train:baseline", "hands observed between the scripted Truco styles"),
    "cbr-dominoes": ("bolicho.agents.cbr.train:turns", "turns of draw dominoes observed and tried out in self-play"),
    "cbr-fives": ("bolicho.agents.cbr.train:turns", "the same of all fives"),
    "cbr-learned": ("bolicho.agents.cbr.truco.train:learned", "the hands of Truco, grown by self-play"),
    "cbr-published": ("bolicho.agents.cbr.truco.train:learned", "the same as in Paulus 2020, which ships"),
    "cbr-wonders": ("bolicho.agents.cbr.train:turns", "turns of 7 Wonders observed and tried out in self-play"),
    "cfr": ("bolicho.agents.cfr.train:cfr", "a strategy near equilibrium for any game=NAME"),
    "cfr-dominoes": ("bolicho.agents.cfr.train:cfr_dominoes", "the same for draw dominoes, which ships"),
    "cfr-fives": ("bolicho.agents.cfr.train:cfr_fives", "the same for all fives, which ships"),
    "cfr-truco": ("bolicho.agents.cfr.truco.learner:cfr_truco", "a hand of Truco near equilibrium, which ships"),
    "cfr-truco-scores": ("bolicho.agents.cfr.truco.scores:cfr_truco_scores", "what the scores of a match make of it"),
    "dominoes-dqn-plus": ("bolicho.agents.neural.recipes:dominoes_dqn_plus", "Q-learning of draw dominoes"),
    "dominoes-neural-plus": ("bolicho.agents.neural.recipes:dominoes_neural_plus", "a net that imitates pimc"),
    "fives-dqn-plus": ("bolicho.agents.neural.recipes:fives_dqn_plus", "Q-learning of all fives"),
    "fives-neural-plus": ("bolicho.agents.neural.recipes:fives_neural_plus", "a net that imitates pimc"),
    "leaning-truco": ("bolicho.agents.cfr.truco.profiles:leaning_truco", "players that leaning knows, which ships"),
    "markov": ("bolicho.agents.markov.train:markov", "the matrices of Rossato 2020, by self-play"),
    "markov-plus": ("bolicho.agents.markov.train:markov_plus", "the same with all its options, which ships"),
    "policy": ("bolicho.agents.policy.train:policy", "a policy by its gradient, in self-play, for any game=NAME"),
    "policy-dominoes": ("bolicho.agents.policy.recipes:policy_dominoes", "the same for draw dominoes, which ships"),
    "policy-fives": ("bolicho.agents.policy.recipes:policy_fives", "the same for all fives, which ships"),
    "policy-truco": ("bolicho.agents.policy.recipes:policy_truco", "the same for Truco, which ships"),
    "policy-wonders": (
        "bolicho.agents.policy.recipes:policy_wonders",
        "the same for 7 Wonders, from dqn-plus on, which ships",
    ),
    "sarsa": ("bolicho.agents.sarsa.train:sarsa", "a linear value of after-states for any game=NAME"),
    "sarsa-dominoes": ("bolicho.agents.sarsa.train:sarsa", "the same for draw dominoes, which ships"),
    "sarsa-dominoes-open": ("bolicho.agents.sarsa.train:sarsa", "the same with everything open"),
    "sarsa-fives": ("bolicho.agents.sarsa.train:sarsa", "the same for all fives, which ships"),
    "sarsa-fives-open": ("bolicho.agents.sarsa.train:sarsa", "the same with everything open"),
    "sarsa-truco": ("bolicho.agents.sarsa.train:sarsa_truco", "the same for Truco, hand by hand"),
    "sarsa-wonders": ("bolicho.agents.sarsa.train:sarsa_wonders", "the same for 7 Wonders with three players"),
    "truco-dqn-plus": ("bolicho.agents.neural.recipes:truco_dqn_plus", "Q-learning of Truco, hand by hand"),
    "truco-neural-plus": ("bolicho.agents.neural.recipes:truco_neural_plus", "a net that imitates markov-plus"),
    "wonders-dqn": ("bolicho.agents.neural.recipes:wonders_dqn", "Q-learning of 7 Wonders as in Pereira 2021"),
    "wonders-dqn-plus": ("bolicho.agents.neural.recipes:wonders_dqn_plus", "our Q-learning of 7 Wonders"),
    "wonders-neural": ("bolicho.agents.neural.recipes:wonders_neural", "nets that imitate, as in Pereira 2021"),
    "wonders-neural-plus": (
        "bolicho.agents.neural.recipes:wonders_neural_plus",
        "a net that imitates, with our inputs",
    ),
    "wonders-plays": ("bolicho.agents.neural.plays:wonders_plays", "the plays that wonders-neural imitates, as a CSV"),
}
"""name: (module:function, what it makes)."""

PRESET: dict[str, dict[str, Any]] = {
    f"sarsa-{game}{ending}": {"game": game, "perfect": perfect}
    for game in ("dominoes", "fives")
    for ending, perfect in (("", False), ("-open", True))
} | {f"cbr-{game}": {"game": game} for game in ("dominoes", "fives", "wonders")}
PRESET["cbr-published"] = {  # the reading AS_PUBLISHED of lab/cbr/published.py; a test compares
    "keep": "hand", "rivals": 0.0, "membership": "every-round", "cleaning": "decision",
    "threshold": 0.98, "retrieval": "clusters", "revise": "published", "victory": "bar",
    "points": "balance", "small_clusters": "choose", "minimum": 5,
    "clustering": "k-means", "weights": "equal", "bluff": 1.0,
}  # fmt: skip
"""The options that a training's name already says."""

ENDINGS = {
    **{f"cbr-{base}": ".parquet" for base in ("baseline", "dominoes", "fives", "learned", "published", "wonders")},
    "wonders-plays": ".csv",
}
"""How the files of those end that are not arrays (`.safetensors`)."""

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


def training(name: str) -> partial[Learner]:
    """The function that begins the training of that name."""
    if name not in TRAININGS:
        raise unknown("training", name, TRAININGS)
    module, attribute = TRAININGS[name][0].split(":")
    return partial(getattr(import_module(module), attribute), **PRESET.get(name, {}))


def options_of(name: str) -> Facts:
    """The options a training takes beside `seed`, with their defaults."""
    return {key: option.default for key, option in _parameters(name).items()}


def _parameters(name: str) -> dict[str, inspect.Parameter]:
    parameters = inspect.signature(training(name).func).parameters
    return {key: found for key, found in parameters.items() if key not in ("seed", *PRESET.get(name, {}))}


def train(
    name: str, out: Path | str, seed: int, options: Mapping[str, Any], show: bool = True, watch: Watch | None = None
) -> Facts:
    """Train an artifact into the file `out`, or go on with it."""
    known = options_of(name)
    for key, value in options.items():
        if key not in known:
            raise unknown(f"option of the training {name}", key, known)
        fitting = (int, float) if type(known[key]) is float else (type(known[key]),)
        if type(value) not in fitting:
            wanted = "a number" if float in fitting else fitting[0].__name__
            raise BadInput(
                f"option {key} of the training {name} must be {wanted} (default {known[key]!r}), not {value!r}"
            )
    story = {"command": command(name, seed, options), "seed": seed, "version": bolicho.__version__}
    return run(training(name)(seed, **options), out, story, show, watch)


def command(name: str, seed: int, options: Mapping[str, Any]) -> str:
    """The command that trains so.

    It names every option before the `*` of the function's parameters, and those behind it that are not the default.
    """
    written = []
    for key, option in _parameters(name).items():
        value = options.get(key, option.default)
        if option.kind is not option.KEYWORD_ONLY or value != option.default:
            written.append(f"{key}={str(value).lower() if isinstance(value, bool) else value}")
    return shlex.join(["bolicho", "train", name, *written, "--seed", str(seed)])


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
