"""The studies of documents 000 and 002: twenty reuse policies, a learned base, and who is best with it.

The baseline here is synthetic (hands of scripted players): the documents' human hands are not
public.  So the question is whether the *findings* come out again, not the same counts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure as Plot

from bolicho.agents.cbr.reuse import POLICIES
from bolicho.arena.experiment import Experiment
from bolicho.arena.page import ACCENT, LOSE, SERIES, SOFT, plot_style
from bolicho.arena.run import Run
from bolicho.arena.run import run as run_experiment
from bolicho.lab import cbr_published as published
from bolicho.lab.cbr_duels import League, league, measured, shares, two_steps_or_one
from bolicho.lab.study import Cell, Effort, Figure, Findings, Measured, Table

DUPLICATES = 25  # of the documents; a pair plays 50 matches
MANY_DEALS = 1000  # a pair, for what 25 cannot tell
DECISIVE_DEALS = 5000  # of the best two-step policy and the best conventional one


@dataclass(frozen=True)
class Standing:
    """How a policy did against all others: wins with the interval of their share, and its margins."""

    policy: str
    wins: float
    matches: int
    rate: Measured
    in_wins: Measured
    in_losses: Measured

    @property
    def above_half(self) -> bool:
        return self.wins > self.matches / 2


def spec(policy: str, base: str) -> str:
    """The agent of a policy with a base."""
    return f"{policy}(base={base})"


def policy_of(spec: str) -> str:
    """The policy of an agent's spec."""
    return spec.partition("(")[0]


def _measured(estimate: Mapping[str, float], percent: bool = False) -> Measured:
    return Measured(estimate["value"], estimate["low"], estimate["high"], percent=percent)


def round_robin(effort: Effort, policies: Sequence[str], base: str, duplicates: int, name: str) -> Run:
    """All policies against all, with one base."""
    experiment = Experiment(
        "truco", [spec(policy, base) for policy in policies], duplicates=duplicates, seed=effort.seed, move_limit=None
    )
    return run_experiment(experiment, effort.folder / name, effort.jobs)


def standings(run: Run) -> list[Standing]:
    """Every policy of a run, the best first."""
    return [
        Standing(
            policy_of(row["agent"]),
            row["wins"],
            row["games"],
            _measured(row["rate"], percent=True),
            _measured(row["in_wins"]),
            _measured(row["in_losses"]),
        )
        for row in run.result["agents"]
    ]


def wins_between(run: Run) -> dict[tuple[str, str], float]:
    """Matches that the first policy won against the second, both ways round."""
    found = {}
    for pair in run.result["pairs"]:
        one, other = policy_of(pair["agent"]), policy_of(pair["against"])
        found[one, other] = pair["wins"]
        found[other, one] = pair["games"] - pair["wins"]
    return found


def standings_table(title: str, found: Sequence[Standing], many: League, order: Sequence[str], deals: int) -> Table:
    """Who won how many, as published and measured well, beside the published places."""
    places = {policy: place for place, policy in enumerate(order, 1)}
    rows: list[list[Cell]] = []
    for place, row in enumerate(found, 1):
        share = many.share(row.policy)
        rows.append([
            place, row.policy, f"{row.wins:g} of {row.matches}", row.rate, share, "yes" if share.value > 0.5 else "no",
            places.get(row.policy, "below half"),
        ])  # fmt: skip
    columns = ["place", "policy", "won", "share", f"share, {deals:,} deals a pair", "above half", "place (published)"]
    return Table(title, columns, rows, "Places by matches won; above half by the larger number of deals.")


# --- Stage 1 ------------------------------------------------------------------------------------


