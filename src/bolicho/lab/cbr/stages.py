"""Stages 1 to 3 of Paulus 2020 and Paulus et al.: twenty reuse policies, with an initial and with a learned base.

Every stage runs as published, in the three readings of PV, and with this project's own options. The baseline here is
synthetic (hands of scripted players), because the documents' human hands are not public. So the studies test whether
the *findings* are reproduced, not the counts.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bolicho.agents.cbr.cycle import OURS, CaseBasedOptions
from bolicho.agents.cbr.retain import CLEANINGS, MEMBERSHIPS
from bolicho.agents.cbr.reuse import POLICIES, VICTORIES
from bolicho.arena.html_page import ACCENT, LOSE, SERIES, SOFT
from bolicho.lab.cbr import published
from bolicho.lab.cbr.learning import initial_base, learned_bases, scoped_baseline
from bolicho.lab.cbr.mirrored_matches import (
    CaseBasedSpec,
    League,
    Scores,
    is_two_step,
    league,
    play_all,
    two_steps_or_one,
    won,
)
from bolicho.lab.plots import drawing, grouped_bars
from bolicho.lab.study import Cell, Effort, Figure, Findings, Measured, Table, share
from bolicho.stats import Estimate

DUPLICATES = 25  # number of the documents; a pair plays 50 matches
MANY_DEALS = 100  # deals of a pair, for differences that 25 deals cannot show
LEARNED_DEALS = 200  # deals of a policy against itself with another base
DECISIVE_DEALS = 1000  # deals of the best two-step policy against the best conventional one


@dataclass(frozen=True)
class Reading:
    """A way to run a stage: name in reports, name in files, the agents' options, their base, and the initial base."""

    name: str
    slug: str
    options: CaseBasedOptions
    base: str = "baseline"
    initial: str = "baseline"


def _points(ahead: Estimate) -> str:
    """Format a difference of shares in percentage points, with its interval."""
    return f"{100 * ahead.value:+.1f} [{100 * ahead.low:+.1f}, {100 * ahead.high:+.1f}]"


# --- Stage 1 ------------------------------------------------------------------------------------


def stage_1_readings(effort: Effort) -> list[Reading]:
    """Return the published options in the three readings of PV, and ours."""
    initial = initial_base(effort, published.AS_PUBLISHED.scope)
    found = [
        Reading(f"as published, {published.PV_WORDS[one.victory]}", one.victory, one.options(published.LOW), initial)
        for one in published.by_victory()
    ]
    return [*found, Reading("ours", "ours", OURS)]


def stage_1(effort: Effort) -> Findings:
    """Play all twenty policies against each other with the initial base (figure 10)."""
    deals = effort.pick(quick=5, full=MANY_DEALS)
    found = [(one, league(effort, list(POLICIES), one.base, deals, one.options)) for one in stage_1_readings(effort)]
    order = published.STAGE_1_ORDER
    as_many = min(DUPLICATES, deals)
    decisive = effort.pick(quick=100, full=DECISIVE_DEALS)
    return Findings(
        tables=[
            headline_table("Stage 1: the published finding, by reading", found),
            shares_table("Stage 1: everybody, baseline base", found, order),
            wins_table(f"Figure 10: matches won of {2 * as_many * (len(POLICIES) - 1)}", found, order, as_many),
            *(behaviour_table(f"Stage 1: what the agents do, {one.name}", many) for one, many in found),
        ],
        figures=[
            wins_figure(
                f"figure-10-{one.slug}", many, as_many, f"Figure 10, {one.name}: matches won; the line is half."
            )
            for one, many in found
        ],
        notes=[two_steps_or_one(effort, one.name, many, one.base, decisive, one.options) for one, many in found],
    )


