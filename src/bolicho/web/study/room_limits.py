"""Limits on wrong room codes, so that codes cannot be guessed.

Each client has a limit, and all clients together have one for each study.  The common limit never locks participants
out: a client without a wrong code so far may always try.  Only addresses of clients with wrong codes are kept, in
memory.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from bolicho.web.clock import SYSTEM, Clock
from bolicho.web.limits import Rate
from bolicho.web.refusal import Refusal

WRONG = 404  # same status for a wrong code, a study without a room and no study, so that it does not tell which


class RoomLimits:
    """Rate limits on wrong room codes."""

    def __init__(self, clock: Clock = SYSTEM) -> None:
        self.of_client = Rate(0.1, 60, clock=clock)  # per second; a classroom may share an address
        self.in_all = Rate(1, 300, clock=clock)

    @contextmanager
    def trying(self, study: str, client: str) -> Iterator[None]:
        """Guard the check of a code: refuse a client without tries left; a correct code costs none."""
        is_known = self.of_client.knows(client)
        self.of_client.take(client)
        if is_known:
            try:
                self.in_all.take(study)
            except Refusal:
                self.of_client.give_back(client)
                raise
        try:
            yield
        except BaseException as problem:
            if isinstance(problem, Refusal) and problem.status == WRONG:
                if not is_known:
                    with suppress(Refusal):
                        self.in_all.take(study)
                raise
            self._give_back(study, client, is_known)
            raise
        self._give_back(study, client, is_known)

    def _give_back(self, study: str, client: str, is_known: bool) -> None:
        self.of_client.give_back(client)
        if is_known:
            self.in_all.give_back(study)
