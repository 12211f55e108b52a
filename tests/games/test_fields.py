"""Fields of a record, read at once."""

import numpy as np
import pytest

from bolicho.games.dominoes import kernel as dominoes
from bolicho.games.fields import Fields
from bolicho.games.truco import kernel as truco
from bolicho.games.wonders import state as wonders


@pytest.mark.parametrize("dtype", [truco.STATE, dominoes.SIX, dominoes.LARGE, wonders.STATE])
def test_fields_are_read_as_numpy_reads_them(dtype):
    pool = np.frombuffer(np.random.default_rng(1).bytes(dtype.itemsize), dtype)
    names = [name for name in dtype.names if name != "filler"][::2]
    read = Fields(dtype, names)(pool)
    assert set(read) == set(names)
    for name in names:
        wanted = pool[0][name]
        assert read[name] == (tuple(wanted.ravel().tolist()) if dtype[name].shape else wanted.item())
