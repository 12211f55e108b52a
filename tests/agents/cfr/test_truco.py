"""Vector CFR for Truco: agreement with played games, the learned artifact, and its play."""

import numpy as np
import pytest

from bolicho import game, replay
from bolicho.agents.cfr.kernel import choices
from bolicho.agents.cfr.truco import steps
from bolicho.agents.cfr.truco.compiled.bets import ANSWER
from bolicho.agents.cfr.truco.compiled.blocks import (
    DRAWN,
    NEXT,
    RESPONDER,
    ROUNDS,
    STEPS_2,
    second_block,
    second_number,
)
from bolicho.agents.cfr.truco.compiled.opening import mao_opens
from bolicho.agents.cfr.truco.compiled.second import prepare, second_round
from bolicho.agents.cfr.truco.hands import PAIRS
from bolicho.agents.cfr.truco.learner import cfr_truco
from bolicho.agents.cfr.truco.model import CHOICES, FULL, packed, unpacked
from bolicho.agents.cfr.truco.solver import groups, points, solver
from bolicho.agents.check import check_agent
from bolicho.agents.mirrored_games import meet
from bolicho.agents.player import InMemoryAgent, Luck
from bolicho.agents.registry import agent
from bolicho.errors import BadInput
from bolicho.games import kernel
from bolicho.games.compiled.chance import below, stream
from bolicho.games.jit import njit
from bolicho.games.kind import copy_pool
from bolicho.games.truco.rules import CARDS
from bolicho.store.artifact import load_artifact

HAND, MATCH = game("truco", hands=1), game("truco")


@njit
def look(solver, utilities, scores, seed, count, out):
    """Add the value of a hand without flor to the mão, each time with other luck, without learning."""
    for i in range(count):
        solver.counts[DRAWN] = 0
        mao_opens(solver, utilities, scores, np.float32(0), np.float32(0), stream(seed, i))
        for t in range(len(solver.hands.prior)):
            out[i] += solver.hands.prior[t] * solver.opening.plain[t] * solver.opening.mao_value[t]


@njit
def play_any_choice(abstraction, pool, actions, labels, payoffs, seed, count):
    """Return the mean payoff and mean square of the mão, in hands without flor with uniformly random choices."""
    total, squares, counted = 0.0, 0.0, 0
    for i in range(count):
        luck = stream(seed, i)
        kernel.deal(pool[0], luck)
        if pool[0].has_flor[0] == 1:
            continue
        counted += 1
        drawn = 0
        while pool[0].turn >= 0:
            n = choices(abstraction, pool[0], np.int64(pool[0].turn), actions, labels)
            kernel.apply(pool[0], actions[below(luck, drawn, n)])
            drawn += 1
        kernel.payoff(pool[0], payoffs)
        total += payoffs[0]
        squares += payoffs[0] ** 2
    return total / counted, squares / counted, counted


def test_vector_values_agree_with_played_hands():
    made, out = solver(24), np.zeros(30)
    look(made, points(24), np.zeros(2, np.int64), np.uint64(1), len(out), out)  # fits the baseline values
    out[:] = 0
    look(made, points(24), np.zeros(2, np.int64), np.uint64(2), len(out), out)
    blank, width = copy_pool(HAND.deal(0).pool), HAND.num_actions
    found, square, count = play_any_choice(
        steps(CHOICES), blank, np.zeros(width, np.int16), np.zeros(width, np.int16), np.zeros(2), np.uint64(5), 300_000
    )
    plain = 1 - 480 / 9880
    error = (out.var() / len(out) / plain**2 + square / count) ** 0.5
    assert abs(out.mean() / plain - found) < 4 * error
    assert error < 0.15


# --- Second and third round in plain Python -----------------------------------------------------

UP = np.array([1, 2, 3, 4], np.float32)


def any_mixtures(made, seed, open_cards):
    """Give every allocated row random shares, and return the player that uses them.

    No card is played face down in the block that begins at `open_cards`.
    """
    n = made.counts[NEXT]
    rng = np.random.default_rng(seed)
    made.average[:n] = rng.random(n) ** 3 + 1e-3
    # Vectors do not record which card lies face down, nor what it makes less likely.
    laid = made.blocks
    for at in (*laid.second_lead[0, :ANSWER], *laid.second_follow[0, :, :ANSWER].ravel()):
        if at >= 0:
            begin = open_cards + at + 2 * PAIRS
            made.average[begin : begin + PAIRS] = 0
    model = unpacked(HAND, packed(made, 0.0), {"iterations": 1}, "memory")
    seconds, thirds = (np.flatnonzero(laid >= 0) for laid in (made.blocks.seconds, made.blocks.thirds))
    begins = (np.zeros(1, np.int64), made.blocks.seconds[seconds], made.blocks.thirds[thirds])
    end = 0
    for kind, group in groups(made.hands, seconds, thirds):
        for begin in begins[kind][group.where]:
            size = group.rows * group.choices
            shares = model.shares[end : end + size].reshape(group.rows, group.choices)
            made.regret[begin + group.first : begin + group.first + size] = shares.T.ravel()
            end += size
    return InMemoryAgent(model.player())