def stage_1(effort: Effort) -> Findings:
    """All twenty, all against all, with the baseline base (figure 10)."""
    run = round_robin(effort, list(POLICIES), "baseline", effort.pick(quick=4, full=DUPLICATES), "stage-1")
    found = standings(run)
    deals = effort.pick(quick=50, full=MANY_DEALS)
    many = league(effort, list(POLICIES), "baseline", deals)
    order = published.STAGE_1_ORDER
    above = [row.policy for row in found if many.share(row.policy).value > 0.5]
    both = [policy for policy in above if policy in order]
    lead = found[0].wins - found[1].wins
    return Findings(
        tables=[standings_table("Stage 1: everybody, baseline base", found, many, order, deals)],
        figures=[wins_figure("figure-10", found, "Stage 1: matches won with the baseline base; the line is half.")],
        notes=[
            f"**{len(both)} of the {len(above)}** above half here are above half in the document"
            f" ({len(order)} there): {', '.join(both)}. The first ({found[0].policy}) leads by {lead:g} wins of"
            f" {found[0].matches} matches; published: {order[0]} by {published.STAGE_1_LEAD} of"
            f" {published.STAGE_1_MATCHES}.",
            two_steps_or_one(effort, many, "baseline", effort.pick(quick=200, full=DECISIVE_DEALS)),
        ],
    )


def wins_figure(name: str, found: Sequence[Standing], caption: str) -> Figure:
    """Bars of wins with the line of half."""
    with plot_style():
        plot = Plot(figsize=(9.6, 3.4))
        axes = plot.add_subplot()
        colours = [ACCENT if row.above_half else SOFT for row in found]
        axes.bar([row.policy for row in found], [row.wins for row in found], color=colours)
        axes.axhline(found[0].matches / 2, color=LOSE, linewidth=1.2)
        axes.tick_params(axis="x", rotation=60 if len(found) > 10 else 0)
        axes.grid(axis="x", visible=False)
        axes.set_ylabel("matches won")
    return Figure(name, plot, caption)


# --- Stage 2 ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Improvement:
    """What a policy won with the learned base against itself with the baseline."""

    wins: float
    matches: int
    rate: Measured


def learned_wins(effort: Effort, policies: Sequence[str], duplicates: int) -> dict[str, Improvement]:
    """Every policy with the learned base against itself with the baseline."""
    found = {}
    for policy in policies:
        agents = [spec(policy, "learned"), spec(policy, "baseline")]
        experiment = Experiment("truco", agents, duplicates=duplicates, seed=effort.seed, move_limit=None)
        run = run_experiment(experiment, effort.folder / f"stage-2-{policy}", effort.jobs)
        (pair,) = run.result["pairs"]
        found[policy] = Improvement(pair["wins"], pair["games"], _measured(pair["rate"], percent=True))
    return found


def stage_2(effort: Effort) -> Findings:
    """The ten best, learned base against baseline (figure 11)."""
    policies = published.STAGE_1_ORDER
    found = learned_wins(effort, policies, DUPLICATES)
    deals = effort.pick(quick=100, full=2 * MANY_DEALS)
    many = shares(effort, [((policy, "learned"), (policy, "baseline")) for policy in policies], deals, effort.seed)
    rows: list[list[Cell]] = [
        [policy, f"{one.wins:g} of {one.matches}", measured(units), "yes" if units.mean() > 0.5 else "no",
         "no" if policy in published.STAGE_2_NOT_IMPROVED else "yes"]
        for (policy, one), units in zip(found.items(), many, strict=True)
    ]  # fmt: skip
    wins, matches = sum(one.wins for one in found.values()), sum(one.matches for one in found.values())
    was = published.STAGE_2_WON / published.STAGE_2_MATCHES
    total = measured(np.mean(many, axis=0), deals * len(many), was)
    rows.append(["all ten", f"{wins:g} of {matches}", total, None, None])
    improved = sum(bool(units.mean() > 0.5) for units in many)
    return Findings(
        tables=[
            Table(
                "Stage 2: the learned base against the baseline",
                ["policy", "won", f"share, {deals:,} deals", "improved", "improved (published)"],
                rows,
                "The same policy on both sides; every deal is played from both seats. Improved: by the larger number.",
            )
        ],
        figures=[learned_figure(found)],
        notes=[
            f"**{improved} of 10** policies win more than half with the learned base (7 of 10 published);"
            f" together {wins:g} of {matches} ({published.STAGE_2_WON} of {published.STAGE_2_MATCHES} published)."
        ],
    )


