"""The scripted Truco styles against each other, and how they differ at the table."""

from collections import Counter
from pathlib import Path

from matplotlib.figure import Figure as Plot

from bolicho.arena.experiment import Experiment
from bolicho.arena.page import plot_style
from bolicho.arena.rows import read_actions
from bolicho.arena.run import Run
from bolicho.arena.run import run as run_experiment
from bolicho.arena.summary import pair_rates
from bolicho.games.record import start
from bolicho.lab.plots import grouped_bars
from bolicho.lab.study import Effort, Figure, Findings, Measured, Table
from bolicho.stats import Estimate

AGENTS = ("random", "novice", "cautious", "aggressive", "bluffer", "balanced")

HABITS = {
    "calls truco": {"truco", "retruco", "vale4"},
    "calls envido": {"envido", "real", "falta"},
    "accepts": {"quero"},
    "refuses": {"nao"},
    "goes to the deck": {"baralho"},
}
"""What one sees a player do, as the actions that count."""


def run(effort: Effort) -> Findings:
    """Everybody against everybody on the same deals, then what they did there."""
    experiment = Experiment(
        "truco", AGENTS, duplicates=effort.pick(quick=40, full=1000), seed=effort.seed, move_limit=None
    )
    finished = run_experiment(experiment, effort.folder / "matches", effort.jobs)
    habits = count_habits(finished.folder, experiment, sample=effort.pick(quick=600, full=3000))
    return Findings(
        tables=[standings(finished), cross_table(finished), habit_table(habits)],
        figures=[habit_figure(habits)],
        notes=[
            "Five styles that share one way of reasoning and differ in their thresholds, and a random player. "
            "Every pair plays the same deals from both seats; the unit of all intervals is the deal.",
        ],
    )


def standings(run: Run) -> Table:
    """Who wins how often, and by how much."""
    rows = [
        [
            row["agent"],
            Measured(Estimate.read(row["rate"]), percent=True),
            *(Measured(Estimate.read(row[key])) for key in ("rating", "in_wins", "in_losses")),
        ]
        for row in run.result["agents"]
    ]
    columns = ["agent", "matches won", "rating", "points ahead in wins", "points behind in losses"]
    return Table("Standings", columns, rows, f"{run.result['games']:,} matches to 24 points.")


def cross_table(run: Run) -> Table:
    """The share of matches each wins against each."""
    names = [row["agent"] for row in run.result["agents"]]
    rates = {pair: Measured(rate, percent=True) for pair, rate in pair_rates(run.result).items()}
    rows = [[one, *(rates.get((one, other)) for other in names)] for one in names]
    return Table("Each against each", ["agent", *names], rows, "Share of matches the agent of the row wins.")


def count_habits(folder: Path, experiment: Experiment, sample: int) -> dict[str, dict[str, tuple[int, int]]]:
    """For every agent and habit: how often it did so, and how often it could have."""
    done: dict[str, Counter[str]] = {agent: Counter() for agent in experiment.agents}
    possible: dict[str, Counter[str]] = {agent: Counter() for agent in experiment.agents}
    for record in read_actions(folder, sample):
        table = start(record)
        for action in record["actions"]:
            agent = record["players"][table.turn]
            legal = {str(choice) for choice in table.legal}
            for habit, actions in HABITS.items():
                possible[agent][habit] += bool(legal & actions)
                done[agent][habit] += action in actions
            table.play(action)
    return {
        agent: {habit: (done[agent][habit], possible[agent][habit]) for habit in HABITS} for agent in experiment.agents
    }


def _share(counts: tuple[int, int]) -> float:
    done, possible = counts
    return done / max(possible, 1)


def habit_table(habits: dict[str, dict[str, tuple[int, int]]]) -> Table:
    """How often each style does what it could do."""
    rows = [
        [agent, *(f"{100 * _share(counts):.1f}% of {counts[1]:,}" for counts in by_habit.values())]
        for agent, by_habit in habits.items()
    ]
    return Table("Habits", ["agent", *HABITS], rows, "How often the agent did it, of the times it could have.")


def habit_figure(habits: dict[str, dict[str, tuple[int, int]]]) -> Figure:
    """The habits side by side: styles should differ visibly."""
    with plot_style():
        plot = Plot(figsize=(9.6, 3.6))
        axes = plot.add_subplot()
        shares = {agent: [_share(counts) for counts in by_habit.values()] for agent, by_habit in habits.items()}
        grouped_bars(axes, list(HABITS), shares)
        axes.yaxis.set_major_formatter(lambda y, _: f"{100 * y:.0f}%")
        plot.legend(loc="outside upper right", ncols=len(habits))
    return Figure("habits", plot, "How often each style does what it could do at that moment.")
