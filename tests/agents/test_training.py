"""Trainings: resumption after a kill to the same bytes, provenance of the file, and refused options."""

import json
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import bolicho
from bolicho.agents import training
from bolicho.agents.cbr.cycle import OURS
from bolicho.agents.neural import imitation, recipes
from bolicho.agents.policy import train as policy
from bolicho.agents.sarsa.train import SarsaSelfPlay
from bolicho.agents.training import Learner, command, find, how_to_play, options_of, read_curve, run, train, trainings
from bolicho.cli.shell import read_rules
from bolicho.errors import BadInput
from bolicho.store.artifact import SHIPPED, load_artifact, save_artifact
from bolicho.store.artifact_search import found_artifacts
from bolicho.store.parquet import read_parquet

SMALL = {
    "cbr-baseline truco": {"hands": 1500},
    "cbr dominoes": {"cases": 600, "games": 5},
    "cbr fives": {"cases": 600, "games": 5},
    "cbr-learned truco": {"cases": 150},
    "cbr-published truco": {"cases": 150},
    "cbr wonders": {"cases": 600, "games": 1},
    "cfr dominoes(highest=2, hand=3)": {"iterations": 300},
    "cfr dominoes": {"iterations": 20},
    "cfr fives": {"iterations": 20},
    "cfr truco": {"iterations": 3},
    "cfr-scores truco": {"hands": 300, "iterations": 2},
    "dqn-plus dominoes": {"games": 210},
    "neural-plus dominoes": {"games": 12, "epochs": 4},
    "dqn-plus fives": {"games": 210},
    "neural-plus fives": {"games": 12, "epochs": 4},
    "leaning truco": {"deals": 3},
    "markov truco": {"matches": 230, "snapshots": 3},
    "markov-plus truco": {"matches": 250},
    "policy fives(highest=4, hand=4)": {"games": 90, "width": 8, "turns": 100},
    "policy dominoes": {"games": 9},
    "policy fives": {"games": 9},
    "policy truco": {"games": 3},
    "policy wonders": {"games": 3},
    "sarsa fives(highest=4, hand=4)": {"games": 90},
    "sarsa dominoes": {"games": 90},
    "sarsa-open dominoes": {"games": 90},
    "sarsa fives": {"games": 90},
    "sarsa-open fives": {"games": 90},
    "sarsa truco": {"games": 40, "deals": 2},
    "sarsa wonders": {"games": 40, "deals": 2},
    "dqn-plus truco": {"games": 210},
    "neural-plus truco": {"games": 4, "epochs": 4},
    "dqn wonders": {"games": 5},
    "dqn-plus wonders": {"games": 210},
    "neural wonders": {"games": 12, "epochs": 3},
    "neural-plus wonders": {"games": 12, "epochs": 4},
    "neural-plays wonders": {"games": 4},
}
"""Options with which each training is short and takes several steps."""

VARIANTS = {
    "each turn": ("dqn wonders", {"each_turn": True}),
    "all outputs": ("dqn wonders", {"masked": False}),
    "target net": ("dqn wonders", {"target": "fixed", "renew": 20}),
    "target net, renewed more often": ("dqn wonders", {"target": "fixed", "renew": 10}),
    "double": ("dqn wonders", {"target": "double", "renew": 20}),
    "returns": ("dqn wonders", {"target": "return"}),
    "target net, each turn": ("dqn wonders", {"each_turn": True, "target": "fixed", "renew": 20}),
    "early stopping": ("neural wonders", {"epochs": 12}),
    "no early stopping": ("neural wonders", {"epochs": 12, "patience": 0}),
}
"""Options that change how a training learns."""

SEED = 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("trained")


@pytest.fixture(scope="module")
def small(folder):
    """Function that returns the small options of a training, with a small base where it needs one."""
    train("cbr-baseline truco", folder / "start.parquet", SEED, {"hands": 60}, show=False)
    base = {"base": str(folder / "start.parquet")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recipes, "LOOK", 2)
        patch.setattr(policy, "CURVE_DEALS", 2)
        patch.setattr(imitation, "SLICE", 1)
        yield lambda name: SMALL[name] | (base if name in ("cbr-learned truco", "cbr-published truco") else {})


@pytest.fixture(scope="module", params=[*SMALL, *VARIANTS])
def trained(request, folder, small):
    """Name, options and file of a training that ran without interruption."""
    name, more = VARIANTS.get(request.param, (request.param, {}))
    options = small(name) | more
    out = folder / request.param / ("it" + find(name).training.ending)
    train(name, out, SEED, options, show=False)
    return name, options, out


