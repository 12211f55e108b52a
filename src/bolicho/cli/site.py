"""The command `bolicho site`: tables without a server, as a folder of static files."""

from pathlib import Path
from typing import Annotated

import typer

from bolicho.cli.shell import Json, answer, keep_stdout, path_argument
from bolicho.errors import BadInput

site = typer.Typer(
    no_args_is_help=True,
    help="Tables without a server: static files for any host, that people play at in the browser, also offline.",
)


@site.callback()
def group() -> None:
    """Keep `build` a command of its own."""


@site.command()
def build(
    folder: Annotated[Path, path_argument(help="A new folder, or one with an earlier site.", metavar="FOLDER")],
    game: Annotated[
        list[str] | None,
        typer.Option(help="Only these games, by name or as module:KIND; by default all with a name."),
    ] = None,
    json: Json = False,
) -> None:
    """Write a site: `bolicho site build site`, then `python -m http.server -d site` to look at it.

    It has the games with the agents that compile to WebAssembly; the others stay with `bolicho serve`.
    """
    keep_stdout()
    from bolicho.games import game_names

    try:
        from bolicho.site import build as build_site
    except ImportError as problem:
        raise BadInput(f"a site needs two extras: pip install 'bolicho[wasm,web]' ({problem})") from None
    built = build_site(folder, game or game_names())
    facts = {"folder": str(folder), "files": len(built.files), "bytes": built.size, "absent": built.absent}
    lines = [f"{folder}: {len(built.files)} files, {built.size / 1e6:.1f} MB; look: python -m http.server -d {folder}"]
    if built.absent:
        lines.append(f"not in the browser, since they are written in plain Python: {', '.join(built.absent)}")
    answer(json, facts, lines)
