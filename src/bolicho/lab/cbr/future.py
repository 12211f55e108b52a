"""Future work of Paulus 2020 (chapter 6): learned weights, another clustering, detection of bluffs.

Each is an option of the agents or of their base, and plays against the unchanged agent of the same policy on mirrored
deals. The belief that a call is a bluff is compared with the true hands.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure as Plot
from numpy.typing import NDArray

from bolicho.agents.cbr.agent import load_index
from bolicho.agents.cbr.bases import load_base, save_base
from bolicho.agents.cbr.clusters import clustered
from bolicho.agents.cbr.compiled.decision import doubts
from bolicho.agents.cbr.cycle import OURS, CaseBasedOptions
from bolicho.agents.cbr.truco import TRUCO
from bolicho.agents.cbr.weights import WEIGHTS
from bolicho.agents.loop import play_deals
from bolicho.agents.mirrored_games import deal_seed, in_rotation
from bolicho.agents.registry import recipe
from bolicho.arena.html_page import ACCENT, SOFT, plot_style
from bolicho.games import game
from bolicho.games.truco.compiled.behaviours import holds_nothing
from bolicho.games.truco.kernel import TRUCO_BET
from bolicho.lab.cbr import published
from bolicho.lab.cbr.mirrored_matches import CaseBasedSpec, in_parallel, play_and_watch, won
from bolicho.lab.study import Cell, Effort, Figure, Findings, Measured, Table, share
from bolicho.stats import mean, ratio

BELIEFS = (0.1, 0.2)
"""Beliefs above which an agent answers a call as a bluff. Few calls are bluffs, so the belief rarely reaches a half;
from a quarter of the hands won, accepting a truco pays (2 points at stake, 1 lost by refusing)."""
CALLERS = ("pvcnps", "bluffer", "balanced", "cautious")
"""Opponents whose calls are judged: one with the same base, and scripted styles."""
BINS = 10


@dataclass(frozen=True)
class Option:
    """An option under study: a change of the agents' options or of their base."""

    name: str
    options: CaseBasedOptions = OURS
    mixture: bool = False


STUDIED = (
    *(Option(f"weights by {name}", replace(OURS, weights=name)) for name in WEIGHTS[1:]),
    Option("clusters by mixtures", mixture=True),
    *(Option(f"bluffs answered above {belief:g}", replace(OURS, bluff=belief)) for belief in BELIEFS),
)


def run(effort: Effort) -> Findings:
    """Play every option against the plain agent, and measure the belief that a call is a bluff."""
    base = effort.pick(quick="baseline", full="learned")
    policies = published.STAGE_1_ORDER[: effort.pick(quick=2, full=10)]
    calls = judged_calls(effort, base, effort.pick(quick=2, full=500))
    return Findings(
        tables=[
            duels_table(effort, base, policies, effort.pick(quick=5, full=2000)),
            weights_table(base),
            brier_table(calls),
            *(reliability_table(caller, found) for caller, found in calls.items()),
        ],
        figures=[reliability_figure(calls)],
    )


# --- Matches ------------------------------------------------------------------------------------


def mixture_base(effort: Effort, base: str) -> Path:
    """Save the cases with the groups of mixtures, unless the file exists, and return its path."""
    path = effort.folder / f"{base}-mixture.parquet"
    if not path.exists():
        plain = load_base(base, TRUCO)
        save_base(clustered(TRUCO, plain.cases, {**plain.made, "clustering": "mixture"}, "mixture"), path)
    return path


def duels_table(effort: Effort, base: str, policies: Sequence[str], deals: int) -> Table:
    """Tabulate each option against the unchanged agent of the same policy: matches won, and difference of points."""
    bases = {one: str(mixture_base(effort, base)) if one.mixture else base for one in STUDIED}
    meetings = [
        (CaseBasedSpec(policy, bases[one], one.options), CaseBasedSpec(policy, base))
        for one in STUDIED
        for policy in policies
    ]
    played = play_and_watch(effort, meetings, deals, effort.seed)
    rows: list[list[Cell]] = []
    for i, one in enumerate(STUDIED):
        mine = played[i * len(policies) : (i + 1) * len(policies)]
        units = np.array([won(scores) for scores, _ in mine])
        ahead = np.mean([np.mean(s[..., 0] - s[..., 1], axis=1) for s, _ in mine], axis=0)
        for row, policy in zip(units, policies, strict=True):
            rows.append([one.name, policy, share(row), None])
        rows.append([one.name, "all", share(units.mean(axis=0), sets=units.size), Measured(mean(ahead))])
    columns = ["option", "policy", "matches won against the plain agent", "points ahead"]
    note = f"{base} base, {deals:,} deals from both seats for each policy; intervals are over deals."
    return Table("Options against the plain agent", columns, rows, note)


def weights_table(base: str) -> Table:
    """Tabulate the learned weights of every decision in the base."""
    index = load_index(base, TRUCO.game)
    rows: list[list[Cell]] = []
    for number, decision in enumerate(TRUCO.decisions):
        if np.any(index.instances["decision"] == number):
            learned = [index.weighted(name).attribute_weights(number) for name in WEIGHTS[1:]]
            texts = [", ".join(f"{a} {w:.2f}" for a, w in zip(decision.attributes, ws, strict=True)) for ws in learned]
            rows.append([decision.name, *texts])
    return Table("Learned weights", ["decision", *(f"by {name}" for name in WEIGHTS[1:])], rows, "Their mean is 1.")


