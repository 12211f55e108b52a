"""7 Wonders: whole random games in compiled code, the Python face, guesses, size."""

import random
from collections.abc import Callable, Iterator
from statistics import median

import numpy as np

from bolicho.bench import Figure, in_turns
from bolicho.bench.play import random_games
from bolicho.games import calls, game
from bolicho.games.game import copy_pool

GAMES = 1_000
GUESSES = 1_000

PUBLISHED_ENGINE = 391
"""Games a second of the research group's C++ engine without input and output, three random players, one core."""


def compiled_games(**rules: object) -> Callable[[], int]:
    """Random games in compiled code, from the deal to the end; counts games."""
    pool = copy_pool(game("wonders", **rules).deal(0).pool)
    seeds = iter(range(0, 10**12, GAMES))
    return lambda: int(random_games(pool, GAMES, np.uint64(next(seeds)))[0])


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
    """Redeals of a view in the middle of the second age; counts guesses."""
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
    """The figures of 7 Wonders."""
    three, choose, seven = in_turns(compiled_games(), compiled_games(trade="choose"), compiled_games(players=7))
    yield Figure("compiled random games, 3 players", median(three), "games/s", 8_000)
    yield Figure("the same against the published C++ engine", median(three) / PUBLISHED_ENGINE, "times")
    yield Figure("compiled random games, 3 players, trade=choose", median(choose), "games/s")
    yield Figure("compiled random games, 7 players", median(seven), "games/s")
    (face,) = in_turns(python_face())
    yield Figure("Python face, 3 players", median(face), "games/s")
    few, many = in_turns(guesses(3), guesses(7))
    yield Figure("guesses of what is hidden, 3 players", median(few) / 1e3, "thousand/s")
    yield Figure("guesses of what is hidden, 7 players", median(many) / 1e3, "thousand/s")
    yield Figure("state record", game("wonders").record_size, "bytes", 1536, at_least=False)
