"""The cells of the matrix: for every technique and game an agent, or one sentence that says why there is none."""

from dataclasses import dataclass

from bolicho.agents.agent import default_game, recipe
from bolicho.errors import BadInput

GAMES = {"truco": "Truco", "dominoes": "dominoes", "fives": "all fives", "wonders": "7 Wonders"}
"""The games, and what they are called in tables."""


@dataclass(frozen=True)
class Why:
    """Why a technique cannot play a game."""

    sentence: str


Row = tuple[str | Why, str | Why, str | Why, str | Why]  # in the order of GAMES

TECHNIQUES: dict[str, Row] = {
    "rules": ("balanced", "rule", "rule", "rules"),
    "Monte Carlo trees": (
        "mcts(iterations=300)", "mcts(iterations=500)", "mcts(iterations=500)", "mcts(iterations=200)",
    ),
    "sampled worlds": (
        "pimc-search(nodes=50, worlds=5)", "pimc(worlds=10)", "pimc(node_cap=10000, worlds=4)",
        "pimc-search(iterations=20, worlds=5)",
    ),
    "search that infers": (
        "infer(iterations=100, worlds=50)", "infer(iterations=500)", "infer(iterations=500)",
        "infer(iterations=30, worlds=10)",
    ),
    "Sarsa": ("sarsa", "sarsa", "sarsa", "sarsa"),
    "imitation": ("neural-plus", "neural-plus", "neural-plus", "neural-plus"),
    "Q-learning": ("dqn-plus", "dqn-plus", "dqn-plus", "dqn-plus"),
    "policy gradient": ("policy", "policy", "policy", "policy"),
    "case-based": ("npcpvs", "cbr", "cbr", "cbr"),
    "regret minimisation": (
        "cfr", "cfr", "cfr",
        Why(
            "A walk tries all that a seat may do at each of its 18 turns: with no more than two choices a turn that "
            "is 262,144 lines a walk, with the 8.5 of random games about 10^16; and for three players "
            "regrets promise nothing."
        ),
    ),
}  # fmt: skip
"""Agents by technique.  Searches have limits of a few milliseconds a decision, in Truco of one or two: a match has
a hundred decisions, and every pair plays a thousand games."""

BESIDE: dict[str, tuple[str, ...]] = {"truco": ("markov-plus",), "dominoes": (), "fives": (), "wonders": ()}
"""Who else is there, of techniques made for one game."""

ANCHOR = "random"


@dataclass(frozen=True)
class Cell:
    """A technique on a game: who plays, or why nobody does."""

    technique: str
    game: str
    agent: str
    why: str


def absence(spec: str, game: str) -> str:
    """Why an agent does not play a game with its default rules; nothing where it does."""
    try:
        recipe(spec, game).make(default_game(game))
    except BadInput as problem:
        return str(problem)
    return ""


def cells() -> list[Cell]:
    """All of them, as they are now: who does not play says why."""
    found = []
    for technique, row in TECHNIQUES.items():
        for game, there in zip(GAMES, row, strict=True):
            if isinstance(there, Why):
                found.append(Cell(technique, game, "", there.sentence))
            else:
                found.append(Cell(technique, game, there, absence(there, game)))
    return found
