"""`check_game`: a validator for every game.

`check_game(game)` plays many random games and checks every promise of `games.kernel`.  It
raises `BrokenPromise` with the record of the fault, so that it can be replayed.
"""

import json
from collections import Counter
from dataclasses import dataclass, field
from math import erfc
from typing import Any

import numpy as np

from bolicho.errors import BadInput, IllegalAction
from bolicho.games.compiled import calls
from bolicho.games.game import Game, Table, View
from bolicho.games.kind import Pool, copy_pool
from bolicho.games.record import replay, write_record
from bolicho.i18n import LANGUAGES, catalogue

MAX_PLIES = 100_000
"""Plies after which a game without `Kind.longest` counts as endless."""

SUSPICION = 1e-7
"""Probability under uniformity below which redeals count as biased: a false alarm in about 10,000 runs."""

PROBED = 0.2
"""Share of positions at which redeals are sampled and views are written as JSON."""


class BrokenPromise(AssertionError):
    """Violation of the contract by a game; the message names the promise and contains a record."""


@dataclass
class Report:
    """Numbers of checks that `check_game` made."""

    games: int = 0
    plies: int = 0
    refused: int = 0
    redeals: int = 0
    uniform: int = 0
    probed: int = 0
    certain: int = 0  # probed positions whose only redeal is the real state
    payoffs: list[tuple[float, ...]] = field(default_factory=list)


# --- The check ----------------------------------------------------------------------------------


def check_game(game: Game, games: int = 200, seed: int = 0, samples: int = 4000) -> Report:
    """Play `games` random games of `game` and check every promise of the contract.

    Legal actions are legal; others are refused and change nothing.  Games end.  Payoffs are finite, within
    bounds, and sum to zero if declared.  A record replays to the same bytes.  A view, its features, its data
    and its legal actions do not depend on hidden information, and the public view does not depend on what any
    seat may not know.  Every language has a message for every event and legal action.  `redeal` keeps the
    view and is uniform (by a chi-square test where `samples` draws have enough power).  A state that can be
    rewound is the same when replayed.  A game declares `perfect_information` if and only if it
    hides nothing but the seed.
    """
    rng = np.random.default_rng(seed)
    report = Report()
    _check_names(game)
    longest = None if game.kind.longest is None else game.kind.longest(game.rules)
    _check_ends(game.deal(seed * 1_000_003 + 1), rng, longest)
    for number in range(games):
        table = game.deal(seed * 1_000_003 + number + 1)
        while not table.over:
            _check_position(table, rng, report)
            if rng.random() < PROBED:
                _check_data(table, rng)
                _check_words(table)
                _check_uniform(table, rng, report, samples)
                _check_rewind(table, rng)
            _play_any(table, rng)
            report.plies += 1
            _check_length(table, longest)
        _check_end(table, report)
        report.games += 1
    _check_hidden(table, report)
    return report


def _check_ends(table: Table, rng: np.random.Generator, longest: int | None) -> None:
    """Check that a random game ends; other checks come later, since they take hours on an endless game."""
    while not table.over and table.legal:
        _play_any(table, rng)
        _check_length(table, longest)


def _play_any(table: Table, rng: np.random.Generator) -> None:
    table.play(table.legal[int(rng.random() * len(table.legal))])


def _check_length(table: Table, longest: int | None) -> None:
    """Check the number of plies against `Kind.longest`, or `MAX_PLIES` if there is none."""
    if longest is not None:
        _demand(table.ply <= longest, f"a game has more than the {longest} plies that `longest` allows", table)
    _demand(table.ply < MAX_PLIES, f"a game is not over after {MAX_PLIES:,} plies", table)


def _check_hidden(table: Table, report: Report) -> None:
    """Check that a game hides something, so that redeals differ, unless it declares perfect information."""
    if table.game.kind.perfect_information:
        return
    nothing = "no seat was ever in doubt of anything; if nothing is to be hidden, say so by perfect_information=True"
    _demand(report.certain < report.probed, nothing, table)
    _demand(report.uniform > 0, "no position had few enough redeals to test that they are uniform", table)


def _demand(true: bool, promise: str, table: Table) -> None:
    if not true:
        raise BrokenPromise(f"{table.game!r}: {promise}; record: {write_record(table.record())}")


def _numbers(pool: Pool, game: Game) -> list[int]:
    out = np.full(game.num_actions, -1, np.int16)
    numbers: list[int] = out[: calls.legal(pool, out)].tolist()
    return numbers


def _check_position(table: Table, rng: np.random.Generator, report: Report) -> None:
    game = table.game
    turn = table.turn
    _demand(turn is not None and 0 <= turn < game.seats, f"turn {turn} is no seat", table)
    assert turn is not None
    numbers = _numbers(table.pool, game)
    _demand(len(numbers) > 0, "the seat to act has no legal action", table)
    _demand(sorted(set(numbers)) == numbers, f"legal actions are not ascending: {numbers}", table)
    _demand(numbers[0] >= 0 and numbers[-1] < game.num_actions, "an action is outside the space", table)
    _check_texts(table)
    _check_refusal(table, set(numbers), rng, report)
    for seat in range(game.seats):
        _check_hiding(table, seat, rng, report)


