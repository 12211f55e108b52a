"""What `bolicho train` makes: the two case bases that ship with the package."""

from bolicho.agents.cbr import retain
from bolicho.agents.cbr.bases import load_base
from bolicho.agents.cbr.clusters import ALGORITHMS
from bolicho.agents.cbr.cycle import OURS, Options
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
    """`hands` hands between the scripted styles, clustered: the synthetic baseline.

    `styles` names those that play, joined by `+` (all of them where it is empty).  With a `source`,
    recorded matches, a case file, the folder of `bolicho study export` or the database of `bolicho serve`, the base is
    made of what it holds, however many hands that are; of scripted participants only where `scripted` says so.
    Of a database it takes matches between people, with `against=anybody` also those against agents, and those of
    studies only where `studies` says so.  `clustering` is the algorithm.
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
    players: Options = OURS,
) -> Learner:
    """A base grown by self-play to `cases` cases.

    What is kept of it is a whole `match` or a `hand`; `rivals` is how often the opponent keeps the
    base of the start; `membership` and `cleaning` say which scenarios hands belong to and what a suicide move spoils;
    `clustering` is the algorithm of the base that is written, while self-play follows k-means; the other
    options are the players'.  The growth curve is in the facts of the base.
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
    )
