"""Commands on trained agents: train, artifacts, warm."""

import re
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from bolicho.cli.shell import Json, answer, check_seed, keep_stdout, path_option, read_rules, warn
from bolicho.errors import BadInput


def train(
    agent: Annotated[str | None, typer.Argument(help="The agent to train; by default list all trainings.")] = None,
    words: Annotated[
        list[str] | None,
        typer.Argument(help="The game, then options such as games=20000.", metavar="[GAME] OPTION=VALUE"),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the training.", callback=check_seed)] = 1,
    file: Annotated[Path | None, path_option("--out", help="File to write; resumes a training.")] = None,
    json: Json = False,
) -> None:
    """Train an agent for a game: `bolicho train sarsa dominoes games=20000 --seed 1`."""
    from bolicho.agents import training

    if agent is None:
        found = training.trainings()
        each_options = [training.options_of(one.name) for one in found]
        rows = [
            {"name": one.training.name, "game": one.game, "about": one.training.about, "options": options}
            for one, options in zip(found, each_options, strict=True)
        ]
        written = (escape(" ".join(f"{name}={value}" for name, value in each.items())) for each in each_options)
        lines = [
            f"[bold]{one.name}[/]  {one.training.about}  [dim]{words}[/]"
            for one, words in zip(found, written, strict=True)
        ]
        answer(json, {"trainings": rows}, lines, markup=True)
        return
    games, options = split_game(words or [])
    chosen = training.find(" ".join([agent, *games]))
    if chosen.training.name != agent or any(word.startswith("game=") for word in words or []):
        now = training.command(chosen.name, seed, read_rules(options))
        warn(f"this form is deprecated; write `{now}`")
    made = Path("artifacts") / (chosen.artifact + chosen.training.ending) if file is None else file
    facts = training.train(chosen.name, made, seed, read_rules(options))
    play = training.how_to_play(chosen.name, made)
    lines = [f"{name}: {value}" for name, value in {**facts, "artifact": made, "play": play}.items() if value != ""]
    answer(json, {"artifact": str(made), **facts, "play": play}, lines)


def split_game(words: list[str]) -> tuple[list[str], list[str]]:
    """Return the game and the options among the words after an agent; version 0.3 wrote the game as `game=NAME`."""
    games = [word for word in words if not re.match(r"\w+=", word)]
    games += [word.removeprefix("game=") for word in words if word.startswith("game=")]
    if len(games) > 1:
        raise BadInput(f"one game is trained, not {len(games)}: {', '.join(games)}")
    return games, [word for word in words if re.match(r"(?!game=)\w+=", word)]


def artifacts(json: Json = False) -> None:
    """List the trained files: name, place, game, rules, and the command that made each."""
    from bolicho.store.artifact_search import found_artifacts

    rows = found_artifacts()
    lines = []
    for row in rows:
        told = " ".join(f"{row[key]}" for key in ("game", "rules", "command") if row[key])
        lines += [f"[bold]{row['name']}[/]  {escape(str(row['file']))}", f"  {escape(told)}"]
    answer(json, {"artifacts": rows}, lines, markup=True)


def warm(
    names: Annotated[list[str] | None, typer.Argument(help="truco, ...; all by default.", metavar="GAME...")] = None,
) -> None:
    """Compile the games, tournaments and built-in agents now, so that the first games need not wait."""
    keep_stdout()
    from bolicho.arena.warm import built_in_agents
    from bolicho.arena.warm import warm as warm_games
    from bolicho.games import BUILT_IN

    warm_games({name: built_in_agents(name) for name in names or BUILT_IN})
