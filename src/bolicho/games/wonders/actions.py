"""The numbers of actions, both ways (see layout.py for what they mean); Python may call these too."""

from bolicho.games.jit import rule
from bolicho.games.wonders.cards import NUM_CARDS
from bolicho.games.wonders.layout import MAX_LEFT, SPLIT


@rule
def action_of(kind: int, card: int) -> int:
    """The action that plays a card, paid the cheapest way."""
    return kind * NUM_CARDS + card


@rule
def split_of(action: int, left: int) -> int:
    """An action paid another way, with so many coins to the left."""
    return SPLIT + action * (MAX_LEFT + 1) + left


@rule
def unsplit(action: int) -> int:
    """The same action paid the cheapest way."""
    return action if action < SPLIT else (action - SPLIT) // (MAX_LEFT + 1)


@rule
def left_in(action: int) -> int:
    """The coins to the left of an action that is not paid the cheapest way."""
    return (action - SPLIT) % (MAX_LEFT + 1)


@rule
def kind_of(action: int) -> int:
    """The kind of an action that plays a card."""
    return unsplit(action) // NUM_CARDS


@rule
def card_of(action: int) -> int:
    """The card an action plays."""
    return unsplit(action) % NUM_CARDS
