"""Case-based agents: exact retrieval beside scikit-learn's BallTree and cbrkit, decisions, matches, learning."""

import itertools
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from statistics import mean, median

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cbr.agent import CaseBased, load_index
from bolicho.agents.cbr.compiled.search import STEP, retrieve_cases
from bolicho.agents.cbr.domain import INSTANCE, QUERY
from bolicho.agents.cbr.retain import CaseSelfPlay
from bolicho.agents.cbr.retrieve import build, make_scratch
from bolicho.agents.cbr.reuse import POLICIES, TEN_BEST
from bolicho.agents.cbr.truco import TRUCO
from bolicho.agents.cbr.truco.schema import CODE
from bolicho.agents.mirrored_games import meet
from bolicho.agents.player import NOTHING
from bolicho.bench import Figure, in_turns, ratio
from bolicho.bench.compiled.loops import play_bare, retrieve_all
from bolicho.bench.decisions import microseconds_a_decision
from bolicho.games import game

DECISION = 3  # second card, as the second to play; attributes: high, mid and low card, three played cards, mão, winner
THRESHOLD, MINIMUM = 980, 5
QUERIES = 1000
SIZES = {27_515: 15.0, 1_000_000: 150.0, 10_000_000: 1500.0}
"""Targets in microseconds per query, by number of cases."""

MATCHES = 4  # per policy, for the time of its decisions
DUPLICATES = 25
STAGE_ONE = 190 * DUPLICATES * 2  # matches of the first stage (Paulus 2020, section 5.2.1)
DEALS = 1000  # per call, each from both seats


def situations(count: int, seed: int) -> NDArray[np.void]:
    """Return random situations of `DECISION`: five different cards of the deck per row, a random mão."""
    rng = np.random.default_rng(seed)
    rows = np.zeros(count, INSTANCE)
    cards = np.empty((count, 5), np.int8)
    for start in range(0, count, 200_000):
        stop = min(count, start + 200_000)
        cards[start:stop] = np.argsort(rng.random((stop - start, 40), np.float32), axis=1)[:, :5]
    codes = CODE[cards]
    hand = np.sort(codes[:, :3], axis=1)[:, ::-1]
    own = hand[np.arange(count), rng.integers(3, size=count)]
    rows["decision"] = DECISION
    rows["numeric"][:, :3] = hand
    rows["numeric"][:, 3], rows["numeric"][:, 4:6] = own, codes[:, 3:]
    rows["equal"][:, 0] = rng.integers(1, 3, size=count)
    rows["equal"][:, 1] = np.where(own > codes[:, 3], 1, np.where(own < codes[:, 3], 2, 3))
    rows["item"], rows["halves"] = rng.choice([0, 2], size=count), rng.choice([0, 2], size=count)
    return rows


def queries(count: int, seed: int) -> NDArray[np.void]:
    """Return random situations as queries."""
    rows, found = situations(count, seed), np.zeros(count, QUERY)
    for name in ("decision", "numeric", "equal"):
        found[name] = rows[name]
    return found


def exact(rows: NDArray[np.void], asked: NDArray[np.void]) -> Callable[[], int]:
    """Exact retrieval with the falling threshold, all cases copied; counts queries."""
    index = build(TRUCO, np.zeros(len(rows), TRUCO.schema.dtype), rows, np.arange(len(rows)))
    scratch = make_scratch(index, TRUCO)
    cases, distances = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)

    def work() -> int:
        retrieve_all(index, DECISION, asked, THRESHOLD, MINIMUM, scratch, cases, distances)
        return len(asked)

    return work


def one_by_one(rows: NDArray[np.void], asked: NDArray[np.void]) -> Callable[[], int]:
    """Exact retrieval with one query per call from Python, as an agent does; counts queries."""
    index = build(TRUCO, np.zeros(len(rows), TRUCO.schema.dtype), rows, np.arange(len(rows)))
    scratch = make_scratch(index, TRUCO)
    cases, distances = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
    single = [asked[i : i + 1] for i in range(len(asked))]

    def work() -> int:
        for query in single:
            retrieve_cases(index, DECISION, query, 0, THRESHOLD, MINIMUM, scratch, cases, distances)
        return len(single)

    return work


