"""What a game tells the case-based cycle: a few generic functions, overloaded for its records.

The cycle (retrieve, reuse, revise, retain) asks *questions* of a position, finds what was done in
like cases and turns the *item* that is reused ("call", "the high card") back into an action.  A game
that wants case-based players overloads the stubs below with `games.kernel.implements` for its state
record and its case record, and describes its cases in a `Domain`.  See `agents.cbr.truco`.

A turn is a list of questions, taken in order until an answer is an action: in Truco "envido?", then
"truco?", then "which card?".
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cbr.casebase import Schema
from bolicho.words import Said, plain

MAX_NUMERIC = 10
MAX_EQUAL = 8
MAX_ITEMS = 10
MAX_GROUPS = 12
MAX_FEATURES = 8
"""Room in the records below; `MAX_GROUPS` is also the largest number of clusters tried."""

QUERY = np.dtype(
    [
        ("decision", "i1"),  # which of the domain's decisions
        ("numeric", "i1", (MAX_NUMERIC,)),  # attributes compared by interval
        ("equal", "i1", (MAX_EQUAL,)),  # attributes compared by equality
        ("allowed", "u2"),  # the items that are legal here, as bits
    ],
    align=True,
)
"""What is known when a question is asked."""

INSTANCE = np.dtype(
    [
        ("decision", "i1"),
        ("item", "i1"),  # what was done
        ("halves", "i1"),  # how it ended: 2 won, 1 neither, 0 lost
        ("points", "i2"),  # the balance of points it brought
        ("spared", "i2"),  # the certain loss of refusing instead, where one could refuse
        ("numeric", "i1", (MAX_NUMERIC,)),
        ("equal", "i1", (MAX_EQUAL,)),
    ],
    align=True,
)
"""One decision that a case holds: what was known then, what was done, and what came of it."""

SKIP, END = -1, -2
"""What `question` returns when it has nothing to ask, and after the last stage."""

GO_ON = -1
"""What `answer` returns when the item is no action and the next question is to be asked."""


def question(s, seat, stage, query, case):  # type: ignore[no-untyped-def]
    """Write the question of that stage into `query` and the hand so far into `case`.

    Returns the decision, `SKIP` when there is nothing to decide, or `END` after the last stage.
    """


def answer(s, seat, case, decision, item):  # type: ignore[no-untyped-def]
    """The action that an item means here, or `GO_ON`; `case` is what `question` wrote of the moment."""


def fallback(s, seat, case, decision):  # type: ignore[no-untyped-def]
    """The item to use when no case can answer."""


def revise(s, seat, case, decision, item, switches, allowed):  # type: ignore[no-untyped-def]
    """(item, predicate): what to do instead of a move that a switched-on predicate names, or (item, -1).

    `case` is the hand so far, `switches` the predicates that count and `allowed` the legal items, as bits.
    """


def call_of(s, seat, case, decision, query):  # type: ignore[no-untyped-def]
    """(decision, item): the question that the other player answered with the call which `decision` answers, or -1.

    Writes that question into `query`; attributes that only the other knows (`Domain.hidden`) may hold anything.  The
    item is what answers a bluff, or -1 where the own hand is too weak for that.  By default there are no calls.
    """


def suicidal(case, out, switches):  # type: ignore[no-untyped-def]
    """(predicate, kinds): the first switched-on predicate that names a move of the case's own player, or -1.

    `kinds` are the kinds of decision with such a move, as bits; which kinds there are is the domain's, and `features`
    and `instances` leave out those that a case has in its `unfit`.  `out` is room for the instances of the case.
    """


def watch(s, seat, case, out):  # type: ignore[no-untyped-def]
    """Take note of what the last `deal` or `apply` did, as `seat` saw it, in the `case` under way.

    Writes every case that this finished into `out` (at most two) and returns how many.  Only for games whose cases are
    watched.
    """


def instances(case, out):  # type: ignore[no-untyped-def]
    """Write the decisions that a case holds into `out` (INSTANCE records) and return how many."""


def features(case, clustering, out):  # type: ignore[no-untyped-def]
    """Write what one clustering looks at into `out`; the number of columns, or 0 where the case is not of it."""


# --- The Python face of a domain ----------------------------------------------------------------


@dataclass(frozen=True)
class Decision:
    """A question that positions ask: what is known then, and what may be answered."""

    name: str
    numeric: tuple[str, ...]  # attributes compared by interval
    equal: tuple[str, ...]  # attributes compared by equality
    items: tuple[str, ...]  # what may be done, by number; "" where a number is not used
    scenario: int  # the clustering its cases are grouped by; -1: none
    partition: int  # the clustering that the published two-step retrieval goes by
    passive: int = -1  # the item that ventures nothing; -1: every item is a venture
    points: bool = False  # whether an item has points for a consequence, besides victory

    @property
    def attributes(self) -> tuple[str, ...]:
        """All attributes of the query, numeric ones first."""
        return self.numeric + self.equal


@dataclass(frozen=True)
class Feature:
    """A column that a clustering looks at, and what its values mean."""

    name: str
    values: tuple[tuple[int, str], ...] = ()  # empty: a number that speaks for itself


@dataclass(frozen=True)
class Domain:
    """A game's cases, as the cycle needs them; the compiled half are the stubs above."""

    game: str
    schema: Schema
    scale: int  # the range of the interval similarity
    decisions: tuple[Decision, ...]
    clusterings: tuple[str, ...]  # scenarios first, then the partitions
    features: tuple[tuple[Feature, ...], ...]  # by clustering
    predicates: tuple[tuple[str, str, bool], ...]  # name, what the move is, whether it is published
    max_instances: int  # decisions that one case may hold
    say_value: Callable[[str, int], str]  # an attribute's value in words
    said: Callable[[str], Said] = plain  # any word of the above, for people of whatever language
    apart: frozenset[str] = frozenset()  # the rules that change nothing of what cases tell
    minimum: int = 5  # how many cases a question wants before its threshold stops falling
    policy: str = "nps"  # the reuse policy that plays best from the base that ships
    together: int = 1  # matches of self-play with one base, before it is looked at again
    hidden: frozenset[str] = frozenset()  # attributes that only the player of a case knows
    bluffs: Callable[[int, NDArray[np.void]], NDArray[np.int8]] | None = None
    """Of a decision and its instances: 1 where a bluff was called, 0 where another call was made, -1 for no call."""
    tried: bool = False  # a case is a turn, and what comes of it is tried out (`turns`); otherwise it is watched
    observed: tuple[str, ...] = ()  # agents that training observes first: the first judges, and alone plays on
