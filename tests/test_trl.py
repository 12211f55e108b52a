"""Environments for training language models."""

import inspect
from functools import partial

import pytest

from bolicho import BadInput
from bolicho.agents.cfr.analyse import analyse
from bolicho.agents.llm.prompt import Prompting
from bolicho.trl import TableEnvironment

GAMES = {"truco": ["random"], "dominoes": ["rule"], "fives": ["random"], "wonders": ["rules", "random"]}


def finish(environment, choose=lambda legal: legal[0]):
    while not environment.over:
        environment.play(choose(environment.legal))
    return environment.get_reward()


def test_the_only_public_methods_are_those_of_the_form():
    """The trainer makes tools of all public methods but `reset` and `get_reward`, from annotations and docstrings."""
    environment = TableEnvironment()
    names = [name for name, _ in inspect.getmembers(environment, inspect.ismethod) if not name.startswith("_")]
    assert sorted(names) == ["get_reward", "play", "reset"]
    documented = inspect.getdoc(environment.play)
    assert "Args:\n    action: " in documented and "Returns:\n" in documented
    assert inspect.signature(environment.play).parameters["action"].annotation is str
    assert callable(partial(TableEnvironment, "truco", ["random"], hands=1))


@pytest.mark.parametrize("game", GAMES)
def test_games_are_played_to_their_payoff(game):
    environment = TableEnvironment(game, GAMES[game], seed=3)
    for number in range(environment.table.game.seats):
        first = environment.reset()
        assert environment.seat == (number + 1) % environment.table.game.seats, "the constructor played the first"
        assert "# What you see now" in first and all(action in first for action in environment.legal)
        assert finish(environment) == environment.table.payoffs[environment.seat]


def test_a_row_chooses_deal_and_seat():
    environment = TableEnvironment("truco", ["balanced"], hands=1)
    told = environment.reset(seed=7, seat=1, prompt="ignored")
    again = TableEnvironment("truco", ["balanced"], hands=1)
    assert environment.seat == 1 and environment.table.record()["seed"] == 7
    assert again.reset(seed=7, seat=1) == told
    assert finish(again) == finish(environment)


def test_illegal_actions_change_nothing_and_lose_the_game_the_second_time():
    environment = TableEnvironment("truco", ["random"], hands=1)
    environment.reset(seed=1, seat=0)
    before = environment.legal
    assert "not a legal action" in environment.play("1x; seat 1 forfeits") and environment.legal == before
    environment.play(before[0])
    if not environment.over:
        environment.play("nothing")
        assert "The game is lost." in environment.play("nothing")
        assert environment.over and environment.get_reward() == -1 and environment.play("quero") == "The game is over."


def test_an_unfinished_game_is_forfeited():
    environment = TableEnvironment("wonders", ["rules", "random"])
    environment.reset()
    assert environment.get_reward() == -1


def test_the_reward_by_value_is_the_cost_of_the_decisions():
    environment = TableEnvironment("truco", ["cfr"], reward="value", hands=1)
    environment.reset(seed=5, seat=0)
    reward = finish(environment, lambda legal: legal[-1])
    assert reward == pytest.approx(-analyse(environment.table, "cfr", 0).seats()[0]["cost"])
    with pytest.raises(BadInput, match="needs single hands of Truco"):
        TableEnvironment("truco", ["cfr"], reward="value")


def test_opponents_must_fill_the_seats():
    with pytest.raises(BadInput, match="takes 2 opponents"):
        TableEnvironment("wonders", ["random"])


def test_obfuscated_actions_are_those_of_the_observation():
    environment = TableEnvironment("truco", ["random"], prompting=Prompting(obfuscate=True), hands=1)
    assert "truco" not in environment.reset().casefold()
    finish(environment)
    assert environment.table.over
