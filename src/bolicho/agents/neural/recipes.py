"""How the nets that ship were made: each recipe one function, and one row of `agents.training`.

`wonders-neural` and `wonders-dqn` follow Pereira 2021; those named `plus` are ours, for every game.
"""

from dataclasses import replace
from functools import partial
from typing import Any

from bolicho.agents.neural import dqn, imitation
from bolicho.agents.neural.bindings import binding
from bolicho.agents.neural.net import Nets
from bolicho.agents.training import Learner
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

TRUCO_NEURAL_PLUS = replace(
    NEURAL_PLUS,
    teacher="markov-plus",
    games=1_000,
    coding="hand",
    hidden=((128, 96),),
    winners=False,
    drop=0.0,
)
"""Who loses a match of Truco has played most of its hands as well as who wins it: all plays count."""

DOMINOES_NEURAL_PLUS = replace(
    TRUCO_NEURAL_PLUS, teacher="pimc(worlds=4)", games=1_000, coding="plays", hidden=((128, 64),), drop=0.2
)
"""The scripted player would be learned at once: what it plays is the first output of `plays`, always."""

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


TRUCO_DQN_PLUS = dqn.Plan(
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
"""Hand by hand: what a turn brought is how the chance of winning the match stood when its hand was over."""

DOMINOES_DQN_PLUS = replace(
    TRUCO_DQN_PLUS,
    coding="plays",
    scheme="lead",
    games=20_000,
    explore=(0.4, 1.5e-6, 0.03),
    tables=((0.6, ("learner", "learner")), (0.4, ("learner", "scripted"))),
    memory=100_000,
)


def wonders_neural(
    seed: int, *, games: int = NEURAL.games, epochs: int = NEURAL.epochs, patience: int = NEURAL.patience
) -> Learner:
    """Three nets, one an age, that imitate the winners among three rules agents."""
    plan = replace(NEURAL, seed=seed, games=games, epochs=epochs, patience=patience)
    return imitation.Imitator(game("wonders"), plan, "wonders-neural", partial(_scores, "wonders"))


def wonders_neural_plus(seed: int, *, games: int = NEURAL_PLUS.games, epochs: int = NEURAL_PLUS.epochs) -> Learner:
    """One net that imitates them with our inputs."""
    plan = replace(NEURAL_PLUS, seed=seed, games=games, epochs=epochs)
    return imitation.Imitator(game("wonders"), plan, "wonders-neural-plus", partial(_scores, "wonders"))


def wonders_dqn(
    seed: int,
    *,
    games: int = DQN.games,
    each_turn: bool = DQN.each_turn,
    masked: bool = DQN.masked,
    target: str = DQN.target,
    renew: int = DQN.renew,
) -> Learner:
    """The Q-learning of Pereira 2021, against two random players.

    Options: learn after every turn, as he did, instead of every game (`each_turn=true`); take the best next value over
    all outputs instead of the legal ones (`masked=false`); value the next turn by a target net, which he proposes in
    section 5.2 (`target=fixed`, or `target=double`), copied from the net every `renew` updates.
    """
    plan = replace(DQN, seed=seed, games=games, each_turn=each_turn, masked=masked, target=target, renew=renew)
    return dqn.QLearner(game("wonders"), plan, "wonders-dqn", partial(_scores, "wonders"))


def wonders_dqn_plus(seed: int, *, games: int = DQN_PLUS.games) -> Learner:
    """Our Q-learning, against itself and the rules agent."""
    return dqn.QLearner(
        game("wonders"), replace(DQN_PLUS, seed=seed, games=games), "wonders-dqn-plus", partial(_scores, "wonders")
    )


def truco_neural_plus(
    seed: int, *, games: int = TRUCO_NEURAL_PLUS.games, epochs: int = TRUCO_NEURAL_PLUS.epochs
) -> Learner:
    """A net that imitates `markov-plus`, in matches."""
    return _imitator("truco", replace(TRUCO_NEURAL_PLUS, seed=seed, games=games, epochs=epochs))


def dominoes_neural_plus(
    seed: int, *, games: int = DOMINOES_NEURAL_PLUS.games, epochs: int = DOMINOES_NEURAL_PLUS.epochs
) -> Learner:
    """A net that imitates who samples worlds and solves them."""
    return _imitator("dominoes", replace(DOMINOES_NEURAL_PLUS, seed=seed, games=games, epochs=epochs))


def fives_neural_plus(
    seed: int, *, games: int = DOMINOES_NEURAL_PLUS.games, epochs: int = DOMINOES_NEURAL_PLUS.epochs
) -> Learner:
    """The same for all fives."""
    return _imitator("fives", replace(DOMINOES_NEURAL_PLUS, seed=seed, games=games, epochs=epochs))


def truco_dqn_plus(seed: int, *, games: int = TRUCO_DQN_PLUS.games) -> Learner:
    """Q-learning of Truco in matches, against itself and the best of the house."""
    return _q_learner("truco", replace(TRUCO_DQN_PLUS, seed=seed, games=games))


def dominoes_dqn_plus(seed: int, *, games: int = DOMINOES_DQN_PLUS.games) -> Learner:
    """Q-learning of draw dominoes, against itself and the scripted player."""
    return _q_learner("dominoes", replace(DOMINOES_DQN_PLUS, seed=seed, games=games))


def fives_dqn_plus(seed: int, *, games: int = DOMINOES_DQN_PLUS.games) -> Learner:
    """The same for all fives."""
    return _q_learner("fives", replace(DOMINOES_DQN_PLUS, seed=seed, games=games))


def _imitator(name: str, plan: imitation.Plan) -> Learner:
    return imitation.Imitator(game(name), plan, f"{name}-neural-plus", partial(_scores, name))


def _q_learner(name: str, plan: dqn.Plan) -> Learner:
    return dqn.QLearner(game(name), plan, f"{name}-dqn-plus", partial(_scores, name))


def _scores(name: str, nets: Nets) -> dict[str, Any]:
    """A first look at what was made: points against random players, and against scripted ones."""
    played = game(name)
    others = played.seats - 1
    several = "two " if others > 1 else ""
    found: dict[str, Any] = {}
    for against, kind in (("random", "random"), (binding(name).scripted, "scripted")):
        points, wins = dqn.measure(played, nets, ("learner", *[kind] * others), deals=LOOK, seed=LOOK_SEED)
        found[f"points against {several}{against}"] = round(points, 2)
        found[f"wins against {several}{against}"] = round(wins, 3)
    return found
