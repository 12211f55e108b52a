"""7 Wonders: random play in compiled code and in the loop, the Python interface, redeals, size."""

import random
from collections.abc import Callable, Iterator
from statistics import median

import numpy as np

from bolicho.agents.mirrored_games import meet
from bolicho.agents.search.playout import play_out
from bolicho.bench import Figure, in_turns
from bolicho.games import game
from bolicho.games.compiled import calls

GAMES = 1_000
GUESSES = 1_000

PUBLISHED_ENGINE = 391
"""Games per second of the research group's C++ engine without input and output, three random players, one core."""


def compiled_games(**rules: object) -> Callable[[], int]:
    """Random rollouts of a deal in compiled code; counts games."""
    chosen = game("wonders", **rules)
    seeds = iter(range(10**12))
    return lambda: play_out(chosen, chosen.deal(seed := next(seeds)).pool, GAMES, seed).games


def loop_games() -> Callable[[], int]:
    """Whole games of three random players in the loop, with all records; counts games."""
    wonders = game("wonders")
    seeds = iter(range(10**12))
    return lambda: meet(wonders, ["random"] * 3, GAMES // 3, next(seeds)).won[..., 0].size


def python_face() -> Callable[[], int]:
    """Random games through `table.view` and `table.play`; counts games."""
    wonders = game("wonders")
    rnd = random.Random(1).random
    seeds = iter(range(10**12))

    def work() -> int:
        table = wonders.deal(next(seeds))
        while not table.over:
            legal = table.view(table.turn).legal
            table.play(legal[int(rnd() * len(legal))])
        return 1

    return work


def guesses(players: int) -> Callable[[], int]:
    """Redeals of a view in the middle of the second age; counts redeals."""
    table = game("wonders", players=players).deal(1)
    while table.ply < 9 * players:
        table.play(table.legal[0])
    view = table.view()
    worlds = np.zeros(GUESSES, view.pool.dtype)
    seeds = iter(range(0, 10**12, GUESSES))

    def work() -> int:
        calls.redeals(view.pool, view.seat, np.uint64(next(seeds)), worlds)
        return GUESSES

    return work


def bench() -> Iterator[Figure]:
    """Yield the figures of 7 Wonders."""
    three, choose, seven, loop = in_turns(
        compiled_games(), compiled_games(trade="choose"), compiled_games(players=7), loop_games()
    )
    yield Figure("compiled random playouts, 3 players", median(three), "games/s", 8_000)
    yield Figure("compiled random playouts, 3 players, trade=choose", median(choose), "games/s")
    yield Figure("compiled random playouts, 7 players", median(seven), "games/s")
    yield Figure("random games in the loop, 3 players", median(loop), "games/s")
    yield Figure("the same against the published C++ engine", median(loop) / PUBLISHED_ENGINE, "times")
    (face,) = in_turns(python_face())
    yield Figure("Python face, 3 players", median(face), "games/s")
    few, many = in_turns(guesses(3), guesses(7))
    yield Figure("guesses of what is hidden, 3 players", median(few) / 1e3, "thousand/s")
    yield Figure("guesses of what is hidden, 7 players", median(many) / 1e3, "thousand/s")
    yield Figure("state record", game("wonders").record_size, "bytes", 1536, at_least=False)
