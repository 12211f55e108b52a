"""Initial matrices as published, and files of matrices: size, exactness and refusal of invalid ones."""

import shutil
from itertools import combinations

import numpy as np
import pytest

from bolicho.agents.markov import layout
from bolicho.agents.markov.layout import MODES, PLAYER_STATE, UNIT, level_counts, matrix
from bolicho.agents.markov.matrices import (
    INITIAL_LEVELS,
    WEAKEST,
    initial,
    initial_victories,
    load_learned,
    load_snapshots,
    pack_snapshot,
    rounded,
    save_learned,
    save_snapshots,
    steps,
)
from bolicho.errors import BadInput
from bolicho.games.truco.kernel import STRENGTH
from bolicho.store.artifact import artifact_path, load_artifact, save_artifact

PUBLISHED = {
    # Rossato 2020, tables 4.1 to 4.3: the first and last three cells of the first and last three rows.
    "truco": {
        0: (37, 36, 35, 3, 2, 1), 1: (38, 37, 36, 4, 3, 2), 2: (39, 38, 37, 5, 4, 3),
        499: (71, 70, 69, 37, 36, 35), 500: (72, 71, 70, 38, 37, 36), 501: (73, 72, 71, 39, 38, 37),
    },
    "envido": {
        0: (0, 0, 0, 0, 0, 0), 1: (14, 13, 12, 3, 2, 1), 2: (15, 14, 13, 4, 3, 2),
        26: (24, 23, 22, 13, 12, 11), 27: (25, 24, 23, 14, 13, 12), 28: (26, 25, 24, 15, 14, 13),
    },
    "flor": {
        0: (0, 0, 0, 0, 0, 0), 1: (19, 18, 17, 3, 2, 1), 2: (20, 19, 18, 4, 3, 2),
        61: (34, 33, 32, 18, 17, 16), 62: (35, 34, 33, 19, 18, 17), 63: (36, 35, 34, 20, 19, 18),
    },
}  # fmt: skip


@pytest.mark.parametrize("mode", PUBLISHED)
def test_rows_are_as_published(mode):
    counts = initial_victories(mode)
    for row, cells in PUBLISHED[mode].items():
        assert (*counts[row, :3], *counts[row, -3:]) == cells


@pytest.mark.parametrize("mode", PUBLISHED)
def test_states_of_equal_strength_have_equal_counts(mode):
    """So figure 5.5 does not depend on the order of equal means, which no source gives."""
    counts, heights = initial_victories(mode), np.array(steps(mode))
    for height in set(heights):
        rows, columns = counts[heights == height], counts[:, heights == height]
        assert (rows == rows[0]).all() and (columns == columns[:, :1]).all()


@pytest.mark.parametrize("mode", MODES)
def test_values_fall_by_one_a_step_and_defeats_are_the_transpose(mode):
    start = initial()
    won, lost = matrix(start.block, mode), matrix(start.block, mode, lost=True)
    assert (won == initial_victories(mode) * UNIT).all() and (lost == won.T).all()
    number = MODES.index(mode)
    first = 1 if mode in ("envido", "flor") else 0  # there the weakest state wins nothing
    inside = initial_victories(mode)[first:]
    assert inside.max() == layout.MAXIMA[number] and inside.min() == 1
    assert set(np.diff(inside, axis=0).ravel()) <= {0, 1} and set(np.diff(inside, axis=1).ravel()) <= {0, -1}
    assert set(np.diag(inside[:, first:])) == {layout.DIAGONALS[number]}


def test_only_the_defeats_of_the_weakest_pair_and_flor_may_be_unknown():
    loses, unknown = (initial(weakest).block.copy() for weakest in WEAKEST)
    for mode in ("envido", "flor"):
        assert matrix(loses, mode, lost=True)[0, 1:].all() and not matrix(unknown, mode, lost=True)[0].any()
        matrix(loses, mode, lost=True)[0] = 0
    assert (loses == unknown).all()


def test_initial_levels_are_the_shares_of_the_deal():
    seen = np.zeros((3, 14))
    for hand in combinations(range(40), 3):
        for level, strength in enumerate(sorted(int(STRENGTH[card]) for card in hand)):
            seen[level, strength - 1] += 1
    assert (np.rint(10 * seen / seen.sum(axis=0)) == np.array(INITIAL_LEVELS)).all()


def test_a_player_fits_in_three_megabytes():
    assert initial().block.nbytes <= 3_000_000 and PLAYER_STATE.itemsize <= 3_000_000


# --- Files --------------------------------------------------------------------------------------


def scrambled():
    rng = np.random.default_rng(1)
    learned = initial()
    for mode in MODES:
        won = matrix(learned.block, mode)
        won[:] = won + rng.integers(0, 50, won.shape) * rng.integers(0, 2, won.shape) * UNIT
        matrix(learned.block, mode, lost=True)[:] = won.T
    level_counts(learned.block)[:] += 7 * UNIT
    learned.minima[:] = rng.random(learned.minima.shape)
    learned.ledger[:] = rng.random(learned.ledger.shape)
    return learned


def same(one, other):
    return all((getattr(one, name) == getattr(other, name)).all() for name in ("block", "minima", "ledger"))


def test_saved_matrices_are_loaded_unchanged(tmp_path):
    learned = scrambled()
    save_learned(tmp_path / "a.safetensors", learned, {"seed": 3})
    read, facts = load_learned(str(tmp_path / "a.safetensors"))
    assert same(read, learned) and facts["seed"] == 3 and facts["game"] == "truco"


