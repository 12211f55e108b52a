"""Learning of the Markov agent: updated cells, bluffs, overflow, and independence of hidden cards."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bolicho import agent, game
from bolicho.agents.markov.agent import Markov
from bolicho.agents.markov.compiled import learn
from bolicho.agents.markov.layout import CAP, CARDS, MODES, UNIT, level_counts, matrix
from bolicho.agents.markov.matrices import INITIAL_LEVELS, initial, initial_victories
from bolicho.agents.markov.options import PLUS, PUBLISHED, MarkovOptions, learned_matrices, new_player_state
from bolicho.agents.markov.states import ENVIDO_STATES, ORDERS, TRUCO_STATES, truco_name
from bolicho.agents.markov.train import MatchWorkspace, learn_from, self_play
from bolicho.agents.mirrored_games import deal_seed
from bolicho.agents.play import play
from tests.agents.markov.lots import Lot
from tests.agents.markov.reference import HANDS, PAIRS, holds
from tests.agents.markov.reference_learning import Learner

ONE_HAND = {"hands": 1, "flor": False}


def teach(player, seat, hands, actions, mao=0, **rules):
    """Let a player learn from one hand with given actions, its own included, and return what it learned."""
    table = game("truco", **{**ONE_HAND, **rules}).setup(hands=hands, mao=mao)
    player.begin(table.game, seat)
    for action in actions:
        if table.turn == seat:
            player.act(table.view(), Lot(0.999))
        table.play(action)
    assert table.over
    player.end(table.view(seat))
    return player.learned


def moved(learned, mode):
    """Return the changed cells in whole counts, as {(own, theirs): change}."""
    by = matrix(learned.block, mode) / UNIT - initial_victories(mode)
    return {(int(i), int(j)): float(by[i, j]) for i, j in np.argwhere(by)}


def learner(**options):
    return Markov("initial", True, MarkovOptions(**options))


MINE, THEIRS = ["1e", "7o", "4c"], ["3p", "2c", "12e"]
PLAYED_OUT = ["truco", "quero", "4c", "3p", "2c", "7o", "1e", "12e"]
"""Seat 0 loses the first round and wins the other two: every card is shown."""


ONE_OF_TWO = ["4c", "3p", "2c", "truco", "nao"]
TWO_OF_TWO = ["4c", "3p", "2c", "7o", "truco", "nao"]
"""Seat 0 bets and seat 1 refuses, after seat 0 has shown one card, or two."""


def place(*classes):
    return TRUCO_STATES.index(classes)


def test_a_hand_with_every_card_shown_moves_one_cell_by_a_tenth_of_the_maximum():
    learned = teach(learner(), 0, [MINE, THEIRS], PLAYED_OUT)
    own, other = place(0, 10, 13), place(6, 8, 9)
    assert moved(learned, "truco") == {(own, other): 7.0}  # 10% of 73, in whole counts
    assert matrix(learned.block, "truco", lost=True)[other, own] == matrix(learned.block, "truco")[own, other]
    learned = teach(learner(), 1, [MINE, THEIRS], PLAYED_OUT)
    assert moved(learned, "truco") == {(own, other): 7.0}  # the loser learns the same


def test_truco_matrix_is_unchanged_without_a_truco():
    assert moved(teach(learner(), 0, [MINE, THEIRS], PLAYED_OUT[2:]), "truco") == {}


def test_an_unseen_card_shares_the_increment_among_all_hands():
    actions = ["truco", "quero", "1e", "3p", "7o", "2c"]  # two rounds: the 12e is never shown
    learned = teach(learner(), 0, [MINE, THEIRS], actions)
    own = place(0, 10, 13)
    shared = moved(learned, "truco")
    possible = {
        i for i, hand in enumerate(HANDS) if holds(hand, ["3p", "2c"]) and not {14, 11} & set(hand)
    }  # one's own 1e and 7o are unique
    assert len(possible) == 12
    assert shared == {(own, other): 1.0 for other in possible}  # 7.3 / 12 is 0.6: one count each


def test_increment_shared_among_too_many_hands_rounds_to_zero():
    """Rossato 2020, chapter 6: the increment is too small for so many."""
    actions = ["truco", "nao"]
    assert moved(teach(learner(), 0, [MINE, THEIRS], actions), "truco") == {}
    adaptive = teach(learner(increment="adaptive"), 0, [MINE, THEIRS], actions)
    by = moved(adaptive, "truco")
    assert len(by) > 300 and all(0 < value < 0.03 for value in by.values())  # 7.3 among hundreds, not lost


def test_learning_of_shown_and_hidden_envido_points():
    hands = [["7o", "6o", "1e"], ["4c", "5c", "2p"]]
    rest = ["1e", "2p", "7o", "5c"]
    won = moved(teach(learner(), 0, hands, ["envido", "quero", *rest]), "envido")
    own = ENVIDO_STATES.index((6, 7))
    # The 2 and the 5 were shown, the points not: every pair with one of them, lower than 33.
    possible = {i for i, pair in enumerate(PAIRS) if {2, 5} & set(pair)}
    assert won == {} and len(possible) > 5  # 2.6 among so many rounds to nothing
    lost = moved(teach(learner(), 1, hands, ["envido", "quero", *rest]), "envido")
    other = ENVIDO_STATES.index((4, 5))
    assert lost == {(own, other): 3.0}  # 33 were shown, with a 7 of the pair: no doubt


def test_envido_below_twenty_points_is_not_learned():
    hands = [["7o", "6o", "1e"], ["4c", "5p", "2e"]]
    learned = teach(
        learner(),
        0,
        hands,
        [
            "envido",
            "quero",
            "1e",
            "2e",
            "7o",
            "5p",
        ],
    )
    assert moved(learned, "envido") == {} or all(value == 1.0 for value in moved(learned, "envido").values())
    assert moved(teach(learner(), 1, hands, ["envido", "quero", "1e", "2e", "7o", "5p"]), "envido") == {}


def test_the_order_of_play_is_learned_when_the_cards_decide():
    learned = teach(learner(), 0, [MINE, THEIRS], PLAYED_OUT)
    own, other = ORDERS.index((0, 1, 2)), ORDERS.index((2, 1, 0))
    assert moved(learned, "cards") == {(own, other): 1.0}  # 10% of 11
    for actions in (ONE_OF_TWO, TWO_OF_TWO):
        assert moved(teach(learner(), 0, [MINE, THEIRS], actions), "cards") == {}


def test_text_reading_learns_the_shown_cards_of_a_hand_that_ended_early():
    """Increment of 1.1 shared among the possible orders in whole counts: one each of two, none of four."""
    one = moved(teach(learner(reading="text"), 0, [MINE, THEIRS], ["4c", "3p", "truco", "nao"]), "cards")
    assert one == {}  # 2 x 2 orders
    begun = {ORDERS.index(order) for order in ((0, 1, 2), (0, 2, 1))}
    half = moved(teach(learner(reading="text"), 0, [MINE, THEIRS], ONE_OF_TWO), "cards")
    assert half == {(own, ORDERS.index((2, 1, 0))): 1.0 for own in begun}  # 3p then 2c: high, middle
    whole = moved(teach(learner(reading="text"), 0, [MINE, THEIRS], TWO_OF_TWO), "cards")
    assert whole == {(ORDERS.index((0, 1, 2)), ORDERS.index((2, 1, 0))): 1.0}


def test_levels_are_counted_for_known_cards():
    by = (level_counts(teach(learner(), 0, [MINE, THEIRS], PLAYED_OUT).block) // UNIT).astype(int) - INITIAL_LEVELS
    assert {(int(i), int(j)) for i, j in np.argwhere(by == 1)} == {(0, 0), (1, 10), (2, 13), (0, 6), (1, 8), (2, 9)}
    actions = ["1e", "3p", "7o", "2c"]
    by = (level_counts(teach(learner(), 0, [MINE, THEIRS], actions).block) // UNIT).astype(int) - INITIAL_LEVELS
    assert by.sum() == 3  # the other's last card was not seen: only one's own count


def test_contra_flor_is_learned_and_a_plain_flor_is_not():
    hands = [["1e", "2e", "10e"], ["7o", "6o", "5o"]]
    play = ["1e", "5o", "2e", "7o", "6o", "10e"]
    raised = moved(teach(learner(), 1, hands, ["contraflor", "quero", *play], flor=True), "flor")
    assert list(raised.values()) == [4.0]  # 10% of 36
    plain = teach(learner(), 1, hands, ["flor", *play], flor=True)
    assert moved(plain, "flor") == {}


def test_option_area_updates_similar_hands():
    by = moved(teach(learner(area=0.5), 0, [MINE, THEIRS], PLAYED_OUT), "truco")
    own, other = place(0, 10, 13), place(6, 8, 9)
    assert by[own, other] == 7.0 and by[place(1, 10, 13), other] == 3.5 and by[place(1, 10, 13), place(6, 8, 8)] == 1.75
    far = place(3, 10, 13)
    assert (far, other) not in by


def test_an_adaptive_increment_grows_with_the_cell():
    player = learner(increment="adaptive")
    own, other = place(0, 10, 13), place(6, 8, 9)
    steps = []
    for _ in range(60):
        before = matrix(player.learned.block, "truco")[own, other]
        teach(player, 0, [MINE, THEIRS], PLAYED_OUT)
        steps.append(int(matrix(player.learned.block, "truco")[own, other]) - int(before))
    assert steps[0] == 7300 and steps == sorted(steps) and steps[-1] == pytest.approx(29_200, abs=2)  # and no further


# --- Reference implementation -------------------------------------------------------------------


@pytest.mark.parametrize("players", [("random", "random"), ("balanced", "novice"), ("bluffer", "aggressive")])
@pytest.mark.parametrize("reading", ["scripts", "text"])
def test_learning_equals_that_of_the_reference(players, reading):
    """Comparison of the counts after every hand, with cards shown or not."""
    chosen, rng = game("truco", hands=1), np.random.default_rng(4)
    seated = [agent(name, "truco") for name in players]
    player = learner(reading=reading)
    counts = {mode: initial_victories(mode).tolist() for mode in MODES}
    reference = Learner(counts, [list(row) for row in INITIAL_LEVELS], reading)
    for deal in range(400):
        table, seat = chosen.deal(deal), deal % 2
        player.begin(chosen, seat)
        while (turn := table.turn) is not None:
            view = table.view()
            if turn == seat:
                player.act(view, rng)
            table.play(seated[turn].act(view, rng))
        view = table.view(seat)
        player.end(view)
        reference.learn(seat, view.dealt, view.history)
        learned = player.learned
        for mode in MODES:
            assert (matrix(learned.block, mode) == UNIT * np.array(counts[mode])).all(), (mode, view.history)
        assert (level_counts(learned.block) == UNIT * np.array(reference.levels)).all()
    assert all((np.array(counts[mode]) != initial_victories(mode)).any() for mode in ("truco", "envido", "cards"))


def test_weakest_pair_without_counts_learns_its_defeats():
    """Defeat of the pair 0-0, which bets only while it has no counts."""
    hands = [["10e", "11e", "4c"], ["7o", "6o", "4p"]]
    player = learner(weakest="unknown")
    known = teach(player, 0, hands, ["envido", "quero", "4c", "7o", "6o", "10e", "11e", "4p"])
    lost = matrix(known.block, "envido", lost=True)[0] / UNIT
    (other,) = np.flatnonzero(lost)
    assert ENVIDO_STATES[other] == (6, 7) and lost[other] == 3  # 10% of 26, in whole counts
    assert moved(known, "envido") == {(int(other), 0): 3.0} and not matrix(known.block, "envido")[0].any()


def test_learning_of_flores_equals_that_of_the_reference():
    hands = [["1e", "2e", "10e"], ["7o", "6o", "5o"]]
    for answer, seat in (("quero", 0), ("quero", 1), ("nao", 0), ("nao", 1)):
        table = game("truco", hands=1).setup(hands=hands, mao=0)
        player = learner()
        player.begin(table.game, seat)
        for action in ("contraflor", answer, "1e", "7o", "2e", "6o", "10e", "5o"):
            if table.turn == seat:
                player.act(table.view(), Lot(0.999))
            if not table.over and action in table.legal:
                table.play(action)
        player.end(table.view(seat))
        counts = {mode: initial_victories(mode).tolist() for mode in MODES}
        reference = Learner(counts, [list(row) for row in INITIAL_LEVELS])
        reference.learn(seat, table.view(seat).dealt, table.view(seat).history)
        assert (matrix(player.learned.block, "flor") == UNIT * np.array(counts["flor"])).all()


# --- Bluffs -------------------------------------------------------------------------------------


def test_observed_bluff_moves_a_tenth_of_the_total_from_victories_to_defeats():
    player = Markov("initial")
    strong, weak = ["1e", "1p", "7e"], ["4p", "5c", "6e"]
    table = game("truco", flor=False).setup(hands=[strong, weak], mao=0)
    player.begin(table.game, 0)

    def look():
        view = table.view(0)
        player.act(view, Lot(0.999))
        return player._memory["bluffs"][0]

    assert look().sum() == 0
    for action in ["1e", "4p", "1p", "truco", "quero", "5c"]:
        table.play(action)
    while table.turn != 0:
        table.play(table.legal[0])
    assert look().sum() == 0  # it showed only two cards, so the bluff is not known
    table = game("truco", flor=False).setup(hands=[["1e", "7e", "4c"], ["1p", "5c", "6e"]], mao=0)
    player.begin(table.game, 0)
    look()
    for action in ["4c", "1p", "truco", "quero", "5c", "7e", "1e", "6e"]:
        table.play(action)
    while table.turn != 0:
        table.play(table.legal[0])
    seen = look()
    (bluff,) = np.flatnonzero(seen)
    assert truco_name(bluff) == "5-6-1p" and seen[bluff] == 1
    asked = game("truco", flor=False).setup(hands=[["2e", "2c", "2o"], ["1p", "5c", "6e"]], mao=1)
    asked.play("truco")
    sums = {}
    for count in (0, 1, 2, 20):
        player.begin(asked.game, 0)
        player._memory["bluffs"][0, bluff] = player._memory["bluffed"][0] = count
        player.act(asked.view(0), Lot(0.999))
        sums[count] = player.explain().facts["questions"][0]
    total = 74.0  # victories and defeats of any cell at first
    for count in (1, 2):
        assert sums[0]["v"] - sums[count]["v"] == pytest.approx(0.1 * count * total)
        assert sums[count]["d"] - sums[0]["d"] == pytest.approx(0.1 * count * total)
    assert sums[20]["v"] >= sums[0]["v"] - total  # never more than was there


# --- Overflow -----------------------------------------------------------------------------------


@given(
    mode=st.integers(0, 3),
    near=st.integers(0, 200),
    amount=st.integers(1, 60_000),
    times=st.integers(1, 40),
)
def test_counts_never_overflow(mode, near, amount, times):
    block = initial().block
    won, lost = matrix(block, MODES[mode]), matrix(block, MODES[mode], lost=True)
    won[1, 2], lost[2, 1] = CAP - near, CAP - near
    won[2, 1], lost[1, 2] = CAP // 4, CAP // 4
    for _ in range(times):
        learn.reward(block, np.int64(mode), 1, 2, amount)
        assert won[1, 2] <= CAP and (lost == won.T).all()
        assert won[1, 2] / won[2, 1] == pytest.approx(4, rel=0.01)


def test_levels_never_overflow():
    block = initial().block
    levels = level_counts(block)
    levels[:, 0] = [CAP - 1, CAP // 2, CAP // 4]
    cards = np.array([3, 13, 23], np.int8)  # three fours
    learn.count_three(cards, block)
    assert levels.max() <= CAP and levels[0, 0] / levels[2, 0] == pytest.approx(4, rel=0.01)


def test_training_from_full_cells_keeps_counts_consistent():
    mind = new_player_state(PLUS, learns=True)
    mind["block"][0, : matrix(initial().block, "truco").size * 2] = CAP - 5
    self_play(MatchWorkspace(), mind, 1, 0, 20)
    learned = learned_matrices(mind)
    assert learned.block.max() <= CAP
    for mode in MODES:
        assert (matrix(learned.block, mode, lost=True) == matrix(learned.block, mode).T).all()


# --- Independence of hidden cards ---------------------------------------------------------------


def test_hidden_card_does_not_affect_learning():
    """Hands that differ only in a card that was never shown."""
    actions = ["envido", "quero", "truco", "quero", "1e", "3p", "7o", "2c"]
    for options in (PUBLISHED, PLUS):
        known = [
            teach(Markov("initial", True, options), 0, [["1e", "7o", "6o"], ["3p", "2c", hidden]], actions)
            for hidden in ("12e", "4e", "3o")
        ]
        for learned in known[1:]:
            assert (learned.block == known[0].block).all() and (learned.ledger == known[0].ledger).all()


@pytest.mark.parametrize("learns", [True, False])
@pytest.mark.parametrize("options", [PUBLISHED, PLUS, MarkovOptions(minimums="adaptive", area=0.5)], ids=str)
def test_learning_at_a_table_equals_learning_in_training(options, learns):
    """Bitwise comparison of learning from the log of a table and from matches in training."""
    mind = new_player_state(options, learns=learns)
    learn_from(MatchWorkspace(), mind, "bluffer", 7, 0, 4)
    player = Markov("initial", learns, options)
    for deal in range(4):
        for seats in ([player, agent("bluffer", "truco")], [agent("bluffer", "truco"), player]):
            play(game("truco"), seats, deal_seed(7, deal))
    learned, expected = player.learned, learned_matrices(mind)
    assert (learned.block == expected.block).all()
    assert (learned.ledger == expected.ledger).all() and (learned.minima == expected.minima).all()
    assert (learned.block == initial().block).all() == (not learns)


def test_option_told_increases_learning_without_changing_decisions():
    """Points of the opponent told after a match: they affect learning only, so the first match is the same."""
    ends, knows = [], []
    for told in (False, True):
        room, mind = MatchWorkspace(), new_player_state(learns=True)
        self_play(room, mind, 3, 0, 1, told)
        ends.append(room.table["scores"].tolist())
        self_play(room, mind, 3, 1, 40, told)
        knows.append(np.count_nonzero(matrix(mind["block"][0], "envido") != matrix(initial().block, "envido")))
    assert ends[0] == ends[1] and knows[0] < knows[1]


def test_self_play_keeps_defeats_the_transpose_of_victories():
    mind = new_player_state(learns=True)
    self_play(MatchWorkspace(), mind, 3, 0, 30)
    learned = learned_matrices(mind)
    for mode in MODES:
        assert (matrix(learned.block, mode, lost=True) == matrix(learned.block, mode).T).all()
    assert matrix(learned.block, MODES[CARDS]).max() > 11 * UNIT
