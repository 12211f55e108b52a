"""Hidden information: views without it, and redeals uniform over the states that a seat cannot tell apart.

Replay decides: a full state is possible for a seat if the deal it stands for, played with
the same public plays, is legal throughout and looks the same to the seat at every step.
"""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

import bolicho
from bolicho import IllegalAction
from bolicho.games.compiled import calls
from bolicho.games.kind import copy_pool
from bolicho.games.wonders.cards import BOARDS, CARDS
from bolicho.games.wonders.layout import BUILT, HELD, KINDS, PLAY, REVIVAL, SEVENTH

from .script import card_in, holder

SIGNIFICANCE = 1e-6
"""Chance that one fair comparison would be called unfair; the seeds are fixed, so none is."""


def random_table(players, seed, plies, trade="cheapest", boards=None, liking="wonder", until=lambda table: False):
    """Return a table after some random plays, every other one of the preferred kind where there is one."""
    rng = np.random.default_rng(seed)
    table = bolicho.game("wonders", players=players, trade=trade).deal(seed)
    if boards:
        hands = [[[CARDS[card] for card in hand] for hand in age[:players]] for age in table.state["cards"]]
        table = table.game.setup(boards=boards, ages=hands)
    while not table.over and table.ply < plies and not until(table):
        legal = [str(action) for action in table.legal]
        eager = [action for action in legal if action.startswith(("wonder", liking))] or legal
        table.play(str(rng.choice(eager if rng.random() < 0.5 else legal)))
    return table


def hidden(table, seat):
    pool = copy_pool(table.pool)
    calls.hide(pool, seat)
    return pool


def hidden_bytes(pool, seat):
    pool = copy_pool(pool)
    calls.hide(pool, seat)
    return pool.tobytes()


def without_seed(pool):
    pool = copy_pool(pool)
    pool["seed"] = 0
    return pool.tobytes()


def up_to_now(pool):
    """Return a state without its future, since the ages to come are drawn independently."""
    pool = copy_pool(pool)
    pool["cards"][0, pool["age"][0] + 1 :] = 0
    return without_seed(pool)


def moments(table):
    """Return (age, turn, seat) of every action played, or None for a revival."""
    times = []
    for entry in table.log:
        if entry["event"] == "chose":
            revives = entry["action"].startswith("revive")
            times.append(None if revives else (entry["age"] - 1, entry["turn"] - 1, entry["seat"]))
    return times


def replayed(table, pool):
    """Play the game `table` again with the cards of `pool`: the same plays, of the cards that lie there."""
    s, n = pool[0], table.game.seats
    ages = [[[CARDS[card] for card in hand] for hand in age[:n]] for age in s["cards"]]
    again = table.game.setup(boards=[BOARDS[board] for board in s["board"][:n]], ages=ages)
    for action, moment in zip(table.actions, moments(table), strict=True):
        if moment is None:
            again.play(str(action))
            continue
        age, turn, seat = moment
        row = holder(n, age, turn, seat)
        if s["fate"][age, row, turn] == HELD:  # chosen, not yet revealed
            again.play(int(s["commit"][seat]))
        else:
            again.play(action.replace(card_in(action), CARDS[s["cards"][age, row, turn]]))
    return again


def is_possible(table, seat, pool, views):
    """Return whether the seat cannot tell the state from the real one, now or at any step before."""
    try:
        again = replayed(table, pool)
    except IllegalAction:
        return False
    if without_seed(again.pool) != without_seed(pool):
        return False
    steps = table.game.setup(
        boards=[BOARDS[b] for b in pool[0]["board"][: table.game.seats]], ages=again._origin["setup"]["ages"]
    )
    for view, action in zip(views, [*again.actions, None], strict=True):
        if hidden(steps, seat).tobytes() != view:
            return False
        if action is not None:
            steps.play(action)
    return True


def all_views(table, seat):
    """Return what the seat saw at every step of the game."""
    steps = table.game.setup(**table._origin["setup"])
    views = [hidden(steps, seat).tobytes()]
    for action in table.actions:
        steps.play(action)
        views.append(hidden(steps, seat).tobytes())
    return views


def as_setup(table):
    """Return the same game from a written deal, so that it can be replayed with other cards."""
    n = table.game.seats
    start = (
        table.game.deal(table._origin["seed"])
        if "seed" in table._origin
        else table.game.setup(**table._origin["setup"])
    )
    ages = [[[CARDS[card] for card in hand] for hand in age[:n]] for age in start.state["cards"]]
    again = table.game.setup(boards=[BOARDS[board] for board in start.state["board"][:n]], ages=ages)
    for action in table.actions:
        again.play(str(action))
    return again


# --- Secrets ------------------------------------------------------------------------------------


