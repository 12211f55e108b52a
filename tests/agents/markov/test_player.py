"""By the contract: one table as many, compiled as in Python, made anew in the middle as undisturbed."""

import numpy as np
import pytest

from bolicho import Agent, agent, game
from bolicho.agents.loop import play_deals
from bolicho.agents.markov.agent import Markov
from bolicho.agents.meet import in_rotation
from bolicho.agents.play import play
from bolicho.agents.player import Luck

SPECS = ["markov", "markov-plus"]
DEALS = [in_rotation(2, deal % 2, deal, deal) for deal in range(12)]


def outcomes(makers, **how):
    """What was chosen in each deal."""
    played = {done.number: list(done.actions) for done in play_deals(game("truco"), makers, DEALS, **how)}
    return [played[number] for number in range(len(DEALS))]


@pytest.mark.parametrize("spec", SPECS)
def test_one_table_many_tables_and_the_face_choose_the_same(spec):
    makers = [lambda: agent(spec, "truco"), lambda: agent("bluffer", "truco")]
    one = outcomes(makers, tables=1)
    assert one == outcomes(makers, tables=5) == outcomes(makers, tables=5, watch=lambda *told: None)
    assert len({len(actions) for actions in one}) > 3


class MadeAnew(Agent):
    """Another object for every decision: it knows only what the view tells."""

    def __init__(self, spec):
        self.spec = spec

    def act(self, view, rng):
        self.inside = agent(self.spec, "truco")
        self.inside.begin(view.game, view.seat)
        return self.inside.act(view, rng)


@pytest.mark.parametrize("spec", SPECS)
def test_one_that_is_made_anew_at_every_decision_plays_on_undisturbed(spec):
    for seed in range(6):
        undisturbed, anew = agent(spec, "truco"), MadeAnew(spec)
        bluffer = agent("bluffer", "truco")
        whole = play(game("truco"), [undisturbed, bluffer], seed)
        assert whole.record() == play(game("truco"), [anew, bluffer], seed).record()


def test_one_that_is_made_anew_remembers_the_same():
    """All of a match, with bluffs that were seen, of both seats and whether or not the cards were shown."""
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


def test_a_decision_leaves_the_memory_as_it_was():
    player, table = Markov("initial"), game("truco").deal(3)
    player.act(table.view(), Luck.of(5))
    before = player._memory.tobytes(), player.learned.block.tobytes()
    again = [str(player.act(table.view(), Luck.of(5))) for _ in range(3)]
    assert (player._memory.tobytes(), player.learned.block.tobytes()) == before and len(set(again)) == 1
