"""The CSV of plays: the columns and codes of Pereira 2021, and the plays that the nets learn from."""

import csv

import numpy as np
import pytest

import bolicho
from bolicho.agents.neural import imitation
from bolicho.agents.neural.compiled.wonders import CARDS_OF, IN_PLAY
from bolicho.agents.neural.plays_table import CARD_ID, COLUMNS
from bolicho.agents.neural.recipes import declared_plan
from bolicho.agents.training import train
from bolicho.games.wonders.cards import AGE, CARDS

GAMES = 12


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    path = tmp_path_factory.mktemp("plays") / "plays.csv"
    facts = train("neural-plays wonders", path, 1, {"games": GAMES}, show=False)
    with path.open(newline="") as file:
        found = list(csv.DictReader(file))
    assert (facts["games"], facts["plays"]) == (GAMES, len(found))
    return found


def held(row):
    return [int(row[f"card {i}"]) for i in range(1, 8) if row[f"card {i}"]]


def test_columns_are_those_of_table_3_3():
    assert COLUMNS[:7] == tuple(f"card {i}" for i in range(1, 8))
    assert COLUMNS[7:14] == ("civil", "military", "commercial", "science", "raw", "manufactured", "guild")
    assert COLUMNS[14:21] == ("wonder", "stage", "shields", "coins", "age", "played", "action")


def test_cards_have_the_numbers_of_table_3_4():
    assert (CARD_ID["Clay Pool"], CARD_ID["Glassworks"], CARD_ID["Apothecary"]) == (3, 16, 54)
    assert sorted(CARD_ID.values()) == list(range(1, 76))


def test_code_of_a_play_is_100_times_the_action_plus_the_card(rows):
    for row in rows:
        code = {"build": 1, "wonder": 2, "sell": 3}[row["action"]]  # table 3.5
        assert divmod(int(row["play"]), 100) == (code, int(row["played"]))
        assert int(row["played"]) in held(row)
    assert {row["action"] for row in rows} == {"build", "wonder", "sell"}
    assert any(row["play"] == "103" for row in rows)  # "Construir Argileira seria codificada como 103"


def test_a_winner_has_six_turns_an_age_with_one_card_less_each(rows):
    for number in range(GAMES):
        mine = [row for row in rows if row["game"] == str(number)]
        for age in "123":
            sizes = [len(held(row)) for row in mine if row["age"] == age]
            assert sizes[:6] == [7, 6, 5, 4, 3, 2] and set(sizes[6:]) <= {1}


def test_rows_contain_the_plays_that_the_nets_learn_from(rows):
    """Plays that the nets are taught, each as a row with the same inputs and output."""
    plan = declared_plan("neural wonders")
    plays = imitation.collect(bolicho.game("wonders"), ["rules"] * 3, plan, GAMES)
    written = {}
    for row in rows:
        age = int(row["age"]) - 1
        places = {CARD_ID[CARDS[card]]: i for i, card in enumerate(c for c in IN_PLAY if AGE[c] == age)}
        inputs = np.zeros(37, np.float32)
        inputs[[places[card] for card in held(row)]] = 1
        n = CARDS_OF[age]
        inputs[n : n + 11] = [float(row[column]) for column in COLUMNS[7:18]]
        action, card = divmod(int(row["play"]), 100)
        written.setdefault((row["game"], inputs.tobytes()), set()).add((action - 1) * n + places[card])
    checked = 0
    for inputs, chosen, which, number in zip(plays.inputs, plays.chosen, plays.net, plays.game, strict=True):
        found = written.get((str(number), inputs.tobytes()))
        if found is None:  # only a revival is taught and not written
            assert inputs[: CARDS_OF[which]].sum() != 0
            continue
        assert chosen in found
        checked += 1
    assert checked > 0.98 * len(plays)
