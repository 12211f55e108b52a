"""Interface between a game and the case-based cycle: generic functions, overloaded for the game's records.

The cycle (retrieve, reuse, revise, retain) asks *questions* about a position, finds decisions in similar cases, and
converts the reused *item* ("call", "the high card") into an action. A game with case-based players overloads the stubs
below with `games.kernel.implements` for its state record and its case record, and describes its cases in a `Domain`.
See `agents.cbr.truco`.

A turn is a list of questions, asked in order until an answer is an action: in Truco "envido?", then "truco?", then
"which card?".
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cbr.casebase import Schema
from bolicho.i18n import Message, plain

MAX_NUMERIC = 10
MAX_EQUAL = 8
MAX_ITEMS = 10
MAX_GROUPS = 12
MAX_FEATURES = 8
"""Capacities of the records below; `MAX_GROUPS` is also the largest number of clusters tried."""

QUERY = np.dtype(
    [
        ("decision", "i1"),  # number of the decision in the domain
        ("numeric", "i1", (MAX_NUMERIC,)),  # attributes compared by interval
        ("equal", "i1", (MAX_EQUAL,)),  # attributes compared by equality
        ("allowed", "u2"),  # legal items, as bits
    ],
    align=True,
)
"""Information available when a question is asked."""

INSTANCE = np.dtype(
    [
        ("decision", "i1"),
        ("item", "i1"),  # chosen item
        ("halves", "i1"),  # result: 2 won, 1 neither, 0 lost
        ("points", "i2"),  # balance of points
        ("spared", "i2"),  # certain loss of refusing instead, where one could refuse
        ("numeric", "i1", (MAX_NUMERIC,)),
        ("equal", "i1", (MAX_EQUAL,)),
    ],
    align=True,
)
"""Decision in a case: the information, the choice and the result."""

SKIP, END = -1, -2
"""Results of `question` where there is nothing to ask, and after the last stage."""

GO_ON = -1
"""Result of `answer` where the item is no action and the next question follows."""


def question(s, seat, stage, query, case):  # type: ignore[no-untyped-def]
    """Write the question of a stage into `query` and the hand so far into `case`.

    Returns the decision, `SKIP` when there is nothing to decide, or `END` after the last stage.
    """


def answer(s, seat, case, decision, item):  # type: ignore[no-untyped-def]
    """Return the action of an item here, or `GO_ON`; `case` is the one that `question` wrote."""


def fallback(s, seat, case, decision):  # type: ignore[no-untyped-def]
    """Return the item to use when no case provides an answer."""


def revise(s, seat, case, decision, item, switches, allowed):  # type: ignore[no-untyped-def]
    """Return (item, predicate): a replacement for a move that an active predicate names, or (item, -1).

    `case` is the hand so far, `switches` the active predicates and `allowed` the legal items, as bits.
    """


def call_of(s, seat, case, decision, query):  # type: ignore[no-untyped-def]
    """Return the question that the other player answered with the call that `decision` answers: (decision, item) or -1.

    Writes that question into `query`; attributes that only the other player knows (`Domain.hidden`) may have any value.
    The item is the answer to a bluff, or -1 where the own hand is too weak for it. By default there are no calls.
    """


def suicidal(case, out, switches):  # type: ignore[no-untyped-def]
    """Return (predicate, kinds): the first active predicate that names a move of the case's own player, or -1.

    `kinds` are the kinds of decision with such a move, as bits; the domain defines the kinds, and `features` and
    `instances` omit those in a case's `unfit`. `out` is a work array for the instances of the case.
    """


def record_case(s, seat, case, out):  # type: ignore[no-untyped-def]
    """Record the effects of the last `deal` or `apply`, as `seat` saw them, in the current `case`.

    Writes every case that this finished into `out` (at most two) and returns their number. Only for games whose cases
    are observed.
    """


def instances(case, out):  # type: ignore[no-untyped-def]
    """Write the decisions in a case into `out` (INSTANCE records) and return their number."""


def features(case, clustering, out):  # type: ignore[no-untyped-def]
    """Write the features of a case for one clustering into `out`; return the number of columns, or 0 if it has none."""


# --- Python part of a domain --------------------------------------------------------------------


@dataclass(frozen=True)
class Decision:
    """Question about a position: the information, and the possible answers."""

    name: str
    numeric: tuple[str, ...]  # attributes compared by interval
    equal: tuple[str, ...]  # attributes compared by equality
    items: tuple[str, ...]  # answers by number; "" for an unused number
    scenario: int  # clustering that groups its cases; -1: none
    partition: int  # clustering of the published two-step retrieval
    passive: int = -1  # item that risks nothing; -1: every item is a risk
    points: bool = False  # True if an item results in points, besides victory

    @property
    def attributes(self) -> tuple[str, ...]:
        """All attributes of the query, numeric ones first."""
        return self.numeric + self.equal


@dataclass(frozen=True)
class Feature:
    """Feature column of a clustering, and the meaning of its values."""

    name: str
    values: tuple[tuple[int, str], ...] = ()  # empty: a plain number


@dataclass(frozen=True)
class Domain:
    """Description of a game's cases for the cycle; the compiled part are the stubs above."""

    game: str
    schema: Schema
    scale: int  # range of the interval similarity
    decisions: tuple[Decision, ...]
    clusterings: tuple[str, ...]  # scenarios first, then the partitions
    features: tuple[tuple[Feature, ...], ...]  # by clustering
    predicates: tuple[tuple[str, str, bool], ...]  # name, description of the move, whether it is published
    max_instances: int  # maximum number of decisions in a case
    say_value: Callable[[str, int], str]  # an attribute's value as text
    said: Callable[[str], Message] = plain  # any of these texts, in every language
    apart: frozenset[str] = frozenset()  # rules that do not affect cases
    minimum: int = 5  # number of cases at which a question's threshold stops falling
    policy: str = "nps"  # reuse policy that plays best from the shipped base
    together: int = 1  # matches of self-play between two updates of the base
    hidden: frozenset[str] = frozenset()  # attributes known only to the player of a case
    bluffs: Callable[[int, NDArray[np.void]], NDArray[np.int8]] | None = None
    """Of a decision and its instances: 1 where a bluff was called, 0 where another call was made, -1 for no call."""
    tried: bool = False  # a case is a turn, and what comes of it is tried out (`turns`); otherwise it is watched
    observed: tuple[str, ...] = ()  # agents that training observes first: the first judges, and alone plays on
