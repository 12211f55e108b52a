"""Whoever plays plays the same at one table as at many, compiled or asked view by view."""

import pytest

import bolicho
from bolicho.agents.agent import Agent
from bolicho.agents.loop import play_deals
from bolicho.agents.meet import deal_seed, in_rotation
from bolicho.agents.registry import recipe
from bolicho.games import BUILT_IN
from tests.agents.specs import one_of_each


def groups(name):
    """The agents of a game, together as many as have seats; the last group is filled up with the first agents."""
    specs, seats = one_of_each(name), bolicho.game(name).seats
    return [[*specs, *specs][at : at + seats] for at in range(0, len(specs), seats)]


class AskedViewByView(Agent):
    """The Python face of an agent, and nothing but that."""

    def __init__(self, agent: Agent) -> None:
        self.begin, self.act, self.end = agent.begin, agent.act, agent.end


def played(game, specs, tables, asked=False):
    makers = [recipe(spec, game.name).maker(game) for spec in specs]
    oracles = [make().oracle for make in makers]
    if asked:
        makers = [lambda make=make: AskedViewByView(make()) for make in makers]
    deals = [in_rotation(game.seats, i % game.seats, deal_seed(3, i), f"3 {i}") for i in range(20)]
    found = sorted(play_deals(game, makers, deals, tables=tables, oracles=oracles), key=lambda one: one.number)
    assert not [one.forfeit for one in found if one.forfeit]
    return [list(one.actions) for one in found]


@pytest.mark.parametrize(("name", "specs"), [(name, specs) for name in BUILT_IN for specs in groups(name)])
def test_one_table_is_as_many(name, specs):
    game = bolicho.game(name)
    many = played(game, specs, 20)
    assert played(game, specs, 1) == many
    assert played(game, specs, 7, asked=True) == many
