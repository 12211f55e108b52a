"""Exact solver of dominoes, compared with plain minimax by the game's rules and with brute force by the rulebook."""

import itertools
import json
import os
import subprocess
import sys

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bolicho
from bolicho.agents.play import play
from bolicho.agents.registry import agent
from bolicho.agents.search import pimc
from bolicho.agents.search.dominoes.compact import SEARCH_TILE
from bolicho.agents.search.dominoes.compiled import root as solver
from bolicho.agents.search.dominoes.compiled.sides import sorted_sides
from bolicho.agents.search.dominoes.solve import LEAST_CAP, NODE_CAP, Memory, exact_solver, solve
from bolicho.agents.search.limits import Limits
from bolicho.errors import BadInput
from bolicho.games import kernel
from bolicho.games.compiled.chance import below, stream
from bolicho.games.dominoes.rules import SIDES
from tests.agents.search.dominoes import plain

GAMES = {
    "draw": bolicho.game("dominoes"),
    "fives": bolicho.game("fives"),
    "draw, reserve": bolicho.game("dominoes", reserve=2, hand=6),
    "draw, double opens": bolicho.game("dominoes", opens="double"),
    "draw, small set": bolicho.game("dominoes", highest=4, hand=4),
    "fives, closed arms": bolicho.game("fives", arms_after=2, spinner="sides", rounding="nearest"),
    "fives, one side": bolicho.game("fives", arms_after=1, rounding="down", reserve=3),
    "fives, threes": bolicho.game("fives", multiple=3, rounding="none", spinner="sides", opens="heaviest"),
}
MEMORY = Memory(4)
ENDINGS = 600  # of each game


# --- Plain minimax by the game's rules ----------------------------------------------------------


@numba.njit
def minimax(pool, depth, seat, legal):
    """Return the payoff of the seat under best play of both, by full enumeration."""
    if kernel.over(pool[depth]):
        out = np.zeros(2)
        kernel.payoff(pool[depth], out)
        return out[seat]
    mover = pool[depth].turn
    best = -1e9 if mover == seat else 1e9
    n = kernel.legal(pool[depth], legal[depth])
    for i in range(n):
        pool[depth + 1] = pool[depth]
        kernel.apply(pool[depth + 1], legal[depth, i])
        value = minimax(pool, depth + 1, seat, legal)
        best = max(best, value) if mover == seat else min(best, value)
    return best


@numba.njit
def action_values(pool, legal, values):
    """Write the value of every legal action for its mover, and return their number."""
    n = kernel.legal(pool[0], legal[0])
    for i in range(n):
        pool[1] = pool[0]
        kernel.apply(pool[1], legal[0, i])
        values[i] = minimax(pool, 1, pool[0].turn, legal)
    return n


@numba.njit
def play_to_ending(pool, seed, tiles):
    """Play at random until at most `tiles` are in the hands or can be drawn; return whether the game goes on."""
    s = pool[0]
    legal = np.zeros(112, np.int16)
    i = 0
    while not kernel.over(s) and s.counts[0] + s.counts[1] + s.num_boneyard - s.drawn > tiles:
        n = kernel.legal(s, legal)
        kernel.apply(s, legal[below(seed, i, n)])
        i += 1
    return not kernel.over(s)


@pytest.mark.parametrize("name", GAMES)
def test_values_of_endings_match_plain_minimax(name):
    game = GAMES[name]
    legal, values = np.zeros((30, 112), np.int16), np.zeros(112)
    pool = np.zeros(30, game.dtype)
    tried = 0
    for seed in itertools.count():
        if tried == ENDINGS:
            break
        table = game.deal(seed)
        if not play_to_ending(table.pool, np.uint64(seed), 6 + seed % 5):
            continue
        table._turn = int(table.state["turn"])
        pool[:1] = table.pool
        n = action_values(pool, legal, values)
        expected = {str(game.action(table.state, int(a))): v for a, v in zip(legal[0, :n], values[:n], strict=True)}
        solution = solve(table, memory=MEMORY)
        assert solution.exact
        assert solution.values == expected
        assert solution.value == max(expected.values()) == expected[solution.best]
        quick = solve(table, memory=Memory(1), every=False)
        assert (quick.value, expected[quick.best]) == (solution.value, solution.value)
        tried += 1