def worth(table, player):
    """Return the value of the hand to seat 0 from here on, by the rules and the player's mixtures."""
    if table.over:
        return table.scores[0] - table.scores[1]
    view = table.view(table.turn)
    shares, total = player.mixture(view), 0.0
    for action, share in zip(view.legal, shares, strict=True):
        if share > 0:
            after = replay(table.record())
            after.play(action)
            total += share * worth(after, player)
    return total


@pytest.mark.parametrize(
    ("mao", "pe"),
    [
        (["3e", "1p", "4o"], ["12c", "7o", "4p"]),  # the mão wins the first round and leads
        (["4e", "2c", "7p"], ["10c", "1c", "3o"]),  # the pé does
        (["11e", "7e", "5c"], ["11p", "2o", "5o"]),  # a tie
    ],
)
def test_values_of_second_and_third_round_match_plain_python(mao, pe):
    """Values after the first round, under random strategies."""
    made = solver(24)
    h = made.hands
    table = HAND.setup(hands=[mao, pe], mao=0)
    table.play(mao[0])
    table.play(pe[0])
    classes = [[int(h.class_of[CARDS.index(card) + 2]) for card in cards] for cards in (mao, pe)]
    leads = classes[0][0] >= classes[1][0]  # the mão
    won = int(classes[0][0] != classes[1][0])
    (lead, *two), (follow, *other) = classes if leads else classes[::-1]
    number = second_number(h, made.counts[STEPS_2], int(leads), won, 0, lead, follow, 0)
    begin = second_block(made.blocks, made.counts, number, 0)
    prepare(h, made.second, lead, follow)

    def go_through():
        own, others = h.pair_of[tuple(two)], h.pair_of[tuple(other)]
        made.second.p[0], made.second.o[0] = 0, 0
        made.second.p[0, own] = made.second.o[0, others] = 1
        made.counts[RESPONDER], made.counts[ROUNDS] = 0, 0  # nothing is left out, and nothing learned
        second_round(
            made, begin, lead, follow, won, int(leads), 0, 0, UP, -UP, np.float32(0), np.float32(0), np.uint64(1)
        )
        both = h.meeting[lead, follow, own, others]
        return made.second.value_p[0, own] / both, made.second.value_o[0, others] / both

    go_through()  # lays the third rounds
    player = any_mixtures(made, 3, begin)
    value, opposite = go_through()
    assert value == pytest.approx(-opposite, abs=1e-4)
    assert value * (1 if leads else -1) == pytest.approx(worth(table, player), abs=1e-4)


def test_second_round_is_zero_sum():
    """Random vectors and strategies, in every state of the bets."""
    made, rng = solver(24), np.random.default_rng(1)
    h = made.hands
    made.regret[:] = rng.random(len(made.regret), dtype=np.float32)
    for lead, follow, state in ((10, 3, 0), (5, 5, 0), (10, 3, 1), (13, 0, 2), (13, 12, 3), (5, 5, 4), (6, 1, 5)):
        begin = second_block(made.blocks, made.counts, state, state)
        prepare(h, made.second, lead, follow)
        p, o = rng.random(len(h.pairs)) * h.held[lead], rng.random(len(h.pairs)) * h.held[follow]
        made.second.p[state], made.second.o[state] = p, o
        second_round(
            made, begin, lead, follow, int(lead != follow), 1, 0, state, UP, -UP, np.float32(0), np.float32(0),
            np.uint64(5),
        )  # fmt: skip
        won, lost = p @ made.second.value_p[state], o @ made.second.value_o[state]
        assert won == pytest.approx(-lost, rel=1e-4)
        assert won != 0


def learn(iterations, seed=1):
    learner = cfr_truco(seed, iterations)
    while learner.done < learner.total:
        learner.step()
    return learner


def test_few_iterations_beat_random_play():
    """Payoff of twelve iterations against the agent `random`."""
    model = unpacked(HAND, packed(learn(12).solver), {"iterations": 12}, "memory")
    met = meet(HAND, [lambda: InMemoryAgent(model.player()), "random"], 2_000, 1)
    won = met.payoffs[:, :, 0].mean(axis=1)
    assert won.mean() > 3 * won.std() / len(won) ** 0.5


