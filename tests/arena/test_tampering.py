"""Protection of results: runs keep what the rules compute from the deal and the actions."""

import gc

import pytest

import bolicho
from bolicho import Action, Agent, BadInput
from bolicho.arena.experiment import Experiment
from bolicho.arena.run import read_run, row_record, run
from bolicho.games.game import Table
from bolicho.games.record import replay
from bolicho.games.retrace import retrace
from bolicho.games.tables import Tables
from tests.arena.test_run import rows

HERE = "tests.arena.test_tampering"


def tables_of(game):
    """Return the tables of a game among all objects of the process."""
    return [thing for thing in gc.get_objects() if isinstance(thing, Table | Tables) and thing.game is game]


class Honest(Agent):
    """Agent of the first legal action, for comparison."""

    def act(self, view, rng):
        return view.legal[0]


class ChangesTheScores(Agent):
    """Agent that gives itself points."""

    def act(self, view, rng):
        for tables in tables_of(view.game):
            tables.pool["scores"][:, view.seat] = 5
        return view.legal[0]


class ShortensTheMatch(Agent):
    """Agent that changes the rules of the match."""

    def act(self, view, rng):
        for tables in tables_of(view.game):
            tables.pool["target"] = 1
        return view.legal[0]


class RecordsAnotherAction(Agent):
    """Agent that plays one action and has another one recorded."""

    def act(self, view, rng):
        object.__setattr__(view, "_legal", tuple(Action("baralho", number) for number in view.numbers))
        return view.legal[0]


class RenamesTheActions(Agent):
    """Agent that exchanges the texts of the actions in the game."""

    def act(self, view, rng):
        fixed = view.game._fixed
        view.game.__dict__["_fixed"] = tuple(Action(str(fixed[-1 - i]), i) for i in range(len(fixed)))
        return view.legal[0]


class ChangesThePlies(Agent):
    """Agent that removes recorded plies of a match."""

    def end(self, view):
        for tables in tables_of(view.game):
            if isinstance(tables, Tables):
                tables.plies[:] = 2
            else:
                del tables.actions[2:]

    def act(self, view, rng):
        return view.legal[0]


TAMPERERS = ["ChangesTheScores", "ShortensTheMatch", "RecordsAnotherAction", "RenamesTheActions", "ChangesThePlies"]


@pytest.mark.parametrize("deals", [2, 200])  # in tasks of one table, and of several
@pytest.mark.parametrize("name", ["ChangesTheScores", "ShortensTheMatch", "ChangesThePlies"])
def test_run_with_a_modified_table_gives_no_result(name, deals, tmp_path):
    experiment = Experiment("truco", ["balanced", f"{HERE}:{name}"], {"target": 6}, duplicates=deals, trust=True)
    with pytest.raises(BadInput, match=rf"game \d+, .*{HERE}:{name}.* as recorded and as replayed .* differ"):
        run(experiment, tmp_path / "run")
    with pytest.raises(BadInput, match="holds no finished run"):
        read_run(tmp_path / "run")


def games(finished):
    return [(game["actions"], game["scores"], game["payoffs"], game["forfeit"]) for game in rows(finished)]


def played(name, folder, trust):
    experiment = Experiment("truco", ["balanced", f"{HERE}:{name}"], {"target": 6}, duplicates=2, seed=3, trust=trust)
    return games(run(experiment, folder))


@pytest.mark.parametrize("name", ["RecordsAnotherAction", "RenamesTheActions"])
def test_renamed_actions_do_not_change_games_of_trusted_agents(name, tmp_path):
    assert played(name, tmp_path / "run", trust=True) == played("Honest", tmp_path / "honest", trust=True)


@pytest.mark.parametrize("name", TAMPERERS)
def test_agents_in_their_own_process_find_nothing_to_change(name, tmp_path):
    assert played(name, tmp_path / "run", trust=False) == played("Honest", tmp_path / "honest", trust=True)


class WritesToItsArguments(Agent):
    """Agent that tries to write to the objects it gets."""

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
def test_objects_given_to_an_agent_are_read_only(where, tmp_path):
    scribbler = f"{HERE}:WritesToItsArguments(where={where})"
    finished = run(Experiment("truco", ["random", scribbler], {"target": 6}, duplicates=1), tmp_path / "run")
    (row,) = [row for row in finished.result["agents"] if row["agent"] == scribbler]
    assert row["forfeits"] == row["games"] == 2


@pytest.mark.parametrize("name", ["truco", "dominoes", "fives", "wonders"])
def test_every_built_in_game_is_replayed(name, tmp_path):
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
    states = retrace(table.game, 3, numbers).states
    assert len(states) == 7 and states[-1:].tobytes() == table.pool.tobytes()
    assert len(retrace(table.game, 3, [*numbers[:4], 99, *numbers[4:]]).states) == 5
