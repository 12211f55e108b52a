"""The studies of documents 000 and 002: twenty reuse policies, a learned base, and who is best with it.

The baseline here is synthetic (hands of scripted players): the documents' human hands are not
public.  So the question is whether the *findings* come out again, not the same counts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure as Plot

from bolicho.agents.cbr.reuse import POLICIES
from bolicho.arena.experiment import Experiment
from bolicho.arena.page import ACCENT, LOSE, SERIES, SOFT, plot_style
from bolicho.arena.run import Run
from bolicho.arena.run import run as run_experiment
from bolicho.arena.stats import wilson
from bolicho.lab import cbr_published as published
from bolicho.lab.study import Cell, Effort, Figure, Findings, Measured, Table

DUPLICATES = 25  # of the documents; a pair plays 50 matches
Z = 1.96


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
        "truco", [spec(policy, base) for policy in policies], duplicates=duplicates, seed=effort.seed
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


# --- Stage 1 ------------------------------------------------------------------------------------


def stage_1(effort: Effort) -> Findings:
    """All twenty, all against all, with the baseline base (figure 10)."""
    run = round_robin(effort, list(POLICIES), "baseline", effort.pick(quick=4, full=DUPLICATES), "stage-1")
    found = standings(run)
    order = {policy: place for place, policy in enumerate(published.STAGE_1_ORDER, 1)}
    rows: list[list[Cell]] = [
        [place, row.policy, f"{row.wins:g} of {row.matches}", row.rate, "yes" if row.above_half else "no",
         order.get(row.policy, "below half")]
        for place, row in enumerate(found, 1)
    ]  # fmt: skip
    above = [row.policy for row in found if row.above_half]
    both = [policy for policy in above if policy in order]
    lead = found[0].wins - found[1].wins
    return Findings(
        tables=[
            Table("Stage 1: everybody, baseline base",
                  ["place", "policy", "won", "share", "above half", "place (published)"], rows,
                  f"{found[0].matches} matches each ({published.STAGE_1_MATCHES} published).")
        ],
        figures=[wins_figure("figure-10", found, "Stage 1: matches won with the baseline base; the line is half.")],
        notes=[
            f"**{len(both)} of the {len(above)}** above half here are above half in the document"
            f" ({len(order)} there): {', '.join(both)}. The first ({found[0].policy}) leads by {lead:g} wins;"
            f" published: {published.STAGE_1_ORDER[0]} by {published.STAGE_1_LEAD}."
        ],
    )  # fmt: skip


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

    @property
    def improved(self) -> bool:
        return self.wins > self.matches / 2


def learned_wins(effort: Effort, policies: Sequence[str], duplicates: int) -> dict[str, Improvement]:
    """Every policy with the learned base against itself with the baseline."""
    found = {}
    for policy in policies:
        agents = [spec(policy, "learned"), spec(policy, "baseline")]
        experiment = Experiment("truco", agents, duplicates=duplicates, seed=effort.seed)
        run = run_experiment(experiment, effort.folder / f"stage-2-{policy}", effort.jobs)
        (pair,) = run.result["pairs"]
        found[policy] = Improvement(pair["wins"], pair["games"], _measured(pair["rate"], percent=True))
    return found


def share(wins: float, matches: int, was: float | None = None) -> Measured:
    """A share of matches with its 95% interval."""
    low, high = wilson(wins / matches, matches, Z)
    return Measured(wins / matches, low, high, was, percent=True)


def stage_2(effort: Effort) -> Findings:
    """The ten best, learned base against baseline (figure 11)."""
    found = learned_wins(effort, published.STAGE_1_ORDER, effort.pick(quick=DUPLICATES, full=200))
    rows: list[list[Cell]] = [
        [policy, f"{one.wins:g} of {one.matches}", one.rate, "yes" if one.improved else "no",
         "no" if policy in published.STAGE_2_NOT_IMPROVED else "yes"]
        for policy, one in found.items()
    ]  # fmt: skip
    wins, matches = sum(one.wins for one in found.values()), sum(one.matches for one in found.values())
    total = share(wins, matches, published.STAGE_2_WON / published.STAGE_2_MATCHES)
    rows.append(["all ten", f"{wins:g} of {matches}", total, None, None])
    improved = sum(one.improved for one in found.values())
    return Findings(
        tables=[
            Table(
                "Stage 2: the learned base against the baseline",
                ["policy", "won", "share", "improved", "improved (published)"],
                rows,
                "The same policy on both sides.",
            )
        ],
        figures=[learned_figure(found)],
        notes=[f"**{improved} of 10** policies win more than half with the learned base (7 of 10 published)."],
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
        axes.set_xticks(list(places), list(found))
        axes.grid(axis="x", visible=False)
        axes.set_ylabel("matches won")
        plot.legend(loc="outside upper right", ncols=2)
    return Figure("figure-11", plot, "Stage 2: the same policy with the learned base and with the baseline.")


# --- Stage 3 ------------------------------------------------------------------------------------


def stage_3(effort: Effort) -> Findings:
    """The ten best, all against all, with the learned base (figures 12 to 16, table 16)."""
    run = round_robin(effort, published.STAGE_1_ORDER, "learned", effort.pick(quick=10, full=4 * DUPLICATES), "stage-3")
    found = standings(run)
    order = {policy: place for place, policy in enumerate(published.STAGE_3_ORDER, 1)}
    rows: list[list[Cell]] = [
        [place, row.policy, f"{row.wins:g} of {row.matches}", row.rate, "yes" if row.above_half else "no",
         order.get(row.policy, "below half")]
        for place, row in enumerate(found, 1)
    ]  # fmt: skip
    figures = [wins_figure("figure-12", found, "Stage 3: matches won with the learned base; the line is half.")]
    between = wins_between(run)
    per_pair = 2 * run.experiment.duplicates
    figures += [
        opponents_figure(policy, between, per_pair, number) for number, policy in enumerate(published.STAGE_3_ORDER, 13)
    ]
    above = [row.policy for row in found if row.above_half]
    return Findings(
        tables=[
            Table("Stage 3: the ten best, learned base",
                  ["place", "policy", "won", "share", "above half", "place (published)"], rows),
            table_16(found),
        ],
        figures=figures,
        notes=[f"Above half: {', '.join(above)}; published: {', '.join(published.STAGE_3_ORDER)}."],
    )  # fmt: skip


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
