"""Elementary functions for WebAssembly, which has none: computed with twice the precision and rounded once.

The C library rounds as correctly in nearly all cases, so that players decide as they do natively.
"""

import numpy as np

from bolicho.games.jit import njit

_LOG2E = 1.4426950408889634
_LN2_HIGH = 0.693147180369123816490  # its last 21 bits are zero, so that products with exponents are exact
_LN2_LOW = 1.90821492927058770002e-10
_LN10 = 2.302585092994045684
_LN10_LOW = -2.1707562233822494e-16
_SPLIT = 134217729.0  # 2**27 + 1
_HALVINGS = 8
_TERMS = 10
_GREATEST, _LEAST = 709.782712893384, -745.1332191019412


@njit
def _sum(a, b):
    """Return a + b and its error."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


@njit
def _product(a, b):
    """Return a * b and its error."""
    p = a * b
    c = _SPLIT * a
    a1 = c - (c - a)
    a2 = a - a1
    c = _SPLIT * b
    b1 = c - (c - b)
    b2 = b - b1
    return p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2


@njit
def _add(a, a_low, b, b_low):
    s, e = _sum(a, b)
    return _sum(s, e + a_low + b_low)


@njit
def _multiply(a, a_low, b, b_low):
    p, e = _product(a, b)
    return _sum(p, e + a * b_low + a_low * b)


@njit
def _scaled(x, exponent):
    """Return x * 2**exponent, in two steps for results below the normal numbers."""
    half = exponent // 2
    first = np.int64(np.int64(half + 1023) << 52).view(np.float64)
    second = np.int64(np.int64(exponent - half + 1023) << 52).view(np.float64)
    return x * first * second


@njit
def _exp_near_zero(x, x_low):
    """Return exp(x) for |x| < 1 as two numbers."""
    scale = 1.0 / (1 << _HALVINGS)
    x, x_low = x * scale, x_low * scale
    power, power_low, e, e_low = x, x_low, x, x_low
    for n in range(2, _TERMS):
        power, power_low = _multiply(power, power_low, x, x_low)
        power, power_low = _divide(power, power_low, float(n))
        e, e_low = _add(e, e_low, power, power_low)
    for _ in range(_HALVINGS):  # (1 + e)**2 - 1
        square, square_low = _multiply(e, e_low, e, e_low)
        e, e_low = _add(2.0 * e, 2.0 * e_low, square, square_low)
    return _add(1.0, 0.0, e, e_low)


@njit
def _divide(a, a_low, b):
    q = a / b
    p, e = _product(q, b)
    return _sum(q, ((a - p) - e + a_low) / b)


@njit
def exp(x):
    """Return the exponential."""
    if x != x:
        return x
    if x > _GREATEST:
        return np.inf
    if x < _LEAST:
        return 0.0
    k = np.int64(np.floor(x * _LOG2E + 0.5))
    high, low = _sum(x - k * _LN2_HIGH, -(k * _LN2_LOW))
    e, e_low = _exp_near_zero(high, low)
    return _scaled(e + e_low, k)


@njit
def _log_parts(x):
    """Return the logarithm of a positive finite number as two numbers."""
    k = np.int64(0)
    if x < 2.2250738585072014e-308:
        x, k = x * 18014398509481984.0, k - 54
    bits = np.float64(x).view(np.int64)
    k += (bits >> 52) - 1022
    m = np.int64((bits & ((np.int64(1) << 52) - 1)) | (np.int64(1022) << 52)).view(np.float64)  # in [0.5, 1)
    if m < 0.7071067811865476:
        m, k = 2.0 * m, k - 1
    u = (m - 1.0) / (m + 1.0)
    y, power = 0.0, u
    for n in range(1, 50, 2):
        y += power / n
        power *= u * u
    y *= 2.0
    e, e_low = _exp_near_zero(-y, 0.0)  # one step of Newton's method: log m = y + (m exp(-y) - 1)
    high, low = _multiply(e, e_low, m, 0.0)
    high, low = _add(high, low, -1.0, 0.0)
    high, low = _add(y, 0.0, high, low)
    scaled, scaled_low = _product(float(k), _LN2_HIGH)
    high, low = _add(high, low, scaled, scaled_low)
    return _add(high, low, k * _LN2_LOW, 0.0)


@njit
def log(x):
    """Return the natural logarithm."""
    if x != x or x == np.inf:
        return x
    if x <= 0.0:
        return -np.inf if x == 0.0 else np.nan
    high, low = _log_parts(x)
    return high + low


@njit
def log10(x):
    """Return the logarithm to the base 10."""
    if not 0.0 < x < np.inf:
        return log(x)
    high, low = _log_parts(x)
    q = high / _LN10
    p, e = _product(q, _LN10)
    return q + ((high - p) - e + low - q * _LN10_LOW) / _LN10