def files(folder):
    """Return the contents of a folder by file name; curves without their cost, which varies."""
    found = {path.name: path.read_bytes() for path in folder.iterdir()}
    for name, content in found.items():
        if name.endswith(training.CURVE):
            curve = json.loads(content)
            assert curve.pop("cpu_seconds") > 0
            found[name] = curve
    return found


def stop_after(monkeypatch, saves):
    """Make trainings save their work after every step, and interrupt them after `saves` of them."""
    left = [saves]

    def save(*args):
        save_artifact(*args)
        left[0] -= 1
        if left[0] == 0:
            raise KeyboardInterrupt

    monkeypatch.setattr(training, "EVERY", 0.0)
    monkeypatch.setattr(training, "save_artifact", save)


def facts_of(path):
    return read_parquet(path)[1] if path.suffix == ".parquet" else load_artifact(str(path)).facts


def test_repeatedly_stopped_training_makes_the_same_files(trained, tmp_path, monkeypatch):
    name, options, whole = trained
    out = tmp_path / whole.name
    stops = 0
    while not out.exists():
        stop_after(monkeypatch, 1 + stops % 3)
        try:
            train(name, out, SEED, options, show=False)
        except KeyboardInterrupt:
            stops += 1
            assert not out.exists() and len(files(tmp_path)) == 1
        assert stops < 200
    assert stops >= 2
    assert files(tmp_path) == files(whole.parent)


@pytest.mark.parametrize("name", sorted({name for name, _ in VARIANTS.values()}))
def test_each_option_changes_what_is_learned(name, small, tmp_path):
    """Comparison of weights, because files contain their options."""
    learned = set()
    variants = [{}, *(more for of, more in VARIANTS.values() if of == name)]
    for number, more in enumerate(variants):
        out = tmp_path / f"{number}.safetensors"
        train(name, out, SEED, small(name) | more, show=False)
        learned.add(b"".join(array.tobytes() for _, array in sorted(load_artifact(str(out)).arrays.items())))
    assert len(learned) == len(variants)


def test_recorded_command_makes_the_same_file(trained, tmp_path):
    name, options, whole = trained
    written = command(name, SEED, options)
    if whole.suffix != ".csv":
        facts = facts_of(whole)
        assert facts["command"] == written
        assert facts["seed"] == SEED and facts["version"] == bolicho.__version__
    begin, verb, of, game, *given, flag, seed = shlex.split(written)
    assert (begin, verb, f"{of} {game}", flag, seed) == ("bolicho", "train", name, "--seed", str(SEED))
    train(name, tmp_path / whole.name, int(seed), read_rules(given), show=False)
    assert files(tmp_path) == files(whole.parent)


def test_another_seed_makes_another_file(trained, tmp_path):
    name, options, whole = trained
    train(name, tmp_path / whole.name, SEED + 1, options, show=False)
    assert files(tmp_path)[whole.name] != whole.read_bytes()


def test_training_resumes_after_its_process_is_killed(tmp_path, monkeypatch):
    out, options = tmp_path / "cut" / "it.safetensors", {"games": 4000}
    code = (
        "from bolicho.agents import training; training.EVERY = 0.0;"
        f"training.train('sarsa dominoes', {str(out)!r}, {SEED}, {options})"
    )
    part = training.beside(out, training.UNFINISHED)
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    until = time.monotonic() + 120
    while not part.exists() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert part.exists() and not out.exists()
    steps, step = [], SarsaSelfPlay.step
    monkeypatch.setattr(SarsaSelfPlay, "step", lambda self: steps.append(self.done) or step(self))
    train("sarsa dominoes", out, SEED, options, show=False)
    assert steps[0] > 0, "the training started again"
    train("sarsa dominoes", tmp_path / "whole" / "it.safetensors", SEED, options, show=False)
    assert {name: data for name, data in files(out.parent).items() if name[0] != "."} == files(tmp_path / "whole")


def test_unfinished_work_of_another_training_is_kept_and_named_in_the_error(tmp_path, monkeypatch):
    out = tmp_path / "it.safetensors"
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        stop_after(patch, 2)
        train("sarsa dominoes", out, SEED, {"games": 90}, show=False)
    before = files(tmp_path)
    for options, seed in (({"games": 91}, SEED), ({"games": 90}, SEED + 1)):
        with pytest.raises(BadInput, match=r"unfinished work of `bolicho train sarsa dominoes games=90 --seed 3`"):
            train("sarsa dominoes", out, seed, options, show=False)
    assert files(tmp_path) == before
    part = tmp_path / "it.part.safetensors"
    part.write_bytes(part.read_bytes()[:-1])
    with pytest.raises(BadInput, match="delete it to start the training again"):
        train("sarsa dominoes", out, SEED, {"games": 90}, show=False)


