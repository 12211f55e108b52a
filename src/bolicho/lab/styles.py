"""The scripted Truco styles against each other, and how they differ at the table."""

from collections import Counter
from pathlib import Path

from matplotlib.figure import Figure as Plot

from bolicho.arena.experiment import Experiment
from bolicho.arena.page import SERIES, plot_style
from bolicho.arena.rows import read_actions
from bolicho.arena.run import Run
from bolicho.arena.run import run as run_experiment
from bolicho.games.record import start
from bolicho.lab.study import Effort, Figure, Findings, Measured, Table

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


def _measured(estimate: dict[str, float], percent: bool = False) -> Measured:
    return Measured(estimate["value"], estimate["low"], estimate["high"], percent=percent)


def standings(run: Run) -> Table:
    """Who wins how often, and by how much."""
    rows = [
        [
            row["agent"],
            _measured(row["rate"], percent=True),
            _measured(row["rating"]),
            _measured(row["in_wins"]),
            _measured(row["in_losses"]),
        ]
        for row in run.result["agents"]
    ]
    columns = ["agent", "matches won", "rating", "points ahead in wins", "points behind in losses"]
    return Table("Standings", columns, rows, f"{run.result['games']:,} matches to 24 points.")


def cross_table(run: Run) -> Table:
    """The share of matches each wins against each."""
    names = [row["agent"] for row in run.result["agents"]]
    rates = {(pair["agent"], pair["against"]): pair["rate"] for pair in run.result["pairs"]}

    def cell(one: str, other: str) -> Measured | None:
        if (one, other) in rates:
            return _measured(rates[one, other], percent=True)
        if (other, one) in rates:
            rate = rates[other, one]
            return Measured(1 - rate["value"], 1 - rate["high"], 1 - rate["low"], percent=True)
        return None

    rows = [[one, *(cell(one, other) for other in names)] for one in names]
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
        width = 0.8 / len(habits)
        for i, (agent, by_habit) in enumerate(habits.items()):
            places = [place + (i - (len(habits) - 1) / 2) * width for place in range(len(HABITS))]
            axes.bar(places, [_share(c) for c in by_habit.values()], width * 0.9, color=SERIES[i], label=agent)
        axes.set_xticks(range(len(HABITS)), list(HABITS))
        axes.yaxis.set_major_formatter(lambda y, _: f"{100 * y:.0f}%")
        axes.grid(axis="x", visible=False)
        plot.legend(loc="outside upper right", ncols=len(habits))
    return Figure("habits", plot, "How often each style does what it could do at that moment.")
