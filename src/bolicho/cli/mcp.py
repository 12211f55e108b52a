"""Command on the tool server: mcp."""

from pathlib import Path
from typing import Annotated

import typer

from bolicho.cli.shell import home_address, keep_stdout, notices, path_option
from bolicho.errors import BadInput


def mcp(
    http: Annotated[
        bool, typer.Option("--http", help="Serve streamable HTTP for holders of tokens; by default stdio.")
    ] = False,
    host: Annotated[str, typer.Option(help="Address to listen at, with --http.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port; 0 takes a free one.", min=0, max=65535)] = 8001,
    database: Annotated[
        str,
        typer.Option(help="File or address of the database with the tokens.", parser=home_address, metavar="TEXT"),
    ] = "runs/matches.db",
    thinkers: Annotated[int, typer.Option(help="Worker processes for slow agents.", min=1)] = 1,
    runs: Annotated[Path, path_option(help="Folder of the tournaments, old and new.")] = Path("runs"),
) -> None:
    """Offer the games as tools to a language model (Model Context Protocol; extra `mcp`).

    Over stdio a client starts this command. With --http clients send a token of `bolicho token new NAME --scope bot`.
    """
    try:
        from bolicho.web.tools import serve
    except ImportError as problem:
        raise BadInput(f"the tool server needs an extra: pip install 'bolicho[mcp]' ({problem})") from None
    if not http:
        serve.over_stdio(runs, thinkers)
        return
    keep_stdout()
    serve.over_http(host, port, database, runs, thinkers, lambda url: notices.print(f"tools at {url}", markup=False))
