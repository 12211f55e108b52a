"""Vector CFR for Truco: agreement with played games, the learned artifact, and its play."""

import numpy as np
import pytest

from bolicho import game, replay
from bolicho.agents.cfr.compiled.vector import BOTH, NOBODY, Step, vectors, walk
from bolicho.agents.cfr.kernel import choices
from bolicho.agents.cfr.truco import steps
from bolicho.agents.cfr.truco.cards_alone import CardsAlone
from bolicho.agents.cfr.truco.compiled.numbers import FOLLOW, LEAD, MAO_LEADS, STATES, TOLD_ROOT, second_number
from bolicho.agents.cfr.truco.compiled.opening import PLAIN_TREE, deal
from bolicho.agents.cfr.truco.compiled.public import ANSWER
from bolicho.agents.cfr.truco.compiled.rounds import prepare, second_rounds
from bolicho.agents.cfr.truco.hands import CLASSES, PAIRS, SETS, TOLD
from bolicho.agents.cfr.truco.learner import cfr_truco
from bolicho.agents.cfr.truco.model import CHOICES, COARSE, FULL, groups, packed, unpacked
from bolicho.agents.cfr.truco.solver import KEPT, Memory, expanded, solver
from bolicho.agents.check import check_agent
from bolicho.agents.mirrored_games import meet
from bolicho.agents.player import InMemoryAgent, Luck
from bolicho.agents.registry import agent
from bolicho.errors import BadInput
from bolicho.games import kernel
from bolicho.games.compiled.chance import below, stream
from bolicho.games.jit import njit, rule
from bolicho.games.kind import copy_pool
from bolicho.games.truco.rules import CARDS
from bolicho.store.artifact import load_artifact

HAND, MATCH = game("truco", hands=1), game("truco")


ROOM = 60_000_000  # shares: more than the tests allocate
FACTS = {"iterations": 1, "memory": list(COARSE)}


def coarse_solver():
    return solver(24, Memory(*COARSE), ROOM)


@rule
def look(level, seed, count, out):
    """Add the value of a hand without flor to the mão, each time with other luck, without learning."""
    for i in range(count):
        level.learned.drawn[0] = 0
        deal(level, PLAIN_TREE)
        walk(level, PLAIN_TREE, 0, Step(np.float32(0), np.float32(0), BOTH, NOBODY, stream(seed, i)))
        _, value = vectors(level.room, level.tree.nodes[0], 0)
        for t in range(len(value)):
            if not level.hands.type_flor[t]:
                out[i] += level.hands.prior[t] * value[t]


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
    made, out = coarse_solver(), np.zeros(30)
    look(made.opening, np.uint64(1), len(out), out)  # fits the stored values
    out[:] = 0
    look(made.opening, np.uint64(2), len(out), out)
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
NOTHING = np.float32(0), np.float32(0), NOBODY, NOBODY, np.uint64(1)
"""A step that learns nothing and leaves nothing out."""


@rule
def go_through(level, classes, pairs, step):
    """Return the values of a pair of the mão and one of the pé once both have played a card each."""
    for seat in range(2):
        for q in range(PAIRS):
            level.room.reach[seat * SETS + q] = q == pairs[seat]
    for won in range(4):
        level.pays[0, won], level.pays[1, won] = UP[won], -UP[won]
    second_rounds(level, classes[0], classes[1], 0, step)
    return level.room.value[pairs[0]], level.room.value[SETS + pairs[1]]


def any_mixtures(made, seed, open_cards):
    """Give every allocated row random shares, and return the player that uses them.

    No card is played face down in the block that begins at `open_cards`.
    """
    average, n = made.opening.learned.average, made.used
    rng = np.random.default_rng(seed)
    average[:n] = rng.random(n) ** 3 + 1e-3
    # Vectors do not record which card lies face down, nor what it makes less likely.
    for (_, node, _), (offset, _, _) in made.layouts.second[0].situations():
        if node < ANSWER:
            average[open_cards + offset + 2 * PAIRS : open_cards + offset + 3 * PAIRS] = 0
    model = unpacked(HAND, packed(made, 0.0), FACTS, "memory")
    for begin, at, n, rows in situations(made, model):
        shares = model.shares[at : at + n * rows].reshape(rows, n)
        made.opening.learned.regret[begin : begin + n * rows] = shares.T.ravel()
    return InMemoryAgent(model.player())


