"""The chain of the rounds and the hidden hands, against brute force over every deal."""

from collections import Counter
from functools import cache
from itertools import combinations

import numpy as np
import pytest

from bolicho.agents.markov.compiled import chain, hidden
from bolicho.agents.markov.options import PLUS, leads, new_player_state
from bolicho.agents.markov.states import TRUCO_STATES
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled.unseen import is_consistent
from tests.agents.markov.positions import tables

# --- A hand by brute force ----------------------------------------------------------------------


def winner(results, mao):
    """Return the winner by the rounds so far (1 for me, -1 for the opponent), or None while it is open."""
    for last in range(2, len(results) + 1):
        first, *rest = results[:last]
        if last == 2:
            if first == 0 and rest[0] != 0:
                return rest[0]
            if first != 0 and rest[0] in (0, first):
                return first
        elif last == 3:
            return rest[1] or first or (1 if mao else -1)
    return None


@cache
def wins(mine, theirs, results, mao, lead, lying):
    """Return whether I win with best play against a known hand; with `lead` I play next, on `lying` if any."""
    won = winner(results, mao)
    if won is not None:
        return won == 1
    if lead:
        return any(plays(mine, i, theirs, results, mao, lying) for i in range(len(mine)))
    return not any(plays(theirs, i, mine, tuple(-r for r in results), not mao, lying) for i in range(len(theirs)))


def plays(hand, i, other, results, mao, lying):
    """Return whether a player wins by playing the i-th card of its hand now."""
    card, left = hand[i], hand[:i] + hand[i + 1 :]
    if lying is None:
        return wins(left, other, results, mao, False, card)
    result = (card > lying) - (card < lying)
    return wins(left, other, (*results, result), mao, result == 1 or (result == 0 and mao), None)


def completions(view):
    """Yield every hand that the opponent may hold by the rules, with its known cards."""
    s, me = view.state.copy(), view.seat
    known = {int(c) for c in s["dealt"][1 - me] if c != k.NONE}
    mine = {int(c) for c in s["dealt"][me]}
    for hand in combinations([c for c in range(40) if c not in mine], 3):
        if known <= set(hand):
            s["dealt"][1 - me] = hand
            if is_consistent(s, me):
                yield hand, known


def strength_of(card):
    return int(k.STRENGTH[card]) if 0 <= card < 40 else 0


def brute_chance(view):
    s, me = view.state, view.seat
    results = tuple({me: 1, 2: 0}.get(int(w), -1) for w in s["winners"] if w != k.NONE)
    mine = tuple(strength_of(int(c)) for c in s["hands"][me] if c != k.NONE)
    played, theirs = int(s["played"][me, s["round"]]), int(s["played"][1 - me, s["round"]])
    lead = int(s["player"]) == me
    lying = None
    if played != k.NONE or theirs != k.NONE:
        lying = strength_of(played if played != k.NONE else theirs)
    state = (results, int(s["mao"]) == me)
    unplayed = int((s["played"][1 - me] == k.NONE).sum())
    left = [
        tuple(strength_of(c) for c in cards)
        for hand, known in completions(view)
        for cards in combinations([c for c in hand if c not in known], unplayed)  # the others lie face down
    ]
    if not lead:
        return np.mean([wins(mine, theirs, *state, False, lying) for theirs in left])
    return max(np.mean([plays(mine, i, theirs, *state, lying) for theirs in left]) for i in range(len(mine)))


def exact(view):
    """Return whether `hidden` uses all information here: with no card shown, it ignores bounds on points."""
    s, other = view.state, 1 - view.seat
    nothing = (s["dealt"][other] == k.NONE).all()
    bound = (s["envido_shown"] != k.NONE and s["envido_winner"] != other) or (
        s["flor_shown"] != k.NONE and s["flor_winner"] != other
    )
    return not (nothing and bound)


@pytest.mark.parametrize("players", [("random", "random"), ("balanced", "novice")])
def test_the_chance_is_the_share_of_deals_won_with_best_play(players):
    mind = new_player_state(PLUS)
    checked = {(shown, down): 0 for shown in range(4) for down in range(3)}  # cards shown, cards face down
    for table in tables(2500, 4, *players):
        for seat in range(2):
            view = table.view(seat)
            shown = int((view.state["dealt"][1 - seat] != k.NONE).sum())
            kind = shown, int((view.state["played"][1 - seat] == k.UNSEEN).sum())
            wanted = 12 if shown < 2 else 60
            if view.state["pending"] == k.FLOR_BET or checked[kind] >= wanted or not exact(view):
                continue
            checked[kind] += 1
            assert _chance(view, mind) == pytest.approx(brute_chance(view), abs=1e-12), str(view)
    seen = [(0, 0), (1, 0), (2, 0)] + ([(1, 1), (2, 1)] if "random" in players else [])
    assert all(checked[kind] >= 10 for kind in seen), checked


def _chance(view, mind):
    mind["weighed"] = 0  # another decision
    return chain.hand_chance(view.pool[0], view.seat, mind[0])


def test_leads_are_those_that_win_against_any_answer():
    table = leads()
    rng = np.random.default_rng(3)
    for i, j in rng.integers(0, 502, (150, 2)):
        mine = tuple(c + 1 for c in TRUCO_STATES[i])
        theirs = tuple(c + 1 for c in TRUCO_STATES[j])
        for level in range(3):
            left = mine[:level] + mine[level + 1 :]
            expected = wins(left, theirs, (), True, False, mine[level])
            assert bool(table[i, j] >> level & 1) == expected


# --- Envido by brute force ----------------------------------------------------------------------


def test_the_envido_chance_is_the_share_of_deals_won():
    checked = 0
    for table in tables(1500, 6):
        view = table.view()
        s, me = view.state, view.seat
        if checked >= 40 or s["pending"] not in (k.NOTHING, k.ENVIDO_BET) or s["has_flor"].max() == 1:
            continue
        if s["pending"] == k.NOTHING and "envido" not in view.legal:
            continue
        mine = int(k.envido_of(view.pool[0], me))
        outcomes = []
        for hand, _ in completions(view):
            if not k.is_flor(*hand):
                theirs = int(k.envido_value(*hand))
                outcomes.append(mine > theirs or (mine == theirs and int(s["mao"]) == me))
        hands, won = hidden.envido_chance(view.pool[0], me)
        assert (hands, won) == (len(outcomes), sum(outcomes))
        checked += 1
    assert checked == 40


def test_weights_of_hidden_hands_are_their_numbers_of_deals():
    mind = new_player_state(PLUS)
    checked = Counter()  # by what is known of the opponent's flor
    for table in tables(800, 9):
        view = table.view()
        s, other = view.state, 1 - view.seat
        flor = int(s["has_flor"][other])
        unsaid = (s["dealt"][other] == k.NONE).all() and s["envido_shown"] == s["flor_shown"] == k.NONE
        if unsaid and checked[flor] < 20:
            hidden.weigh_hidden(view.pool[0], view.seat, mind[0])
            held = len(list(completions(view)))
            assert mind["hands"][0].sum() == hidden.holdings(view.pool[0], view.seat, mind[0]) == held
            checked[flor] += 1
    assert set(checked) == {k.NONE, 0, 1} and min(checked.values()) >= 5