def test_progress_is_shown_on_stderr_unless_disabled(tmp_path, capfd, monkeypatch):
    monkeypatch.setattr(Console, "is_terminal", True)
    train("sarsa dominoes", tmp_path / "shown.safetensors", SEED, {"games": 90})
    shown = capfd.readouterr()
    assert all(part in shown.err for part in ("90/90", "games/s", "rate 0.")) and not shown.out
    train("sarsa dominoes", tmp_path / "not.safetensors", SEED, {"games": 90}, show=False)
    assert capfd.readouterr() == ("", "")


# --- Refused options ----------------------------------------------------------------------------


def test_every_training_has_a_small_form_here():
    assert {one.name for one in trainings()} <= SMALL.keys()


@pytest.mark.parametrize("name", SMALL)
def test_invalid_sizes_and_option_names_are_refused(name, tmp_path):
    size = next(iter(SMALL[name]))
    for wrong, says in (
        ({size: 0}, f"{size} must be a whole number from 1 on, not 0"),
        ({size: -5}, f"{size} must be a whole number from 1 on, not -5"),
        ({size: 2.5}, f"option {size} of the training {re.escape(name)} must be int .*, not 2.5"),
        ({size: True}, f"option {size} of the training {re.escape(name)} must be int .*, not True"),
        ({f"{size}s": 3}, f"unknown option of the training {re.escape(name)} '{size}s' .did you mean '{size}'"),
    ):
        with pytest.raises(BadInput, match=says):
            train(name, tmp_path / "x", 1, wrong, show=False)
    assert not files(tmp_path)


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("cbr-learned truco", {"rivals": "often"}, "rivals of the training cbr-learned truco must be a number"),
        ("cbr-learned truco", {"rivals": 2}, "0 to 1, not 2"),
        (
            "cbr-learned truco",
            {"base": "learnt"},
            "unknown case base 'learnt'; known: cbr-baseline-truco, cbr-dominoes, cbr-fives, cbr-learned-truco, "
            "cbr-published-truco, cbr-wonders",
        ),
        ("markov truco", {"snapshots": 0}, "snapshots must be a whole number from 1 on"),
        ("dqn", {"masked": 1}, "must be bool"),
        ("sarsa domino", {}, "unknown game 'domino'"),
        ("sarsa", {}, "sarsa needs a game: bolicho train sarsa GAME, one of dominoes, fives, truco, wonders"),
        ("dqn truco", {}, "unknown game of the training dqn 'truco'"),
        ("markov truco(target=12)", {}, "markov trains truco with its default rules only"),
        ("neural wonders", {"epochs": -1}, "epochs must be a whole number from 0 on, not -1"),
        ("dqn wonders", {"target": "fix"}, "unknown target 'fix' .did you mean 'fixed'"),
        ("dqn wonders", {"renew": 0}, "renew must be a whole number from 1 on, not 0"),
        ("dqn-plu", {}, "unknown training 'dqn-plu' .did you mean 'dqn-plus'"),
    ],
)
def test_error_names_the_valid_values(name, options, says, tmp_path):
    with pytest.raises(BadInput, match=says):
        train(name, tmp_path / "x", 1, options, show=False)


def test_folder_as_output_is_refused_before_training(tmp_path):
    with pytest.raises(BadInput, match="is a folder"):
        train("sarsa dominoes", tmp_path, 1, {}, show=False)


# --- Shipped artifacts --------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(SHIPPED.glob("*.[ps]a*")), ids=lambda path: path.stem)
def test_shipped_artifact_was_made_by_the_training_of_its_name(path):
    facts = facts_of(path)
    assert facts["command"] == command(path.stem, facts["seed"], {})
    curve = training.beside(path, training.CURVE)
    if curve.exists():
        assert json.loads(curve.read_text())["story"]["command"] == facts["command"]
        assert read_curve(path) or training.read_cost(path)


# --- The contract -------------------------------------------------------------------------------


class Counter:
    """Minimal learner: the sum of random numbers."""

    unit = "draws"
    facts = {"game": "none", "kind": "sum"}  # noqa: RUF012

    def __init__(self, seed, total):
        self.seed, self.total, self.done = seed, total, 0
        self.sum = np.zeros(1)

    def step(self):
        self.sum += np.random.default_rng([self.seed, self.done]).random()
        self.done += 1
        return {"draws": self.done, "sum": float(self.sum[0])} if self.done % 10 == 0 else None

    def state(self):
        return {"sum": self.sum}

    def restore(self, state):
        self.sum = state["sum"].copy()

    def finish(self, out, story):
        save_artifact(out, {"sum": self.sum}, story)
        return {"sum": float(self.sum[0])}


