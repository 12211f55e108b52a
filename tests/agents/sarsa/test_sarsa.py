import json

import numpy as np
import pytest

import bolicho
from bolicho import BadInput, agent
from bolicho.agents.catalogue import CATALOGUE
from bolicho.agents.sarsa import train as training
from bolicho.agents.sarsa.train import ALPHA, EPSILON, FADE, GAMMA, train_sarsa
from bolicho.agents.training import TRAININGS, options_of
from bolicho.games.game import Game
from bolicho.store.artifact import SHIPPED, load_artifact, save_artifact
from tests.agents.sarsa.reference import learn
from tests.games.coins import COINS

SHIPPED_NAMES = ["sarsa-dominoes", "sarsa-dominoes-open", "sarsa-fives", "sarsa-fives-open"]


def weights_of(path):
    return load_artifact(str(path)).arrays["weights"]


@pytest.mark.parametrize("seats", [2, 3])
def test_it_learns_what_plain_python_learns(tmp_path, monkeypatch, seats):
    game = Game(COINS, coins=6, seats=seats)
    monkeypatch.setattr(training, "_average", lambda model, mean, done, half: model.weights.copy())
    monkeypatch.setattr(training, "TABLES", 1)
    train_sarsa(tmp_path / "a.safetensors", 5, game, games=60, perfect=True, progress=False)
    expected = learn(game, 60, 5, EPSILON, GAMMA, ALPHA, FADE)
    assert weights_of(tmp_path / "a.safetensors") == pytest.approx(expected, rel=1e-4, abs=1e-6)
    assert np.abs(expected).max() > 1


def test_the_weights_played_by_are_the_mean_of_the_second_half(tmp_path, monkeypatch):
    game = Game(COINS, coins=6)
    monkeypatch.setattr(training, "CURVE_DEALS", 1)
    train_sarsa(tmp_path / "mean.safetensors", 5, game, games=4, progress=False)
    monkeypatch.setattr(training, "_average", lambda model, mean, done, half: model.weights.copy())
    last = []
    for games in (3, 4):
        train_sarsa(tmp_path / f"{games}.safetensors", 5, game, games=games, progress=False)
        last.append(weights_of(tmp_path / f"{games}.safetensors"))
    assert weights_of(tmp_path / "mean.safetensors") == pytest.approx(np.mean(last, axis=0))


def test_the_same_seed_makes_the_same_file(tmp_path):
    for name in ("one", "two"):
        train_sarsa(tmp_path / f"{name}.safetensors", 3, "dominoes", games=300, progress=False)
    for ending in (".safetensors", ".curve.json"):
        assert (tmp_path / f"one{ending}").read_bytes() == (tmp_path / f"two{ending}").read_bytes()
    train_sarsa(tmp_path / "other.safetensors", 4, "dominoes", games=300, progress=False)
    assert weights_of(tmp_path / "other.safetensors").tolist() != weights_of(tmp_path / "one.safetensors").tolist()


def test_a_stopped_training_goes_on_to_the_same_file(tmp_path, monkeypatch):
    train_sarsa(tmp_path / "whole.safetensors", 3, "fives", games=300, perfect=True, progress=False)
    rate, calls = training._against_random, []

    def stop_at_the_fifth(*args):
        calls.append(1)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return rate(*args)

    monkeypatch.setattr(training, "_against_random", stop_at_the_fifth)
    for _ in range(2):
        try:
            train_sarsa(tmp_path / "cut.safetensors", 3, "fives", games=300, perfect=True, progress=False)
        except KeyboardInterrupt:
            assert not (tmp_path / "cut.safetensors").exists()
    assert len(calls) == 5 + 16
    assert (tmp_path / "cut.safetensors").read_bytes() == (tmp_path / "whole.safetensors").read_bytes()
    assert (tmp_path / "cut.curve.json").read_bytes() == (tmp_path / "whole.curve.json").read_bytes()
    assert not (tmp_path / "cut.part.safetensors").exists()


def test_unfinished_work_of_another_training_is_not_gone_on_with(tmp_path, monkeypatch):
    def stop(*args):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(training, "save_artifact", lambda *args: (save_artifact(*args), stop()))
        train_sarsa(tmp_path / "a.safetensors", 3, "dominoes", games=300, progress=False)
    train_sarsa(tmp_path / "a.safetensors", 4, "dominoes", games=300, progress=False)
    train_sarsa(tmp_path / "b.safetensors", 4, "dominoes", games=300, progress=False)
    assert (tmp_path / "a.safetensors").read_bytes() == (tmp_path / "b.safetensors").read_bytes()


def test_self_play_beats_random_play(tmp_path):
    facts = train_sarsa(tmp_path / "a.safetensors", 1, "dominoes", games=8_000, progress=False)
    curve = json.loads((tmp_path / "a.curve.json").read_text())["curve"]
    assert facts["rate_against_random"] == curve[-1]["rate"] > curve[-1]["low"] > 0.6
    assert [point["games"] for point in curve] == [400 * part for part in range(1, 21)]


def test_every_game_can_be_learned(tmp_path):
    out = tmp_path / "truco.safetensors"
    train_sarsa(out, 1, "truco(target=12)", games=40, progress=False)
    story = load_artifact(str(out)).facts
    assert story["command"] == 'bolicho train sarsa "game=truco(target=12)" games=40 perfect=false --seed 1'
    assert story["rules"] == {"target": 12}
    player = agent(f"bolicho.agents.sarsa.agent:Sarsa(artifact={out})")
    table = bolicho.game("truco", target=12).deal(2)
    assert player.act(table.view(), np.random.default_rng(0)) in table.legal
    assert set(player.explain().facts["values"]) == set(table.legal)


# --- The agents ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SHIPPED_NAMES)
def test_what_is_shipped_says_how_it_was_made(name):
    facts = load_artifact(name).facts
    assert facts["command"] == f"bolicho train {name} games={facts['games']} --seed {facts['seed']}"
    assert facts["games"] == options_of(name)["games"]
    assert name in TRAININGS
    assert (SHIPPED / f"{name}.curve.json").exists()


@pytest.mark.parametrize(
    "entry", [entry for entry in CATALOGUE if entry.name.startswith("sarsa")], ids=lambda e: e.name
)
def test_it_plays_and_tells_why(entry):
    for name in entry.games:
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


@pytest.mark.parametrize("name", ["dominoes", "fives"])
def test_it_does_not_peek(name):
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
        ("sarsa(artifact=sarsa-fives)", "dominoes", "has game 'fives'; 'dominoes' is wanted"),
        ("sarsa(artifact=sarsa-dominoes-open)", "dominoes", "trained to see everything; this agent sees only its view"),
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
    with pytest.raises(BadInput, match="no whole safetensors file"):
        agent(f"sarsa(artifact={path})", "dominoes").begin(bolicho.game("dominoes"), 0)
    with pytest.raises(BadInput, match="games must be a whole number"):
        train_sarsa(path, games=0)
