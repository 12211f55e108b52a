"""Artifacts: facts of their training, checksums, and lookup by name."""

import numpy as np
import pytest

from bolicho import BadInput, agent, game
from bolicho.store.add_checksums import stamp
from bolicho.store.artifact import SHIPPED, artifact_folders, artifact_path, load_artifact, save_artifact
from bolicho.store.checksum import BLANK, checksum, damage, seal
from bolicho.store.parquet import read_parquet, read_unsealed

FACTS = {"game": "truco", "kind": "numbers", "command": "bolicho train numbers", "seed": 1}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "numbers.safetensors"
    save_artifact(path, {"a": np.arange(6, dtype=np.float32).reshape(2, 3)}, FACTS)
    return path


def test_saved_artifact_is_loaded_unchanged(file):
    artifact = load_artifact(str(file), game="truco", kind="numbers")
    assert artifact.facts == FACTS and artifact.arrays["a"].tolist() == [[0, 1, 2], [3, 4, 5]]


def test_same_contents_are_written_as_the_same_bytes(file, tmp_path):
    again = tmp_path / "again.safetensors"
    save_artifact(again, load_artifact(str(file)).arrays, FACTS)
    assert again.read_bytes() == file.read_bytes()


def test_a_name_is_found_in_the_users_folder(file, monkeypatch):
    monkeypatch.setenv("BOLICHO_ARTIFACTS", str(file.parent))
    assert artifact_path("numbers") == file
    with pytest.raises(BadInput, match="unknown artifact"):
        artifact_path("number")


def test_folders_are_searched_from_the_nearest_to_the_shipped_one(tmp_path, monkeypatch):
    """Return the first match in the variable's folder, the current one, the user's data folder and the package."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BOLICHO_ARTIFACTS", str(tmp_path / "given"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    given, here, data = tmp_path / "given", tmp_path / "artifacts", tmp_path / "data" / "bolicho" / "artifacts"
    for folder in (data, here, given):
        folder.mkdir(parents=True)
        save_artifact(folder / "sarsa-truco.safetensors", {"a": np.zeros(1)}, FACTS)
        assert artifact_path("sarsa-truco").resolve() == folder / "sarsa-truco.safetensors"
    assert artifact_path("sarsa-dominoes") == SHIPPED / "sarsa-dominoes.safetensors"
    assert [folder.resolve() for folder in artifact_folders()] == [given, here, data, SHIPPED.resolve()]


@pytest.mark.parametrize("data", ["", None])
def test_the_data_folder_of_the_user_is_in_the_home_folder_by_default(data, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("BOLICHO_ARTIFACTS", raising=False)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    if data is not None:
        monkeypatch.setenv("XDG_DATA_HOME", data)
    assert artifact_folders()[1] == tmp_path / ".local" / "share" / "bolicho" / "artifacts"


def test_an_agent_plays_from_the_data_folder_of_the_user(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.delenv("BOLICHO_ARTIFACTS", raising=False)
    own = tmp_path / "bolicho" / "artifacts" / "sarsa-dominoes.safetensors"
    shipped = load_artifact("sarsa-dominoes")
    assert agent("sarsa", "dominoes").files(game("dominoes")) == [shipped.path]
    own.parent.mkdir(parents=True)
    save_artifact(own, shipped.arrays, shipped.facts)
    assert agent("sarsa", "dominoes").files(game("dominoes")) == [own]


def test_foreign_and_broken_files_are_refused(file, tmp_path):
    with pytest.raises(BadInput, match="game 'truco', not 'wonders'"):
        load_artifact(str(file), game="wonders")
    cut = tmp_path / "cut.safetensors"
    for size in (0, 4, 40, len(file.read_bytes()) - 1):
        cut.write_bytes(file.read_bytes()[:size])
        with pytest.raises(BadInput, match="not a complete safetensors file"):
            load_artifact(str(cut))
    from safetensors.numpy import save_file

    save_file({"a": np.zeros(2)}, str(cut))
    with pytest.raises(BadInput, match="not made by bolicho"):
        load_artifact(str(cut))
    with pytest.raises(BadInput, match="there is no artifact"):
        load_artifact(str(tmp_path / "none.safetensors"))


def test_a_seal_is_the_checksum_of_the_file_with_zeros_in_its_place():
    blank = b"before " + BLANK.encode() + b" after"
    sealed = seal(blank)
    assert checksum(blank).encode() in sealed and damage(sealed) is None
    assert "no checksum" in damage(b"before after") and "no checksum" in damage(sealed + sealed)
    with pytest.raises(ValueError, match="exactly once"):
        seal(b"before after")


def test_every_changed_byte_of_a_file_is_detected(file):
    whole = file.read_bytes()
    for place in range(len(whole)):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 32]) + whole[place + 1 :])
        with pytest.raises(BadInput, match="checksum"):
            load_artifact(str(file))


def test_damaged_file_is_refused_with_the_command_that_makes_it(file, tmp_path):
    def refused(name, sentence):
        path = tmp_path / name
        path.write_bytes(file.read_bytes()[:-1])
        with pytest.raises(BadInput, match=sentence):
            load_artifact(str(path))

    refused("mine.safetensors", "`bolicho train numbers` makes it again")  # the command among its facts
    refused("markov-truco.safetensors", "`bolicho train markov truco` makes it again")
    refused("mine.part.safetensors", "delete it to start the training again")
    (tmp_path / "none.safetensors").mkdir()
    with pytest.raises(BadInput, match="is a folder, and only files are read; name a file"):
        load_artifact(str(tmp_path / "none.safetensors"))


@pytest.mark.parametrize("path", sorted(SHIPPED.glob("*.[ps]a*")), ids=lambda path: path.name)
def test_shipped_artifacts_are_sealed_and_name_their_command(path):
    facts = read_parquet(path)[1] if path.suffix == ".parquet" else load_artifact(str(path)).facts
    assert facts["command"].startswith(f"bolicho train {' '.join(path.stem.rsplit('-', 1))} ") and {
        "seed",
        "version",
        "game",
    } <= set(facts)


def test_file_without_a_seal_gets_one_and_keeps_its_contents(tmp_path):
    from safetensors.numpy import save_file

    old = tmp_path / "old.safetensors"
    save_file({"a": np.arange(3)}, str(old), {"bolicho": '{"game": "truco"}'})
    stamp(old)
    artifact = load_artifact(str(old), game="truco")
    assert artifact.arrays["a"].tolist() == [0, 1, 2] and artifact.facts == {"game": "truco"}
    table = tmp_path / "cbr-baseline-truco.parquet"
    table.write_bytes(artifact_bytes := (SHIPPED / table.name).read_bytes())
    stamp(table)  # the seal stays the same when repeated
    assert table.read_bytes() == artifact_bytes and read_unsealed(table)[1] == read_unsealed(SHIPPED / table.name)[1]
