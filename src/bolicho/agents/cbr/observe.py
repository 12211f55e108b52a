"""From games to cases: every finished hand becomes a case, as one seat saw it; their groups are still 0."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cbr.casebase import Cases
from bolicho.agents.cbr.compiled.decision import CaseBasedPlayer
from bolicho.agents.cbr.compiled.watch import watch_game, watch_player
from bolicho.agents.cbr.domain import Domain
from bolicho.agents.player import NOTHING
from bolicho.games.game import Table, copy_pool
from bolicho.games.record import replay


def watch_table(domain: Domain, table: Table, seat: int) -> Cases:
    """The cases of the hands that a table has finished, seen from a seat."""
    start = replay({**table.record(), "actions": []})
    return watch(domain, start, [int(action) for action in table.actions], seat)


def watch(domain: Domain, start: Table, actions: Sequence[int], seat: int) -> Cases:
    """The same of a game that began so and went on with these actions."""
    numbers, case, out = _room(domain, actions)
    n = watch_game(copy_pool(start.pool), numbers, seat, case, out)
    return out[:n]


def watch_rare(
    domain: Domain, player: CaseBasedPlayer, key: int, enough: int, start: Table, actions: Sequence[int], seat: int
) -> tuple[Cases, NDArray[np.bool_]]:
    """The same of a case-based player's seat, whose luck had that key, and which cases are of rare hands.

    Rare is a hand in which any of its questions found fewer than `enough` cases at the first threshold.
    """
    numbers, case, out = _room(domain, actions)
    rare = np.zeros(len(out), np.bool_)
    n = watch_player(
        player, np.zeros(1, NOTHING), np.uint64(key), enough, copy_pool(start.pool), numbers, seat,
        copy_pool(start.pool), case, out, rare,
    )  # fmt: skip
    return out[:n], rare[:n]


def _room(domain: Domain, actions: Sequence[int]) -> tuple[NDArray[np.int64], Cases, Cases]:
    """The actions, a case under way, and room for those that they may finish."""
    dtype = domain.schema.dtype
    return np.array(actions, np.int64), np.zeros(1, dtype), np.zeros(len(actions) + 2, dtype)
