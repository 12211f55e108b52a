"""How the nets that ship were made: each recipe one function, and one row of `agents.training`.

`wonders-neural` and `wonders-dqn` follow Pereira 2021; the two named `plus` are ours.
"""

import json
import shlex
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from bolicho import __version__
from bolicho.agents.neural import dqn, imitation
from bolicho.agents.neural.net import Nets
from bolicho.games import game

LOOK, LOOK_SEED = 200, 12345  # deals of a first look at what was made, each played from every seat

NEURAL = imitation.Plan(
    teacher="rules",
    games=1_000,
    coding="ages",
    hidden=((80, 80), (80, 80), (90, 90)),
    epochs=400,
    patience=20,
    batch=64,
    rate=1e-4,
)
"""Pereira 2021, section 3.4, but for the end: he trained 5,000 epochs, this stops when it no longer gets better.

`epochs=5000 patience=0` does as he did.  The batch is ours, since his text has none.
"""

NEURAL_PLUS = imitation.Plan(
    teacher="rules",
    games=6_000,
    coding="cities",
    hidden=((192, 128),),
    epochs=40,
    patience=5,
    batch=256,
    rate=1e-3,
    decay=0.02,
    drop=0.2,
    masked=True,
)

DQN = dqn.Plan(
    coding="table",
    hidden=(128, 128, 128, 128),
    scheme="published",
    games=5_000,
    tables=((1.0, ("learner", "random", "random")),),
    target="max",
    gamma=0.99,
    explore=(1.0, 0.003, 0.01),
    memory=100_000,
    round=1,
    batch=64,
    batches=1.0,
    rate=1e-4,
    last_rate=1e-4,
)
"""Pereira 2021, section 3.5, but that it learns after every game; `each_turn=true`: after every turn, as he did."""

DQN_PLUS = dqn.Plan(
    coding="cities",
    hidden=(192, 128),
    scheme="margin",
    games=20_000,
    tables=(
        (0.50, ("learner", "learner", "learner")),
        (0.25, ("learner", "scripted", "scripted")),
        (0.25, ("learner", "learner", "scripted")),
    ),
    target="return",
    explore=(0.5, 5e-6, 0.03),
    memory=60_000,
    round=100,
    batch=512,
    batches=1 / 256,
    rate=1e-3,
    last_rate=5e-5,
)
"""Returns instead of guesses about the next turn, the margin instead of points, strong tables, not random ones."""


def train_neural(
    out: Path, seed: int = 1, games: int = NEURAL.games, epochs: int = NEURAL.epochs, patience: int = NEURAL.patience
) -> dict[str, Any]:
    """Three nets, one an age, that imitate the winners among three rules agents."""
    plan = replace(NEURAL, seed=seed, games=games, epochs=epochs, patience=patience)
    return _imitate("wonders-neural", plan, NEURAL, out)


def train_neural_plus(
    out: Path, seed: int = 1, games: int = NEURAL_PLUS.games, epochs: int = NEURAL_PLUS.epochs
) -> dict[str, Any]:
    """One net that imitates them with our inputs."""
    plan = replace(NEURAL_PLUS, seed=seed, games=games, epochs=epochs)
    return _imitate("wonders-neural-plus", plan, NEURAL_PLUS, out)


def train_dqn(
    out: Path, seed: int = 1, games: int = DQN.games, each_turn: bool = DQN.each_turn, masked: bool = DQN.masked
) -> dict[str, Any]:
    """The Q-learning of Pereira 2021, against two random players.

    Options: to learn after every turn, as he did, instead of every game, and to take the best next value over all
    outputs instead of the legal ones (`masked=false`).
    """
    return _learn("wonders-dqn", replace(DQN, seed=seed, games=games, each_turn=each_turn, masked=masked), DQN, out)


def train_dqn_plus(out: Path, seed: int = 1, games: int = DQN_PLUS.games) -> dict[str, Any]:
    """Our Q-learning, against itself and the rules agent."""
    return _learn("wonders-dqn-plus", replace(DQN_PLUS, seed=seed, games=games), DQN_PLUS, out)


_OPTIONS = ("games", "epochs", "patience", "each_turn", "masked")


def _facts(name: str, plan: Any, default: Any) -> dict[str, Any]:
    """Who made it: the version and the command, with what was chosen otherwise than by default."""
    chosen, usual = asdict(plan), asdict(default)
    options = [f"{key}={json.dumps(chosen[key])}" for key in _OPTIONS if key in chosen and chosen[key] != usual[key]]
    command = ["bolicho", "train", name, *options, "--seed", str(plan.seed)]
    return {"name": name, "version": __version__, "command": shlex.join(command)}


def _imitate(name: str, plan: imitation.Plan, default: imitation.Plan, out: Path) -> dict[str, Any]:
    nets, accuracy = imitation.train(game("wonders"), plan, out, _facts(name, plan, default))
    return {"accuracy": accuracy, **_scores(nets)}


def _learn(name: str, plan: dqn.Plan, default: dqn.Plan, out: Path) -> dict[str, Any]:
    return _scores(dqn.train(game("wonders"), plan, out, _facts(name, plan, default)))


def _scores(nets: Nets) -> dict[str, Any]:
    """A first look at what was made: points against two random players, and against two scripted ones."""
    looks = {"random": ("learner", "random", "random"), "rules": ("learner", "scripted", "scripted")}
    found: dict[str, Any] = {}
    for against, table in looks.items():
        points, wins = dqn.measure(game("wonders"), nets, table, deals=LOOK, seed=LOOK_SEED)
        found[f"points against two {against}"] = round(points, 2)
        found[f"wins against two {against}"] = round(wins, 3)
    return found
