"""Player that adapts the mixture of another player to the observed opponent; compiled.

It has *profiles* of known players: the probabilities of their answers in situations (`habits`), and the gain of each of
its own actions against them, relative to equilibrium (`leans`). Observed answers update the belief over profiles, and
leans are averaged by it. A lean multiplies the share of an action, so shares of zero stay zero; in every decision at
most `most` of the mixture moves.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents import kernel as players
from bolicho.agents.cfr.truco.compiled.opponent_actions import NO_HABIT, WATCHED, read_habit
from bolicho.agents.compiled.truco import win_chance
from bolicho.games import kernel
from bolicho.games.compiled.chance import uniform
from bolicho.games.jit import njit, rule
from bolicho.games.kernel import implements
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled.lexicon import last_envido

STEPS = 6  # steps of the chance to win the hand by cards, and of envido points
POINTS_FROM = (20, 24, 26, 28, 30)

CARDS, COVERED, CALL, LEAVE, FREE_WAYS = 0, 3, 4, 5, 6  # cards by strength: weakest, middle, strongest
QUERO, NAO, RAISE = range(3)

FREE = 0  # 3 rounds x lead or answer x truco called or not x chance x ways
TO_TRUCO = FREE + 3 * 2 * 2 * STEPS * FREE_WAYS  # 3 rounds x 3 calls x chance x 3 ways
ENVIDO = TO_TRUCO + 3 * 3 * STEPS * 3  # points x mão or pé x 3 calls
TO_ENVIDO = ENVIDO + STEPS * 2 * 3  # 3 calls x points x 4 ways
PLACES = TO_ENVIDO + 3 * STEPS * 4
NO_PLACE = -1

KEPT, INSTEAD = 8, 9  # counters of two draws from luck; the mixture uses lower ones


def memory_of(profiles: int) -> np.dtype[np.void]:
    """Return the type of the memory of a game."""
    beliefs = [("belief", "f8", (profiles,)), ("weight", "f8", (profiles,)), ("seen", "i4")]
    return np.dtype([*WATCHED, *beliefs], align=True)


class Leaning(NamedTuple):
    """Base player, profiles and work arrays."""

    base: Any
    prior: NDArray[np.float64]  # (profile): logarithms, like habits
    habits: NDArray[np.float64]  # (profile, situation, answer)
    leans: NDArray[np.float64]  # (profile, place)
    most: float
    legal: NDArray[np.int16]
    chances: NDArray[np.float64]


# --- Belief ----------------------------------------------------------------------------------------


@rule
def update_weights(m):
    """Write the weights of the profiles: the normalised belief."""
    highest, total = -np.inf, 0.0
    for p in range(len(m.weight)):
        highest = max(highest, m.belief[p])
    for p in range(len(m.weight)):
        m.weight[p] = np.exp(m.belief[p] - highest)
        total += m.weight[p]
    for p in range(len(m.weight)):
        m.weight[p] /= total


@implements(players.forget, Leaning)
@njit
def forget(player, memory, seat):
    memory.seen = 0
    for p in range(len(player.prior)):
        memory.belief[p] = player.prior[p]
    update_weights(memory)


@implements(players.observe, Leaning)
@njit
def observe(player, memory, event, seat):
    situation, answer = read_habit(memory, event, seat)
    if situation != NO_HABIT:
        memory.seen += 1
        for p in range(len(player.prior)):
            memory.belief[p] += player.habits[p, situation, answer]
        update_weights(memory)


# --- Adaptation ------------------------------------------------------------------------------------


@rule
def chance_step(view, seat):
    return min(STEPS - 1, int(STEPS * win_chance(view, seat)))


@rule
def points_step(view, seat):
    points, step = k.envido_of(view, seat), 0
    for edge in POINTS_FROM:
        step += points >= edge
    return step


@rule
def way_of_card(view, seat, card):
    """Return the rank of a card among those in hand, by strength; one number for all cards face down."""
    if card >= k.FACE_DOWN:
        return COVERED
    weaker, stronger = 0, 0
    for i in range(3):
        held = view.hands[seat, i]
        if held != k.NONE:
            weaker += k.strength(held) < k.strength(card)
            stronger += k.strength(held) > k.strength(card)
    return CARDS + (2 if stronger == 0 else (0 if weaker == 0 else 1))


@rule
def place_of(view, seat, action, chance, points):
    """Return the index of an action in `leans`, by kind of decision, strength and points; or NO_PLACE."""
    r, called = np.int64(view.round), np.int64(view.called)
    if view.pending == k.NOTHING:
        if k.ENVIDO <= action <= k.FALTA:
            return ENVIDO + (points * 2 + (view.mao == seat)) * 3 + action - k.ENVIDO
        answers = np.int64(view.played[1 - seat, r] != k.NONE)
        way = way_of_card(view, seat, action) if action < k.TRUCO else (CALL if action <= k.VALE4 else LEAVE)
        return FREE + (((r * 2 + answers) * 2 + (called > 0)) * STEPS + chance) * FREE_WAYS + way
    if k.QUERO <= action <= k.NAO:
        way = QUERO + action - k.QUERO
    elif view.pending == k.TRUCO_BET:
        way = RAISE
    else:
        way = RAISE + (action == k.FALTA)
    if view.pending == k.TRUCO_BET and (action <= k.VALE4 or action >= k.QUERO):
        return TO_TRUCO + ((r * 3 + called - 1) * STEPS + chance) * 3 + way
    if view.pending == k.ENVIDO_BET:
        return TO_ENVIDO + (last_envido(view) * STEPS + points) * 4 + way
    return NO_PLACE


@rule
def lean(player, weight, view, seat, n, out):
    """Adapt a mixture of `n` legal actions by weights of the profiles; return the share that moved."""
    chances = player.chances
    chance, points = chance_step(view, seat), points_step(view, seat)
    kernel.legal(view, player.legal)
    total = 0.0
    for i in range(n):
        chances[i] = out[i]
        if out[i] > 0 and out[i] < 1:
            place = place_of(view, seat, np.int64(player.legal[i]), chance, points)
            if place != NO_PLACE:
                tilt = 0.0
                for p in range(len(weight)):
                    tilt += weight[p] * player.leans[p, place]
                chances[i] *= np.exp(tilt)
        total += chances[i]
    moved = 0.0
    for i in range(n):
        chances[i] /= total
        moved += abs(chances[i] - out[i]) / 2
    part = min(1.0, player.most / moved) if moved > 0 else 0.0
    for i in range(n):
        out[i] += part * (chances[i] - out[i])
    return part * moved


@implements(players.mixture, Leaning)
@njit
def mixture(player, memory, view, seat, out):
    n = players.mixture(player.base, memory, view, seat, out)
    if view.pending != k.FLOR_BET:
        lean(player, memory.weight, view, seat, n, out)
    return n


@implements(players.decide, Leaning)
@njit
def decide(player, memory, view, seat, luck):
    """Return the action of the base player with the same luck, replaced as often as its share was reduced."""
    action = players.decide(player.base, memory, view, seat, luck)
    if view.pending == k.FLOR_BET:
        return action
    before, after = np.zeros(k.NUM_ACTIONS), np.zeros(k.NUM_ACTIONS)
    n = players.mixture(player.base, memory, view, seat, before)
    after[:n] = before[:n]
    lean(player, memory.weight, view, seat, n, after)
    gained = 0.0
    for i in range(n):
        gained += max(0.0, after[i] - before[i])
        if player.legal[i] == action and uniform(luck, KEPT) * before[i] < after[i]:
            return action
    drawn, instead = uniform(luck, INSTEAD) * gained, action
    for i in range(n):
        if after[i] > before[i]:
            instead = np.int64(player.legal[i])
            drawn -= after[i] - before[i]
            if drawn < 0:
                break
    return instead


# --- Statistics of replayed hands ------------------------------------------------------------------


@njit
def replay_hands(player, memory, pool, view, seeds, seats, actions, starts, habits, gains, sizes):
    """Replay single hands of `player`; add up the answers of its opponent and the gains of its actions.

    `habits[situation, answer]` counts the answers. Over a decision, the indicator of the drawn action minus its share
    has mean zero. Its product with the payoff, `gains[place]`, estimates the gain of the action over the mixture, and
    `sizes[place]`, the sum of share times (1 - share), is the sample size of that estimate.
    """
    payoffs, out, trace = np.zeros(2), np.zeros(k.NUM_ACTIONS), np.zeros(PLACES)
    for g in range(len(seeds)):
        seat = np.int64(seats[g])
        kernel.deal(pool[0], seeds[g])
        players.forget(player, memory[0], seat)
        trace[:] = 0
        for at in range(starts[g], starts[g + 1] + 1):
            view[0] = pool[0]
            kernel.hide(view[0], seat)
            for row in range(view[0].num_events):
                situation, answer = read_habit(memory[0], view[0].events[row], seat)
                if situation != NO_HABIT:
                    habits[situation, answer] += 1
            if at == starts[g + 1]:
                break
            if pool[0].turn == seat and pool[0].pending != k.FLOR_BET:
                n = players.mixture(player, memory[0], view[0], seat, out)
                kernel.legal(view[0], player.legal)
                chance, points = chance_step(view[0], seat), points_step(view[0], seat)
                for i in range(n):
                    place = place_of(view[0], seat, np.int64(player.legal[i]), chance, points)
                    if 0 < out[i] < 1 and place != NO_PLACE:
                        trace[place] += (player.legal[i] == actions[at]) - out[i]
                        sizes[place] += out[i] * (1 - out[i])
            kernel.apply(pool[0], actions[at])
        kernel.payoff(pool[0], payoffs)
        for place in range(PLACES):
            gains[place] += trace[place] * payoffs[seat]
