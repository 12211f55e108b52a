"""Best responses from lists of worlds, compared with exact ones of enumerated games."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from bolicho import game
from bolicho.agents.basic.random import Random
from bolicho.agents.cfr.compiled import respond
from bolicho.agents.cfr.exploit import exploit, tells_mixture
from bolicho.agents.cfr.truco.compiled.responder_view import lay_worlds
from bolicho.agents.cfr.truco.hands import hands
from bolicho.agents.cfr.truco.response import KINDS, Responder, read_kinds, respond_to_hands, worlds_beside
from bolicho.agents.registry import agent as make_agent
from bolicho.errors import BadInput
from bolicho.games.compiled.deals import deal_number, num_deals
from bolicho.games.kind import copy_pool
from bolicho.games.poker import KUHN, LEDUC
from bolicho.games.truco.compiled.unseen import hand_code
from bolicho.games.truco.kernel import FACE_DOWN, STRENGTH
from bolicho.games.truco.rules import CARDS

HAND = game("truco", hands=1)
DOMINOES = game("dominoes", highest=2, hand=2)


def response(chosen, agent, seat):
    """Return the totals of a best response over all deals; distinguishable worlds separate at the start."""
    agent.begin(chosen, 0)
    blank = copy_pool(chosen.deal(0).pool)
    deals, size, width = int(num_deals(blank)), 200_000, chosen.num_actions
    room = respond.Worlds(
        np.frombuffer(bytearray(blank.tobytes() * size), chosen.dtype), np.zeros(size, agent.memory),
        np.zeros(64, agent.memory), np.zeros(size), np.zeros(size, np.uint64), np.zeros(size, np.int64),
        copy_pool(blank), np.zeros((64, width), np.int16), np.zeros(width, np.int16), np.zeros(width, np.int16),
        np.zeros(width), np.zeros((64, width)), np.zeros(2), np.zeros(respond.TOTALS),
    )  # fmt: skip
    for number in range(deals):
        deal_number(room.pool[number : number + 1], number)
    room.weight[:deals] = 1 / deals
    player = respond.TargetPlayer(agent.player(chosen), agent.remembers)
    respond.from_deal(respond.PerfectRecall(), player, room, deals, seat, 1, 0.0, np.inf)
    assert room.totals[respond.FULL] == 0
    return room.totals


@pytest.mark.parametrize("chosen", [KUHN, LEDUC, DOMINOES], ids=["kuhn", "leduc", "dominoes"])
def test_response_from_worlds_equals_the_exact_best_response(chosen):
    exact = exploit(chosen, "random")
    for seat in range(2):
        totals = response(chosen, Random(), seat)
        assert totals[respond.BEST] == pytest.approx(exact.responses[seat], abs=1e-9)
        assert totals[respond.SAME] == pytest.approx(exact.values[seat], abs=1e-9)


def test_worlds_contain_all_hands_the_opponent_may_hold():
    others, chances = worlds_beside(0b111)
    assert chances.sum() == pytest.approx(1)
    assert all(int(hand) & 0b111 == 0 and int(hand).bit_count() == 3 for hand in others)
    assert 1000 < len(others) < 1727


def test_response_to_an_agent_that_always_gives_up_wins_only_the_hand():
    """Response as pé: the mão announces its flor (3 points), if it has one, and goes to the deck."""
    responder = Responder(HAND, make_agent("tests.agents.cfr.givers:GivesUp", HAND))
    own = (0, 11, 22)  # no flor
    left = list(combinations(set(range(40)) - set(own), 3))
    flores = sum(len({card // 10 for card in hand}) == 1 for hand in left) / len(left)
    found = responder.from_hand(1, sum(1 << card for card in own))
    assert found[respond.BEST] == found[respond.SAME] == pytest.approx(1 - 3 * flores)


def test_response_without_flor_wins_one_point_from_an_agent_that_gives_up():
    chosen = game("truco", hands=1, flor=False)
    responder = Responder(chosen, make_agent("tests.agents.cfr.givers:GivesUp", chosen))
    assert responder.from_hand(1, 0b111)[respond.BEST] == pytest.approx(1)


def test_response_without_deviations_equals_the_agent():
    found = respond_to_hands(HAND, "balanced", samples=2, kinds=(), least=0)
    assert found.best == pytest.approx(found.same)
    assert found.wins == found.wins_at_most


def test_response_with_more_kinds_of_decision_wins_more():
    responder = Responder(HAND, make_agent("balanced", HAND))
    own = 0b1 << 3 | 0b1 << 15 | 0b1 << 27
    won = [responder.from_hand(0, own, kinds, 1e-3)[respond.BEST] for kinds in (0b1, 0b1_0001, 0b111_1111)]
    assert won == sorted(won)


OWN = sum(1 << CARDS.index(card) for card in ("7o", "3e", "4p"))


@pytest.fixture(scope="module")
def balanced():
    return Responder(HAND, make_agent("balanced", HAND))


@pytest.mark.parametrize("seat", [0, 1])
def test_enumeration_by_strength_class_equals_enumeration_of_records(balanced, seat):
    """Comparison of boards by strength class, used once points are settled, with records to the end."""
    others, chances = worlds_beside(OWN)
    room, slow = balanced.room, balanced.asked._replace(by_class=False)
    for kinds in (0b111_1111, 0b10_0100):
        short = balanced.from_hand(seat, OWN, kinds, 1e-2)
        lay_worlds(room.pool, copy_pool(HAND.deal(0).pool), seat, OWN, others)
        room.weight[: len(chances)] = chances
        respond.from_deal(balanced.abstraction, slow, room, len(chances), seat, kinds, 1e-2, np.inf)
        assert short[:4] == pytest.approx(room.totals[:4], abs=1e-9)
        assert short[respond.WORLDS] < room.totals[respond.WORLDS]


@pytest.mark.parametrize("seat", [0, 1])
def test_bounds_contain_the_exact_value_when_branches_are_skipped(balanced, seat):
    exact = balanced.from_hand(seat, OWN, least=0)
    assert exact[respond.BEST] == exact[respond.BEST_HIGH] and exact[respond.SAME] == exact[respond.SAME_HIGH]
    widths = []
    for least in (1e-2, 1e-3, 1e-4):
        found = balanced.from_hand(seat, OWN, least=least)
        assert found[respond.NODES] < exact[respond.NODES]
        for low, high in ((respond.BEST, respond.BEST_HIGH), (respond.SAME, respond.SAME_HIGH)):
            assert found[low] - 1e-9 <= exact[low] <= found[high] + 1e-9
        widths.append(found[respond.BEST_HIGH] - found[respond.BEST])
    assert widths == sorted(widths, reverse=True) and widths[-1] < widths[0] / 2


def test_enumeration_above_the_position_limit_is_refused(balanced):
    with pytest.raises(BadInput, match=r"more than 1,000 positions, or .*choose a larger least than 0"):
        balanced.from_hand(0, OWN, least=0, most=1_000)


@pytest.mark.parametrize(
    ("spec", "does"), [("balanced", True), ("random", True), ("tests.agents.cfr.givers:BySuit", False)]
)
def test_agents_that_play_by_strength_class_are_detected(spec, does):
    assert Responder(HAND, make_agent(spec, HAND)).asked.by_class == does


def test_kinds_are_read_by_name_or_prefix():
    assert read_kinds("truco, points") == ("points", "truco-1", "truco-2", "truco-3")
    assert read_kinds("cards-2") == ("cards-2",)
    with pytest.raises(BadInput, match=r"unknown kind of decision 'envido'; use points, truco-1"):
        read_kinds("envido")
    assert sum(KINDS.values()) == 0b111_1111


def test_agents_that_report_a_mixture_are_detected():
    assert tells_mixture(HAND, "balanced")
    assert not tells_mixture(HAND, "markov-plus")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"samples": 1}, "an interval needs at least 2 hands, not 1"),
        ({"least": -1.0}, "least must be a number of points from 0 on, not -1.0"),
        ({"least": float("nan")}, "least must be"),
    ],
)
def test_invalid_options_are_refused(options, why):
    with pytest.raises(BadInput, match=why):
        respond_to_hands(HAND, "balanced", **options)


def by_class(view, mixture):
    """Return the mixture with cards summed by strength class."""
    found = Counter()
    for action, chance in zip(view.legal, mixture, strict=True):
        number = action.number
        found[int(STRENGTH[number]) if number < FACE_DOWN else str(action)] += chance
    return found


@pytest.mark.parametrize("spec", ["balanced", "bluffer", "cfr", "random"])
def test_mixtures_depend_on_suits_only_through_points(spec):
    """Equal mixtures for hands of one type, so that one of them can represent all."""
    agent, rng, types = make_agent(spec, HAND), np.random.default_rng(3), {}
    for cards in combinations(range(40), 3):
        types.setdefault(int(hands().type_of[hand_code(*cards)]), []).append(cards)
    alike = [members for members in types.values() if len(members) > 1]
    for members in rng.permutation(len(alike))[:60]:
        one, other = (alike[members][i] for i in rng.permutation(len(alike[members]))[:2])
        against = [card for card in (12, 25, 36, 3, 14, 27, 38) if card not in one + other][:3]
        for said in ([], ["truco"], ["envido"]):
            told = []
            for own in (one, other):
                seats = [own, against] if not said else [against, own]
                table = HAND.setup(hands=[[CARDS[card] for card in cards] for cards in seats], mao=0)
                for action in said:
                    table.play(action)
                if table.turn != len(said):  # a flor was announced, which voids an envido
                    continue
                view = table.view(table.turn)
                agent.begin(HAND, view.seat)
                told.append(by_class(view, agent.mixture(view)))
            if len(told) == 2:
                assert told[0] == pytest.approx(told[1])


def test_smaller_sample_is_a_prefix_of_a_larger_one():
    more = respond_to_hands(HAND, "cautious", samples=4, seed=5, least=1e-2)
    fewer = respond_to_hands(HAND, "cautious", samples=2, seed=5, least=1e-2)
    assert more.of_first(2).as_json() == fewer.as_json() and more.nodes > fewer.nodes > 0
