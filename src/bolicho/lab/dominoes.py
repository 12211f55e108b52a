"""The studies of document 003: dominoes by rules, learning and search.

The document's figure of merit is the *rate of points*: points won by A over points won by A and B.
Its intervals here are those of a ratio over duplicate deals; beside it stands the share of games won.
"""

from dataclasses import dataclass

from matplotlib.figure import Figure as Plot

from bolicho.arena.experiment import Experiment
from bolicho.arena.page import LOSE, SERIES, SOFT, plot_style
from bolicho.arena.rows import read_games
from bolicho.arena.run import Run
from bolicho.arena.run import run as run_experiment
from bolicho.arena.stats import Estimate, ratio
from bolicho.lab.study import Cell, Effort, Figure, Findings, Measured, Table

NAMES = {
    "random": "Aleatório",
    "rule": "Regra",
    "sarsa": "AR",
    "pimc": "PIMC",
    "pi": "PI",
}
"""Our agents and what the document calls them."""

Pair = tuple[str, str]

TABLE_1 = {"dominoes": 0.60, "fives": 0.52}
"""Document 003, table 1: Sarsa with perfect information against the rule player."""

TABLE_2: dict[Pair, float] = {
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
}
"""Document 003, table 2: draw dominoes."""

TABLE_3: dict[Pair, float] = {
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
}
"""Document 003, table 3: all fives."""

TIMES = (0.001, 0.01, 0.1, 1.0)
"""Seconds a move in figures 13 and 14."""


@dataclass(frozen=True)
class Met:
    """What came of one pairing: A's rate of points, and its share of games won."""

    points: Estimate
    games: Estimate


def meetings(run: Run) -> dict[Pair, Met]:
    """Every pairing of a run, both ways round, by the specs of the agents."""
    games = read_games(run.folder, run.experiment)
    agents = run.experiment.agents
    shares = {(pair["agent"], pair["against"]): pair["rate"] for pair in run.result["pairs"]}
    found: dict[Pair, Met] = {}
    for number, pairing in enumerate(run.experiment.pairings()):
        for mine, theirs in (pairing, pairing[::-1]):
            is_mine = games.seated[number] == mine  # over rotation, seat
            scores = games.scores[number]  # over deal, rotation, seat
            points = ratio((scores * is_mine).sum(axis=(1, 2)), scores.sum(axis=(1, 2)))
            found[agents[mine], agents[theirs]] = Met(points, _share(shares, agents[mine], agents[theirs]))
    return found


def _share(shares: dict[Pair, dict[str, float]], one: str, other: str) -> Estimate:
    if (one, other) in shares:
        rate = shares[one, other]
        return Estimate(rate["value"], rate["low"], rate["high"])
    rate = shares[other, one]
    return Estimate(1 - rate["value"], 1 - rate["high"], 1 - rate["low"])


def _measured(estimate: Estimate, published: float | None = None) -> Measured:
    return Measured(estimate.value, estimate.low, estimate.high, published, percent=True)


# --- Tables 2 and 3 -----------------------------------------------------------------------------


def draw(effort: Effort) -> Findings:
    """Table 2: the round robin of draw dominoes, with hidden information."""
    return round_robin(effort, "dominoes", TABLE_2)


def fives(effort: Effort) -> Findings:
    """Table 3: the round robin of all fives, with hidden information."""
    return round_robin(effort, "fives", TABLE_3)


def round_robin(effort: Effort, game: str, published: dict[Pair, float]) -> Findings:
    """All five players against each other on mirrored deals."""
    worlds = effort.pick(quick=5, full=100)
    specs = {name: f"pimc(worlds={worlds})" if name == "pimc" else name for name in NAMES}
    experiment = Experiment(game, list(specs.values()), duplicates=effort.pick(quick=30, full=500), seed=effort.seed)
    met = meetings(run_experiment(experiment, effort.folder / game, effort.jobs))
    pairs = {pair: met[specs[pair[0]], specs[pair[1]]] for pair in published}
    rows: list[list[Cell]] = [
        [f"{one} against {other}", _measured(found.points, published[one, other]), _measured(found.games)]
        for (one, other), found in pairs.items()
    ]
    games = 2 * experiment.duplicates
    return Findings(
        tables=[
            Table(
                f"Round robin of {game}",
                ["pairing", "rate of points", "games won"],
                rows,
                f"{games:,} games a pair on mirrored deals; pimc solves {worlds} worlds a decision exactly.",
            )
        ],
        figures=[compared_figure(game, {pair: (found.points, published[pair]) for pair, found in pairs.items()})],
        notes=[*differences({pair: (found.points, published[pair]) for pair, found in pairs.items()}), EXPLANATION],
    )


EXPLANATION = (
    "What explains the differences: our oracle and the inner solver of PIMC are exact, where the document's search "
    "had a fixed time for a position; so everybody who searches gains, most of all against players who do not. "
    "The document played 1,000 games a pair on unmirrored deals, whose rate of points moves by about two points "
    "either way by chance alone, and it does not say how an end of the line is chosen when a tile fits both."
)


def differences(compared: dict[Pair, tuple[Estimate, float]]) -> list[str]:
    """Where the published value lies outside our interval, and by how much."""
    outside = [
        f"{one} against {other} {100 * (measured.value - published):+.0f}"
        for (one, other), (measured, published) in compared.items()
        if not measured.low <= published <= measured.high
    ]
    inside = len(compared) - len(outside)
    sentence = f"**{inside} of {len(compared)}** published rates lie in our 95% intervals."
    if outside:
        sentence += f" The others differ by (points of a hundred): {', '.join(outside)}."
    return [sentence]


