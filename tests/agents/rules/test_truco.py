"""Scripted styles: legality, dependence on the view alone, and differences between them."""

import numpy as np
import pytest

from bolicho import agent, game
from bolicho.agents.rules.truco import STYLES
from bolicho.i18n import catalogue


def positions(count, seed=0):
    rng = np.random.default_rng(seed)
    chosen = game("truco")
    table = chosen.deal(seed)
    for _ in range(count):
        if table.over:
            table = chosen.deal(int(rng.integers(2**32)))
        yield table
        table.play(table.legal[rng.integers(len(table.legal))])


@pytest.mark.parametrize("style", STYLES)
def test_a_style_always_plays_something_legal(style):
    player = agent(style, "truco")
    for table in positions(3000):
        choice = player.act(table.view(), np.random.default_rng(table.ply))
        assert choice in table.view().legal
        assert catalogue("en").say(player.explain().sentence).startswith(style)


def test_style_depends_only_on_the_view():
    player = agent("bluffer", "truco")
    for table in positions(500, seed=3):
        view = table.view()
        other = view.redeal(seed=table.ply).view(table.turn)
        assert player.act(view, np.random.default_rng(1)) == player.act(other, np.random.default_rng(1))


def share(style, wanted, count=4000):
    """Return how often a style chooses an action of `wanted` where one is legal."""
    player, chosen, possible = agent(style, "truco"), 0, 0
    for table in positions(count, seed=5):
        legal = {str(action) for action in table.legal}
        if legal & wanted:
            number = player.act(table.view(), np.random.default_rng(table.ply))
            possible += 1
            chosen += str(table.game.action(table.state, number)) in wanted
    return chosen / possible


def test_styles_differ_in_calls_and_acceptance():
    truco = {style: share(style, {"truco", "retruco", "vale4"}) for style in STYLES}
    assert truco["cautious"] < truco["balanced"] < truco["aggressive"]
    assert truco["bluffer"] > truco["balanced"]
    accepts = {style: share(style, {"quero"}) for style in ("cautious", "novice", "aggressive")}
    assert accepts["cautious"] < accepts["aggressive"] < accepts["novice"]
