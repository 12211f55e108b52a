import json

import numpy as np
import pytest

import bolicho
from bolicho import BadInput, agent
from bolicho.agents import training
from bolicho.agents.registry import built_in_entries
from bolicho.agents.sarsa import train as sarsa
from bolicho.agents.sarsa.train import ALPHA, EPSILON, FADE, GAMMA, SarsaSelfPlay
from bolicho.games import BUILT_IN
from bolicho.games.game import Game
from bolicho.store.artifact import load_artifact, save_artifact
from tests.agents.learners import learn as learn_all
from tests.agents.sarsa.reference import learn
from tests.games.coins import COINS


@pytest.mark.parametrize("seats", [2, 3])
def test_learned_weights_match_the_reference(seats, monkeypatch):
    game = Game(COINS, coins=6, seats=seats)
    monkeypatch.setattr(sarsa, "TABLES", 1)  # one game after the other, as in the reference
    learner = SarsaSelfPlay(game, 5, games=60, perfect=True)
    learn_all(learner)
    expected = learn(game, 60, 5, EPSILON, GAMMA, ALPHA, FADE)
    assert learner.model.weights == pytest.approx(expected, rel=1e-4, abs=1e-6)
    assert np.abs(expected).max() > 1


def test_final_weights_are_the_mean_of_the_second_half(monkeypatch):
    monkeypatch.setattr(sarsa, "CURVE_DEALS", 1)
    learners = [SarsaSelfPlay(Game(COINS, coins=6), 5, games=games) for games in (3, 4)]
    for learner in learners:
        learn_all(learner)
    assert learners[1].average() == pytest.approx(np.mean([one.model.weights for one in learners], axis=0))


def test_curve_point_has_an_interval_only_for_several_deals(monkeypatch):
    widths = []
    for deals in (2, 200):
        monkeypatch.setattr(sarsa, "CURVE_DEALS", deals)
        point = SarsaSelfPlay(Game(COINS, coins=6), 5, games=4).step()
        widths.append(point["high"] - point["low"])
    assert widths[0] > 5 * widths[1] > 0
    monkeypatch.setattr(sarsa, "CURVE_DEALS", 1)
    point = SarsaSelfPlay(Game(COINS, coins=6), 5, games=4).step()
    assert 0 <= point["rate"] <= 1 and point["low"] is point["high"] is None


def test_self_play_beats_random_play(tmp_path):
    facts = training.train("sarsa dominoes", tmp_path / "a.safetensors", 1, {"games": 8_000}, show=False)
    curve = training.read_curve(tmp_path / "a.safetensors")
    assert facts["rate_against_random"] == curve[-1]["rate"] > curve[-1]["low"] > 0.6
    assert [point["games"] for point in curve] == [400 * part for part in range(1, 21)]


def test_every_game_can_be_learned(tmp_path):
    out = tmp_path / "truco.safetensors"
    training.train("sarsa truco(target=12)", out, 1, {"games": 40}, show=False)
    story = load_artifact(str(out)).facts
    assert story["command"] == "bolicho train sarsa 'truco(target=12)' games=40 --seed 1"
    assert story["rules"] == {"target": 12}
    player = agent(f"bolicho.agents.sarsa.agent:Sarsa(artifact={out})")
    table = bolicho.game("truco", target=12).deal(2)
    assert player.act(table.view(), np.random.default_rng(0)) in table.legal
    assert set(player.explain().facts["values"]) == set(table.legal)


# --- The agents ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "entry", [entry for entry in built_in_entries() if entry.name.startswith("sarsa")], ids=lambda e: e.name
)
def test_agent_plays_the_highest_value_and_explains_it(entry):
    for name in entry.games or BUILT_IN:
        table = bolicho.game(name).deal(4)
        player = agent(entry.name, name)
        player.begin(table.game, 0)
        assert player.explain() is None
        while not table.over:
            view = table.open_view(table.turn) if player.oracle else table.view()
            choice = player.act(view, np.random.default_rng(0))
            why = player.explain()
            values = json.loads(json.dumps(why.facts))["values"]
            assert values[choice] == max(values.values())
            assert set(why.facts["features"]) == set(values) == set(view.legal)
            table.play(choice)


@pytest.mark.parametrize("name", ["truco", "dominoes", "fives", "wonders"])
def test_decisions_do_not_depend_on_hidden_information(name):
    table = bolicho.game(name).deal(6)
    player = agent("sarsa", name)
    while not table.over:
        other = table.view().redeal(table.ply)
        reasons = []
        for world in (table, other):
            choice = player.act(world.view(table.turn), np.random.default_rng(0))
            reasons.append((choice, player.explain()))
        assert reasons[0] == reasons[1]
        table.play(choice)


@pytest.mark.parametrize(
    ("spec", "game", "says"),
    [
        ("sarsa(artifact=sarsa-fives)", "dominoes", "has game 'fives', not 'dominoes'"),
        ("sarsa(artifact=sarsa-open-dominoes)", "dominoes", "trained to see everything; this agent sees only its view"),
        ("sarsa-open(artifact=sarsa-dominoes)", "dominoes", "trained to see only its view; this agent sees everything"),
        ("sarsa(artifact=sarsa-domino)", "dominoes", "did you mean 'sarsa-dominoes'"),
        ("sarsa(artifact=/nowhere/x.safetensors)", "dominoes", "there is no artifact"),
    ],
)
def test_a_foreign_file_is_refused(spec, game, says):
    with pytest.raises(BadInput, match=says):
        agent(spec, game).begin(bolicho.game(game), 0)


def test_weights_for_other_rules_are_refused(tmp_path):
    assert 55 + 11 + 1 + 2 * 10 + 2 * 56 == 199  # tiles, doubles, force, ends, counts of a double-nine set
    nines = bolicho.game("dominoes", highest=9)
    with pytest.raises(BadInput, match="was made for the default rules, and this game has highest=9"):
        agent("sarsa", nines)
    path = tmp_path / "nines.safetensors"
    save_artifact(path, {"weights": np.zeros(109)}, {**load_artifact("sarsa-dominoes").facts, "rules": {"highest": 9}})
    with pytest.raises(BadInput, match=r"does not have 199 weights, as game\('dominoes', highest=9\) needs"):
        agent(f"sarsa(artifact={path})", nines)


def test_broken_weights_are_refused(tmp_path):
    facts = load_artifact("sarsa-dominoes").facts
    path = tmp_path / "x.safetensors"
    save_artifact(path, {"weights": np.full(109, np.nan)}, facts)
    with pytest.raises(BadInput, match="not numbers"):
        agent(f"sarsa(artifact={path})", "dominoes").begin(bolicho.game("dominoes"), 0)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(BadInput, match="not a complete safetensors file"):
        agent(f"sarsa(artifact={path})", "dominoes").begin(bolicho.game("dominoes"), 0)
