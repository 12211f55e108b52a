"""What is trained: snapshots, and the recipes."""

from bolicho.agents import training
from bolicho.agents.markov import train
from bolicho.agents.markov.layout import matrix
from bolicho.agents.markov.matrices import load_learned, load_snapshots
from bolicho.agents.markov.options import PLUS


def test_snapshots_stand_beside_and_end_with_the_whole(tmp_path):
    report = training.train("markov", tmp_path / "m.safetensors", 1, {"matches": 10, "snapshots": 5}, show=False)
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
