"""Random numbers for compiled code: counters without state.

The i-th number of a stream is a hash of (seed, i), so a deal can be read in any order and streams
are independent.  The hash is the finaliser of SplitMix64.
"""

import numpy as np

from bolicho.games.jit import njit

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S32, _S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32), np.uint64(11)
_STEP = 2.0**-53


@njit
def mix(x):
    """Return a well-mixed 64-bit number from `x`; a bijection."""
    x = np.uint64(x) + _GOLDEN
    x = (x ^ (x >> _S30)) * _M1
    x = (x ^ (x >> _S27)) * _M2
    return x ^ (x >> _S31)


@njit
def stream(seed, index):
    """Return the seed of the `index`-th independent stream of `seed`."""
    return mix(mix(seed) + np.uint64(index) * _GOLDEN)


@njit
def below(seed, index, n):
    """Return the `index`-th number of the stream `seed`, uniform in 0 .. n-1."""
    bits = mix(np.uint64(seed) + np.uint64(index) * _GOLDEN)
    return np.int64(((bits >> _S32) * np.uint64(n)) >> _S32)


@njit
def uniform(seed, index):
    """Return the `index`-th number of the stream `seed`, uniform in [0, 1)."""
    return (mix(np.uint64(seed) + np.uint64(index) * _GOLDEN) >> _S11) * _STEP
