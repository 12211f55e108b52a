"""Effect of the opponents' calling rate on the Markov agent, as an explanation of the unreached published shares.

The published opponents knew hands of people, ours know hands of scripted styles. Here the four case-based agents play
from bases grown out of different styles, and tables 5.2 to 5.4 of Rossato 2020 are played against each. The study tests
whether the share of matches won depends on how often the opponent calls truco.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Plot
from numpy.typing import NDArray

from bolicho.agents.markov.options import TO_THE_LETTER
from bolicho.agents.rules.truco.styles import STYLES
from bolicho.lab.markov import published
from bolicho.lab.markov.case_based import AS_PUBLISHED, LEARNED, OURS, SETTINGS, shipped_bases, specs, style_bases
from bolicho.lab.markov.opponents import Campaign, campaigns, table_5_2, table_5_3, table_5_4
from bolicho.lab.study import Cell, Effort, Figure, Findings, Table, share

ALL = "all five"
"""Name of the shipped bases, which have hands of all five styles."""

BASES = ("cautious", "novice", ALL, "aggressive")
"""Styles whose hands the opponents know, from the least to the most frequent bets."""

CASES = 10_000
"""Cases of a learned base here: most of the learning, for a third of the work of the 27,515 cases that ship."""

COLOURS = dict(zip(BASES, ("#0b4a86", "#5b9b6b", "#8a8a8a", "#b0562c"), strict=True))


@dataclass(frozen=True)
class CallingResult:
    """Matches of the published agent against the four opponents with one base and one set of options."""

    base: str  # one of BASES
    kind: str  # baseline or learned
    settings: str  # one of SETTINGS
    campaigns: dict[str, Campaign]


def run(effort: Effort) -> Findings:
    """Play tables 5.2 to 5.4 against every base, and plot the share won over the opponents' calling rate."""
    matches = effort.pick(quick=100, full=200)
    cases = effort.pick(quick=5_000, full=CASES)
    met = [
        CallingResult(base, kind, settings, campaigns(specs(settings, kind, path), matches, effort.seed, TO_THE_LETTER))
        for base in BASES
        for settings in SETTINGS
        for kind, path in bases_of(base, settings, cases, effort).items()
    ]
    scripted = campaigns({style: style for style in STYLES}, matches, effort.seed, TO_THE_LETTER)
    tables = [summary(met), scripted_table(scripted)]
    for one in met:
        tables += tables_of(one)
    return Findings(
        tables=tables,
        figures=[
            Figure("calling", draw(met, scripted), "Share of matches won over how often the opponent calls truco.")
        ],
        notes=[
            f"Baselines: hands of the named styles. Learned bases: grown from them by self-play to {cases:,} cases; "
            f"those of {ALL} are the bases that ship. The published agent, by the text, begins each campaign with "
            f"the initial matrices; {matches} matches each. The calling rate is measured in those very matches: the "
            "share of hands in which the opponent called truco. It is not set from outside: whoever calls more also "
            "bets more envido and takes other cards from its cases.",
            f"Rank correlation of share and calling rate, opponents {OURS}: {rank_correlation(met, OURS):.2f}; "
            f"{AS_PUBLISHED}: {rank_correlation(met, AS_PUBLISHED):.2f}.",
        ],
    )


def bases_of(base: str, settings: str, cases: int, effort: Effort) -> dict[str, str]:
    """Return the initial and the learned base of these hands, as published or ours; learn those that are missing."""
    return shipped_bases(effort, settings) if base == ALL else style_bases(effort, settings, base, cases)


# --- Tables -------------------------------------------------------------------------------------


def summary(met: Sequence[CallingResult]) -> Table:
    """Tabulate calling rate and share won, the four opponents together."""
    rows: list[list[Cell]] = []
    for one in met:
        done = one.campaigns.values()
        calls = sum(each.trucos for each in done) / sum(each.hands for each in done)
        beaten = share([won for each in done for won in each.won])
        by_opponent = [f"{100 * np.mean(each.won):.1f}%" for each in done]
        rows.append([one.base, one.kind, one.settings, f"{100 * calls:.0f}%", beaten, *by_opponent])
    note = "Published: 7 to 17% with the learned base (table 5.2), 14 to 42% with the baseline (table 5.4)."
    columns = ["hands of", "base", "opponents", "call truco", "matches won", *published.OPPONENTS]
    return Table("Calling and winning", columns, rows, note)


