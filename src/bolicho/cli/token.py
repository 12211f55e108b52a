"""The commands `bolicho token`: access tokens of bots and researchers."""

from typing import Annotated

import typer

from bolicho.cli.shell import Json, answer, home_address, keep_stdout, out

token = typer.Typer(no_args_is_help=True, help="Personal tokens for bots and researchers.")
Database = Annotated[
    str, typer.Option(help="The file or address that the server uses.", parser=home_address, metavar="TEXT")
]
DATABASE = "runs/matches.db"
Name = Annotated[str, typer.Argument(help="Whose token it is.")]


@token.command()
def new(
    name: Name,
    scope: Annotated[list[str], typer.Option(help="bot: play by program; research: studies and tournaments.")],
    database: Database = DATABASE,
    json: Json = False,
) -> None:
    """Make a token; it is shown once."""
    keep_stdout()
    from bolicho.store.database import open_database
    from bolicho.store.tokens import new_token

    with open_database(database).begin() as connection:
        made = new_token(connection, name, scope)
    answer(json, {"name": name, "token": made, "scopes": scope}, [made])


@token.command("list")
def list_all(database: Database = DATABASE, json: Json = False) -> None:
    """Who has a token, and for what."""
    keep_stdout()
    from bolicho.store.database import open_database
    from bolicho.store.tokens import holders

    with open_database(database).begin() as connection:
        found = [{"name": one.name, "scopes": sorted(one.scopes)} for one in holders(connection)]
    answer(json, {"tokens": found}, (f"{one['name']}: {', '.join(one['scopes'])}" for one in found))


@token.command()
def revoke(name: Name, database: Database = DATABASE) -> None:
    """Take a token back."""
    keep_stdout()
    from bolicho.store import tokens
    from bolicho.store.database import open_database

    with open_database(database).begin() as connection:
        tokens.revoke(connection, name)
    out.print(f"{name} has no token any more", markup=False)
