"""Puzzles: choices in games between agents that cost their players most, judged by a stronger agent.

The shipped file is made by `python -m bolicho.lab.puzzles`.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bolicho import __version__
from bolicho.agents.mirrored_games import luck_of_seats
from bolicho.agents.play import advice, answer
from bolicho.agents.registry import agent
from bolicho.errors import BadInput
from bolicho.files import atomic_path
from bolicho.games import game as make_game
from bolicho.games.game import Game, Table
from bolicho.progress import progress

FILE = Path(__file__).with_name("puzzles.json")
COUNT = 30  # puzzles of each game in the shipped file
SEED = 1


@dataclass(frozen=True)
class Plan:
    """How puzzles of a game are found: the players, who may err, the judge, and how clear the best choice must be."""

    players: tuple[str, ...]
    judge: str
    cost: float  # least loss of the player's choice, in the unit of the judge's values
    gap: float  # least distance of the best choice from the next; in dominoes above two standard errors of a value
    rules: Mapping[str, Any]


PLANS = {
    "truco": Plan(("novice", "balanced"), "cfr", 0.5, 0.25, {"hands": 1}),
    "dominoes": Plan(("rule", "random"), "pimc(worlds=300)", 4.0, 3.0, {}),
    "fives": Plan(("rule", "random"), "pimc(worlds=300)", 5.0, 3.0, {}),
    "wonders": Plan(("rules", "random", "rules"), "policy", 0.9, 0.8, {}),
}
"""The players are weaker than the judge, so that their choices cost something (docs/studies/gallery.md)."""


@dataclass(frozen=True)
class Puzzle:
    """Position with a clearly best choice: the actions that lead there, and the judge's value of each choice."""

    seed: int
    actions: list[int]
    seat: int
    values: dict[str, float]
    unit: str  # "points", or "share" where the judge tells how often it makes each choice


def judged(table: Table, spec: str) -> tuple[str, dict[str, float]]:
    """Return the unit, and a value for each legal action, by the explanation of an agent."""
    _, why = advice(table, _judge(spec, table.game), "puzzle")
    facts: Mapping[str, Any] = {} if why is None else why.facts
    if "values" in facts:
        return "points", dict(facts["values"])
    if "mixture" in facts:
        return "share", dict(facts["mixture"])
    raise BadInput(f"the agent {spec} tells neither values nor a mixture here, so it judges no choice")


@cache
def _judge(spec: str, game: Game) -> Any:
    return agent(spec, game)


def best(values: Mapping[str, float]) -> str:
    """Return the action with the highest value."""
    return max(values, key=lambda action: values[action])


def find(name: str, seed: int, plan: Plan | None = None) -> Iterator[Puzzle]:
    """Yield puzzles of a game, at most one of each deal: the choice that cost its player most, or any of equal cost."""
    plan = plan or PLANS[name]
    game = make_game(name, **plan.rules)
    players = [agent(spec, game) for spec in plan.players]
    deal = 1_000_000 * seed
    while True:
        deal += 1
        table, costs = game.deal(deal), []
        luck = luck_of_seats(f"puzzles {deal}", game.seats)
        while table.turn is not None:
            seat = table.turn
            chosen = str(answer(table, players[seat], luck[seat]))
            if len(table.legal) > 2:
                found = _costly(table, seat, chosen, plan)
                costs += [] if found is None else [found]
            table.play(chosen)
        if costs:
            most = max(round(cost, 2) for cost, _ in costs)
            equal = [puzzle for cost, puzzle in costs if round(cost, 2) == most]
            yield equal[deal % len(equal)]


def _costly(table: Table, seat: int, chosen: str, plan: Plan) -> tuple[float, Puzzle] | None:
    """Return the cost of a choice and its puzzle, if it cost enough and one choice is clearly the best."""
    unit, values = judged(table, plan.judge)
    order = sorted(values.values(), reverse=True)
    top = best(values)
    if values[top] - values[chosen] < plan.cost or len(order) < 3:
        return None
    if order[0] - order[1] < plan.gap:
        return None
    rounded = {action: round(value, 3) for action, value in values.items()}
    actions = [int(action) for action in table.actions]
    return values[top] - values[chosen], Puzzle(table.record()["seed"], actions, seat, rounded, unit)


@cache
def shipped() -> dict[str, Any]:
    """Return the shipped puzzles by game, each with players, judge and rules; empty if none ship."""
    if not FILE.exists():
        return {}
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))["games"]
    return found


def write(out: Path, count: int = COUNT, seed: int = SEED) -> None:
    """Find puzzles of every game, and write them with the command that makes them."""
    games: dict[str, Any] = {}
    with progress("puzzles", count * len(PLANS)) as bar:
        for name, plan in PLANS.items():
            source, found = find(name, seed), []
            for _ in range(count):
                found.append(asdict(next(source)))
                bar.advance()
            about = {"players": list(plan.players), "judge": plan.judge, "rules": dict(plan.rules)}
            games[name] = {**about, "puzzles": found}
    facts = {"command": "python -m bolicho.lab.puzzles", "seed": seed, "version": __version__, "games": games}
    with atomic_path(out) as path:
        path.write_text(json.dumps(facts, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else FILE)