# --- Brute force from the rulebook --------------------------------------------------------------


def as_tile(name):
    return tuple(map(int, name.split("-")))


ALL = [f"{high}-{low}" for high in range(7) for low in range(high + 1)]
HOUSES = [
    ("dominoes", {}, plain.House()),
    ("dominoes", {"reserve": 1}, plain.House(reserve=1)),
    ("fives", {}, plain.House(fives=True, rounding="up")),
    ("fives", {"arms_after": 1, "spinner": "sides"}, plain.House(True, 0, 1, "sides", "up")),
    ("fives", {"arms_after": 2, "rounding": "nearest"}, plain.House(True, 0, 2, "double", "nearest")),
    ("fives", {"multiple": 3, "rounding": "down"}, plain.House(True, 0, 0, "double", "down", 3)),
]


@settings(max_examples=150)
@given(st.permutations(ALL), st.integers(1, 4), st.integers(1, 4), st.integers(0, 3), st.sampled_from(HOUSES))
def test_values_of_small_deals_match_the_rulebook(tiles, mine, theirs, drawable, chosen):
    name, rules, house = chosen
    hands = [tiles[:mine], tiles[mine : mine + theirs]]
    boneyard = tiles[mine + theirs : mine + theirs + drawable]
    table = bolicho.game(name, **rules).setup(hands=hands, boneyard=boneyard, first=0)
    expected = plain.values(house, *([as_tile(t) for t in part] for part in (*hands, boneyard)), None)
    solution = solve(table, memory=MEMORY)
    assert solution.values == {f"{a}-{b}": value for ((a, b), _), value in expected.items()}


def test_values_of_a_line_with_a_spinner_match_the_rulebook():
    hands = [["5-5", "5-1", "6-5", "3-1"], ["5-2", "5-3", "2-2", "4-2"]]
    boneyard = ["6-6", "6-1", "3-3"]
    house = plain.House(fives=True, rounding="up")
    table = bolicho.game("fives").setup(hands=hands, boneyard=boneyard, first=0)
    position = [[as_tile(t) for t in part] for part in (*hands, boneyard)]
    expected = plain.values(house, *position, None)
    assert solve(table).values == {f"{a}-{b}": v for ((a, b), _), v in expected.items()}
    table.play("5-5")
    assert table.scores == [10, 0]
    mine = [tile for tile in position[0] if tile != (5, 5)]
    expected = plain.values(house, position[1], mine, position[2], plain.first_line(house, (5, 5)))
    sides = {"left": "l", "right": "r", 0: "u", 1: "d"}
    assert set(SIDES) == set(sides.values())
    # Values count the points so far: seat 1 is 10 behind.
    assert solve(table).values == {f"{a}-{b} {sides[w]}": v - 10 for ((a, b), w), v in expected.items()}


# --- Agreement of the search's position with the game's -----------------------------------------


@numba.njit
def positions_agree(pool, context, table, seed):
    """Play a random game on the record and in the search; return its number of plies, or -1 at a difference."""
    s, ctx = pool[0], context[0]
    after = pool[1:]
    legal = np.zeros(112, np.int16)
    plies = 0
    while not kernel.over(s):
        n = kernel.legal(s, legal)
        for i in range(n):
            solver.read_rules(ctx, table, s)
            ends, value = solver.play_root(ctx, s, legal[i])
            after[0] = s
            kernel.apply(after[0], legal[i])
            t = after[0]
            before, now = s.scores[s.turn] - s.scores[1 - s.turn], t.scores[s.turn] - t.scores[1 - s.turn]
            if ends != kernel.over(t) or (ends and value != now - before):
                return -1
            if ends:
                continue
            mover = t.turn
            if ctx.sign[0] != (1 if mover == s.turn else -1) or ctx.points[0] != now - before:
                return -1
            if ctx.mine[1] != solver.search_hand(t.hands[mover]) or ctx.other[1] != solver.search_hand(
                t.hands[1 - mover]
            ):
                return -1
            if ctx.left[1] != max(0, t.num_boneyard - t.reserve - t.drawn):
                return -1
            if s.fives:
                if sorted_sides(ctx.sides[1]) != sorted_sides(solver.read_sides(t)):
                    return -1
            else:
                a, b = ctx.sides[1] & 7, ctx.sides[1] >> 3
                if min(a, b) != min(t.ends[0], t.ends[1]) or max(a, b) != max(t.ends[0], t.ends[1]):
                    return -1
        kernel.apply(s, legal[below(seed, plies, n)])
        plies += 1
    return plies