def _check_texts(table: Table) -> None:
    """Check that the text of each legal action reads back as that action, and that texts are distinct."""
    legal = table.legal
    _demand(len(set(legal)) == len(legal), f"two legal actions share a text: {legal}", table)
    for action in legal:
        read = table.game.kind.read_action(table.state, str(action))
        _demand(read == action.number, f"{action!r} reads back as action {read}", table)


def _check_refusal(table: Table, legal: set[int], rng: np.random.Generator, report: Report) -> None:
    """Check that illegal actions are refused and change nothing."""
    tried = int(rng.integers(-2, table.game.num_actions + 2))
    if tried in legal:
        return
    before = table.pool.tobytes()
    try:
        table.play(tried)
    except IllegalAction:
        report.refused += 1
    else:
        _demand(False, f"the illegal action {tried} was accepted", table)
    _demand(table.pool.tobytes() == before, f"refusing action {tried} changed the state", table)


def _check_hiding(table: Table, seat: int, rng: np.random.Generator, report: Report) -> None:
    """Check that a redeal differs only in hidden information."""
    game = table.game
    hidden = copy_pool(table.pool)
    calls.hide(hidden, seat)
    _demand(int(hidden["seed"][0]) == 0, f"the view of seat {seat} holds the seed", table)
    again = copy_pool(hidden)
    calls.hide(again, seat)
    _demand(again.tobytes() == hidden.tobytes(), f"hiding twice for seat {seat} is not hiding once", table)
    other = copy_pool(hidden)
    calls.redeal(other, seat, np.uint64(rng.integers(2**63)))
    seen = copy_pool(other)
    calls.hide(seen, seat)
    _same(hidden, seen, table, f"hide(redeal(hide(s, {seat}))) is not hide(s, {seat})")
    public = _public(table.pool, game)
    _demand(int(public["seed"][0]) == 0, "the public view holds the seed", table)
    for known in (hidden, other):
        _same(public, _public(known, game), table, f"the public view does not follow from the view of seat {seat}")
    _demand(
        _features_of(table.pool, game, seat) == _features_of(other, game, seat) == _features_of(hidden, game, seat),
        f"the features of seat {seat} depend on information hidden from it",
        table,
    )
    if table.turn == seat:
        legal = _numbers(table.pool, game)
        _demand(
            legal == _numbers(hidden, game) == _numbers(other, game),
            f"what is legal for seat {seat} depends on information hidden from it",
            table,
        )
    report.redeals += 1


def _check_rewind(table: Table, rng: np.random.Generator) -> None:
    """Check that the deal of a redeal, played again by a seat's log, leads back to that redeal."""
    game = table.game
    for seat in range(game.seats):
        view = table.view(seat)
        world = view.redeal(int(rng.integers(2**63))).pool
        played, rows = copy_pool(world), view.rows.copy()
        choices = calls.again(played, rows, np.zeros(game.num_actions, np.int16))
        _demand(choices != calls.IMPOSSIBLE, f"what seat {seat} saw cannot be played in a redeal", table)
        if choices == 0:  # then the last event may be the end of a hand
            played["events"], played["num_events"] = world["events"], world["num_events"]
        if choices >= 0:
            _same(world, played, table, f"a redeal for seat {seat} taken back and played again is another state")


def _public(pool: Pool, game: Game) -> Pool:
    """Return the public view of a position, as a record."""
    public = copy_pool(pool)
    calls.hide_from_all(public, game.seats)
    return public


def _check_data(table: Table, rng: np.random.Generator) -> None:
    """Check that views are plain JSON, independent of hidden information, and that a redeal has the view's log."""
    game = table.game
    for seat in range(game.seats):
        view = table.view(seat)
        other = view.redeal(int(rng.integers(2**63))).view(seat)
        seen = game.make_view(game, seat, other.pool, other.numbers, view.rows.tobytes(), view.ply)
        _demand(
            _json(view, table) == _json(seen, table),
            f"the data of seat {seat} depend on information hidden from it",
            table,
        )
    _json(table.public_view(), table)


def _check_words(table: Table) -> None:
    """Check that every language has messages for the last events and distinct names for the legal actions."""
    kind, state = table.game.kind, table.state
    seats = [str(seat) for seat in range(table.game.seats)]
    said = [kind.said(kind.entry(row)) for row in state["events"][: state["num_events"]]]
    for language in LANGUAGES:
        say = catalogue(language).say
        try:
            names = [say(kind.name_action(state, action), seats) for action in table.legal]
            sentences = [say(each, seats) for each in said]
        except BadInput as problem:
            _demand(False, str(problem), table)
        _demand(all((*names, *sentences)), f"something is said in no words in {language!r}", table)
        _demand(len(set(names)) == len(names), f"two legal actions share a name in {language!r}: {names}", table)