@given(
    players=st.integers(3, 7),
    seed=st.integers(0, 1000),
    plies=st.integers(0, 130),
    trade=st.sampled_from(["cheapest", "choose"]),
)
def test_a_choice_is_invisible_to_the_others_until_all_have_chosen(players, seed, plies, trade):
    table = random_table(players, seed, plies, trade)
    if table.over or table.state["phase"] != PLAY or table.turn == players - 1:
        return
    for seat in range(players):
        if seat != table.turn:
            seen = set()
            for action in table.legal:
                after = table.copy()
                after.play(action)
                seen.add(hidden(after, seat).tobytes())
                assert after.view(seat).history[-1]["action"] is None
            assert len(seen) == 1


def test_a_seat_knows_its_own_choice():
    table = bolicho.game("wonders").deal(1)
    seen = set()
    for action in table.legal:
        after = table.copy()
        after.play(action)
        seen.add(hidden(after, 0).tobytes())
    assert len(seen) == len(table.legal)


def test_a_card_sold_or_put_under_a_stage_is_not_shown():
    table = bolicho.game("wonders").deal(3)
    while table.view(0).age == 1:
        table.play(next(a for a in table.legal if a.startswith(("wonder", "sell"))))
    for seat in range(3):
        for entry in table.view(seat).history:
            if entry["event"] in ("sold", "stage", "discarded"):
                assert (entry["card"] is not None) == (entry["seat"] == seat)


def test_view_remembers_hands_that_were_passed_on():
    """Use three players, so that a hand comes back after three turns without the cards that the others played."""
    table = bolicho.game("wonders").deal(5)
    first = set(table.view(0).hand)
    for _ in range(9):
        table.play(next(a for a in table.legal if a.startswith("sell")))
    s = hidden(table, 0)[0]
    row = s["cards"][0, 0].tolist()
    assert {CARDS[card] for card in row} == first
    assert row[1:3] == sorted(row[1:3])  # the view does not show which of the two was sold first
    unseen = hidden(random_table(7, 1, 0), 0)[0]["cards"]
    assert (unseen[0, 1:7] == -1).all()
    assert (unseen[1:, :7] == -1).all()


# --- Redeals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("players", "trade"), [(3, "cheapest"), (3, "choose"), (4, "cheapest"), (5, "choose"), (7, "cheapest")]
)
def test_redeal_looks_like_the_real_game_to_the_seat_at_every_step(players, trade):
    rng = np.random.default_rng(players)
    for seed in range(4 if players == 3 else 1):
        table = as_setup(random_table(players, seed, int(rng.integers(5, 18 * players)), trade))
        for seat in range(players):
            views, view = all_views(table, seat), hidden(table, seat)
            for guess in range(3):
                pool = copy_pool(view)
                calls.redeal(pool, seat, np.uint64(guess))
                assert is_possible(table, seat, pool, views)


@pytest.mark.parametrize("phase", [REVIVAL, SEVENTH])
def test_redeals_agree_while_a_card_is_revived_or_the_seventh_played(phase):
    boards, found = ("Babylon B", "Olympia A", "Halikarnassos A"), 0
    for seed in range(400):
        table = random_table(3, seed, 100, boards=boards, until=lambda table: table.state["phase"] == phase)
        if table.over:
            continue
        found += 1
        table = as_setup(table)
        for seat in range(3):
            views, pool = all_views(table, seat), hidden(table, seat)
            calls.redeal(pool, seat, np.uint64(seed))
            assert is_possible(table, seat, pool, views)
        if found == 5:
            return
    raise AssertionError("too few such positions")


HALIKARNASSOS = ("Halikarnassos B", "Rhodos A", "Babylon A")


def looked_tables(count, seat_free=()):
    """Yield tables on which Halikarnassos has looked into the pile."""
    found = 0
    for seed in range(10_000):
        table = random_table(3, seed, 20 + seed % 34, boards=HALIKARNASSOS)
        if (table.state["look_time"] >= 0).any() and not table.over:
            yield as_setup(table)
            found += 1
            if found == count:
                return


@pytest.mark.parametrize("seat", range(3))
def test_redeals_agree_with_what_halikarnassos_saw_and_took(seat):
    for table in looked_tables(6):
        views, view = all_views(table, seat), hidden(table, seat)
        for guess in range(3):
            pool = copy_pool(view)
            calls.redeal(pool, seat, np.uint64(guess))
            assert is_possible(table, seat, pool, views)


@pytest.mark.parametrize("players", [4, 5])
def test_redeals_agree_with_looks_also_where_cards_have_copies(players):
    boards = [*HALIKARNASSOS, "Gizah A", "Olympia B"][:players]
    looked = 0
    for seed in range(60):
        table = random_table(players, seed, 12 * players, boards=boards)
        if (table.state["look_time"] >= 0).any() and not table.over and looked < 4:
            looked += 1
            table = as_setup(table)
            for seat in range(players):
                views, view = all_views(table, seat), hidden(table, seat)
                pool = copy_pool(view)
                calls.redeal(pool, seat, np.uint64(seed))
                assert is_possible(table, seat, pool, views)
    assert looked == 4


# --- Uniformity ---------------------------------------------------------------------------------


