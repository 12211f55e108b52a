"""Steps at some tables of many, where the others wait for somebody else."""

from bolicho.games import kernel
from bolicho.games.compiled.calls import deal_next, look_at
from bolicho.games.jit import njit


@njit
def step_some(pool, which, chosen, seed, dealt, actions, features, masks, rewards, done):
    """Play legal actions at some tables, pay and deal anew where games end, and look; what is told is of these."""
    for k in range(len(which)):
        i = which[k]
        kernel.apply(pool[i], chosen[k])
        rewards[k] = 0
        done[k] = pool[i].turn < 0
        if done[k]:
            kernel.payoff(pool[i], rewards[k])
            deal_next(pool, i, seed, dealt)
        look_at(pool, i, actions, features[i], masks[i])
