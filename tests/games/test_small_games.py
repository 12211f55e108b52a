"""Contract of the small games of the tests."""

import pytest

from bolicho import check_game
from bolicho.games.game import Game
from bolicho.games.poker import KUHN, LEDUC
from tests.games.pennies import PENNIES
from tests.games.small_truco import small_truco


@pytest.mark.parametrize("seats", [2, 3])
def test_pennies_keeps_the_contract(seats):
    report = check_game(Game(PENNIES, seats=seats))
    assert report.games == 200
    assert report.uniform > 0


@pytest.mark.parametrize("game", [KUHN, LEDUC, small_truco("1e 7e 3c 3o 12c 6c 4p", flor=False)], ids=repr)
def test_poker_and_small_truco_keep_the_contract(game):
    assert check_game(game, games=60).uniform > 0
