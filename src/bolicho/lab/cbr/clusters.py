"""Appendix B and table 12 of Paulus 2020: elbow plots, groups of cases, their sizes and characteristics."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure as Plot
from numpy.typing import NDArray

from bolicho.agents.cbr.bases import load_base
from bolicho.agents.cbr.casebase import CaseBase
from bolicho.agents.cbr.clusters import Group, characterise, elbow, mixture, population, sweep, wcss_curve
from bolicho.agents.cbr.domain import MAX_GROUPS
from bolicho.agents.cbr.truco import TRUCO
from bolicho.arena.html_page import ACCENT, LOSE, SOFT, plot_style
from bolicho.lab.cbr import published
from bolicho.lab.cbr.learning import growth_figure, initial_base, learned_bases
from bolicho.lab.study import Cell, Effort, Figure, Findings, Table

FOLLOWS_FIRST = 1  # number of the scenario of table 12, "first card, follows"


@dataclass(frozen=True)
class ElbowPlot:
    """Data of one elbow plot: the curve, the k that the elbow rule picks, and the k in use."""

    scenario: str
    wcss: NDArray[np.float64]
    picked: int
    used: int
    sizes: tuple[int, ...]  # cases of each group, by number of the group

    @property
    def cases(self) -> int:
        return sum(self.sizes)


def elbows(base: CaseBase, restarts: int = 10) -> list[ElbowPlot]:
    """Compute the elbow data of every clustering of a base."""
    found = []
    for number, scenario in enumerate(TRUCO.clusterings):
        wcss = wcss_curve(sweep(population(TRUCO, base.cases, number).rows, restarts=restarts))
        labels = base.cases["label"][:, number]
        sizes = np.bincount(labels, minlength=base.clusterings[number].size + 1)[1:]
        found.append(ElbowPlot(scenario, wcss, elbow(wcss), base.clusterings[number].size, tuple(map(int, sizes))))
    return found


def run(effort: Effort) -> Findings:
    """Compare the clusterings of bases as published, and of the shipped ones, with appendix B and table 12."""
    (path,) = learned_bases(effort, [published.AS_PUBLISHED])
    learned = load_base(path, TRUCO)
    initial = load_base(initial_base(effort, published.AS_PUBLISHED.scope), TRUCO)
    restarts = effort.pick(quick=3, full=10)
    found, first = elbows(learned, restarts), elbows(initial, restarts)
    ours = [elbows(load_base(name, TRUCO), restarts) for name in ("learned", "baseline")]
    return Findings(
        tables=[
            groups_table("Groups of every clustering, as published", found, first),
            groups_table("Groups of every clustering, the bases that ship", *ours),
            mixtures_table("Another algorithm: Gaussian mixtures, as published", learned, initial),
            table_12(learned, initial),
            sizes_table(found, first),
            *characteristics(learned),
            *characteristics(initial),
        ],
        figures=[
            elbow_figure("elbows", found, f"The learned base, {len(learned):,} cases", published.GROUPS),
            elbow_figure("elbows-initial", first, f"The initial base, {len(initial):,} cases"),
            growth_figure([("the learned base", learned.made["growth"])]),
        ],
        notes=[
            f"The learned base: {len(learned):,} cases after {learned.made['matches']:,} matches of self-play"
            f" ({published.LEARNED_CASES:,} and {published.LEARNED_MATCHES:,} published)."
            f" Groups of the 14 scenarios in all: {sum(one.used for one in found[:14])}"
            f" ({sum(published.GROUPS[:14])} published); of the initial base {sum(one.used for one in first[:14])}."
        ],
    )


def groups_table(title: str, found: Sequence[ElbowPlot], first: Sequence[ElbowPlot]) -> Table:
    """Tabulate the numbers of groups and cases of each clustering, in the learned and in the initial base."""
    rows: list[list[Cell]] = [
        [one.scenario, one.used, published.GROUPS[i], one.cases, published.GROUP_TOTALS[i],
         before.used, published.INITIAL_GROUPS.get(i), before.cases]
        for i, (one, before) in enumerate(zip(found, first, strict=True))
    ]  # fmt: skip
    columns = ["clustering", "groups", "groups (published)", "cases", "cases (published)",
               "groups, initial base", "groups, initial base (published)", "cases, initial base"]  # fmt: skip
    note = "Paulus 2020, table 6 and appendix B, table 1; of the initial base, the groups listed in section 3.2."
    return Table(title, columns, rows, note)


def mixtures_table(title: str, *bases: CaseBase) -> Table:
    """Tabulate, for each base, the groups of every clustering by k-means and by mixtures, and their agreement."""
    from sklearn.metrics import adjusted_rand_score

    rows: list[list[Cell]] = []
    for number, scenario in enumerate(TRUCO.clusterings):
        rows.append([scenario])
        for base in bases:
            of = population(TRUCO, base.cases, number)
            labels, others = base.cases["label"][of.cases, number], mixture(of.rows)[of.row_of]
            agreement = float(adjusted_rand_score(labels, others))
            rows[-1] += [base.clusterings[number].size, int(others.max(initial=1)), round(agreement, 3)]
    columns = [f"{what}, {base.name}" for base in bases for what in ("k-means", "mixture", "agreement")]
    note = (
        "Numbers of groups: k-means by the elbow, mixtures by the Bayesian information criterion. Agreement: the"
        " adjusted Rand index, 1 for the same groups and 0 for chance."
    )
    return Table(title, ["clustering", *columns], rows, note)


def table_12(learned: CaseBase, initial: CaseBase) -> Table:
    """Tabulate the groups of "first card, follows" by size, beside the published shares."""
    ours = [sorted(characterise(base, FOLLOWS_FIRST), key=lambda group: -group.cases) for base in (learned, initial)]
    rows: list[list[Cell]] = []
    for i in range(max(len(published.TABLE_12), *map(len, ours))):
        name, share = published.TABLE_12[i] if i < len(published.TABLE_12) else (None, None)
        rows.append([i + 1, name, None if share is None else f"{share:.2%}"])
        for groups in ours:
            rows[-1] += [f"{groups[i].share:.2%}", _usual(groups[i])] if i < len(groups) else [None, None]
    columns = ["by size", "group (published)", "share (published)", "share, learned base", "most frequent in it",
               "share, initial base", "most frequent in that"]  # fmt: skip
    note = (
        "Places by size do not mean the same group. The published shares add up to 93.5%: by appendix B, table 3,"
        " the last is 484 of 7,427, or 6.52%."
    )
    return Table("Table 12: groups of 'first card, follows'", columns, rows, note)


def _usual(group: Group) -> str:
    return "; ".join(f"{name}: {value}" for name, value, _ in group.usual)


def sizes_table(found: Sequence[ElbowPlot], first: Sequence[ElbowPlot]) -> Table:
    """Tabulate the sizes of all groups, largest first."""
    rows: list[list[Cell]] = [
        [one.scenario, *(", ".join(map(str, sorted(sizes, reverse=True)))
                         for sizes in (one.sizes, published.GROUP_SIZES[i], before.sizes))]
        for i, (one, before) in enumerate(zip(found, first, strict=True))
    ]  # fmt: skip
    columns = ["clustering", "cases", "cases (published)", "cases, initial base"]
    return Table("Sizes of the groups", columns, rows, "Appendix B, tables 2 to 17.")


def characteristics(base: CaseBase) -> list[Table]:
    """Tabulate the most frequent values in the groups of each scenario, as table 12 describes its groups."""
    tables = []
    for number, scenario in enumerate(TRUCO.clusterings):
        rows: list[list[Cell]] = [
            [group.number, f"{group.share:.2%}", _usual(group)] for group in characterise(base, number)
        ]
        title = f"Groups of '{scenario}', {base.name} base"
        tables.append(Table(title, ["group", "share", "most frequent in it"], rows))
    return tables


def elbow_figure(name: str, found: Sequence[ElbowPlot], whose: str, were: Sequence[int] = ()) -> Figure:
    """Draw the sixteen elbow plots of a base, with the published numbers of groups if given."""
    with plot_style():
        plot = Plot(figsize=(11, 9.6))
        for i, (one, axes) in enumerate(zip(found, plot.subplots(4, 4).flat, strict=True)):
            axes.plot(range(1, len(one.wcss) + 1), one.wcss / one.wcss[0], color=ACCENT, marker=".")
            axes.axvline(one.used, color=LOSE, linewidth=1.2)
            if were:
                axes.axvline(were[i], color=SOFT, linewidth=1.2, linestyle=":")
            axes.set_title(f"{i + 1}. {one.scenario}", fontsize=8)
            axes.set_xlim(0.5, MAX_GROUPS + 0.5)
            axes.set_ylim(0, 1.05)
            axes.set_xticks(range(1, MAX_GROUPS + 1))
            axes.tick_params(labelsize=7)
            axes.grid(axis="x", visible=False)
        plot.supxlabel("groups", fontsize=9)
        plot.supylabel("sum of squares within (1 at one group)", fontsize=9)
    dotted = ", dotted the published one" if were else ""
    caption = f"{whose}: sum of squares within the groups by their number; the line is the number in use{dotted}."
    return Figure(name, plot, caption)
