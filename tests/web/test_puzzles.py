"""Puzzles: positions with a clearly best choice, shown as the seat to act sees them."""

import pytest

from bolicho.games import game as make_game
from bolicho.lab import puzzles
from bolicho.web.match import game_of
from bolicho.web.puzzles import DAY, of_day
from tests.web.running import said

GAMES = ("truco", "dominoes", "fives", "wonders")


@pytest.mark.parametrize("name", GAMES)
def test_every_shipped_puzzle_is_a_legal_position_with_one_clearly_best_choice(name):
    found, plan = puzzles.shipped()[name], puzzles.PLANS[name]
    assert len(found["puzzles"]) == puzzles.COUNT and found["judge"] == plan.judge
    game = game_of(name, found["rules"])
    for puzzle in found["puzzles"]:
        table = game.deal(puzzle["seed"])
        table.play_all(puzzle["actions"])
        assert table.turn == puzzle["seat"] and set(puzzle["values"]) == set(map(str, table.legal))
        first, second = sorted(puzzle["values"].values(), reverse=True)[:2]
        assert first - second >= plan.gap - 0.001
    assert len({puzzle["seed"] for puzzle in found["puzzles"]}) == puzzles.COUNT


@pytest.mark.parametrize("name", ["dominoes", "wonders"])
def test_judge_gives_the_same_values_again(name):
    puzzle = puzzles.shipped()[name]["puzzles"][3]
    table = make_game(name).deal(puzzle["seed"])
    table.play_all(puzzle["actions"])
    unit, values = puzzles.judged(table, puzzles.PLANS[name].judge)
    assert unit == puzzle["unit"] and {key: round(value, 3) for key, value in values.items()} == puzzle["values"]


def test_shipped_puzzles_are_found_again():
    first = next(puzzles.find("wonders", puzzles.SEED))
    assert puzzles.shipped()["wonders"]["puzzles"][0] == vars(first)


@pytest.mark.parametrize("name", GAMES)
def test_puzzle_shows_the_view_of_its_seat_and_grades_choices(app_state, name):
    told = app_state.get(f"/api/puzzles/{name}", number=2).json()
    view, stored = told["view"], puzzles.shipped()[name]["puzzles"][2]
    assert view["seat"] == view["turn"] == stored["seat"] and view["legal"]
    table = game_of(name, puzzles.shipped()[name]["rules"]).deal(stored["seed"])
    table.play_all(stored["actions"])
    assert (
        view == table.view().data() | {"svg": view["svg"]}
        if "svg" in view
        else view["table"] == table.view().data()["table"]
    )
    best = puzzles.best(stored["values"])
    right = app_state.post(f"/api/puzzles/{name}/2", {"action": best}).json()
    assert right["best"] == best and right["cost"] == 0
    worst = min(stored["values"], key=stored["values"].get)
    wrong = app_state.post(f"/api/puzzles/{name}/2", {"action": worst}).json()
    assert wrong["cost"] == pytest.approx(stored["values"][best] - stored["values"][worst])
    assert sum(one["chosen"] for one in wrong["bars"]) == 1


def test_puzzle_of_the_day_changes_with_the_day():
    assert {of_day("truco", day * DAY) for day in range(puzzles.COUNT)} == set(range(puzzles.COUNT))
    assert of_day("truco", 5 * DAY) == of_day("truco", 5.9 * DAY)


def test_unknown_puzzles_and_choices_are_refused(app_state):
    assert said(app_state.get("/api/puzzles/chess")) == "server.no-puzzles"
    assert said(app_state.get("/api/puzzles/truco", number=999)) == "server.no-puzzles"
    assert said(app_state.post("/api/puzzles/truco/0", {"action": "fold everything"})) == "server.illegal"
