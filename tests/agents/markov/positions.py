"""Varied positions for tests of decisions, and plain facts about them."""

import numpy as np

from bolicho import agent, game
from bolicho.games.truco import kernel as k
from bolicho.games.truco.rules import CARDS

PENDING = {k.NOTHING: None, k.TRUCO_BET: "truco", k.ENVIDO_BET: "envido", k.FLOR_BET: "flor"}


def tables(count, seed, *players, **rules):
    """Yield `count` tables from matches of these agents (default: random play)."""
    chosen = game("truco", **rules)
    seated = [agent(name, "truco") for name in players or ("random", "random")]
    rng = np.random.default_rng(seed)
    deal = seed * 1_000_000
    table = chosen.deal(deal)
    for _ in range(count):
        if table.over:
            deal += 1
            table = chosen.deal(deal)
        yield table
        table.play(seated[table.turn].act(table.view(), rng))


def facts(view):
    """Return the facts that the reference implementation uses."""
    s, me = view.state, view.seat
    theirs = [CARDS[card] for card in s["played"][1 - me] if 0 <= card < 40]
    return {
        "legal": set(map(str, view.legal)),
        "pending": PENDING[int(s["pending"])],
        "calls": {call.split()[1] for call in view.calls},
        "dealt": view.dealt,
        "hand": view.cards,
        "mine": [CARDS[card % 40] for card in s["played"][me] if card >= 0],
        "theirs": theirs,
        "lost": cannot_win(view),
    }


def cannot_win(view):
    """Return whether the last card loses the hand, in round 3 with the opponent's card on the table."""
    s, me = view.state, view.seat
    theirs = int(s["played"][1 - me, 2])
    if view.round < 3 or theirs == k.NONE or s["played"][me, 2] != k.NONE:
        return False
    mine = int(k.STRENGTH[s["hands"][me, 0]])
    shown = int(k.STRENGTH[theirs]) if 0 <= theirs < 40 else 0
    if mine != shown:
        return mine < shown
    first = int(s["winners"][0])
    return (int(s["mao"]) if first == 2 else first) != me
