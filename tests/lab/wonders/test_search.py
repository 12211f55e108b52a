"""The search for hyper-parameters of the imitation nets, in small."""

import json
from dataclasses import replace

import numpy as np
import pytest

from bolicho.agents.neural import imitation
from bolicho.agents.neural.learning import ACTIVATIONS
from bolicho.agents.neural.recipes import declared_plan
from bolicho.games import game
from bolicho.lab.study import run_study
from bolicho.lab.wonders import search
from bolicho.lab.wonders.search import Form

NEURAL = declared_plan("neural wonders")


def test_the_grid_and_the_best_nets_are_as_printed():
    """Compare with tables 3.7 and 3.8 and the activations of section 3.4.3 of Pereira 2021."""
    assert search.LAYERS == (2, 3, 4)
    assert min(search.WIDTHS) == 70 and max(search.WIDTHS) == 95
    assert search.RATES == (0.0001, 0.00001)
    assert set(ACTIVATIONS) == {"sigmoid", "relu", "leaky_relu", "tanh"}
    assert [str(form) for form in search.PRINTED] == [f"2 x {n}, relu, 0.0001" for n in (80, 80, 90)]
    assert [((form.width,) * form.layers, form.rate) for form in search.PRINTED] == [
        (hidden, NEURAL.rate) for hidden in NEURAL.hidden
    ]
    assert search.PUBLISHED_EPOCHS == 5000


def test_a_printed_form_is_trained_as_wonders_neural_is():
    plan = replace(NEURAL, games=12, epochs=3, patience=0, seed=5)
    learner = imitation.Imitator(game("wonders"), plan)
    while learner.done < learner.total:
        learner.step()
    learn, _, test = learner.parts
    for age, form in enumerate(search.PRINTED):
        wanted = [imitation.accuracy(learner.nets, part, "raw")[age] for part in (learn, test)]
        assert search.fit(form, age, seed=5, games=12, epochs=3) == pytest.approx(wanted)


def test_every_hyper_parameter_changes_the_net():
    """Train some epochs, after which no two forms choose alike."""
    forms = [Form(2, 80), Form(3, 80), Form(2, 90), Form(2, 80, rate=1e-5)]
    forms += [Form(2, 80, activation) for activation in ("sigmoid", "tanh")]
    found = {search.fit(form, 0, seed=1, games=60, epochs=40) for form in forms}
    assert len(found) == len(forms)


def test_the_quick_study_shows_the_printed_nets_beside_the_best(tmp_path, monkeypatch):
    page = run_study("wonders-search", out=tmp_path, jobs=1)
    tables = json.loads((tmp_path / "findings.json").read_text())["tables"]
    chosen, longer, kinds, shapes, grid = tables
    assert [row[:2] for row in chosen["rows"]] == [
        [age, which] for age in ("I", "II", "III") for which in ("printed", "best here")
    ]
    for printed, best in zip(chosen["rows"][::2], chosen["rows"][1::2], strict=True):
        assert printed[2:4] == ["relu", "0.0001"] and printed[7]["value"] == 0
        assert best[5]["value"] >= printed[5]["value"] and best[7]["value"] >= 0
        assert best[5]["low"] <= best[5]["value"] <= best[5]["high"]
    published = [row[2]["published"] for row in longer["rows"] if row[2]["published"] is not None]
    assert published == [0.9714, 0.9988, 0.9998]
    assert len(kinds["rows"]) == 8 and len(shapes["rows"]) == 2 and len(grid["rows"]) == 16
    by_kind = {row[0]: row[1]["value"] for row in kinds["rows"]}
    assert by_kind["relu, 0.0001"] > by_kind["relu, 1e-05"]
    assert (tmp_path / "search.png").exists() and page.exists()
    # A second run in the same folder trains nothing again and finds the same.
    monkeypatch.setattr(search.imitation, "see_all", None)
    run_study("wonders-search", out=tmp_path, jobs=1)
    assert json.loads((tmp_path / "findings.json").read_text())["tables"] == tables


def test_best_form_has_the_highest_train_accuracy():
    """Use the criterion of Pereira 2021, section 3.4.3, which ignores test accuracy."""
    forms = [Form(2, 80), Form(2, 90), Form(4, 95, "tanh", 1e-5)]
    found = np.zeros((3, 3, 2, 2))
    found[..., 0] = np.array([0.5, 0.6, 0.7])[:, None, None]
    found[..., 1] = np.array([0.7, 0.6, 0.1])[:, None, None]
    best = search.best_forms(forms, found)
    assert best == [forms[2]] * 3
    table = search.chosen_table(forms, found, best)
    assert [row[4] for row in table.rows] == ["2 x 80", "4 x 95", "2 x 80", "4 x 95", "2 x 90", "4 x 95"]
    assert [round(row[7].estimate.value, 6) for row in table.rows] == [0, 0.2, 0, 0.2, 0, 0.1]
