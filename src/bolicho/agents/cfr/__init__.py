"""Counterfactual regret minimisation for every game: by sampling, and exactly for small games."""

from bolicho.agents.technique import Absent, Technique, Training

TECHNIQUE = Technique(
    "cfr",
    agents={"cfr": "bolicho.agents.cfr.agent:CFR", "leaning": "bolicho.agents.cfr.truco.leaning:Leaning"},
    trainings=(
        Training(
            "cfr",
            "bolicho.agents.cfr.truco.learner:cfr_truco",
            "a near-equilibrium strategy for a hand of Truco",
            {"truco": {}},
            played="cfr(artifact=FILE)",
        ),
        Training(
            "cfr",
            "bolicho.agents.cfr.train:cfr",
            "a near-equilibrium strategy",
            {name: {"iterations": 20_000, "abstraction": "plays", "least": 4} for name in ("dominoes", "fives")},
            any_game=True,
            played="cfr(artifact=FILE)",
        ),
        Training(
            "cfr-scores",
            "bolicho.agents.cfr.truco.scores:cfr_truco_scores",
            "adjustments of the strategy of cfr to match scores",
            {"truco": {}},
        ),
        Training(
            "leaning",
            "bolicho.agents.cfr.truco.profiles:leaning_truco",
            "profiles of the opponents that leaning knows",
            {"truco": {}},
            played="leaning(profiles=FILE)",
        ),
    ),
    bindings={
        "truco": "bolicho.agents.cfr.truco:ABSTRACTIONS",
        "dominoes": "bolicho.agents.cfr.dominoes:ABSTRACTIONS",
        "fives": "bolicho.agents.cfr.dominoes:ABSTRACTIONS",
    },
    matrix={
        "regret minimisation": {
            "truco": "cfr",
            "dominoes": "cfr",
            "fives": "cfr",
            "wonders": Absent(
                "A walk tries all that a seat may do at each of its 18 turns: with no more than two choices a turn "
                "that is 262,144 lines a walk, with the 8.5 of random games about 10^16; and for three players "
                "regrets promise nothing."
            ),
        }
    },
)
