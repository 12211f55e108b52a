"""Records of whole games: they replay to the same bytes, and to results computed by hand and by the referee.

The second game (Halikarnassos B, Rhodos B, Olympia A) was checked by hand, coin by coin; all are
checked against the referee.
"""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bolicho
from bolicho import read_records, replay
from bolicho.games.record import write_record
from bolicho.games.wonders.cards import COIN_COST, NAME
from bolicho.games.wonders.layout import BUILT, HELD, LEFT_OVER, SOLD, STAGE

from .referee import Referee

FOLDER = Path(__file__).parent / "records"
GAMES = list(read_records(FOLDER / "games.jsonl"))
RESULTS = [json.loads(line) for line in (FOLDER / "results.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("number", range(len(GAMES)))
def test_record_replays_to_its_result_and_is_written_as_the_same_text(number):
    table = replay(GAMES[number])
    result = table.result()
    assert table.over
    assert {key: result[key] for key in RESULTS[number]} == RESULTS[number]
    line = (FOLDER / "games.jsonl").read_text().splitlines()[number]
    assert write_record(table.record()) == line


@pytest.mark.parametrize("number", range(len(GAMES)))
def test_the_referee_agrees_with_a_record(number):
    record = GAMES[number]
    referee = Referee(
        record["setup"]["boards"], record["setup"]["ages"], record.get("rules", {}).get("trade", "cheapest")
    )
    for action in record["actions"]:
        assert action in referee.legal()
        referee.play(action)
    assert [referee.points(seat) for seat in range(referee.n)] == RESULTS[number]["points"]
    assert referee.winners() == RESULTS[number]["winners"]


def test_the_records_show_every_kind_of_play_and_every_wonder():
    kinds = Counter(action.split()[0] for record in GAMES for action in record["actions"])
    assert set(kinds) == {"build", "wonder", "sell", "free", "revive"}
    wonders = {board[:-2] for record in GAMES for board in record["setup"]["boards"]}
    assert len(wonders) == 7


# --- Laws ---------------------------------------------------------------------------------------


def random_game(players, seed, trade, choose):
    """Play a random game, and call `choose(table)` at every step."""
    table = bolicho.game("wonders", players=players, trade=trade).deal(seed)
    luck = seed
    while not table.over:
        choose(table)
        legal = table.legal
        luck = (luck * 6364136223846793005 + 1442695040888963407) % 2**64
        table.play(legal[(luck >> 33) % len(legal)])
    return table


@given(players=st.integers(3, 7), seed=st.integers(0, 2**32), trade=st.sampled_from(["cheapest", "choose"]))
def test_cards_are_neither_lost_nor_made(players, seed, trade):
    start = bolicho.game("wonders", players=players, trade=trade).deal(seed)
    decks = [Counter(age.ravel().tolist()) for age in start.state["cards"]]

    def check(table):
        s = table.state
        assert [Counter(age.ravel().tolist()) for age in s["cards"]] == decks
        for seat in range(players):
            built = sum(
                int(word).bit_count() if word >= 0 else 64 - int(~word).bit_count() for word in s["built"][seat]
            )
            assert built == s["colours"][seat].sum()
            assert s["coins"][seat] >= 0

    table = random_game(players, seed, trade, check)
    check(table)
    fates = Counter(table.state["fate"][:, :players].ravel().tolist())
    assert fates[HELD] == 0
    assert fates[STAGE] == table.state["stages"].sum()
    assert fates[LEFT_OVER] <= 3 * players
    revived = int((table.state["revived"] >= 0).sum())
    assert fates[BUILT] + revived == table.state["colours"].sum()
    assert sum(fates.values()) == 21 * players


@given(players=st.integers(3, 7), seed=st.integers(0, 2**32), trade=st.sampled_from(["cheapest", "choose"]))
def test_coins_come_from_sales_and_effects_and_go_to_the_bank(players, seed, trade):
    table = random_game(players, seed, trade, lambda table: None)
    total = 3 * players
    for entry in table.log:
        total += {"sold": 3, "income": entry.get("coins", 0), "built": -entry.get("bank", 0)}.get(entry["event"], 0)
    assert sum(table.result()["coins"]) == total
    assert set(COIN_COST.tolist()) == {0, 1}


@given(players=st.integers(3, 7), seed=st.integers(0, 2**32), trade=st.sampled_from(["cheapest", "choose"]))
def test_any_game_replays_from_its_record(players, seed, trade):
    table = random_game(players, seed, trade, lambda table: None)
    line = write_record(table.record())
    again = replay(json.loads(line))
    assert again.pool.tobytes() == table.pool.tobytes()
    assert write_record(again.record()) == line
    assert sum(table.payoffs) == pytest.approx(0)


def test_no_name_is_built_twice():
    for seed in range(30):
        table = random_game(7, seed, "cheapest", lambda table: None)
        built = Counter()
        for entry in table.log:
            if entry["event"] == "built":
                built[entry["seat"], entry["card"]] += 1
        assert max(built.values()) == 1
    assert len(set(NAME.tolist())) == 75


def test_seats_play_in_order_and_turns_are_eighteen():
    table = random_game(3, 4, "cheapest", lambda table: None)
    chose = [entry for entry in table.log if entry["event"] == "chose" and entry["turn"] <= 6]
    plays = [
        (entry["age"], entry["turn"], entry["seat"]) for entry in chose if not entry["action"].startswith("revive")
    ]
    assert plays == [(age, turn, seat) for age in (1, 2, 3) for turn in range(1, 7) for seat in range(3)]
    assert SOLD < LEFT_OVER


def test_wonders_passes_check_game():
    report = bolicho.check_game(bolicho.game("wonders"), games=40)
    assert report.uniform > 0
