"""Training plans of the shipped nets, and the functions that create their learners.

`neural` and `dqn` follow Pereira 2021; those named `plus` are ours, for every game.
"""

from dataclasses import replace
from functools import partial
from typing import Any

from bolicho.agents.neural import dqn as q_learning
from bolicho.agents.neural import imitation
from bolicho.agents.neural.net import Nets, binding
from bolicho.agents.training import Learner
from bolicho.games.game import Game

LOOK, LOOK_SEED = 200, 12345  # deals of the report on trained nets, each played from every seat

NEURAL = imitation.ImitationSettings(
    teacher="rules",
    games=1_000,
    coding="ages",
    hidden=((80, 80), (80, 80), (90, 90)),
    epochs=400,
    patience=20,
    batch=64,
    rate=1e-4,
)
"""Pereira 2021, section 3.4, except for early stopping: the source trains 5,000 epochs.

`epochs=5000 patience=0` reproduces that. The batch size is ours, since the source gives none.
"""

NEURAL_PLUS = imitation.ImitationSettings(
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

TRUCO_NEURAL_PLUS = replace(
    NEURAL_PLUS,
    teacher="markov-plus",
    games=1_000,
    coding="hand",
    hidden=((128, 96),),
    winners=False,
    drop=0.0,
)
"""All plays count, since the loser of a match of Truco plays most of its hands as well as the winner."""

DOMINOES_NEURAL_PLUS = replace(
    TRUCO_NEURAL_PLUS, teacher="pimc(worlds=4)", games=1_000, coding="plays", hidden=((128, 64),), drop=0.2
)
"""The teacher is not the scripted player, whose play is always the first output of `plays` and trivial to learn."""

DQN = q_learning.QLearningSettings(
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
"""Pereira 2021, section 3.5, except that it learns after every game; `each_turn=true`: after every turn, as published.
"""

DQN_PLUS = q_learning.QLearningSettings(
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
"""Returns instead of bootstrapped targets, the margin instead of points, strong opponents instead of random ones."""


TRUCO_DQN_PLUS = q_learning.QLearningSettings(
    coding="hand",
    hidden=(128, 96),
    scheme="match",
    games=120_000,
    tables=(
        (0.4, ("learner", "learner")),
        (0.2, ("learner", "balanced")),
        (0.2, ("learner", "markov-plus")),
        (0.2, ("learner", "cfr")),
    ),
    target="return",
    explore=(0.4, 1e-6, 0.03),
    memory=200_000,
    round=100,
    batch=512,
    batches=1 / 64,
    rate=1e-3,
    last_rate=5e-5,
)
"""Training by hand: the reward of a turn is the change of the match's win chance until the end of its hand."""

DOMINOES_DQN_PLUS = replace(
    TRUCO_DQN_PLUS,
    coding="plays",
    scheme="lead",
    games=20_000,
    explore=(0.4, 1.5e-6, 0.03),
    tables=((0.6, ("learner", "learner")), (0.4, ("learner", "scripted"))),
    memory=100_000,
)


IMITATIONS = {
    "truco": TRUCO_NEURAL_PLUS,
    "dominoes": DOMINOES_NEURAL_PLUS,
    "fives": DOMINOES_NEURAL_PLUS,
    "wonders": NEURAL_PLUS,
}
Q_LEARNINGS = {
    "truco": TRUCO_DQN_PLUS,
    "dominoes": DOMINOES_DQN_PLUS,
    "fives": DOMINOES_DQN_PLUS,
    "wonders": DQN_PLUS,
}
"""Plans of `neural-plus` and `dqn-plus`, by game."""


def neural(
    seed: int, game: Game, *, games: int = NEURAL.games, epochs: int = NEURAL.epochs, patience: int = NEURAL.patience
) -> Learner:
    """Train three nets, one per age, that imitate the winners among three rule-based agents."""
    plan = replace(NEURAL, seed=seed, games=games, epochs=epochs, patience=patience)
    return imitation.Imitator(game, plan, f"neural-{game.name}", partial(_scores, game))


def neural_plus(seed: int, game: Game, *, games: int = 1_000, epochs: int = NEURAL_PLUS.epochs) -> Learner:
    """Train a net that imitates the teacher of the game, with our inputs."""
    plan = replace(IMITATIONS[game.name], seed=seed, games=games, epochs=epochs)
    return imitation.Imitator(game, plan, f"neural-plus-{game.name}", partial(_scores, game))


def dqn(
    seed: int,
    game: Game,
    *,
    games: int = DQN.games,
    each_turn: bool = DQN.each_turn,
    masked: bool = DQN.masked,
    target: str = DQN.target,
    renew: int = DQN.renew,
) -> Learner:
    """Train the Q-learning of Pereira 2021, against two random players.

    Options: `each_turn=true` learns after every turn, as published, instead of every game; `masked=false` takes the
    best next value over all outputs instead of the legal ones; `target=fixed` or `target=double` value the next turn by
    a target net, as proposed in section 5.2, copied from the net every `renew` updates.
    """
    plan = replace(DQN, seed=seed, games=games, each_turn=each_turn, masked=masked, target=target, renew=renew)
    return q_learning.QLearner(game, plan, f"dqn-{game.name}", partial(_scores, game))


def dqn_plus(seed: int, game: Game, *, games: int = 20_000) -> Learner:
    """Train our Q-learning, in self-play and against other agents of the game."""
    plan = replace(Q_LEARNINGS[game.name], seed=seed, games=games)
    return q_learning.QLearner(game, plan, f"dqn-plus-{game.name}", partial(_scores, game))


def _scores(game: Game, nets: Nets) -> dict[str, Any]:
    """Return a short report: points against random players, and against scripted ones."""
    others = game.seats - 1
    several = "two " if others > 1 else ""
    found: dict[str, Any] = {}
    for against, kind in (("random", "random"), (binding(game.name).scripted, "scripted")):
        points, wins = q_learning.measure(game, nets, ("learner", *[kind] * others), deals=LOOK, seed=LOOK_SEED)
        found[f"points against {several}{against}"] = round(points, 2)
        found[f"wins against {several}{against}"] = round(wins, 3)
    return found
