"""Functions that create the learners of nets; their settings are declared in the technique (`neural/__init__.py`)."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from bolicho.agents.neural import dqn, imitation
from bolicho.agents.neural.net import Nets, binding
from bolicho.agents.training import Learner, find
from bolicho.games.game import Game

IMITATION, Q_LEARNING = imitation.ImitationSettings(), dqn.QLearningSettings()
LOOK, LOOK_SEED = 200, 12345  # deals of the report on trained nets, each played from every seat


def imitate(seed: int, game: Game, name: str, *, plan: imitation.ImitationSettings = IMITATION) -> Learner:
    """Train nets that imitate a teacher of the game."""
    return imitation.Imitator(game, replace(plan, seed=seed), name, _scores(game))


def q_learn(seed: int, game: Game, name: str, *, plan: dqn.QLearningSettings = Q_LEARNING) -> Learner:
    """Train a net of action values, in self-play or against other agents of the game."""
    return dqn.QLearner(game, replace(plan, seed=seed), name, _scores(game))


def declared_plan(training: str) -> Any:
    """Return the declared settings of a training: of `neural wonders`, ..."""
    return find(training).arguments({})["plan"]


def _scores(game: Game) -> Callable[[Nets], dict[str, Any]]:
    """Return a short report on nets: points against random players, and against scripted ones."""
    others = game.seats - 1
    several = "two " if others > 1 else ""

    def report(nets: Nets) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for against, kind in (("random", "random"), (binding(game.name).scripted, "scripted")):
            points, wins = dqn.measure(game, nets, ("learner", *[kind] * others), deals=LOOK, seed=LOOK_SEED)
            found[f"points against {several}{against}"] = round(points, 2)
            found[f"wins against {several}{against}"] = round(wins, 3)
        return found

    return report