def headline_table(title: str, found: Sequence[tuple[Reading, League]]) -> Table:
    """Tabulate the findings of stage 1, a row for each reading: first policies, leads, and models above half."""
    rows: list[list[Cell]] = [[one.name, *headline(many)] for one, many in found]
    order, matches = published.STAGE_1_ORDER, published.STAGE_1_MATCHES
    two_step = sum(map(is_two_step, order))
    rows.append([
        "(published)", f"{order[0]}, {order[1]}, {order[2]}",
        f"+{100 * published.STAGE_1_LEAD / matches:.1f} ({published.STAGE_1_LEAD} of {matches})", 1,
        "above", f"{two_step} of {len(order)}", len(order),
    ])  # fmt: skip
    columns = ["reading", "first three", "lead of the first over the second", "place of pvcnps",
               "best two-step above the best conventional by", "two-step of those above half",
               "of the published ten above half"]  # fmt: skip
    return Table(title, columns, rows, "Leads in points of percentage of all matches, with 95% intervals over deals.")


def headline(many: League) -> list[Cell]:
    """Return the cells of one league for the published findings of stage 1."""
    first, second, third = many.order[:3]
    above = many.above_half
    return [
        f"{first}, {second}, {third}",
        _points(many.difference(first, second)),
        many.order.index(published.STAGE_1_ORDER[0]) + 1,
        _points(many.difference(many.best(two_step=True), many.best(two_step=False))),
        f"{sum(map(is_two_step, above))} of {len(above)}",
        sum(policy in above for policy in published.STAGE_1_ORDER),
    ]


def shares_table(title: str, found: Sequence[tuple[Reading, League]], order: Sequence[str]) -> Table:
    """Tabulate the share of all matches that each policy won, by reading, in the published order."""
    rows: list[list[Cell]] = [
        [policy, place, *(many.share(policy) for _, many in found)] for policy, place in _placed(found, order)
    ]
    deals = len(next(iter(found[0][1].won.values())))
    columns = ["policy", "place (published)", *(one.name for one, _ in found)]
    return Table(title, columns, rows, f"Share of matches won, {deals:,} deals a pair from both seats.")


def wins_table(title: str, found: Sequence[tuple[Reading, League]], order: Sequence[str], deals: int) -> Table:
    """Tabulate the matches won on the first `deals` deals, comparable with the published counts."""
    rows: list[list[Cell]] = [
        [policy, place, *(sum(many.wins(policy, deals).values()) for _, many in found)]
        for policy, place in _placed(found, order)
    ]
    columns = ["policy", "place (published)", *(one.name for one, _ in found)]
    return Table(title, columns, rows, f"The first {deals} deals of the same.")


def _placed(found: Sequence[tuple[Reading, League]], order: Sequence[str]) -> list[tuple[str, Cell]]:
    """Return every policy with its published place; those without a place follow, best first."""
    others = [policy for policy in found[0][1].order if policy not in order]
    return [*((policy, place) for place, policy in enumerate(order, 1)), *((policy, "below half") for policy in others)]


def behaviour_table(title: str, many: League) -> Table:
    """Tabulate the behaviours of each policy, in per cent of its chances."""
    names = ("accepts truco", "calls truco", "bluffs at truco", "accepts envido", "calls envido", "bluffs at envido")
    said = dict.fromkeys(published.CONSERVATIVE, "conservative")
    said |= dict.fromkeys(published.AGGRESSIVE, "aggressive")
    rows: list[list[Cell]] = [
        [policy, said.get(policy), *(_did(many, policy, name) for name in names)] for policy in many.policies
    ]
    note = "Shares of the chances to do so, with 95% intervals over deals; what the text calls a policy beside it."
    return Table(title, ["policy", "said to be", *names], rows, note)


def _did(many: League, policy: str, name: str) -> Cell:
    """Return how often a policy showed a behaviour; None if it never had a chance."""
    found = many.behaviour(policy, name)
    return None if math.isnan(found.value) else Measured(found, percent=True)