def test_custom_learner_is_run_like_all_others(tmp_path, monkeypatch):
    one: Learner = Counter(1, 30)
    report = run(one, tmp_path / "whole" / "it.safetensors", {"command": "by hand"}, show=False)
    assert 0 < report["sum"] < 30
    assert [point["draws"] for point in read_curve(tmp_path / "whole" / "it.safetensors")] == [10, 20, 30]
    assert facts_of(tmp_path / "whole" / "it.safetensors") == {"game": "none", "kind": "sum", "command": "by hand"}
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        stop_after(patch, 17)
        run(Counter(1, 30), tmp_path / "cut" / "it.safetensors", {"command": "by hand"}, show=False)
    run(Counter(1, 30), tmp_path / "cut" / "it.safetensors", {"command": "by hand"}, show=False)
    assert files(tmp_path / "cut") == files(tmp_path / "whole")


def test_work_is_saved_at_intervals_and_not_after_every_step(tmp_path, monkeypatch):
    clock = iter(range(10_000))
    kept = []
    monkeypatch.setattr(training.time, "monotonic", lambda: 7 * next(clock))
    monkeypatch.setattr(training, "save_artifact", lambda path, arrays, facts: kept.append(facts["done"]))
    run(Counter(1, 30), tmp_path / "it.safetensors", show=False)
    assert kept == sorted(kept) and 2 <= len(kept) <= 5


def test_options_are_those_of_the_function():
    assert options_of("markov") == {"matches": 5_000, "snapshots": 25, "weakest": "loses"}
    assert command("dqn", 2, {"masked": False}) == "bolicho train dqn wonders masked=false --seed 2"
    assert command("markov", 2, {"snapshots": 5}) == "bolicho train markov truco matches=5000 snapshots=5 --seed 2"
    assert command("sarsa truco(hands=1)", 1, {}) == "bolicho train sarsa 'truco(hands=1)' games=400000 --seed 1"
    assert options_of("cbr-learned")["threshold"] == OURS.threshold


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("truco-dqn-plus", "dqn-plus truco"),
        ("wonders-neural", "neural wonders"),
        ("sarsa-dominoes-open", "sarsa-open dominoes"),
        ("sarsa-dominoes", "sarsa dominoes"),
        ("cfr-truco-scores", "cfr-scores truco"),
        ("cbr-published", "cbr-published truco"),
        ("cbr-wonders", "cbr wonders"),
        ("wonders-plays", "neural-plays wonders"),
        ("leaning-truco", "leaning truco"),
        ("markov-plus", "markov-plus truco"),
    ],
)
def test_old_names_of_trainings_are_known(old, new):
    assert find(old).name == new and find(find(old).artifact).name == new


def test_trained_agent_is_found_by_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(SarsaSelfPlay, "_against_random", lambda self: {})
    shipped = bolicho.agent("sarsa").files(bolicho.game("dominoes"))
    out = Path("artifacts") / "sarsa-dominoes.safetensors"
    learner = find("sarsa dominoes").begin(1, {"games": 40})
    learner.rate = 0.0
    run(learner, out, {"command": command("sarsa dominoes", 1, {"games": 40})}, show=False)
    assert bolicho.agent("sarsa").files(bolicho.game("dominoes")) == [out] != shipped
    assert how_to_play("sarsa dominoes", out) == "bolicho play dominoes sarsa random"
    assert how_to_play("sarsa dominoes", Path("my.safetensors")) == (
        "bolicho play dominoes 'sarsa(artifact=my.safetensors)' random"
    )
    assert how_to_play("cfr dominoes(highest=2, hand=2)", Path("x.safetensors")) == (
        "bolicho play dominoes 'cfr(artifact=x.safetensors)' random --rule highest=2 --rule hand=2"
    )
    assert how_to_play("cfr-scores", Path("x")) == ""
    assert find("cfr dominoes(highest=2, hand=2)").artifact == "cfr-dominoes-highest=2-hand=2"
    rows = {row["name"]: row for row in found_artifacts()}
    assert rows["sarsa-dominoes"]["file"] == str(out) and rows["sarsa-dominoes"]["game"] == "dominoes"
    assert rows["dqn-plus-truco"]["command"] == "bolicho train dqn-plus truco --seed 1"
