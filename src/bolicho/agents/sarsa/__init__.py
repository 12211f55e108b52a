"""Sarsa: a linear value of after-states, learned in self-play."""

from bolicho.agents.technique import Technique, Training

TECHNIQUE = Technique(
    "sarsa",
    agents={"sarsa": "bolicho.agents.sarsa.agent:Sarsa", "sarsa-open": "bolicho.agents.sarsa.agent:OpenSarsa"},
    trainings=(
        Training(
            "sarsa",
            "bolicho.agents.sarsa.train:sarsa",
            "a linear value of after-states, by self-play",
            {
                "dominoes": {},
                "fives": {},
                # 40% of matches against `balanced` after 80,000 games with epsilon 0.02, 43% with 0.01
                "truco": {"games": 40_000, "epsilon": 0.01, "alpha": 0.02, "deals": 200},
                # 34% of games against two of `rules` after 8,000 with epsilon 0.07, 64% with 0.2, 66% with 0.35
                "wonders": {"games": 10_000, "epsilon": 0.3, "alpha": 0.02, "deals": 200},
            },
            any_game=True,
            played="sarsa(artifact=FILE)",
        ),
        Training(
            "sarsa-open",
            "bolicho.agents.sarsa.train:sarsa_open",
            "a linear value of after-states with full information, by self-play",
            {"dominoes": {}, "fives": {}},
            any_game=True,
            played="sarsa-open(artifact=FILE)",
        ),
    ),
    bindings={
        "truco": "bolicho.agents.sarsa.compiled.truco",
        "dominoes": "bolicho.agents.sarsa.compiled.dominoes",
        "fives": "bolicho.agents.sarsa.compiled.dominoes",
        "wonders": "bolicho.agents.sarsa.compiled.wonders",
    },
    matrix={"Sarsa": dict.fromkeys(("truco", "dominoes", "fives", "wonders"), "sarsa")},
)