def situations(made, model):
    """Yield the begin of every situation in a solver and in its file's model, with choices and rows."""
    tables = made.blocks, model.places.blocks
    seconds, thirds = (np.flatnonzero(table >= 0) for table in (tables[0].seconds, tables[0].thirds))
    begins = [(np.zeros(1, np.int64), table.seconds[seconds], table.thirds[thirds]) for table in tables]
    for kind, where, offset, n, rows in groups(made.layouts, seconds, thirds):
        for block in where:
            yield begins[0][kind][block] + offset, begins[1][kind][block] + offset, n, rows


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
    made = coarse_solver()
    first, h = made.opening.first, made.opening.hands
    table = HAND.setup(hands=[mao, pe], mao=0)
    table.play(mao[0])
    table.play(pe[0])
    classes = [[int(h.class_of[CARDS.index(card) + 2]) for card in cards] for cards in (mao, pe)]
    pairs = [int(h.pair_of[tuple(cards[1:])]) for cards in classes]
    cards = classes[0][0], classes[1][0]
    both = h.meeting[cards[0], cards[1], pairs[0], pairs[1]]

    def values():
        return [value / both for value in go_through(first, cards, (pairs[0], pairs[1]), Step(*NOTHING))]

    values()  # lays the third rounds
    player = any_mixtures(made, 3, int(made.blocks.seconds.max()))
    value, opposite = values()
    assert value == pytest.approx(-opposite, abs=1e-4)
    assert value == pytest.approx(worth(table, player), abs=1e-4)


@rule
def walk_second_round(level, number, base, step):
    prepare(level)
    walk(level, number, base, step)


def test_second_round_is_zero_sum():
    """Random vectors and strategies, in every state of the bets."""
    made, rng = coarse_solver(), np.random.default_rng(1)
    second, h = made.opening.first.second, made.opening.hands
    made.opening.learned.regret[:] = rng.random(ROOM, dtype=np.float32)
    second.pays[0], second.pays[1] = UP, -UP
    for lead, follow, state in ((10, 3, 0), (5, 5, 0), (10, 3, 1), (13, 0, 2), (13, 12, 3), (5, 5, 4), (6, 1, 5)):
        second.root[[LEAD, FOLLOW, MAO_LEADS, TOLD_ROOT]] = lead, follow, 1, 0
        tree = 2 * state + (lead != follow)
        top = second.tree.nodes[second.tree.begin[tree]]
        held = h.held[[lead, follow]]
        reach = rng.random((2, PAIRS)).astype(np.float32) * held
        for seat in range(2):
            second.room.reach[top["at"][seat] : top["at"][seat] + PAIRS] = reach[seat]
        walk_second_round(second, tree, made.used, Step(*NOTHING))
        won, lost = (reach[seat] @ second.room.value[top["at"][seat] : top["at"][seat] + PAIRS] for seat in range(2))
        assert won == pytest.approx(-lost, rel=1e-4)
        assert won != 0


def test_cards_alone_converge_to_an_equilibrium():
    """The exact gain of best responses falls, and no fixed strategy of the responder wins more."""
    solver_, found = CardsAlone(Memory(7, 7)), []
    for passes in (1, 4):
        solver_.iterate(passes)
        found.append(solver_.exploitability())
    assert 0 < found[1] < found[0] / 1.5
    assert found[1] >= abs(sum(solver_.values(NOBODY))) - 1e-4


def learn(iterations, refined=0, seed=1):
    learner = cfr_truco(seed, iterations, refined=refined)
    while learner.done < learner.total:
        learner.step()
    return learner


