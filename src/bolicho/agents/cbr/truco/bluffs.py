"""Classification of the truco calls of a base as bluffs, by the caller's hand (`games.truco.compiled.behaviours`)."""

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cbr.truco.compiled.instances import FLOR_OPEN, TRUCO_ANSWER_AT, TRUCO_OPEN_AT
from bolicho.agents.cbr.truco.schema import CALL, RAISE
from bolicho.games.truco.compiled.behaviours import WEAK
from bolicho.games.truco.compiled.lexicon import ME
from bolicho.games.truco.lexicon import CLASS_CODES

WEAK_CODE = CLASS_CODES[WEAK - 1]  # code of an eleven; classes count from 0, strengths from 1


def truco_bluffs(decision: int, instances: NDArray[np.void]) -> NDArray[np.int8]:
    """Return for each instance of a decision 1 for a bluff, 0 for another truco call, -1 for no call.

    A bluff is a call with no round won and no remaining card that beats half of the deck.
    """
    kinds = np.full(len(instances), -1, np.int8)
    if TRUCO_OPEN_AT <= decision < TRUCO_ANSWER_AT:
        rounds, item = (decision - TRUCO_OPEN_AT) // 2, CALL
    elif TRUCO_ANSWER_AT <= decision < FLOR_OPEN:
        rounds, item = (decision - TRUCO_ANSWER_AT) // 4, RAISE
    else:
        return kinds
    calls = instances["item"] == item
    won = (instances["equal"][:, 1 : 1 + rounds] == ME).any(axis=1)
    own = instances["numeric"][:, 3 : 3 + 2 * rounds : 2]  # own and other's card, by round
    best = best_left(instances["numeric"][:, :3], own)
    kinds[calls] = (~won & (best <= WEAK_CODE))[calls]
    return kinds


def best_left(hands: NDArray[np.int8], played: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return the best remaining card of hands (strongest first); a card played face down (0) was the weakest.

    >>> best_left(np.array([[52, 7, 3]] * 3), np.array([[52], [7], [0]])).tolist()
    [7, 52, 52]
    """
    left = hands.copy()
    rows = np.arange(len(left))
    for card in played.T:
        same = left == card[:, None]
        weakest = (left >= 0).sum(axis=1) - 1
        left[rows, np.where(same.any(axis=1), same.argmax(axis=1), weakest)] = -1
        left = -np.sort(-left, axis=1)
    return np.asarray(left[:, 0])