def ball_tree(rows: NDArray[np.void], asked: NDArray[np.void], at_once: bool) -> Callable[[], int]:
    """scikit-learn's BallTree with the same falling threshold, all queries in one call or one per call; counts queries.

    A mismatch costs the whole range: an attribute compared by equality becomes one column per value, each
    half the range wide.
    """
    from sklearn.neighbors import BallTree

    tree = BallTree(_columns(rows), metric="manhattan")
    points = _columns(asked)
    batches = [points] if at_once else [points[i : i + 1] for i in range(len(points))]

    def work() -> int:
        for left in batches:
            threshold = THRESHOLD
            while len(left):
                found = tree.query_radius(left, TRUCO.scale * 8 * (1000 - threshold) // 1000)
                left = left[[len(cases) < MINIMUM for cases in found]]
                threshold -= STEP
        return len(points)

    return work


def _columns(rows: NDArray[np.void]) -> NDArray[np.float64]:
    equal = [rows["equal"][:, 0] == value for value in (1, 2)] + [rows["equal"][:, 1] == value for value in (1, 2, 3)]
    return np.column_stack([rows["numeric"][:, :6], *(column * TRUCO.scale / 2 for column in equal)]).astype(np.float64)


def cbrkit_query(rows: NDArray[np.void], asked: NDArray[np.void]) -> Callable[[], int]:
    """The general CBR library (cbrkit 0.14) at the first threshold only, one query per call; counts queries."""
    import cbrkit  # type: ignore[import-not-found]

    numbers, others = [f"card {j}" for j in range(6)], ["mão", "winner"]

    def described(row: np.void) -> dict[str, int]:
        return dict(zip([*numbers, *others], [*row["numeric"][:6].tolist(), *row["equal"][:2].tolist()], strict=True))

    alike = cbrkit.sim.attribute_value(
        attributes={
            **{name: cbrkit.sim.numbers.linear(max=TRUCO.scale) for name in numbers},
            **{name: cbrkit.sim.generic.equality() for name in others},
        },
        aggregator=cbrkit.sim.aggregator(pooling="mean"),
    )
    retriever = cbrkit.retrieval.build(alike, min_similarity=THRESHOLD / 1000)
    cases = {number: described(row) for number, row in enumerate(rows)}
    questions = itertools.cycle([described(row) for row in asked])

    def work() -> int:
        cbrkit.retrieval.apply(cases, next(questions), retriever)
        return 1

    return work


def decision_times(base: str = "learned") -> dict[str, float]:
    """Return the microseconds per decision, by policy."""
    return {policy: microseconds_a_decision("truco", f"{policy}(base={base})", range(MATCHES)) for policy in POLICIES}


def seconds_a_match(base: str = "baseline") -> float:
    """Return the processor time per match of the first stage: some of its pairs, on as many deals."""
    rng, pairs = np.random.default_rng(1), 8
    start = time.process_time()
    for seed in range(pairs):
        names = rng.choice(list(POLICIES), 2, replace=False)
        meet(game("truco"), [partial(CaseBased, name, base) for name in names], DUPLICATES, seed)
    return (time.process_time() - start) / (2 * DUPLICATES * pairs)


PAIR = ("pvcnps", "plcnps")  # two of the ten best; one chooses at random


def arena_matches() -> Callable[[], int]:
    """Matches of two agents with the learned base in `agents.loop`; counts matches."""
    seeds, makers = iter(range(10**9)), [partial(CaseBased, name) for name in PAIR]

    def work() -> int:
        return meet(game("truco"), makers, DEALS, next(seeds)).payoffs[..., 0].size

    return work


def bare_matches() -> Callable[[], int]:
    """Matches of the same players in a bare compiled loop (`play_bare`); counts matches."""
    truco, rng = game("truco"), np.random.default_rng(1)
    players = tuple(CaseBased(name).player(truco) for name in PAIR)
    pool = truco.deal(0).pool

    def work() -> int:
        seeds, luck = rng.integers(2**63, size=(2, 2 * DEALS), dtype=np.uint64)
        play_bare(players, np.zeros(1, NOTHING), pool, seeds, luck)
        return len(seeds)

    return work


def self_play_matches() -> Callable[[], int]:
    """Self-play with the learned base, observing the hands of one player; counts matches."""
    index = load_index("learned", TRUCO.game)
    table = CaseSelfPlay(index, TEN_BEST, 1)
    starts = iter(range(0, 10**9, 2 * DEALS))

    def work() -> int:
        first = next(starts)
        return len(table.play(index, range(first, first + 2 * DEALS)))

    return work


def bench() -> Iterator[Figure]:
    """Yield the figures of the case-based agents."""
    yield Figure("a case in memory", TRUCO.schema.dtype.itemsize, "bytes", 64, at_least=False)
    asked = queries(QUERIES, 2)
    for size, wanted in SIZES.items():
        rows = situations(size, 1)
        (rates,) = in_turns(exact(rows, asked), rounds=3)
        yield Figure(f"exact retrieval, {size:,} cases", 1e6 / median(rates), "µs", wanted, at_least=False)
    rows = situations(27_515, 1)
    ours, theirs = in_turns(one_by_one(rows, asked), ball_tree(rows, asked, at_once=False))
    yield Figure("one query a call from Python, 27,515 cases", 1e6 / median(ours), "µs")
    yield Figure("BallTree, one query a call", 1e6 / median(theirs), "µs")
    yield Figure("ratio to BallTree, one query a call", ratio(ours, theirs), "times", 20)
    ours, theirs = in_turns(exact(rows, asked), ball_tree(rows, asked, at_once=True))
    yield Figure("BallTree, all queries in one call", 1e6 / median(theirs), "µs")
    yield Figure("ratio to BallTree, all queries in one call", ratio(ours, theirs), "times")
    yield from beside_cbrkit(rows, asked)
    decision_times()
    times = decision_times()
    yield Figure("a decision, mean of twenty agents", mean(times.values()), "µs", 150, at_least=False)
    slowest = max(times, key=lambda name: times[name])
    yield Figure(f"a decision of the slowest agent ({slowest})", times[slowest], "µs", 150, at_least=False)
    seconds_a_match()
    minutes = STAGE_ONE * seconds_a_match() / 60 / 2
    yield Figure("stage 1 on two cores (from 400 matches)", minutes, "minutes", 10, at_least=False)
    ours, theirs = in_turns(arena_matches(), bare_matches(), clock=time.process_time)
    words = f"{PAIR[0]} and {PAIR[1]}"
    yield Figure(f"{words} in the arena", median(ours), "matches/CPU-s")
    yield Figure("the same in a bare loop", median(theirs), "matches/CPU-s")
    yield Figure("ratio to the bare loop", ratio(ours, theirs), "times", 0.8)
    rates = in_turns(self_play_matches(), rounds=3, clock=time.process_time)[0]
    yield Figure("self-play, hands observed", median(rates), "matches/CPU-s")


def beside_cbrkit(rows: NDArray[np.void], asked: NDArray[np.void]) -> Iterator[Figure]:
    """Yield the comparison with cbrkit, if it is installed."""
    if find_spec("cbrkit") is None:
        print("cbrkit is not installed and left out (pip install cbrkit==0.14.2)", file=sys.stderr)
        return
    ours, theirs = in_turns(exact(rows, asked), cbrkit_query(rows, asked), rounds=1)
    yield Figure("cbrkit, 27,515 cases", 1e6 / median(theirs), "µs")
    yield Figure("ratio to cbrkit", ratio(ours, theirs), "times")
