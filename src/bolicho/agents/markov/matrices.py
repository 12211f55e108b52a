"""Matrices of a player: initial values and file format."""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.markov import layout
from bolicho.agents.markov.states import ENVIDO_STATES, FLOR_STATES, NUM_ORDERS, TRUCO_STATES
from bolicho.errors import BadInput
from bolicho.store.artifact import Artifact, artifact_path, load_artifact, save_artifact

INITIAL_LEVELS = (
    (9, 7, 6, 5, 4, 2, 2, 1, 1, 0, 0, 0, 0, 0),
    (1, 2, 4, 4, 5, 5, 5, 4, 4, 2, 1, 1, 1, 0),
    (0, 0, 1, 1, 2, 2, 4, 5, 6, 7, 9, 9, 9, 10),
)
"""Number of times in ten that a card of each class is the low, middle, high one of a random hand.

Rossato 2020 draws these counts (figure 5.6 b) but does not print them: largest at both ends, the middle level shared by
most cards. The exact shares of the 9,880 hands have that shape.
"""

WEAKEST = ("loses", "unknown")
"""Initial defeats of the weakest pair (0-0) and flor (0-0-0), which have no victories (tables 4.2 and 4.3).

`loses`: the transpose of the others' victories, as in every other row. `unknown`: none, so that their chance is even
until something is learned (Rossato 2020, appendix A, lines 177 to 179).
"""
_OF_POINTS = ("envido", "flor")


@dataclass(frozen=True)
class LearnedMatrices:
    """Learned state of a player: the matrices, the minimums, and the ledger that these adapt from."""

    block: layout.BlockArray
    minima: NDArray[np.float64]
    ledger: NDArray[np.float64]

    def copy(self) -> "LearnedMatrices":
        return LearnedMatrices(self.block.copy(), self.minima.copy(), self.ledger.copy())


def steps(mode: str) -> list[int]:
    """Return the height of each state of a mode: the sum of its members, or the number of the order."""
    states = {"truco": TRUCO_STATES, "envido": ENVIDO_STATES, "flor": FLOR_STATES}
    return [sum(state) for state in states[mode]] if mode in states else list(range(NUM_ORDERS))


def initial_victories(mode: str) -> NDArray[np.int64]:
    """Return the initial victories of a mode, in whole counts: one less for each step down.

    Rossato 2020, tables 4.1 to 4.3. The weakest pair and the weakest flor win nothing.
    """
    up = np.array(steps(mode))
    counts: NDArray[np.int64] = layout.DIAGONALS[layout.MODES.index(mode)] + up[:, None] - up[None, :]
    if mode in _OF_POINTS:
        counts[0] = 0
    return counts


def initial(weakest: str = WEAKEST[0]) -> LearnedMatrices:
    """Return the initial matrices; `weakest` is one of WEAKEST."""
    block = np.zeros(layout.BLOCK_SIZE, np.uint32)
    for mode in layout.MODES:
        _fill(block, mode, initial_victories(mode) * layout.UNIT)
        if mode in _OF_POINTS and weakest == "unknown":
            layout.matrix(block, mode, lost=True)[0] = 0
    layout.level_counts(block)[:] = np.array(INITIAL_LEVELS) * layout.UNIT
    minima = np.zeros(layout.MINIMA_SHAPE)
    minima[:] = np.array(layout.MINIMA)[:, None, None]
    return LearnedMatrices(block, minima, np.zeros(layout.LEDGER_SHAPE))


def _fill(block: layout.BlockArray, mode: str, victories: NDArray[np.int64]) -> None:
    """Set a mode's victories, in thousandths, and its defeats, which are their transpose."""
    layout.matrix(block, mode)[:] = victories
    layout.matrix(block, mode, lost=True)[:] = victories.T


# --- File format ---------------------------------------------------------------------------------
# For each mode a file stores only the difference of the victories from the initial ones, in steps of `grain`
# thousandths: mostly small numbers or zeros. They are written as four planes, lowest bytes first, and compressed with
# zlib, since safetensors does not compress; the compressed bytes are a tensor of uint8. The defeats are the transpose;
# where the weakest state began without any, its row of defeats is stored separately.

