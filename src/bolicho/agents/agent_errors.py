"""Short sentences about exceptions that external code raises."""

import re
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from bolicho.errors import BadInput, one_line

REASON_LENGTH = 300  # maximum length of a stored reason, in characters: a sentence, not a dump


def short(thing: object) -> str:
    """Return a short `repr` that never raises."""
    try:
        text = repr(thing)
    except Exception:
        text = f"an object of type {type(thing).__name__}"
    return text if len(text) <= 60 else text[:60] + "…"


def sentence(text: str) -> str:
    """Return one line of limited length, the same in every process (without addresses of objects)."""
    text = one_line(re.sub(r"0x[0-9a-fA-F]+", "0x…", " ".join(text.split())))
    return text if len(text) <= REASON_LENGTH else text[:REASON_LENGTH] + "…"


def describe_error(problem: BaseException) -> str:
    """Return the exception as text, with the line of the agent's code that raised it."""
    try:
        said = f": {problem}" if str(problem) else ""
    except Exception:
        said = ""
    _, *theirs = traceback.extract_tb(problem.__traceback__)
    ours = (str(Path(__file__).with_name("registry.py")), import_module.__code__.co_filename)
    theirs = [frame for frame in theirs if frame.filename not in ours and not frame.filename.startswith("<frozen ")]
    line = f" ({Path(theirs[-1].filename).name}, line {theirs[-1].lineno})" if theirs else ""
    return sentence(f"{type(problem).__name__}{said}{line}")


@contextmanager
def blamed(what: str) -> Iterator[None]:
    """Convert any exception of external code into `BadInput` that names the failed step `what`; Ctrl-C passes."""
    try:
        yield
    except (BadInput, KeyboardInterrupt):
        raise
    except BaseException as problem:  # even SystemExit: an imported module may raise anything
        raise BadInput(f"{what}: {describe_error(problem)}") from problem