@pytest.mark.parametrize("name", GAMES)
def test_positions_of_the_search_match_the_game(name):
    game = GAMES[name]
    pool = np.zeros(2, game.dtype)
    for seed in range(1000):
        pool[:1] = game.deal(seed).pool
        assert positions_agree(pool, MEMORY.context, MEMORY.table, np.uint64(seed)) > 0
    MEMORY.context["generation"] += 1  # the loop above was no search


def test_the_lightest_tile_has_the_lowest_bit():
    def order(tile):
        high, low = as_tile(ALL[tile])
        return high + low, low

    for one, other in itertools.combinations(range(28), 2):
        assert (SEARCH_TILE[one] < SEARCH_TILE[other]) == (order(one) < order(other))


# --- Whole deals --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["draw", "fives"])
def test_best_play_of_both_seats_reaches_the_solved_value(name):
    for seed in range(20):
        table = GAMES[name].deal(seed)
        promised = solve(table, every=False, memory=MEMORY).value
        while not table.over:
            solution = solve(table, memory=MEMORY)
            assert solution.value == (promised if table.turn == 0 else -promised)
            table.play(solution.best)
        assert table.payoffs == [promised, -promised]


@pytest.mark.parametrize("name", ["draw", "fives"])
def test_memory_of_other_positions_does_not_change_values(name):
    tables = []
    for seed in range(6):
        table = GAMES[name].deal(seed)
        for _ in range(3):
            tables.append(table.copy())
            if not table.over:
                table.play(table.legal[seed % len(table.legal)])
    tables = [table for table in tables if not table.over]
    alone = [solve(table, memory=Memory(2)).values for table in tables]
    assert [solve(table, memory=MEMORY).values for table in tables] == alone
    assert [solve(table, memory=MEMORY).values for table in reversed(tables)] == alone[::-1]


def test_position_beyond_the_node_cap_is_estimated_and_not_remembered():
    memory = Memory(4)
    for seed in range(40):
        table = GAMES["fives"].deal(seed)
        exact = solve(table, memory=memory)
        if exact.nodes > 3 * LEAST_CAP:
            fresh = Memory(4)
            estimate = solve(table, memory=fresh, node_cap=LEAST_CAP)
            assert not estimate.exact
            assert estimate.nodes <= 5 * LEAST_CAP // 4 + 2
            assert set(estimate.values) == set(exact.values)
            assert solve(table, memory=fresh).values == exact.values
            return
    raise AssertionError("no deal takes that many nodes")


# --- Sampled worlds -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["draw", "fives"])
def test_sampled_values_are_means_over_redeals(name):
    table = GAMES[name].deal(5)
    for _ in range(5):
        table.play(table.legal[0])
    view = table.view()
    sampled = pimc.search(view, exact_solver(NODE_CAP, 2), Limits(units=7), seed=11)
    worlds = [solve(view.redeal(int(stream(np.uint64(11), 2 * i))), memory=Memory(2)) for i in range(7)]
    assert all(world.exact for world in worlds)
    for action, value in zip(view.legal, sampled.values, strict=True):
        assert value == pytest.approx(np.mean([world.values[action] for world in worlds]))


def test_sampling_depends_on_the_view_alone():
    table = GAMES["draw"].deal(3)
    view = table.view()
    other_world = view.redeal(17).view()
    one, other = (
        pimc.search(seen, exact_solver(NODE_CAP, 2), Limits(units=10), seed=1) for seen in (view, other_world)
    )
    assert one.values.tolist() == other.values.tolist()


