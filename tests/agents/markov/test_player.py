"""Contract of the Markov agents: equal play at one table and many, compiled and in Python, and when re-created."""

import numpy as np
import pytest

from bolicho import Agent, agent, game
from bolicho.agents.loop import play_deals
from bolicho.agents.markov.agent import Markov
from bolicho.agents.mirrored_games import in_rotation
from bolicho.agents.play import play
from bolicho.agents.player import Luck

SPECS = ["markov", "markov-plus"]
DEALS = [in_rotation(2, deal % 2, deal, deal) for deal in range(12)]


def outcomes(makers, **how):
    """Return the actions of each deal."""
    played = {done.number: list(done.actions) for done in play_deals(game("truco"), makers, DEALS, **how)}
    return [played[number] for number in range(len(DEALS))]


@pytest.mark.parametrize("spec", SPECS)
def test_actions_are_the_same_at_one_table_at_many_and_in_python(spec):
    makers = [lambda: agent(spec, "truco"), lambda: agent("bluffer", "truco")]
    one = outcomes(makers, tables=1)
    assert one == outcomes(makers, tables=5) == outcomes(makers, tables=5, watch=lambda *told: None)
    assert len({len(actions) for actions in one}) > 3


class Recreated(Agent):
    """Agent that makes a new object for every decision, which knows only the view."""

    def __init__(self, spec):
        self.spec = spec

    def act(self, view, rng):
        self.inside = agent(self.spec, "truco")
        self.inside.begin(view.game, view.seat)
        return self.inside.act(view, rng)


@pytest.mark.parametrize("spec", SPECS)
def test_agent_recreated_for_every_decision_plays_the_same_match(spec):
    for seed in range(6):
        undisturbed, anew = agent(spec, "truco"), Recreated(spec)
        bluffer = agent("bluffer", "truco")
        whole = play(game("truco"), [undisturbed, bluffer], seed)
        assert whole.record() == play(game("truco"), [anew, bluffer], seed).record()


def test_recreated_agent_rebuilds_the_same_memory():
    """Memories of both seats at every decision of a match, including observed bluffs."""
    bluffs = 0
    for seed in range(30):
        seated = [Markov("initial"), Markov("initial")]
        table, rng = game("truco").deal(seed), np.random.default_rng(seed)
        for seat, player in enumerate(seated):
            player.begin(table.game, seat)
        while not table.over:
            view, player = table.view(), seated[table.turn]
            luck = int(rng.integers(2**63))
            action, anew = player.act(view, Luck.of(luck)), Markov("initial")
            assert anew.act(view, Luck.of(luck)) == action
            assert anew._memory.tobytes() == player._memory.tobytes()
            bluffs = max(bluffs, int(player._memory["bluffed"][0]))
            table.play(view.legal[rng.integers(len(view.legal))] if rng.random() < 0.5 else action)
    assert bluffs > 0


def test_decision_does_not_change_the_memory():
    player, table = Markov("initial"), game("truco").deal(3)
    player.act(table.view(), Luck.of(5))
    before = player._memory.tobytes(), player.learned.block.tobytes()
    again = [str(player.act(table.view(), Luck.of(5))) for _ in range(3)]
    assert (player._memory.tobytes(), player.learned.block.tobytes()) == before and len(set(again)) == 1