def test_coarse_file_contains_the_rounded_matrices(tmp_path):
    learned = scrambled()
    learned.block[:1000] += np.arange(1000, dtype=np.uint32)
    coarse = rounded(learned, 5000)
    assert not same(coarse, learned)
    assert np.abs(coarse.block.astype(np.int64) - learned.block.astype(np.int64)).max() <= 12_500
    save_learned(tmp_path / "a.safetensors", coarse, {}, 5000)
    assert same(load_learned(str(tmp_path / "a.safetensors"))[0], coarse)


def test_defeats_that_are_not_the_transpose_are_saved_and_loaded(tmp_path):
    learned = initial("unknown")
    matrix(learned.block, "envido", lost=True)[0, 3] = 6 * UNIT
    matrix(learned.block, "envido")[3, 0] += 6 * UNIT
    for grain in (1, 1000):
        save_learned(tmp_path / f"{grain}.safetensors", rounded(learned, grain), {}, grain)
        assert same(load_learned(str(tmp_path / f"{grain}.safetensors"))[0], learned)
    save_snapshots(tmp_path / "s.safetensors", pack_snapshot(initial(), 1) | pack_snapshot(learned, 2), {})
    (first, second), _ = load_snapshots(str(tmp_path / "s.safetensors"))
    assert same(first, initial()) and same(second, learned)


def test_snapshots_are_read_in_order(tmp_path):
    packed = pack_snapshot(initial(), 1) | pack_snapshot(scrambled(), 2)
    save_snapshots(tmp_path / "s.safetensors", packed, {"seed": 1})
    (first, second), facts = load_snapshots(str(tmp_path / "s.safetensors"))
    assert same(first, initial()) and same(second, scrambled()) and facts["count"] == 2


@pytest.mark.parametrize("name", ["markov", "markov-plus"])
def test_shipped_files_are_small_and_record_their_training(name):
    learned, facts = load_learned(name)
    assert artifact_path(name).stat().st_size <= 300_000
    assert facts["command"].startswith(f"bolicho train {name} ") and facts["matches"] >= 5000
    for mode in MODES:
        assert (matrix(learned.block, mode, lost=True) == matrix(learned.block, mode).T).all()


def broken(tmp_path, change):
    """Write a shipped file after `change(arrays, facts)`, and return its path."""
    artifact = load_artifact("markov")
    arrays, facts = dict(artifact.arrays), dict(artifact.facts)
    change(arrays, facts)
    path = tmp_path / "broken.safetensors"
    save_artifact(path, arrays, facts)
    return str(path)


def test_a_negative_count_is_refused(tmp_path):
    learned = initial()
    matrix(learned.block, "cards")[:] = 0  # six below the initial diagonal; the file says two steps more
    save_learned(tmp_path / "low.safetensors", learned, {})
    low = load_artifact(str(tmp_path / "low.safetensors"))
    path = broken(tmp_path, lambda a, f: (a.update(cards=low.arrays["cards"]), f.update(grain=2)))
    with pytest.raises(BadInput, match=r"cards of .* has a count below zero"):
        load_learned(path)


def test_a_wrong_shape_is_refused(tmp_path):
    path = broken(tmp_path, lambda a, f: a.update(envido=a["cards"]))
    with pytest.raises(BadInput, match=r"envido of .* has 36 numbers, expected 29 x 29"):
        load_learned(path)
    path = broken(tmp_path, lambda a, f: a.update(levels=np.zeros((3, 13), np.uint32)))
    with pytest.raises(BadInput, match=r"levels of .* expected integers \(3, 14\)"):
        load_learned(path)
    path = broken(tmp_path, lambda a, f: a.update({"flor-weakest-defeats": np.zeros(29, np.uint32)}))
    with pytest.raises(BadInput, match=r"flor-weakest-defeats of .* expected integers \(64,\)"):
        load_learned(path)
    path = broken(tmp_path, lambda a, f: a.update(minima=np.zeros(3)))
    with pytest.raises(BadInput, match="minima of "):
        load_learned(path)


def test_corrupt_or_missing_parts_are_refused(tmp_path):
    path = broken(tmp_path, lambda a, f: a.update(truco=a["truco"][:-20]))
    with pytest.raises(BadInput, match=r"truco of .* cannot be unpacked"):
        load_learned(path)
    path = broken(tmp_path, lambda a, f: a.pop("flor"))
    with pytest.raises(BadInput, match="has no flor"):
        load_learned(path)
    path = broken(tmp_path, lambda a, f: f.pop("grain"))
    with pytest.raises(BadInput, match="lacks its grain"):
        load_learned(path)


def test_truncated_and_foreign_files_are_refused(tmp_path):
    path = tmp_path / "cut.safetensors"
    path.write_bytes(artifact_path("markov").read_bytes()[:5000])
    with pytest.raises(BadInput, match="not a complete safetensors file"):
        load_learned(str(path))
    shutil.copy(artifact_path("sarsa-fives"), tmp_path / "foreign.safetensors")
    with pytest.raises(BadInput, match="not 'truco'"):
        load_learned(str(tmp_path / "foreign.safetensors"))
    with pytest.raises(BadInput, match="no artifact"):
        load_learned(str(tmp_path / "nothing.safetensors"))
