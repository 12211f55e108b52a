"""The game of hidden choices that lives with the tests keeps the contract, as anybody's game must."""

import pytest

from bolicho import check_game
from bolicho.games.game import Game
from tests.games.pennies import PENNIES


@pytest.mark.parametrize("seats", [2, 3])
def test_pennies_keeps_the_contract(seats):
    report = check_game(Game(PENNIES, seats=seats))
    assert report.games == 200
    assert report.uniform > 0
