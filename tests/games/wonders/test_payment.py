"""The payment of the compiled rules against trying every use of every source."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import bolicho
from bolicho.games.jit import njit
from bolicho.games.wonders import cards as c
from bolicho.games.wonders.compiled import calls
from bolicho.games.wonders.compiled.payment import cheapest
from bolicho.games.wonders.kernel import build, gain
from bolicho.games.wonders.layout import BUILD, MAX_LEFT, WONDER

from .referee import CARD, City, read_cost, ways_to_pay

PRODUCERS = [card for card in range(c.NUM_CARDS) if c.NAME[card] == card and c.COLOUR[card] in (c.BROWN, c.GREY)]
HELPERS = [c.CARDS.index(name) for name in
           ("Forum", "Caravansery", "East Trading Post", "West Trading Post", "Marketplace")]  # fmt: skip
PAYABLE = [card for card in range(c.NUM_CARDS) if c.COSTS[card]]


@njit
def found(pool, seat, card):
    build(pool[0], seat, card)


@njit
def raise_stage(pool, seat, number):
    pool[0].stages[seat] += 1
    gain(pool[0], seat, number)


@njit
def price(pool, seat, cost):
    return cheapest(pool[0], seat, cost)


def table_with(boards, cities, stages, coins):
    """Return a table of three players, as records and for the referee."""
    table = bolicho.game("wonders", trade="choose").deal(0)
    pool = np.zeros(1, table.pool.dtype)
    pool[:] = table.pool
    pool["board"][0, :3] = boards
    hands = [[[c.CARDS[card] for card in hand] for hand in age[:3]] for age in table.state["cards"]]
    names = [c.BOARDS[board] for board in boards]
    table = table.game.setup(boards=names, ages=hands)
    pool = table.pool.copy()
    plain = [City(name) for name in names]
    for seat in range(3):
        for card in cities[seat]:
            found(pool, seat, card)
            plain[seat].cards.append(c.CARDS[card])
        for stage in range(min(stages[seat], c.NUM_STAGES[boards[seat]])):
            raise_stage(pool, seat, c.stage_cost(boards[seat], stage))
            plain[seat].built += 1
        pool["coins"][0, seat] = plain[seat].coins = coins
    return pool, plain


def all_ways(pool, seat, kind, card):
    out = np.zeros((MAX_LEFT + 2, 2), np.int64)
    return [tuple(way) for way in out[: calls.ways(pool, seat, kind, card, out)].tolist()]


def check_city(pool, plain, seat, coins):
    city, left, right = plain[seat], plain[(seat + 1) % 3], plain[(seat - 1) % 3]

    def expected(cost):
        return ways_to_pay(read_cost(cost)[1], city.own(), left.for_sale(), right.for_sale(), city.price)

    plays = [(BUILD, card, c.COSTS[card], card) for card in PAYABLE]
    if city.built < len(city.stages):
        board = c.BOARDS.index(city.board)
        plays.append((WONDER, 0, city.stages[city.built][0], c.stage_cost(board, city.built)))
    for kind, card, cost, number in plays:
        if kind == BUILD and any(earlier in city.cards for earlier in CARD[c.CARDS[card]][3]):
            continue
        ways = expected(cost)
        best = min(ways, key=lambda way: (sum(way), way[0]), default=(-1, -1))
        assert tuple(price(pool, seat, number)) == best, (cost, city.own(), left.for_sale(), right.for_sale())
        affordable = {way for way in ways if sum(way) + read_cost(cost)[0] <= coins}
        listed = all_ways(pool, seat, kind, card)
        if affordable:
            assert listed[0] == best
            assert set(listed) == affordable
            assert len(listed) == len(set(listed))


def random_city(rng, most):
    cards = rng.choice(PRODUCERS, rng.integers(0, most + 1), replace=False).tolist()
    return cards + [card for card in HELPERS if rng.random() < 0.3]


def test_thousands_of_random_cities_are_priced_as_by_brute_force():
    rng = np.random.default_rng(1)
    for _ in range(120):
        boards = rng.choice(7, 3, replace=False) + 7 * rng.integers(0, 2, 3)
        cities = [random_city(rng, 6) for _ in range(3)]
        coins = int(rng.integers(0, 16))
        pool, plain = table_with(boards.tolist(), cities, rng.integers(0, 4, 3).tolist(), coins)
        for seat in range(3):
            check_city(pool, plain, seat, coins)


cities = st.lists(st.sampled_from(PRODUCERS + HELPERS), max_size=9, unique=True)


@settings(max_examples=40)
@given(
    wonders=st.permutations(range(7)),
    sides=st.tuples(*[st.integers(0, 1)] * 3),
    built=st.tuples(cities, cities, cities),
    stages=st.tuples(*[st.integers(0, 4)] * 3),
    coins=st.integers(0, 30),
)
def test_any_city_is_priced_as_by_brute_force(wonders, sides, built, stages, coins):
    boards = [wonder + 7 * side for wonder, side in zip(wonders[:3], sides, strict=True)]
    pool, plain = table_with(boards, built, stages, coins)
    check_city(pool, plain, 0, coins)


def test_no_way_of_paying_gives_a_neighbour_more_than_twelve_coins():
    worst = [c.COSTS.index("wood, stone, ore, clay, glass, papyrus, cloth"), c.CARDS.index("Pantheon")]
    for board in range(c.NUM_BOARDS):
        start = c.RESOURCES[c.START[board]]
        for card in worst:
            bought = [unit for unit in read_cost(c.COSTS[card])[1] if unit != start]
            assert 2 * len(bought) <= MAX_LEFT
