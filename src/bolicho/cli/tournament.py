"""The command `bolicho tournament`."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bolicho.cli.shell import (
    Jobs,
    Json,
    MoveLimit,
    RuleOptions,
    Trust,
    answer,
    keep_stdout,
    out,
    path_option,
    print_json,
    read_rules,
)
from bolicho.errors import BadInput

if TYPE_CHECKING:
    from bolicho.arena.experiment import Experiment


def tournament(
    game: Annotated[str | None, typer.Argument(help="truco, ...")] = None,
    players: Annotated[list[str] | None, typer.Argument(help="Two agents or more.", metavar="AGENT...")] = None,
    duplicates: Annotated[
        int | None, typer.Option(help="Deals per pairing; each is played from every seat.  [default: 100]")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(help="Seed of every deal and every choice.  [default: 1, or drawn if an agent of yours plays]"),
    ] = None,
    jobs: Jobs = None,
    folder: Annotated[Path | None, path_option("--out", help="Folder of the results; resumes a run there.")] = None,
    config: Annotated[
        Path | None,
        path_option(help="A TOML file with the experiment, instead of these arguments."),
    ] = None,
    rule: RuleOptions = None,
    move_limit: MoveLimit = None,
    trust: Trust = False,
    shard: Annotated[
        str | None, typer.Option(help="Play only shard K of N (written K/N), into a folder common to all shards.")
    ] = None,
    cluster: Annotated[str | None, typer.Option(help="Play on the workers of this Dask scheduler.")] = None,
    json: Json = False,
) -> None:
    """Play a tournament: duplicate deals, all against all, 95% intervals, an HTML report.

    Without GAME the run in the folder of `--out` is finished, or extended to `--duplicates` deals per pairing.
    """
    keep_stdout()
    from bolicho.arena.console import show
    from bolicho.arena.experiment import Experiment
    from bolicho.arena.run import run, run_shard

    given: dict[str, Any] = {
        "game": game,
        "agents": players or None,
        "duplicates": duplicates,
        "seed": seed,
        "rules": read_rules(rule) or None,
        "move_limit": move_limit,
        "trust": trust or None,
    }
    given = {
        name: value for name, value in given.items() if value is not None
    }  # the others keep the defaults of `Experiment`
    if config is not None:
        if given:
            raise BadInput(f"--config defines the tournament: leave out {', '.join(given)}, or write it into {config}")
        experiment = Experiment.read(config)
    elif game is None:
        experiment = experiment_of(folder, given)
    else:
        experiment = Experiment(**{"agents": (), **given})
    if len(experiment.agents) < 2:
        raise BadInput(f"a tournament needs two agents or more; {', '.join(experiment.agents)} has no opponent")
    folder = folder or Path("runs") / f"{experiment.game}-{experiment.hash}"
    if cluster is not None and (shard is not None or jobs is not None):
        raise BadInput("--cluster plays on remote workers: leave out --shard and --jobs")
    finished = (
        run(experiment, folder, jobs, cluster=cluster)
        if shard is None
        else run_shard(experiment, folder, *read_shard(shard), jobs)
    )
    if finished is None:
        said = f"shard {shard} is in {str(folder)!r}; the last shard merges all, or the command without --shard"
        answer(json, {"shard": shard, "out": str(folder)}, [said])
    elif json:
        print_json(finished.result)
    else:
        show(finished, out)


def experiment_of(folder: Path | None, given: dict[str, Any]) -> "Experiment":
    """Return the experiment of a run's folder, with another number of deals if one is given."""
    from bolicho.arena.rows import begun_in

    if folder is None:
        raise BadInput("name a game and its agents, or give a file: bolicho tournament --config FILE.toml")
    begun = begun_in(folder)
    if begun is None:
        raise BadInput(f"{str(folder)!r} holds no run to extend; name a game and its agents to begin one there")
    if others := [name for name in given if name != "duplicates"]:
        raise BadInput(f"the run in {str(folder)!r} defines the tournament: leave out {', '.join(others)}")
    return replace(begun, **given)


def read_shard(text: str) -> tuple[int, int]:
    """Parse a shard: `3/8` is (3, 8)."""
    number, slash, count = text.partition("/")
    if not (slash and number.isdecimal() and count.isdecimal() and len(text) < 20):
        raise BadInput(f"a shard is written K/N, as in 3/8, not {text!r}")
    return int(number), int(count)
