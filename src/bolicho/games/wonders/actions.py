"""Encoding and decoding of action numbers (see layout.py for their meaning); Python may call these too."""

from bolicho.games.jit import rule
from bolicho.games.wonders.cards import NUM_CARDS
from bolicho.games.wonders.layout import MAX_LEFT, SPLIT


@rule
def action_of(kind: int, card: int) -> int:
    """Return the action that plays a card, paid the cheapest way."""
    return kind * NUM_CARDS + card


@rule
def split_of(action: int, left: int) -> int:
    """Return an action paid another way, with `left` coins to the left."""
    return SPLIT + action * (MAX_LEFT + 1) + left


@rule
def unsplit(action: int) -> int:
    """Return the same action paid the cheapest way."""
    return action if action < SPLIT else (action - SPLIT) // (MAX_LEFT + 1)


@rule
def left_in(action: int) -> int:
    """Return the coins to the left of an action that is not paid the cheapest way."""
    return (action - SPLIT) % (MAX_LEFT + 1)


@rule
def kind_of(action: int) -> int:
    """Return the kind of an action that plays a card."""
    return unsplit(action) // NUM_CARDS


@rule
def card_of(action: int) -> int:
    """Return the card that an action plays."""
    return unsplit(action) % NUM_CARDS
