"""Training of the Markov agents: snapshots and recipes."""

from bolicho.agents import training
from bolicho.agents.markov import train
from bolicho.agents.markov.layout import matrix
from bolicho.agents.markov.matrices import load_learned, load_snapshots
from bolicho.agents.markov.options import PLUS


def test_snapshots_are_written_and_the_last_equals_the_artifact(tmp_path):
    report = training.train("markov", tmp_path / "m.safetensors", 1, {"matches": 10, "snapshots": 5}, show=False)
    snapshots, facts = load_snapshots(report["snapshots"])
    learned, _ = load_learned(str(tmp_path / "m.safetensors"))
    assert len(snapshots) == 5 and (snapshots[-1].block == learned.block).all()
    assert facts["seed"] == 1 and facts["teachers"] == ["self"] and facts["told"]
    cards = [int(matrix(known.block, "cards").sum()) for known in snapshots]
    assert cards == sorted(cards) and cards[0] < cards[-1]


def test_training_accepts_the_option_weakest_unknown(tmp_path):
    known = {}
    for options in ({}, {"weakest": "unknown"}):
        path = tmp_path / f"{len(options)}.safetensors"
        training.train("markov", path, 4, {"matches": 30, "snapshots": 1, **options}, show=False)
        learned, facts = load_learned(str(path))
        known[facts["options"].get("weakest")] = matrix(learned.block, "envido")[0].any()
        assert ("weakest=unknown" in facts["command"]) == ("weakest" in options)
    assert known == {None: False, "unknown": True}, "figure 5.7 d: the first row grew"


def test_shipped_artifacts_were_trained_by_the_recipes():
    for name, recipe in (("markov", train.AS_PUBLISHED), ("markov-plus", train.AS_PLUS)):
        _, facts = load_learned(name)
        assert {key: facts[key] for key in recipe.facts()} == recipe.facts() and facts["seed"] == 1
    assert train.AS_PLUS.options == PLUS and None in train.PLUS_TEACHERS
