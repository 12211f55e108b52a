"""What a task brings is played again before it is kept.

An agent that is trusted plays in the process that plays the game, so it could reach around its view and change the
table.  What is kept is therefore not what the table said but what the rules make of the seed and the
actions: a game whose row says anything else is refused.
"""

from collections.abc import Sequence

import numpy as np

from bolicho.agents.loop import forfeit_payoffs
from bolicho.agents.meet import deal_seed, rotated
from bolicho.arena.experiment import Experiment
from bolicho.arena.pairing import Task
from bolicho.arena.rows import Row
from bolicho.errors import BadInput
from bolicho.games.compiled import calls
from bolicho.games.game import Game
from bolicho.games.kind import Pool
from bolicho.games.retrace import behaviours, retrace


def check_rows(game: Game, experiment: Experiment, task: Task, rows: Sequence[Row]) -> None:
    """Refuse rows that are not the games of the task, or that the rules do not lead to.

    Add to the others what their players did.
    """
    specs = [experiment.agents[number] for number in experiment.pairings()[task.pairing]]
    first = (task.pairing * experiment.duplicates + task.first) * game.seats
    by_number = {row["row"]: row for row in rows}
    if len(rows) != task.deals * game.seats or sorted(by_number) != [first + i for i in range(len(rows))]:
        raise BadInput(f"the games that came back of {' against '.join(specs)} are not those that were asked for")
    for number, row in by_number.items():
        deal, rotation = divmod(number - task.pairing * experiment.duplicates * game.seats, game.seats)
        seed = deal_seed(experiment.seed or 0, deal)
        states = retrace(game, seed, row["actions"])
        row["did"] = behaviours(game, states, row["actions"])
        right = {
            "pairing": task.pairing,
            "deal": deal,
            "rotation": rotation,
            "seed": seed,
            "agents": rotated(specs, rotation),
            **_replayed(game, states, row["forfeit"]),
        }
        wrong = [name for name, value in right.items() if row[name] != value]
        if wrong:
            raise BadInput(
                f"game {number}, {' against '.join(right['agents'])}: its {wrong[0]} as recorded and as replayed from "
                "the deal and the actions differ, so one of these agents has changed the table; the game is not kept"
            )


def _replayed(game: Game, states: Pool, forfeit: int) -> Row:
    """What a row must say of a game with these positions, which that seat forfeited (-1: none)."""
    end = states[-1:]
    scores, payoffs = np.zeros(game.seats, np.int64), np.zeros(game.seats)
    calls.scores(end, scores)
    if forfeit >= 0:
        payoffs[:] = forfeit_payoffs(game.seats, forfeit)
    elif end["turn"][0] < 0:
        calls.payoff(end, payoffs)
    else:
        payoffs[:] = np.nan  # equal to nothing: nobody gave up, and the game is not over
    return {
        "plies": len(states) - 1,
        "scores": scores.tolist(),
        "payoffs": payoffs.tolist(),
        "first": int(states["turn"][0]),
    }
