"""No agent writes its own result: what is kept is what the rules make of the deal and the actions."""

import gc

import pytest

import bolicho
from bolicho import Action, Agent, BadInput
from bolicho.arena.experiment import Experiment
from bolicho.arena.run import read_run, row_record, run
from bolicho.games.record import replay
from bolicho.games.retrace import retrace
from bolicho.games.tables import Tables
from tests.arena.test_run import rows

HERE = "tests.arena.test_tampering"


def tables_of(game):
    """The tables of a game among all objects of the process."""
    return [thing for thing in gc.get_objects() if isinstance(thing, Tables) and thing.game is game]


class Honest(Agent):
    """What the others would be if they were."""

    def act(self, view, rng):
        return view.legal[0]


class PaintsTheScores(Agent):
    """Gives itself points."""

    def act(self, view, rng):
        for tables in tables_of(view.game):
            tables.pool["scores"][:, view.seat] = 5
        return view.legal[0]


class ShortensTheMatch(Agent):
    """Makes the rules of the match others."""

    def act(self, view, rng):
        for tables in tables_of(view.game):
            tables.pool["target"] = 1
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
        for tables in tables_of(view.game):
            tables.plies[:] = 2

    def act(self, view, rng):
        return view.legal[0]


TAMPERERS = ["PaintsTheScores", "ShortensTheMatch", "SaysAnother", "RenamesTheActions", "CountsThePlies"]


@pytest.mark.parametrize("name", ["PaintsTheScores", "ShortensTheMatch", "CountsThePlies"])
def test_a_table_that_was_changed_is_no_result(name, tmp_path):
    experiment = Experiment("truco", ["balanced", f"{HERE}:{name}"], {"target": 6}, duplicates=2, trust=True)
    with pytest.raises(BadInput, match=rf"game \d, .*{HERE}:{name}.* as recorded and as replayed .* differ"):
        run(experiment, tmp_path / "run")
    with pytest.raises(BadInput, match="holds no finished run"):
        read_run(tmp_path / "run")


def games(finished):
    return [(game["actions"], game["scores"], game["payoffs"], game["forfeit"]) for game in rows(finished)]


def played(name, folder, trust):
    experiment = Experiment("truco", ["balanced", f"{HERE}:{name}"], {"target": 6}, duplicates=2, seed=3, trust=trust)
    return games(run(experiment, folder))


@pytest.mark.parametrize("name", ["SaysAnother", "RenamesTheActions"])
def test_what_actions_are_called_changes_nothing_even_of_those_one_trusts(name, tmp_path):
    assert played(name, tmp_path / "run", trust=True) == played("Honest", tmp_path / "honest", trust=True)


@pytest.mark.parametrize("name", TAMPERERS)
def test_in_a_process_of_its_own_nobody_finds_anything_to_change(name, tmp_path):
    assert played(name, tmp_path / "run", trust=False) == played("Honest", tmp_path / "honest", trust=True)


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
    for game in rows(finished):
        table = replay(row_record(finished.folder, game["row"]))
        assert table.over and [action.number for action in table.actions] == game["actions"]


def test_a_game_is_retraced_until_an_action_is_not_legal():
    table = bolicho.game("truco").deal(seed=3)
    while table.ply < 6:
        table.play(table.legal[-1])
    numbers = [action.number for action in table.actions]
    states = retrace(table.game, 3, numbers)
    assert len(states) == 7 and states[-1:].tobytes() == table.pool.tobytes()
    assert len(retrace(table.game, 3, [*numbers[:4], 99, *numbers[4:]])) == 5
