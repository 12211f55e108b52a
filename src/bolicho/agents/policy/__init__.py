"""Policy-gradient learning: in self-play, and as best responses to a fixed agent."""

from bolicho.agents.technique import Technique, Training

TECHNIQUE = Technique(
    "policy",
    agents={"policy": "bolicho.agents.policy.agent:PolicyAgent"},
    trainings=(
        Training(
            "policy",
            "bolicho.agents.policy.train:policy",
            "a policy by policy gradient, in self-play",
            {
                "truco": {"game": "truco(hands=1)", "games": 60_000, "coding": "features", "scheme": "payoff"},
                "dominoes": {"games": 30_000, "coding": "plays", "scheme": "payoff", "mixed": 0.02, "sharp": 3.0},
                "fives": {"games": 120_000, "coding": "plays", "scheme": "payoff", "mixed": 0.02, "sharp": 3.0},
                # start from the values of `dqn-plus`; half of the games against two of it, half in self-play
                "wonders": {
                    "games": 48_000,
                    "coding": "cities",
                    "scheme": "margin",
                    "rate": 4e-4,
                    "mixed": 0.02,
                    "against": "dqn-plus",
                    "start": "dqn-plus-wonders",
                    "sharp": 4.0,
                },
            },
            any_game=True,
            played="policy(artifact=FILE)",
        ),
    ),
    matrix={"policy gradient": dict.fromkeys(("truco", "dominoes", "fives", "wonders"), "policy")},
)
