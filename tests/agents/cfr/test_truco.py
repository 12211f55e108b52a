"""Truco by vectors: what walks find agrees with games that are played; what is learned is kept, and plays."""

import numpy as np
import pytest

from bolicho import game
from bolicho.agents.agent import agent
from bolicho.agents.cfr.kernel import choices
from bolicho.agents.cfr.truco import steps
from bolicho.agents.cfr.truco.compiled.public import size_of, space_of
from bolicho.agents.cfr.truco.compiled.vectors import begin, visit
from bolicho.agents.cfr.truco.hands import hands
from bolicho.agents.cfr.truco.learner import cfr_truco, points, room
from bolicho.agents.cfr.truco.model import CHOICES, FULL, packed, unpacked
from bolicho.agents.check import check_agent
from bolicho.agents.meet import meet
from bolicho.agents.player import AtHand
from bolicho.errors import BadInput
from bolicho.games import kernel
from bolicho.games.compiled.chance import below, stream
from bolicho.games.game import copy_pool
from bolicho.games.jit import njit
from bolicho.store.artifact import load_artifact

HAND, MATCH = game("truco", hands=1), game("truco")


@njit
def walk_without_learning(h, abstraction, slots, arms, status, room, blank, utilities, seed, count, out):
    """What a hand is worth to each seat, by walks in which everybody takes any of the choices."""
    for i in range(count):
        for x in range(2):
            room.drawn[0] = 0
            luck = stream(stream(seed, i), x)
            begin(h, room, blank, np.zeros(2, np.int64), x, luck)
            visit(h, abstraction, slots, arms, status, room, 0, x, utilities, np.float32(0), luck)
            for j in range(size_of(h, space_of(room.pool[0], x))):
                out[i, x] += room.dealt[0, j] * room.value[0, j]


@njit
def play_any_choice(abstraction, pool, actions, labels, payoffs, seed, count):
    """The mean payoff of the mão, and its square, in hands where everybody takes any of the choices."""
    total, squares = 0.0, 0.0
    for i in range(count):
        luck = stream(seed, i)
        kernel.deal(pool[0], luck)
        drawn = 0
        while pool[0].turn >= 0:
            n = choices(abstraction, pool[0], np.int64(pool[0].turn), actions, labels)
            kernel.apply(pool[0], actions[below(luck, drawn, n)])
            drawn += 1
        kernel.payoff(pool[0], payoffs)
        total += payoffs[0]
        squares += payoffs[0] ** 2
    return total / count, squares / count


def test_walks_by_vectors_find_what_hands_are_worth_that_are_played():
    learner = cfr_truco(1, 1)
    kept, out = learner.learned, np.zeros((120, 2))
    blank = copy_pool(HAND.deal(0).pool)
    walk_without_learning(
        hands(), steps(CHOICES), kept.slots, kept.arms, kept.status, room(HAND), blank, points(24), np.uint64(2),
        len(out), out,
    )  # fmt: skip
    width, count = HAND.num_actions, 500_000
    found, square = play_any_choice(
        steps(CHOICES), blank, np.zeros(width, np.int16), np.zeros(width, np.int16), np.zeros(2), np.uint64(5), count
    )
    for seat, sign in ((0, 1), (1, -1)):
        error = (out[:, seat].var() / len(out) + square / count) ** 0.5
        assert abs(out[:, seat].mean() - sign * found) < 4 * error


def test_learning_wins():
    """A dozen iterations are already better than any choice at all."""
    learner = cfr_truco(1, 12)
    while learner.done < learner.total:
        learner.step()
    player = unpacked(HAND, packed(learner.learned), "memory").player()
    met = meet(HAND, [lambda: AtHand(player), "random"], 2_000, 1)
    won = met.payoffs[:, :, 0].mean(axis=1)
    assert won.mean() > 3 * won.std() / len(won) ** 0.5


def test_a_file_has_the_shares_that_were_learned():
    learner = cfr_truco(1, 2)
    learner.step()
    kept = learner.learned
    model = unpacked(HAND, packed(kept, 0.0), "memory")
    average = kept.learned()["average"].astype(float)
    for slot in kept.met()[::997]:
        n, first = int(slot["shape"]), int(slot["first"])
        if average[first : first + int(slot["count"])].sum() == 0:
            continue  # nobody came there by his own play
        own = int(np.flatnonzero(model.slots["key"] == slot["key"])[0])
        for row in range(0, int(slot["count"]), n):
            learned = average[first + row : first + row + n]
            at = int(model.slots[own]["first"]) + row
            shares = model.shares[at : at + n]
            assert shares.sum() == (FULL if learned.sum() > 0 else 0)
            if learned.sum() > 0:
                assert shares / FULL == pytest.approx(learned / learned.sum(), abs=n / FULL)


def test_what_ships_keeps_the_contract_in_hands_and_in_matches():
    assert check_agent("cfr", HAND, games=20).mixtures > 0
    assert check_agent("cfr", MATCH, games=3).mixtures > 0


def test_what_ships_beats_the_scripted_styles():
    met = meet(HAND, ["cfr", "balanced"], 20_000, 3)
    points_won = met.payoffs[:, :, 0].mean(axis=1)
    assert points_won.mean() > 3 * points_won.std() / len(points_won) ** 0.5


@pytest.mark.parametrize("rules", [{"target": 12}, {"flor": False}, {"hands": 1, "face_down": False}])
def test_rules_it_did_not_learn_are_refused(rules):
    with pytest.raises(BadInput, match=r"cfr-truco\.safetensors was made for hands=1, and this game has"):
        agent("cfr", game("truco", **rules))


def mixture(scores, said, own):
    """What `cfr` does as pé with some cards at a score, after what the mão said."""
    table = MATCH.setup(hands=[["4c", "5o", "10e"], own], mao=0, scores=scores)
    for action in said:
        table.play(action)
    view = table.view(table.turn)
    player = agent("cfr", MATCH)
    player.begin(MATCH, view.seat)
    return {str(action): chance for action, chance in zip(view.legal, player.mixture(view), strict=True)}


def test_nobody_refuses_who_loses_the_match_by_it():
    weak = ["4e", "5p", "6o"]
    assert mixture([10, 10], ["truco"], weak)["nao"] > 0.9
    assert mixture([23, 10], ["truco"], weak)["nao"] == 0


def test_nobody_raises_who_wins_the_match_by_the_hand_as_it_stands():
    strong = ["1p", "7e", "3p"]
    assert mixture([10, 10], ["truco"], strong)["retruco"] > 0
    assert mixture([10, 22], ["truco"], strong)["retruco"] == 0


def test_who_loses_the_match_by_the_hand_as_it_stands_raises():
    assert mixture([23, 10], ["truco"], ["4e", "5p", "6o"])["retruco"] == 1


@pytest.mark.parametrize("broken", ["rows-2", "patterns-3", "heights"])
def test_a_file_without_all_its_rows_is_refused(broken):
    arrays = dict(load_artifact("cfr-truco").arrays)
    arrays[broken] = arrays[broken][:-7]
    with pytest.raises(BadInput, match="has no shares for each of its situations; train it again"):
        unpacked(HAND, arrays, "a file")


@pytest.mark.parametrize(
    ("options", "why"), [({"iterations": 0}, "iterations must be"), ({"least": 1.0}, "least must")]
)
def test_options_that_make_no_sense_are_refused(options, why):
    with pytest.raises(BadInput, match=why):
        cfr_truco(1, **{"iterations": 10, **options})
