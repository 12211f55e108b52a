"""Rewinding a game of dominoes to its deal (`rewind`), for replay; compiled."""

from bolicho.games import kernel
from bolicho.games.compiled.bits import count
from bolicho.games.compiled.events import wipe_events
from bolicho.games.dominoes.kernel import bit, clear_table, implements
from bolicho.games.jit import rule


@implements(kernel.rewind)
@rule
def rewind(s, rows):
    """Return played tiles to the hands, and remove drawn tiles from them."""
    for ply in range(s.num_plays):
        tile = s.line[ply] >> 2
        s.hands[s.by[ply], tile >> 6] |= bit(tile)
    at = 0
    for ply in range(1, s.num_plays + 1):
        drawer = 1 - s.by[ply - 1]
        for i in range(at, at + s.drew[ply]):
            tile = s.boneyard[i]
            s.hands[drawer, tile >> 6] &= ~bit(tile)
        at += s.drew[ply]
    for seat in range(2):
        s.counts[seat] = 0
        for w in range(s.hands.shape[1]):
            s.counts[seat] += count(s.hands[seat, w])
    clear_table(s)
    last = s.num_events
    s.num_events = 0
    s.turn = s.first
    wipe_events(s, last)
    return 0
