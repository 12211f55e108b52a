"""The command `bolicho dataset`: decisions of agents' games with solved values."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from bolicho.cli.shell import Json, RuleOptions, answer, check_seed, keep_stdout, path_option, read_rules


def dataset(
    game: Annotated[str, typer.Argument(help="The game.")],
    agents: Annotated[list[str], typer.Argument(help="An agent for each seat.", metavar="AGENT...")],
    deals: Annotated[int, typer.Option(help="Deals; each is played in every rotation of the agents.", min=1)] = 100,
    folder: Annotated[Path, path_option("--out", help="The folder.")] = Path("runs/dataset"),
    by: Annotated[
        str | None, typer.Option(help="Strategy whose mixtures and values are added, such as cfr; slow.")
    ] = None,
    rule: RuleOptions = None,
    seed: Annotated[int, typer.Option(help="Seed of the deals and the agents.", callback=check_seed)] = 1,
    views: Annotated[bool, typer.Option("--views/--no-views", help="Views as JSON, the largest column.")] = True,
    lines: Annotated[bool, typer.Option("--lines", help="Also write the decisions as JSON lines.")] = False,
    licence: Annotated[str, typer.Option(help="SPDX name of a licence for data.")] = "CC-BY-4.0",
    json: Json = False,
) -> None:
    """Write a dataset of decisions, for imitation and language models: views, choices, and solved values.

    `bolicho dataset truco balanced bluffer --rule hands=1 --deals 100 --by cfr --out truco-decisions`
    """
    keep_stdout()
    from bolicho.arena.dataset import Wanted, write_dataset
    from bolicho.games import game as find_game
    from bolicho.progress import progress

    found = find_game(game, **read_rules(rule))
    command = shlex.join(["bolicho", *sys.argv[1:]])
    wanted = Wanted(deals, seed, by, views, lines, licence)
    with progress("dataset", deals * found.seats, "games", show=not json) as bar:
        facts = write_dataset(found, agents, wanted, folder, command, bar.update)
    told = [f"games: {facts['games']}", f"decisions: {facts['decisions']}", f"dataset: {folder}"]
    answer(json, {**facts, "folder": str(folder)}, told)
