"""Limits on wrong room codes, so that a code cannot be found by trying.

Each client has so many wrong codes, and all clients together have so many for a study.  The limit of all
never locks participants out: a client without a wrong code so far is always let try.  Addresses are kept in
memory, of clients with wrong codes alone.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from bolicho.web.clock import SYSTEM, Clock
from bolicho.web.guard import Rate
from bolicho.web.refusal import Refusal

WRONG = 404  # the status of a wrong code, of a study without a room, and of no study: which of these is not told


class Door:
    """Counts of the wrong codes that are left."""

    def __init__(self, clock: Clock = SYSTEM) -> None:
        self.of_client = Rate(0.1, 60, clock=clock)  # a classroom behind one address may mistype now and then
        self.in_all = Rate(1, 300, clock=clock)

    @contextmanager
    def trying(self, study: str, client: str) -> Iterator[None]:
        """Around the reading of a code: refuse who has no wrong code left; a right one costs nothing."""
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
