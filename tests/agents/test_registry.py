"""Specs, options and what is said when they are wrong."""

import pytest

from bolicho import Agent, BadInput, agent
from bolicho.agents.agent import agent_names, parse_spec, write_spec


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
