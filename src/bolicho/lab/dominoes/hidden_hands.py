"""Dominoes as it is played, everybody against everybody: tables 2 and 3 of Pinto 2018."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from matplotlib.figure import Figure as Plot

from bolicho.agents.agent import Agent, Choice
from bolicho.agents.rules.dominoes.agent import weight
from bolicho.arena.page import LOSE, SERIES, SOFT, plot_style
from bolicho.games.game import View
from bolicho.lab.dominoes.meetings import DEALS, MIRRORED, QUICK_DEALS, Meeting, differences, meet, meeting_table
from bolicho.lab.dominoes.published import (
    INNER,
    ITERATIONS_A_SECOND,
    NODES_A_SECOND,
    PI_SECONDS,
    PLAIN,
    ROUND_ROBINS,
    SLOW,
    WORLD_SECONDS,
)
from bolicho.lab.study import Effort, Figure, Findings

SEARCHED, TIMED_PIMC, SLOW_PIMC, SLOW_PI = "pimc, searching", "pimc, 0.007 s a world", "pimc" + SLOW, "pi" + SLOW
"""Beside `pimc` and `pi`, which solve: a short search in each world, the published search at the published time, and
both players slowed down.  What stands before the comma is who they are in the published tables."""

ANY_DOUBLE = "rule, any double"
TIMED_PIMC_DEALS = 50  # a game takes five seconds

SLOWED = (
    f"pimc and pi solve.  {SEARCHED}: a moment in each world (200 iterations of a tree, or 1,000 nodes of alpha-beta "
    f"with a table).  {TIMED_PIMC}: the published search at the published time, on this machine.  {SLOW_PIMC}, and "
    f"{SLOW_PI}: the same by a program of {NODES_A_SECOND:,} nodes or {ITERATIONS_A_SECOND:,} iterations a second, "
    f"the oracle with {PI_SECONDS:g} second a move."
)


def run_draw(effort: Effort) -> Findings:
    """Table 2: draw dominoes, everybody against everybody."""
    found = [*round_robin(effort, "dominoes"), *as_published(effort, "dominoes"), *any_double(effort)]
    return Findings(
        tables=[meeting_table("Draw dominoes", found, MIRRORED)],
        figures=[compared_figure("table-2", found)],
        notes=[
            differences(found),
            SLOWED,
            f"{ANY_DOUBLE}: the document takes the first double in the hand; here any is as likely as another, and any "
            "side.  The document does not say who opens, nor whether deals were mirrored; 1,000 games leave a rate "
            "near a half uncertain by about four points.",
        ],
    )


def run_fives(effort: Effort) -> Findings:
    """Table 3: all fives, everybody against everybody."""
    found = [*round_robin(effort, "fives"), *as_published(effort, "fives")]
    return Findings(
        tables=[meeting_table("All fives", found, MIRRORED)],
        figures=[compared_figure("table-3", found)],
        notes=[
            differences(found),
            SLOWED,
            "Both sides score all the time, so rates of points are nearer to a half than the share of games won.  The "
            "document leaves open how the spinner counts and what is rounded; 1,000 games leave a rate uncertain by "
            "between one and two points.",
        ],
    )


def compared_figure(name: str, found: Sequence[Meeting]) -> Figure:
    """Measured rates with their intervals, the published ones as rings."""
    with plot_style():
        plot = Plot(figsize=(9.6, 0.9 + 0.3 * len(found)))
        axes = plot.add_subplot()
        for y, m in enumerate(found):
            rate, published = m.points.estimate, m.points.published
            axes.plot([rate.low, rate.high], [y, y], color=SERIES[0], linewidth=3, alpha=0.5)
            axes.plot([rate.value], [y], "o", color=SERIES[0], label="measured" if y == 0 else None)
            if published is not None:
                axes.plot([published], [y], "o", mfc="none", mec=LOSE, ms=10)
        axes.plot([], [], "o", mfc="none", mec=LOSE, ms=10, label="published")
        axes.axvline(0.5, color=SOFT, linewidth=1, linestyle=(0, (2, 3)))
        axes.set_yticks(range(len(found)), [f"{m.one} against {m.other}" for m in found])
        axes.invert_yaxis()
        axes.grid(axis="y", visible=False)
        axes.xaxis.set_major_formatter(lambda x, _: f"{100 * x:.0f}%")
        axes.set_xlabel("rate of points")
        plot.legend(loc="outside upper right", ncols=2)
    return Figure(name, plot, "Rates of points: measured with 95% intervals, and published.")


def tournament(effort: Effort, name: str, game: str, players: Mapping[str, str], deals: int) -> list[Meeting]:
    """Players, named and given by their specs, meet; each with the published rates of the player it stands for."""
    rates = ROUND_ROBINS[game]
    stands_for = {player: player.partition(", ")[0] for player in players}
    published = {
        (one, other): rates[stands_for[one], stands_for[other]]
        for one, other in combinations(players, 2)
        if (stands_for[one], stands_for[other]) in rates
    }
    names = {spec: player for player, spec in players.items()}
    return meet(effort, name, game, list(players.values()), published, deals, names)


WEAKER = {name: name for name in ("sarsa", "rule", "random")}


def round_robin(effort: Effort, game: str) -> list[Meeting]:
    """Everybody against everybody, PIMC twice: with a short search in each world, and solving it."""
    worlds = worlds_of(effort)
    pimc = {"pimc": f"pimc(worlds={worlds})", SEARCHED: f"pimc(inner={INNER[game]}, worlds={worlds})"}
    deals = effort.pick(quick=QUICK_DEALS, full=DEALS)
    return tournament(effort, "round-robin", game, {"pi": "pi", **pimc, **WEAKER}, deals)


def as_published(effort: Effort, game: str) -> list[Meeting]:
    """PIMC with the published search at the published time; then it and the oracle as slow as they may have been."""
    worlds = worlds_of(effort)
    if INNER[game] == "mcts":
        oracle, inner, unit, speed = "open-mcts", "", "iterations", ITERATIONS_A_SECOND
    else:
        oracle, inner, unit, speed = "alphabeta", f", {PLAIN}", "nodes", NODES_A_SECOND
    search = f"pimc-search(worlds={worlds}, inner={INNER[game]}{inner}"
    timed = {TIMED_PIMC: f"{search}, seconds={WORLD_SECONDS * worlds:.3g})"}
    slow = {
        SLOW_PI: f"{oracle}({unit}={round(speed * PI_SECONDS)}{inner})",
        SLOW_PIMC: f"{search}, {unit}={round(speed * WORLD_SECONDS)})",
    }
    few = effort.pick(quick=QUICK_DEALS, full=TIMED_PIMC_DEALS)
    many = effort.pick(quick=QUICK_DEALS, full=DEALS)
    found = [
        *tournament(effort, "timed", game, {"pi": "pi", **timed, **WEAKER}, few),
        *tournament(effort, "slow", game, {**slow, **WEAKER}, many),
    ]
    return [m for m in found if m.one in {**timed, **slow} or m.other in timed]  # the others met in the round robin


def worlds_of(effort: Effort) -> int:
    """How many worlds a PIMC draws: as many as published, or few."""
    return effort.pick(quick=5, full=100)


def any_double(effort: Effort) -> list[Meeting]:
    """The other reading of the published rule against random: does it explain how far ours is ahead?"""
    players = {ANY_DOUBLE: f"{__name__}:{AnyDouble.__name__}", "random": "random"}
    return tournament(effort, "any-double", "dominoes", players, effort.pick(quick=20 * QUICK_DEALS, full=4 * DEALS))


class AnyDouble(Agent):
    """The rule of draw dominoes with ties broken by lot: any double that fits, otherwise a heaviest tile, any side."""

    games = ("dominoes",)

    def act(self, view: View, rng: np.random.Generator) -> Choice:
        doubles = [action for action in view.legal if weight(action)[0]]
        most = max(weight(action) for action in view.legal)
        best = doubles or [action for action in view.legal if weight(action) == most]
        return best[rng.integers(len(best))]
