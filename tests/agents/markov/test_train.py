"""Training: the same bytes for the same seed, stopped or not; snapshots; what it refuses."""

import pytest

from bolicho.agents.markov import train
from bolicho.agents.markov.layout import matrix
from bolicho.agents.markov.matrices import load_learned, load_snapshots
from bolicho.agents.markov.options import PLUS
from bolicho.errors import BadInput


def test_the_same_seed_gives_the_same_bytes(tmp_path):
    for name in ("one", "two"):
        train.train_markov(tmp_path / name / "m.safetensors", 3, matches=40, snapshots=4, progress=False)
        train.train_markov_plus(tmp_path / name / "p.safetensors", 3, matches=250, progress=False)
    for file in ("m.safetensors", "m-snapshots.safetensors", "p.safetensors"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()
    other = tmp_path / "other.safetensors"
    train.train_markov(other, 4, matches=40, snapshots=4, progress=False)
    assert other.read_bytes() != (tmp_path / "one" / "m.safetensors").read_bytes()


def test_a_stopped_training_goes_on_to_the_same_bytes(tmp_path, monkeypatch):
    whole, stopped = tmp_path / "whole.safetensors", tmp_path / "stopped.safetensors"
    train.train_markov(whole, 5, matches=30, snapshots=3, progress=False)
    kept = train.save_snapshots

    def stop_after_two(path, packed, facts):
        kept(path, packed, facts)
        if facts["done"] == 20:
            raise KeyboardInterrupt

    monkeypatch.setattr(train, "save_snapshots", stop_after_two)
    with pytest.raises(KeyboardInterrupt):
        train.train_markov(stopped, 5, matches=30, snapshots=3, progress=False)
    monkeypatch.setattr(train, "save_snapshots", kept)
    assert not stopped.exists() and (tmp_path / "stopped.part.safetensors").exists()
    train.train_markov(stopped, 5, matches=30, snapshots=3, progress=False)
    assert stopped.read_bytes() == whole.read_bytes()
    assert not (tmp_path / "stopped.part.safetensors").exists()


def test_snapshots_stand_beside_and_end_with_the_whole(tmp_path):
    report = train.train_markov(tmp_path / "m.safetensors", 1, matches=10, snapshots=5, progress=False)
    snapshots, facts = load_snapshots(report["snapshots"])
    learned, _ = load_learned(str(tmp_path / "m.safetensors"))
    assert len(snapshots) == 5 and (snapshots[-1].block == learned.block).all()
    assert facts["seed"] == 1 and facts["teachers"] == ["self"] and facts["told"]
    cards = [int(matrix(known.block, "cards").sum()) for known in snapshots]
    assert cards == sorted(cards) and cards[0] < cards[-1]


def test_what_ships_was_trained_by_the_recipes():
    for name, recipe in (("markov", train.AS_PUBLISHED), ("markov-plus", train.AS_PLUS)):
        _, facts = load_learned(name)
        assert {key: facts[key] for key in recipe.facts()} == recipe.facts() and facts["seed"] == 1
    assert train.AS_PLUS.options == PLUS and None in train.PLUS_TEACHERS


@pytest.mark.parametrize("wrong", [{"matches": 0}, {"matches": 2.5}, {"snapshots": -1}])
def test_senseless_numbers_are_refused(tmp_path, wrong):
    with pytest.raises(BadInput, match="must be a whole number from 1 on"):
        train.train_markov(tmp_path / "m.safetensors", 1, **{"matches": 5, "snapshots": 1, **wrong}, progress=False)
