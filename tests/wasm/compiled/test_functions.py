"""Elementary functions of WebAssembly beside those of the C library."""

import math

import numpy as np
import pytest

from bolicho.wasm.compiled import functions

RNG = np.random.default_rng(1)
ARGUMENTS = {
    "exp": [*RNG.uniform(-30, 30, 5000), *RNG.uniform(-744, 709, 2000), *RNG.uniform(-1, 1, 5000), 0.0, 709.7, -745.0],
    "log": [*RNG.uniform(0, 1, 5000), *10 ** RNG.uniform(-300, 300, 5000), *range(1, 1000), 5e-324],
    "log10": [*10 ** RNG.uniform(-300, 300, 5000), *10.0 ** np.arange(0, 19)],
}
DIFFERING = 0.002  # share of results that may differ, in the last bit


@pytest.mark.parametrize("name", ARGUMENTS)
def test_results_are_those_of_the_c_library_up_to_rare_last_bits(name):
    ours, theirs = getattr(functions, name), getattr(math, name)
    pairs = [(ours(float(x)), theirs(float(x))) for x in ARGUMENTS[name]]
    assert all(abs(mine - other) <= math.ulp(other) for mine, other in pairs)
    assert sum(mine != other for mine, other in pairs) <= DIFFERING * len(pairs)


def test_limits_of_the_range():
    assert functions.exp(710.0) == math.inf and functions.exp(-746.0) == 0.0
    assert functions.log(0.0) == -math.inf and functions.log(math.inf) == math.inf
    assert all(math.isnan(function(math.nan)) for function in (functions.exp, functions.log, functions.log10))
    assert math.isnan(functions.log(-1.0))
