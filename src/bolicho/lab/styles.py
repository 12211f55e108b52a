"""The scripted Truco styles against each other, and their behaviour."""

from bolicho.arena.experiment import Experiment
from bolicho.arena.run import Run
from bolicho.arena.summary import pair_rates
from bolicho.lab.plots import drawing, grouped_bars
from bolicho.lab.study import Cell, Effort, Figure, Findings, Measured, Table, standing
from bolicho.stats import Estimate

AGENTS = ("random", "novice", "cautious", "aggressive", "bluffer", "balanced")

HABITS = (
    "calls truco", "bluffs at truco", "accepts truco", "calls envido", "bluffs at envido", "accepts envido",
    "goes to the deck",
)  # fmt: skip
"""Behaviours to compare, of all that the game counts."""


def run(effort: Effort) -> Findings:
    """Play all against all on the same deals, and compare results and behaviours."""
    experiment = Experiment(
        "truco", AGENTS, duplicates=effort.pick(quick=40, full=1000), seed=effort.seed, move_limit=None
    )
    finished = effort.play(experiment, "matches")
    return Findings(
        tables=[standings(finished), cross_table(finished), habit_table(finished)],
        figures=[habit_figure(finished)],
        notes=[
            "Five styles that share one way of reasoning and differ in their thresholds, and a random player. "
            "Every pair plays the same deals from both seats; the unit of all intervals is the deal.",
        ],
    )


def standings(run: Run) -> Table:
    """Tabulate wins and margins of each agent."""
    names = ("rate", "rating", "in_wins", "in_losses")
    rows = [[row["agent"], *standing(row, *names)] for row in run.result["agents"]]
    columns = ["agent", "matches won", "rating", "points ahead in wins", "points behind in losses"]
    return Table("Standings", columns, rows, f"{run.result['games']:,} matches to 24 points.")


def cross_table(run: Run) -> Table:
    """Tabulate the share of matches that each agent wins against each other."""
    names = [row["agent"] for row in run.result["agents"]]
    rates = {pair: Measured(rate, percent=True) for pair, rate in pair_rates(run.result).items()}
    rows = [[one, *(rates.get((one, other)) for other in names)] for one in names]
    return Table("Each against each", ["agent", *names], rows, "Share of matches the agent of the row wins.")


def behaviour_shares(run: Run) -> dict[str, dict[str, Estimate]]:
    """Return, for every agent and behaviour, its share of the chances."""
    counted = {behaviour["name"]: behaviour["agents"] for behaviour in run.result["behaviours"]}
    agents = [row["agent"] for row in run.result["agents"]]
    return {agent: {habit: Estimate.read(counted[habit][agent]["share"]) for habit in HABITS} for agent in agents}


def habit_table(run: Run) -> Table:
    """Tabulate how often each style shows each behaviour, of its chances."""
    rows: list[list[Cell]] = [
        [agent, *(Measured(share, percent=True) for share in by_habit.values())]
        for agent, by_habit in behaviour_shares(run).items()
    ]
    of = {behaviour["name"]: behaviour["of"] for behaviour in run.result["behaviours"]}
    told = "; ".join(f"{habit}, of {of[habit]}" for habit in HABITS)
    return Table("Habits", ["agent", *HABITS], rows, f"Shares: {told}.")


def habit_figure(run: Run) -> Figure:
    """Draw the behaviours of the styles side by side."""
    with drawing(9.6, 3.6) as (plot, axes):
        shares = {
            agent: [share.value for share in by_habit.values()] for agent, by_habit in behaviour_shares(run).items()
        }
        grouped_bars(axes, [habit.replace(" at ", "\nat ").replace(" the ", "\nthe ") for habit in HABITS], shares)
        axes.yaxis.set_major_formatter(lambda y, _: f"{100 * y:.0f}%")
        plot.legend(loc="outside upper right", ncols=len(shares))
    return Figure("habits", plot, "How often each style does what it could do at that moment.")
