"""Check of a task's games by replay, before they are written.

A trusted agent plays in the process of the game, so it could bypass its view and change the table.  Each row must
therefore equal the result of the rules on its seed and actions.
"""

from collections.abc import Sequence

from bolicho.agents.loop import forfeit_payoffs
from bolicho.agents.mirrored_games import deal_seed, rotated
from bolicho.arena.experiment import Experiment
from bolicho.arena.pairing import Task
from bolicho.arena.rows import Row
from bolicho.errors import BadInput
from bolicho.games.game import Game
from bolicho.games.retrace import retrace


def check_rows(game: Game, experiment: Experiment, task: Task, rows: Sequence[Row]) -> None:
    """Raise `BadInput` for rows that are not the games of the task, or that differ from their replay.

    Add the counts of behaviours (`did`) to the rows.
    """
    specs = [experiment.agents[number] for number in experiment.pairings()[task.pairing]]
    first = (task.pairing * experiment.duplicates + task.first) * game.seats
    by_number = {row["row"]: row for row in rows}
    if len(rows) != task.deals * game.seats or sorted(by_number) != [first + i for i in range(len(rows))]:
        raise BadInput(f"the games returned by {' against '.join(specs)} are not the requested ones")
    for number, row in by_number.items():
        deal, rotation = divmod(number - task.pairing * experiment.duplicates * game.seats, game.seats)
        seed = deal_seed(experiment.seed or 0, deal)
        again = retrace(game, seed, row["actions"])
        row["did"] = again.did
        right = {
            "pairing": task.pairing,
            "deal": deal,
            "rotation": rotation,
            "seed": seed,
            "agents": rotated(specs, rotation),
            "plies": len(again.states) - 1,
            "scores": again.scores.tolist(),
            "payoffs": forfeit_payoffs(game.seats, row["forfeit"]) if row["forfeit"] >= 0 else again.payoffs.tolist(),
            "first": int(again.states["turn"][0]),
        }
        wrong = [name for name, value in right.items() if row[name] != value]
        if wrong:
            raise BadInput(
                f"game {number}, {' against '.join(right['agents'])}: its {wrong[0]} as recorded and as replayed from "
                "the deal and the actions differ, so one of these agents has changed the table; the game is not kept"
            )
