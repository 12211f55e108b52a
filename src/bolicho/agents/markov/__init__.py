"""Markov Truco agent of Rossato 2020, as published and with its proposed extensions as options."""

from bolicho.agents.technique import Technique, Training

TECHNIQUE = Technique(
    "markov",
    agents={"markov": "bolicho.agents.markov.agent:Markov", "markov-plus": "bolicho.agents.markov.agent:markov_plus"},
    trainings=(
        Training(
            "markov",
            "bolicho.agents.markov.train:markov",
            "the matrices of Rossato 2020, by self-play",
            {"truco": {}},
            played="markov(base=FILE)",
        ),
        Training(
            "markov-plus",
            "bolicho.agents.markov.train:markov_plus",
            "the matrices of markov-plus, by self-play with all options",
            {"truco": {}},
            played="markov-plus(base=FILE)",
        ),
    ),
    matrix={"Markov matrices": {"truco": "markov-plus"}},
)
