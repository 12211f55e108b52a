"""The command `bolicho analyse`: loss of every decision of a match."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bolicho.cli.shell import Json, Language, answer, chosen_words, keep_stdout, path_argument, table_of
from bolicho.errors import BadInput

if TYPE_CHECKING:
    from bolicho.agents.cfr.analyse import Analysis
    from bolicho.games.game import Table


def analyse(
    file: Annotated[
        Path, path_argument(help="A record of Truco, many as JSON lines, or a tournament's folder with --row.")
    ],
    by: Annotated[str, typer.Option(help="The agent whose strategy judges; it must report its mixture.")] = "cfr",
    seat: Annotated[int | None, typer.Option(help="Only the decisions of this seat, 0 or 1.")] = None,
    row: Annotated[int | None, typer.Option(help="FILE is a tournament's folder: this game of it.")] = None,
    language: Language = None,
    json: Json = False,
) -> None:
    """Print the cost of every decision of a match of Truco: `bolicho analyse match.json --by balanced --seat 0`.

    Each decision stands beside the mixture and the value of a strategy, in points of the hand, with all cards that the
    other may have held weighed by what it did; then the three biggest mistakes in words.
    """
    keep_stdout()
    from bolicho.arena.terminal import names_of, records_of

    spoken = chosen_words(language)
    for number, record in enumerate(records_of(file, row), 1):
        try:
            table = table_of(record)
            found = _judged(table, by, seat, not json)
        except BadInput as problem:
            raise BadInput(f"{file}, record {number}: {problem}") from None
        names = names_of(table, spoken)
        answer(json, found.as_json(), (spoken.say(said, names) for said in found.told()))


def _judged(table: "Table", by: str, seat: int | None, show: bool) -> "Analysis":
    """Analyse a table, with a progress bar."""
    from bolicho.agents.cfr.analyse import analyse, choices_of
    from bolicho.progress import progress

    with progress(by, choices_of(table, seat), "decisions", show=show) as bar:
        return analyse(table, by, seat, advance=bar.update)
