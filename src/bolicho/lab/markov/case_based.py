"""The four case-based opponents of Rossato 2020: as Paulus 2020 defines them, and as they ship."""

from bolicho.agents.training import train
from bolicho.lab.cbr.learning import initial_base
from bolicho.lab.cbr.mirrored_matches import CaseBasedSpec
from bolicho.lab.cbr.published import AS_PUBLISHED as DEFINITIONS
from bolicho.lab.cbr.published import HIGH, LOW, as_published
from bolicho.lab.markov import published
from bolicho.lab.study import Effort

AS_PUBLISHED, OURS = "as published", "as they ship"
SETTINGS = (AS_PUBLISHED, OURS)
"""Definitions of the opponents: all from `AS_PUBLISHED` in `lab/cbr/published.py`, or all ours."""

BASELINE, LEARNED = "baseline", "learned"
KINDS = (BASELINE, LEARNED)
THRESHOLDS = {BASELINE: LOW, LEARNED: HIGH}
"""First threshold of retrieval as published, by base (Paulus 2020, sections 5.1 and 5.3)."""

SHIPPED = {OURS: LEARNED, AS_PUBLISHED: "published"}
"""Shipped learned bases."""


def shipped_bases(effort: Effort, settings: str) -> dict[str, str]:
    """Return the initial and the learned base of these opponents, from the hands that ship."""
    start = initial_base(effort, DEFINITIONS.scope) if settings == AS_PUBLISHED else BASELINE
    return {BASELINE: start, LEARNED: SHIPPED[settings]}


def style_bases(effort: Effort, settings: str, style: str, cases: int) -> dict[str, str]:
    """Return the initial and the learned base from hands of one scripted style, the learned one with `cases` cases.

    Bases that are missing are made.
    """
    baseline = effort.folder / f"{style}-{effort.seed}.parquet"
    if not baseline.exists():
        train("cbr-baseline truco", baseline, effort.seed, {"styles": style})
    training = "cbr-published" if settings == AS_PUBLISHED else "cbr-learned"
    learned = effort.folder / f"{style}-{training}-{effort.seed}-{cases}.parquet"
    if not learned.exists():
        train(f"{training} truco", learned, effort.seed, {"cases": cases, "base": str(baseline)})
    start = initial_base(effort, DEFINITIONS.scope, str(baseline)) if settings == AS_PUBLISHED else str(baseline)
    return {BASELINE: start, LEARNED: str(learned)}


def specs(settings: str, kind: str, base: str) -> dict[str, str]:
    """Return the specs of the four opponents by name, with a base of this kind."""
    if settings == OURS:
        return {name: CaseBasedSpec(name, base).spec() for name in published.OPPONENTS}
    options = as_published(THRESHOLDS[kind])
    return {name: CaseBasedSpec(name, base, options).spec() for name in published.OPPONENTS}
