"""Comparison of the readings of Paulus 2020 by the printed facts that each explains.

The documents leave five definitions open: the measures of NP and PV, the scenarios of a hand (with the unit of
cleaning), the treatment of clusters with few cases, and the number of cases that retrieval needs. Every combination is
run through the learning and through stages 1 and 3, and scored by the number of printed facts it reproduces.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import product

import numpy as np

from bolicho.agents.cbr.bases import load_base
from bolicho.agents.cbr.casebase import CaseBase
from bolicho.agents.cbr.reuse import POINTS, POLICIES, VICTORIES
from bolicho.agents.cbr.truco import TRUCO
from bolicho.arena.html_page import ACCENT
from bolicho.lab.cbr import published
from bolicho.lab.cbr.learning import initial_base, learned_bases
from bolicho.lab.cbr.mirrored_matches import League, league
from bolicho.lab.cbr.published import Definitions
from bolicho.lab.plots import drawing
from bolicho.lab.study import Cell, Effort, Figure, Findings, Table

NEAR_POINTS = 1.0  # tolerance for a mean difference of table 16, in points
NEAR_SHARE = 0.25  # tolerance for a total of appendix B, as a share of it
FLAT = 0.05  # largest relative difference between the totals of the three rounds that counts as "hardly change"
AGGRESSION = ("accepts truco", "calls truco")
"""Behaviours that measure aggressive play; the document gives no measure."""


def combinations(quick: bool) -> list[Definitions]:
    """Return all combinations, or two that differ in most definitions.

    Treatment of small clusters and number of cases have three readings together: algorithm 2 of Paulus 2020 with five
    cases, the same with the hundred of section 4.1.3, and algorithm 1 of Paulus et al.
    """
    few, many = published.FEW, published.MANY
    if quick:
        return [
            Definitions("balance", "share", "begun", "choose", many),
            Definitions("balance", "bar", "every-round", "no-answer", few),
        ]
    minimums = (("choose", few), ("choose", many), ("no-answer", few))
    return [
        Definitions(points, victory, scope, small, minimum)
        for points, victory, scope, (small, minimum) in product(POINTS, VICTORIES, published.SCOPES, minimums)
    ]


@dataclass(frozen=True)
class ReadingResult:
    """Results of one reading."""

    reading: Definitions
    stage_1: League
    stage_3: League
    totals: tuple[int, ...]  # cases of every scenario and index in the learned base
    cases: int

    def parts(self) -> dict[str, tuple[int, int]]:
        """Return, for each part of the document, the number of facts that hold and the number of facts."""
        return {
            "stage 1": _count(self._order()),
            "stage 3": _count(self._above_half()),
            "table 16": _count(self._table_16()),
            "behaviour, stage 1": _count(_more_conservative(self.stage_1, published.MORE_CONSERVATIVE_1)),
            "behaviour, stage 3": _count(_more_conservative(self.stage_3, published.MORE_CONSERVATIVE_3)),
            "appendix B": _count(self._appendix_b()),
        }

    @property
    def score(self) -> float:
        """Mean of the parts' shares: each part of the document has the same weight."""
        return float(np.mean([held / of for held, of in self.parts().values()]))

    def _order(self) -> list[bool]:
        """Check the first and second policy, the lead of the two-step policies, and each of the ten above half."""
        first, second, *_ = published.STAGE_1_ORDER
        found = self.stage_1
        two_step_leads = found.difference(found.best(two_step=True), found.best(two_step=False)).low > 0
        above = [policy in found.above_half for policy in published.STAGE_1_ORDER]
        return [found.order[0] == first, found.order[1] == second, two_step_leads, *above]

    def _above_half(self) -> list[bool]:
        """Check each of the ten against its printed side of half, and the printed order of the first two."""
        above = self.stage_3.above_half
        sides = [(policy in above) == (policy in published.STAGE_3_ORDER) for policy in published.STAGE_1_ORDER]
        return [
            *sides,
            *(mine == was for mine, was in zip(self.stage_3.order, published.STAGE_3_ORDER[:2], strict=False)),
        ]

    def _table_16(self) -> list[bool]:
        """Check that each of the eight means is within a point, and pvcnps best in both margins."""
        margins = {
            policy: [self.stage_3.margins(policy, victorious=victorious).value for victorious in (True, False)]
            for policy in published.TABLE_16
        }
        near = [
            abs(mine - was) <= NEAR_POINTS
            for policy, both in published.TABLE_16.items()
            for mine, was in zip(margins[policy], both, strict=True)
        ]
        first = published.STAGE_3_ORDER[0]
        return [*near, *(max(margins, key=lambda policy: margins[policy][side]) == first for side in (0, 1))]

    def _appendix_b(self) -> list[bool]:
        """Check every total as a share of the base, and the trend of the totals over the rounds."""
        shares = np.array(self.totals) / self.cases
        were = np.array(published.GROUP_TOTALS) / published.LEARNED_CASES
        near = np.abs(shares / were - 1) <= NEAR_SHARE
        cards, truco = _by_round(self.totals, 0), _by_round(self.totals, 8)
        return [*near.tolist(), *(max(each) <= (1 + FLAT) * min(each) for each in (cards, truco)), truco[0] < cards[0]]


