"""Error type for input that the user can correct.

Everything that a person can get wrong (an unknown agent, an impossible setup, an illegal action, a foreign file) raises
`BadInput` with one sentence that says what was wrong, where, and how to correct it. The command line prints that
sentence and exits with code 2.
"""

from collections.abc import Iterable
from difflib import get_close_matches


class BadInput(ValueError):
    """Invalid input; the message gives the reason and the correction."""


class IllegalAction(BadInput):
    """Action that the rules do not allow here; the table is unchanged."""


LONGEST = 1000  # letters of a message


def one_line(sentence: str) -> str:
    """Return a message for the terminal: one line of at most `LONGEST` letters, without control characters."""
    shown = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in sentence)
    if len(shown) > LONGEST:
        shown = f"{shown[: LONGEST // 2]} [...] {shown[-LONGEST // 2 :]}"
    return shown


def unknown(what: str, given: str, known: Iterable[str]) -> BadInput:
    """Return the error for a name that is not one of `known`, with the nearest name as a hint."""
    names = sorted(known)
    near = get_close_matches(given, names, n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    return BadInput(f"unknown {what} {given!r}{hint}; known: {', '.join(names) or 'none'}")
