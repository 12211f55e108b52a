"""Flow of participants through a study, as in a CONSORT diagram (Moher et al. 2010)."""

from collections.abc import Mapping
from dataclasses import dataclass

STATES = ("invited", "declined", "consented", "playing", "finished", "withdrawn", "lost")
"""States of participants."""


@dataclass(frozen=True)
class Flow:
    """Numbers of participants at each stage; those who consented are assigned an order of opponents."""

    invited: int  # links made, and entries by the code of a room
    unanswered: int
    declined: int
    consented: int
    withdrawn: int  # after consent
    lost: int
    under_way: int
    replaced: int  # finished after their place was given to another participant
    finished: int


def flow(states: Mapping[str, int], replaced: int) -> Flow:
    """Return the flow from the number of participants in each state and of finished ones whose place was reassigned."""
    invited = sum(states.values())
    return Flow(
        invited=invited,
        unanswered=states["invited"],
        declined=states["declined"],
        consented=invited - states["invited"] - states["declined"],
        withdrawn=states["withdrawn"],
        lost=states["lost"],
        under_way=states["consented"] + states["playing"],
        replaced=replaced,
        finished=states["finished"] - replaced,
    )
