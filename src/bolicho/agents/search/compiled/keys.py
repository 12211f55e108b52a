"""Keys of positions: a 64-bit hash of a record, read as words."""

import numpy as np

from bolicho.games.compiled.chance import mix
from bolicho.games.jit import njit

_START = np.uint64(0x243F6A8885A308D3)  # the first digits of pi in base 16: nothing up the sleeve
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_S29 = np.uint64(29)


@njit
def key_of(words, i, used, masks):
    """The key of record `i`: two records have the same one when their masked words are equal."""
    h = _START
    for j in range(len(used)):
        h = (h ^ (words[i, used[j]] & masks[j])) * _FACTOR
        h ^= h >> _S29
    return mix(h)
