"""Accuracy and learning curves of the nets of 7 Wonders."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from matplotlib.figure import Figure as Plot
from numpy.typing import NDArray

from bolicho import stats
from bolicho.agents.neural import imitation
from bolicho.agents.neural.compiled.wonders import AGE_INPUTS
from bolicho.agents.neural.net import load
from bolicho.agents.neural.recipes import declared_plan
from bolicho.agents.training import read_curve
from bolicho.arena.html_page import SERIES, plot_style
from bolicho.games import game
from bolicho.lab.study import Cell, Figure, Measured, Table
from bolicho.store.artifact import artifact_path

AGES = ("I", "II", "III")
PUBLISHED_ACCURACY = {"train": (0.9714, 0.9988, 0.9998), "test": (0.4623, 0.4000, 0.5257)}  # table 3.9
FRESH = 777  # seed of games that no net has learned from


def accuracy_table(games: int) -> Table:
    """Tabulate how often the nets choose the winner's play, by age; the test uses fresh games."""
    rows: list[list[Cell]] = []
    for name in ("neural", "neural-plus"):
        plan = declared_plan(f"{name} wonders")
        nets = load(game("wonders"), f"wonders-{name}")
        teachers = [plan.teacher] * 3
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


def ages_of(plays: imitation.ImitationPlays) -> NDArray[np.int64]:
    """Return the age of each play: the number of its net if there are three nets, otherwise read from the inputs."""
    if plays.net.any():
        return plays.net
    return np.asarray(plays.inputs[:, AGE_INPUTS].argmax(axis=1))


def _by_game(right: NDArray[np.bool_], games: NDArray[np.int64], published: float | None) -> Measured:
    """Return a share of plays with an interval over games."""
    found = stats.ratio(np.bincount(games, right), np.bincount(games))
    return Measured(found.within_one(), published, percent=True)


def training_figure() -> Figure:
    """Plot the Q-learners' reward per game during learning."""
    with plot_style():
        plot = Plot(figsize=(9.6, 3.6))
        for place, name in enumerate(("dqn-wonders", "dqn-plus-wonders")):
            curve = read_curve(artifact_path(name))
            axes = plot.add_subplot(1, 2, place + 1)
            games, rewards = [point["games"] for point in curve], [point["reward"] for point in curve]
            axes.plot(games, rewards, color=SERIES[place], alpha=0.35, linewidth=0.8)
            axes.plot(games, _smooth(rewards), color=SERIES[place])
            axes.set_title(name)
            axes.set_xlabel("games")
            axes.set_ylabel("reward a game")
    return Figure("training", plot, "Reward a game while learning: sampled, and its running mean.")


def _smooth(values: Sequence[float], window: int = 15) -> list[float]:
    """Return a running mean over a window around each value."""
    half = window // 2
    return [float(np.mean(values[max(0, i - half) : i + half + 1])) for i in range(len(values))]
