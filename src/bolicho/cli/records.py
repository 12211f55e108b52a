"""The command `bolicho records`: finished matches of the web server as a file."""

from pathlib import Path
from typing import Annotated

import typer

from bolicho.cli.shell import Json, answer, keep_stdout, path_option
from bolicho.cli.token import DATABASE, Database
from bolicho.errors import BadInput


def records(
    file: Annotated[Path, path_option("--out", help="Where they go.")] = Path("exports/matches.jsonl"),
    game: Annotated[str | None, typer.Option(help="Only matches of this game; by default of all.")] = None,
    database: Database = DATABASE,
    json: Json = False,
) -> None:
    """Write all finished matches of a database as records, a line of JSON each, for `bolicho replay`.

    Matches of which not everybody agreed to show all cards after the end are left out, and so are those of
    studies (`bolicho study export`).  People are called `human`, whatever names they gave.
    """
    keep_stdout()
    from bolicho.games import kind
    from bolicho.store.database import open_database, snapshot
    from bolicho.store.finished import write_records

    if game is not None:
        kind(game)  # raises `BadInput` for an unknown game
    if "://" not in database and not Path(database).exists():
        raise BadInput(f"there is no database {database!r}; name the file or the address that the server uses")
    with snapshot(open_database(database)) as connection:
        counts = write_records(connection, file, game)
    line = (
        f"matches: {counts['open']}; left out: {counts['unfinished']} not finished, "
        f"{counts['closed']} not to be shown, {counts['study']} of studies"
    )
    answer(json, {"records": str(file), "matches": counts}, [line, f"records: {file}"])
