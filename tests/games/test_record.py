"""Records: strict when read, canonical when written."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bolicho
from bolicho import BadInput
from bolicho.games.record import read_records, replay, write_record

SETUP = {"mao": 1, "hands": [["1e", "7o", "12p"], ["7c", "2e", "4e"]], "scores": [3, 23]}
RECORD = {"game": "truco", "rules": {"hands": 1}, "setup": SETUP, "players": ["a", "b"], "actions": ["2e", "1e"]}


def test_record_that_was_read_is_written_as_the_same_bytes():
    line = write_record(RECORD)
    assert write_record(replay(json.loads(line)).record()) == line


def test_the_default_rules_are_not_written():
    assert "rules" not in bolicho.game("truco", target=24).deal(1).record()
    assert bolicho.game("truco", target=12).deal(1).record()["rules"] == {"target": 12}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"game": None}, "names its game"),
        ({"seed": 3}, "either a seed or a setup"),
        ({"setup": None}, "a setup is a JSON object"),
        ({"rules": []}, "rules of a record"),
        ({"rules": {"hand": 1}}, "did you mean 'hands'"),
        ({"actions": "2e"}, "list of texts"),
        ({"actions": [3]}, "list of texts"),
        ({"actions": ["2e", "2e"]}, "ply 1: seat 0 tried '2e'"),
        ({"players": ["a"]}, "2 seats here, and the record names 1"),
        ({"players": [1, 2]}, "list of names"),
        ({"note": "x"}, "unknown key of a record 'note'"),
        ({"setup": {**SETUP, "hands": [["1e", "7o"], ["7e", "2e", "4e"]]}}, "three cards"),
        ({"setup": {**SETUP, "hands": [["1e", "7o", "12p"], ["1e", "2e", "4e"]]}}, "dealt twice"),
        ({"setup": {**SETUP, "hands": [["1e", "7o", "8p"], ["7e", "2e", "4e"]]}}, "'8p', which is not a card"),
        ({"setup": {**SETUP, "scores": [24, 0]}}, "possible are 0 to 23"),
        ({"setup": {**SETUP, "mao": 2}}, "seat 0 or 1"),
        ({"setup": {**SETUP, "mão": 0}}, "unknown key of a truco setup"),
    ],
)
def test_a_malformed_record_is_refused_with_its_reason(change, sentence):
    with pytest.raises(BadInput, match=sentence):
        replay({**RECORD, **change})


def test_file_holds_one_record_or_one_per_line(tmp_path):
    one, many = tmp_path / "one.json", tmp_path / "many.jsonl"
    one.write_text(json.dumps(RECORD, indent=2))
    many.write_text("\n".join([write_record(RECORD)] * 3) + "\n\n")
    assert list(read_records(one)) == [RECORD]
    assert list(read_records(many)) == [RECORD] * 3


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is empty"),
        ("{", "not JSON at line 1"),
        ('{"game": "truco", "game": "truco"}', "appears twice"),
        ("[]", "a record is a JSON object"),
        ('{"game": "truco", "seed": 1}\n{"game"', "line 2: not JSON"),
    ],
)
def test_a_broken_file_is_refused_with_its_place(tmp_path, text, sentence):
    file = tmp_path / "broken.json"
    file.write_text(text)
    with pytest.raises(BadInput, match=sentence):
        list(read_records(file))


@given(st.binary(max_size=60))
def test_no_file_crashes_the_reader(tmp_path_factory, data):
    file = tmp_path_factory.mktemp("fuzz") / "any.json"
    file.write_bytes(data)
    with suppress(BadInput):
        for record in read_records(file):
            replay(record)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["truco", "1e", "quero"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["mao", "hands", "target"]), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["game", "rules", "seed", "setup", "players", "actions"]), json_values))
def test_no_record_crashes_the_replay(record):
    with suppress(BadInput):
        replay({"game": "truco", **record})
