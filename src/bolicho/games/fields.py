"""Typed access to records: fields read by name, described as data, and structures of them as JSON.

A game declares the fields that its views show as a named tuple, with the `Names` of numbers that stand for something
else.  Offsets and shapes follow from the record type.

>>> from typing import Annotated, NamedTuple
>>> suit = Names("suit", dict(enumerate("epco")) | {-1: None})
>>> class Seen(NamedTuple):
...     turn: int
...     suits: Annotated[tuple[str | None, ...], suit]
>>> record = np.zeros(1, np.dtype([("seed", "u8"), ("turn", "i1"), ("suits", "i1", (3,))]))
>>> record["suits"] = 2, 0, -1
>>> reader(Seen, record.dtype)(record)
Seen(turn=0, suits=('c', 'e', None))
>>> describe_fields(record.dtype, Seen)[-1]
{'name': 'suits', 'type': 'i1', 'offset': 9, 'shape': [3], 'names': 'suit'}
"""

import dataclasses
import struct
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any, Literal, TypeVar, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

Numbers = tuple[Any, ...]
T = TypeVar("T")

_LETTERS = {
    "i1": "b",
    "u1": "B",
    "i2": "h",
    "u2": "H",
    "i4": "i",
    "u4": "I",
    "i8": "q",
    "u8": "Q",
    "f4": "f",
    "f8": "d",
}
_WORD = 64  # bits


@dataclasses.dataclass(frozen=True, eq=False)
class Names:
    """An enumeration: the meanings of a field's numbers.

    The mode `names` reads one name for each number; `bits` reads the last dimension as one set of names; `numbers`
    reads plain numbers, and only the description contains the names.
    """

    name: str
    of: Mapping[int, Any]
    read: Literal["names", "bits", "numbers"] = "names"


# --- Reading ------------------------------------------------------------------------------------


@cache
def reader(fields: type[T], dtype: np.dtype[np.void]) -> Callable[[NDArray[np.void]], T]:
    """Return a function that reads the fields of a named tuple from the first record of a pool.

    An array becomes a tuple, nested if it has several dimensions.  For one or two fields NumPy is as fast.
    """
    assert dtype.fields is not None
    hints, names, layout, end, at = get_type_hints(fields), _names(fields), "<", 0, 0
    takes: dict[str, str] = {}
    for offset, name in sorted((dtype.fields[name][1], name) for name in hints):
        of = dtype.fields[name][0]
        count = int(np.prod(of.shape, dtype=int))
        layout += f"{offset - end}x{count}{_LETTERS[of.base.str[1:]]}"
        takes[name] = _take(name, of.shape, at, names[name].read if name in names else "numbers")
        end, at = offset + of.itemsize, at + count
    known = {f"names_{name}": found for name, found in names.items()} | {f"of_{name}": names[name].of for name in names}
    taken = "".join(f"{takes[name]}, " for name in hints)  # one expression, as for the methods of a named tuple
    make: Callable[[Numbers], T] = eval(
        f"lambda n: new(fields, ({taken}))", known | {"new": tuple.__new__, "fields": fields, "set_of": _set_of}
    )
    unpack = struct.Struct(layout).unpack_from
    return lambda pool: make(unpack(pool.tobytes()))  # not its buffer: NumPy writes the type of a record out for it


def _names(fields: type) -> dict[str, Names]:
    """Return the enumerations of the fields that have one."""
    hints = get_type_hints(fields, include_extras=True)
    return {name: found for name, hint in hints.items() for found in get_args(hint)[1:] if isinstance(found, Names)}


def _take(name: str, shape: tuple[int, ...], at: int, read: str) -> str:
    """Return the expression that takes a field from all unpacked numbers `n`."""
    if not shape:
        return f"of_{name}[n[{at}]]" if read == "names" else f"n[{at}]"
    if len(shape) == 1 and read != "names":
        return f"set_of(names_{name}, n[{at}:{at + shape[0]}])" if read == "bits" else f"n[{at}:{at + shape[0]}]"
    step = int(np.prod(shape[1:], dtype=int))
    return f"({''.join(_take(name, shape[1:], at + i * step, read) + ', ' for i in range(shape[0]))})"


@lru_cache(maxsize=1 << 14)
def _set_of(names: Names, words: Numbers) -> Numbers:
    """Return the names of a set of bits, 64 to a word."""
    bits = sum((word & (1 << _WORD) - 1) << _WORD * i for i, word in enumerate(words))
    return tuple([names.of[i] for i in range(bits.bit_length()) if bits >> i & 1])


# --- Describing ---------------------------------------------------------------------------------


def describe_fields(dtype: np.dtype[np.void], fields: type | None = None) -> list[dict[str, Any]]:
    """Return every field of a record as JSON: type, offset, shape, and the enumeration of its numbers."""
    assert dtype.fields is not None
    names = _names(fields) if fields else {}
    described = []
    for name, (of, offset, *_) in dtype.fields.items():
        field = {"name": name, "type": of.base.str[1:], "offset": offset, "shape": list(of.shape)}
        described.append(field | ({names[name].read: names[name].name} if name in names else {}))
    return described


def enumerations(fields: type) -> dict[str, list[list[Any]]]:
    """Return the enumerations of a structure's fields as JSON: pairs of a number and its meaning."""
    return {names.name: [[number, value] for number, value in names.of.items()] for names in _names(fields).values()}


# --- Structures as JSON -------------------------------------------------------------------------


class Structure:
    """Base of the frozen dataclasses that a game shows."""

    _json: dict[str, Any] | None = None


def as_json(value: Any) -> Any:
    """Return a structure as read-only JSON; it is cached, since views share parts.

    A trailing underscore in a field's name is not part of its key.
    """
    if isinstance(value, Structure):
        data = value._json
        if data is None:
            nested, renamed = _plan(type(value))  # type: ignore[arg-type]
            data = dict(vars(value))
            for name in nested:
                if data[name] is not None:
                    data[name] = as_json(data[name])
            if renamed:
                data = {name.removesuffix("_"): part for name, part in data.items()}
            vars(value)["_json"] = data
        return data
    if isinstance(value, list):
        return [list(each) if type(each) is tuple else as_json(each) for each in value]
    return value


@cache
def _plan(of: type[Structure]) -> tuple[tuple[str, ...], bool]:
    """Return the fields of a structure that need conversion, and whether a key differs from its field's name."""
    hints = get_type_hints(of)
    names = [field.name for field in dataclasses.fields(of)]  # type: ignore[arg-type]
    nested = tuple(name for name in names if any(_parts(hints[name])) or "tuple[" in str(hints[name]))
    return nested, any(name.endswith("_") for name in names)


def _parts(hint: Any) -> Iterator[type[Structure]]:
    """Yield the structures inside a type."""
    if isinstance(hint, type) and issubclass(hint, Structure):
        yield hint
    for each in get_args(hint):
        yield from _parts(each)


def structures(of: type[Structure]) -> Iterator[type[Structure]]:
    """Yield a structure and all nested ones, the innermost first."""
    for field in dataclasses.fields(of):  # type: ignore[arg-type]
        for part in _parts(get_type_hints(of)[field.name]):
            yield from structures(part)
    yield of