def wins_figure(name: str, many: League, deals: int, caption: str) -> Figure:
    """Draw the wins as bars, with a line at half of the matches."""
    wins = {policy: sum(many.wins(policy, deals).values()) for policy in many.policies}
    order = sorted(wins, key=lambda policy: -wins[policy])
    half = deals * (len(order) - 1)
    with drawing(9.6, 3.4) as (plot, axes):
        colours = [ACCENT if wins[policy] > half else SOFT for policy in order]
        axes.bar(order, [wins[policy] for policy in order], color=colours)
        axes.axhline(half, color=LOSE, linewidth=1.2)
        axes.tick_params(axis="x", rotation=60 if len(order) > 10 else 0)
        axes.grid(axis="x", visible=False)
        axes.set_ylabel("matches won")
    return Figure(name, plot, caption)


# --- Effect of each option ----------------------------------------------------------------------

OPTION_DEALS = 20  # deals of a pair


def variations(effort: Effort) -> list[Reading]:
    """Return the published options, ours, and variations of each that change one option.

    `victory` has both other readings. Membership and cleaning are options of the initial base.
    """
    low = published.as_published(published.LOW)
    theirs, mine = published.SCOPES[published.AS_PUBLISHED.scope], (MEMBERSHIPS[0], CLEANINGS[0])
    found = []
    for name, end, other, (membership, cleaning), (new_membership, new_cleaning) in (
        ("as published", low, OURS, theirs, mine),
        ("ours", OURS, low, mine, theirs),
    ):
        base = scoped_baseline(effort, membership, cleaning, end.revise)
        changed = [
            (f"threshold={other.threshold}", replace(end, threshold=other.threshold)),
            (f"retrieval={other.retrieval}", replace(end, retrieval=other.retrieval)),
            (f"revise={other.revise}", replace(end, revise=other.revise)),
            (f"points={other.points}", replace(end, points=other.points)),
            (f"small_clusters={other.small_clusters}", replace(end, small_clusters=other.small_clusters)),
            *((f"victory={way}", replace(end, victory=way)) for way in VICTORIES if way != end.victory),
        ]
        scopes = [
            (f"membership={new_membership}", (new_membership, cleaning)),
            (f"cleaning={new_cleaning}", (membership, new_cleaning)),
        ]
        found.append(Reading(name, "", end, base))
        found += [Reading(f"{name}, but {what}", "", options, base) for what, options in changed]
        found += [
            Reading(f"{name}, but {what}", "", end, scoped_baseline(effort, *scope, end.revise))
            for what, scope in scopes
        ]
    return found


def options(effort: Effort) -> Findings:
    """Play stage 1 with one option changed at a time, from the published options and from ours."""
    deals = effort.pick(quick=2, full=OPTION_DEALS)
    found = [(one, league(effort, list(POLICIES), one.base, deals, one.options)) for one in variations(effort)]
    return Findings(
        tables=[
            headline_table("What each option changes in the order", found),
            shares_table("The shares of all of them", found, published.STAGE_1_ORDER),
        ],
        figures=[options_figure(found)],
    )


def options_figure(found: Sequence[tuple[Reading, League]]) -> Figure:
    """Plot the share of every policy under every variation; the document's four best are coloured."""
    with drawing(9.6, 5.4) as (plot, axes):
        rows = range(len(found))
        for policy in found[0][1].policies:
            known = published.STAGE_3_ORDER.index(policy) if policy in published.STAGE_3_ORDER else None
            axes.plot(
                [100 * float(many.won[policy].mean()) for _, many in found], rows, "o",
                color="#d5d5d5" if known is None else SERIES[known], markersize=4 if known is None else 7,
                label=None if known is None else policy, zorder=1 if known is None else 2,
            )  # fmt: skip
        axes.axvline(50, color=SOFT, linewidth=1)
        axes.set_yticks(list(rows), [one.name for one, _ in found])
        axes.invert_yaxis()
        axes.set_xlabel("share of matches won, per cent")
        plot.legend(loc="outside upper right", ncols=4)
    return Figure("options", plot, "Every policy's share under every variation; grey, the sixteen others.")


# --- Stage 2 ------------------------------------------------------------------------------------


