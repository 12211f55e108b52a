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


Folder = Annotated[Path, path_argument(help="A new folder, or one that an earlier call wrote.", metavar="FOLDER")]
Games = Annotated[
    list[str] | None,
    typer.Option("--game", help="Only these games, by name or as module:KIND; by default all with a name."),
]


@site.command()
def build(folder: Folder, game: Games = None, json: Json = False) -> None:
    """Write a site: `bolicho site build site`, then `python -m http.server -d site` to look at it.

    It has the games with the agents that compile to WebAssembly; the others stay with `bolicho serve`.
    """
    _write("build", folder, game, f"look: python -m http.server -d {folder}", json)


@site.command()
def package(folder: Folder, game: Games = None, json: Json = False) -> None:
    """Write a package for npm, with which pages and programs of your own play: `bolicho site package bolicho-npm`."""
    _write("package", folder, game, f"install: npm install {folder}", json)


def _write(what: str, folder: Path, games: list[str] | None, then: str, json: bool) -> None:
    keep_stdout()
    from bolicho.games import game_names

    try:
        from bolicho import site as sites
    except ImportError as problem:
        raise BadInput(f"a site needs two extras: pip install 'bolicho[wasm,web]' ({problem})") from None
    built = getattr(sites, what)(folder, games or game_names())
    facts = {"folder": str(folder), "files": len(built.files), "bytes": built.size, "absent": built.absent}
    lines = [f"{folder}: {len(built.files)} files, {built.size / 1e6:.1f} MB; {then}"]
    if built.absent:
        lines.append(f"not in the browser, since they are written in plain Python: {', '.join(built.absent)}")
    answer(json, facts, lines)
