"""Neural agents: nets trained by imitation, and nets of action values.

`neural` and `dqn` follow Pereira 2021; those named `plus` are ours, for every game.
"""

from bolicho.agents.technique import Technique, Training

_GAMES = ("truco", "dominoes", "fives", "wonders")
_IMITATE, _Q_LEARN = "bolicho.agents.neural.recipes:imitate", "bolicho.agents.neural.recipes:q_learn"

_NEURAL = {
    "teacher": "rules",
    "coding": "ages",
    "hidden": ((80, 80), (80, 80), (90, 90)),
    "epochs": 400,
    "patience": 20,
}
"""Pereira 2021, section 3.4, except for early stopping: the source trains 5,000 epochs.

`epochs=5000 patience=0` reproduces that. The batch size is ours, since the source gives none.
"""

_PLUS = {"epochs": 40, "patience": 5, "batch": 256, "rate": 1e-3, "decay": 0.02, "masked": True}
_HAND = {**_PLUS, "teacher": "markov-plus", "coding": "hand", "hidden": ((128, 96),), "winners": False}
"""All plays count, since the loser of a match of Truco plays most of its hands as well as the winner."""

_TILES = {**_HAND, "teacher": "pimc(worlds=4)", "coding": "plays", "hidden": ((128, 64),), "drop": 0.2}
"""The teacher is not the scripted player, whose play is always the first output of `plays` and trivial to learn."""

_CITIES = {"teacher": "rules", "games": 6_000, "coding": "cities", "hidden": ((192, 128),), "drop": 0.2}

_DQN = {
    "coding": "table",
    "hidden": (128, 128, 128, 128),
    "scheme": "published",
    "tables": ((1.0, ("learner", "random", "random")),),
    "target": "max",
    "gamma": 0.99,
    "explore": (1.0, 0.003, 0.01),
}
"""Pereira 2021, section 3.5, except that it learns after every game; `each_turn=true`: after every turn, as published.

`masked=false` takes the best next value over all outputs instead of the legal ones; `target=fixed` or `target=double`
value the next turn by a target net, as proposed in section 5.2, copied from the net every `renew` updates.
"""

_DQN_PLUS = {"target": "return", "round": 100, "batch": 512, "rate": 1e-3, "last_rate": 5e-5}
_DQN_CITIES = {
    **_DQN_PLUS,
    "coding": "cities",
    "hidden": (192, 128),
    "scheme": "margin",
    "games": 20_000,
    "tables": (
        (0.50, ("learner", "learner", "learner")),
        (0.25, ("learner", "scripted", "scripted")),
        (0.25, ("learner", "learner", "scripted")),
    ),
    "explore": (0.5, 5e-6, 0.03),
    "memory": 60_000,
    "batches": 1 / 256,
}
"""Returns instead of bootstrapped targets, the margin instead of points, strong opponents instead of random ones."""

_DQN_HAND = {
    **_DQN_PLUS,
    "coding": "hand",
    "hidden": (128, 96),
    "scheme": "match",
    "games": 120_000,
    "tables": (
        (0.4, ("learner", "learner")),
        (0.2, ("learner", "balanced")),
        (0.2, ("learner", "markov-plus")),
        (0.2, ("learner", "cfr")),
    ),
    "explore": (0.4, 1e-6, 0.03),
    "memory": 200_000,
    "batches": 1 / 64,
}
"""Training by hand: the reward of a turn is the change of the match's win chance until the end of its hand."""

_DQN_TILES = {
    **_DQN_HAND,
    "coding": "plays",
    "scheme": "lead",
    "games": 20_000,
    "tables": ((0.6, ("learner", "learner")), (0.4, ("learner", "scripted"))),
    "explore": (0.4, 1.5e-6, 0.03),
    "memory": 100_000,
}

TECHNIQUE = Technique(
    "neural",
    agents={
        "neural": "bolicho.agents.neural.agents:neural",
        "neural-plus": "bolicho.agents.neural.agents:neural_plus",
        "dqn": "bolicho.agents.neural.agents:dqn",
        "dqn-plus": "bolicho.agents.neural.agents:dqn_plus",
    },
    trainings=(
        Training(
            "neural",
            _IMITATE,
            "nets that imitate, as in Pereira 2021",
            {"wonders": _NEURAL},
            played="neural(weights=FILE)",
        ),
        Training(
            "neural-plays",
            "bolicho.agents.neural.plays_table:neural_plays",
            "a table of the plays that neural imitates",
            {"wonders": {}},
            ending=".csv",
        ),
        Training(
            "neural-plus",
            _IMITATE,
            "a net that imitates the best of the other agents",
            {"truco": _HAND, "dominoes": _TILES, "fives": _TILES, "wonders": _PLUS | _CITIES},
            played="neural-plus(weights=FILE)",
        ),
        Training("dqn", _Q_LEARN, "Q-learning as in Pereira 2021", {"wonders": _DQN}, played="dqn(weights=FILE)"),
        Training(
            "dqn-plus",
            _Q_LEARN,
            "Q-learning with this project's inputs and targets",
            {"truco": _DQN_HAND, "dominoes": _DQN_TILES, "fives": _DQN_TILES, "wonders": _DQN_CITIES},
            played="dqn-plus(weights=FILE)",
        ),
    ),
    bindings={
        "truco": "bolicho.agents.neural.compiled.truco:BINDING",
        "dominoes": "bolicho.agents.neural.compiled.dominoes:BINDING",
        "fives": "bolicho.agents.neural.compiled.dominoes:BINDING",
        "wonders": "bolicho.agents.neural.compiled.wonders:BINDING",
    },
    matrix={"imitation": dict.fromkeys(_GAMES, "neural-plus"), "Q-learning": dict.fromkeys(_GAMES, "dqn-plus")},
)
