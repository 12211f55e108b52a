"""The command `bolicho upgrade`: databases, run folders, artifacts and records of older versions."""

from typing import Annotated

import typer

from bolicho.cli.shell import Json, answer, keep_stdout, table_of


def upgrade(
    places: Annotated[
        list[str],
        typer.Argument(
            help="A database (a file, or postgresql://...), a run folder, an artifact or a record.", metavar="PLACE..."
        ),
    ],
    json: Json = False,
) -> None:
    """Upgrade what an older version wrote, in place; a database in a file is copied first.  Stop its server before."""
    keep_stdout()
    from bolicho.arena.upgrade import upgrade as upgrade_place

    done = {place: upgrade_place(place, table_of) for place in places}
    answer(json, {"upgraded": done}, (f"{place}: {said}" for place, said in done.items()))
