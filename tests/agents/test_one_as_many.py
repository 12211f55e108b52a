"""Equal play of every agent at one table and at many, compiled and view by view."""

import pytest

import bolicho
from bolicho.agents.agent import Agent
from bolicho.agents.loop import play_deals
from bolicho.agents.mirrored_games import deal_seed, in_rotation
from bolicho.agents.registry import recipe
from bolicho.games import BUILT_IN
from tests.agents.specs import one_of_each


def groups(name):
    """Return the agents of a game in groups of one for each seat; the first agents fill up the last group."""
    specs, seats = one_of_each(name), bolicho.game(name).seats
    return [[*specs, *specs][at : at + seats] for at in range(0, len(specs), seats)]


class AskedViewByView(Agent):
    """Python interface of an agent, without its compiled form."""

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
def test_agents_play_the_same_at_one_table_and_at_many(name, specs):
    game = bolicho.game(name)
    many = played(game, specs, 20)
    assert played(game, specs, 1) == many
    assert played(game, specs, 1, asked=True) == played(game, specs, 7, asked=True) == many