KIND, SNAPSHOTS_KIND = "markov", "markov-snapshots"
_NAMES = (*layout.MODES, "levels", "minima", "ledger")
_DEFEATS = "-weakest-defeats"  # after the name of a mode


def _pack(numbers: NDArray[Any], kind: str) -> NDArray[np.uint8]:
    planes = np.ascontiguousarray(numbers, kind).view(np.uint8).reshape(numbers.size, -1).T
    return np.frombuffer(zlib.compress(planes.tobytes(), 9), np.uint8)


def _unpack(packed: NDArray[Any], kind: str, shape: tuple[int, ...], where: str) -> NDArray[Any]:
    try:
        if packed.dtype != np.uint8 or packed.ndim != 1:
            raise ValueError(f"it is {packed.dtype} {packed.shape}, not a row of bytes")
        data = np.frombuffer(zlib.decompress(packed.tobytes()), np.uint8)
    except (zlib.error, ValueError) as problem:
        raise BadInput(f"{where} cannot be unpacked ({problem}); train it again or download it again") from None
    width, size = np.dtype(kind).itemsize, int(np.prod(shape))
    if data.size != width * size:
        wanted = " x ".join(map(str, shape))
        raise BadInput(f"{where} has {data.size / width:g} numbers, expected {wanted}")
    return np.ascontiguousarray(data.reshape(width, size).T).view(kind).reshape(shape)


