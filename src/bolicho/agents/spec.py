"""Specs: a name with options, such as `"mcts(iterations=100)"`, read and written; options as arguments of functions."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from inspect import Parameter, signature
from typing import Any

from bolicho.errors import BadInput
from bolicho.strict import read_literal

_SPEC = re.compile(r"\s*([A-Za-z_][\w.-]*(?::[A-Za-z_]\w*)?)\s*(?:\((.*)\))?\s*", re.DOTALL)


def parse_spec(spec: str) -> tuple[str, dict[str, Any]]:
    """Read a spec such as `"mcts(iterations=100)"` as a name and its options.

    >>> parse_spec("pvcnps(base=learned, threshold=0.9)")
    ('pvcnps', {'base': 'learned', 'threshold': 0.9})
    """
    match = _SPEC.fullmatch(spec)
    if not match or not spec.isprintable():
        raise BadInput(f"cannot read the agent {spec!r}; write a name, or a name with options: name(option=value)")
    name, inside = match.groups()
    options: dict[str, Any] = {}
    for part in _split(inside or ""):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not key.isidentifier() or not value:
            raise BadInput(f"cannot read {part.strip()!r} in the agent {spec!r}; write option=value")
        if key in options:
            raise BadInput(f"the agent {spec!r} gives {key} twice")
        options[key] = _value(value)
    return name, options


_PIECE = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|.""", re.DOTALL)  # a quoted text or a single character


def _split(text: str) -> list[str]:
    """Split at commas outside brackets and quotes; brackets must be balanced."""
    parts, depth = [""], 0
    for piece in _PIECE.findall(text):
        depth += piece in ("(", "[") and 1
        depth -= piece in (")", "]") and 1
        if depth < 0:
            break
        if piece == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += piece
    if depth:
        raise BadInput(f"unbalanced bracket in {text!r}; put a text with a single bracket in quotes")
    return [part for part in parts if part.strip()]


def _value(text: str) -> Any:
    """Return `true` and `false` as booleans, other text through `read_literal`, which mostly returns it unchanged."""
    if text in ("true", "false"):
        return text == "true"
    return read_literal(text)


def write_spec(name: str, options: dict[str, Any]) -> str:
    """Return the canonical spec: options sorted, quotes only where necessary."""
    inside = ", ".join(f"{key}={_written(value)}" for key, value in sorted(options.items()))
    return f"{name}({inside})" if inside else name


def short_names(specs: Iterable[str]) -> dict[str, str]:
    """Return a short name for each spec: without options, or if several have one name, with those that differ.

    >>> short_names(["pvs(base=a, points=1)", "nps(base=a)", "pvs(base=b, points=1)"])
    {'pvs(base=a, points=1)': 'pvs(base=a)', 'nps(base=a)': 'nps', 'pvs(base=b, points=1)': 'pvs(base=b)'}
    """
    read = {spec: parse_spec(spec) for spec in specs}
    times = Counter(name for name, _ in read.values())
    found = {}
    for spec, (name, options) in read.items():
        others = [more for other, more in read.values() if other == name]
        differing = {key: value for key, value in options.items() if any(one.get(key) != value for one in others)}
        found[spec] = name if times[name] == 1 else write_spec(name, differing)
    return found


def _written(value: Any) -> str:
    """Return a value as text that reads back as the same value."""
    plain = str(value)
    try:
        same = parse_spec(f"it(is={plain})")[1] == {"is": value} and not set(plain) & set("'\"")
    except BadInput:
        same = False
    return plain if same else repr(value)


def parameters_of(function: Callable[..., Any]) -> dict[str, Parameter]:
    """Return the parameters of a function by name; one whose default is a dataclass stands for its fields."""
    found: dict[str, Parameter] = {}
    for name, parameter in signature(function).parameters.items():
        for one in _fields(parameter):
            found[one] = Parameter(one, Parameter.KEYWORD_ONLY, default=getattr(parameter.default, one))
        if not _fields(parameter):
            found[name] = parameter
    return found


def arguments_of(function: Callable[..., Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a function: options, and dataclasses of those that are their fields."""
    given = dict(options)
    for name, parameter in signature(function).parameters.items():
        if inside := {one: given.pop(one) for one in _fields(parameter) if one in given}:
            given[name] = replace(parameter.default, **inside)
    return given


def _fields(parameter: Parameter) -> list[str]:
    default = parameter.default
    return [one.name for one in fields(default)] if is_dataclass(default) and not isinstance(default, type) else []