def compared_figure(game: str, compared: dict[Pair, tuple[Estimate, float]]) -> Figure:
    """Measured rates with their intervals, the published ones as rings."""
    with plot_style():
        plot = Plot(figsize=(9.6, 4.2))
        axes = plot.add_subplot()
        for y, (measured, published) in enumerate(compared.values()):
            axes.plot([measured.low, measured.high], [y, y], color=SERIES[0], linewidth=3, alpha=0.5)
            axes.plot([measured.value], [y], "o", color=SERIES[0], label="measured" if y == 0 else None)
            axes.plot([published], [y], "o", mfc="none", mec=LOSE, ms=10, label="published" if y == 0 else None)
        axes.axvline(0.5, color=SOFT, linewidth=1, linestyle=(0, (2, 3)))
        axes.set_yticks(range(len(compared)), [f"{one} against {other}" for one, other in compared])
        axes.invert_yaxis()
        axes.grid(axis="y", visible=False)
        axes.xaxis.set_major_formatter(lambda x, _: f"{100 * x:.0f}%")
        axes.set_xlabel("rate of points")
        plot.legend(loc="outside upper right", ncols=2)
    return Figure(f"{game}-rates", plot, f"Rates of points in {game}: measured with 95% intervals, and published.")


# --- Table 1 ------------------------------------------------------------------------------------


def perfect(effort: Effort) -> Findings:
    """Table 1: Sarsa with perfect information against the rule player."""
    rows: list[list[Cell]] = []
    for game, published in TABLE_1.items():
        experiment = Experiment(
            game, ["sarsa-open", "rule"], duplicates=effort.pick(quick=100, full=1000), seed=effort.seed
        )
        met = meetings(run_experiment(experiment, effort.folder / game, effort.jobs))["sarsa-open", "rule"]
        rows.append([game, _measured(met.points, published), _measured(met.games)])
    note = f"{2 * effort.pick(quick=100, full=1000):,} games each on mirrored deals."
    return Findings(
        [Table("Sarsa against the rule player, everything open", ["game", "rate of points", "games won"], rows, note)]
    )


# --- Figures 13 and 14 --------------------------------------------------------------------------


def time(effort: Effort) -> Findings:
    """Figures 13 and 14: alpha-beta against Sarsa and against MCTS, by seconds a move, everything open.

    Limits of time depend on the machine, so these numbers are not the same every time.
    """
    times = effort.pick(quick=TIMES[:2], full=TIMES)
    findings = Findings(notes=["Searches limited by time: the numbers depend on the machine and vary from run to run."])
    for title, number, opponent in (
        ("Sarsa", 13, lambda seconds: "sarsa-open"),
        ("MCTS", 14, lambda seconds: f"open-mcts(seconds={seconds})"),
    ):
        curves: dict[str, list[Met]] = {}
        for game in TABLE_1:
            for seconds in times:
                agents = [f"alphabeta(seconds={seconds})", opponent(seconds)]
                # A thousandth of the time, a thousand times the games would fit: as many as there is patience for.
                duplicates = effort.pick(quick=10, full=500)
                experiment = Experiment(game, agents, duplicates=duplicates, seed=effort.seed)
                run = run_experiment(experiment, effort.folder / f"figure-{number}-{game}-{seconds}", effort.jobs)
                curves.setdefault(game, []).append(meetings(run)[experiment.agents[0], experiment.agents[1]])
        findings.tables.append(time_table(title, number, times, curves))
        findings.figures.append(time_figure(title, number, times, curves))
    return findings


def time_table(title: str, number: int, times: tuple[float, ...], curves: dict[str, list[Met]]) -> Table:
    """The rates of alpha-beta by game and time."""
    rows: list[list[Cell]] = [
        [game, seconds, _measured(met.points), _measured(met.games)]
        for game, curve in curves.items()
        for seconds, met in zip(times, curve, strict=True)
    ]
    columns = ["game", "seconds a move", "rate of points", "games won"]
    return Table(f"Alpha-beta against {title} (figure {number})", columns, rows)


def time_figure(title: str, number: int, times: tuple[float, ...], curves: dict[str, list[Met]]) -> Figure:
    """The same as curves over a logarithmic axis of time."""
    with plot_style():
        plot = Plot(figsize=(9.6, 3.6))
        axes = plot.add_subplot()
        for (game, curve), colour in zip(curves.items(), SERIES, strict=False):
            points = [met.points for met in curve]
            axes.plot(times, [p.value for p in points], "o-", color=colour, label=game)
            axes.fill_between(times, [p.low for p in points], [p.high for p in points], color=colour, alpha=0.15)
        axes.axhline(0.5, color=SOFT, linewidth=1, linestyle=(0, (2, 3)))
        axes.set_xscale("log")
        axes.set_xlabel("seconds a move")
        axes.yaxis.set_major_formatter(lambda y, _: f"{100 * y:.0f}%")
        plot.legend(loc="outside upper right", ncols=len(curves))
    caption = f"Rate of points of alpha-beta against {title}, with 95% intervals (as figure {number} of document 003)."
    return Figure(f"figure-{number}", plot, caption)
