"""Output and parsing of arguments, shared by all commands."""

import json
import os
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from bolicho.errors import BadInput
from bolicho.i18n import Catalogue, catalogue, preferred

if TYPE_CHECKING:
    from bolicho.games.game import Table

out = Console(highlight=False)
notices = Console(stderr=True, highlight=False)


def home_path(text: str | Path) -> Path:
    """Return a path with `~` and `~user` replaced, which the shell does not do in quotes or in `--out=~/runs`."""
    if not str(text).startswith("~"):  # `./~x` is the file `~x`
        return Path(text)
    try:
        return Path(text).expanduser()
    except RuntimeError:
        named = Path(text).parts[0]
        raise BadInput(f"{named} is not a home folder here; for a file of that name write ./{text}") from None


def home_address(text: str) -> str:
    """Return the address of a database, or its file with `~` replaced."""
    return text if "://" in text else str(home_path(text))


def path_option(*names: str, help: str) -> Any:
    """Return an option that is a path; all paths of the command line use this."""
    return typer.Option(*names, help=help, parser=home_path, metavar="PATH")


def path_argument(help: str, metavar: str | None = None) -> Any:
    """Return an argument that is a path; all paths of the command line use this."""
    return typer.Argument(help=help, parser=home_path, metavar=metavar)


Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout, and nothing else there.")]
Language = Annotated[
    str | None, typer.Option(help="en, pt or es; by default that of the environment (LC_ALL, LC_MESSAGES, LANG).")
]
Jobs = Annotated[int | None, typer.Option(help="Processes; by default one per core.")]
MoveLimit = Annotated[
    float | None, typer.Option(help="Seconds per decision before an agent forfeits, or inf.  [default: 30]")
]
Trust = Annotated[bool, typer.Option("--trust", help="Play agents of yours in the same process: faster, unprotected.")]
RuleOptions = Annotated[
    list[str] | None, typer.Option("--rule", "-r", help="A rule other than the default: target=12.")
]


def check_seed(seed: int | None) -> int | None:
    """Return a seed of the command line; raise `BadInput` if it is out of range."""
    if seed is not None and not 0 <= seed < 2**63:
        raise BadInput(f"a seed is a whole number from 0 to 2**63 - 1, not {seed}")
    return seed


def keep_stdout() -> None:
    """Reserve stdout for the output of the command: redirect all other writes to stderr.

    For commands that load agents, which may print when they are imported or play, here or in worker processes.
    """
    _redirect_stdout()


@cache
def _redirect_stdout() -> None:
    if sys.stdout is None or sys.stderr is None:  # closed by the parent process
        return
    sys.stdout.flush()
    out.file = open(os.dup(1), "w", buffering=1, encoding=sys.stdout.encoding, errors=sys.stdout.errors)  # noqa: SIM115, PTH123
    os.dup2(2, 1)
    sys.stdout = sys.stderr


def print_json(value: object) -> None:
    """Print one line of JSON."""
    print(json.dumps(value, ensure_ascii=False, default=str), file=out.file)


def answer(json: bool, facts: object, lines: Iterable[str], markup: bool = False) -> None:
    """Print facts as JSON, or lines for people."""
    if json:
        print_json(facts)
    else:
        for line in lines:
            out.print(line, markup=markup, soft_wrap=True)


def warn(sentence: str) -> None:
    """Print a notice on stderr."""
    notices.print(f"bolicho: {sentence}", markup=False, soft_wrap=True)


def print_line(line: str) -> None:
    """Print a line without markup and wrapping."""
    out.print(line, markup=False, soft_wrap=True)


def print_nothing(line: str) -> None:
    """Discard a line, for `--json`."""


def read_rules(options: list[str] | None) -> dict[str, Any]:
    """Parse rules such as `["target=12", "flor=false"]`."""
    from bolicho.agents.spec import parse_spec

    return parse_spec(f"rules({', '.join(options or [])})")[1]


def table_of(record: dict[str, Any]) -> "Table":
    """Return the table of a record; for a record of the web server check the deal first."""
    from bolicho.games.record import replay
    from bolicho.web.fair_deals import check_record, plain_record

    if "fair" not in record:
        return replay(record)
    check_record(record)
    return replay(plain_record(record))


def chosen_words(language: str | None) -> Catalogue:
    """Return the catalogue of the chosen language, or of the environment's language."""
    return catalogue(preferred(os.environ) if language is None else language)
