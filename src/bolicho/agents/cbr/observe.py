"""Conversion of games to one seat's cases: finished hands, or turns with trials; their groups are still 0."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cbr.casebase import Cases
from bolicho.agents.cbr.compiled.decision import CaseBasedPlayer
from bolicho.agents.cbr.compiled.observe import record_game, record_player
from bolicho.agents.cbr.compiled.trial_play import try_game, try_player
from bolicho.agents.cbr.domain import MAX_ITEMS, QUERY, Domain
from bolicho.agents.player import NOTHING
from bolicho.games.game import Table
from bolicho.games.kind import copy_pool
from bolicho.games.record import replay
from bolicho.games.tables import Moves


def cases_of_table(domain: Domain, table: Table, seat: int) -> Cases:
    """Return the cases of a table's finished hands, as seen by a seat."""
    start = replay({**table.record(), "actions": []})
    return cases_of_game(domain, start, [int(action) for action in table.actions], seat)


def cases_of_game(domain: Domain, start: Table, actions: Moves, seat: int) -> Cases:
    """Return the cases of a seat from a starting table and its actions."""
    numbers, case, out = _room(domain, actions)
    n = record_game(copy_pool(start.pool), numbers, seat, case, out)
    return out[:n]


def rare_cases(
    domain: Domain, player: CaseBasedPlayer, key: int, enough: int, start: Table, actions: Moves, seat: int
) -> tuple[Cases, NDArray[np.bool_]]:
    """Return the cases of a case-based player's seat, with the luck of a key, and which of them are rare.

    A hand is rare if any of its questions found fewer than `enough` cases at the first threshold.
    """
    numbers, case, out = _room(domain, actions)
    rare = np.zeros(len(out), np.bool_)
    n = record_player(
        player, np.zeros(1, NOTHING), np.uint64(key), enough, copy_pool(start.pool), numbers, seat,
        copy_pool(start.pool), case, out, rare,
    )  # fmt: skip
    return out[:n], rare[:n]


def _room(domain: Domain, actions: Moves) -> tuple[NDArray[np.int64], Cases, Cases]:
    """Return the actions, a work case, and an array for the finished cases."""
    dtype = domain.schema.dtype
    return np.array(actions, np.int64), np.zeros(1, dtype), np.zeros(len(actions) + 2, dtype)


# --- Turns with trials (see `turns`) ------------------------------------------------------------


def judge(domain: Domain, player: NamedTuple, key: int, start: Table, actions: Moves, seat: int) -> Cases:
    """Return the turns of a seat as cases, judged by `player`, which plays on from every alternative."""
    numbers, rooms, out = _trial_room(domain, start, actions, most=1)
    memory, query, case = np.zeros(1, NOTHING), np.zeros(1, QUERY), np.zeros(1, domain.schema.dtype)
    pool, seats = copy_pool(start.pool), start.game.seats
    n = try_game(player, memory, np.uint64(key), pool, numbers, seats, seat, rooms, query, case, out)
    return out[:n]


def try_rare(
    domain: Domain, player: CaseBasedPlayer, key: int, enough: int, start: Table, actions: Moves, seat: int
) -> Cases:
    """Return cases for all alternatives at a case-based player's rare turns, judged by itself.

    A turn is rare if its question found fewer than `enough` cases at the first threshold.
    """
    numbers, rooms, out = _trial_room(domain, start, actions, most=MAX_ITEMS)
    memory, query, case = np.zeros(1, NOTHING), np.zeros(1, QUERY), np.zeros(1, domain.schema.dtype)
    pool, seats = copy_pool(start.pool), start.game.seats
    n = try_player(player, memory, np.uint64(key), enough, pool, numbers, seats, seat, rooms, query, case, out)
    return out[:n]


def _trial_room(domain: Domain, start: Table, actions: Moves, most: int) -> tuple[Any, Any, Cases]:
    """Return the actions, work records for trials, and an array for all cases."""
    scores, worths = np.zeros(start.game.seats, np.int64), np.zeros(MAX_ITEMS)
    rooms = copy_pool(start.pool), copy_pool(start.pool), scores, worths
    return np.array(actions, np.int64), rooms, np.zeros(most * len(actions), domain.schema.dtype)