def _to_arrays(learned: LearnedMatrices, grain: int, prefix: str = "") -> dict[str, NDArray[Any]]:
    arrays: dict[str, NDArray[Any]] = {"levels": layout.level_counts(learned.block), "minima": learned.minima}
    for mode in layout.MODES:
        moved = layout.matrix(learned.block, mode).astype(np.int64) - initial_victories(mode) * layout.UNIT
        arrays[mode] = _pack(moved // grain, "<i4")
        defeats = layout.matrix(learned.block, mode, lost=True)[0]
        if mode in _OF_POINTS and (defeats != layout.matrix(learned.block, mode)[:, 0]).any():
            arrays[mode + _DEFEATS] = defeats.copy()
    arrays["ledger"] = _pack(learned.ledger, "<f8")
    return {prefix + name: array for name, array in arrays.items()}


def _from_arrays(artifact: Artifact, prefix: str = "") -> LearnedMatrices:
    path, grain = artifact.path, artifact.facts.get("grain")
    if type(grain) is not int or not 1 <= grain <= layout.CAP:
        raise BadInput(f"{path} lacks its grain, an integer number of thousandths")
    arrays = {}
    for name in _NAMES:
        if prefix + name not in artifact.arrays:
            raise BadInput(f"{path} has no {prefix + name}; it should contain {', '.join(_NAMES)}")
        arrays[name] = artifact.arrays[prefix + name]
    learned = initial()
    for mode, size in zip(layout.MODES, layout.SIZES, strict=True):
        where = f"{prefix + mode} of {path}"
        moved = _unpack(arrays[mode], "<i4", (size, size), where).astype(np.int64) * grain
        _fill(learned.block, mode, _counts(initial_victories(mode) * layout.UNIT + moved, where))
        if prefix + mode + _DEFEATS in artifact.arrays:
            defeats = artifact.arrays[prefix + mode + _DEFEATS]
            layout.matrix(learned.block, mode, lost=True)[0] = _whole(
                defeats, (size,), f"{prefix + mode + _DEFEATS} of {path}"
            )
    levels = layout.level_counts(learned.block)
    levels[:] = _whole(arrays["levels"], levels.shape, f"levels of {path}")
    if arrays["minima"].shape != layout.MINIMA_SHAPE or arrays["minima"].dtype.kind != "f":
        raise BadInput(f"minima of {path} are {arrays['minima'].shape}, expected numbers {layout.MINIMA_SHAPE}")
    learned.minima[:] = arrays["minima"]
    learned.ledger[:] = _unpack(arrays["ledger"], "<f8", layout.LEDGER_SHAPE, f"ledger of {path}")
    if not (np.isfinite(learned.minima).all() and np.isfinite(learned.ledger).all()):
        raise BadInput(f"{path} contains values that are not finite; train it again")
    return learned


def _whole(numbers: NDArray[Any], shape: tuple[int, ...], where: str) -> NDArray[np.int64]:
    """Return counts that are stored without compression."""
    if numbers.shape != shape or numbers.dtype.kind not in "iu":
        raise BadInput(f"{where} are {numbers.dtype} {numbers.shape}, expected integers {shape}")
    return _counts(numbers.astype(np.int64), where)


def _counts(numbers: NDArray[np.int64], where: str) -> NDArray[np.int64]:
    if numbers.min() < 0:
        raise BadInput(f"{where} has a count below zero")
    if numbers.max() > layout.CAP:
        raise BadInput(f"{where} has a count above {layout.CAP // layout.UNIT:,}, the largest there is")
    return numbers


def rounded(learned: LearnedMatrices, grain: int) -> LearnedMatrices:
    """Return a copy with every count rounded to `grain` thousandths: the resolution of a file with that grain."""
    copy = learned.copy()
    for mode in layout.MODES:
        start = initial_victories(mode) * layout.UNIT
        known = layout.matrix(copy.block, mode).astype(np.int64)
        coarse = np.maximum(start + (known - start + grain // 2) // grain * grain, start % grain)
        _fill(copy.block, mode, coarse)
        if mode in _OF_POINTS:
            defeats = layout.matrix(learned.block, mode, lost=True)[0] + (coarse - known)[:, 0]
            layout.matrix(copy.block, mode, lost=True)[0] = np.maximum(defeats, 0)
    return copy


def save_learned(path: Path | str, learned: LearnedMatrices, facts: Mapping[str, Any], grain: int = 1) -> None:
    """Write a learned state; with a `grain` above 1 it must be `rounded` to it."""
    save_artifact(path, _to_arrays(learned, grain), {**facts, "game": "truco", "kind": KIND, "grain": grain})


def load_learned(name: str) -> tuple[LearnedMatrices, dict[str, Any]]:
    """Load a learned state, from an artifact by name or path, with the facts of its training.

    Cached per process: copy it before changing it.
    """
    path = artifact_path(name)
    return _load(str(path), path.stat().st_mtime_ns if path.exists() else 0)


@lru_cache(maxsize=8)
def _load(path: str, modified: int) -> tuple[LearnedMatrices, dict[str, Any]]:
    artifact = load_artifact(path, game="truco", kind=KIND)
    return _from_arrays(artifact), artifact.facts


Packed = dict[str, NDArray[Any]]
"""Snapshots in file form, so that each is packed only once while the file grows."""


def pack_snapshot(learned: LearnedMatrices, number: int) -> Packed:
    """Return the arrays of snapshot `number`, counted from 1."""
    return _to_arrays(learned, 1, f"{number:02}/")


def save_snapshots(path: Path | str, packed: Packed, facts: Mapping[str, Any]) -> None:
    """Write several snapshots, oldest first."""
    count = len({name.partition("/")[0] for name in packed})
    save_artifact(path, packed, {**facts, "game": "truco", "kind": SNAPSHOTS_KIND, "grain": 1, "count": count})


def load_snapshots(name: str) -> tuple[list[LearnedMatrices], dict[str, Any]]:
    """Load snapshots, oldest first, with the facts of their training."""
    artifact = load_artifact(name, game="truco", kind=SNAPSHOTS_KIND)
    count = artifact.facts.get("count")
    if type(count) is not int or not 0 <= count <= len(artifact.arrays):
        raise BadInput(f"{artifact.path} does not contain its number of snapshots; train it again")
    return [_from_arrays(artifact, f"{number:02}/") for number in range(1, count + 1)], artifact.facts