def stage_2_readings(effort: Effort) -> list[Reading]:
    """Return the published options at both thresholds, since the document does not give it, and ours.

    The published options play from bases learned in each reading, and at the high threshold also from our base.
    """
    learned = learned_bases(effort, published.by_victory())
    initial = initial_base(effort, published.AS_PUBLISHED.scope)
    found = []
    for threshold in (published.LOW, published.HIGH):
        for one, base in zip(published.by_victory(), learned, strict=True):
            name, slug = (
                f"as published at {threshold:g}, {published.PV_WORDS[one.victory]}",
                f"{one.victory}-{100 * threshold:.0f}",
            )
            found.append(Reading(name, slug, one.options(threshold), base, initial))
    for one in published.by_victory():
        name = f"as published at {published.HIGH:g}, {published.PV_WORDS[one.victory]}, but our learned base"
        found.append(Reading(name, f"{one.victory}-our-base", one.options(published.HIGH), "learned"))
    return [*found, Reading("ours", "ours", OURS, "learned")]


def stage_2(effort: Effort) -> Findings:
    """Play the ten best with the learned base against themselves with the initial one (figure 11)."""
    deals = effort.pick(quick=25, full=LEARNED_DEALS)
    policies = published.STAGE_1_ORDER
    readings = stage_2_readings(effort)
    meetings = [
        (CaseBasedSpec(policy, one.base, one.options), CaseBasedSpec(policy, one.initial, one.options))
        for one in readings
        for policy in policies
    ]
    scores = iter(play_all(effort, meetings, deals, effort.seed))
    found = [(one, {policy: next(scores) for policy in policies}) for one in readings]
    return Findings(
        tables=[improvements_table(found), learned_table(found)],
        figures=[learned_figure(one, played) for one, played in found if one.base != "learned" or one.slug == "ours"],
    )


def improvements_table(found: Sequence[tuple[Reading, Mapping[str, Scores]]]) -> Table:
    """Tabulate, by reading, the matches that the policies won with the learned base, and those without a gain."""
    rows: list[list[Cell]] = []
    for one, played in found:
        units = [won(scores) for scores in played.values()]
        wins = sum(_won_as_published(scores) for scores in played.values())
        gained = [policy for policy, mine in zip(played, units, strict=True) if mine.mean() > 0.5]
        was = published.STAGE_2_WON / published.STAGE_2_MATCHES
        rows.append([
            one.name, f"{wins} of {2 * DUPLICATES * len(played)}",
            share(np.mean(units, axis=0), was, sum(map(len, units))), f"{len(gained)} of {len(played)}",
            ", ".join(policy for policy in played if policy not in gained) or "-",
        ])  # fmt: skip
    lost = published.STAGE_2_NOT_IMPROVED
    rows.append([
        "(published)", f"{published.STAGE_2_WON} of {published.STAGE_2_MATCHES}", None,
        f"{len(published.STAGE_1_ORDER) - len(lost)} of {len(published.STAGE_1_ORDER)}", ", ".join(lost),
    ])  # fmt: skip
    deals = len(next(iter(found[0][1].values())))
    columns = ["reading", "won", f"share, {deals:,} deals", "improved", "not improved"]
    note = "The same policy on both sides; every deal is played from both seats. Improved: more than half of all deals."
    return Table("Stage 2: the learned base against the baseline", columns, rows, note)


def learned_table(found: Sequence[tuple[Reading, Mapping[str, Scores]]]) -> Table:
    """Tabulate, by reading, each policy's share with the learned base against itself with the initial one."""
    rows: list[list[Cell]] = [
        [policy, "no" if policy in published.STAGE_2_NOT_IMPROVED else "yes",
         *(share(won(played[policy])) for _, played in found)]
        for policy in published.STAGE_1_ORDER
    ]  # fmt: skip
    columns = ["policy", "improved (published)", *(one.name for one, _ in found)]
    return Table("Stage 2 by policy: share won with the learned base", columns, rows)


def _won_as_published(scores: Scores) -> int:
    """Count the matches won on the published number of deals."""
    return int(np.count_nonzero(scores[:DUPLICATES, :, 0] > scores[:DUPLICATES, :, 1]))


