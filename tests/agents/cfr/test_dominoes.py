"""Abstraction of dominoes by classes of plays: labels, keys, and a short training that beats random play."""

import numpy as np
import pytest

from bolicho import game
from bolicho.agents.cfr import abstractions
from bolicho.agents.cfr.compiled.player import PAST
from bolicho.agents.cfr.dominoes import MOST, NAME
from bolicho.agents.cfr.dominoes.kernel import POINT_STEPS
from bolicho.agents.cfr.kernel import choices, key
from bolicho.agents.cfr.model import learned, model_of
from bolicho.agents.cfr.train import Walks
from bolicho.agents.mirrored_games import meet
from bolicho.agents.player import InMemoryAgent
from bolicho.errors import BadInput
from bolicho.games.jit import njit

GAMES = {name: game(name) for name in ("dominoes", "fives")}


@njit
def choose(abstraction, pool, seat, out, labels):
    return choices(abstraction, pool[0], seat, out, labels)


@njit
def key_of(abstraction, pool, seat):
    return key(abstraction, pool[0], seat, np.uint64(0))


def offered(name, table):
    """Return the plays to choose among at a table, with their labels."""
    view, width = table.view(), table.game.num_actions
    out, labels = np.zeros(width, np.int16), np.zeros(width, np.int16)
    n = choose(abstractions.find(NAME, table.game), view.pool, view.seat, out, labels)
    return [str(table.game.action(view.state, int(number))) for number in out[:n]], labels[:n].tolist()


def test_plays_that_score_come_first():
    table = GAMES["fives"].setup(hands=[["5-0", "6-4", "3-1"], ["6-6", "2-1", "4-4"]], first=0)
    plays, labels = offered("fives", table)
    assert plays[:2] == ["6-4", "5-0"]  # ten points, then five; 3-1 makes four
    steps = [label // 27 for label in labels]
    assert steps == [2, 1, 0] and max(steps) <= POINT_STEPS


def test_one_play_represents_its_class():
    table = GAMES["dominoes"].setup(hands=[["6-1", "5-2", "0-0"], ["6-6", "5-5", "4-4"]], first=0)
    plays, labels = offered("dominoes", table)
    assert plays[0] == "0-0"  # the double
    assert len(plays) == len(set(labels)) == 2  # seven pips each, and no other own tile fits after either


@pytest.mark.parametrize("name", GAMES)
def test_choices_are_few_legal_and_ordered_by_label(name):
    for seed in range(20):
        table = GAMES[name].deal(seed)
        while not table.over:
            plays, labels = offered(name, table)
            assert 1 <= len(plays) <= MOST and set(plays) <= {str(action) for action in table.legal}
            assert labels == sorted(set(labels), reverse=True)
            table.play(plays[seed % len(plays)])


@pytest.mark.parametrize("name", GAMES)
def test_key_does_not_depend_on_hidden_tiles_or_on_the_naming_of_values(name):
    abstraction = abstractions.find(NAME, GAMES[name])
    abstractions.check(abstraction, GAMES[name])
    ways = [[["6-1", "5-2"], ["6-6", "5-5"]], [["6-1", "5-2"], ["6-5", "4-4"]]]
    keys = set()
    for hands in ways:
        table = GAMES[name].setup(hands=hands, first=0)
        keys.add(int(key_of(abstraction, table.pool, 0)))
    assert len(keys) == 1


def test_a_few_hundred_iterations_win_from_random_play():
    walks = Walks(GAMES["fives"], 1, 300, NAME)
    while walks.done < walks.total:
        walks.step()
    player = model_of(GAMES["fives"], walks.regrets.abstraction, learned(walks.regrets, 1)).player()
    met = meet(GAMES["fives"], [lambda: InMemoryAgent(player, PAST), "random"], 300, 5)
    assert met.payoffs[..., 0].mean() > 8


def test_other_games_refuse_the_abstraction_plays():
    with pytest.raises(BadInput, match="unknown abstraction of truco 'plays'"):
        abstractions.find(NAME, game("truco", hands=1))
