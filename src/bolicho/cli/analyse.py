"""What every decision of a match cost."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from bolicho.cli.shell import Json, Language, chosen_words, keep_stdout, notices, print_json, print_line
from bolicho.errors import BadInput


def analyse(
    file: Annotated[
        Path, typer.Argument(help="A record of Truco, many as JSON lines, or a tournament's folder with --row.")
    ],
    by: Annotated[str, typer.Option(help="The agent whose strategy judges; one that tells its mixture.")] = "cfr",
    seat: Annotated[int | None, typer.Option(help="Only the decisions of this seat, 0 or 1.")] = None,
    row: Annotated[int | None, typer.Option(help="FILE is a tournament's folder: this game of it.")] = None,
    language: Language = None,
    json: Json = False,
) -> None:
    """Say what every decision of a match of Truco cost: `bolicho analyse match.json --by balanced --seat 0`.

    Each decision stands beside the mixture and the value of a strategy, in points of the hand, with all cards that the
    other may have held weighed by what it did; then the three biggest mistakes in words.
    """
    keep_stdout()
    from bolicho.agents.cfr.analyse import analyse as judge
    from bolicho.arena.terminal import names_of, records_of
    from bolicho.games.record import replay

    spoken = chosen_words(language)
    for number, record in enumerate(records_of(file, row), 1):
        try:
            table = replay(record)
            with _bar() as bar:
                found = judge(table, by, seat, progress=partial(_show, bar, bar.add_task("", total=None)))
        except BadInput as problem:
            raise BadInput(f"{file}, record {number}: {problem}") from None
        if json:
            print_json(found.as_json())
            continue
        names = names_of(table, spoken)
        for said in found.told():
            print_line(spoken.say(said, names))


def _bar() -> Progress:
    columns = (TextColumn("weighing decisions"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=notices, transient=True)


def _show(bar: Progress, task: TaskID, done: int, total: int) -> None:
    bar.update(task, completed=done, total=total)
