"""Monte Carlo tree search (UCT) for any number of seats, each maximising its own payoff.

Each iteration adds one node and plays the rest out at random; payoffs are scaled by their spread in random games. With
hidden information each iteration plays in a world drawn from the seat's information, and nodes are information sets
with availability counts.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.basic.kernel import RandomPlayer
from bolicho.agents.player import NOTHING
from bolicho.agents.search.binding import binding
from bolicho.agents.search.compiled import mcts as compiled
from bolicho.agents.search.compiled import worlds as weighing
from bolicho.agents.search.compiled.leaf import ToTheEnd
from bolicho.agents.search.compiled.player import Searching
from bolicho.agents.search.compiled.playout import SearchWorkspace
from bolicho.agents.search.limits import Limits, spend
from bolicho.agents.search.positions import key_words, words_of
from bolicho.errors import BadInput, unknown
from bolicho.games.compiled.chance import stream
from bolicho.games.game import Game
from bolicho.games.kind import Pool

EXPLORATION = 1.0
MAX_NODES = 1 << 20  # maximum size of the tree
_NODES_A_SECOND = 1_000_000  # capacity: as many as the fastest game may add
MODELLED = "modelled"
OPPONENTS = {"informed": compiled.OWN, "shared": compiled.SHARED, MODELLED: compiled.OWN}
"""Choices of the other seats in the tree: by their own views, which rarely occur twice where much is hidden; alike in
all worlds, by the part of their views that the searching seat sees; or by a model of them."""
_MAX_PATH = 1024
_WARM_UP = 64  # playouts that estimate the spread of payoffs
_ARMS_A_NODE = 2  # arms are added when first tried: about one per iteration


@dataclass(frozen=True)
class Means:
    """Means of a search beyond the rules: an opponent model, a playout player, and a leaf.

    By default there is no model, and games are played to their end at random. `tremble` is the probability that the
    model acts at random. At most `worlds` are drawn and weighted, until their effective sample size is `enough`; 0
    weights none.
    """

    model: Any = None  # named tuples: players, and a leaf of `compiled.leaf`
    playouts: Any = None
    leaf: Any = None
    tremble: float = 0.05
    worlds: int = 0
    enough: float = 50.0


@dataclass(frozen=True)
class TreeSearchResult:
    """Result of a search for the seat to move; arrays are ordered by its legal actions, ascending."""

    numbers: list[int]
    values: NDArray[np.float64]  # mean payoff of each action (NaN: never tried)
    visits: NDArray[np.int64]
    best: int  # number of the action to play: the most visited
    iterations: int
    nodes: int
    worlds: int  # number of drawn worlds; 1 with full information
    likely: float | None = None  # effective sample size of weighted worlds


def search(
    game: Game,
    pool: Pool,
    limits: Limits,
    *,
    seat: int | None = None,
    worlds: int = 0,
    opponents: str = "auto",
    exploration: float = EXPLORATION,
    seed: int = 0,
    means: Means | None = None,
    rows: NDArray[np.int16] | None = None,
) -> TreeSearchResult:
    """Search `pool[0]` until a limit (in iterations): the full state, or with `seat` the view of that seat.

    `worlds` is the number of worlds drawn for a view; 0 draws a new one for every iteration. `opponents` is one of
    `OPPONENTS`, or "auto": the better one for the game. `means` may weight worlds by `rows`, the events that the seat
    saw.
    """
    check_opponents(opponents)
    means = means or Means()
    in_time = MAX_NODES if limits.seconds is None else 1000 + int(limits.seconds * _NODES_A_SECOND)
    most = min(limits.units or MAX_NODES, in_time, MAX_NODES)
    if pool["turn"][0] < 0:
        raise BadInput("the game is over: there is no decision to search")
    if opponents == "auto":
        opponents = binding(game.name).opponents
    mode = compiled.OPEN if seat is None else OPPONENTS[opponents]
    observer = int(pool["turn"][0]) if seat is None else seat
    own = np.uint64(seed)
    room = _room(game, pool, bool(mode))
    anything = RandomPlayer(np.zeros(game.num_actions, np.int16))
    ways = compiled.Ways(means.model or anything, means.playouts or anything, means.leaf or ToTheEnd(game.seats))
    weighed, likely = weighted_worlds(room, ways.model, means, rows if mode else None, observer, seed)
    modelled, patient = mode > 0 and opponents == MODELLED, means.playouts is not None
    task = compiled.SearchParameters(observer, mode, modelled, patient, worlds, most, 0.0, own)
    unit = compiled.unit(ways, room, task, weighed, _WARM_UP, np.uint64(stream(own, -1)))
    task = task._replace(bonus=exploration * unit)
    tree = _tree(game, most)
    iterations = 0

    def step(n: int) -> int:
        nonlocal iterations
        compiled.iterate(tree, ways, room, task, weighed, iterations, n)
        iterations += n
        return n

    spend(step, limits)
    visits, totals = np.zeros(game.num_actions, np.int64), np.zeros(game.num_actions)
    numbers = room.legal[: compiled.root_arms(tree, room, task, visits, totals)].tolist()
    visits, totals = visits[numbers], totals[numbers]
    with np.errstate(invalid="ignore"):
        values = totals / visits
    best = numbers[int(np.lexsort((values, visits))[-1])]
    drawn = len(weighed.sums) or ((min(worlds, iterations) or iterations) if mode else 1)
    return TreeSearchResult(numbers, values, visits, best, iterations, int(tree.status[compiled.NODES]), drawn, likely)


def player(game: Game, iterations: int, worlds: int, opponents: str, exploration: float) -> Searching:
    """Return the same search by a number of iterations as a compiled player, without means beyond the rules."""
    if opponents == "auto":
        opponents = binding(game.name).opponents
    room, anything = _room(game, game.deal(0).pool, True), RandomPlayer(np.zeros(game.num_actions, np.int16))
    none = weighing.Worlds(np.zeros(0, room.pool.dtype), np.zeros(0), np.zeros(0))
    ways = compiled.Ways(anything, anything, ToTheEnd(game.seats))
    most = min(iterations, MAX_NODES)
    options = (OPPONENTS[opponents], opponents == MODELLED, False, worlds, most, _WARM_UP, exploration)
    return Searching(_tree(game, most), ways, room, none, *options)


def _room(game: Game, pool: Pool, hidden: bool) -> SearchWorkspace:
    work = np.zeros(3, pool.dtype)
    work[0] = pool[0]
    legal, chances = np.zeros(game.num_actions, np.int16), np.zeros(game.num_actions)
    keys = key_words(pool.dtype, () if hidden else game.kind.past)
    return SearchWorkspace(work, words_of(work), *keys, np.zeros(1, NOTHING), legal, chances, np.zeros(game.seats))


def _tree(game: Game, most: int) -> compiled.SearchTree:
    return compiled.SearchTree(
        np.zeros(1 << (2 * most - 1).bit_length(), compiled.NODE),
        np.zeros(_ARMS_A_NODE * most + game.num_actions, compiled.ARM),
        np.zeros(game.num_actions, np.int64),
        np.zeros(_MAX_PATH, np.int64),
        np.zeros(_MAX_PATH, np.int8),
        np.zeros(2, np.int64),
    )


def weighted_worlds(
    room: SearchWorkspace, model: Any, means: Means, rows: NDArray[np.int16] | None, seat: int, seed: int
) -> tuple[weighing.Worlds, float | None]:
    """Return worlds for the root of a room, weighted by the likelihood of `rows`, and their effective sample size."""
    count = means.worlds if rows is not None else 0
    worlds = weighing.Worlds(np.zeros(count, room.pool.dtype), np.zeros(count), np.zeros(count))
    if rows is None or count == 0:
        return worlds, None
    told, luck = np.zeros_like(rows), np.uint64(stream(np.uint64(seed), -2))
    drawn, likely = weighing.gather(model, means.tremble, room, rows, told, worlds, seat, float(means.enough), luck)
    return weighing.Worlds(worlds.pool[:drawn], worlds.logs[:drawn], worlds.sums[:drawn]), float(likely)


def check_opponents(opponents: str) -> None:
    """Raise `BadInput` for an unknown kind of opponents."""
    if opponents not in ("auto", *OPPONENTS):
        raise unknown("kind of opponents", str(opponents), ("auto", *OPPONENTS))
