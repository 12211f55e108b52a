"""Round robins of dominoes with hidden hands: tables 2 and 3 of Pinto 2018."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from bolicho.agents.agent import Agent, Choice
from bolicho.agents.rules.dominoes.agent import weight
from bolicho.arena.html_page import LOSE, SERIES, SOFT
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
from bolicho.lab.plots import drawing
from bolicho.lab.study import Effort, Figure, Findings

SEARCHED, SLOW_PIMC, SLOW_PI = "pimc, searching", "pimc" + SLOW, "pi" + SLOW
"""Players beside `pimc` and `pi`, which solve: PIMC with a short search in each world, and both players slowed down.
The part before the comma is the player's name in the published tables."""

TIMED_PIMC, TIMED_PI = f"pimc, {WORLD_SECONDS:g} s a world", f"pi, {PI_SECONDS:g} s a move"
"""The published searches with the published time."""

ANY_DOUBLE = "rule, any double"
TITLES = {"dominoes": "Draw dominoes", "fives": "All fives"}
QUICK_PI_SECONDS = 0.02
TIMED_DEALS = 50  # 100 games of a pair limited by the clock; the document's 1,000 would take 14 hours

SLOWED = (
    f"pimc and pi solve.  {SEARCHED}: a moment in each world (200 iterations of a tree, or 1,000 nodes of alpha-beta "
    f"with a table).  {SLOW_PIMC}, and {SLOW_PI}: the published searches by a program of {NODES_A_SECOND:,} nodes or "
    f"{ITERATIONS_A_SECOND:,} iterations a second, the oracle with {PI_SECONDS:g} second a move."
)


def run_draw(effort: Effort) -> Findings:
    """Table 2: draw dominoes, all against all."""
    found = [*round_robin(effort, "dominoes"), *as_published(effort, "dominoes"), *any_double(effort)]
    return Findings(
        tables=[meeting_table(TITLES["dominoes"], found, MIRRORED)],
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
    """Table 3: all fives, all against all."""
    found = [*round_robin(effort, "fives"), *as_published(effort, "fives")]
    return Findings(
        tables=[meeting_table(TITLES["fives"], found, MIRRORED)],
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
    """Plot measured rates with their intervals, and published rates as rings."""
    with drawing(9.6, 0.9 + 0.3 * len(found)) as (plot, axes):
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
    """Play all pairs of players, given as specs by name, with the published rates of the players they represent."""
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
    """Play all against all, with PIMC in two forms: a short search in each world, and an exact solution."""
    worlds = worlds_of(effort)
    pimc = {"pimc": f"pimc(worlds={worlds})", SEARCHED: f"pimc(inner={INNER[game]}, worlds={worlds})"}
    deals = effort.pick(quick=QUICK_DEALS, full=DEALS)
    return tournament(effort, "round-robin", game, {"pi": "pi", **pimc, **WEAKER}, deals)


def searches(game: str) -> tuple[str, str, str, int]:
    """Return the published oracle, options of the search in a world, and the unit and speed of a slow program."""
    if INNER[game] == "mcts":
        return "open-mcts", "", "iterations", ITERATIONS_A_SECOND
    return "alphabeta", f", {PLAIN}", "nodes", NODES_A_SECOND


def as_published(effort: Effort, game: str) -> list[Meeting]:
    """Play PIMC and the oracle with the published searches, as slow as the published program may have been."""
    oracle, inner, unit, speed = searches(game)
    slow = {
        SLOW_PI: f"{oracle}({unit}={round(speed * PI_SECONDS)}{inner})",
        SLOW_PIMC: f"pimc-search(worlds={worlds_of(effort)}, inner={INNER[game]}{inner}, "
        f"{unit}={round(speed * WORLD_SECONDS)})",
    }
    found = tournament(effort, "slow", game, {**slow, **WEAKER}, effort.pick(quick=QUICK_DEALS, full=DEALS))
    return [m for m in found if m.one in slow]  # pairs of the others are in the round robin


def run_published(effort: Effort) -> Findings:
    """Tables 2 and 3 with the published parameters of PIMC: worlds, time per world and inference."""
    tables = {title: published_table(effort, game) for game, title in TITLES.items()}
    pi_seconds = effort.pick(quick=QUICK_PI_SECONDS, full=PI_SECONDS)
    return Findings(
        tables=[meeting_table(title, found, MIRRORED) for title, found in tables.items()],
        notes=[
            *(f"{title}: {differences(found)}" for title, found in tables.items()),
            f"{TIMED_PIMC}: {worlds_of(effort)} worlds, drawn with the published inference, each searched for "
            f"{WORLD_SECONDS:g} seconds of a processor here, by trees in draw dominoes and by plain alpha-beta in all "
            'fives; the document says "units of time", and gives no evaluation at the horizon.  '
            f"{TIMED_PI}: the same searches with everything open, here for {pi_seconds:g} seconds; the "
            "document does not give the time.  pi solves.",
        ],
    )


def published_table(effort: Effort, game: str) -> list[Meeting]:
    """Play the pairs of a published table; those with PIMC run one by one, since a game takes seconds."""
    oracle, inner, _, _ = searches(game)
    timed = f"worlds={worlds_of(effort)}, world_seconds={WORLD_SECONDS}, inference=answered"
    pimc = f"pimc-search({timed}, inner={INNER[game]}{inner})"
    pi = f"{oracle}(seconds={effort.pick(quick=QUICK_PI_SECONDS, full=PI_SECONDS)}{inner})"
    deals = effort.pick(quick=QUICK_DEALS, full=DEALS)
    pairs = [*({TIMED_PIMC: pimc, name: spec} for name, spec in WEAKER.items()), {TIMED_PI: pi, TIMED_PIMC: pimc}]
    found = tournament(effort, "without-pimc", game, {"pi": "pi", **WEAKER}, deals)
    for number, pair in enumerate(pairs):
        found += tournament(effort, f"published-{number}", game, pair, effort.pick(quick=QUICK_DEALS, full=TIMED_DEALS))
    return found


def worlds_of(effort: Effort) -> int:
    """Return the number of worlds of a PIMC: the published one, or few in a quick run."""
    return effort.pick(quick=5, full=100)


def any_double(effort: Effort) -> list[Meeting]:
    """Play the other reading of the published rule against random, to test whether it explains our larger lead."""
    players = {ANY_DOUBLE: f"{__name__}:{AnyDouble.__name__}", "random": "random"}
    return tournament(effort, "any-double", "dominoes", players, effort.pick(quick=20 * QUICK_DEALS, full=4 * DEALS))


class AnyDouble(Agent):
    """Rule of draw dominoes with random tie-breaks: any double that fits, otherwise a heaviest tile, on any side."""

    games = ("dominoes",)

    def act(self, view: View, rng: np.random.Generator) -> Choice:
        doubles = [action for action in view.legal if weight(action)[0]]
        most = max(weight(action) for action in view.legal)
        best = doubles or [action for action in view.legal if weight(action) == most]
        return best[rng.integers(len(best))]