def test_artifact_contains_the_learned_shares():
    made = learn(2).solver
    model = unpacked(HAND, packed(made, 0.0), {"iterations": 2}, "memory")
    seconds, thirds = (np.flatnonzero(laid >= 0) for laid in (made.blocks.seconds, made.blocks.thirds))
    begins = (np.zeros(1, np.int64), made.blocks.seconds[seconds], made.blocks.thirds[thirds])
    slots = {int(slot["key"]): slot for slot in model.slots if slot["count"] > 0}
    seen = 0
    for kind, group in list(groups(made.hands, seconds, thirds))[::17]:
        for key, where in list(zip(group.keys, group.where, strict=True))[::23]:
            first, slot = begins[kind][where] + group.first, slots[int(key)]
            size = group.rows * group.choices
            learned = made.average[first : first + size].reshape(group.choices, group.rows).T
            shares = model.shares[slot["first"] : slot["first"] + size].reshape(group.rows, group.choices)
            total = learned.sum(axis=1)
            assert (shares.sum(axis=1) == np.where(total > 0, FULL, 0)).all()
            there = total > 0
            off = shares[there] / FULL - learned[there] / total[there, None]
            assert (abs(off) <= group.choices / FULL).all()
            seen += there.sum()
    assert seen > 100


def test_shipped_cfr_keeps_the_contract():
    assert check_agent("cfr", HAND, games=3).mixtures > 0


def test_shipped_cfr_wins_matches_against_random_play():
    assert meet(MATCH, ["cfr", "random"], 10, 1).won[:, :, 0].mean() > 0.8


def test_shipped_cfr_explains_the_value_of_each_action():
    """Seat 0 has won the first round, holds the ace of espadas, and is asked whether it takes truco."""
    hands = [["1e", "7o", "4p"], ["7c", "2e", "4c"]]
    table = HAND.setup(mao=1, hands=hands)
    for action in ("2e", "7o", "4p", "7c", "truco"):
        table.play(action)
    made = agent("cfr", HAND)
    made.act(table.view(), Luck.of(1))
    why = made.explain()
    assert why.facts["values"]["nao"] == pytest.approx(-1)
    assert why.facts["values"]["quero"] >= 2  # and the right to call retruco
    assert why.facts["values"]["retruco"] >= 2
    assert why.facts["mixture"]["nao"] == 0


def test_shipped_cfr_beats_the_balanced_style():
    met = meet(HAND, ["cfr", "balanced"], 20_000, 3)
    points_won = met.payoffs[:, :, 0].mean(axis=1)
    assert points_won.mean() > 3 * points_won.std() / len(points_won) ** 0.5


@pytest.mark.parametrize("rules", [{"target": 12}, {"flor": False}, {"hands": 1, "face_down": False}])
def test_cfr_refuses_rules_it_was_not_trained_on(rules):
    rule, value = list(rules.items())[-1]
    refusal = (
        rf"cfr-truco\.safetensors was made for the default rules, and this game has {rule}={value}; play by .* balanced"
    )
    with pytest.raises(BadInput, match=refusal):
        agent("cfr", game("truco", **rules))
    assert agent("balanced").plays(game("truco", **rules)) is None
    for known in ({}, {"hands": 1}, {"hands": 3}):
        agent("cfr", game("truco", **known))


def mixture(scores, said, own):
    """Return the mixture of `cfr` as pé at a score, for its cards and the calls of the mão."""
    table = MATCH.setup(hands=[["4c", "5o", "10e"], own], mao=0, scores=scores)
    for action in said:
        table.play(action)
    view = table.view(table.turn)
    player = agent("cfr", MATCH)
    player.begin(MATCH, view.seat)
    return {str(action): chance for action, chance in zip(view.legal, player.mixture(view), strict=True)}


def test_cfr_never_refuses_when_refusal_loses_the_match():
    weak = ["4e", "5p", "6o"]
    assert mixture([10, 10], ["truco"], weak)["nao"] > 0.9
    assert mixture([23, 10], ["truco"], weak)["nao"] == 0


def test_cfr_never_raises_when_the_current_stake_wins_the_match():
    strong = ["7e", "7o", "3c"]
    assert mixture([10, 10], ["truco"], strong)["retruco"] > 0
    assert mixture([10, 22], ["truco"], strong)["retruco"] == 0


def test_cfr_raises_when_the_current_stake_loses_the_match():
    assert mixture([23, 10], ["truco"], ["4e", "5p", "6o"])["retruco"] == 1


@pytest.mark.parametrize("broken", ["rows-2", "patterns-3", "seconds"])
def test_artifact_with_missing_rows_is_refused(broken):
    arrays = dict(load_artifact("cfr-truco").arrays)
    arrays[broken] = arrays[broken][:-7]
    with pytest.raises(BadInput, match="lacks shares for some of its situations; train it again"):
        unpacked(HAND, arrays, {"iterations": 1}, "a file")


@pytest.mark.parametrize(
    ("options", "why"), [({"iterations": 0}, "iterations must be"), ({"least": 1.0}, "least must")]
)
def test_invalid_options_are_refused(options, why):
    with pytest.raises(BadInput, match=why):
        cfr_truco(1, **{"iterations": 10, **options})
