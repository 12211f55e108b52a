"""Hidden information: views hide it, and redeals are uniform over the deals that agree with a view."""

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bolicho
from bolicho.games.check import check_game, chi_square_tail
from bolicho.games.compiled import calls
from bolicho.games.dominoes.rules import HALVES, set_size
from bolicho.games.dominoes.text import held
from bolicho.games.kind import copy_pool

from .reference import consistent_deals, name

SAMPLES = 6000
UNLIKELY = 1e-6


def deal_of(state):
    """Return the dealt hands and the boneyard, read from a full state."""
    hands = [{HALVES[tile] for tile in held(hand)} for hand in state["hands"]]
    boneyard = [HALVES[tile] for tile in state["boneyard"][: state["num_boneyard"]]]
    plays = int(state["num_plays"])
    for ply in range(plays):
        hands[state["by"][ply]].add(HALVES[int(state["line"][ply]) // 4])
    drawn = iter(boneyard)
    for ply in range(1, plays + 1):
        for _ in range(state["drew"][ply]):
            hands[1 - state["by"][ply - 1]].remove(next(drawn))
    return [tuple(sorted(hand)) for hand in hands], tuple(boneyard)


def random_setup(rng, highest, sizes, boneyard):
    tiles = list(HALVES[: set_size(highest)])
    rng.shuffle(tiles)
    a, b = sizes
    return [tiles[:a], tiles[a : a + b]], tiles[a + b : a + b + boneyard]


def positions(game, highest, sizes, boneyard, games, options):
    """Yield positions of random small games: (table, hands, boneyard, seat)."""
    rng = random.Random(f"{game} {highest} {sizes} {boneyard} {options}")
    for _ in range(games):
        hands, bones = random_setup(rng, highest, sizes, boneyard)
        setup = {"hands": [list(map(name, hand)) for hand in hands], "boneyard": list(map(name, bones))}
        table = bolicho.game(game, highest=highest, hand=1, **options).setup(**setup)
        while not table.over:
            table.play(rng.choice(table.legal))
            for seat in range(2):
                yield table.copy(), hands, bones, seat


def groups_and_odd_plays(table, seat):
    """Return how often the other seat drew and kept tiles, and how many it played whose values it had lacked before."""
    groups = odd = 0
    lacked: set[int] = set()
    log = table.log
    for i, entry in enumerate(log):
        if entry["seat"] == seat:
            continue
        if entry["event"] == "chose" and log[i - 1]["event"] != "drew":
            odd += bool({int(value) for value in entry["action"].partition(" ")[0].split("-")} & lacked)
        if entry["event"] in ("drew", "passed") and log[i - 1]["event"] != "drew":
            ply = sum(e["event"] == "chose" for e in log[:i])
            lacked |= {value for value in range(7) if int(table.state["stuck"][ply]) >> value & 1}
            groups += [e["event"] for e in log[i : i + 2]] in (["drew", "drew"], ["drew", "passed"])
    return groups, odd


def assert_uniform(table, hands, bones, seat, options):
    """Check that redeals are uniform over the consistent deals, and return the number of these."""
    actions = [str(action) for action in table.actions]
    expected = consistent_deals({"game": table.game.name, **options}, hands, bones, None, actions, seat)
    hidden = copy_pool(table.pool)
    calls.hide(hidden, seat)
    worlds = np.zeros(SAMPLES, hidden.dtype)
    calls.redeals(hidden, seat, np.uint64(len(actions)), worlds)
    drawn = int(table.state["drawn"])
    counts: Counter = Counter()
    for world, times in Counter(world.tobytes() for world in worlds).items():
        dealt, boneyard = deal_of(np.frombuffer(world, hidden.dtype)[0])
        assert dealt[seat] == tuple(sorted(hands[seat]))
        counts[dealt[1 - seat], boneyard[:drawn]] += times
    assert set(counts) <= set(expected), f"a redeal that seat {seat} can tell from the real deal: {table.record()}"
    observed = np.array([counts[deal] for deal in expected])
    assert chi_square_tail(observed, SAMPLES / len(expected)) > UNLIKELY, (seat, table.record())
    return len(expected)


@pytest.mark.parametrize(
    ("game", "sizes", "boneyard", "options"),
    [
        ("dominoes", (2, 2), 5, {}),
        ("dominoes", (3, 2), 5, {}),
        ("fives", (2, 3), 5, {}),
        ("dominoes", (2, 2), 5, {"reserve": 2}),
        ("dominoes", (2, 2), 6, {"opens": "double"}),
        ("fives", (2, 2), 6, {"opens": "heaviest"}),
    ],
)
def test_redeals_are_uniform_over_the_deals_that_agree_with_the_view(game, sizes, boneyard, options):
    found = list(positions(game, 3, sizes, boneyard, 12, options))
    sample = random.Random(7).sample(found, 14)
    assert sum(assert_uniform(*position, options) > 1 for position in sample) > 5


@pytest.mark.parametrize("options", [{}, {"opens": "double"}], ids=str)
def test_redeals_are_uniform_where_groups_differ_and_odd_tiles_were_played(options):
    """Pick the rare cases, whose deals have to be counted, from many games."""
    hard = []
    for position in positions("dominoes", 4, (2, 2), 9, 300, options):
        groups, odd = groups_and_odd_plays(position[0], position[3])
        if odd or groups > 1:
            hard.append((odd, groups, position))
    hard.sort(key=lambda case: case[:2], reverse=True)
    assert hard[0][0] > 0 and hard[0][1] > 1
    few = [position for _, _, position in hard if position[0].view(position[3]).boneyard < 6][:20]
    assert sum(assert_uniform(*position, options) > 1 for position in few) > 10


@pytest.mark.parametrize("game", ["dominoes", "fives"])
def test_the_order_of_the_boneyard_is_uniform(game):
    table = bolicho.game(game).setup(first=0, hands=[["6-4"], ["3-3"]], boneyard=["0-0", "1-0", "1-1", "2-0"])
    view = table.view(0)
    orders = Counter(deal_of(view.redeal(seed).state)[1] for seed in range(3000))
    assert len(orders) == 5 * 4 * 3 * 2
    assert chi_square_tail(np.array(list(orders.values())), 3000 / 120) > UNLIKELY


def test_the_log_of_a_redeal_goes_on_from_the_last_action():
    table = bolicho.game("dominoes").setup(first=0, hands=[["6-4", "3-3"], ["6-1", "1-1"]], boneyard=["5-5"])
    table.play("6-4")
    other = table.view(1).redeal(1)
    assert [entry["action"] for entry in other.log] == ["6-4"]
    other.play("6-1")
    assert [entry["action"] for entry in other.log if entry["event"] == "chose"] == ["6-4", "6-1"]


# --- Properties ---------------------------------------------------------------------------------

OPTIONS = st.sampled_from(
    [
        ("dominoes", {}),
        ("fives", {}),
        ("dominoes", {"opens": "double"}),
        ("fives", {"opens": "heaviest", "reserve": 3}),
        ("dominoes", {"hand": 2, "highest": 4}),
        ("dominoes", {"highest": 9, "hand": 9}),
    ]
)


@given(OPTIONS, st.integers(0, 2**64 - 1), st.integers(0, 2**32), st.integers(0, 60), st.integers(0, 1))
@settings(max_examples=300)
def test_redeal_has_the_same_view_and_is_a_possible_deal(which, seed, choices, plies, seat):
    game = bolicho.game(which[0], **which[1])
    table = game.deal(seed)
    rng = random.Random(choices)
    for _ in range(plies):
        if not table.over:
            table.play(rng.choice(table.legal))
    view = table.view(seat)
    other = view.redeal(choices)
    again = other.view(seat)
    assert again.pool.tobytes() == view.pool.tobytes()
    assert str(again) == str(view)
    # It is a deal that leads here: dealt and played again, everything but the seed is the same.
    hands, boneyard = deal_of(other.state)
    assert sorted([*hands[0], *hands[1], *boneyard]) == sorted(HALVES[: set_size(game.rules.highest)])
    setup = {"hands": [list(map(name, hand)) for hand in hands], "boneyard": list(map(name, boneyard))}
    if game.rules.opens == "first":
        setup["first"] = 0
    replayed = game.setup(**setup)
    for action in table.actions:
        replayed.play(str(action))
    replayed.pool["seed"] = other.pool["seed"]
    assert replayed.pool.tobytes() == other.pool.tobytes()


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("dominoes", {}),
        ("fives", {}),
        ("dominoes", {"highest": 3, "hand": 2, "opens": "double"}),
        ("fives", {"highest": 3, "hand": 3, "reserve": 1, "arms_after": 2, "opens": "lot"}),
    ],
)
def test_dominoes_pass_check_game(game, options):
    assert check_game(bolicho.game(game, **options), games=40).uniform > 0


