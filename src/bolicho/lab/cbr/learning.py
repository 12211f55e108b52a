"""Dependence of learning on the seed, on the rule for keeping cases, and on the opponents of self-play.

One learned base is one sample, since another seed gives another base. So every way of learning runs with several seeds.
Every base plays against the baseline it grew from, and against the bases that were learned like the shipped one.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from bolicho.agents.cbr.agent import load_index
from bolicho.agents.cbr.bases import load_base, save_base
from bolicho.agents.cbr.cycle import OURS, CaseBasedOptions
from bolicho.agents.cbr.retain import CASES, ENOUGH, CaseSelfPlay, rescoped
from bolicho.agents.cbr.reuse import TEN_BEST
from bolicho.agents.cbr.truco import TRUCO
from bolicho.agents.training import train
from bolicho.arena.html_page import LOSE, SERIES
from bolicho.games.truco.compiled.lexicon import NOBODY
from bolicho.games.truco.compiled.reading import REFUSED
from bolicho.lab.cbr import published
from bolicho.lab.cbr.mirrored_matches import CaseBasedSpec, in_parallel, shares
from bolicho.lab.cbr.published import Definitions
from bolicho.lab.plots import drawing
from bolicho.lab.study import Cell, Effort, Figure, Findings, Table, share


@dataclass(frozen=True)
class LearningMethod:
    """A way of learning: its name in reports and the options of the training."""

    name: str
    keep: str
    rivals: float = 0.0
    options: CaseBasedOptions = OURS
    scope: str = "begun"

    def file(self, seed: int) -> str:
        """Return the name of the file of a base learned in this way."""
        changed = "".join(f"-{value}" for value in self.options.changed().values())
        return f"{self.keep}-{self.rivals:g}{changed}-{self.scope}-{seed}.parquet"


def published_way(definitions: Definitions) -> LearningMethod:
    """Return the published way, single hands (Paulus et al., section IV: "the dispute of the self-play-based Truco's
    hand was retained")."""
    options = definitions.options(published.HIGH)
    name = f"single hands, self-play, as published, {published.PV_WORDS[definitions.victory]}"
    return LearningMethod(name, "hand", options=options, scope=definitions.scope)


EVERYTHING = 10**9  # more cases than any query finds, so every match is kept

WAYS = (
    LearningMethod("whole matches, self-play", "match"),
    LearningMethod("single hands, self-play", "hand"),
    LearningMethod("whole matches, against the baseline", "match", 1.0),
    *map(published_way, published.by_victory()),
)
"""The first is that of the shipped base; the published way learns in all three readings of PV."""


def run(effort: Effort) -> Findings:
    """Learn bases in several ways with several seeds, and measure their strength."""
    seeds = range(effort.seed, effort.seed + effort.pick(quick=1, full=3))
    cases = _cases(effort)
    files = {(way, seed): effort.folder / way.file(seed) for way in WAYS for seed in seeds}
    in_parallel(effort, "learning", _learn, [(way, seed, cases, path) for (way, seed), path in files.items()])
    deals = effort.pick(quick=50, full=500)
    ten = published.STAGE_1_ORDER
    rows: list[list[Cell]] = []
    curves = []
    for (way, seed), path in files.items():
        made = load_base(str(path), TRUCO).made
        curves.append((way.name, made["growth"]))
        usual = [str(file) for (other, _), file in files.items() if other == WAYS[0]] if way != WAYS[0] else []
        meetings = [
            (CaseBasedSpec(policy, str(path), way.options), CaseBasedSpec(policy, other, way.options))
            for other in (initial_base(effort, way.scope), *usual)
            for policy in ten
        ]
        units = np.array(shares(effort, meetings, deals, effort.seed)).reshape(1 + len(usual), len(ten), deals)
        won, *against = units
        weakest = min(range(len(ten)), key=lambda i: float(won[i].mean()))
        rows.append([
            way.name, seed, made["matches"], share(won.mean(axis=0), sets=deals * len(ten)),
            f"{ten[weakest]} {won[weakest].mean():.1%}",
            share(np.mean(against, axis=(0, 1)), sets=deals * len(ten)) if against else None,
        ])  # fmt: skip
    columns = ["kept, opponents", "seed", "matches", "share against the baseline", "weakest policy",
               "share against whole matches, self-play"]  # fmt: skip
    return Findings(
        tables=[
            Table("Bases learned in several ways", columns, rows, _note(cases, deals, len(ten))),
            kept_table(effort.seed, effort.pick(quick=200, full=2000)),
        ],
        figures=[growth_figure(curves)],
    )


def _note(cases: int, deals: int, policies: int) -> str:
    return (
        f"To {cases:,} cases. Shares: {policies} policies, {deals:,} deals from both seats each; the intervals are"
        " those of the matches, and the seeds differ by more. A base is tried with the options it was learned with."
    )


def _learn(way: LearningMethod, seed: int, cases: int, path: Path, progress: bool = False) -> None:
    """Learn a base, unless its file exists."""
    if not path.exists():
        membership, cleaning = published.SCOPES[way.scope]
        options = {"cases": cases, "keep": way.keep, "rivals": way.rivals, **asdict(way.options)}
        train("cbr-learned truco", path, seed, {**options, "membership": membership, "cleaning": cleaning}, progress)


def _cases(effort: Effort) -> int:
    return effort.pick(quick=6000, full=CASES)


def initial_base(effort: Effort, scope: str, baseline: str = "baseline") -> str:
    """Return a baseline with the membership and cleaning of a scope: the name of the shipped one, or the path of a
    file."""
    revise = published.as_published(published.HIGH).revise
    return scoped_baseline(effort, *published.SCOPES[scope], revise, baseline)


def scoped_baseline(effort: Effort, membership: str, cleaning: str, revise: str, baseline: str = "baseline") -> str:
    """Return a baseline with this membership and cleaning, where `revise` names the suicide moves.

    The cleaning `hand` leaves out no hand of a baseline.
    """
    if (membership, cleaning) == published.SCOPES["begun"]:
        return baseline
    path = effort.folder / f"{Path(baseline).stem}-{membership}-{cleaning}-{revise}.parquet"
    if not path.exists():
        save_base(rescoped(load_base(baseline, TRUCO), membership, cleaning, revise), path)
    return str(path)


def learned_bases(effort: Effort, readings: Sequence[Definitions]) -> list[str]:
    """Learn bases as published in each reading, unless their files exist, and return their paths."""
    ways = [published_way(one) for one in readings]
    paths = [effort.folder / way.file(effort.seed) for way in ways]
    calls = [(way, effort.seed, _cases(effort), path) for way, path in zip(ways, paths, strict=True)]
    in_parallel(effort, "learning", _learn, calls)
    return list(map(str, paths))


def kept_table(seed: int, matches: int) -> Table:
    """Tabulate how often a truco is refused, in all observed hands of self-play and in those that each rule keeps."""
    index = load_index("learned", TRUCO.game)
    rules = (("all", EVERYTHING, "match"), ("kept by matches", ENOUGH, "match"), ("kept by hands", ENOUGH, "hand"))
    rows: list[list[Cell]] = []
    for name, enough, keep in rules:
        hands = np.concatenate(CaseSelfPlay(index, TEN_BEST, seed, enough, keep).play(index, range(matches)))
        called = hands[hands["truco_by"][:, 0] != NOBODY]
        rows.append([name, len(hands), len(called), share(called["truco_answer"][:, 0] == REFUSED)])
    columns = ["hands", "how many", "with a truco", "truco refused"]
    note = f"{matches:,} matches of self-play with the learned base, one player observed."
    return Table("What is kept depends on how a hand went on, if hands are judged one by one", columns, rows, note)


def growth_figure(curves: Sequence[tuple[str, Sequence[int]]]) -> Figure:
    """Plot the number of cases by match; curves of the same name share a colour."""
    names = list(dict.fromkeys(name for name, _ in curves))
    with drawing(9.6, 3.4) as (plot, axes):
        for i, (name, growth) in enumerate(curves):
            label = None if name in [before for before, _ in curves[:i]] else name
            axes.plot(range(1, len(growth) + 1), growth, color=SERIES[names.index(name) % len(SERIES)], label=label)
        ends = ([0, published.LEARNED_MATCHES], [published.BASELINE_CASES, published.LEARNED_CASES])
        axes.plot(*ends, "o", color=LOSE, label="published")
        axes.set_xlabel("matches of self-play")
        axes.set_ylabel("cases")
        axes.legend(loc="lower right")
    return Figure("growth", plot, "How the base grew; the dots are the published beginning and end.")
