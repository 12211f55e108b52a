"""Views as JSON: plain, and without information that is hidden from the seat or from the public."""

import json

import numpy as np
import pytest

from bolicho import BadInput, game
from bolicho.games.compiled import calls
from bolicho.games.kind import copy_pool

from .pennies import PENNIES

RULES = [
    ("truco", {}),
    ("truco", {"hands": 1, "envido_first": True, "envido_envido": True}),
    ("truco", {"target": 12, "flor": False, "face_down": False}),
    ("dominoes", {}),
    ("dominoes", {"highest": 3, "hand": 3, "opens": "double", "reserve": 2}),
    ("dominoes", {"highest": 9, "hand": 8, "opens": "lot"}),
    ("fives", {}),
    ("fives", {"highest": 12, "hand": 10, "opens": "heaviest", "arms_after": 2, "spinner": "sides"}),
    *(("wonders", {"players": players}) for players in range(3, 8)),
    ("wonders", {"players": 3, "trade": "choose", "sides": "B"}),
    ("wonders", {"players": 5, "trade": "choose", "sides": "A"}),
]


def name(rules):
    return rules[0] + "".join(f" {key}={value}" for key, value in rules[1].items())


every_game = pytest.mark.parametrize("rules", RULES, ids=name)


def positions(rules, games=6, seed=0, share=0.25):
    """Yield tables in the middle of random games and at their end."""
    rng = np.random.default_rng(seed)
    for number in range(games):
        table = game(rules[0], **rules[1]).deal(seed + number)
        while not table.over:
            if rng.random() < share:
                yield table
            table.play(table.legal[rng.integers(len(table.legal))])
        yield table


def as_json(data):
    return json.loads(json.dumps(data, allow_nan=False))


@every_game
def test_the_data_of_a_view_is_plain_json(rules):
    for table in positions(rules):
        for view in (*(table.view(seat) for seat in range(table.game.seats)), table.public_view()):
            data = view.data()
            assert as_json(data) == data
            assert data["game"] == rules[0] and rules[1].items() <= data["rules"].items()
            assert data["seat"] == (None if view.seat < 0 else view.seat)
            assert data["turn"] == table.turn and data["over"] == table.over and data["scores"] == table.scores
            assert data["ply"] == table.ply
            assert [legal["action"] for legal in data["legal"]] == (
                list(table.legal) if view.seat == table.turn else []
            )
            assert len(data["log"]) == len(table.log)


@every_game
def test_data_of_a_view_do_not_depend_on_hidden_information(rules):
    for number, table in enumerate(positions(rules)):
        for seat in range(table.game.seats):
            view = table.view(seat)
            other = view.redeal(number).view(seat)
            seen = type(other)(table.game, seat, other.pool, other.numbers, view._log, view.ply)
            assert json.dumps(seen.data()) == json.dumps(view.data())


@every_game
def test_public_view_follows_from_the_view_of_any_seat(rules):
    for number, table in enumerate(positions(rules)):
        public = table.public_view()
        known = copy_pool(public.pool)
        for seat in range(table.game.seats):
            for pool in (table.view(seat).pool, table.view(seat).redeal(number).pool):
                other = copy_pool(pool)
                calls.hide_from_all(other, table.game.seats)
                assert other.tobytes() == known.tobytes()
        assert int(public.state["seed"]) == 0


@every_game
def test_public_log_is_the_common_part_of_all_logs(rules):
    """Check that entries that differ between seats are blank and all others are equal."""
    for table in positions(rules, games=2):
        public = table.public_view().rows
        logs = table.noted[:-1]
        assert public.shape == logs.shape[1:]
        alike = (logs == logs[0]).all(axis=0)
        assert (public[alike] == logs[0][alike]).all()
        deals = public[:, 0] == 1 if rules[0] == "truco" else np.zeros(len(public), bool)
        blank = np.where(deals, 0, -1)[:, None]
        assert (public[~alike] == np.broadcast_to(blank, public.shape)[~alike]).all()


@every_game
def test_a_table_goes_back_to_any_ply(rules):
    table = game(rules[0], **rules[1]).deal(5)
    rng = np.random.default_rng(5)
    then = [table.copy()]
    while not table.over:
        table.play(table.legal[rng.integers(len(table.legal))])
        then.append(table.copy())
    for ply in {0, 1, table.ply // 2, table.ply - 1, table.ply}:
        back = table.back(ply)
        assert back.pool.tobytes() == then[ply].pool.tobytes()
        assert back.record() == then[ply].record() and back.log == then[ply].log
        for seat in range(table.game.seats):
            assert back.view(seat).data() == then[ply].view(seat).data()
        assert back.public_view().data() == then[ply].public_view().data()
    back = table.back(0)
    back.play(back.legal[0])
    assert table.over


def test_table_from_a_setup_or_redeal_goes_back_to_its_first_position():
    table = game("truco").setup(mao=1, hands=[["1e", "7o", "12p"], ["7c", "2e", "4e"]], scores=[3, 20])
    table.play("truco")
    redeal = table.view(0).redeal(9)
    redeal.play("quero")
    assert redeal.back(0).view(0).data()["table"]["pending"]["call"] == "truco"
    assert table.back(0).scores == [3, 20] and table.back(0).view(1).cards == table.view(1).cards


@pytest.mark.parametrize("ply", [-1, 3])
def test_ply_before_the_first_or_after_the_last_is_refused(ply):
    table = game("truco").deal(1)
    table.play(table.legal[0])
    table.play(table.legal[0])
    with pytest.raises(BadInput, match=f"there have been 2 plies at this table, so there is no ply {ply}"):
        table.back(ply)


def test_log_in_the_data_begins_at_the_requested_entry():
    table = next(table for table in positions(RULES[0]) if len(table.log) > 8)
    view = table.view(0)
    whole = view.data()
    assert whole["log_from"] == 0
    for first in (0, 3, len(whole["log"]), len(whole["log"]) + 5):
        part = view.data(first)
        assert part["log_from"] == first and part["log"] == whole["log"][first:]
        assert {**part, "log": [], "log_from": 0} == {**whole, "log": []}


def test_public_view_refuses_drawing_features_and_redeal():
    view = game("truco").deal(1).public_view()
    assert view.legal == () and str(view) == "<public view of truco, ply 0>"
    for ask in (view.svg, view.features, lambda: view.redeal(1)):
        with pytest.raises(BadInput, match="a public view"):
            ask()


def test_a_game_without_data_of_its_own_shows_the_fields_of_the_view():
    from bolicho.games.game import Game

    table = Game(PENNIES).deal(1)
    data = table.view().data()
    assert as_json(data) == data and data["table"] == {"coins": [3, 3, 3]} and data["game"] == "pennies"
    table.play("tails")
    assert table.view(0).data()["table"] == {"coins": [1, 3, 3]}
    assert table.public_view().data()["table"] == table.view(1).data()["table"] == {"coins": [2, 3, 3]}
