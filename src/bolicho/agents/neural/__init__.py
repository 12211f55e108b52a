"""Neural agents: nets trained by imitation, and nets of action values."""

from bolicho.agents.technique import Technique, Training

_GAMES = ("truco", "dominoes", "fives", "wonders")

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
            "bolicho.agents.neural.recipes:neural",
            "nets that imitate, as in Pereira 2021",
            {"wonders": {}},
            played="neural(weights=FILE)",
        ),
        Training(
            "neural-plays",
            "bolicho.agents.neural.plays:neural_plays",
            "a table of the plays that neural imitates",
            {"wonders": {}},
            ending=".csv",
        ),
        Training(
            "neural-plus",
            "bolicho.agents.neural.recipes:neural_plus",
            "a net that imitates the best of the other agents",
            {"truco": {}, "dominoes": {}, "fives": {}, "wonders": {"games": 6_000}},
            played="neural-plus(weights=FILE)",
        ),
        Training(
            "dqn",
            "bolicho.agents.neural.recipes:dqn",
            "Q-learning as in Pereira 2021",
            {"wonders": {}},
            played="dqn(weights=FILE)",
        ),
        Training(
            "dqn-plus",
            "bolicho.agents.neural.recipes:dqn_plus",
            "Q-learning with this project's inputs and targets",
            {"truco": {"games": 120_000}, "dominoes": {}, "fives": {}, "wonders": {}},
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