def scripted_table(found: dict[str, Campaign]) -> Table:
    """Tabulate the scripted styles themselves as opponents."""
    rows: list[list[Cell]] = [[style, f"{100 * done.calls:.0f}%", share(done.won)] for style, done in found.items()]
    return Table("The styles themselves", ["opponent", "calls truco", "matches won"], rows)


def tables_of(one: CallingResult) -> list[Table]:
    """Return the published tables that belong to a base."""
    made = [table_5_2(one.campaigns), table_5_3(one.campaigns)] if one.kind == LEARNED else [table_5_4(one.campaigns)]
    about = f", hands of {one.base}, opponents {one.settings}"
    return [Table(f"{table.title}{about}", table.columns, table.rows, table.note) for table in made]


def rank_correlation(met: Sequence[CallingResult], settings: str) -> float:
    """Compute Spearman's rank correlation of calling rate and share won, over opponents and bases."""
    found = [done for one in met if one.settings == settings for done in one.campaigns.values()]
    calls, wins = _ranks([done.calls for done in found]), _ranks([float(np.mean(done.won)) for done in found])
    return float(np.corrcoef(calls, wins)[0, 1])


def _ranks(values: Sequence[float]) -> NDArray[np.float64]:
    """Return the rank of each value in ascending order; equal values get the mean of their ranks."""
    found = np.asarray(values)
    return np.array([(found < value).sum() + ((found == value).sum() - 1) / 2 for value in found])


# --- Figure -------------------------------------------------------------------------------------


def draw(met: Sequence[CallingResult], scripted: dict[str, Campaign]) -> Plot:
    """Plot every opponent as a point: share of matches won against it over its calling rate."""
    figure = Plot(figsize=(9, 5.4), layout="constrained")
    axes = figure.add_subplot()
    axes.axhspan(7, 17, color="#e3cfa8", alpha=0.5, lw=0, label="published, learned base (table 5.2)")
    axes.axhspan(14, 42, color="#a9cfe4", alpha=0.3, lw=0, label="published, baseline (table 5.4)")
    for one in met:
        done = one.campaigns.values()
        axes.scatter(
            [100 * each.calls for each in done],
            [100 * np.mean(each.won) for each in done],
            marker="o" if one.kind == LEARNED else "^",
            s=44,
            facecolors=COLOURS[one.base] if one.settings == OURS else "none",
            edgecolors=COLOURS[one.base],
            zorder=3,
        )
    marks = {style: (100 * each.calls, 100 * float(np.mean(each.won))) for style, each in scripted.items()}
    for style, (x, y) in marks.items():
        axes.plot(x, y, "x", color="black", ms=7)
        crowded = any(0 < u - x < 8 and abs(v - y) < 4 for u, v in marks.values())  # another label is on the right
        where = ((0, -13), "center") if crowded else ((7, 3), "left")
        axes.annotate(style, (x, y), textcoords="offset points", xytext=where[0], ha=where[1], fontsize=8)
    _keys(axes)
    axes.set_xlabel("hands in which the opponent calls truco, %")
    axes.set_ylabel("matches won by the published agent, %")
    axes.set_ylim(bottom=-1)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def _keys(axes: Axes) -> None:
    """Add the legend of colours and marks."""
    for base, colour in COLOURS.items():
        axes.plot([], [], "s", color=colour, label=f"hands of {base}")
    for mark, words in (("^", "opponent plays from the baseline"), ("o", "from the learned base")):
        axes.plot([], [], mark, color="black", mfc="black", label=words)
    axes.plot([], [], "o", color="black", mfc="none", label="hollow: opponents as published")
    axes.plot([], [], "x", color="black", label="scripted style as opponent")
    axes.legend(fontsize=8, frameon=False, loc="upper right")
