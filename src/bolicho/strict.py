"""Texts from outside, read strictly: what is accepted means one thing, everything else is `BadInput`.

The readers of Python accept more than their formats say (a key twice, `NaN`, numbers of any length)
and break in ways of their own on what is nested a thousand times.
"""

import ast
import json
import math
import tomllib
import warnings
from typing import Any

from bolicho.errors import BadInput

MOST_DIGITS = 20  # of a whole number: 2**64 - 1 has so many
_TOO_LONG = f"a whole number of more than {MOST_DIGITS} digits cannot be read"


def read_json(text: str | bytes) -> Any:
    """The value of a JSON text."""
    try:
        value = json.loads(
            text, object_pairs_hook=_object, parse_int=_whole, parse_float=_finite, parse_constant=_finite
        )
        json.dumps(value, ensure_ascii=False).encode()  # half a surrogate pair is no letter
    except json.JSONDecodeError as problem:
        raise BadInput(f"not JSON at line {problem.lineno}, column {problem.colno}: {problem.msg}") from None
    except UnicodeError:
        raise BadInput("not JSON: it holds what is no letter of Unicode") from None
    except RecursionError:
        raise BadInput("not JSON that can be read: too deeply nested") from None
    return value


def read_toml(text: str) -> dict[str, Any]:
    """The table of a TOML text."""
    try:
        table = tomllib.loads(text)
        _check_numbers(table)
    except tomllib.TOMLDecodeError as problem:
        raise BadInput(f"this is not TOML: {problem}") from None
    except BadInput:
        raise
    except ValueError:  # what Python says of 5,000 digits
        raise BadInput(_TOO_LONG) from None
    except RecursionError:
        raise BadInput("this is not TOML that can be read: too deeply nested") from None
    return table


def read_literal(text: str) -> Any:
    """A number, a quoted text, None or a list of those as Python writes them; anything else is the text itself."""
    if text.lstrip("+-").isdecimal() and len(text.lstrip("+-")) > MOST_DIGITS:
        raise BadInput(_TOO_LONG)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "1if" and "'\\d'" are remarked upon
            value = ast.literal_eval(text)
        _check_numbers(value)
    except BadInput:
        raise
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return text
    return value if _is_plain(value) else text


def _is_plain(value: Any) -> bool:
    """Whether a value can be written as it was read; sets, bytes and infinities cannot."""
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object in which no key stands twice."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise BadInput(f"the key {key!r} stands twice")
        found[key] = value
    return found


def _whole(digits: str) -> int:
    if len(digits.lstrip("-")) > MOST_DIGITS:
        raise BadInput(_TOO_LONG)
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise BadInput(f"{digits} is no number that can be read")
    return number


def _check_numbers(value: Any) -> None:
    """Refuse whole numbers of too many digits, however deep they stand."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for inside in value:
            _check_numbers(inside)
    elif isinstance(value, int) and abs(value) >= 10**MOST_DIGITS:
        raise BadInput(_TOO_LONG)