def test_view_does_not_depend_on_hidden_tiles():
    """Compare the views of two deals that differ only in the other hand and in the boneyard."""
    game = bolicho.game("dominoes")
    # The tiles of the game are public, so the same tiles must be there.
    left = game.setup(first=0, hands=[["6-5", "0-0"], ["4-1", "5-5"]], boneyard=["3-3", "2-2"])
    right = game.setup(first=0, hands=[["6-5", "0-0"], ["2-2", "5-5"]], boneyard=["4-1", "3-3"])
    for table in (left, right):
        table.play("6-5")
    assert left.view(0).pool.tobytes() == right.view(0).pool.tobytes()
    assert left.view(1).pool.tobytes() != right.view(1).pool.tobytes()


def test_features_mark_tiles_that_the_other_seat_may_hold():
    table = bolicho.game("dominoes").setup(
        first=0, hands=[["6-4", "3-3"], ["2-1", "1-0"]], boneyard=["5-5", "6-2", "5-4", "4-4"]
    )
    table.play("6-4")
    table.play("6-2")
    features = table.view(0).features()
    may_hold = [f"{HALVES[tile][0]}-{HALVES[tile][1]}" for tile in range(28) if features[56 + tile]]
    assert may_hold == ["1-0", "2-1", "5-5"]  # not 5-4 and 4-4: it had no 4 when it drew
