"""The one kind of error that is the user's to fix.

Everything a person can get wrong (an unknown agent, an impossible setup, an illegal action, a
foreign file) raises `BadInput` with one sentence that says what was wrong, where, and what would
be right.  The command line prints that sentence and exits with code 2.
"""

from collections.abc import Iterable
from difflib import get_close_matches


class BadInput(ValueError):
    """What was given cannot be used; the message says why and what would be right."""


class IllegalAction(BadInput):
    """An action that the rules do not allow here; the table is unchanged."""


LONGEST = 1000  # letters of a sentence that a person still reads


def one_line(sentence: str) -> str:
    """A sentence for the terminal: one line, nothing in it that a terminal would obey, no longer than one reads."""
    shown = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in sentence)
    if len(shown) > LONGEST:
        shown = f"{shown[: LONGEST // 2]} [...] {shown[-LONGEST // 2 :]}"
    return shown


def unknown(what: str, given: str, known: Iterable[str]) -> BadInput:
    """The error for a name that is not one of `known`, with the nearest name as a hint."""
    names = sorted(known)
    near = get_close_matches(given, names, n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    return BadInput(f"unknown {what} {given!r}{hint}; known: {', '.join(names) or 'none'}")