def _by_round(totals: Sequence[int], first: int) -> list[int]:
    """Return the cases of each round, leading and following together."""
    return [totals[first + 2 * r] + totals[first + 2 * r + 1] for r in range(3)]


def _count(facts: Sequence[bool]) -> tuple[int, int]:
    return sum(facts), len(facts)


def _more_conservative(found: League, pairs: Sequence[tuple[str, str]]) -> list[bool]:
    """Return, for each pair and measure, whether the first policy shows the behaviour less often than the second."""
    return [
        found.behaviour(one, name).value < found.behaviour(other, name).value
        for one, other in pairs
        for name in AGGRESSION
    ]


def run(effort: Effort) -> Findings:
    """Learn and play in every reading, and score the readings."""
    readings = combinations(quick=not effort.full)
    learned = learned_bases(effort, readings)
    found = [_play(effort, one, base) for one, base in zip(readings, learned, strict=True)]
    found.sort(key=lambda outcome: -outcome.score)
    best = found[0]
    return Findings(
        tables=[
            score_table(found),
            totals_table(found),
        ],
        figures=[acceptance_figure(found)],
        notes=[
            f"Most facts: NP {best.reading.points}, PV {best.reading.victory}, membership {best.reading.scope},"
            f" small clusters {best.reading.small_clusters}, {best.reading.minimum} cases wanted"
            f" (score {best.score:.2f}; all parts weigh the same)."
        ],
    )


def _play(effort: Effort, one: Definitions, learned: str) -> ReadingResult:
    deals = effort.pick(quick=2, full=100)
    start = initial_base(effort, one.scope)
    first = league(effort, list(POLICIES), start, deals, one.options(published.LOW))
    third = league(effort, published.STAGE_1_ORDER, learned, deals, one.options(published.HIGH))
    base = load_base(learned, TRUCO)
    return ReadingResult(one, first, third, totals_of(base), len(base))


def totals_of(base: CaseBase) -> tuple[int, ...]:
    """Count the cases of every scenario and index."""
    return tuple(int(count) for count in np.count_nonzero(base.cases["label"], axis=0))


def score_table(found: Sequence[ReadingResult]) -> Table:
    """Tabulate the facts that each reading explains, part by part."""
    parts = list(found[0].parts())
    rows: list[list[Cell]] = [
        [*asdict(one.reading).values(), *(f"{held} of {of}" for held, of in one.parts().values()), round(one.score, 3)]
        for one in found
    ]
    columns = ["NP adds up", "PV goes by", "membership", "small clusters", "cases wanted", *parts, "score"]
    note = (
        "Facts of each part that come out. Score: the mean share over the parts (the weights are ours). Stage 1: pvcnps"
        " first, nps second, two-step policies ahead, each of the ten above half. Stage 3: each of the ten on the"
        f" printed side of half, the first two in order. Table 16: means within {NEAR_POINTS:g} point, pvcnps best in"
        " both."
        " Behaviour: pairs of which the text calls one more conservative, by trucos accepted and called."
        f" Appendix B: totals within {NEAR_SHARE:.0%}, flat by round, fewer of truco than of cards."
    )
    return Table("Readings of Paulus 2020, by the printed facts they explain", columns, rows, note)


def totals_table(found: Sequence[ReadingResult]) -> Table:
    """Tabulate the cases of every scenario in each scope, beside appendix B."""
    by_scope = {one.reading.scope: one for one in reversed(found)}  # best first, so the best of each scope remains
    rows: list[list[Cell]] = [
        [name, published.GROUP_TOTALS[i], *(one.totals[i] for one in by_scope.values())]
        for i, name in enumerate(TRUCO.clusterings)
    ]
    rows.append(["all cases", published.LEARNED_CASES, *(one.cases for one in by_scope.values())])
    return Table(
        "Cases of every scenario", ["scenario", "published", *by_scope], rows, "The best reading of each scope."
    )


def acceptance_figure(found: Sequence[ReadingResult]) -> Figure:
    """Plot how often four policies accept a truco in stage 1, by reading."""
    with drawing(9.6, 0.32 * len(found) + 1.4) as (plot, axes):
        for policy, marker in zip(published.STAGE_3_ORDER, "osD^", strict=True):
            values = [100 * one.stage_1.behaviour(policy, "accepts truco").value for one in found]
            colour = ACCENT if policy in published.CONSERVATIVE else "#555555"
            axes.plot(values, range(len(found)), marker, color=colour, label=policy)
        axes.set_yticks(range(len(found)), [one.reading.name for one in found])
        axes.invert_yaxis()
        axes.set_xlabel("trucos accepted in stage 1, per cent")
        plot.legend(loc="outside upper right", ncols=4)
    return Figure(
        "acceptance", plot, "Trucos accepted in stage 1; the text calls pvcs and pvs conservative, nps aggressive."
    )
