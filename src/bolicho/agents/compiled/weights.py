"""Table of card weights of the rule-based agent of Pereira 2021.

The strategy is military and civil structures. A weight depends on the state: the first condition of a row that holds
decides, otherwise the number without condition. Conditions compare

- numbers of cards of a colour in one's city: `raw` (brown), `goods` (grey), `civil` (blue), `commercial` (yellow),
  `military` (red), `science` (green), `guilds` (purple); `structures`: cards of all colours; `stages` of the wonder;
  `coins`;
- `lead`: shields more than those of the stronger neighbour;
- `worth`: the points the card would score if the game ended now;
- `wonder`: the number of the wonder in WONDERS (by its name in the table).

Pereira gives the rows marked `*` (tables 3.1 and 3.11), except for the number after a condition where his tables have
none (Lumber Yard 2, Statue 2, Chamber of Commerce 1); the other rows follow the same strategy.
"""

import re

import numpy as np

from bolicho.games.wonders.cards import CARDS, NUM_CARDS, WONDERS
from bolicho.i18n import Fact, Message, Several

_WEIGHTS = """
-- Raw materials: enough to build with, no more.
*Lumber Yard: 4 if raw < 2, 2
Stone Pit: 5 if wonder = Gizah, 4 if raw < 2, 2
Clay Pool: 5 if wonder = Babylon, 4 if raw < 2, 2
Ore Vein: 5 if wonder = Rhodos, 4 if raw < 2, 2
Clay Pit, Timber Yard, Tree Farm, Excavation, Forest Cave, Mine: 4 if raw < 3, 2
Sawmill, Quarry, Brickyard, Foundry: 4 if raw < 4, 2

-- Manufactured goods: the military strategy has little use for them.
*Press: 1
Loom, Glassworks: 2 if goods < 1, 1

-- Civil structures, by their points.
Altar, Theater: 2
Pawnshop, Baths: 3
*Temple: 3 if civil < 2, 1
*Statue: 3 if structures < 2, 2
Courthouse: 3
Aqueduct: 4
Gardens, Town Hall, Senate: 4
*Pantheon, Palace: 5

-- Commercial structures.
Tavern: 2
East Trading Post, West Trading Post: 2 if raw < 2, 1
Marketplace: 2
Forum: 3 if goods < 1, 1
Caravansery: 4 if raw < 4, 2
Vineyard, Bazar: 2
Haven: 3 if raw > 3, 1
*Lighthouse: 3 if commercial >= 4, 1
*Chamber of Commerce: 3 if goods > 2, 1
Arena: 3 if stages > 1, 1

-- Military structures: the first at once, more whenever they come.
*Barracks, Guard Tower: 5 if military < 1, 4
Stockade: 5 if military < 1, 4
Walls, Training Ground, Stables, Archery Range: 5 if lead < 1, 4
Fortifications, Circus, Arsenal, Siege Workshop: 5 if lead < 1, 3

-- Science: for other strategies.
Apothecary, Workshop, Scriptorium: 1
Dispensary, Laboratory, Library, School: 1
Lodge, Observatory, University, Academy, Study: 2 if science > 3, 1

-- Guilds, by what they score now.
Workers Guild, Craftsmens Guild, Traders Guild, Philosophers Guild, Spies Guild: 5 if worth > 6, 4 if worth > 4, 2
Magistrates Guild, Shipowners Guild, Strategists Guild, Builders Guild: 5 if worth > 6, 4 if worth > 4, 2
Scientists Guild: 5 if worth > 6, 1
"""

MEASURES = (
    "raw", "goods", "civil", "commercial", "military", "science", "guilds",
    "structures", "stages", "coins", "lead", "worth", "wonder",
)  # fmt: skip
"""Quantities of conditions; the first seven are counts of colours, in the order of the cards."""

COMPARISONS = ("<", "<=", "=", ">=", ">")
ALWAYS = -1
MAX_CONDITIONS = 4

RULES = np.zeros((NUM_CARDS, MAX_CONDITIONS, 4), np.int8)
"""Conditions of each card in order: (measure or ALWAYS, comparison, number, weight)."""

WORDS: dict[str, str] = {}
"""Row of each card as written, for explanations ..."""

SAID: dict[str, Several] = {}
"""... and as translatable facts."""

_CONDITION = re.compile(r"(\d)(?: if (\w+) (<=|>=|<|>|=) (\w+))?")


def _say(part: str) -> Fact:
    """Return a part of a row: a weight, or a weight under a condition."""
    match = _CONDITION.fullmatch(part)
    assert match, part
    weight, measure, comparison, number = match.groups()
    if measure is None:
        return int(weight)
    named = Message(f"agents.rules.measure.{measure}")
    return Message("agents.rules.if", weight=int(weight), measure=named, comparison=comparison, number=number)


def _read_row(names: str, row: str) -> None:
    """Read one row of the table into RULES, WORDS and SAID."""
    for name in names.removeprefix("*").split(", "):
        WORDS[name] = row
        SAID[name] = Several(tuple(map(_say, row.split(", "))), ",")
        for card in (card for card in range(NUM_CARDS) if CARDS[card] == name):
            for i, part in enumerate(row.split(", ")):
                match = _CONDITION.fullmatch(part)
                assert match, part
                weight, measure, comparison, number = match.groups()
                if measure is None:
                    RULES[card, i] = (ALWAYS, 0, 0, int(weight))
                else:
                    bound = WONDERS.index(number) if number in WONDERS else int(number)
                    RULES[card, i] = (MEASURES.index(measure), COMPARISONS.index(comparison), bound, int(weight))


for _line in _WEIGHTS.splitlines():
    if _line and not _line.startswith("--"):
        _read_row(*_line.split(": ", 1))
