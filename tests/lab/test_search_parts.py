"""Rows of the study of search with inference: valid agents, all different."""

import pytest

import bolicho
from bolicho.agents.registry import agent
from bolicho.agents.spec import parse_spec
from bolicho.games import BUILT_IN
from bolicho.lab.search_parts import AGAINST, DEALS, ELSEWHERE, Parts, rows_of


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_row_is_a_different_agent(name):
    specs = [parts.spec(name, 10) for parts in rows_of(name).values()]
    assert len(set(specs)) == len(specs) and set(AGAINST) == set(ELSEWHERE) == set(DEALS) == set(BUILT_IN)
    game = bolicho.game(name)
    for spec in specs:
        assert agent(spec, game).limits.units == 10


def test_agent_with_all_parts_equals_the_shipped_agent():
    for name in BUILT_IN:
        game = bolicho.game(name)
        whole = agent(rows_of(name)["all"].spec(name, 0), game)
        assert whole.plan(game) == agent("infer", game).plan(game)


def test_agent_without_parts_is_mcts():
    assert parse_spec(Parts().spec("truco", 7)) == ("mcts", {"iterations": 7})