def learned_figure(reading: Reading, played: Mapping[str, Scores]) -> Figure:
    """Draw the wins with the learned and with the initial base, by policy."""
    wins = [_won_as_published(scores) for scores in played.values()]
    with drawing(9.6, 3.4) as (plot, axes):
        grouped_bars(axes, list(played), {"learned": wins, "baseline": [2 * DUPLICATES - one for one in wins]})
        axes.axhline(DUPLICATES, color=SOFT, linewidth=1.2)
        axes.set_ylabel("matches won")
        plot.legend(loc="outside upper right", ncols=2)
    return Figure(f"figure-11-{reading.slug}", plot, f"Figure 11, {reading.name}: the learned base and the baseline.")


# --- Stage 3 ------------------------------------------------------------------------------------


def stage_3_readings(effort: Effort) -> list[Reading]:
    """Return the readings of stage 2 at the high threshold."""
    return [one for one in stage_2_readings(effort) if one.options.threshold == published.HIGH]


def stage_3(effort: Effort) -> Findings:
    """Play the ten best against each other with the learned base (figures 12 to 16, table 16)."""
    policies = published.STAGE_1_ORDER
    deals = effort.pick(quick=25, full=MANY_DEALS)
    found = [(one, league(effort, policies, one.base, deals, one.options)) for one in stage_3_readings(effort)]
    order = published.STAGE_3_ORDER
    drawn = [(one, many) for one, many in found if one.base != "learned" or one.slug == "ours"]
    decisive = effort.pick(quick=100, full=DECISIVE_DEALS)
    return Findings(
        tables=[
            shares_table("Stage 3: the ten best, learned base", found, order),
            wins_table(f"Figure 12: matches won of {published.STAGE_3_MATCHES}", found, order, DUPLICATES),
            table_16(found),
            *(behaviour_table(f"Stage 3: what the agents do, {one.name}", many) for one, many in found),
        ],
        figures=[
            *(
                wins_figure(f"figure-12-{one.slug}", many, DUPLICATES,
                            f"Figure 12, {one.name}: matches won with the learned base; the line is half.")
                for one, many in drawn
            ),
            *(opponents_figure(policy, drawn, number) for number, policy in enumerate(order, 13)),
        ],
        notes=[
            *(f"{one.name}: above half {', '.join(many.above_half)}; published: {', '.join(order)}."
              for one, many in found),
            *(two_steps_or_one(effort, one.name, many, one.base, decisive, one.options) for one, many in found),
        ],
    )  # fmt: skip


def table_16(found: Sequence[tuple[Reading, League]]) -> Table:
    """Tabulate the mean differences of points in wins and in losses."""
    rows: list[list[Cell]] = []
    for policy, was in published.TABLE_16.items():
        for one, many in found:
            margins = [many.margins(policy, victorious=victorious) for victorious in (True, False)]
            rows.append([
                policy, one.name,
                *(Measured(mine, theirs) for mine, theirs in zip(margins, was, strict=True)),
            ])  # fmt: skip
    columns = ["policy", "reading", "in wins", "in losses"]
    return Table("Table 16: mean difference of points", columns, rows, "Matches to 24 points.")


def opponents_figure(policy: str, found: Sequence[tuple[Reading, League]], number: int) -> Figure:
    """Draw the wins of one policy against each opponent, by reading."""
    opponents = [other for other in found[0][1].policies if other != policy]
    wins = {one.name: many.wins(policy, DUPLICATES) for one, many in found}
    with drawing(9.6, 2.8) as (plot, axes):
        grouped_bars(axes, opponents, {name: [won[other] for other in opponents] for name, won in wins.items()})
        axes.axhline(DUPLICATES, color=SOFT, linewidth=1.2)
        axes.set_ylabel(f"won of {2 * DUPLICATES}")
        plot.legend(loc="outside upper right", ncols=len(found), fontsize=8)
    return Figure(f"figure-{number}", plot, f"Figure {number}: {policy} against each of the others.")
