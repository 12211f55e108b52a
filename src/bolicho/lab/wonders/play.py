"""7 Wonders for three: agents by rules, by imitation and by Q-learning, as in Pereira 2021 and beyond."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from matplotlib.figure import Figure as Plot
from numpy.typing import NDArray

from bolicho.agents.agent import agent as make_agent
from bolicho.agents.neural import imitation
from bolicho.agents.neural.learning import curve_path
from bolicho.agents.neural.net import load
from bolicho.agents.neural.recipes import NEURAL, NEURAL_PLUS
from bolicho.agents.neural.wonders import AGE_INPUTS
from bolicho.arena import stats
from bolicho.arena.experiment import Experiment
from bolicho.arena.page import SERIES, plot_style
from bolicho.arena.pairing import deal_seed
from bolicho.arena.play import play
from bolicho.arena.rows import read_games
from bolicho.arena.run import Run
from bolicho.arena.run import run as run_experiment
from bolicho.games import game
from bolicho.games.wonders.text import points_by_kind
from bolicho.lab.study import Cell, Effort, Figure, Findings, Measured, Table
from bolicho.store.artifact import artifact_path

AGENTS = ("random", "rules", "neural", "neural-plus", "dqn", "dqn-plus")
KINDS = ("military", "coins", "wonder", "civil", "science", "commerce", "guilds")
AGES = ("I", "II", "III")

PUBLISHED_POINTS = {"rules": 53.83, "neural": 50.35, "dqn": 52.97}  # Pereira 2021, chapter 4
PUBLISHED_MS = {"rules": 4.55, "neural": 3.87, "dqn": 7.21}
PUBLISHED_ACCURACY = {"train": (0.9714, 0.9988, 0.9998), "test": (0.4623, 0.4000, 0.5257)}  # table 3.9
PUBLISHED_TOURNAMENT = {"rules": (42.92, 0.386), "neural": (42.76, 0.398), "dqn": (39.09, 0.216)}  # table 4.1
TOURNAMENTS = (("rules", "neural", "dqn"), ("rules", "neural-plus", "dqn-plus"), ("rules", "neural", "dqn-plus"))

FRESH = 777  # the seed of games that no net has learned from


def run(effort: Effort) -> Findings:
    """Accuracies, points against random players, and the tournaments."""
    games = effort.pick(quick=90, full=1000)
    measured = {name: against_random(name, games, effort.seed) for name in AGENTS}
    duplicates = effort.pick(quick=30, full=400)
    tables = [
        tournament(
            run_experiment(
                Experiment("wonders", agents, duplicates=duplicates, seed=effort.seed, move_limit=None),
                effort.folder / "-".join(agents),
                effort.jobs,
            )
        )
        for agents in TOURNAMENTS
    ]
    return Findings(
        tables=[
            accuracy_table(effort.pick(quick=60, full=500)),
            points_table(measured, games),
            kinds_table(measured),
            *tables,
        ],
        figures=[kinds_figure(measured), training_figure()],
        notes=[
            "Rules, neural and dqn follow Pereira 2021; neural-plus and dqn-plus are ours: their inputs know prices, "
            "gains, the neighbours' cities and the hands that come, and dqn-plus learned from returns, for the margin, "
            "against itself and the rules agent.  The rules agent's full list of weights was not published; ours keeps "
            "the weights that were.  Train and test plays never come from the same game.",
        ],
    )


# --- Accuracy -----------------------------------------------------------------------------------


def accuracy_table(games: int) -> Table:
    """How often the nets choose as the winner did, by age; fresh games as the test."""
    rows: list[list[Cell]] = []
    for name, plan in (("neural", NEURAL), ("neural-plus", NEURAL_PLUS)):
        nets = load(game("wonders"), f"wonders-{name}")
        teachers = [make_agent(plan.teacher, "wonders") for _ in range(3)]
        seen = imitation.collect(game("wonders"), teachers, plan, games)
        seen = imitation.split(seen, plan.games, plan.seed)[0]
        new = imitation.collect(game("wonders"), teachers, replace(plan, games=games, seed=FRESH))
        for age in range(len(AGES)):
            cells: list[Cell] = [f"{name}, age {AGES[age]}"]
            for how in ("raw", "legal"):
                if how == "raw" and plan.masked:
                    cells += ["-", "-"]
                    continue
                for side, plays in (("train", seen), ("test", new)):
                    mine = plays.part(ages_of(plays) == age)
                    right = imitation.predict(nets, age if len(nets.sizes) > 1 else 0, mine, how) == mine.chosen
                    published = PUBLISHED_ACCURACY[side][age] if how == "raw" else None
                    cells.append(_by_game(right, mine.game, published))
            rows.append(cells)
    note = (
        f"Train: plays of the winners of those among {games} games that were learned from; test: of {games} new games "
        "of three rules agents.  Raw: the highest of all outputs, as in table 3.9 of Pereira 2021; legal: the highest "
        "among the legal ones, as the agents play.  neural-plus learned with illegal outputs ruled out and was never "
        "told to keep them low.  The unit of intervals is the game."
    )
    columns = ["net", "train, raw", "test, raw", "train, legal", "test, legal"]
    return Table("How often the winner's play is chosen", columns, rows, note)


def ages_of(plays: imitation.Plays) -> NDArray[np.int64]:
    """The age of each play: its net where there are three, otherwise what the inputs say."""
    if plays.net.any():
        return plays.net
    return np.asarray(plays.inputs[:, AGE_INPUTS].argmax(axis=1))


def _by_game(right: NDArray[np.bool_], games: NDArray[np.int64], published: float | None) -> Measured:
    """A share of plays with an interval over games."""
    sums = np.bincount(games, right)
    counts = np.bincount(games)
    estimate = stats.ratio(sums, counts)
    return Measured(estimate.value, max(0.0, estimate.low), min(1.0, estimate.high), published, percent=True)


# --- Against two random players -----------------------------------------------------------------


@dataclass(frozen=True)
class Against:
    """What an agent scored against two random players, game by game."""

    points: NDArray[np.float64]
    kinds: dict[str, NDArray[np.float64]]
    won: NDArray[np.float64]
    seconds: float  # a decision


def against_random(name: str, games: int, seed: int) -> Against:
    """Play an agent against two random ones, from every seat in turn."""
    wonders = game("wonders")
    found: list[dict[str, int]] = []
    won = []
    seconds, decisions = 0.0, 0
    players = [make_agent(name, "wonders"), make_agent("random"), make_agent("random")]
    for number in range(games):
        seat = number % 3
        seated = [players[(place - seat) % 3] for place in range(3)]
        played = play(wonders, seated, deal_seed(seed, number))
        found.append(points_by_kind(played.table.pool, seat))
        won.append(stats.win_shares([played.payoffs])[0, seat])
        seconds += played.seconds[seat]
        decisions += played.decisions[seat]
    by_kind = {kind: np.array([float(points[kind]) for points in found]) for kind in (*KINDS, "total")}
    return Against(by_kind.pop("total"), by_kind, np.array(won), seconds / decisions)


def _mean(units: NDArray[np.float64], published: float | None = None) -> Measured:
    estimate = stats.mean(units)
    return Measured(estimate.value, estimate.low, estimate.high, published)


def points_table(measured: Mapping[str, Against], games: int) -> Table:
    """Points and wins against two random players, and the time of a play."""
    rows: list[list[Cell]] = []
    for name, found in measured.items():
        rate = stats.rate(found.won)
        rows.append(
            [
                name,
                _mean(found.points, PUBLISHED_POINTS.get(name)),
                Measured(rate.value, rate.low, rate.high, percent=True),
                Measured(found.seconds * 1000, published=PUBLISHED_MS.get(name)),
            ]
        )
    columns = ["agent", "points", "games won", "ms a play"]
    return Table("Against two random players", columns, rows, f"{games:,} games each, from every seat in turn.")


def kinds_table(measured: Mapping[str, Against]) -> Table:
    """Where the points come from."""
    rows: list[list[Cell]] = [[name, *(_mean(found.kinds[kind]) for kind in KINDS)] for name, found in measured.items()]
    return Table("Points by kind, against two random players", ["agent", *KINDS], rows)


def kinds_figure(measured: Mapping[str, Against]) -> Figure:
    """The same as bars."""
    with plot_style():
        plot = Plot(figsize=(9.6, 3.8))
        axes = plot.add_subplot()
        width = 0.8 / len(measured)
        for i, (name, found) in enumerate(measured.items()):
            places = [place + (i - (len(measured) - 1) / 2) * width for place in range(len(KINDS))]
            means = [found.kinds[kind].mean() for kind in KINDS]
            axes.bar(places, means, width * 0.9, color=SERIES[i % len(SERIES)], label=name)
        axes.set_xticks(range(len(KINDS)), list(KINDS))
        axes.set_ylabel("points")
        axes.grid(axis="x", visible=False)
        plot.legend(loc="outside upper right", ncols=len(measured))
    return Figure("kinds", plot, "Mean points by kind of structure against two random players.")


# --- Learning curves ----------------------------------------------------------------------------


def training_figure() -> Figure:
    """What the Q-learners were rewarded with a game, while they learned."""
    with plot_style():
        plot = Plot(figsize=(9.6, 3.6))
        for place, name in enumerate(("wonders-dqn", "wonders-dqn-plus")):
            curve = json.loads(curve_path(artifact_path(name)).read_text())
            axes = plot.add_subplot(1, 2, place + 1)
            games, rewards = [point["games"] for point in curve], [point["reward"] for point in curve]
            axes.plot(games, rewards, color=SERIES[place], alpha=0.35, linewidth=0.8)
            axes.plot(games, _smooth(rewards), color=SERIES[place])
            axes.set_title(name)
            axes.set_xlabel("games")
            axes.set_ylabel("reward a game")
    return Figure("training", plot, "Reward a game while learning: sampled, and its running mean.")


def _smooth(values: Sequence[float], window: int = 15) -> list[float]:
    """A running mean over a window around each value."""
    half = window // 2
    return [float(np.mean(values[max(0, i - half) : i + half + 1])) for i in range(len(values))]


# --- The tournament -----------------------------------------------------------------------------


def tournament(run: Run) -> Table:
    """Three agents at one table, every deal from every seat."""
    agents = list(run.experiment.agents)
    published = PUBLISHED_TOURNAMENT if agents == list(TOURNAMENTS[0]) else {}
    games = read_games(run.folder, run.experiment)
    rates = {row["agent"]: row["rate"] for row in run.result["agents"]}
    rows: list[list[Cell]] = []
    for number, name in enumerate(agents):
        mine = games.seated == number
        points = np.einsum("pdrs,prs->d", games.scores.astype(np.float64), mine.astype(np.float64)) / mine.sum()
        known = published.get(name, (None, None))
        rate = rates[name]
        won = Measured(rate["value"], rate["low"], rate["high"], known[1], percent=True)
        rows.append([name, _mean(points, known[0]), won])
    note = f"{run.result['games']:,} games: {run.experiment.duplicates:,} deals, each from every seat."
    return Table(f"Tournament: {', '.join(agents)}", ["agent", "points", "games won"], rows, note)
