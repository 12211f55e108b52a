"""7 Wonders for three players: agents by rules, imitation and Q-learning, as in Pereira 2021 and beyond."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure as Plot
from numpy.typing import NDArray

from bolicho import stats
from bolicho.agents.loop import play_deals
from bolicho.agents.mirrored_games import deal_seed, in_rotation
from bolicho.agents.registry import recipe
from bolicho.arena.experiment import Experiment
from bolicho.arena.html_page import ACCENT, INK, LOSE, plot_style
from bolicho.arena.rows import read_games
from bolicho.arena.run import Run
from bolicho.games import game
from bolicho.games.retrace import retrace
from bolicho.games.wonders.text import points_by_kind
from bolicho.lab.plots import drawing, grouped_bars
from bolicho.lab.study import Cell, Effort, Figure, Findings, Measured, Table, share
from bolicho.lab.wonders.nets import accuracy_table, training_figure

AGENTS = ("random", "rules", "neural", "neural-plus", "dqn", "dqn-plus")
KINDS = ("military", "coins", "wonder", "civil", "science", "commerce", "guilds")

PUBLISHED_POINTS = {"rules": 53.83, "neural": 50.35, "dqn": 52.97}  # Pereira 2021, chapter 4
PUBLISHED_MS = {"rules": 4.55, "neural": 3.87, "dqn": 7.21}
PUBLISHED_TOURNAMENT = {"rules": (42.92, 0.386), "neural": (42.76, 0.398), "dqn": (39.09, 0.216)}  # table 4.1
BEST_PLAYERS = 53  # mean points of the best players of Board Game Arena (Pereira 2021, section 4.1)
TOURNAMENTS = (("rules", "neural", "dqn"), ("rules", "neural-plus", "dqn-plus"), ("rules", "neural", "dqn-plus"))


def run(effort: Effort) -> Findings:
    """Measure accuracies, points against random players, and the tournaments."""
    games = effort.pick(quick=90, full=1000)
    measured = {name: against_random(name, games, effort.seed) for name in AGENTS}
    duplicates = effort.pick(quick=30, full=400)
    tables = [
        tournament(
            effort.play(
                Experiment("wonders", agents, duplicates=duplicates, seed=effort.seed, move_limit=None),
                "-".join(agents),
            )
        )
        for agents in TOURNAMENTS
    ]
    points = points_table(measured, games)
    return Findings(
        tables=[
            accuracy_table(effort.pick(quick=60, full=500)),
            points,
            kinds_table(measured),
            *tables,
        ],
        figures=[points_figure(points, tables), kinds_figure(measured), training_figure()],
        notes=[
            "Rules, neural and dqn follow Pereira 2021; neural-plus and dqn-plus are ours: their inputs know prices, "
            "gains, the neighbours' cities and the hands that come, and dqn-plus learned from returns, for the margin, "
            "against itself and the rules agent.  The rules agent's full list of weights was not published; ours keeps "
            "the weights that were.  Train and test plays never come from the same game.",
        ],
    )


# --- Against two random players -----------------------------------------------------------------


@dataclass(frozen=True)
class Against:
    """Scores of an agent against two random players, game by game."""

    points: NDArray[np.float64]
    kinds: dict[str, NDArray[np.float64]]
    won: NDArray[np.float64]
    seconds: float  # per decision


def against_random(name: str, games: int, seed: int) -> Against:
    """Play an agent against two random ones, from each seat in turn."""
    wonders = game("wonders")
    makers = [recipe(spec, "wonders").maker(wonders) for spec in (name, "random", "random")]
    deals = [in_rotation(3, number % 3, deal_seed(seed, number), deal_seed(seed, number)) for number in range(games)]
    by_kind = {kind: np.zeros(games) for kind in (*KINDS, "total")}
    won = np.zeros(games)
    seconds, decisions = 0.0, 0
    for played in play_deals(wonders, makers, deals):
        assert played.forfeit is None, played.forfeit
        number, seat = played.number, played.number % 3
        end = retrace(wonders, deals[number].seed, played.actions).states[-1:]
        for kind, points in points_by_kind(end, seat).items():
            by_kind[kind][number] = points
        won[number] = stats.win_shares([played.payoffs])[0, seat]
        seconds += played.seconds[seat]
        decisions += played.decisions[seat]
    return Against(by_kind.pop("total"), by_kind, won, seconds / decisions)


def points_table(measured: Mapping[str, Against], games: int) -> Table:
    """Tabulate points and wins against two random players, and the time of a play."""
    rows: list[list[Cell]] = []
    for name, found in measured.items():
        points = Measured(stats.mean(found.points), PUBLISHED_POINTS.get(name))
        took = Measured(stats.Estimate(found.seconds * 1000), PUBLISHED_MS.get(name))
        rows.append([name, points, share(found.won), took])
    columns = ["agent", "points", "games won", "ms a play"]
    return Table(
        "Against two random players",
        columns,
        rows,
        f"{games:,} games each, from every seat in turn, many at a time: a play's time is its share.",
    )


def kinds_table(measured: Mapping[str, Against]) -> Table:
    """Tabulate the points by kind of structure."""
    rows: list[list[Cell]] = [
        [name, *(Measured(stats.mean(found.kinds[kind])) for kind in KINDS)] for name, found in measured.items()
    ]
    return Table("Points by kind, against two random players", ["agent", *KINDS], rows)


def kinds_figure(measured: Mapping[str, Against]) -> Figure:
    """Draw the points by kind of structure as bars."""
    with drawing(9.6, 3.8) as (plot, axes):
        means = {name: [float(found.kinds[kind].mean()) for kind in KINDS] for name, found in measured.items()}
        grouped_bars(axes, KINDS, means)
        axes.set_ylabel("points")
        plot.legend(loc="outside upper right", ncols=len(measured))
    return Figure("kinds", plot, "Mean points by kind of structure against two random players.")


def points_figure(random: Table, tournaments: Sequence[Table]) -> Figure:
    """Draw mean points against two random players and in the tournaments, from the first two columns of each table."""
    tables = {"against two random": random} | {f"tournament {i}": table for i, table in enumerate(tournaments, 1)}
    with plot_style():
        plot = Plot(figsize=(9.6, 4.2))
        ratios = [len(table.rows) for table in tables.values()]
        panels = plot.subplots(1, len(tables), sharey=True, squeeze=False, width_ratios=ratios)[0]
        for axes, (title, table) in zip(panels, tables.items(), strict=True):
            names = [str(row[0]) for row in table.rows]
            points = [row[1] for row in table.rows if isinstance(row[1], Measured)]
            means = [cell.estimate.value for cell in points]
            reach = [np.nan_to_num(cell.estimate.high - cell.estimate.value) for cell in points]
            axes.bar(names, means, 0.7, yerr=reach, color=ACCENT, ecolor=INK, label="here, with 95% interval")
            known = [(name, cell.published) for name, cell in zip(names, points, strict=True) if cell.published]
            if known:
                axes.plot(*zip(*known, strict=True), "D", color=LOSE, label="Pereira 2021")
            best = f"best players of Board Game Arena: {BEST_PLAYERS}"
            axes.axhline(BEST_PLAYERS, color=INK, linestyle="--", linewidth=1.2, label=best)
            axes.tick_params(axis="x", rotation=60)
            axes.grid(axis="x", visible=False)
            axes.set_title(title)
        panels[0].set_ylabel("points")
        plot.legend(*panels[0].get_legend_handles_labels(), loc="outside upper right", ncols=3)
    caption = (
        "Mean points of a game.  The dashed line is the mean of the best players of Board Game Arena, as Pereira 2021 "
        "gives it: they play people, so it is a level to compare with, not a result against these opponents."
    )
    return Figure("points", plot, caption)


# --- The tournament -----------------------------------------------------------------------------


def tournament(run: Run) -> Table:
    """Tabulate a tournament of three agents at one table, every deal played from every seat."""
    agents = list(run.experiment.agents)
    published = PUBLISHED_TOURNAMENT if agents == list(TOURNAMENTS[0]) else {}
    games = read_games(run.folder, run.experiment)
    rates = {row["agent"]: stats.Estimate.read(row["rate"]) for row in run.result["agents"]}
    rows: list[list[Cell]] = []
    for number, name in enumerate(agents):
        mine = games.seated == number
        points = np.einsum("pdrs,prs->d", games.scores.astype(np.float64), mine.astype(np.float64)) / mine.sum()
        known = published.get(name, (None, None))
        won = Measured(rates[name], known[1], percent=True)
        rows.append([name, Measured(stats.mean(points), known[0]), won])
    note = f"{run.result['games']:,} games: {run.experiment.duplicates:,} deals, each from every seat."
    return Table(f"Tournament: {', '.join(agents)}", ["agent", "points", "games won"], rows, note)
