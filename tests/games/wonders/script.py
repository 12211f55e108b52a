"""Games written by their plays, with a deal that makes them possible."""

import re

import bolicho
from bolicho.games.wonders.cards import AGE, CARDS, COPIES, GUILDS, NUM_CARDS

PLAIN = ("Gizah A", "Rhodos A", "Ephesos A")


def deck(players, age, guilds=()):
    """Return the names of an age's cards, with the requested guilds and the first of the others."""
    cards = [CARDS[card] for card in range(NUM_CARDS) if AGE[card] == age for _ in range(COPIES[players, card])]
    if age == 2:
        chosen = [guild for guild in guilds if guild.endswith("Guild")]
        chosen += [CARDS[guild] for guild in GUILDS if CARDS[guild] not in chosen]
        cards += chosen[: players + 2]
    return cards


def holder(players, age, turn, seat):
    """Return which dealt hand a seat holds on a turn."""
    passed = min(turn, 5)
    return (seat + passed if age == 1 else seat - passed) % players


def deal_for(boards, turns, holds=()):
    """Return a setup in which the plays are possible: each card lies in the hand its player holds on that turn.

    After them seat 0 holds the cards `holds`.
    """
    n = len(boards)
    hands = [[[] for _ in range(n)] for _ in range(3)]
    for number, turn in enumerate(turns):
        age, t = divmod(number, 6)
        for seat, text in enumerate(turn[:n]):
            if text:
                hands[age][holder(n, age, t, seat)].append(card_in(text))
        for text in turn[n:]:
            if not text.startswith("revive"):  # Babylon's seventh card
                seat = next(i for i, board in enumerate(boards) if board == "Babylon B")
                hands[age][holder(n, age, 5, seat)].append(card_in(text))
    age, t = divmod(len(turns), 6)
    for card in holds:
        hands[age][holder(n, age, t, 0)].append(card)
    for age, rows in enumerate(hands):
        rest = deck(n, age, [card for row in rows for card in row])
        for row in rows:
            for card in row:
                rest.remove(card)
        for row in rows:
            while len(row) < 7:
                row.append(rest.pop())
    return {"boards": list(boards), "ages": hands}


def card_in(text):
    return re.fullmatch(r"\w+ (.*?)(?: \d+/\d+)?", text)[1]


def played(boards, turns, holds=(), **rules):
    """Play these turns: one text a seat (None sells a card not needed), then extra plays such as a seventh card."""
    game = bolicho.game("wonders", players=len(boards), **rules)
    table = game.setup(**deal_for(boards, turns, holds))
    for number, turn in enumerate(turns):
        age = number // 6
        needed = {card_in(text) for other in turns[6 * age : 6 * age + 6] for text in other if text} | set(holds)
        for text in turn:
            if text is None:
                text = next(a for a in table.legal if a.startswith("sell") and a[5:] not in needed)
            table.play(text)
    return table


IDLE = (None, None, None)
"""A turn on which three seats sell."""


def legal(table):
    return {str(action) for action in table.legal}


def points(table, seat):
    return table.result()["points"][seat]
