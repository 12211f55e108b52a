"""Appendix B of document 000: the sixteen elbow plots, the groups and their sizes, and what they are like."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure as Plot
from numpy.typing import NDArray

from bolicho.agents.cbr.bases import load_base
from bolicho.agents.cbr.casebase import CaseBase
from bolicho.agents.cbr.clusters import characterise, elbow, population, sweep, wcss_curve
from bolicho.agents.cbr.domain import MAX_GROUPS
from bolicho.agents.cbr.truco import TRUCO
from bolicho.arena.page import ACCENT, LOSE, SOFT, plot_style
from bolicho.lab import cbr_published as published
from bolicho.lab.cbr_learning import growth_figure
from bolicho.lab.study import Cell, Effort, Figure, Findings, Table

FOLLOWS_FIRST = 1  # "first card, follows": the scenario that table 12 characterises


@dataclass(frozen=True)
class Elbow:
    """One elbow plot: the curve, the k that the rule picks, and the k in use."""

    scenario: str
    wcss: NDArray[np.float64]
    picked: int
    used: int
    sizes: tuple[int, ...]  # cases of each group, the largest first

    @property
    def cases(self) -> int:
        return sum(self.sizes)


def elbows(base: CaseBase, restarts: int = 10) -> list[Elbow]:
    """The elbow data of every clustering of a base."""
    found = []
    for number, scenario in enumerate(TRUCO.clusterings):
        wcss = wcss_curve(sweep(population(TRUCO, base.cases, number).rows, restarts=restarts))
        labels = base.cases["label"][:, number]
        sizes = np.bincount(labels, minlength=base.clusterings[number].size + 1)[1:]
        found.append(Elbow(scenario, wcss, elbow(wcss), base.clusterings[number].size, tuple(map(int, sizes))))
    return found


def run(effort: Effort) -> Findings:
    """The clusterings of the learned base, beside appendix B."""
    base = load_base("learned", TRUCO)
    found = elbows(base, effort.pick(quick=3, full=10))
    return Findings(
        tables=[groups_table(found), sizes_table(found), *characteristics(base)],
        figures=[elbow_figure(found), growth_figure([("the learned base", base.made["growth"])])],
        notes=[
            f"The learned base: {len(base):,} cases after {base.made['matches']:,} matches of self-play"
            f" ({published.LEARNED_CASES:,} and {published.LEARNED_MATCHES:,} published)."
            f" Groups of the 14 scenarios in all: {sum(one.used for one in found[:14])}"
            f" ({sum(published.GROUPS[:14])} published)."
        ],
    )


def groups_table(found: Sequence[Elbow]) -> Table:
    """How many groups each clustering has, and how many cases."""
    rows: list[list[Cell]] = [
        [one.scenario, one.used, published.GROUPS[i], one.cases, published.GROUP_TOTALS[i]]
        for i, one in enumerate(found)
    ]
    columns = ["clustering", "groups", "groups (published)", "cases", "cases (published)"]
    return Table("Groups of every clustering", columns, rows, "Document 000, table 6 and appendix B, table 1.")


def sizes_table(found: Sequence[Elbow]) -> Table:
    """The sizes of all groups, the largest first."""
    rows: list[list[Cell]] = [
        [one.scenario, ", ".join(map(str, sorted(one.sizes, reverse=True))),
         ", ".join(map(str, sorted(published.GROUP_SIZES[i], reverse=True)))]
        for i, one in enumerate(found)
    ]  # fmt: skip
    return Table(
        "Sizes of the groups", ["clustering", "cases", "cases (published)"], rows, "Appendix B, tables 2 to 17."
    )


def characteristics(base: CaseBase) -> list[Table]:
    """What the groups of each scenario are like (in the manner of table 12)."""
    tables = []
    for number, scenario in enumerate(TRUCO.clusterings):
        rows: list[list[Cell]] = [
            [group.number, f"{group.share:.2%}", "; ".join(f"{name}: {value}" for name, value, _ in group.usual)]
            for group in characterise(base, number)
        ]
        note = "Table 12 characterises this scenario." if number == FOLLOWS_FIRST else ""
        tables.append(Table(f"Groups of '{scenario}'", ["group", "share", "most frequent in it"], rows, note))
    return tables


def elbow_figure(found: Sequence[Elbow]) -> Figure:
    """The sixteen elbow plots."""
    with plot_style():
        plot = Plot(figsize=(11, 9.6))
        for i, (one, axes) in enumerate(zip(found, plot.subplots(4, 4).flat, strict=True)):
            axes.plot(range(1, len(one.wcss) + 1), one.wcss / one.wcss[0], color=ACCENT, marker=".")
            axes.axvline(one.used, color=LOSE, linewidth=1.2)
            axes.axvline(published.GROUPS[i], color=SOFT, linewidth=1.2, linestyle=":")
            axes.set_title(f"{i + 1}. {one.scenario}", fontsize=8)
            axes.set_xlim(0.5, MAX_GROUPS + 0.5)
            axes.set_ylim(0, 1.05)
            axes.set_xticks(range(1, MAX_GROUPS + 1))
            axes.tick_params(labelsize=7)
            axes.grid(axis="x", visible=False)
        plot.supxlabel("groups", fontsize=9)
        plot.supylabel("sum of squares within (1 at one group)", fontsize=9)
    caption = (
        "Sum of squares within the groups by their number; the line is the number in use, dotted the published one."
    )
    return Figure("elbows", plot, caption)