# --- Agents -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["dominoes", "fives"])
def test_oracle_against_itself_reaches_the_value_of_the_deal(name):
    game = bolicho.game(name)
    for seed in range(5):
        played = play(game, [agent("pi", name), agent("pi", name)], seed)
        assert played.forfeit is None
        assert played.payoffs[0] == solve(game.deal(seed)).value


@pytest.mark.parametrize("spec", ["pi", "pimc(worlds=5)", "pimc(worlds=3, inner=mcts, budget=20)"])
@pytest.mark.parametrize("name", ["dominoes", "fives"])
def test_agents_explain_the_value_of_every_action(spec, name):
    table = bolicho.game(name).deal(2)
    asked = agent(spec, name)
    asked.begin(table.game, 0)
    view = table.open_view(0) if asked.oracle else table.view(0)
    chosen = asked.act(view, np.random.default_rng(1))
    why = asked.explain()
    assert set(why.facts["values"]) == {str(action) for action in table.legal}
    assert why.facts["values"][str(chosen)] == max(why.facts["values"].values())
    json.dumps(why.facts)


def test_a_forced_move_needs_no_search():
    table = bolicho.game("dominoes").setup(hands=[["6-4", "4-1"], ["6-6", "5-1"]], first=0)
    table.play("6-4")
    asked = agent("pimc", "dominoes")
    assert asked.act(table.view(), np.random.default_rng(1)) == "6-6"
    assert asked.explain().facts == {"forced": True}


@pytest.mark.parametrize("spec", ["pi(node_cap=10000, memory_mb=1)", "pimc(worlds=3, node_cap=10000, memory_mb=1)"])
def test_earlier_searches_do_not_change_estimates(spec):
    """Estimates beyond the node cap, which must not use entries of earlier searches of the deal."""
    game = bolicho.game("fives")
    for seed in range(12):
        table = game.deal(seed)
        asked = agent(spec, "fives")
        found = []
        for warm in (False, True):
            if warm:  # a position of the same deal, farther on
                later = table.copy()
                later.play(later.legal[0])
                while len(later.legal) == 1:
                    later.play(later.legal[0])
                asked.act(later.open_view(later.turn) if asked.oracle else later.view(), np.random.default_rng(5))
            asked.act(table.open_view(table.turn) if asked.oracle else table.view(), np.random.default_rng(1))
            found.append(asked.explain().facts)
        assert found[0] == found[1]


ONE_MEMORY = """
import bolicho
from bolicho.agents.search.dominoes.solve import Memory, solve
memory = Memory(1)
for name, hands in (("fives", [["5-5", "5-1"], ["5-2", "5-3"]]), ("dominoes", [["0-0"], ["6-6"]])) * 2:
    solve(bolicho.game(name).setup(hands=hands, boneyard=["4-1"], first=0), memory=memory)
"""


def test_memory_shared_by_games_is_read_within_bounds(tmp_path):
    """Alternation of all fives, whose numbers exceed the tables of draw, and a first play that ends the game."""
    checked = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    run = subprocess.run([sys.executable, "-c", ONE_MEMORY], env=checked, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


# --- Refused positions and options --------------------------------------------------------------


def test_larger_sets_are_refused():
    with pytest.raises(BadInput, match="double-six"):
        solve(bolicho.game("dominoes", highest=9).deal(1))
    with pytest.raises(BadInput, match="double-six"):
        agent("pimc", bolicho.game("dominoes", highest=9))


def test_a_view_is_refused():
    with pytest.raises(BadInput, match="a position with full information"):
        solve(GAMES["draw"].deal(1).view())


def test_a_finished_game_is_refused():
    table = bolicho.game("dominoes").setup(hands=[["6-4"], ["6-6"]], first=0)
    table.play("6-4")
    with pytest.raises(BadInput, match="over"):
        solve(table)


@pytest.mark.parametrize(
    "spec",
    ["pimc(worlds=0)", "pimc(inner=guess)", "pimc(budget=10)", "pi(memory_mb=0)", "pi(node_cap=5)", "pimc(node_cap=5)"],
)
def test_invalid_options_are_refused(spec):
    with pytest.raises(BadInput):
        asked = agent(spec, "dominoes")
        table = GAMES["draw"].deal(1)
        asked.act(table.open_view(0) if asked.oracle else table.view(0), np.random.default_rng(1))
