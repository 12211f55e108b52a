"""Lexicon of Truco, compared with the rules as they are played."""

from itertools import combinations

import numpy as np
import pytest

import bolicho
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled import lexicon as compiled
from bolicho.games.truco.lexicon import (
    CLASS_NAMES,
    CLASS_SIZES,
    CLASSES,
    ENVIDO_CALLS,
    FLOR_CALLS,
    MOST_ENVIDO,
    MOST_FLOR,
    NO_PAIR_BELOW,
    TRUCO_CALLS,
    envido_bets,
    levels,
)
from bolicho.games.truco.rules import CARDS
from bolicho.i18n import catalogue

PLAIN = [["1e", "7o", "12p"], ["7e", "2c", "4o"]]
RULES = [
    {}, {"envido_envido": True}, {"envido_first": True}, {"target": 12},
]  # fmt: skip


def walked(game, hands, played, calls):
    """Return the tree of calls that are legal after some actions, with the points for accepting and refusing them."""
    found = []
    for call in calls:
        if call not in after(game, hands, played).legal:
            continue
        line = [*played, call]
        accepted, refused = (sum(after(game, hands, [*line, answer]).scores) for answer in ("quero", "nao"))
        found.append((call, accepted, refused, walked(game, hands, line, calls)))
    return found


def after(game, hands, actions):
    table = game.setup(hands=hands, mao=0)
    for action in actions:
        table.play(action)
    return table


def written(bets, lacks):
    """Return the same tree from the lexicon; `lacks` is what the leader lacks."""
    return [
        (bet.call, lacks if bet.accepted is None else bet.accepted, bet.refused, written(bet.raises, lacks))
        for bet in bets
    ]


@pytest.mark.parametrize("options", RULES, ids=str)
def test_envido_bets_are_those_of_the_rules(options):
    game = bolicho.game("truco", **options)
    tree = walked(game, PLAIN, [], ENVIDO_CALLS)
    assert tree and tree == written(envido_bets(game.rules), game.rules.target)


def test_levels_of_envido_are_calls_then_answers_to_them():
    found = levels(envido_bets(bolicho.game("truco").rules))
    assert [[bet.call for bet in level] for level in found] == [
        ["envido", "real", "falta"], ["real", "falta", "falta"], ["falta"],
    ]  # fmt: skip
    assert [[bet.refused for bet in level] for level in found] == [[1, 1, 1], [2, 2, 3], [5]]


def test_classes_hold_the_cards_that_tie():
    classes = [int(compiled.class_of(card)) for card in range(len(CARDS))]
    assert [classes.count(c) for c in range(CLASSES)] == list(CLASS_SIZES)
    assert all(CARDS[card] in CLASS_NAMES[c].split("/") or CARDS[card][:-1] == CLASS_NAMES[c] for card, c in
               enumerate(classes))  # fmt: skip
    assert [int(k.STRENGTH[card]) - 1 for card in range(len(CARDS))] == classes


def test_points_of_hands_are_within_their_bounds():
    hands = list(combinations(range(len(CARDS)), 3))[::7]
    pairs = [len({card // 10 for card in hand}) < 3 for hand in hands]
    points = [int(k.envido_value(*hand)) for hand in hands]
    assert all((value >= NO_PAIR_BELOW) == pair for value, pair in zip(points, pairs, strict=True))
    assert int(k.envido_value(*map(CARDS.index, ("7e", "6e", "1o")))) == MOST_ENVIDO == max(points)
    assert int(k.flor_value(*map(CARDS.index, ("7e", "6e", "5e")))) == MOST_FLOR


def test_hands_are_ranked_by_strength_then_number():
    rng = np.random.default_rng(1)
    for _ in range(300):
        held = sorted(rng.choice(40, rng.integers(1, 4), replace=False).tolist())
        cards = np.array([*held, *[k.NONE] * (3 - len(held))], np.int8)
        up = sorted(held, key=lambda card: (k.STRENGTH[card], card))
        down = sorted(held, key=lambda card: (-k.STRENGTH[card], card))
        assert [card for card in compiled.weakest_first(cards) if card != k.NONE] == up
        assert [card for card in compiled.strongest_first(cards) if card != k.NONE] == down


def test_leader_of_a_round_is_the_seat_that_plays_first_in_it():
    game, rng = bolicho.game("truco", hands=1), np.random.default_rng(2)
    led = 0
    for seed in range(60):
        table = game.deal(seed)
        while not table.over:
            s = table.pool[0]
            if s["pending"] == k.NOTHING and (s["played"][:, s["round"]] == k.NONE).all():
                assert compiled.leader_of(table.pool[0], int(s["round"])) == table.turn
                led += s["round"] > 0
            table.play(table.legal[rng.integers(len(table.legal))])
    assert led > 20


@pytest.mark.parametrize("language", ["en", "pt", "es"])
def test_calls_have_different_names_in_every_language(language):
    from bolicho.games.truco.text import NAMES

    names = [catalogue(language).say(NAMES[call]) for call in (*TRUCO_CALLS, *ENVIDO_CALLS, *FLOR_CALLS)]
    assert len(set(names)) == len(names)


def test_drawings_name_calls_as_the_table_does():
    from bolicho.games.truco.text import NAMES

    table = bolicho.game("truco").setup(hands=PLAIN, mao=0)
    for call in ("envido", "real", "falta", "nao", "truco", "retruco", "vale4"):
        table.play(call)
        assert catalogue("en").say(NAMES[call]) in table.view(0).svg()
