"""What the inputs of a net mean, in words."""

from functools import lru_cache

from bolicho.agents.neural.wonders import CARD_BLOCKS, COUNTS, IN_PLAY, KNOWN
from bolicho.games.game import Game
from bolicho.games.wonders.cards import AGE, BOARDS, CARDS, COLOURS, POWERS, RESOURCES, SYMBOLS
from bolicho.games.wonders.rules import HAND, NUM_AGES

_AGES = [f"age {age + 1}" for age in range(NUM_AGES)]
_MOMENT = [
    "next stage", "stage payable", "price of the stage", "points of the stage", "shields of the stage",
    "coins of the stage", *(f"stage: {power}" for power in POWERS[1:]), "free building", "revival",
    "any raw material", "any good", "cheap on the left", "cheap on the right", "cheap goods", "cards sold",
    *_AGES, *(f"turn {turn + 1}" for turn in range(HAND)),
]  # fmt: skip
_CITY = [
    *(f"{colour} cards" for colour in COLOURS), *(f"{symbol}s" for symbol in SYMBOLS), "wild symbols",
    *RESOURCES, "coins", "shields", "stages", "war points", "points", "shields fewer than mine",
]  # fmt: skip


def _ages(which: int) -> list[str]:
    held = [CARDS[card] for card in IN_PLAY if AGE[card] == which]
    return [*held, *(f"{kind} structures" for kind in COUNTS), "wonder", "stages", "shields", "coins"]


def _table() -> list[str]:
    counts = [f"{kind} structures" for kind in ("civil", "military", "commercial", "guild")]
    rest = ["shields", "coins", "wonder", "stages", "age", "cards sold"]
    return [*(CARDS[card] for card in KNOWN), *counts, *RESOURCES, *(f"{s}s" for s in SYMBOLS), *rest]


def _cities() -> list[str]:
    cards = [f"{CARDS[card]} {block}" for block in CARD_BLOCKS for card in KNOWN]
    cities = [f"{whose} {what}" for whose in ("own", "left", "right") for what in [*_CITY, *BOARDS]]
    return [*cards, *_MOMENT, *cities]


@lru_cache
def input_names(game: Game, coding: str, which: int) -> tuple[str, ...]:
    """A name for each input of a net."""
    if coding == "features":
        return game.feature_names
    return tuple({"ages": lambda: _ages(which), "table": _table, "cities": _cities}[coding]())
