"""Specs, options and what is said when they are wrong."""

import pytest

from bolicho import Agent, BadInput, agent, game
from bolicho.agents.agent import agent_names, find, parse_spec, write_spec
from bolicho.games import game_names


@pytest.mark.parametrize(
    ("spec", "name", "options"),
    [
        ("balanced", "balanced", {}),
        ("pvcnps(base=learned)", "pvcnps", {"base": "learned"}),
        (" mcts ( iterations = 100, c=1.5 ) ", "mcts", {"iterations": 100, "c": 1.5}),
        ("x(a=true, b=[1, 2], c='s p')", "x", {"a": True, "b": [1, 2], "c": "s p"}),
        ("pimc(inner=mcts(iterations=3))", "pimc", {"inner": "mcts(iterations=3)"}),
        ("my_module:MyAgent", "my_module:MyAgent", {}),
    ],
)
def test_specs_are_read(spec, name, options):
    assert parse_spec(spec) == (name, options)
    assert parse_spec(write_spec(name, options)) == (name, options)


@pytest.mark.parametrize("spec", ["", "(", "a(b)", "a(b=)", "a(=1)", "a(b=1", "a(b=1,b=2)", "a b"])
def test_malformed_specs_are_refused(spec):
    with pytest.raises(BadInput):
        parse_spec(spec)


def test_unknown_names_and_options_are_named():
    with pytest.raises(BadInput, match="did you mean 'balanced'"):
        agent("balansed", "truco")
    with pytest.raises(BadInput, match="unknown option of balanced 'x'"):
        agent("balanced(x=1)")
    with pytest.raises(BadInput, match="cannot load the agent"):
        agent("no.such.module:Thing")


def test_a_class_can_be_named_by_its_place():
    made = agent(f"{__name__}:Thinker(depth=3)")
    assert isinstance(made, Thinker) and made.depth == 3
    with pytest.raises(BadInput, match="option depth of"):
        agent(f"{__name__}:Thinker(depth=deep)")


def test_a_whole_number_will_do_for_a_float():
    assert agent(f"{__name__}:Thinker(weight=2)").weight == 2.0


class Thinker(Agent):
    def __init__(self, depth: int = 1, weight: float = 0.5) -> None:
        self.depth, self.weight = depth, weight


def test_every_registered_agent_can_be_made():
    for name in agent_names():
        assert isinstance(agent(name), Agent)


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """An installed package that adds an agent and a game."""
    (tmp_path / "pampa.py").write_text(
        "from bolicho import Agent\n"
        "from bolicho.games.truco import TRUCO as PAMPA_TRUCO\n"
        "class First(Agent):\n"
        "    'The first legal action.'\n"
        "    games = ('truco',)\n"
        "    def act(self, view, rng):\n"
        "        return view.legal[0]\n"
    )
    info = tmp_path / "pampa-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pampa\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[bolicho.agents]\nfirst = pampa:First\n[bolicho.games]\npampa = pampa:PAMPA_TRUCO\n"
    )
    monkeypatch.syspath_prepend(tmp_path)


def test_an_installed_package_adds_agents_and_games(plugin):
    assert "first" in agent_names("truco") and "first" not in agent_names("dominoes")
    assert agent("first", "truco").act(game("truco").deal(1).view(0), None) == game("truco").deal(1).legal[0]
    assert "pampa" in game_names() and game("pampa").deal(1).legal == game("truco").deal(1).legal
    assert find("first").about == "The first legal action."
