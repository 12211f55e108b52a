"""No agent writes its own result: what is kept is what the rules make of the deal and the actions."""

import gc

import numpy as np
import pytest

import bolicho
from bolicho import Action, Agent, BadInput
from bolicho.arena.experiment import Experiment
from bolicho.arena.run import read_run, run
from bolicho.games.game import Table
from bolicho.games.retrace import retrace

HERE = "tests.arena.test_tampering"


class PaintsTheScores(Agent):
    """Finds the table among all objects of the process and gives itself points."""

    def act(self, view, rng):
        for thing in gc.get_objects():
            if isinstance(thing, Table) and thing.game is view.game:
                thing.pool["scores"][0, view.seat] = 23
        return view.legal[0]


class ShortensTheMatch(Agent):
    """Deals the matches after the first from other rules."""

    def act(self, view, rng):
        blank = np.frombuffer(bytearray(view.game._blank.tobytes()), view.game.dtype)
        blank["target"] = 1
        view.game.__dict__["_blank"] = blank
        return view.legal[0]


class SaysAnother(Agent):
    """Plays one thing and has another written down."""

    def act(self, view, rng):
        object.__setattr__(view, "_legal", tuple(Action("baralho", number) for number in view.numbers))
        return view.legal[0]


class RenamesTheActions(Agent):
    """Exchanges the texts of the actions in the game itself."""

    def act(self, view, rng):
        fixed = view.game._fixed
        view.game.__dict__["_fixed"] = tuple(Action(str(fixed[-1 - i]), i) for i in range(len(fixed)))
        return view.legal[0]


class CountsThePlies(Agent):
    """Takes back what was written down of a match that is lost."""

    def end(self, view):
        for thing in gc.get_objects():
            if isinstance(thing, Table) and thing.game is view.game:
                del thing.actions[2:]

    def act(self, view, rng):
        return view.legal[0]


@pytest.mark.parametrize(
    "name", ["PaintsTheScores", "ShortensTheMatch", "SaysAnother", "RenamesTheActions", "CountsThePlies"]
)
def test_a_table_that_was_changed_is_no_result(name, tmp_path):
    experiment = Experiment("truco", ["balanced", f"{HERE}:{name}"], {"target": 6}, duplicates=2, trust=True)
    with pytest.raises(BadInput, match=rf"game \d, .*{HERE}:{name}.* as recorded and as replayed .* differ"):
        run(experiment, tmp_path / "run")
    with pytest.raises(BadInput, match="holds no finished run"):
        read_run(tmp_path / "run")


class Scribbles(Agent):
    """Tries to write into what it was given."""

    def __init__(self, where: str = "") -> None:
        self.where = where

    def act(self, view, rng):
        if self.where == "blank":
            view.game._blank["target"] = 1
        elif self.where == "fixed":
            view.game._fixed[0] = view.game._fixed[1]
        elif self.where == "number":
            view.legal[0].number = 5
        elif self.where == "seats":
            view.game.seats = 1
        elif self.where == "options":
            view.game.options["target"] = 1
        elif self.where == "rows":
            view.rows[:] = 0
        return view.legal[0]


@pytest.mark.parametrize("where", ["blank", "fixed", "number", "seats", "options", "rows"])
def test_what_an_agent_is_given_cannot_be_written_to(where, tmp_path):
    scribbler = f"{HERE}:Scribbles(where={where})"
    finished = run(Experiment("truco", ["random", scribbler], {"target": 6}, duplicates=1), tmp_path / "run")
    (row,) = [row for row in finished.result["agents"] if row["agent"] == scribbler]
    assert row["forfeits"] == row["games"] == 2


@pytest.mark.parametrize("name", ["truco", "dominoes", "fives", "wonders"])
def test_every_game_of_the_house_is_replayed(name, tmp_path):
    finished = run(Experiment(name, ["random"], duplicates=2), tmp_path / "run")
    assert finished.result["num_forfeits"] == 0


def test_a_game_is_retraced_until_an_action_is_not_legal():
    table = bolicho.game("truco").deal(seed=3)
    while table.ply < 6:
        table.play(table.legal[-1])
    numbers = [action.number for action in table.actions]
    states = retrace(table.game, 3, numbers)
    assert len(states) == 7 and states[-1:].tobytes() == table.pool.tobytes()
    assert len(retrace(table.game, 3, [*numbers[:4], 99, *numbers[4:]])) == 5
