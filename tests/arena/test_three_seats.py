"""Runs of a small game of three seats, compared with independent counts."""

from itertools import combinations

import duckdb
import numpy as np
import pytest

import bolicho.games
from bolicho import Agent, game
from bolicho.agents.mirrored_games import deal_seed
from bolicho.agents.play import play
from bolicho.arena.experiment import Experiment
from bolicho.arena.run import run
from tests.arena.lottery import KEEP


class Keeps(Agent):
    def act(self, view, rng):
        return "keep"


class Gives(Agent):
    def act(self, view, rng):
        return "give"


class Sensible(Agent):
    def act(self, view, rng):
        return "keep" if view.state["tickets"][view.seat] > 4 else "give"


class Cheats(Agent):
    def act(self, view, rng):
        return "steal" if view.seat == 1 else "keep"


HERE = "tests.arena.test_three_seats"
FOUR = ["random", f"{HERE}:Keeps", f"{HERE}:Gives", f"{HERE}:Sensible"]


@pytest.fixture(autouse=True)
def the_lottery(monkeypatch):
    """Register a game for these tests, unknown to processes of external agents: hence `trust` below."""
    monkeypatch.setitem(bolicho.games.BUILT_IN, "lottery", "tests.arena.lottery:LOTTERY")


def games_of(finished):
    cursor = duckdb.sql(f"SELECT * FROM '{finished.folder / 'games.parquet'}' ORDER BY row")
    return [dict(zip(cursor.columns, row, strict=True)) for row in cursor.fetchall()]


def share(payoffs, seat):
    return (payoffs[seat] == max(payoffs)) / payoffs.count(max(payoffs))


def test_all_combinations_play_in_all_rotations_on_the_same_deals(tmp_path):
    finished = run(Experiment("lottery", FOUR, duplicates=6, seed=0, trust=True), tmp_path / "run")
    games = games_of(finished)
    assert len(games) == 4 * 6 * 3
    for deal in range(6):
        tickets = game("lottery").deal(deal_seed(0, deal)).state["tickets"]
        for row in (row for row in games if row["deal"] == deal):
            points = [int(t) if a == KEEP else 4 for t, a in zip(tickets, row["actions"], strict=True)]
            assert row["scores"] == row["payoffs"] == points
    for three in combinations(FOUR, 3):
        tables = [tuple(row["agents"]) for row in games if set(row["agents"]) == set(three) and row["deal"] == 0]
        assert len(set(tables)) == 3
    for standing in finished.result["agents"]:
        mine = [
            (row["payoffs"], row["agents"].index(standing["agent"]))
            for row in games
            if standing["agent"] in row["agents"]
        ]
        assert standing["games"] == len(mine) == 54
        assert standing["wins"] == pytest.approx(sum(share(payoffs, seat) for payoffs, seat in mine))
        assert standing["payoff"]["value"] == pytest.approx(
            np.mean([payoffs[seat] for payoffs, seat in mine]), rel=1e-5
        )
        assert [seat["games"] for seat in standing["seats"]] == [18, 18, 18]
    for pair in finished.result["pairs"]:
        both = [row for row in games if {pair["agent"], pair["against"]} <= set(row["agents"])]
        ahead = 0.0
        for row in both:
            mine, theirs = (row["payoffs"][row["agents"].index(pair[name])] for name in ("agent", "against"))
            ahead += 1.0 if mine > theirs else 0.5 if mine == theirs else 0.0
        assert (pair["games"], pair["wins"]) == (len(both), ahead)
    best = finished.result["agents"][0]
    assert best["agent"] == f"{HERE}:Sensible"
    assert best["rating"]["value"] == max(row["rating"]["value"] for row in finished.result["agents"])


def test_two_agents_fill_three_seats(tmp_path):
    finished = run(Experiment("lottery", FOUR[1:3], duplicates=5, trust=True), tmp_path / "run")
    games = games_of(finished)
    keeps, gives = FOUR[1:3]
    assert [row["agents"] for row in games if row["deal"] == 0] == [
        [keeps, keeps, gives],
        [gives, keeps, keeps],
        [keeps, gives, keeps],
        [keeps, gives, gives],
        [gives, keeps, gives],
        [gives, gives, keeps],
    ]
    for standing in finished.result["agents"]:
        shares = [
            share(row["payoffs"], seat)
            for row in games
            for seat in range(3)
            if row["agents"][seat] == standing["agent"]
        ]
        assert standing["games"] == len(shares) == 45
        assert standing["rate"]["value"] == pytest.approx(np.mean(shares), rel=1e-5)


def test_forfeits_are_defeats_and_left_out_of_payoffs_and_point_differences(tmp_path):
    finished = run(Experiment("lottery", [*FOUR[1:3], f"{HERE}:Cheats"], duplicates=5, trust=True), tmp_path / "run")
    games = games_of(finished)
    assert finished.result["num_forfeits"] == sum(row["forfeit"] is not None for row in games) == 5
    standings = {row["agent"]: row for row in finished.result["agents"]}
    gives, cheats = standings[f"{HERE}:Gives"], standings[f"{HERE}:Cheats"]
    assert gives["payoff"] == {"value": 4, "low": 4, "high": 4}
    assert cheats["forfeits"] == 5
    assert cheats["seats"][1]["wins"] == 0
    shares = [share(row["payoffs"], row["agents"].index(gives["agent"])) for row in games]
    assert gives["wins"] == pytest.approx(sum(shares))


def test_forfeit_at_three_seats_is_shared_by_the_other_two():
    played = play(game("lottery"), [Keeps(), Cheats(), Gives()], 1)
    assert played.forfeit[0] == 1
    assert "tried 'steal'" in played.forfeit[1]
    assert played.payoffs == [0.5, -1.0, 0.5]


def test_game_without_behaviours_has_no_table_of_them(tmp_path):
    finished = run(Experiment("lottery", FOUR[:3], duplicates=1, seed=0, trust=True), tmp_path / "run")
    assert finished.result["behaviours"] == []
    assert "What they do" not in (finished.folder / "index.html").read_text()
