"""Time per decision of an agent."""

import time
from collections.abc import Iterable

import numpy as np

from bolicho.agents.registry import agent
from bolicho.games import game


def microseconds_a_decision(name: str, spec: str, seeds: Iterable[int]) -> float:
    """Return the mean processor time of `agent.act(view, rng)` over whole games of an agent against itself."""
    chosen = game(name)
    players = [agent(spec, name) for _ in range(chosen.seats)]
    rng = np.random.default_rng(1)
    spent, count = 0.0, 0
    for seed in seeds:
        table = chosen.deal(seed)
        while (turn := table.turn) is not None:
            view = table.view(turn)
            start = time.process_time()
            action = players[turn].act(view, rng)
            spent += time.process_time() - start
            count += 1
            table.play(action)
    return 1e6 * spent / count
