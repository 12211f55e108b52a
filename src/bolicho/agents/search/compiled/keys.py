"""Keys of positions: a 64-bit hash of a record, read as words."""

import numpy as np

from bolicho.games.compiled.chance import mix
from bolicho.games.jit import njit

_START = np.uint64(0x243F6A8885A308D3)  # first hexadecimal digits of pi, an arbitrary constant
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_S29 = np.uint64(29)


@njit
def key_of(words, i, used, masks):
    """Return the key of record `i`; records with equal masked words have equal keys."""
    h = _START
    for j in range(len(used)):
        h = (h ^ (words[i, used[j]] & masks[j])) * _FACTOR
        h ^= h >> _S29
    return mix(h)
