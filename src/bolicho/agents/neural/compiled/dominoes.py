"""Coding of dominoes: the game's own features, and the immediate effects of every legal play.

Nets learn the arithmetic of open ends and multiples of five badly, so the inputs contain it. The outputs of the net are
ranks of plays instead of tiles: the play that scores most, otherwise doubles and heavy tiles, comes first, and the
inputs describe the plays in that order.
"""

import numpy as np

from bolicho.agents.compiled import rewards
from bolicho.agents.compiled.dominoes import ABOUT, SCALE_POINTS, encode_play
from bolicho.agents.compiled.rewards import PAYOFF
from bolicho.agents.inputs.dominoes import say_input
from bolicho.agents.neural.compiled import codings
from bolicho.agents.neural.compiled.codings import FEATURES, Binding, Coding
from bolicho.games import kernel
from bolicho.games.dominoes.kernel import NUM_SIDES, implements
from bolicho.games.jit import njit

PLAYS = FEATURES + 1
LEAD = PAYOFF + 1
RANKS = 16  # number of plays with an output; there are rarely more


@njit
def merits(s, seat, legal, found, rows):
    """Write the legal plays, their effects and their merits; return their number."""
    n = kernel.legal(s, legal)
    for i in range(n):
        found[i] = encode_play(s, seat, np.int64(legal[i]), rows[i])
    return n


@njit
def rank(found, n, i):
    """Return the rank of a play by merit; ties in order."""
    before = 0
    for j in range(n):
        before += found[j] > found[i] or (found[j] == found[i] and j < i)
    return before


@njit
def widest(s):
    """Return the number of actions, and the number of inputs per play."""
    num_values = s.highest + 1
    return NUM_SIDES * (num_values * (num_values + 1) // 2), len(ABOUT) + num_values


@implements(codings.encode)
@njit
def encode(s, seat, coding, out):
    start = kernel.features(s, seat, out)
    if coding != PLAYS:
        return start
    num_actions, wide = widest(s)
    out[start : start + RANKS * wide] = 0
    if s.turn == seat:
        legal, found = np.empty(num_actions, np.int16), np.empty(num_actions, np.int64)
        rows = np.zeros((num_actions, wide), np.float32)
        n = merits(s, seat, legal, found, rows)
        for i in range(n):
            at = rank(found, n, i)
            if at < RANKS:
                out[start + at * wide : start + (at + 1) * wide] = rows[i]
    return start + RANKS * wide


@implements(codings.unit)
@njit
def unit(s, coding, action):
    if coding != PLAYS:
        return np.int64(action)
    num_actions, _ = widest(s)
    legal, found = np.empty(num_actions, np.int16), np.empty(num_actions, np.int64)
    n = merits(s, np.int64(s.turn), legal, found, np.empty((num_actions, 0), np.float32))
    for i in range(n):
        if legal[i] == action:
            at = rank(found, n, i)
            return np.int64(at if at < RANKS else -1)
    return np.int64(-1)


@implements(rewards.scheme_value)
@njit
def scheme_value(s, seat, scheme):
    """Return the lead: in scheme `LEAD` at every position, scaled for learning; otherwise only at the end."""
    lead = 1.0 * (s.scores[seat] - s.scores[1 - seat])
    if scheme == LEAD:
        return lead / SCALE_POINTS
    return lead if kernel.over(s) else 0.0


def _about(game):
    return [*ABOUT, *(f"has {value}" for value in range(game.rules.highest + 1))]


def widths(game):
    """Return the numbers of inputs and outputs of the net."""
    return ((game.num_features + RANKS * len(_about(game)), RANKS),)


def input_names(game, coding, which):
    """Return a name for each input of a net."""
    return [*game.feature_names, *(f"play {at + 1}: {what}" for at in range(RANKS) for what in _about(game))]


BINDING = Binding(
    seats=2,
    codings={"plays": Coding(PLAYS, (), widths)},
    schemes={"lead": LEAD},
    input_names=input_names,
    say_input=say_input,
    scripted="rule",
    coding="plays",
)