def uncertain_cells(table, seat):
    """Return the places of this age and those before whose card the seat cannot name."""
    s, n = table.state, table.game.seats
    cells = []
    for age in range(int(s["age"]) + 1):
        for row in range(n):
            for place in range(7):
                turns = range(min(int(s["round"]), 5) + 1) if age == s["age"] else range(6)
                mine = [turn for turn in turns if holder(n, age, turn, seat) == row]
                held_now = mine and age == s["age"] and mine[-1] == s["round"] and s["fate"][age, row, mine[-1]] == HELD
                known = s["fate"][age, row, place] == BUILT or place in mine or (held_now and place >= mine[-1])
                if not known:
                    cells.append((age, row, place))
    return cells


def pending(table, seat):
    """Return the other seats that have chosen."""
    return [other for other in range(table.turn) if other != seat] if table.state["phase"] == PLAY else []


def all_states(table, seat):
    """Return every full state that the seat cannot tell from the real one, by trying all orders of unknown cards."""
    views = all_views(table, seat)
    cells = uncertain_cells(table, seat)
    cards = [int(table.state["cards"][cell]) for cell in cells]
    found, tried = set(), set()
    for order in set(permutations(cards)):
        pool = copy_pool(table.pool)
        for cell, card in zip(cells, order, strict=True):
            pool["cards"][0][cell] = card
        s = pool[0]
        if any(s["cards"][age, row].tolist() != arranged(s, age, row) for age, row, _ in cells):
            continue
        if s["cards"].tobytes() in tried:
            continue
        tried.add(s["cards"].tobytes())
        for choice in choices(table, pool, pending(table, seat)):
            state = completed(table, pool, choice)
            if state is not None and hidden_bytes(state, seat) == views[-1] and is_possible(table, seat, state, views):
                found.add(up_to_now(state))
    return found


def arranged(s, age, row):
    """Return a row as the record keeps it: the hand ascending."""
    cards, fate = s["cards"][age, row].tolist(), s["fate"][age, row].tolist()
    played = fate.index(HELD) if HELD in fate else 7
    return cards[:played] + sorted(cards[played:])


def choices(table, pool, seats):
    """Return every way in which the seats could have chosen."""
    if not seats:
        return [{}]
    seat, rest = seats[0], seats[1:]
    other = copy_pool(pool)
    other["turn"] = seat
    out = np.zeros(table.game.num_actions, np.int16)
    actions = out[: calls.legal(other, out)].tolist()
    return [{seat: action, **more} for action in actions for more in choices(table, pool, rest)]


def completed(table, pool, choice):
    """Return the state with these choices, by replay."""
    state = copy_pool(pool)
    for seat, action in choice.items():
        state["commit"][0, seat] = action
    try:
        return replayed(table, state).pool
    except IllegalAction:
        return None


def uniformity(table, seat, draws_a_state=40):
    """Check that redeals reach all states and no others, and return the tail of a chi-square test."""
    states = all_states(table, seat)
    assert up_to_now(table.pool) in states
    worlds = np.zeros(draws_a_state * len(states), table.pool.dtype)
    calls.redeals(hidden(table, seat), seat, np.uint64(12345), worlds)
    counts = Counter(up_to_now(world.reshape(1)) for world in worlds)
    assert set(counts) == states
    if len(states) == 1:
        return 1.0
    statistic = sum((counts[state] - draws_a_state) ** 2 / draws_a_state for state in states)
    return chi2.sf(statistic, len(states) - 1)


def small_positions(boards, plies, most, wanted, needs=lambda table: True):
    """Yield positions of three players with few enough cards that a seat cannot place."""
    found = 0
    for seed in range(3000):
        table = random_table(3, seed, plies(seed), boards=boards, liking="build")
        if table.over or not needs(table):
            continue
        seat = seed // 7 % 3
        if 2 <= len(uncertain_cells(table, seat)) <= most:
            yield as_setup(table), seat
            found += 1
            if found == wanted:
                return
    raise AssertionError("not enough positions")


def test_redeals_are_uniform_over_all_orders_and_choices():
    boards = ("Gizah A", "Rhodos B", "Olympia A")
    sizes = set()
    for table, seat in small_positions(boards, lambda seed: 12 + seed % 6, 6, 6):
        assert uniformity(table, seat) > SIGNIFICANCE
        sizes.add((table.turn, seat))
    assert len(sizes) > 3


@pytest.mark.parametrize("viewer", [True, False])
def test_redeals_are_uniform_given_the_actions_of_halikarnassos(viewer):
    """Positions seen by Halikarnassos itself and by the others."""

    def needs(table):
        return (table.state["look_time"] >= 0).any() and table.state["age"] == 0

    checked = 0
    for table, seat in small_positions(HALIKARNASSOS, lambda seed: 7 + seed % 12, 6, 10, needs):
        if (seat == 0) == viewer:
            assert uniformity(table, seat) > SIGNIFICANCE
            checked += 1
    assert checked >= 2


def test_kinds_are_those_of_the_notation():
    assert KINDS == ("build", "wonder", "sell", "free", "revive")
