"""`check_game`: built-in games pass, and games that break a promise are caught."""

import dataclasses

import numba
import numpy as np
import pytest

from bolicho import check_game, game
from bolicho.games import kernel
from bolicho.games.check import BrokenPromise, chi_square_tail
from bolicho.games.game import Game
from bolicho.games.jit import njit
from bolicho.games.kernel import implements
from bolicho.games.truco import TRUCO
from bolicho.games.truco import kernel as truco
from bolicho.games.truco.compiled import features as truco_features
from bolicho.games.truco.compiled import unseen
from bolicho.i18n import Message, plain

pytestmark = pytest.mark.filterwarnings("ignore:.*considered a subtype")

VARIATIONS = [
    {},
    {"target": 12},
    {"target": 30},
    {"hands": 1},
    {"hands": 3},
    {"hands": 1, "face_down": False},
    {"hands": 1, "envido_first": True},
    {"hands": 1, "envido_envido": True},
    {"hands": 1, "envido_first": True, "envido_envido": True, "face_down": False},
    {"hands": 1, "flor": False},
    {"flor_points": 4, "contra_flor_points": 8, "contra_flor_refused": 5, "resto_refused": 7},
]


@pytest.mark.parametrize("rules", VARIATIONS, ids=str)
def test_truco_passes_check_game(rules):
    report = check_game(game("truco", **rules), games=60)
    assert report.games == 60
    assert report.refused > 0 and report.redeals > 0 and report.uniform > 0


(
    FAULTLESS,
    KEEPS_SEED,
    KEEPS_HAND,
    FEATURES_PEEK,
    LEGAL_PEEKS,
    BIASED,
    NOT_ZERO_SUM,
    UNSORTED,
    PUBLIC_PEEKS,
    PUBLIC_SEED,
) = range(10)

FIELDS = [(name, truco.STATE.fields[name][0]) for name in truco.STATE.names]
STATE = np.dtype([*FIELDS, ("fault", "i8")], align=True)
RECORD = numba.from_dtype(STATE)


@implements(kernel.hide, RECORD)
@njit
def hide(s, seat):
    seed, card = s.seed, s.hands[1 - seat, 0]
    unseen.hide(s, seat)
    if s.fault == KEEPS_SEED:
        s.seed = seed
    elif s.fault == KEEPS_HAND:
        s.hands[1 - seat, 0] = card


@implements(kernel.hide_from_all, RECORD)
@njit
def hide_from_all(s, seats):
    seed, card = s.seed, s.hands[0, 0]
    for seat in range(seats):
        kernel.hide(s, seat)
    if s.fault == PUBLIC_PEEKS:
        s.hands[0, 0] = card
    elif s.fault == PUBLIC_SEED:
        s.seed = seed


@implements(kernel.features, RECORD)
@njit
def features(s, seat, out):
    n = truco_features.features(s, seat, out)
    if s.fault == FEATURES_PEEK:
        out[0] = s.hands[1 - seat, 0] / 40
    return n


@implements(kernel.legal, RECORD)
@njit
def legal(s, out):
    n = truco.legal(s, out)
    if s.fault == LEGAL_PEEKS and n > 1 and s.hands[1 - s.turn, 0] % 2 == 1:
        return n - 1
    if s.fault == UNSORTED and n > 1:
        out[0], out[1] = out[1], out[0]
    return n


@implements(kernel.redeal, RECORD)
@njit
def redeal(s, seat, seed):
    unseen.redeal(s, seat, seed)
    if s.fault == BIASED and s.dealt[1 - seat, 0] < 10 and seed % 2 == 0:
        unseen.hide(s, seat)
        unseen.redeal(s, seat, seed * 7 + 13)


@implements(kernel.payoff, RECORD)
@njit
def payoff(s, out):
    truco.payoff(s, out)
    if s.fault == NOT_ZERO_SUM:
        out[0] += 1


for name in ("deal", "apply", "over", "scores"):
    implements(getattr(kernel, name), RECORD)(getattr(truco, name))


def faulty(fault):
    """Return Truco with a fault, as a record type of its own."""

    def blank(rules):
        pool = np.zeros(1, STATE)
        for name in truco.STATE.names:
            pool[name] = truco.blank(rules)[name]
        pool["fault"] = fault
        return pool

    return Game(dataclasses.replace(TRUCO, blank=blank), hands=1)


@pytest.mark.parametrize(
    ("change", "promise"),
    [
        ({"said": lambda entry: Message("truco.nothing")}, "lacks the key 'truco.nothing'"),
        ({"said": lambda entry: plain("")}, "something is said in no words in 'en'"),
        ({"name_action": lambda state, action: plain("a card")}, "two legal actions share a name in 'en'"),
    ],
)
def test_missing_texts_and_ambiguous_names_are_caught(change, promise):
    with pytest.raises(BrokenPromise, match=promise):
        check_game(Game(dataclasses.replace(TRUCO, **change), hands=1), games=30)


def test_the_faultless_copy_passes():
    check_game(faulty(FAULTLESS), games=30)


@pytest.mark.parametrize(
    ("fault", "promise"),
    [
        (KEEPS_SEED, "holds the seed"),
        (KEEPS_HAND, "hide"),
        (FEATURES_PEEK, "features of seat"),
        (LEGAL_PEEKS, "legal"),
        (BIASED, "not uniform"),
        (NOT_ZERO_SUM, "sum to zero"),
        (UNSORTED, "ascending"),
        (PUBLIC_PEEKS, "public view does not follow from the view of seat 1"),
        (PUBLIC_SEED, "public view holds the seed"),
    ],
)
def test_a_broken_promise_is_caught(fault, promise):
    with pytest.raises(BrokenPromise, match=promise):
        check_game(faulty(fault), games=300)


@pytest.mark.parametrize(
    ("data", "promise"),
    [
        (lambda view: {"hand": view.state["hands"]}, "no JSON"),
        (lambda view: {"odds": float("nan")}, "no JSON"),
        (lambda view: {"id": id(view)}, "depend on information hidden from it"),
    ],
)
def test_data_that_are_not_json_or_depend_on_hidden_information_are_caught(data, promise):
    with pytest.raises(BrokenPromise, match=promise):
        check_game(Game(dataclasses.replace(TRUCO, data=data), hands=1), games=5)


def test_the_approximate_chi_square_is_close():
    # Exact tails from the closed form for two degrees of freedom: exp(-x / 2).
    for counts in ([40, 30, 30], [60, 20, 20], [34, 33, 33]):
        counts = np.array(counts)
        statistic = ((counts - 100 / 3) ** 2 / (100 / 3)).sum()
        assert chi_square_tail(counts, 100 / 3) == pytest.approx(np.exp(-statistic / 2), abs=0.02)
