"""Records as words: what the keys of positions are made of."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bolicho.errors import BadInput
from bolicho.games.kind import Pool

_NOT_THE_POSITION = ("seed", "events", "num_events")
"""Fields that tell how a position came about, or what chance will bring, not what it is."""


def words_of(pool: Pool) -> NDArray[np.uint64]:
    """The same memory as `pool`, one row of 64-bit words for every record."""
    if pool.dtype.itemsize % 8:
        raise BadInput("the record of this game is not made of whole words; write np.dtype(..., align=True)")
    return pool.view(np.uint64).reshape(len(pool), -1)


@lru_cache
def key_words(dtype: np.dtype[np.void], past: tuple[str, ...] = ()) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Which words of a record make its key, and which of their bits: no padding, no seed, no `past`.

    The past is what a seat knows others by, so it is left out only where everything is open.
    """
    mask = np.zeros(dtype.itemsize, np.uint8)
    for name, (kind, offset, *_) in (dtype.fields or {}).items():
        if name not in _NOT_THE_POSITION + past:
            mask[offset : offset + kind.itemsize] = 255
    masks = mask.view(np.uint64)
    used = np.flatnonzero(masks)
    return used, masks[used]
