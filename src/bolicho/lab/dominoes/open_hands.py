"""Dominoes with open hands: table 1 of Pinto 2018, and its figures 13 and 14."""

from collections.abc import Callable, Mapping, Sequence

from matplotlib.figure import Figure as Plot

from bolicho.arena.html_page import SERIES, SOFT, plot_style
from bolicho.lab.dominoes.meetings import DEALS, MIRRORED, QUICK_DEALS, Meeting, differences, meet
from bolicho.lab.dominoes.published import (
    ALPHABETA_AGAINST_SARSA,
    ITERATIONS_A_SECOND,
    NODES_A_SECOND,
    PLAIN,
    SARSA_AGAINST_RULE,
    SLOW,
    Pair,
)
from bolicho.lab.study import Cell, Effort, Figure, Findings, Table

NAMES = {"dominoes": "draw dominoes", "fives": "all fives"}
QUICK_TIMED_DEALS = 8

SECONDS = {0.001: DEALS, 0.01: DEALS, 0.1: 250, 1.0: 100}
"""Seconds per move of figures 13 and 14, and the deals for each: fewer where a game takes seconds."""

OURS, PLAIN_PLAYOUTS, AS_PUBLISHED = "ours", "plain, playouts", "plain"
METHODS = {OURS: "", PLAIN_PLAYOUTS: ", plain=true", AS_PUBLISHED: f", {PLAIN}"}
"""Variants of alpha-beta: ours, then without table and action order, then also without playouts at the horizon."""

TIMED_DEALS = {0.001: DEALS, 0.01: 125, 0.1: 50, 1.0: 20}
"""Deals of a full run for plain searches limited by the clock, by seconds per move."""

QUICK_SLOW_DEALS = {0.001: 100, 0.01: 100, 0.1: 40, 1.0: 10}


def run_perfect(effort: Effort) -> Findings:
    """Table 1: Sarsa that sees everything against the rules."""
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
    """Return the specs of alpha-beta and tree search for a row of figures 13 and 14, with this time per move."""
    method = METHODS[row.removesuffix(SLOW)]
    if row.endswith(SLOW):
        nodes, iterations = round(NODES_A_SECOND * seconds), round(ITERATIONS_A_SECOND * seconds)
        return f"alphabeta(nodes={nodes}{method})", f"open-mcts(iterations={iterations})"
    return f"alphabeta(seconds={seconds}{method})", f"open-mcts(seconds={seconds})"


def time_rows(effort: Effort) -> dict[str, dict[float, int]]:
    """Return the rows of figures 13 and 14, and the deals for each time per move."""
    quick = dict.fromkeys(list(SECONDS)[:2], QUICK_TIMED_DEALS)
    timed = {method: effort.pick(quick=quick, full=TIMED_DEALS) for method in METHODS}
    timed[OURS] = effort.pick(quick=quick, full=SECONDS)
    slow = effort.pick(quick=QUICK_SLOW_DEALS, full=dict.fromkeys(SECONDS, DEALS))
    return {**timed, **{method + SLOW: slow for method in METHODS}}


Points = Mapping[str, Sequence[Meeting]]
"""Results for every time per move, by row of a figure."""


def time_points(effort: Effort, point: Callable[..., Meeting]) -> dict[str, Points]:
    """Return every point of a figure, by game."""
    return {
        game: {
            row: [point(effort, game, row, seconds, deals) for seconds, deals in times.items()]
            for row, times in time_rows(effort).items()
        }
        for game in NAMES
    }


def run_time(effort: Effort) -> Findings:
    """Figures 13 and 14: searches by time per move, with open hands."""
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
    """Play a point of figure 13."""
    alphabeta, _ = open_search(row, seconds)
    known = ALPHABETA_AGAINST_SARSA.get((game, seconds))
    published = {} if known is None else {(alphabeta, "sarsa-open"): known}
    return meet(effort, folder_of("sarsa", row, seconds), game, (alphabeta, "sarsa-open"), published, deals)[0]


def meet_trees(effort: Effort, game: str, row: str, seconds: float, deals: int) -> Meeting:
    """Play a point of figure 14."""
    alphabeta, trees = open_search(row, seconds)
    return meet(effort, folder_of("searches", row, seconds), game, (trees, alphabeta), {}, deals)[0]


def folder_of(what: str, row: str, seconds: float) -> str:
    """Return the name of the folder for the games of a point."""
    return "-".join([what, *row.replace(",", "").split(), str(seconds)])


def time_table(title: str, game: str, found: Points, limit: Meeting | None = None) -> Table:
    """Tabulate every point of a figure for one game."""
    rows: list[list[Cell]] = [
        [row, seconds, m.one, m.other, m.points, m.won]
        for row, points in found.items()
        for seconds, m in zip(SECONDS, points, strict=False)  # a quick run has only the first times
    ]
    if limit is not None:
        rows.append(["solved", None, limit.one, limit.other, limit.points, limit.won])
    columns = ["search", "seconds", "agent", "against", "rate of points", "games won"]
    return Table(f"{title}: {NAMES[game]}", columns, rows, MIRRORED)


def time_figure(name: str, found: Mapping[str, Points], caption: str, limit: Mapping[str, Meeting]) -> Figure:
    """Plot rates of points over the time per move, a panel for each game; slow searches are dashed."""
    with plot_style():
        plot = Plot(figsize=(9.6, 4.0))
        panels = plot.subplots(1, len(found), sharey=True)
        for axes, (game, rows) in zip(panels, found.items(), strict=True):
            for row, points in rows.items():
                colour, line = (
                    SERIES[list(METHODS).index(row.removesuffix(SLOW))],
                    "o--" if row.endswith(SLOW) else "o-",
                )
                rates = [m.points.estimate for m in points]
                times = list(SECONDS)[: len(rates)]
                axes.plot(times, [r.value for r in rates], line, color=colour, label=row)
                low, high = [r.low for r in rates], [r.high for r in rates]
                axes.fill_between(times, low, high, color=colour, alpha=0.12, linewidth=0)
            if game in limit:
                axes.axhline(limit[game].points.estimate.value, color=SOFT, linestyle=":", linewidth=1.2)
            axes.axhline(0.5, color="0.6", linewidth=0.8)
            axes.set_xscale("log")
            axes.set_title(NAMES[game])
            axes.set_xlabel("seconds a move")
        panels[0].set_ylabel("rate of points")
        panels[0].yaxis.set_major_formatter(lambda y, _: f"{100 * y:.0f}%")
        plot.legend(*panels[0].get_legend_handles_labels(), loc="outside upper right", ncols=6)
    return Figure(name, plot, caption + " Bands are 95% intervals.")