def learned_figure(found: Mapping[str, Improvement]) -> Figure:
    """Wins with the learned base beside wins with the baseline, by policy."""
    with plot_style():
        plot = Plot(figsize=(9.6, 3.4))
        axes = plot.add_subplot()
        places, many = range(len(found)), found.values()
        axes.bar([p - 0.2 for p in places], [one.wins for one in many], 0.38, color=SERIES[0], label="learned")
        lost = [one.matches - one.wins for one in many]
        axes.bar([p + 0.2 for p in places], lost, 0.38, color=SERIES[1], label="baseline")
        axes.axhline(max(one.matches for one in many) / 2, color=SOFT, linewidth=1.2)
        axes.set_xticks(list(places), list(found))
        axes.grid(axis="x", visible=False)
        axes.set_ylabel("matches won")
        plot.legend(loc="outside upper right", ncols=2)
    return Figure("figure-11", plot, "Stage 2: the same policy with the learned base and with the baseline.")


# --- Stage 3 ------------------------------------------------------------------------------------


def stage_3(effort: Effort) -> Findings:
    """The ten best, all against all, with the learned base (figures 12 to 16, table 16)."""
    policies = published.STAGE_1_ORDER
    run = round_robin(effort, policies, "learned", effort.pick(quick=10, full=DUPLICATES), "stage-3")
    found = standings(run)
    deals = effort.pick(quick=100, full=MANY_DEALS)
    many = league(effort, policies, "learned", deals)
    order = published.STAGE_3_ORDER
    figures = [wins_figure("figure-12", found, "Stage 3: matches won with the learned base; the line is half.")]
    between = wins_between(run)
    per_pair = 2 * run.experiment.duplicates
    figures += [opponents_figure(policy, between, per_pair, number) for number, policy in enumerate(order, 13)]
    above = [policy for policy in policies if many.share(policy).value > 0.5]
    return Findings(
        tables=[
            standings_table("Stage 3: the ten best, learned base", found, many, order, deals),
            table_16(found),
        ],
        figures=figures,
        notes=[
            f"Above half: {', '.join(above)}; published: {', '.join(order)}.",
            two_steps_or_one(effort, many, "learned", effort.pick(quick=200, full=DECISIVE_DEALS)),
        ],
    )


def table_16(found: Sequence[Standing]) -> Table:
    """Mean difference of points in wins and in losses."""
    rows: list[list[Cell]] = []
    for row in found:
        won, lost = published.TABLE_16.get(row.policy, (None, None))
        rows.append([
            row.policy,
            Measured(row.in_wins.value, row.in_wins.low, row.in_wins.high, won),
            Measured(row.in_losses.value, row.in_losses.low, row.in_losses.high, lost),
        ])  # fmt: skip
    return Table(
        "Table 16: mean difference of points", ["policy", "in wins", "in losses"], rows, "Matches to 24 points."
    )


def opponents_figure(policy: str, between: Mapping[tuple[str, str], float], matches: int, number: int) -> Figure:
    """Wins of one policy against each opponent."""
    opponents = [other for one, other in between if one == policy]
    with plot_style():
        plot = Plot(figsize=(9.6, 2.8))
        axes = plot.add_subplot()
        wins = [between[policy, other] for other in opponents]
        axes.bar(opponents, wins, color=[ACCENT if w > matches / 2 else SOFT for w in wins])
        axes.axhline(matches / 2, color=LOSE, linewidth=1.2)
        axes.grid(axis="x", visible=False)
        axes.set_ylabel(f"won of {matches}")
    return Figure(f"figure-{number}", plot, f"Stage 3: {policy} against each of the others.")