def test_few_iterations_beat_random_play():
    """Payoff of twelve iterations against the agent `random`."""
    model = unpacked(HAND, packed(learn(12).solver), FACTS, "memory")
    met = meet(HAND, [lambda: InMemoryAgent(model.player()), "random"], 2_000, 1)
    won = met.payoffs[:, :, 0].mean(axis=1)
    assert won.mean() > 3 * won.std() / len(won) ** 0.5


def test_artifact_contains_the_learned_shares():
    made = learn(2).solver
    model = unpacked(HAND, packed(made, 0.0), FACTS, "memory")
    seen = 0
    for begin, at, n, rows in list(situations(made, model))[::391]:
        learned = made.opening.learned.average[begin : begin + n * rows].reshape(n, rows).T
        shares = model.shares[at : at + n * rows].reshape(rows, n)
        total = learned.sum(axis=1)
        assert (shares.sum(axis=1) == np.where(total > 0, FULL, 0)).all()
        there = total > 0
        off = shares[there] / FULL - learned[there] / total[there, None]
        assert (abs(off) <= n / FULL).all()
        seen += there.sum()
    assert seen > 100


def test_expansion_of_memory_keeps_what_was_learned():
    """Every second round of finer memory begins with what was learned in the coarse one that it belongs to."""
    coarse, fine, rng = learn(2).solver, solver(24, Memory(), 160_000_000), np.random.default_rng(1)
    expanded(coarse, fine)
    seen = 0
    for _ in range(2_000):
        lead, follow = sorted(rng.integers(0, CLASSES, 2).tolist(), reverse=True)
        mao, told, state = int(lead == follow or rng.integers(2)), int(rng.integers(TOLD)), int(rng.integers(STATES))
        root = np.zeros(4, np.int64)
        root[[LEAD, FOLLOW, MAO_LEADS, TOLD_ROOT]] = lead, follow, mao, told
        begins = [made.blocks.seconds[second_number(made.blocks, root, state)] for made in (coarse, fine)]
        assert (begins[0] >= 0) == (begins[1] >= 0)
        if begins[0] >= 0:
            size = coarse.layouts.second[state].size
            for name, weight in (("regret", np.float32(1)), ("average", KEPT)):
                before, after = (
                    getattr(made.opening.learned, name)[begin : begin + size]
                    for made, begin in zip((coarse, fine), begins, strict=True)
                )
                assert (after == before * weight).all()
            seen += 1
    assert seen > 50


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


@pytest.mark.parametrize("rules", [{"flor": False}, {"hands": 1, "face_down": False}])
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


@pytest.mark.parametrize("target", [12, 15, 18, 30])
def test_matches_to_other_targets_depend_on_the_points_that_seats_lack(target):
    """A match to 12 from its beginning is a match to 24 from 12-12."""
    scores = [target - 7, target - 10]
    assert mixture(scores, ["envido"], ["7e", "6e", "3c"], target) == mixture([17, 14], ["envido"], ["7e", "6e", "3c"])
    assert mixture(scores, ["4c"], ["7e", "6e", "3c"], target) == mixture([17, 14], ["4c"], ["7e", "6e", "3c"])
    for name in ("cfr", "leaning"):
        assert agent(name).plays(game("truco", target=target)) is None


def mixture(scores, said, own, target=24):
    """Return the mixture of `cfr` as pé at a score, for its cards and the calls of the mão."""
    match = game("truco", target=target)
    table = match.setup(hands=[["4c", "5o", "10e"], own], mao=0, scores=scores)
    for action in said:
        table.play(action)
    view = table.view(table.turn)
    player = agent("cfr", match)
    player.begin(match, view.seat)
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
        unpacked(HAND, arrays, FACTS, "a file")


@pytest.mark.parametrize(
    ("options", "why"),
    [({"iterations": 0}, "iterations must be"), ({"least": 1.0}, "least must"), ({"refined": 11}, "refined must be")],
)
def test_invalid_options_are_refused(options, why):
    with pytest.raises(BadInput, match=why):
        cfr_truco(1, **{"iterations": 10, "refined": 0, **options})