# --- Calibration --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Calls:
    """Answered truco calls: the belief that each is a bluff, whether it was one, and its deal."""

    belief: NDArray[np.float64]
    bluff: NDArray[np.bool_]
    deal: NDArray[np.int64]

    def per_deal(self, values: NDArray[np.float64], of: NDArray[np.bool_]) -> Measured:
        """Return the mean of a value over some of the calls, with an interval over deals."""
        deals = int(self.deal.max(initial=0)) + 1
        return Measured(
            ratio(np.bincount(self.deal[of], values[of], deals), np.bincount(self.deal[of], minlength=deals))
        )

    @property
    def errors(self) -> NDArray[np.float64]:
        """Squared errors; their mean is the Brier score."""
        return np.asarray((self.belief - self.bluff) ** 2)


def judged_calls(effort: Effort, base: str, deals: int) -> dict[str, Calls]:
    """Return, for every caller, its truco calls against the unchanged agent, with that agent's beliefs."""
    found = in_parallel(effort, "judging calls", calls_of, [(base, one, deals, effort.seed) for one in CALLERS])
    return dict(zip(CALLERS, found, strict=True))


def calls_of(base: str, caller: str, deals: int, seed: int) -> Calls:
    """Play mirrored matches and return an agent's truco calls, with the belief of the case-based agent that answers."""
    truco = game("truco")
    judge = CaseBasedSpec(published.STAGE_1_ORDER[0], base, replace(OURS, bluff=BELIEFS[0])).agent()
    player = judge.player(truco)
    plain = CaseBasedSpec(published.STAGE_1_ORDER[0], base)
    other = (
        CaseBasedSpec(caller, base).agent if caller in published.STAGE_1_ORDER else recipe(caller, "truco").maker(truco)
    )
    seatings = [in_rotation(2, r, deal_seed(seed, deal), f"{seed} {deal}") for deal in range(deals) for r in (0, 1)]
    rows = []
    for outcome in play_deals(truco, [plain.agent, other], seatings):
        assert outcome.forfeit is None, outcome.forfeit
        seating = seatings[outcome.number]
        seat, table = seating.seated.index(0), truco.deal(seating.seed)
        answered = 0  # calls judged in this hand; after an envido in between, the same call awaits its answer again
        for action in outcome.actions:
            state = table.state
            if state["called"] == 0:
                answered = 0
            if state["pending"] == TRUCO_BET and table.turn == seat and state["called"] > answered:
                answered = int(state["called"])
                like, bluffs = doubts(player, table.view(seat).pool, seat)
                if like:
                    rows.append((bluffs / like, holds_nothing(table.pool[0], 1 - seat), outcome.number // 2))
            table.play(action)
    belief, bluff, number = zip(*rows, strict=True) if rows else ((), (), ())
    return Calls(np.array(belief, np.float64), np.array(bluff, np.bool_), np.array(number, np.int64))


def brier_table(calls: dict[str, Calls]) -> Table:
    """Tabulate the Brier score of the belief, beside that of a constant belief: the caller's true share of bluffs."""
    rows: list[list[Cell]] = []
    for caller, one in calls.items():
        every = np.ones(len(one.bluff), np.bool_)
        rate = float(one.bluff.mean()) if len(one.bluff) else float("nan")
        rows.append([
            caller, len(one.bluff), one.per_deal(one.bluff.astype(np.float64), every), one.per_deal(one.belief, every),
            one.per_deal(one.errors, every), rate * (1 - rate),
        ])  # fmt: skip
    columns = ["caller", "calls", "share of bluffs", "mean belief", "Brier score", "Brier score of the share alone"]
    note = (
        "Truco calls that pvcnps has to answer. A bluff: no round won, and no card that beats half of the deck. Brier"
        " score: the mean squared error, 0 is best; the share alone says the caller's own share of every call, which"
        " is not known beforehand. Intervals are over deals."
    )
    return Table("Belief that a call is a bluff", columns, rows, note)


def bins_of(belief: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the tenth of each belief; a belief of 1 belongs to the last."""
    return np.asarray(np.minimum((belief * BINS).astype(np.int64), BINS - 1))


def reliability_table(caller: str, calls: Calls) -> Table:
    """Tabulate the share of bluffs by tenths of the belief."""
    bins = bins_of(calls.belief)
    rows: list[list[Cell]] = []
    for number in np.unique(bins):
        of = bins == number
        rows.append([
            f"{number / BINS:.1f} to {(number + 1) / BINS:.1f}", int(of.sum()), float(calls.belief[of].mean()),
            calls.per_deal(calls.bluff.astype(np.float64), of),
        ])  # fmt: skip
    return Table(f"Reliability: calls of {caller}", ["belief", "calls", "mean belief", "share of bluffs"], rows)


def reliability_figure(calls: dict[str, Calls]) -> Figure:
    """Plot the share of bluffs over the mean belief of each tenth; on the diagonal the belief is calibrated."""
    with plot_style():
        plot = Plot(figsize=(9.6, 2.8))
        for (caller, one), axes in zip(calls.items(), plot.subplots(1, len(calls), sharey=True), strict=True):
            bins = bins_of(one.belief)
            points = [(one.belief[bins == b].mean(), one.bluff[bins == b].mean()) for b in np.unique(bins)]
            axes.plot([0, 1], [0, 1], color=SOFT, linewidth=1.2)
            axes.plot(*np.array(points).reshape(-1, 2).T, color=ACCENT, marker="o")
            axes.set_title(caller, fontsize=9)
            axes.set_xlabel("belief")
        plot.axes[0].set_ylabel("share of bluffs")
    return Figure("reliability", plot, "Belief that a call is a bluff, and the share of calls that were, by tenths.")
