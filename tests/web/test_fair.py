"""Fair deals: what `bolicho verify` finds, and what it does not let pass."""

import copy
import hashlib
import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bolicho.errors import BadInput
from bolicho.games.record import replay
from bolicho.store.database import MatchRow, SeatRow
from bolicho.web import fair
from bolicho.web.match import Match

GAMES = {"truco": {"target": 12}, "dominoes": {}, "wonders": {}}


def finished(game, seed=3):
    """A match that was played to its end, and the records seats took on the way: (whole, [records])."""
    rng = random.Random(seed)
    row = MatchRow("abc", game, GAMES[game], {"open_end": True}, rng.randbytes(32), 1.0)
    seats = 3 if game == "wonders" else 2
    sitting = [SeatRow(seat, f"P{seat}", token=b"x", nonce=rng.randbytes(16)) for seat in range(seats - 1)]
    match = Match(row, [*sitting, SeatRow(seats - 1, "random", agent="random")])
    match.dealt(2.0)
    kept = []
    while not match.table.over:
        if match.ply in (1, 8, 20):
            kept += [match.seat_record(who) for who in (0, seats - 1, None)]
        match.play(rng.choice(match.table.view().legal), 3.0)
    match.ended(4.0, None)
    kept += [match.seat_record(who) for who in (0, 1, None)]
    return tuple(json.loads(json.dumps(facts)) for facts in (match.whole_record(), kept))


@pytest.fixture(scope="module", params=GAMES)
def records(request):
    return finished(request.param)


def check(whole, *parts):
    return fair.check_record(whole) + [fair.check_shown(whole, part) for part in parts]


def changed(record, *path):
    """A copy, with something else at that place."""
    other = copy.deepcopy(record)
    *way, last = path[:-1]
    at = other
    for step in way:
        at = at[step]
    at[last] = path[-1]
    return other


def test_a_fair_match_passes_with_all_that_was_kept_on_the_way(records):
    whole, kept = records
    lines = check(whole, *kept)
    assert len(lines) == 3 + len(whole["shown"]) + len(kept)


def test_the_seed_is_made_as_the_page_makes_it():
    secret, nonces = bytes(range(32)), [bytes(range(16)), None]
    data = b"bolicho deal\x00" + secret + b"\x01" + nonces[0] + b"\x01"
    assert fair.deal_seed(secret, nonces) == int.from_bytes(hashlib.sha256(data).digest()[:8], "big")
    assert fair.commitment(secret) == hashlib.sha256(secret).hexdigest()


def test_another_secret_is_found(records):
    whole, kept = records
    other = "00" + whole["fair"]["secret"][2:]
    with pytest.raises(BadInput, match="not the one promised"):
        check(changed(whole, "fair", "secret", other))
    again = changed(whole, "fair", "secret", other)
    again["fair"]["commit"] = fair.commitment(bytes.fromhex(other))
    with pytest.raises(BadInput, match="not made of secret and nonces"):
        check(again)
    again["seed"] = fair.deal_seed(bytes.fromhex(other), [n and bytes.fromhex(n) for n in whole["fair"]["nonces"]])
    with pytest.raises(BadInput):  # other cards: actions, cards or the promise that was kept
        check(again, *kept)


def test_another_nonce_is_found(records):
    whole, kept = records
    with pytest.raises(BadInput, match="not made of secret and nonces"):
        check(changed(whole, "fair", "nonces", 0, "11" * 16))
    with pytest.raises(BadInput, match="nonces that was shown then"):
        check(whole, changed(kept[0], "nonces", 0, "11" * 16))
    with pytest.raises(BadInput, match="commit that was shown then"):
        check(whole, changed(kept[0], "commit", "00" * 32))
    first, second = whole["fair"]["nonces"][0], "11" * 16
    for nonces in ([first + second], [first[:-2], "00" + second], [None, first], "ab", 7, [7], ["zz"]):
        with pytest.raises(BadInput):
            check(changed(whole, "fair", "nonces", nonces))


def test_every_change_of_an_action_is_found(records):
    whole, kept = records
    mine = [part for part in kept if part["over"] and part["seat"] is not None]
    rng = random.Random(1)
    for ply in sorted(rng.sample(range(len(whole["actions"])), min(20, len(whole["actions"])))):
        table = replay(
            {**{k: whole[k] for k in ("game", "rules", "seed") if k in whole}, "actions": whole["actions"][:ply]}
        )
        others = [str(action) for action in table.view().legal if str(action) != whole["actions"][ply]]
        for other in others[:3]:
            with pytest.raises(BadInput):
                check(changed(whole, "actions", ply, other), *mine)


def test_actions_that_are_missing_or_added_are_found(records):
    whole, _ = records
    with pytest.raises(BadInput, match="not over"):
        check({**whole, "actions": whole["actions"][:-1]})
    with pytest.raises(BadInput, match="the game is over"):
        check({**whole, "actions": [*whole["actions"], whole["actions"][-1]]})


def test_every_card_that_was_changed_is_found(records):
    whole, kept = records
    for seat, moments in whole["shown"].items():
        for number, (_, cards) in list(enumerate(moments))[::5]:
            if cards:
                with pytest.raises(BadInput, match=f"seat {seat} was shown"):
                    check(changed(whole, "shown", seat, number, 1, 0, "another"))
        with pytest.raises(BadInput, match="changed"):
            check(changed(whole, "shown", seat, moments[:-1]))
        with pytest.raises(BadInput, match="changed"):
            check(changed(whole, "shown", seat, [*moments, [9999, []]]))
    part = next(part for part in kept if part["seat"] == 0)
    with pytest.raises(BadInput, match="seat 0 was shown"):
        check(whole, changed(part, "shown", 0, 1, 0, "another"))
    with pytest.raises(BadInput, match="was told"):
        check(whole, changed(part, "log", 0, {"event": "another"}))


def test_another_result_is_found(records):
    whole, _ = records
    with pytest.raises(BadInput, match="scores"):
        check(changed(whole, "result", "scores", 0, 999))
    with pytest.raises(BadInput, match="result"):
        check({**whole, "result": None})


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)
PLACES = [("fair",), ("fair", "commit"), ("fair", "secret"), ("fair", "nonces"), ("seed",), ("shown",), ("shown", "0")]
PLACES += [("actions",), ("rules",), ("result",), ("game",), ("players",)]
WHOLE, KEPT = finished("truco", 4)


@settings(max_examples=50)
@given(st.sampled_from(PLACES), VALUES)
def test_nonsense_is_bad_input(path, value):
    other = changed(WHOLE, *path, value)
    try:
        check(other)
    except BadInput:
        return
    assert other == WHOLE or (path == ("players",) and value is None)


@settings(max_examples=50)
@given(st.sampled_from(["seat", "log", "shown", "commit", "nonces"]), VALUES)
def test_nonsense_from_a_seat_is_bad_input(name, value):
    part = changed(KEPT[0], name, value)
    try:
        check(WHOLE, part)
    except BadInput:
        return
    assert value in ([], None) or part == KEPT[0]  # nothing told is nothing wrong
