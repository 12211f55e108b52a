"""Artifacts carry their story and are checked when they are read."""

import numpy as np
import pytest

from bolicho import BadInput
from bolicho.store.artifact import artifact_path, load_artifact, save_artifact

FACTS = {"game": "truco", "kind": "numbers", "command": "bolicho train numbers", "seed": 1}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "numbers.safetensors"
    save_artifact(path, {"a": np.arange(6, dtype=np.float32).reshape(2, 3)}, FACTS)
    return path


def test_what_is_saved_is_loaded(file):
    artifact = load_artifact(str(file), game="truco", kind="numbers")
    assert artifact.facts == FACTS and artifact.arrays["a"].tolist() == [[0, 1, 2], [3, 4, 5]]


def test_the_same_contents_are_the_same_bytes(file, tmp_path):
    again = tmp_path / "again.safetensors"
    save_artifact(again, load_artifact(str(file)).arrays, FACTS)
    assert again.read_bytes() == file.read_bytes()


def test_a_name_is_found_in_the_users_folder(file, monkeypatch):
    monkeypatch.setenv("BOLICHO_ARTIFACTS", str(file.parent))
    assert artifact_path("numbers") == file
    with pytest.raises(BadInput, match="unknown artifact"):
        artifact_path("number")


def test_foreign_and_broken_files_are_refused(file, tmp_path):
    with pytest.raises(BadInput, match="game 'truco'; 'wonders' is wanted"):
        load_artifact(str(file), game="wonders")
    cut = tmp_path / "cut.safetensors"
    for size in (0, 4, 40, len(file.read_bytes()) - 1):
        cut.write_bytes(file.read_bytes()[:size])
        with pytest.raises(BadInput, match="no whole safetensors file"):
            load_artifact(str(cut))
    from safetensors.numpy import save_file

    save_file({"a": np.zeros(2)}, str(cut))
    with pytest.raises(BadInput, match="not made by bolicho"):
        load_artifact(str(cut))
    with pytest.raises(BadInput, match="there is no artifact"):
        load_artifact(str(tmp_path / "none.safetensors"))
