"""Short sentences about exceptions that agents of others raise."""

import re
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from bolicho.errors import BadInput, one_line

REASON_LENGTH = 300  # characters of a reason that are kept: a sentence, not a dump


def short(thing: object) -> str:
    """A `repr` that cannot fail and is not long."""
    try:
        text = repr(thing)
    except Exception:
        text = f"an object of type {type(thing).__name__}"
    return text if len(text) <= 60 else text[:60] + "…"


def sentence(text: str) -> str:
    """One line, not too long, and the same in every process (no addresses of objects)."""
    text = one_line(re.sub(r"0x[0-9a-fA-F]+", "0x…", " ".join(text.split())))
    return text if len(text) <= REASON_LENGTH else text[:REASON_LENGTH] + "…"


def told(problem: BaseException) -> str:
    """What was raised, and the line of the agent it came from."""
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
    """Whatever somebody's code raises here is bad input: `what` happened, and why.  Ctrl-C is nobody's fault."""
    try:
        yield
    except (BadInput, KeyboardInterrupt):
        raise
    except BaseException as problem:  # even SystemExit: a module may do anything
        raise BadInput(f"{what}: {told(problem)}") from problem
