"""Monte Carlo tree search (UCT): any number of seats, each after its own payoff.

One node is added an iteration, the rest is played out at random; payoffs are measured by their
spread in random games.  With hidden information every iteration plays in a world drawn from what
the seat knows, and nodes are information sets with availability counts.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.search.compiled import mcts as compiled
from bolicho.agents.search.limits import Limits, spend
from bolicho.agents.search.positions import key_words, words_of
from bolicho.errors import BadInput, unknown
from bolicho.games.compiled.chance import stream
from bolicho.games.game import Game, Pool

EXPLORATION = 1.0
MAX_NODES = 1 << 20  # beyond, the tree stops growing
_NODES_A_SECOND = 1_000_000  # room for what the fastest of games may add
OPPONENTS = {"informed": compiled.OWN, "shared": compiled.SHARED}
"""How the others in the tree choose: by their own views, rarely twice the same where much is hidden; or
alike in all worlds, by what the searching seat knows of their views."""
_INFORMED_GAMES = ("truco",)  # where they bet on what they hold; measured better, elsewhere worse
_MAX_PATH = 1024
_WARM_UP = 64  # random games that tell how far payoffs lie apart
_ARMS_A_NODE = 2  # arms are added as they are tried: about one an iteration


@dataclass(frozen=True)
class Found:
    """What a search found out, for the seat to move; arrays go by its legal actions, ascending."""

    numbers: list[int]
    values: NDArray[np.float64]  # the mean payoff of each action (NaN: never tried)
    visits: NDArray[np.int64]
    best: int  # the number of the action to play: the most visited
    iterations: int
    nodes: int
    worlds: int  # how many were drawn; 1 when everything is open


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
) -> Found:
    """Search `pool[0]` until a limit (in iterations): the full state, or with `seat` the view of that seat.

    `worlds` is how many worlds are drawn for a view; 0 draws a new one for every iteration.
    `opponents` are one of `OPPONENTS`, or "auto": what is better for the game.
    """
    check_opponents(opponents)
    in_time = MAX_NODES if limits.seconds is None else 1000 + int(limits.seconds * _NODES_A_SECOND)
    room = min(limits.units or MAX_NODES, in_time, MAX_NODES)
    work = np.zeros(3, pool.dtype)
    work[0] = pool[0]
    if work["turn"][0] < 0:
        raise BadInput("the game is over: there is nothing to search")
    if opponents == "auto":
        opponents = "informed" if game.name in _INFORMED_GAMES else "shared"
    mode = compiled.OPEN if seat is None else OPPONENTS[opponents]
    observer = int(work["turn"][0]) if seat is None else seat
    words, (used, masks) = words_of(work), key_words(pool.dtype, () if mode else game.kind.past)
    nodes = np.zeros(1 << (2 * room - 1).bit_length(), compiled.NODE)
    arms = np.zeros(_ARMS_A_NODE * room + game.num_actions, compiled.ARM)
    arm_of, legal = np.zeros(game.num_actions, np.int64), np.zeros(game.num_actions, np.int16)
    path, movers = np.zeros(_MAX_PATH, np.int64), np.zeros(_MAX_PATH, np.int8)
    status, payoffs = np.zeros(2, np.int64), np.zeros(game.seats)
    own = np.uint64(seed)
    unit = compiled.unit(work, _WARM_UP, observer, mode, np.uint64(stream(own, -1)), legal, payoffs)
    bonus = exploration * unit
    iterations = 0

    def step(n: int) -> int:
        nonlocal iterations
        compiled.iterate(
            work, words, used, masks, nodes, arms, arm_of, path, movers, status, legal, payoffs,
            observer, mode, worlds, room, bonus, own, iterations, n,
        )  # fmt: skip
        iterations += n
        return n

    spend(step, limits)
    visits, totals = np.zeros(game.num_actions, np.int64), np.zeros(game.num_actions)
    compiled.root_arms(work, words, used, masks, nodes, arms, observer, mode, visits, totals)
    numbers = legal[: compiled.root_legal(work, legal)].tolist()
    visits, totals = visits[numbers], totals[numbers]
    with np.errstate(invalid="ignore"):
        values = totals / visits
    best = numbers[int(np.lexsort((values, visits))[-1])]
    drawn = (min(worlds, iterations) or iterations) if mode else 1
    return Found(numbers, values, visits, best, iterations, int(status[compiled.NODES]), drawn)


def check_opponents(opponents: str) -> None:
    """A known way for the others to choose."""
    if opponents not in ("auto", *OPPONENTS):
        raise unknown("kind of opponents", str(opponents), ("auto", *OPPONENTS))
