"""Pairs of dominoes agents on mirrored deals, and their rate of points."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bolicho.arena.experiment import Experiment
from bolicho.arena.rows import Games, read_games
from bolicho.arena.run import Run
from bolicho.arena.summary import pair_rates
from bolicho.lab.dominoes.published import Pair
from bolicho.lab.study import Cell, Effort, Measured, Table
from bolicho.stats import ratio

DEALS = 500  # deals of a pair in a full run: 1,000 games, as published
QUICK_DEALS = 8

MIRRORED = "Every deal is played twice, seats exchanged; intervals are 95%, from deal to deal."


@dataclass(frozen=True)
class Meeting:
    """Result of one agent against another."""

    one: str
    other: str
    points: Measured  # the rate of points
    won: Measured  # the share of games


def points_rate(games: Games, pairing: int, published: float | None = None) -> Measured:
    """Return the rate of points of the first agent of a pairing, with an interval over deals.

    It is a ratio of sums, so a deal with many points weighs more, as in the published rate.
    """
    scores = games.scores[pairing]  # (deal, rotation, seat)
    first = games.seated[pairing] == games.seated[pairing][0, 0]  # (rotation, seat)
    found = ratio((scores * first).sum(axis=(1, 2)), scores.sum(axis=(1, 2)))
    return Measured(found.within_one(), published, percent=True)


def meetings(run: Run, published: Mapping[Pair, float], names: Mapping[str, str]) -> list[Meeting]:
    """Return the result of every pair; `names` maps specs to the names in `published` where these differ."""
    games = read_games(run.folder, run.experiment)
    agents = [names.get(spec, spec) for spec in run.experiment.agents]
    won = pair_rates(run.result)
    found = []
    for number, (one, other) in enumerate(run.experiment.pairings()):
        pair = agents[one], agents[other]
        rate = won[run.experiment.agents[one], run.experiment.agents[other]]
        found.append(Meeting(*pair, points_rate(games, number, published.get(pair)), Measured(rate, percent=True)))
    return found


def meet(
    effort: Effort,
    name: str,
    game: str,
    agents: Sequence[str],
    published: Mapping[Pair, float],
    deals: int,
    names: Mapping[str, str] | None = None,
) -> list[Meeting]:
    """Play all pairs of agents on mirrored deals; finished games are read from the folder, not played again."""
    experiment = Experiment(game, agents, duplicates=deals, seed=effort.seed, move_limit=None)
    spelt = dict(zip(experiment.agents, agents, strict=True))
    called = {spec: (names or {}).get(given, given) for spec, given in spelt.items()}
    return meetings(effort.play(experiment, f"{game}-{name}"), published, called)


def meeting_table(title: str, found: Sequence[Meeting], note: str) -> Table:
    """Tabulate every pair, the published rate beside the measured one."""
    rows: list[list[Cell]] = [[m.one, m.other, m.points, m.won] for m in found]
    return Table(title, ["agent", "against", "rate of points", "games won"], rows, note)


def differences(found: Sequence[Meeting]) -> str:
    """Describe in a sentence the published rates that lie outside our intervals."""
    apart = [
        f"{m.one} against {m.other} {100 * m.points.estimate.value:.1f}% instead of {100 * m.points.published:.0f}%"
        for m in found
        if m.points.agrees is False and m.points.published is not None
    ]
    compared = [m for m in found if m.points.published is not None]
    if not apart:
        return f"All {len(compared)} published rates lie in our intervals."
    return f"{len(compared) - len(apart)} of {len(compared)} published rates lie in our intervals; not so: " + (
        "; ".join(apart) + "."
    )
