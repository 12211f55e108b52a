"""Exact solutions of small games: known values, best responses, and agreement with linear programming."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import hstack, lil_array

from bolicho import game
from bolicho.agents import kernel as players
from bolicho.agents.basic.random import Random
from bolicho.agents.cfr.exploit import Answering, answering, exploit
from bolicho.agents.cfr.solve import FullTree, Solver, solve
from bolicho.agents.player import InMemoryAgent
from bolicho.errors import BadInput
from bolicho.games import kernel
from bolicho.games.compiled.deals import deal_number, num_deals
from bolicho.games.game import Table
from bolicho.games.jit import njit
from bolicho.games.kernel import implements
from bolicho.games.kind import copy_pool
from bolicho.games.poker import KUHN, LEDUC
from tests.games.small_truco import small_truco

DOMINOES = game("dominoes", highest=2, hand=2)


@pytest.mark.parametrize(
    ("chosen", "value"), [(KUHN, -1 / 18), (LEDUC, -0.0856), (DOMINOES, 2.4)], ids=["kuhn", "leduc", "dominoes"]
)
def test_games_of_known_value_are_solved(chosen, value):
    found = solve(FullTree(chosen), 0.001)
    assert found.exploitability < 0.001
    assert found.value == pytest.approx(value, abs=0.001)


def test_numbers_of_information_sets_match_published_counts():
    assert FullTree(LEDUC).sets == 936
    assert FullTree(KUHN).sets == 12


def test_truco_with_a_small_deck_is_solved():
    found = solve(FullTree(small_truco("1e 7e 3c 3o 12c 6c 4p", bets=2, flor=False, face_down=False)), 0.001)
    assert found.exploitability < 0.001
    assert -1 < found.value < 0  # with so few cards the pé infers more than the mão


def test_exploitability_falls_with_iterations():
    solver = Solver(FullTree(LEDUC))
    found = []
    for count in (10, 90, 900):
        solver.iterate(count)
        found.append(solver.solution().exploitability)
    assert all(later < before / 3 for before, later in pairwise(found))


# --- Best responses -----------------------------------------------------------------------------


class Meek(NamedTuple):
    """Player of the first legal action, which folds where it can and never raises."""

    legal: np.ndarray


@implements(players.decide, Meek)
@njit
def decide(player, memory, view, seat, luck):
    kernel.legal(view, player.legal)
    return player.legal[0]


@implements(players.mixture, Meek)
@njit
def mixture(player, memory, view, seat, out):
    out[:] = 0
    out[0] = 1
    return kernel.legal(view, player.legal)


@pytest.mark.parametrize("chosen", [KUHN, LEDUC], ids=["kuhn", "leduc"])
def test_player_that_always_folds_loses_every_ante(chosen):
    whole = FullTree(chosen)
    strategy = whole.strategy_of(InMemoryAgent(Meek(np.zeros(3, np.int16))))
    assert [whole.response(strategy, seat)[0] for seat in range(2)] == pytest.approx([1, 1])
    assert whole.value(strategy) == pytest.approx(0)


@pytest.mark.parametrize(("chosen", "known"), [(KUHN, 11 / 24), (LEDUC, 2.373611)], ids=["kuhn", "leduc"])
def test_exploitability_of_random_play_matches_published_values(chosen, known):
    whole = FullTree(chosen)
    assert np.array_equal(whole.strategy_of(Random()), whole.uniform())
    assert whole.exploitability(whole.uniform()) == pytest.approx(known, abs=1e-5)


def test_no_other_strategy_does_better_than_the_best_response():
    whole, rng = FullTree(LEDUC), np.random.default_rng(1)
    theirs = whole.uniform()
    best, answer = whole.response(theirs, 1)
    assert whole.value(answer, 1) == pytest.approx(best)
    for _ in range(50):
        mine = rng.random(whole.arms) ** 4
        for info in range(whole.sets):
            first, count = whole.tree.set_first[info], whole.tree.set_count[info]
            own = whole.tree.seat[whole.tree.set_node[info]] == 1
            part = slice(first, first + count)
            mine[part] = mine[part] / mine[part].sum() if own else theirs[part]
        assert whole.value(mine, 1) <= best + 1e-9


def test_best_responses_to_a_solution_win_no_more_than_the_value_of_the_game():
    whole = FullTree(DOMINOES)
    found = solve(whole, 0.0005)
    assert sum(whole.response(found.strategy, seat)[0] for seat in range(2)) < 0.001
    assert exploit(DOMINOES, "random").wins > 0.5
    assert exploit(DOMINOES, "rule").wins > 0


# --- Agreement with linear programming ----------------------------------------------------------


class PlainTree:
    """Sequence form of a game, built in plain Python from its tables."""

    def __init__(self, chosen):
        self.sequences = [{(): 0}, {(): 0}]  # a seat's decisions so far, numbered
        self.situations = [{}, {}]  # by what a seat sees: the sequence that leads there, and its choices
        self.payoffs = {}
        pool = copy_pool(chosen.deal(0).pool)
        deals = num_deals(pool)
        for number in range(deals):
            deal_number(pool, number)
            self.walk(Table(chosen, copy_pool(pool), {}), [(), ()], 1 / deals)

    def walk(self, table, past, chance):
        if table.over:
            at = tuple(self.sequences[seat][past[seat]] for seat in range(2))
            self.payoffs[at] = self.payoffs.get(at, 0) + chance * table.payoffs[0]
            return
        seat, view = table.turn, table.view()
        seen = (view.pool.tobytes(), view.rows.tobytes())
        known = self.situations[seat].setdefault(seen, (past[seat], view.numbers))
        assert known == (past[seat], view.numbers)  # perfect recall
        for action in view.numbers:
            own = (*past[seat], (seen, action))
            self.sequences[seat].setdefault(own, len(self.sequences[seat]))
            deeper = table.copy()
            deeper.play(action)
            self.walk(deeper, [own if who == seat else past[who] for who in range(2)], chance)

    def flow(self, seat):
        """Return the flow equations of a seat, one row for each information set; the first row is the root."""
        rows = lil_array((1 + len(self.situations[seat]), len(self.sequences[seat])))
        rows[0, 0] = 1
        for i, (seen, (past, actions)) in enumerate(self.situations[seat].items(), 1):
            rows[i, self.sequences[seat][past]] = -1
            for action in actions:
                rows[i, self.sequences[seat][(*past, (seen, action))]] = 1
        return rows

    def value(self):
        """The value to seat 0, by linear programming (Koller, Megiddo and von Stengel 1994)."""
        mine, theirs = self.flow(0), self.flow(1)
        pays = lil_array((mine.shape[1], theirs.shape[1]))
        for at, payoff in self.payoffs.items():
            pays[at] = payoff
        # Maximise the value guaranteed to seat 0: max q0 where theirs' q <= pays' x, mine x = e.
        cost = np.zeros(mine.shape[1] + theirs.shape[0])
        cost[mine.shape[1]] = -1
        found = linprog(
            cost,
            A_ub=hstack([-pays.T, theirs.T]),
            b_ub=np.zeros(theirs.shape[1]),
            A_eq=hstack([mine, lil_array((mine.shape[0], theirs.shape[0]))]),
            b_eq=np.arange(mine.shape[0]) == 0,
            bounds=[(0, None)] * mine.shape[1] + [(None, None)] * theirs.shape[0],
        )
        assert found.status == 0
        return -found.fun


PLAIN = {
    "kuhn": KUHN,
    "draw": DOMINOES,
    "fives": game("fives", highest=2, hand=2),
    "truco": small_truco("1e 7e 3c 3o 12c 6c 4p", bets=3, flor=False, face_down=False),
}


@pytest.mark.parametrize("chosen", PLAIN.values(), ids=PLAIN)
def test_linear_programming_in_plain_python_agrees(chosen):
    whole, plain = FullTree(chosen), PlainTree(chosen)
    assert solve(whole, 1e-4).value == pytest.approx(plain.value(), abs=2e-4)


# --- Refused games and agents -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chosen", "spec", "why"),
    [
        (game("truco"), "random", r"does not number its deals"),
        (game("truco", hands=1), "random", r"is too large .* more than 20,000,000 nodes"),
        (DOMINOES, "mcts", r"the agent mcts does not report its mixture"),
        (DOMINOES, "sarsa-open(artifact=sarsa-open-dominoes)", r"made for|sees what is hidden"),
    ],
)
def test_unsupported_games_and_agents_are_refused(chosen, spec, why):
    with pytest.raises(BadInput, match=why):
        exploit(chosen, spec)


class Unstated(Random):
    """Random play that does not report its mixture."""

    def mixture(self, view):
        return None


def test_mixtures_estimated_from_answers_give_the_exploitability():
    whole = FullTree(LEDUC)
    known = whole.exploitability(whole.strategy_of(Random()))
    for times, error in ((16, 1.0), (4_000, 0.1)):
        asked = answering(LEDUC, Unstated(), times)
        assert isinstance(asked, Answering)
        found = whole.exploitability(whole.strategy_of(asked))
        assert found == pytest.approx(known, abs=error)
    assert answering(LEDUC, Random(), 16).__class__ is Random
