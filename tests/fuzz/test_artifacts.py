"""Damaged artifacts: every changed byte is detected, and wrong contents are refused in one sentence."""

import json
import random
import re

import numpy as np
import pytest

import bolicho
from bolicho import BadInput
from bolicho.agents.cbr.bases import load_base
from bolicho.agents.cbr.truco import TRUCO
from bolicho.agents.markov.matrices import load_learned
from bolicho.agents.neural import net
from bolicho.agents.sarsa.model import load_model
from bolicho.store.artifact import SHIPPED, load_artifact, save_artifact
from bolicho.store.checksum import BLANK, seal
from bolicho.store.parquet import read_parquet, write_parquet

from . import mutate

FILES = sorted([*SHIPPED.glob("*.safetensors"), *SHIPPED.glob("*.parquet")])


def read(path):
    """Read a file as the agent that uses it does."""
    if path.suffix == ".parquet":
        return load_base(str(path), TRUCO)
    agent, _, game = path.stem.rpartition("-")
    if agent.startswith("sarsa"):
        return load_model(bolicho.game(game), agent == "sarsa-open", str(path))
    if agent.startswith("markov"):
        return load_learned(str(path))
    net._load.cache_clear()
    return net.load(bolicho.game("wonders"), str(path))


def test_no_changed_file_is_read(tmp_path):
    for number in range(1000):
        source = FILES[number % len(FILES)]
        whole = source.read_bytes()
        changed = mutate.bytes_of(whole, random.Random(number))
        path = tmp_path / source.name
        path.write_bytes(changed)
        if changed == whole:
            continue
        with pytest.raises(BadInput, match=r"bolicho train .* makes it again"):
            read(path)


def sealed_again(data):
    """Return changed bytes with a new, valid seal."""
    return seal(re.sub(rb"seal:sha256:[0-9a-f]{64}", BLANK.encode(), data))


def test_sealed_file_with_arbitrary_bytes_raises_only_bad_input(tmp_path):
    sources = [path for path in FILES if path.name.startswith(("sarsa", "markov."))]
    for number in range(500):
        source = sources[number % len(sources)]
        rng = random.Random(number)
        data = source.read_bytes()
        head = 8 + int.from_bytes(data[:8], "little")
        part = rng.choice([data[:head], data[:head], data[head : head + 400]])
        changed = data.replace(part, mutate.bytes_of(part, rng), 1)
        if len(re.findall(rb"seal:sha256:[0-9a-f]{64}", changed)) != 1:
            continue
        path = tmp_path / source.name
        path.write_bytes(sealed_again(changed))
        try:
            found = load_artifact(str(path))
            read(path)
        except BadInput as problem:
            assert str(problem)
            continue
        save_artifact(tmp_path / "again.safetensors", found.arrays, found.facts)
        again = load_artifact(str(tmp_path / "again.safetensors"))
        assert again.facts == found.facts and again.arrays.keys() == found.arrays.keys()
        assert all(again.arrays[name].tobytes() == array.tobytes() for name, array in found.arrays.items())


@pytest.mark.parametrize("name", ["neural-wonders.safetensors", "markov-truco.safetensors", "sarsa-fives.safetensors"])
def test_wrong_facts_and_arrays_raise_only_bad_input(tmp_path, name):
    whole = load_artifact(str(SHIPPED / name))
    path = tmp_path / name
    for number in range(150):
        rng = random.Random(number)
        facts, arrays = whole.facts, dict(whole.arrays)
        if number % 2:
            facts = mutate.value_of(facts, rng)
        else:
            which = rng.choice(list(arrays))
            arrays[which] = changed_array(arrays[which], rng)
        try:
            save_artifact(path, arrays, json.loads(json.dumps(facts)))
        except (ValueError, UnicodeError):
            continue  # not writable, such as a number of 5,000 digits or a lone surrogate
        try:
            read(path)
        except BadInput as problem:
            assert str(problem)
        else:
            assert not any(np.isnan(array).any() for array in arrays.values()), "arrays with NaN are refused"


def test_wrong_facts_and_columns_of_case_bases_raise_only_bad_input(tmp_path):
    columns, facts = read_parquet(SHIPPED / "cbr-baseline-truco.parquet")
    columns = {name: column[:50] for name, column in columns.items()}
    path = tmp_path / "changed.parquet"
    for number in range(50):
        rng = random.Random(number)
        story, table = facts, dict(columns)
        if number % 2:
            story = mutate.value_of(facts, rng)
        else:
            which = rng.choice(list(table))
            table[which] = changed_array(table[which], rng)
        try:
            write_parquet(path, table, json.loads(json.dumps(story)))
        except Exception:
            continue  # not writable, such as columns of several lengths or numbers of 5,000 digits
        try:
            load_base(str(path), TRUCO)
        except BadInput as problem:
            assert str(problem)


def changed_array(array, rng):
    """Return the array with another type, another shape or other values."""
    match rng.randrange(6):
        case 0:
            return array.astype(rng.choice([np.float64, np.int8, np.uint8, np.bool_]))
        case 1:
            return array.ravel()[: rng.randrange(array.size)]
        case 2:
            return np.stack([array, array])
        case 3:
            return np.full(array.shape, np.nan) if array.dtype.kind == "f" else array[::-1]
        case 4:
            return np.zeros((), array.dtype)
        case _:
            changed = array.copy().ravel()
            changed[rng.randrange(changed.size)] = rng.choice([0, 1, 50, 100])
            return changed.reshape(array.shape)
