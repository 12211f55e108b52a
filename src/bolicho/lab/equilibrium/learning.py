"""Value of a best response to a strategy by learning iterations."""

from typing import Any

from matplotlib.figure import Figure as Plot

from bolicho.agents.cfr.truco.learner import ITERATIONS
from bolicho.agents.cfr.truco.response import Responded, respond_to_hands
from bolicho.agents.training import train
from bolicho.games.game import Game
from bolicho.lab.plots import drawing
from bolicho.lab.study import Effort, Figure, Measured, Table

STAGES = (250, 500, 1_000, 2_000)
"""Iterations at which a strategy is measured, beside the shipped one; each is learned from the beginning."""


def learning(hand: Game, effort: Effort, shipped: Responded) -> tuple[Table, Figure]:
    """Return a table and a figure of the stages, measured on the same hands as `shipped`."""
    found = {n: _measured(hand, effort, n, shipped) for n in effort.pick(quick=(3,), full=STAGES)}
    found[ITERATIONS] = shipped
    rows: list[list[Any]] = [
        [n, Measured(one.wins), Measured(one.wins_at_most), one.best.size] for n, one in found.items()
    ]
    table = Table(
        "What a best response wins as it learns",
        ["iterations", "at least", "at most", "hands"],
        rows,
        "The same hands of the responder; the last row is what ships.",
    )
    return table, Figure("learning", _plot(found), "What a best response wins, by the iterations that were learned.")


def _measured(hand: Game, effort: Effort, iterations: int, like: Responded) -> Responded:
    artifact = effort.folder / f"cfr-truco-{iterations}.safetensors"
    if not artifact.exists():
        artifact.parent.mkdir(parents=True, exist_ok=True)
        train("cfr truco", artifact, effort.seed, {"iterations": iterations})
    return respond_to_hands(
        hand, f"cfr(artifact={artifact})", samples=len(like.best), seed=like.seed, least=like.least, jobs=effort.jobs
    )


def _plot(found: dict[int, Responded]) -> Plot:
    with drawing(6.4, 3.4) as (plot, axes):
        wins = [one.wins for one in found.values()]
        errors = [[one.value - one.low for one in wins], [one.high - one.value for one in wins]]
        axes.errorbar(list(found), [one.value for one in wins], yerr=errors, marker="o", color="#2a6f97", capsize=2)
        axes.set_xscale("log")
        axes.set_xticks(list(found), [f"{n:,}" for n in found])
        axes.minorticks_off()
        axes.set_ylim(bottom=0)
        axes.set_xlabel("iterations")
        axes.set_ylabel("points a hand")
    return plot
