"""Behaviours counted in Truco."""

from bolicho.games import kernel
from bolicho.games.jit import rule
from bolicho.games.kernel import behaved, implements
from bolicho.games.truco import kernel as k

NAMES = {
    "calls truco": "decisions at which it could call truco, retruco or vale quatro",
    "bluffs at truco": "those calls; a bluff: no round won, and no card that beats half of the deck",
    "accepts truco": "answers to such calls; raising accepts",
    "calls envido": "decisions at which it could call envido, real envido or falta envido",
    "bluffs at envido": "those calls; a bluff: with 21 points or fewer",
    "accepts envido": "answers to such calls; raising accepts",
    "raises a flor": "answers to a flor or a contra flor",
    "goes to the deck": "decisions at which it could",
    "plays face down": "cards that it could have played so",
}
"""Behaviours, and their denominators."""

(CALLS_TRUCO, BLUFFS_TRUCO, ACCEPTS_TRUCO, CALLS_ENVIDO, BLUFFS_ENVIDO, ACCEPTS_ENVIDO, RAISES_FLOR, TO_DECK,
 FACE_DOWN) = range(len(NAMES))  # fmt: skip

WEAK = 6  # strength of an eleven: it beats 18 of the 40 cards, and a twelve beats 22
FEW = 21  # envido points: half of the hands without a flor have at most this many


@implements(kernel.behave, k.RECORD)
@rule
def behave(before, legal, action, after, out):
    seat = before.turn
    raises = k.TRUCO <= action <= k.VALE4
    bets = k.ENVIDO <= action <= k.FALTA
    if could(legal, k.TRUCO, k.VALE4):
        behaved(out, seat, CALLS_TRUCO, raises)
    if raises:
        behaved(out, seat, BLUFFS_TRUCO, holds_nothing(before, seat))
    if could(legal, k.ENVIDO, k.FALTA):
        behaved(out, seat, CALLS_ENVIDO, bets)
    if bets:
        behaved(out, seat, BLUFFS_ENVIDO, k.envido_of(before, seat) <= FEW)
    if before.pending == k.TRUCO_BET and not bets:  # an envido in between is not yet an answer
        behaved(out, seat, ACCEPTS_TRUCO, action != k.NAO)
    if before.pending == k.ENVIDO_BET:
        behaved(out, seat, ACCEPTS_ENVIDO, action != k.NAO)
    if before.pending == k.FLOR_BET:
        behaved(out, seat, RAISES_FLOR, k.CONTRAFLOR <= action <= k.RESTO)
    if could(legal, k.BARALHO, k.BARALHO):
        behaved(out, seat, TO_DECK, action == k.BARALHO)
    if action < k.TRUCO and could(legal, k.FACE_DOWN, k.TRUCO - 1):
        behaved(out, seat, FACE_DOWN, action >= k.FACE_DOWN)


@rule
def could(legal, first, last):
    """Return whether any action from `first` to `last` was legal."""
    for action in legal:
        if first <= action <= last:
            return True
    return False


@rule
def holds_nothing(s, seat):
    """Return whether a seat has won no round, and no remaining card of it beats half of the deck.

    Remaining cards are those in its hand and its card on the table in an undecided round.
    """
    for r in range(s.round):
        if s.winners[r] == seat:
            return False
    for i in range(3):
        card = s.hands[seat, i]
        if card != k.NONE and k.strength(card) > WEAK:
            return False
    card = s.played[seat, s.round]
    return card == k.NONE or k.strength(card) <= WEAK
