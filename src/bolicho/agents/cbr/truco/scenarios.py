"""Truco's decisions and clusterings, as data."""

from itertools import chain

from bolicho.agents.cbr.domain import Decision, Domain, Feature
from bolicho.agents.cbr.truco.bluffs import truco_bluffs
from bolicho.agents.cbr.truco.check import SCHEMA
from bolicho.agents.cbr.truco.compiled.predicates import PREDICATES
from bolicho.agents.cbr.truco.schema import (
    CARDS_LED,
    CATEGORY_NAMES,
    CODE_NAMES,
    CODE_RANGE,
    DECISIONS,
    ENVIDO_SPOKEN,
    INDEX_CARDS,
    INDEX_POINTS,
    PLAYED_NAMES,
    SCENARIOS,
    TRUCO_LED,
    WHO_NAMES,
)
from bolicho.games.truco.rules import LENGTH
from bolicho.i18n import Message, Several, catalogue, plain

_ROUNDS = ("first", "second", "third")
_SIDES = ("leads", "follows")
_CARDS = ("high", "mid", "low")
_CALLERS = ("who called truco", "who called retruco", "who called vale quatro")
_ENVIDO = ("envido points", "mão", "who called envido", "who called real envido", "who called falta envido")
_FLOR = ("flor points", "mão", "who called contra flor", "who called contra flor e resto")
_CARD_ITEMS = ("high card", "middle card", "low card", "card face down", "to the deck")


def _known(r: int, mine: bool = False, theirs: bool = False) -> tuple[str, ...]:
    """Return the cards known in round r (from 0): those received, those played, and this round's."""
    before = [name for i in range(r) for name in (f"own card {i + 1}", f"other's card {i + 1}")]
    now = [f"own card {r + 1}"] * mine + [f"other's card {r + 1}"] * theirs
    return (*_CARDS, *before, *now)


def _rounds(r: int) -> tuple[str, ...]:
    return ("mão", *(f"winner of round {i + 1}" for i in range(r)))


def _decisions() -> tuple[Decision, ...]:
    """Return all decisions, in the order of the compiled numbers."""
    cards = [
        Decision(
            f"{_ROUNDS[r]} card, {side}",
            _known(r, theirs=f == 1),
            _rounds(r),
            _CARD_ITEMS,
            CARDS_LED + 2 * r + f,
            INDEX_CARDS,
        )
        for r in range(3)
        for f, side in enumerate(_SIDES)
    ]
    envido_open = [
        Decision(f"envido, {side}", (), _ENVIDO, ("no call", "", "envido", "real envido", "falta envido"),
                 ENVIDO_SPOKEN + f, INDEX_POINTS, 0, True)
        for f, side in enumerate(_SIDES)
    ]  # fmt: skip
    envido_answer = [
        Decision(f"answer to {call}, {side}", (), _ENVIDO,
                 ("refuse", "accept", "envido", "real envido", "falta envido"),
                 ENVIDO_SPOKEN + f, INDEX_POINTS, 0, True)
        for call in ("envido", "real envido", "falta envido")
        for f, side in enumerate(_SIDES)
    ]  # fmt: skip
    truco_open = [
        Decision(f"truco in round {r + 1}, {side}", _known(r, theirs=f == 1), (*_rounds(r), *_CALLERS),
                 ("no call", "call"), TRUCO_LED + 2 * r + f, INDEX_CARDS, 0, True)
        for r in range(3)
        for f, side in enumerate(_SIDES)
    ]  # fmt: skip
    truco_answer = [
        Decision(f"answer to a truco in round {r + 1}, {side}, {table}",
                 _known(r, mine=seen and f == 0, theirs=seen and f == 1), (*_rounds(r), *_CALLERS),
                 ("refuse", "accept", "raise"), TRUCO_LED + 2 * r + f, INDEX_CARDS, 0, True)
        for r in range(3)
        for f, side in enumerate(_SIDES)
        for seen, table in ((False, "no card on the table"), (True, "a card on the table"))
    ]  # fmt: skip
    flor_open = [
        Decision("answer to a flor", (), _FLOR, ("no raise", "", "contra flor", "contra flor e resto"),
                 -1, INDEX_POINTS, 0, True),
    ]  # fmt: skip
    flor_answer = [
        Decision("answer to a contra flor", (), _FLOR, ("refuse", "accept", "", "contra flor e resto"),
                 -1, INDEX_POINTS, 0, True),
    ]  # fmt: skip
    kinds = cards, envido_open, envido_answer, truco_open, truco_answer, flor_open, flor_answer
    assert tuple(map(len, kinds)) == tuple(DECISIONS.values()), "compiled code numbers decisions by kind"
    return tuple(chain(*kinds))


_CATEGORY = tuple(CATEGORY_NAMES.items())
_PLAYED = tuple(PLAYED_NAMES.items())
_OTHERS = (*_CATEGORY, *(pair for pair in _PLAYED if pair[0] < 0))
_WHO = tuple(WHO_NAMES.items())


def _features() -> tuple[tuple[Feature, ...], ...]:
    """Return the features of each clustering (Paulus 2020, appendix B, table 1)."""
    received = tuple(Feature(f"{name} card", _CATEGORY) for name in _CARDS)
    own, other = Feature("plays", _PLAYED), Feature("the other's card", _OTHERS)
    envido = (*(Feature(name, _WHO) for name in _ENVIDO[2:]), Feature("envido points"))
    truco = (*(Feature(name, _WHO) for name in _CALLERS), *received)
    return (
        (*received, own), (*received, other, own),
        (own,), (other, own), (own,), (other, own),
        envido, envido,
        *((truco,) * 6),
        received, (Feature("envido points"),),
    )  # fmt: skip


_PLAYERS = {0: "nobody", 1: "itself", 2: "the other", 3: "tied"}


def say_value(attribute: str, value: int) -> str:
    """Return an attribute's value as text, from the view of the case's player."""
    if attribute in _CARDS or "card" in attribute:
        return CODE_NAMES.get(value, str(value))
    return str(value) if "points" in attribute else _PLAYERS[value]


def said(name: str) -> Message:
    """Return the translation of a question, an attribute, its value, an item or a predicate.

    Cards and numbers are unchanged.
    """
    parts = [_part(part) for part in name.split(", ")]
    return parts[0] if len(parts) == 1 else Message("agents.list", what=Several(tuple(parts), ","))


def _part(name: str) -> Message:
    key = f"agents.cbr.truco.{name.replace(' ', '_').replace('ã', 'a').replace(chr(39), '')}"
    return Message(key) if key in catalogue("en").templates else plain(name)


TRUCO = Domain(
    game="truco",
    schema=SCHEMA,
    scale=CODE_RANGE,
    decisions=_decisions(),
    clusterings=SCENARIOS,
    features=_features(),
    predicates=PREDICATES,
    max_instances=14,
    say_value=say_value,
    said=said,
    apart=frozenset(LENGTH),
    hidden=frozenset(_CARDS),
    bluffs=truco_bluffs,
)
