"""The command line, a thin layer over the library.

`--json` prints one JSON object on stdout and nothing else; progress and notices go to stderr.  Bad input ends with
exit code 2 and one sentence.
"""

import os
import sys
from collections.abc import Callable
from typing import Annotated, Any, NoReturn

import typer

from bolicho.cli.analyse import analyse
from bolicho.cli.database import records, token, upgrade
from bolicho.cli.dataset import dataset
from bolicho.cli.exploit import exploit
from bolicho.cli.lab import bench, demo, lab
from bolicho.cli.match import match
from bolicho.cli.mcp import mcp
from bolicho.cli.shell import Json, answer, keep_stdout, notices, out, print_json, warn
from bolicho.cli.simulate import simulate
from bolicho.cli.site import site
from bolicho.cli.study import study as people
from bolicho.cli.table import ask, play, replay, serve, verify
from bolicho.cli.tournament import tournament
from bolicho.cli.train import artifacts, train, warm
from bolicho.errors import BadInput, one_line

app = typer.Typer(
    name="bolicho",
    help="A lab for agents that play partial-information table games.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)


def _version(asked: bool) -> None:
    if asked:
        from bolicho import __version__

        out.print(f"bolicho {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Options that need no command."""


def main() -> None:
    """Run the command line; print one sentence and exit with code 2 for errors that the user can fix."""
    append_current_folder()
    try:
        code = app(standalone_mode=False)  # a command that is interrupted returns its exit code
        sys.stdout.flush()
    except BadInput as problem:
        refuse(str(problem))
    except OSError as problem:
        let_go_of_stdout()
        if isinstance(problem, BrokenPipeError):  # the reader of the output has closed the pipe
            sys.exit(141)
        refuse(f"cannot continue with {str(problem.filename or 'the output')!r}: {problem.strerror or problem}")
    except KeyboardInterrupt:
        notices.print("bolicho: stopped")
        sys.exit(130)
    except typer.Exit as stop:
        sys.exit(stop.exit_code)
    except Exception as problem:
        show = getattr(problem, "show", None)  # errors of bad usage in Click have `show`
        if type(problem).__name__ == "IOException":  # DuckDB's error for a full disk
            refuse(str(problem))
        if show is None:
            raise
        show()
        sys.exit(2)
    sys.exit(code if isinstance(code, int) else 0)


def refuse(sentence: str) -> NoReturn:
    """Print an error, and exit with code 2."""
    warn(one_line(sentence))
    sys.exit(2)


def let_go_of_stdout() -> None:
    """Drop stdout if it cannot be written, so that Python does not try again at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        sys.stdout = None


def append_current_folder() -> None:
    """Append the current folder to the import path, for agents given as module:Class.

    A file `random.py` there shadows no installed module, neither here nor in worker processes, which Python would
    otherwise start with that folder first on the path.
    """
    sys.path.append("")
    os.environ["PYTHONSAFEPATH"] = "1"


@app.command()
def games(json: Json = False) -> None:
    """List the games and their variable rules."""
    import dataclasses

    from bolicho.games import game_names, kind

    kinds = [kind(name) for name in game_names()]
    facts: list[dict[str, Any]] = [
        {"name": k.name, "title": k.title, "seats": k.seats(k.rules()), "rules": dataclasses.asdict(k.rules())}
        for k in kinds
    ]
    written = ("  ".join(f"{name}={value}" for name, value in fact["rules"].items()) for fact in facts)
    lines = (
        f"[bold]{fact['name']}[/]  {fact['title']}\n[dim]    rules: {rules}[/]"
        for fact, rules in zip(facts, written, strict=True)
    )
    answer(json, {"games": facts}, lines, markup=True)


@app.command()
def agents(
    game: Annotated[str | None, typer.Argument(help="Only agents that play this game.")] = None, json: Json = False
) -> None:
    """List the agents with their descriptions and options."""
    keep_stdout()
    from bolicho.agents.registry import entries
    from bolicho.arena.terminal import agents_listed
    from bolicho.games import kind

    if game is not None:
        kind(game)  # raises `BadInput` for an unknown game
    found = [e for e in entries() if game is None or e.broken or e.plays(game)]
    if json:
        facts = ("name", "about", "games", "options", "oracle")
        print_json({"agents": [{fact: getattr(e, fact) for fact in facts} for e in found]})
        return
    out.print(agents_listed(found, out.width))


COMMANDS: list[Callable[..., None]] = [
    *(play, serve, mcp, replay, ask, verify, tournament, match, exploit, analyse, train, artifacts),
    *(demo, bench, dataset, warm, records, upgrade, simulate),
]
for command in COMMANDS:
    app.command()(command)
for name, group in {"lab": lab, "study": people, "site": site, "token": token}.items():
    app.add_typer(group, name=name)
