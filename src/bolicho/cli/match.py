"""The command `bolicho match`: two agents, with an optional sequential test."""

from pathlib import Path
from typing import Annotated, Any

import typer

from bolicho.cli.shell import (
    Jobs,
    Json,
    MoveLimit,
    RuleOptions,
    Trust,
    keep_stdout,
    path_option,
    print_json,
    print_line,
    read_rules,
)
from bolicho.errors import BadInput

PAIRS, MOST_PAIRS = 1000, 100_000  # defaults: without a test, and the most with one
ELO0, ELO1, PAYOFF0, ALPHA, BETA = 0.0, 10.0, 0.0, 0.05, 0.05


def match(
    game: Annotated[str, typer.Argument(help="truco, ...")],
    players: Annotated[list[str], typer.Argument(help="Two agents; the test is about the first.", metavar="AGENT...")],
    sprt: Annotated[bool, typer.Option("--sprt", help="Stop as soon as the test is decided.")] = False,
    elo0: Annotated[float | None, typer.Option(help="H0: at most this many Elo better.  [default: 0]")] = None,
    elo1: Annotated[float | None, typer.Option(help="H1: at least this many Elo better.  [default: 10]")] = None,
    payoff0: Annotated[
        float | None, typer.Option(help="H0 in mean payoff, for games with stakes.  [default: 0]")
    ] = None,
    payoff1: Annotated[float | None, typer.Option(help="H1 in mean payoff; replaces the test of Elo.")] = None,
    alpha: Annotated[float | None, typer.Option(help="Probability of accepting H1 wrongly.  [default: 0.05]")] = None,
    beta: Annotated[float | None, typer.Option(help="Probability of accepting H0 wrongly.  [default: 0.05]")] = None,
    pairs: Annotated[
        int | None,
        typer.Option(help="Deals, each played from every seat.  [default: 1000; with --sprt at most 100000]"),
    ] = None,
    gauntlet: Annotated[bool, typer.Option("--gauntlet", help="Play the first against each of the others.")] = False,
    seed: Annotated[
        int | None, typer.Option(help="Seed of every deal and every choice.  [default: as in a tournament]")
    ] = None,
    jobs: Jobs = None,
    folder: Annotated[Path | None, path_option("--out", help="Folder of the games; resumes a match there.")] = None,
    rule: RuleOptions = None,
    move_limit: MoveLimit = None,
    trust: Trust = False,
    json: Json = False,
) -> None:
    """Test whether one agent is better than another: `bolicho match truco balanced novice --sprt`.

    Plays mirrored pairs of games; reports Elo with its interval and the likelihood of superiority. With `--sprt` a
    sequential test stops as soon as it is decided.
    """
    keep_stdout()
    from bolicho.arena.console import match_lines
    from bolicho.arena.experiment import Experiment
    from bolicho.arena.match import play_match

    hero, *others = players
    if not others or (len(others) > 1 and not gauntlet):
        raise BadInput(
            f"a match needs two agents, not {len(players)}; --gauntlet plays the first against each of the others"
        )
    if not sprt and any(given is not None for given in (elo0, elo1, payoff0, payoff1, alpha, beta)):
        raise BadInput("bounds, alpha and beta belong to a sequential test: add --sprt")
    bounds, by = read_bounds(elo0, elo1, payoff0, payoff1, alpha, beta) if sprt else (None, "elo")
    given: dict[str, Any] = {
        "duplicates": pairs if pairs is not None else MOST_PAIRS if sprt else PAIRS,
        "seed": seed,
        "rules": read_rules(rule) or None,
        "move_limit": move_limit,
        "trust": trust or None,
    }
    given = {name: value for name, value in given.items() if value is not None}
    experiments = [
        Experiment(game, (hero, other), **given) for other in others
    ]  # errors in any of them come before the first game
    answers = []
    for number, experiment in enumerate(experiments, 1):
        place = folder / f"{number}" if folder is not None and gauntlet else folder
        answers.append(play_match(experiment, bounds, by, out=place, jobs=jobs))
        if not json:
            for line in match_lines(answers[-1]):
                print_line(line)
    if json:
        print_json({"matches": answers} if gauntlet else answers[0])


def read_bounds(
    elo0: float | None,
    elo1: float | None,
    payoff0: float | None,
    payoff1: float | None,
    alpha: float | None,
    beta: float | None,
) -> tuple[Any, str]:
    """Return the bounds of a test and its measure (Elo or payoff)."""
    from bolicho.arena.match import ELO, PAYOFF, elo_bounds
    from bolicho.arena.sequential import Bounds

    errors = (ALPHA if alpha is None else alpha, BETA if beta is None else beta)
    if payoff0 is None and payoff1 is None:
        return elo_bounds(ELO0 if elo0 is None else elo0, ELO1 if elo1 is None else elo1, *errors), ELO
    if elo0 is not None or elo1 is not None:
        raise BadInput("a test is of Elo or of payoff: give --elo0 and --elo1, or --payoff0 and --payoff1")
    if payoff1 is None:
        raise BadInput("a test of payoff needs --payoff1, the smallest difference per game to detect")
    return Bounds(PAYOFF0 if payoff0 is None else payoff0, payoff1, *errors), PAYOFF
