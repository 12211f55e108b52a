"""Reference implementation of Sarsa in plain Python, which shares only random numbers with the compiled loop."""

import numpy as np

from bolicho.games.compiled.chance import below, stream, uniform
from bolicho.games.game import Table


def after(table: Table, action):
    """Return the payoff of an action if it ends the game, or the features of its after-state for its seat."""
    seat, child = table.turn, table.copy()
    child.play(action)
    if child.over:
        return child.payoffs[seat], None
    return None, child.view(seat).features().astype(float)


def worth(weights, reached):
    payoff, features = reached
    return payoff if features is None else float(weights @ features)


def learn(game, games, seed, epsilon, gamma, alpha, fade):
    """Return the weights after self-play with open information and payoffs at the end."""
    weights = np.zeros(game.num_features)
    for number in range(games):
        own = np.uint64(stream(np.uint64(seed), number))
        table = game.deal(int(stream(own, 0)))
        step = alpha / (1 + number / fade)
        last = [None] * game.seats

        def correct(seat, target, last=last, step=step):
            features = last[seat]
            if features is not None:
                error = target - weights @ features
                weights[:] += step * error * features / (features @ features)

        ply = 0
        while not table.over:
            seat, legal = table.turn, table.legal
            reached = [after(table, action) for action in legal]
            luck = np.uint64(stream(np.uint64(stream(own, 1 + seat)), ply))
            chance = np.uint64(stream(luck, 0))
            if uniform(chance, 0) < epsilon:
                chosen = below(chance, 1, len(legal))
            else:
                chosen = int(np.argmax([worth(weights, one) for one in reached]))
            correct(seat, gamma * worth(weights, reached[chosen]))
            last[seat] = reached[chosen][1]
            table.play(legal[chosen])
            ply += 1
        for seat in range(game.seats):
            correct(seat, table.payoffs[seat])
    return weights
