"""From games to cases: every finished hand becomes a case, as one seat saw it."""

import numpy as np

from bolicho.agents.cbr.casebase import Cases
from bolicho.agents.cbr.compiled.loop import watch_game
from bolicho.agents.cbr.domain import Domain
from bolicho.games.game import Table, copy_pool
from bolicho.games.record import replay


def watch_table(domain: Domain, table: Table, seat: int) -> Cases:
    """The cases of the hands that a table has finished, seen from a seat; their groups are still 0."""
    record = table.record()
    start = replay({**record, "actions": []})
    actions = np.array([int(action) for action in table.actions], np.int64)
    out = np.zeros(len(actions) + 2, domain.schema.dtype)
    n = watch_game(copy_pool(start.pool), actions, seat, np.zeros(1, domain.schema.dtype), out)
    return out[:n]
