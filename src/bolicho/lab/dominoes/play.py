"""Pinto 2018: dominoes with everything open, and as it is played; its tables 1 to 3 and figures 13 and 14.

Its figure of merit is the *rate of points*: the points one player won, of all the points both won.

Three things may part our searches from the published ones: better search, more speed, solving instead of searching.
So each stands beside the published search at the published time on our machine, and beside the same with no more
nodes or iterations than a slow program does in that time (`SLOW`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure as Plot

from bolicho.agents.agent import Agent, Choice
from bolicho.agents.rules.dominoes import weight
from bolicho.arena.experiment import Experiment
from bolicho.arena.page import LOSE, SERIES, SOFT, plot_style
from bolicho.arena.rows import Games, read_games
from bolicho.arena.run import Run
from bolicho.arena.run import run as run_experiment
from bolicho.arena.stats import ratio
from bolicho.games.game import View
from bolicho.lab.study import Cell, Effort, Figure, Findings, Measured, Table

NAMES = {"dominoes": "draw dominoes", "fives": "all fives"}
DEALS = 500  # of a pair in full: 1,000 games, as published
QUICK_DEALS = 8
QUICK_TIMED_DEALS = 8

Pair = tuple[str, str]

SARSA_AGAINST_RULE = {"dominoes": 0.60, "fives": 0.52}
"""Table 1."""

SECONDS = {0.001: DEALS, 0.01: DEALS, 0.1: 250, 1.0: 100}
"""The times a move of figures 13 and 14, and the deals for each: fewer where a game takes seconds."""

ALPHABETA_AGAINST_SARSA = {("fives", 1.0): 0.67}
"""Figure 13, where the text gives the number."""

NODES_A_SECOND = 20_000
"""Of a slow program: the alpha-beta of the package `dominoes` does 19 to 90 thousand (`bolicho bench dominoes`)."""

ITERATIONS_A_SECOND = 2_000
"""Of the same program: an iteration plays a game to its end, and half a random game has eight or nine choices."""

PLAIN = "plain=true, eval=scores"
"""Alpha-beta as published: deepening and pruning alone.  What judged the horizon is not said; here the points won so
far do, in draw dominoes nothing."""

OURS, PLAIN_PLAYOUTS, AS_PUBLISHED = "ours", "plain, playouts", "plain"
METHODS = {OURS: "", PLAIN_PLAYOUTS: ", plain=true", AS_PUBLISHED: f", {PLAIN}"}
"""The alpha-betas of figures 13 and 14: first the table and the order of actions go, then the playouts."""

SLOW = ", slow"
"""What is added to the name of a player that is limited to the nodes or iterations of a slow program."""

TIMED_DEALS = {0.001: DEALS, 0.01: 125, 0.1: 50, 1.0: 20}
"""In full, for plain searches limited by the clock."""

QUICK_SLOW_DEALS = {0.001: 100, 0.01: 100, 0.1: 40, 1.0: 10}

ROUND_ROBINS: Mapping[str, Mapping[Pair, float]] = {
    "dominoes": {
        ("rule", "random"): 0.55,
        ("sarsa", "random"): 0.56,
        ("sarsa", "rule"): 0.52,
        ("pimc", "random"): 0.69,
        ("pimc", "rule"): 0.66,
        ("pimc", "sarsa"): 0.65,
        ("pi", "random"): 0.99,
        ("pi", "rule"): 0.95,
        ("pi", "sarsa"): 0.95,
        ("pi", "pimc"): 0.80,
    },
    "fives": {
        ("rule", "random"): 0.66,
        ("sarsa", "random"): 0.66,
        ("sarsa", "rule"): 0.51,
        ("pimc", "random"): 0.69,
        ("pimc", "rule"): 0.55,
        ("pimc", "sarsa"): 0.54,
        ("pi", "random"): 0.81,
        ("pi", "rule"): 0.68,
        ("pi", "sarsa"): 0.68,
        ("pi", "pimc"): 0.65,
    },
}
"""Tables 2 and 3: the rate of points of the first against the second."""

SEARCHED, TIMED_PIMC, SLOW_PIMC, SLOW_PI = "pimc, searching", "pimc, 0.007 s a world", "pimc" + SLOW, "pi" + SLOW
"""Beside `pimc` and `pi`, which solve: a short search in each world, the published search at the published time, and
both players slowed down.  What stands before the comma is who they are in the published tables."""

ANY_DOUBLE = "rule, any double"
WORLD_SECONDS = 0.007  # "units of time" in the document, which says seconds everywhere else
PI_SECONDS = 1.0  # not said for the oracle: the longest of figures 13 and 14
TIMED_PIMC_DEALS = 50  # a game takes five seconds

INNER = {"dominoes": "mcts", "fives": "alphabeta"}
"""What searched a world in the document, and for the oracle."""


# --- Measuring ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Meeting:
    """What came of one agent meeting another."""

    one: str
    other: str
    points: Measured  # the rate of points
    won: Measured  # the share of games


def points_rate(games: Games, pairing: int, published: float | None = None) -> Measured:
    """The rate of points of the first agent of a pairing; the interval is from deal to deal.

    A ratio of sums: a deal of many points weighs more, as in the published rate.
    """
    scores = games.scores[pairing]  # by deal, rotation, seat
    first = games.seated[pairing] == games.seated[pairing][0, 0]  # by rotation, seat
    estimate = ratio((scores * first).sum(axis=(1, 2)), scores.sum(axis=(1, 2)))
    low, high = max(0.0, estimate.low), min(1.0, estimate.high)  # of a single deal: anything
    return Measured(estimate.value, low, high, published, percent=True)


def meetings(run: Run, published: Mapping[Pair, float], names: Mapping[str, str]) -> list[Meeting]:
    """What came of every pair; `names` are what the agents are called in `published`, where not by their specs."""
    games = read_games(run.folder, run.experiment)
    agents = [names.get(spec, spec) for spec in run.experiment.agents]
    won = {(pair["agent"], pair["against"]): pair["rate"] for pair in run.result["pairs"]}
    found = []
    for number, (one, other) in enumerate(run.experiment.pairings()):
        specs = run.experiment.agents[one], run.experiment.agents[other]
        rate, turned = (won[specs], False) if specs in won else (won[specs[::-1]], True)
        share, low, high = rate["value"], rate["low"], rate["high"]
        if turned:
            share, low, high = 1 - share, 1 - high, 1 - low
        pair = agents[one], agents[other]
        points = points_rate(games, number, published.get(pair))
        found.append(Meeting(*pair, points, Measured(share, low, high, percent=True)))
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
    """Let agents meet on mirrored deals; what is there already is not played again."""
    experiment = Experiment(game, agents, duplicates=deals, seed=effort.seed, move_limit=None)
    folder: Path = effort.folder / f"{game}-{name}"
    spelt = dict(zip(experiment.agents, agents, strict=True))
    called = {spec: (names or {}).get(given, given) for spec, given in spelt.items()}
    return meetings(run_experiment(experiment, folder, effort.jobs), published, called)


def meeting_table(title: str, found: Sequence[Meeting], note: str) -> Table:
    """Every pair, the published rate beside the measured one."""
    rows: list[list[Cell]] = [[m.one, m.other, m.points, m.won] for m in found]
    return Table(title, ["agent", "against", "rate of points", "games won"], rows, note)


def differences(found: Sequence[Meeting]) -> str:
    """Where the published rate lies outside the interval, and by how much, in a sentence."""
    apart = [
        f"{m.one} against {m.other} {100 * m.points.value:.1f}% instead of {100 * m.points.published:.0f}%"
        for m in found
        if m.points.agrees is False and m.points.published is not None
    ]
    compared = [m for m in found if m.points.published is not None]
    if not apart:
        return f"All {len(compared)} published rates lie in our intervals."
    return f"{len(compared) - len(apart)} of {len(compared)} published rates lie in our intervals; not so: " + (
        "; ".join(apart) + "."
    )


SLOWED = (
    f"pimc and pi solve.  {SEARCHED}: a moment in each world (200 iterations of a tree, or 1,000 nodes of alpha-beta "
    f"with a table).  {TIMED_PIMC}: the published search at the published time, on this machine.  {SLOW_PIMC}, and "
    f"{SLOW_PI}: the same by a program of {NODES_A_SECOND:,} nodes or {ITERATIONS_A_SECOND:,} iterations a second, "
    f"the oracle with {PI_SECONDS:g} second a move."
)
MIRRORED = "Every deal is played twice, seats exchanged; intervals are 95%, from deal to deal."


# --- Everything open ----------------------------------------------------------------------------


def run_perfect(effort: Effort) -> Findings:
    """Table 1: Sarsa against the rules, everything open."""
    found = [
        (
            game,
            meet(
                effort,
                "sarsa",
                game,
                ("sarsa-open", "rule"),
                {("sarsa-open", "rule"): published},
                effort.pick(quick=20 * QUICK_DEALS, full=4 * DEALS),
            )[0],
        )
        for game, published in SARSA_AGAINST_RULE.items()
    ]
    rows: list[list[Cell]] = [[NAMES[game], m.points, m.won] for game, m in found]
    return Findings(
        tables=[
            Table("Sarsa that sees everything against the rules", ["game", "rate of points", "won"], rows, MIRRORED)
        ],
        notes=[
            "The learner sees both hands and the boneyard, the rules see what a player sees. "
            + differences([m for _, m in found]),
        ],
    )


def open_search(row: str, seconds: float) -> Pair:
    """The alpha-beta and the trees of a row of figures 13 and 14, with that time a move."""
    method = METHODS[row.removesuffix(SLOW)]
    if row.endswith(SLOW):
        nodes, iterations = round(NODES_A_SECOND * seconds), round(ITERATIONS_A_SECOND * seconds)
        return f"alphabeta(nodes={nodes}{method})", f"open-mcts(iterations={iterations})"
    return f"alphabeta(seconds={seconds}{method})", f"open-mcts(seconds={seconds})"


def time_rows(effort: Effort) -> dict[str, dict[float, int]]:
    """The rows of figures 13 and 14, and the deals for each time a move."""
    quick = dict.fromkeys(list(SECONDS)[:2], QUICK_TIMED_DEALS)
    timed = {method: effort.pick(quick=quick, full=TIMED_DEALS) for method in METHODS}
    timed[OURS] = effort.pick(quick=quick, full=SECONDS)
    slow = effort.pick(quick=QUICK_SLOW_DEALS, full=dict.fromkeys(SECONDS, DEALS))
    return {**timed, **{method + SLOW: slow for method in METHODS}}


Points = Mapping[str, Sequence[Meeting]]
"""By the row of a figure, what came of every time a move."""


def time_points(effort: Effort, point: Callable[..., Meeting]) -> dict[str, Points]:
    """By the game, every point of a figure."""
    return {
        game: {
            row: [point(effort, game, row, seconds, deals) for seconds, deals in times.items()]
            for row, times in time_rows(effort).items()
        }
        for game in NAMES
    }


def run_time(effort: Effort) -> Findings:
    """Figures 13 and 14: the searches with more and more time a move, everything open."""
    solved = effort.pick(quick=5 * QUICK_TIMED_DEALS, full=DEALS)
    limit = {game: meet(effort, "limit", game, ("pi", "sarsa-open"), {}, solved)[0] for game in NAMES}
    against_sarsa, each_other = time_points(effort, meet_sarsa), time_points(effort, meet_trees)
    return Findings(
        tables=[
            *(time_table("Alpha-beta against Sarsa", game, against_sarsa[game], limit[game]) for game in NAMES),
            *(time_table("Monte Carlo trees against alpha-beta", game, each_other[game]) for game in NAMES),
        ],
        figures=[
            time_figure("figure-13", against_sarsa, "Alpha-beta against Sarsa, by the time a move.", limit),
            time_figure("figure-14", each_other, "Monte Carlo trees against alpha-beta, both with that time.", {}),
        ],
        notes=[
            "Everybody sees everything.  Seconds are those of this machine, and of compiled searches.  The dotted "
            "lines are the limit: every position solved, against Sarsa.",
            "Published: alpha-beta is behind Sarsa with a thousandth of a second and far ahead later in draw dominoes, "
            "and reaches 67% in all fives; the trees are ahead of alpha-beta in draw dominoes, less so with time, and "
            "behind it in all fives.",
            f"{OURS}: with a table of positions, actions ordered, random games to judge the horizon; {PLAIN_PLAYOUTS}: "
            f"without table and order; {AS_PUBLISHED}: the horizon judged by the points won so far, which in draw "
            f"dominoes are none.  Slow: {NODES_A_SECOND:,} nodes a second, the trees {ITERATIONS_A_SECOND:,} "
            "iterations: a slow program, whatever machine this is.",
        ],
    )


def meet_sarsa(effort: Effort, game: str, row: str, seconds: float, deals: int) -> Meeting:
    """A point of figure 13."""
    alphabeta, _ = open_search(row, seconds)
    known = ALPHABETA_AGAINST_SARSA.get((game, seconds))
    published = {} if known is None else {(alphabeta, "sarsa-open"): known}
    return meet(effort, folder_of("sarsa", row, seconds), game, (alphabeta, "sarsa-open"), published, deals)[0]


def meet_trees(effort: Effort, game: str, row: str, seconds: float, deals: int) -> Meeting:
    """A point of figure 14."""
    alphabeta, trees = open_search(row, seconds)
    return meet(effort, folder_of("searches", row, seconds), game, (trees, alphabeta), {}, deals)[0]


def folder_of(what: str, row: str, seconds: float) -> str:
    """Where the games of a point are kept."""
    return "-".join([what, *row.replace(",", "").split(), str(seconds)])


def time_table(title: str, game: str, found: Points, limit: Meeting | None = None) -> Table:
    """Every point of a figure for one game."""
    rows: list[list[Cell]] = [
        [row, seconds, m.one, m.other, m.points, m.won]
        for row, points in found.items()
        for seconds, m in zip(SECONDS, points, strict=False)  # a quick run has the first times only
    ]
    if limit is not None:
        rows.append(["solved", None, limit.one, limit.other, limit.points, limit.won])
    columns = ["search", "seconds", "agent", "against", "rate of points", "games won"]
    return Table(f"{title}: {NAMES[game]}", columns, rows, MIRRORED)


def time_figure(name: str, found: Mapping[str, Points], caption: str, limit: Mapping[str, Meeting]) -> Figure:
    """Rates of points over the time a move, a panel a game, a line a search, dashed where it is slow."""
    with plot_style():
        plot = Plot(figsize=(9.6, 4.0))
        panels = plot.subplots(1, len(found), sharey=True)
        for axes, (game, rows) in zip(panels, found.items(), strict=True):
            for row, points in rows.items():
                colour, line = (
                    SERIES[list(METHODS).index(row.removesuffix(SLOW))],
                    "o--" if row.endswith(SLOW) else "o-",
                )
                rates = [m.points for m in points]
                times = list(SECONDS)[: len(rates)]
                axes.plot(times, [r.value for r in rates], line, color=colour, label=row)
                low = [r.value if r.low is None else r.low for r in rates]
                high = [r.value if r.high is None else r.high for r in rates]
                axes.fill_between(times, low, high, color=colour, alpha=0.12, linewidth=0)
            if game in limit:
                axes.axhline(limit[game].points.value, color=SOFT, linestyle=":", linewidth=1.2)
            axes.axhline(0.5, color="0.6", linewidth=0.8)
            axes.set_xscale("log")
            axes.set_title(NAMES[game])
            axes.set_xlabel("seconds a move")
        panels[0].set_ylabel("rate of points")
        panels[0].yaxis.set_major_formatter(lambda y, _: f"{100 * y:.0f}%")
        plot.legend(*panels[0].get_legend_handles_labels(), loc="outside upper right", ncols=6)
    return Figure(name, plot, caption + " Bands are 95% intervals.")


# --- As it is played ----------------------------------------------------------------------------


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
        for y, points in enumerate(m.points for m in found):
            if points.low is not None and points.high is not None:
                axes.plot([points.low, points.high], [y, y], color=SERIES[0], linewidth=3, alpha=0.5)
            axes.plot([points.value], [y], "o", color=SERIES[0], label="measured" if y == 0 else None)
            if points.published is not None:
                axes.plot([points.published], [y], "o", mfc="none", mec=LOSE, ms=10)
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