def _json(view: View, table: Table) -> str:
    try:
        return json.dumps(view.data(), allow_nan=False)
    except (TypeError, ValueError) as problem:
        _demand(False, f"the data of a view are no JSON: {problem}", table)
        raise


def _same(a: Pool, b: Pool, table: Table, promise: str) -> None:
    """Check that two records have equal bytes, padding included; report the fields that differ."""
    if a.tobytes() != b.tobytes():
        names = a.dtype.names or ()
        fields = [name for name in names if not np.array_equal(a[name], b[name])] or ["padding"]
        _demand(False, f"{promise}; they differ in {', '.join(fields)}", table)


def _check_names(game: Game) -> None:
    """Check that the names of features are distinct."""
    twice = [name for name, count in Counter(game.feature_names).items() if count > 1]
    if twice:
        raise BrokenPromise(f"{game!r}: two features are called {twice[0]!r}")


def _features_of(pool: Pool, game: Game, seat: int) -> bytes:
    out = np.zeros(game.num_features, np.float32)
    count = calls.features(pool, seat, out)
    if count != game.num_features or not (np.abs(out) <= 1).all():
        raise BrokenPromise(f"{game!r}: features must be {game.num_features} numbers in [-1, 1], got {count}: {out}")
    return out.tobytes()


def _check_uniform(table: Table, rng: np.random.Generator, report: Report, samples: int) -> None:
    """Check that `samples` redeals reach each state equally often, where the states are few enough.

    The real state must be among them, since it is consistent with its own view.
    """
    seat = int(rng.integers(table.game.seats))
    hidden = copy_pool(table.pool)
    calls.hide(hidden, seat)
    seed = int(rng.integers(2**62))
    few = _sample(hidden, seat, seed, samples // 10)
    report.probed += 1
    report.certain += len(few) == 1
    claimed = len(few) == 1 or not table.game.kind.perfect_information
    _demand(claimed, f"it is said to be a game of perfect information, and seat {seat} is in doubt", table)
    if len(few) * 2 > samples // 10:
        return
    counts = _sample(hidden, seat, seed, samples)
    if len(counts) * 10 > samples:
        return
    real = copy_pool(table.pool)
    real["seed"] = 0
    _demand(real.tobytes() in counts, f"redeal for seat {seat} never gives the real state", table)
    chance = chi_square_tail(np.array(list(counts.values())), samples / len(counts))
    _demand(
        chance > SUSPICION, f"redeal for seat {seat} is not uniform over {len(counts)} states (p = {chance:.1g})", table
    )
    report.uniform += len(counts) > 1


def _sample(hidden: Pool, seat: int, seed: int, samples: int) -> Counter[bytes]:
    """Count how often each full state occurs in so many redeals."""
    worlds = np.zeros(samples, hidden.dtype)
    calls.redeals(hidden, seat, np.uint64(seed), worlds)
    return Counter(world.tobytes() for world in worlds)


def chi_square_tail(counts: np.ndarray[Any, Any], expected: float | np.ndarray[Any, Any]) -> float:
    """Return the tail probability of the counts (chi-square, by Wilson and Hilferty's approximation).

    >>> round(chi_square_tail(np.array([60, 40]), 50), 2)
    0.04
    """
    freedom = len(counts) - 1
    if freedom == 0:
        return 1.0
    statistic = float((((counts - expected) ** 2) / expected).sum())
    spread = 2 / (9 * freedom)
    z = ((statistic / freedom) ** (1 / 3) - (1 - spread)) / spread**0.5
    return 0.5 * erfc(z / 2**0.5)


def _check_end(table: Table, report: Report) -> None:
    game = table.game
    payoffs = table.payoffs
    _demand(bool(np.isfinite(payoffs).all()), f"payoffs are not finite: {payoffs}", table)
    if game.kind.bounds is not None:
        low, high = game.kind.bounds(game.rules)
        _demand(all(low <= got <= high for got in payoffs), f"payoffs are not {low} to {high}: {payoffs}", table)
    if game.kind.zero_sum:
        _demand(abs(sum(payoffs)) < 1e-9, f"payoffs do not sum to zero: {payoffs}", table)
    _demand(_numbers(table.pool, game) == [], "there are legal actions after the end", table)
    record = table.record()
    written = write_record(record)
    again = replay(json.loads(written), game)
    _same(table.pool, again.pool, table, "replaying the record gives another state")
    _demand(write_record(again.record()) == written, "replaying the record gives another record", table)
    for seat in range(game.seats):
        hidden = copy_pool(table.pool)
        calls.hide(hidden, seat)
        _demand(int(hidden["seed"][0]) == 0, f"the last view of seat {seat} holds the seed", table)
        _demand(bool(str(table.view(seat))), "the view has no text", table)
    report.payoffs.append(tuple(payoffs))
