"""Trainings of the two shipped case bases of Truco."""

from bolicho.agents.cbr import retain
from bolicho.agents.cbr.bases import load_base
from bolicho.agents.cbr.clusters import ALGORITHMS
from bolicho.agents.cbr.cycle import OURS, CaseBasedOptions
from bolicho.agents.cbr.truco.baseline import AGAINST, HANDS, Observation
from bolicho.agents.cbr.truco.scenarios import TRUCO
from bolicho.agents.training import Learner


def baseline(
    seed: int,
    hands: int = HANDS,
    *,
    source: str = "",
    styles: str = "",
    scripted: bool = False,
    against: str = AGAINST[0],
    studies: bool = False,
    clustering: str = ALGORITHMS[0],
) -> Learner:
    """Train the synthetic baseline: `hands` hands between the scripted styles, clustered.

    `styles` names the players, joined by `+` (all if empty). With a `source` (recorded matches, a case file, the folder
    of `bolicho study export` or the database of `bolicho serve`) the base contains all hands of the source; those of
    scripted participants only with `scripted`. From a database it takes matches between people, with `against=anybody`
    also those against agents, and those of studies only with `studies`. `clustering` is the algorithm.
    """
    styled = styles.split("+") if styles else ()
    return Observation(hands, seed, styled, source or None, scripted, against, studies, clustering)


def learned(
    seed: int,
    cases: int = retain.CASES,
    base: str = "baseline",
    keep: str = retain.KEEPS[0],
    rivals: float = retain.RIVALS,
    *,
    membership: str = retain.MEMBERSHIPS[0],
    cleaning: str = retain.CLEANINGS[0],
    clustering: str = ALGORITHMS[0],
    groups: str = retain.GROUPS[0],
    players: CaseBasedOptions = OURS,
) -> Learner:
    """Train a base by self-play to `cases` cases.

    `keep` is the unit that is kept, a whole `match` or a `hand`; `rivals` is the share of matches in which the opponent
    keeps the initial base; `membership` and `cleaning` define the scenarios of hands and the scope of suicide moves;
    `clustering` is the algorithm of the written base, while self-play uses k-means; `groups=kept` leaves the groups of
    the initial base as they are, and a new case gets the nearest one; the other options are the players'. The growth
    curve is in the facts of the base.
    """
    return retain.Course(
        load_base(base, TRUCO),
        cases,
        seed,
        keep=keep,
        rivals=rivals,
        options=players,
        membership=membership,
        cleaning=cleaning,
        clustering=clustering,
        groups=groups,
    )
