"""Truco: compiled play, the Python interface, start-up, size; beside OpenSpiel and RLCard."""

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from statistics import median

import numpy as np

from bolicho.agents.agent import Agent
from bolicho.agents.play import play
from bolicho.agents.registry import recipe
from bolicho.agents.search.playout import play_out
from bolicho.bench import Figure, in_turns, peer, ratio
from bolicho.games import game
from bolicho.games.game import View
from bolicho.games.kind import Action

HANDS = 20_000
GAMES = 50


def compiled_hands() -> Callable[[], int]:
    """Random rollouts of dealt hands in compiled code; counts steps."""
    chosen = game("truco", hands=1)
    seeds = iter(range(10**12))
    return lambda: play_out(chosen, chosen.deal(seed := next(seeds)).pool, HANDS, seed).steps


def python_face(**rules: object) -> Callable[[], int]:
    """Random games through `table.view` and `table.play`; counts steps."""
    chosen = game("truco", **rules)
    rnd = random.Random(1).random
    seeds = iter(range(10**12))

    def work() -> int:
        steps = 0
        for _ in range(GAMES):
            table = chosen.deal(next(seeds))
            while not table.over:
                legal = table.view(table.turn).legal
                table.play(legal[int(rnd() * len(legal))])
            steps += table.ply
        return steps

    return work


class Middle(Agent):
    """Python agent that plays the middle one of its legal actions."""

    def act(self, view: View, rng: object) -> Action:
        return view.legal[len(view.legal) // 2]


def one_game(make: Callable[[], Agent]) -> Callable[[], int]:
    """Matches of two agents by `play`; counts steps."""
    chosen, seeds = game("truco"), iter(range(10**12))
    return lambda: play(chosen, [make(), make()], next(seeds)).plies


def openspiel_leduc(lean: bool) -> Callable[[], int]:
    """OpenSpiel's leduc_poker from Python; counts every applied action, chance included.

    Lean: the fewest calls that play a random game.  Otherwise the loop of OpenSpiel's example, which
    gets the chance outcomes and samples them.
    """
    leduc = peer("pyspiel").load_game("leduc_poker")
    rnd = random.Random(1).random

    def lean_work() -> int:
        steps = 0
        for _ in range(GAMES):
            state = leduc.new_initial_state()
            while not state.is_terminal():
                legal = state.legal_actions()
                state.apply_action(legal[int(rnd() * len(legal))])
                steps += 1
        return steps

    def example_work() -> int:
        steps = 0
        for _ in range(GAMES):
            state = leduc.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    actions, chances = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(np.random.choice(actions, p=chances))
                else:
                    state.apply_action(random.choice(state.legal_actions(state.current_player())))
                steps += 1
        return steps

    return lean_work if lean else example_work


def rlcard_leduc() -> Callable[[], int]:
    """RLCard's leduc-holdem stepped with random legal actions; counts steps."""
    env = peer("rlcard").make("leduc-holdem")
    rnd = random.Random(1).random

    def work() -> int:
        steps = 0
        for _ in range(GAMES):
            state, _player = env.reset()
            while not env.is_over():
                legal = list(state["legal_actions"])
                state, _player = env.step(legal[int(rnd() * len(legal))])
                steps += 1
        return steps

    return work


def seconds_to_first_move() -> float:
    """Return the seconds from the start of a process to its first move, with a full compile cache; median of five."""
    code = "import bolicho; t = bolicho.game('truco').deal(1); t.play(t.view(0).legal[0])"
    times = []
    for _ in range(6):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "BOLICHO_QUIET": "1"})
        times.append(time.perf_counter() - start)
    return median(times[1:])


def bench() -> Iterator[Figure]:
    """Yield the figures of Truco."""
    ours, lean, example = in_turns(compiled_hands(), openspiel_leduc(lean=True), openspiel_leduc(lean=False))
    yield Figure("compiled random playouts of a hand", median(ours) / 1e6, "million steps/s", 10)
    yield Figure("OpenSpiel leduc, its example's loop", median(example) / 1e6, "million steps/s")
    yield Figure("OpenSpiel leduc, leanest loop", median(lean) / 1e6, "million steps/s")
    yield Figure("ratio to the example's loop", ratio(ours, example), "times", 40)
    yield Figure("ratio to the leanest loop", ratio(ours, lean), "times")
    by_play = one_game(Middle), one_game(recipe("balanced", "truco").maker(game("truco")))
    matches, hands, played, scripted, rlcard = in_turns(python_face(), python_face(hands=1), *by_play, rlcard_leduc())
    yield Figure("Python face, matches", median(matches) / 1e3, "thousand steps/s")
    yield Figure("Python face, single hands", median(hands) / 1e3, "thousand steps/s")
    yield Figure("Python agents by `play`, matches", median(played) / 1e3, "thousand steps/s")
    yield Figure("RLCard leduc", median(rlcard) / 1e3, "thousand steps/s")
    yield Figure("ratio of matches to RLCard", ratio(matches, rlcard), "times", 4)
    yield Figure("ratio of hands to RLCard", ratio(hands, rlcard), "times", 4)
    yield Figure("ratio of `play` of Python agents to RLCard", ratio(played, rlcard), "times")
    yield Figure("ratio of `play` of scripted agents to RLCard", ratio(scripted, rlcard), "times")
    yield Figure("second process to its first move", seconds_to_first_move(), "s", 3, at_least=False)
    yield Figure("state record", game("truco").record_size, "bytes", 512, at_least=False)
