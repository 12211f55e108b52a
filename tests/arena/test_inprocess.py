"""Tournaments of classes and objects in one process, and their display in a notebook."""

import pytest

from bolicho import Agent, BadInput, agent, game
from bolicho.agents.agent import Explanation
from bolicho.arena.experiment import Experiment
from bolicho.arena.inprocess import tournament
from bolicho.arena.inspect import decision
from bolicho.arena.run import run
from bolicho.stats import Estimate
from tests.arena.players import First, HighCard

RULES = {"target": 6}


class Choosy(Agent):
    """Agent that plays the legal action of a given number, and counts its decisions."""

    def __init__(self, number=0):
        self.number, self.asked = number, 0

    def act(self, view, rng):
        self.asked += 1
        return view.legal[self.number % len(view.legal)]


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    experiment = Experiment("truco", [First, HighCard, "random", "balanced"], RULES, duplicates=6, seed=3)
    return run(experiment, tmp_path_factory.mktemp("runs") / "four")


def test_classes_of_a_module_play_in_a_run(finished):
    assert finished.experiment.agents[:2] == ("tests.arena.players:First", "tests.arena.players:HighCard")
    assert finished.result["games"] == 6 * 6 * 2


def test_class_that_other_processes_cannot_import_is_refused_with_advice():
    class Inner(Agent):
        pass

    with pytest.raises(BadInput, match=r"cannot load the class .*Inner.* put it into a module, or let it play in this"):
        Experiment("truco", [Inner])


def test_results_equal_those_of_a_run(finished):
    """Comparison of specs, classes, objects and functions with the same games of a run."""
    here = tournament("truco", [First, HighCard(), "random", lambda: agent("balanced")], 6, seed=3, **RULES)
    names = {"tests.arena.players:First": "First", "tests.arena.players:HighCard": "HighCard", "balanced": "<lambda>"}
    for theirs in finished.result["agents"]:
        name = names.get(theirs["agent"], theirs["agent"])
        (ours,) = [row for row in here.result["agents"] if row["agent"] == name]
        for fact in ("games", "wins", "rate", "payoff", "seats"):
            assert ours[fact] == theirs[fact], (name, fact)
    assert here.rate("<lambda>").value > 0.5
    assert here.won("First", "<lambda>").value == pytest.approx(1 - here.won("<lambda>", "First").value)


def test_an_object_is_copied_for_every_game():
    mine = Choosy(1)
    found = tournament(game("dominoes"), {"second": mine, "first": Choosy(), "third": Choosy}, duplicates=3)
    assert mine.asked == 0 and set(found.agents) == {"first", "second", "third"}


def test_tournament_of_three_seats():
    found = tournament("wonders", ["rules", "random", Choosy], duplicates=2)
    assert found.agents[0] == "rules" and found.result["games"] == 6


@pytest.mark.parametrize(
    ("agents", "why"),
    [
        (["random"], "two agents or more"),
        ([First, 7], "int is not an agent: give a spec"),
        ([First, "balanced"], "the agent balanced does not play dominoes"),
        ([First, "nobody"], "unknown agent"),
        ("random", "agents must be a list"),
    ],
)
def test_invalid_agents_are_refused(agents, why):
    with pytest.raises(BadInput, match=why):
        tournament("dominoes", agents, duplicates=1)


def test_decision_of_a_run_is_repeated_with_its_luck(finished):
    """Equal actions of agents that draw lots, ply after ply."""
    (row,) = [at for at, pair in enumerate(finished.experiment.pairings()) if pair == (2, 3)]
    row = row * 6 * 2 + 5
    for ply in range(8):
        asked = decision(finished.folder, row, ply)
        assert asked.player in ("random", "balanced")
        assert asked.ask()[0] == asked.chosen
    assert asked.ask("novice")[1] is not None
    with pytest.raises(BadInput, match=r"the game has the plies 0 to \d+, and no ply 9999"):
        decision(finished.folder, row, 9999)


def test_results_are_displayed_in_a_notebook(finished):
    here = tournament("truco", [First, "random"], 3, **RULES)
    for shown in (here._repr_html_(), finished._repr_html_()):
        assert shown.count("<table") == 2 and "First" in shown and "random" in shown
    assert Estimate(0.5, 0.25, 0.75)._repr_html_() == "0.5 <small>[0.25, 0.75]</small>"
    assert Estimate(0.5)._repr_html_() == "0.5"
    assert Explanation("a < b", lines=["c"])._repr_html_() == "<p>a &lt; b</p><ul><li>c</li></ul>"
    table = game("truco").deal(1)
    assert table._repr_svg_().startswith("<svg") and table.view(1)._repr_svg_().startswith("<svg")
    assert "<pre>" in table.public_view()._repr_html_() and table.public_view()._repr_svg_ is None
