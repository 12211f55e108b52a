"""Winners of rounds and of the hand by cards; compiled.

The two players are 0 and 1: the seats, or the player in question and the opponent.
"""

from bolicho.games.jit import rule

TIE, OPEN = 2, -1  # a tied round, and a round not yet played


@rule
def round_winner(a, b):
    """Return the winner of a round by the strengths of its cards: 0, 1 or TIE."""
    return TIE if a == b else (0 if a > b else 1)


@rule
def leader_after(winner, mao):
    """Return the leader of the next round, by the winner of this one; after a tie the mão leads."""
    return mao if winner == TIE else winner


@rule
def hand_winner(first, second, third, mao):
    """Return the winner of the hand by the winners of its rounds, or OPEN."""
    if second == OPEN:
        return OPEN
    if first == TIE:
        if second != TIE:
            return second
        return mao if third == TIE else third
    if second == TIE or second == first:
        return first
    return first if third == TIE else third


@rule
def ascending(a, b, c):
    """Return three numbers in ascending order."""
    if a > b:
        a, b = b, a
    if b > c:
        b, c = c, b
    return (b, a, c) if a > b else (a, b, c)
