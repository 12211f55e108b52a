"""Features of a Truco position for learners; compiled."""

from bolicho.games import kernel
from bolicho.games.jit import rule
from bolicho.games.kernel import implements
from bolicho.games.truco.kernel import FACE_DOWN, NONE, RECORD, UNSEEN, envido_of, flor_of, holds_flor
from bolicho.games.truco.rules import CARDS

_CARDS = [f"{card} {where}" for where in ("in hand", "played", "played by the other") for card in CARDS]
_MOMENT = [
    "my turn", "mão", "my card is awaited", "round 1", "round 2", "round 3",
    "nothing to answer", "a truco to answer", "an envido to answer", "a flor to answer",
]  # fmt: skip
_ROUNDS = [
    text
    for number, truco, envido in ((1, "truco", "envido"), (2, "retruco", "real"), (3, "vale4", "falta"))
    for text in (
        f"won round {number}", f"lost round {number}", f"tied round {number}", f"other face down in round {number}",
        f"I called {truco}", f"other called {truco}", f"I called {envido}", f"other called {envido}",
    )
]  # fmt: skip
_REST = [
    "worth of the hand", "I may raise", "envido settled", "stake of the envido", "points I showed",
    "points shown to me", "my envido", "I have a flor", "other has a flor", "points of my flor",
    "other called contraflor", "other called resto", "my score", "other's score", "who plays on after the envido",
]  # fmt: skip
NAMES = (*_CARDS, *_MOMENT, *_ROUNDS, *_REST)
NUM_FEATURES = len(NAMES)


@implements(kernel.features, RECORD)
@rule
def features(s, seat, out):
    """Write cards as 3 x 40 flags (in hand, played by the seat, played by the other), then the calls."""
    other = 1 - seat
    out[:NUM_FEATURES] = 0
    for i in range(3):
        if s.hands[seat, i] != NONE:
            out[s.hands[seat, i]] = 1
        if s.played[seat, i] != NONE:
            out[40 + s.played[seat, i] % FACE_DOWN] = 1
        if 0 <= s.played[other, i] < FACE_DOWN:
            out[80 + s.played[other, i]] = 1
    n = 120
    out[n] = s.turn == seat
    out[n + 1] = s.mao == seat
    out[n + 2] = s.player == seat
    out[n + 3 + s.round] = 1
    out[n + 6 + s.pending] = 1
    n += 10
    for r in range(3):
        out[n] = s.winners[r] == seat
        out[n + 1] = s.winners[r] == other
        out[n + 2] = s.winners[r] == 2
        out[n + 3] = s.played[other, r] >= FACE_DOWN or s.played[other, r] == UNSEEN
        out[n + 4] = s.truco_by[r] == seat
        out[n + 5] = s.truco_by[r] == other
        out[n + 6] = s.envido_by[r] == seat
        out[n + 7] = s.envido_by[r] == other
        n += 8
    out[n] = s.level / 3
    out[n + 1] = s.raiser == NONE or s.raiser == seat
    out[n + 2] = s.envido_done
    out[n + 3] = min(s.envido_stake, s.target) / s.target
    out[n + 4] = s.envido_shown / 33 if s.envido_winner == seat and s.envido_shown > 0 else 0
    out[n + 5] = s.envido_shown / 33 if s.envido_winner == other and s.envido_shown > 0 else 0
    out[n + 6] = envido_of(s, seat) / 33
    out[n + 7] = s.has_flor[seat] == 1
    out[n + 8] = s.has_flor[other] == 1
    out[n + 9] = flor_of(s, seat) / 38 if holds_flor(s, seat) else 0
    out[n + 10] = s.flor_by[0] == other
    out[n + 11] = s.flor_by[1] == other
    out[n + 12] = min(s.scores[seat], s.target) / s.target
    out[n + 13] = min(s.scores[other], s.target) / s.target
    out[n + 14] = (s.envido_again == seat) - (s.envido_again == other)
    return n + 15
