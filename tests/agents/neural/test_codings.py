"""Inputs and outputs of the nets of 7 Wonders: published widths, and visible information only."""

import numpy as np
import pytest

import bolicho
from bolicho.agents.neural import kernel
from bolicho.agents.neural.agents import input_names
from bolicho.agents.neural.compiled.wonders import CARDS_OF, IN_PLAY, KNOWN
from bolicho.agents.neural.net import coding
from bolicho.errors import BadInput
from bolicho.games.kind import copy_pool
from bolicho.games.wonders.cards import AGE, CARDS

CODINGS = ("ages", "table", "cities")


def tables(games, seed):
    """Yield every position of some random games."""
    game = bolicho.game("wonders")
    rng = np.random.default_rng(seed)
    for number in range(games):
        table = game.deal(seed * 1000 + number)
        while not table.over:
            yield table
            table.play(int(rng.choice(table.view().numbers)))


def read(pool, seat, how):
    out = np.full(max(inputs for inputs, _ in how.widths), np.nan, np.float32)
    which = kernel.read(pool, seat, how.number, out)
    return which, out[: how.widths[which][0]]


def test_widths_are_those_of_the_document():
    game = bolicho.game("wonders")
    assert coding(game, "ages").widths == ((32, 63), (32, 63), (37, 78))
    assert coding(game, "table").widths == ((85, 195),)
    assert CARDS_OF.tolist() == [21, 21, 26]
    assert len(KNOWN) == 65


@pytest.mark.parametrize("name", CODINGS)
def test_nothing_hidden_is_read(name):
    how = coding(bolicho.game("wonders"), name)
    for table in tables(games=6, seed=1):
        view = table.view()
        from_view, from_state = read(view.pool, view.seat, how), read(table.pool, view.seat, how)
        assert from_view[0] == from_state[0]
        np.testing.assert_array_equal(from_view[1], from_state[1])
        other = view.redeal(7)
        np.testing.assert_array_equal(from_view[1], read(other.pool, view.seat, how)[1])


@pytest.mark.parametrize("name", CODINGS)
def test_every_input_is_written_and_has_a_name(name):
    how = coding(bolicho.game("wonders"), name)
    for table in tables(games=2, seed=2):
        which, inputs = read(table.pool, table.turn, how)
        assert np.isfinite(inputs).all()
        assert len(input_names(table.game, name, which)) == len(inputs)


@pytest.mark.parametrize("name", CODINGS)
def test_actions_have_distinct_outputs(name):
    how = coding(bolicho.game("wonders"), name)
    revivals = 0
    for table in tables(games=40, seed=3):
        which = int(table.state["age"]) if name == "ages" else 0
        units = {str(a): kernel.output_of(table.pool, how.number, a.number) for a in table.legal}
        revived = any(action.startswith("revive") for action in units)
        revivals += revived
        assert all(-1 <= unit < how.widths[which][1] for unit in units.values())
        if not (revived and name == "ages"):  # the nets of an age know no cards of another
            assert min(units.values()) >= 0
        plain = [unit for action, unit in units.items() if name == "cities" or not action.startswith("free")]
        assert len({*plain}) == len(plain) or revived
    assert revivals


def test_published_inputs_by_hand():
    game = bolicho.game("wonders")
    table = game.deal(4)
    view = table.view()
    _, inputs = read(view.pool, view.seat, coding(game, "ages"))
    held = {CARDS[card] for card, flag in zip([c for c in IN_PLAY if AGE[c] == 0], inputs, strict=False) if flag}
    assert held == set(view.hand)
    assert inputs[21:28].tolist() == [0] * 7
    assert inputs[29:].tolist() == [0, 0, 3]  # no stage, no shield, three coins
    _, inputs = read(view.pool, view.seat, coding(game, "table"))
    assert {CARDS[KNOWN[i]] for i in range(65) if inputs[i]} == set(view.hand)
    assert inputs[65:69].tolist() == [0] * 4
    assert inputs[69:76].sum() == 1  # what the board gives
    assert inputs[80] == 3  # coins


def test_inputs_of_the_coding_cities_contain_prices():
    game = bolicho.game("wonders")
    names = input_names(game, "cities", 0)
    for table in tables(games=3, seed=5):
        view = table.view()
        _, inputs = read(view.pool, view.seat, coding(game, "cities"))
        by_name = dict(zip(names, inputs, strict=True))
        for action in view.legal:
            kind, card = action.split(" ", 1)
            if kind == "build":
                assert by_name[f"{card} playable"] == 1
                assert by_name[f"{card} price"] == pytest.approx(view.cost(action).total / 8)
        built = {name for name in names if name.endswith(" built") and by_name[name]}
        assert built == {f"{card} built" for card in view.city().structures}


def test_codings_are_for_three_players():
    with pytest.raises(BadInput, match="3 players, not 5"):
        coding(bolicho.game("wonders", players=5), "cities")
    with pytest.raises(BadInput, match="unknown coding"):
        coding(bolicho.game("truco"), "cities")


def test_a_game_without_codings_has_its_features():
    game = bolicho.game("truco", hands=1)
    table = game.deal(3)
    view = table.view()
    how = coding(game, "features")
    out = np.zeros(game.num_features, np.float32)
    assert kernel.read(copy_pool(view.pool), view.seat, how.number, out) == 0
    np.testing.assert_array_equal(out, view.features())
    assert kernel.output_of(view.pool, how.number, 3) == 3
