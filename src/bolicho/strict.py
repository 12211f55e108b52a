"""Strict readers of texts from outside: the accepted texts are unambiguous, all others raise `BadInput`.

Python's readers accept more than the formats allow (duplicate keys, `NaN`, numbers of any length) and fail in ways of
their own on deeply nested texts.
"""

import ast
import json
import math
import tomllib
import warnings
from typing import Any

from bolicho.errors import BadInput

MOST_DIGITS = 20  # of a whole number; 2**64 - 1 has as many
_TOO_LONG = f"a whole number of more than {MOST_DIGITS} digits cannot be read"


def read_json(text: str | bytes) -> Any:
    """Return the value of a JSON text."""
    try:
        value = json.loads(
            text, object_pairs_hook=_object, parse_int=_whole, parse_float=_finite, parse_constant=_finite
        )
        json.dumps(value, ensure_ascii=False).encode()  # a lone surrogate is not a character
    except json.JSONDecodeError as problem:
        raise BadInput(f"not JSON at line {problem.lineno}, column {problem.colno}: {problem.msg}") from None
    except UnicodeError:
        raise BadInput("not JSON: it contains an invalid Unicode character") from None
    except RecursionError:
        raise BadInput("cannot read this JSON: too deeply nested") from None
    return value


def read_toml(text: str) -> dict[str, Any]:
    """Return the table of a TOML text."""
    try:
        table = tomllib.loads(text)
        _check_numbers(table)
    except tomllib.TOMLDecodeError as problem:
        raise BadInput(f"this is not TOML: {problem}") from None
    except BadInput:
        raise
    except ValueError:  # raised by Python for 5,000 digits
        raise BadInput(_TOO_LONG) from None
    except RecursionError:
        raise BadInput("cannot read this TOML: too deeply nested") from None
    return table


def read_literal(text: str) -> Any:
    """Return a number, a quoted text, None or a list of those in Python's notation; otherwise the text itself."""
    if text.lstrip("+-").isdecimal() and len(text.lstrip("+-")) > MOST_DIGITS:
        raise BadInput(_TOO_LONG)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "1if" and "'\\d'" cause warnings
            value = ast.literal_eval(text)
        _check_numbers(value)
    except BadInput:
        raise
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return text
    return value if _is_plain(value) else text


def _is_plain(value: Any) -> bool:
    """Return whether a value can be written as it was read; sets, bytes and infinities cannot."""
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; raise `BadInput` for a key that appears twice."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise BadInput(f"the key {key!r} appears twice")
        found[key] = value
    return found


def _whole(digits: str) -> int:
    if len(digits.lstrip("-")) > MOST_DIGITS:
        raise BadInput(_TOO_LONG)
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise BadInput(f"{digits} is not a finite number")
    return number


def _check_numbers(value: Any) -> None:
    """Raise `BadInput` for whole numbers of too many digits, at any depth."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for inside in value:
            _check_numbers(inside)
    elif isinstance(value, int) and abs(value) >= 10**MOST_DIGITS:
        raise BadInput(_TOO_LONG)
