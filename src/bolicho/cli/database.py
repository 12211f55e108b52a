"""Commands on the database of a server: token, records, upgrade."""

from pathlib import Path
from typing import Annotated

import typer

from bolicho.cli.shell import Json, answer, home_address, keep_stdout, out, path_option, table_of
from bolicho.errors import BadInput

token = typer.Typer(no_args_is_help=True, help="Personal tokens for bots and researchers.")
Database = Annotated[
    str, typer.Option(help="File or address of the server's database.", parser=home_address, metavar="TEXT")
]
DATABASE = "runs/matches.db"
Name = Annotated[str, typer.Argument(help="Name of the owner.")]


@token.command()
def new(
    name: Name,
    scope: Annotated[list[str], typer.Option(help="bot: play by program; research: studies and tournaments.")],
    database: Database = DATABASE,
    json: Json = False,
) -> None:
    """Create a token, which is shown once."""
    keep_stdout()
    from bolicho.store.database import open_database
    from bolicho.store.tokens import new_token

    with open_database(database).begin() as connection:
        made = new_token(connection, name, scope)
    answer(json, {"name": name, "token": made, "scopes": scope}, [made])


@token.command("list")
def list_all(database: Database = DATABASE, json: Json = False) -> None:
    """List the tokens: names and scopes."""
    keep_stdout()
    from bolicho.store.database import open_database
    from bolicho.store.tokens import holders

    with open_database(database).begin() as connection:
        found = [{"name": one.name, "scopes": sorted(one.scopes)} for one in holders(connection)]
    answer(json, {"tokens": found}, (f"{one['name']}: {', '.join(one['scopes'])}" for one in found))


@token.command()
def revoke(name: Name, database: Database = DATABASE) -> None:
    """Revoke a token."""
    keep_stdout()
    from bolicho.store import tokens
    from bolicho.store.database import open_database

    with open_database(database).begin() as connection:
        tokens.revoke(connection, name)
    out.print(f"the token of {name} is revoked", markup=False)


def records(
    file: Annotated[Path, path_option("--out", help="The file to write.")] = Path("exports/matches.jsonl"),
    game: Annotated[str | None, typer.Option(help="Only matches of this game; by default all.")] = None,
    database: Database = DATABASE,
    json: Json = False,
) -> None:
    """Write all finished matches of a database as records, one JSON line each, for `bolicho replay`.

    Matches are left out if a player has not agreed to show all cards after the end, or if they belong to a study
    (`bolicho study export`). People are called `human`.
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
        f"{counts['closed']} not released, {counts['study']} of studies"
    )
    answer(json, {"records": str(file), "matches": counts}, [line, f"records: {file}"])


def upgrade(
    places: Annotated[
        list[str],
        typer.Argument(
            help="A database (a file, or postgresql://...), a run folder, an artifact or a record.", metavar="PLACE..."
        ),
    ],
    json: Json = False,
) -> None:
    """Upgrade files of older versions in place; a database in a file is copied first.  Stop its server before."""
    keep_stdout()
    from bolicho.arena.upgrade import upgrade as upgrade_place

    done = {place: upgrade_place(place, table_of) for place in places}
    answer(json, {"upgraded": done}, (f"{place}: {said}" for place, said in done.items()))
