"""Small games in short files: the documented example, defaults, and refusals of incomplete games."""

import dataclasses
import re
from pathlib import Path

import pytest
from examples.kuhn import KUHN, STATE

from bolicho import BadInput, check_game
from bolicho.agents.cfr.solve import FullTree, solve
from bolicho.agents.mirrored_games import meet
from bolicho.agents.neural import net
from bolicho.agents.policy.response import learn_response
from bolicho.agents.training import train
from bolicho.games import BUILT_IN
from bolicho.games.check import BrokenPromise
from bolicho.games.game import Game
from bolicho.games.kind import Kind
from bolicho.games.small_game import blank_of, state
from tests.games.coins import COINS
from tests.games.nim import NIM

ROOT = Path(__file__).parents[2]


def test_code_of_the_page_equals_the_example():
    page = (ROOT / "docs" / "new-game.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert "\n\n".join(blocks) == (ROOT / "examples" / "kuhn.py").read_text()


def test_example_game_has_at_most_sixty_lines():
    lines = (ROOT / "examples" / "kuhn.py").read_text().splitlines()
    assert sum(bool(line.strip()) for line in lines) <= 60


def test_kuhn_poker_of_the_page_keeps_the_contract_and_has_its_value():
    kuhn = Game(KUHN)
    assert check_game(kuhn, games=60).uniform > 0
    assert solve(FullTree(kuhn), 0.001).value == pytest.approx(-1 / 18, abs=0.001)


def test_omitted_parts_of_a_game_have_defaults():
    table = Game(KUHN).deal(3)
    assert table.scores == [0, 0]
    table.play("bet")
    view = table.view(1)
    assert str(view).splitlines() == ['cards [null, "Q"]', "paid [2, 1]"]
    assert view.data()["table"] == {"cards": [None, "Q"], "paid": [2, 1]}
    bare = Game(Kind("bare", blank=blank_of(STATE), texts=KUHN.texts)).deal(3)
    bare.play("bet")
    assert bare.view(1).data()["table"] == {
        "cards": [-1, 1],
        "paid": [2, 1],
        "ply": 1,
    }
    assert "cards [null, &quot;Q&quot;]" in view.svg() and view.svg().startswith("<svg")
    assert view.history == [{"event": "chose", "seat": 0, "action": "bet"}]
    table.play("pass")
    assert table.scores == table.payoffs == [1, -1]
    with pytest.raises(BadInput, match="nothing to set up"):
        Game(KUHN).setup(cards=[0, 1])


@pytest.mark.parametrize(
    "chosen", [Game(NIM), Game(COINS, coins=5), Game(COINS, coins=5, seats=3)], ids=["nim", "coins", "coins of three"]
)
def test_a_game_of_perfect_information_keeps_the_contract(chosen):
    report = check_game(chosen, games=60)
    assert report.uniform == 0 and report.certain == report.probed > 0


def test_search_beats_random_in_nim():
    met = meet(Game(NIM), ["mcts(iterations=200)", "random"], deals=50, seed=1)
    assert met.won[..., 0].mean() > 0.8


def test_perfect_information_has_to_be_declared():
    with pytest.raises(BrokenPromise, match="if nothing is to be hidden, say so by perfect_information=True"):
        check_game(Game(dataclasses.replace(NIM, perfect_information=False)), games=20)
    with pytest.raises(BrokenPromise, match=r"said to be a game of perfect information, and seat . is in doubt"):
        check_game(Game(dataclasses.replace(KUHN, perfect_information=True)), games=20)


def test_endless_game_is_caught_at_its_declared_bound():
    endless = Game(dataclasses.replace(NIM, longest=lambda rules: 12), endless=True)
    with pytest.raises(BrokenPromise, match="a game has more than the 12 plies that `longest` allows"):
        check_game(endless, games=1)


def test_endless_game_without_a_bound_is_caught_before_its_positions_are_checked(monkeypatch):
    monkeypatch.setattr("bolicho.games.check.MAX_PLIES", 500)
    monkeypatch.setattr("bolicho.games.check._check_position", None)
    with pytest.raises(BrokenPromise, match="a game is not over after 500 plies"):
        check_game(Game(NIM, endless=True), games=1)


@pytest.mark.parametrize("training", ["policy", "sarsa"])
def test_learners_refuse_a_game_without_features_and_say_what_to_register(training, tmp_path, monkeypatch):
    monkeypatch.setitem(BUILT_IN, "kuhn", "examples.kuhn:KUHN")
    with pytest.raises(BadInput, match="kuhn has no features for a learner to see: name them in `feature_names`"):
        train(f"{training} kuhn", tmp_path / "kuhn.safetensors", 1, {"games": 64}, show=False)
    assert not list(tmp_path.iterdir())


def test_a_learned_response_in_a_game_without_features_is_refused():
    with pytest.raises(BadInput, match="nim has no features for a learner to see"):
        learn_response(Game(NIM), "random", games=64, show=False)


def test_a_net_of_a_game_without_features_is_refused():
    with pytest.raises(BadInput, match="nim has no features for a learner to see"):
        net.fresh(Game(NIM), "features", ((8,),), seed=1)


def test_missing_required_parts_of_a_game_are_named():
    with pytest.raises(BadInput, match="the game x has neither texts nor num_actions"):
        Kind("x", blank=KUHN.blank)
    with pytest.raises(BadInput, match="the game x lacks deal, legal, apply, payoff, hide, redeal of its record"):
        Game(Kind("x", blank=blank_of(state(("nobody_has_this", "i1"))), texts=("a",)))


@pytest.mark.parametrize(
    ("old", "new", "value"), [("moment", "action_help", list), ("solemn", "needs_confirmation", ("bet",))]
)
def test_deprecated_keyword_of_kind_sets_its_successor(old, new, value):
    with pytest.warns(DeprecationWarning, match=rf"Kind\({old}=\.\.\.\) is now Kind\({new}="):
        kind = dataclasses.replace(NIM, **{old: value})
    assert getattr(kind, new) == value and getattr(dataclasses.replace(kind), new) == value
