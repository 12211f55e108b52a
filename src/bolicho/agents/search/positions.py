"""Records as words, for the keys of positions."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bolicho.errors import BadInput
from bolicho.games.kind import Pool

_NOT_THE_POSITION = ("seed", "events", "num_events")
"""Fields about the past or the future of a position, which do not belong to its key."""


def words_of(pool: Pool) -> NDArray[np.uint64]:
    """Return the memory of `pool` as rows of 64-bit words, one row per record."""
    if pool.dtype.itemsize % 8:
        raise BadInput("the record of this game is not made of whole words; write np.dtype(..., align=True)")
    return pool.view(np.uint64).reshape(len(pool), -1)


@lru_cache
def key_words(dtype: np.dtype[np.void], past: tuple[str, ...] = ()) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Return the indices of the words in a record's key, and their bit masks: no padding, no seed, no `past`.

    The past is part of a seat's information about others, so it is left out only with full information.
    """
    mask = np.zeros(dtype.itemsize, np.uint8)
    for name, (kind, offset, *_) in (dtype.fields or {}).items():
        if name not in _NOT_THE_POSITION + past:
            mask[offset : offset + kind.itemsize] = 255
    masks = mask.view(np.uint64)
    used = np.flatnonzero(masks)
    return used, masks[used]
