"""The 78 cards and 14 boards of the first edition, as readable tables and as arrays.

The tables describe effects in a few words: `2 wood` is production, `wood/clay` one of the two each
turn, `1 point + 1 coin per brown own` a point at the end and an immediate coin for each brown card in
one's own city (`next`: in the two neighbouring ones).  The second column lists numbers of players: a
card has one copy for each of them that does not exceed the number of players in the game.
"""

import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from bolicho.games.wonders.rules import MAX_PLAYERS

RESOURCES = ("wood", "stone", "ore", "clay", "glass", "papyrus", "cloth")
"""Four raw materials, then three manufactured goods."""

NUM_RAW, NUM_GOODS = 4, 3
COLOURS = ("brown", "grey", "blue", "yellow", "red", "green", "purple")
BROWN, GREY, BLUE, YELLOW, RED, GREEN, PURPLE = range(7)
COUNTED = (*COLOURS, "stage", "defeat")
"""Objects that effects "per ..." count: cards of a colour, wonder stages, defeat tokens."""

SYMBOLS = ("compass", "gear", "tablet")
POWERS = ("", "free build", "revive", "seventh card", "copy guild", "wild symbol")
NO_POWER, FREE_BUILD, REVIVE_POWER, SEVENTH_CARD, COPY_GUILD, WILD_SYMBOL = range(6)
"""Powers of stages other than points, coins, shields, production or trade."""

# name | one copy from players | cost | gives | free with
_CARDS = """
-- brown, age 1
Lumber Yard         | 3 4   |                   | wood
Stone Pit           | 3 5   |                   | stone
Clay Pool           | 3 5   |                   | clay
Ore Vein            | 3 4   |                   | ore
Tree Farm           | 6     | 1 coin            | wood/clay
Excavation          | 4     | 1 coin            | stone/clay
Clay Pit            | 3     | 1 coin            | clay/ore
Timber Yard         | 3     | 1 coin            | stone/wood
Forest Cave         | 5     | 1 coin            | wood/ore
Mine                | 6     | 1 coin            | ore/stone
-- brown, age 2
Sawmill             | 3 4   | 1 coin            | 2 wood
Quarry              | 3 4   | 1 coin            | 2 stone
Brickyard           | 3 4   | 1 coin            | 2 clay
Foundry             | 3 4   | 1 coin            | 2 ore
-- grey, age 1
Loom                | 3 6   |                   | cloth
Glassworks          | 3 6   |                   | glass
Press               | 3 6   |                   | papyrus
-- grey, age 2
Loom                | 3 5   |                   | cloth
Glassworks          | 3 5   |                   | glass
Press               | 3 5   |                   | papyrus
-- blue, age 1
Altar               | 3 5   |                   | 2 points
Theater             | 3 6   |                   | 2 points
Pawnshop            | 4 7   |                   | 3 points
Baths               | 3 7   | stone             | 3 points
-- blue, age 2
Temple              | 3 6   | wood, clay, glass | 3 points            | Altar
Courthouse          | 3 5   | 2 clay, cloth     | 4 points            | Scriptorium
Statue              | 3 7   | wood, 2 ore       | 4 points            | Theater
Aqueduct            | 3 7   | 3 stone           | 5 points            | Baths
-- blue, age 3
Gardens             | 3 4   | wood, 2 clay      | 5 points            | Statue
Town Hall           | 3 5 6 | 2 stone, ore, glass | 6 points
Senate              | 3 5   | 2 wood, stone, ore | 6 points            | Library
Pantheon            | 3 6   | ore, 2 clay, glass, papyrus, cloth | 7 points            | Temple
Palace              | 3 7   | wood, stone, ore, clay, glass, papyrus, cloth | 8 points
-- yellow, age 1
Tavern              | 4 5 7 |                   | 5 coins
East Trading Post   | 3 7   |                   | raw trade right
West Trading Post   | 3 7   |                   | raw trade left
Marketplace         | 3 6   |                   | goods trade
-- yellow, age 2
Forum               | 3 6 7 | 2 clay            | glass/cloth/papyrus | East Trading Post, West Trading Post
Caravansery         | 3 5 6 | 2 wood            | wood/stone/ore/clay | Marketplace
Vineyard            | 3 6   |                   | 1 coin per brown own and next
Bazar               | 4 7   |                   | 2 coins per grey own and next
-- yellow, age 3
Haven               | 3 4   | wood, ore, cloth  | 1 point + 1 coin per brown own | Forum
Lighthouse          | 3 6   | stone, glass      | 1 point + 1 coin per yellow own | Caravansery
Chamber of Commerce | 4 6   | 2 clay, papyrus   | 2 points + 2 coins per grey own
Arena               | 3 5 7 | 2 stone, ore      | 1 point + 3 coins per stage own | Dispensary
-- red, age 1
Stockade            | 3 7   | wood              | 1 shield
Barracks            | 3 5   | ore               | 1 shield
Guard Tower         | 3 4   | clay              | 1 shield
-- red, age 2
Walls               | 3 7   | 3 stone           | 2 shields
Training Ground     | 4 6 7 | wood, 2 ore       | 2 shields
Stables             | 3 5   | wood, ore, clay   | 2 shields           | Apothecary
Archery Range       | 3 6   | 2 wood, ore       | 2 shields           | Workshop
-- red, age 3
Fortifications      | 3 7   | stone, 3 ore      | 3 shields           | Walls
Circus              | 4 5 6 | 3 stone, ore      | 3 shields           | Training Ground
Arsenal             | 3 4 7 | 2 wood, ore, cloth | 3 shields
Siege Workshop      | 3 5   | wood, 3 clay      | 3 shields           | Laboratory
-- green, age 1
Apothecary          | 3 5   | cloth             | compass
Workshop            | 3 7   | glass             | gear
Scriptorium         | 3 4   | papyrus           | tablet
-- green, age 2
Dispensary          | 3 4   | 2 ore, glass      | compass             | Apothecary
Laboratory          | 3 5   | 2 clay, papyrus   | gear                | Workshop
Library             | 3 6   | 2 stone, cloth    | tablet              | Scriptorium
School              | 3 7   | wood, papyrus     | tablet
-- green, age 3
Lodge               | 3 6   | 2 clay, papyrus, cloth | compass             | Dispensary
Observatory         | 3 7   | 2 ore, glass, cloth | gear                | Laboratory
University          | 3 4   | 2 wood, glass, papyrus | tablet              | Library
Academy             | 3 7   | 3 stone, glass    | compass             | School
Study               | 3 5   | wood, papyrus, cloth | gear                | School
-- purple, age 3
Workers Guild       |       | wood, stone, 2 ore, clay | 1 point per brown next
Craftsmens Guild    |       | 2 stone, 2 ore    | 2 points per grey next
Traders Guild       |       | glass, papyrus, cloth | 1 point per yellow next
Philosophers Guild  |       | 3 clay, papyrus, cloth | 1 point per green next
Spies Guild         |       | 3 clay, glass     | 1 point per red next
Magistrates Guild   |       | 3 wood, stone, cloth | 1 point per blue next
Shipowners Guild    |       | 3 wood, glass, papyrus | 1 point per brown, grey, purple own
Strategists Guild   |       | stone, 2 ore, cloth | 1 point per defeat next
Scientists Guild    |       | 2 wood, 2 ore, papyrus | wild symbol
Builders Guild      |       | 2 stone, 2 clay, glass | 1 point per stage own and next
"""

# cost of a stage | gives
_BOARDS = """
-- Gizah A, stone
2 stone               | 3 points
3 wood                | 5 points
4 stone               | 7 points
-- Babylon A, clay
2 clay                | 3 points
3 wood                | wild symbol
4 clay                | 7 points
-- Olympia A, wood
2 wood                | 3 points
2 stone               | free build
2 ore                 | 7 points
-- Rhodos A, ore
2 wood                | 3 points
3 clay                | 2 shields
4 ore                 | 7 points
-- Ephesos A, papyrus
2 stone               | 3 points
2 wood                | 9 coins
2 papyrus             | 7 points
-- Alexandria A, glass
2 stone               | 3 points
2 ore                 | clay/ore/wood/stone
2 glass               | 7 points
-- Halikarnassos A, cloth
2 clay                | 3 points
3 ore                 | revive
2 cloth               | 7 points
-- Gizah B, stone
2 wood                | 3 points
3 stone               | 5 points
3 clay                | 5 points
4 stone, papyrus      | 7 points
-- Babylon B, clay
cloth, clay           | 3 points
glass, 2 wood         | seventh card
3 clay, papyrus       | wild symbol
-- Olympia B, wood
2 wood                | raw trade both
2 stone               | 5 points
2 ore, cloth          | copy guild
-- Rhodos B, ore
3 stone               | 1 shield + 3 points + 3 coins
4 ore                 | 1 shield + 4 points + 4 coins
-- Ephesos B, papyrus
2 stone               | 2 points + 4 coins
2 wood                | 3 points + 4 coins
glass, cloth, papyrus | 5 points + 4 coins
-- Alexandria B, glass
2 clay                | clay/ore/wood/stone
2 wood                | glass/cloth/papyrus
3 stone               | 7 points
-- Halikarnassos B, cloth
2 ore                 | 2 points + revive
3 clay                | 1 point + revive
glass, cloth, papyrus | revive
"""

# --- Reading the tables -------------------------------------------------------------------------


def _sections(table: str) -> list[tuple[str, list[str]]]:
    """Return the rows of a table with their headings (`-- brown, age 1`)."""
    rows, heading = [], ""
    for line in table.strip().splitlines():
        if line.startswith("-- "):
            heading = line[3:]
        else:
            rows.append((heading, [*(cell.strip() for cell in line.split("|")), "", "", "", ""][:5]))
    return rows


_ROWS = [(heading.split(", age "), cells) for heading, cells in _sections(_CARDS)]
_STAGES = [(heading.split(", "), cells) for heading, cells in _sections(_BOARDS)]

CARDS = tuple(cells[0] for _, cells in _ROWS)
"""Names of the cards, by number; Loom, Glassworks and Press occur in two ages."""

NUM_CARDS = len(CARDS)
BOARDS = tuple(dict.fromkeys(heading[0] for heading, _ in _STAGES))
"""Names of the boards, by number: seven A sides, then seven B sides in the same order."""

NUM_BOARDS, NUM_WONDERS, MAX_STAGES = len(BOARDS), len(BOARDS) // 2, 4
WONDERS = tuple(board[:-2] for board in BOARDS[:NUM_WONDERS])

_NUM_COSTS = NUM_CARDS + NUM_BOARDS * MAX_STAGES
COSTS, GIVES = [""] * _NUM_COSTS, [""] * _NUM_COSTS
"""Costs and effects of cards and stages, as in the tables above; `stage_cost` gives the numbers of stages."""

AGE = np.array([int(heading[1]) - 1 for heading, _ in _ROWS], np.int8)
COLOUR = np.array([COLOURS.index(heading[0]) for heading, _ in _ROWS], np.int8)
NAME = np.array([CARDS.index(name) for name in CARDS], np.int8)
"""The first card of the same name; cities store their structures by name."""

CHAIN = np.full((NUM_CARDS, 2), -1, np.int8)  # structures that make the card free
FREED_BY = np.zeros((NUM_CARDS, 2), np.int64)  # the same as bits (see `built` in layout.py)
COPIES = np.zeros((MAX_PLAYERS + 1, NUM_CARDS), np.int8)  # copies by number of players; guilds excluded
GUILDS = tuple(card for card in range(NUM_CARDS) if COLOUR[card] == PURPLE)
FIRST_GUILD, NUM_GUILDS = GUILDS[0], len(GUILDS)
SCIENTISTS = CARDS.index("Scientists Guild")

COIN_COST = np.zeros(_NUM_COSTS, np.int8)
RAW_COST = np.zeros((_NUM_COSTS, 1 << NUM_RAW), np.int8)  # required units of the raw materials in each subset
RAW_WANTED = np.zeros(_NUM_COSTS, np.int8)  # the subset of all required raw materials
GOODS_COST = np.zeros((_NUM_COSTS, NUM_GOODS), np.int8)

# Effects of cards and stages; stages have the same numbers as in the cost tables.
POINTS = np.zeros(_NUM_COSTS, np.int8)
COINS = np.zeros(_NUM_COSTS, np.int8)
SHIELDS = np.zeros(_NUM_COSTS, np.int8)
SYMBOL = np.full(_NUM_COSTS, -1, np.int8)
MAKES_RAW = np.zeros((_NUM_COSTS, 1 << NUM_RAW), np.int8)  # units that can be of a kind in each subset
MAKES_GOODS = np.zeros((_NUM_COSTS, NUM_GOODS), np.int8)
WILD_RAW = np.zeros(_NUM_COSTS, np.int8)  # any one raw material a turn, not for sale
WILD_GOODS = np.zeros(_NUM_COSTS, np.int8)
TRADE = np.zeros((_NUM_COSTS, 3), np.int8)  # discounts: raw from the left, raw from the right, goods
POWER = np.zeros(_NUM_COSTS, np.int8)
PER = np.zeros((_NUM_COSTS, len(COUNTED)), np.int8)  # counted objects
PER_POINTS = np.zeros(_NUM_COSTS, np.int8)  # points for each, at the end
PER_COINS = np.zeros(_NUM_COSTS, np.int8)  # coins for each, immediately
PER_OWN = np.zeros(_NUM_COSTS, np.int8)  # 1: counted in one's own city
PER_NEXT = np.zeros(_NUM_COSTS, np.int8)  # 1: counted in the neighbouring cities

NUM_STAGES = np.zeros(NUM_BOARDS, np.int8)
START = np.array([RESOURCES.index(dict(heading for heading, _ in _STAGES)[board]) for board in BOARDS], np.int8)

_TRADES = {"left": (1, 0, 0), "right": (0, 1, 0), "both": (1, 1, 0)}
_SUBSETS = range(1 << NUM_RAW)


def stage_cost(board: int, stage: int) -> int:
    """Return the number of a stage in the tables: after the cards, four for each board."""
    return NUM_CARDS + board * MAX_STAGES + stage


def _bits(cards: Iterable[int]) -> NDArray[np.int64]:
    """Return a set of cards as two words of bits."""
    words = np.zeros(2, np.uint64)
    for card in cards:
        words[card >> 6] |= np.uint64(1 << (card & 63))
    return words.view(np.int64)


def _read_cost(number: int, text: str) -> None:
    """Parse a cost such as `1 coin` or `2 clay, papyrus`."""
    for part in filter(None, text.split(", ")):
        amount, what = part.split(" ") if " " in part else ("1", part)
        if what == "coin":
            COIN_COST[number] = int(amount)
        elif (resource := RESOURCES.index(what)) < NUM_RAW:
            RAW_WANTED[number] |= 1 << resource
            for subset in _SUBSETS:
                RAW_COST[number, subset] += int(amount) * (subset >> resource & 1)
        else:
            GOODS_COST[number, resource - NUM_RAW] = int(amount)


def _read_gift(number: int, text: str) -> None:
    """Parse one part of an effect; text without a keyword is production."""
    amount, what = (int(text[0]), text[2:]) if text[0].isdigit() else (1, text)
    match what.rstrip("s") if what not in RESOURCES else what:
        case "point":
            POINTS[number] = amount
        case "coin":
            COINS[number] = amount
        case "shield":
            SHIELDS[number] = amount
        case "raw trade left" | "raw trade right" | "raw trade both":
            TRADE[number] = _TRADES[what.split()[-1]]
        case "goods trade":
            TRADE[number] = (0, 0, 1)
        case symbol if symbol in SYMBOLS or what == "compass":
            SYMBOL[number] = SYMBOLS.index(what)
        case power if power in POWERS:
            POWER[number] = POWERS.index(power)
        case _:
            _read_production(number, amount, [RESOURCES.index(kind) for kind in what.split("/")])


def _read_production(number: int, amount: int, kinds: list[int]) -> None:
    """Store production; "any raw material" and "any good" have their own tables, since they are never for sale."""
    if len(kinds) == NUM_RAW:
        WILD_RAW[number] = amount
    elif len(kinds) == NUM_GOODS:
        WILD_GOODS[number] = amount
    elif kinds[0] >= NUM_RAW:
        MAKES_GOODS[number, kinds[0] - NUM_RAW] = amount
    else:
        for subset in _SUBSETS:
            MAKES_RAW[number, subset] = amount * any(subset >> kind & 1 for kind in kinds)


def _read_gives(number: int, text: str) -> None:
    """Parse an effect: parts joined by `+`, or an amount `per` counted object."""
    amounts, per, counted = text.partition(" per ")
    if not per:
        for part in text.split(" + "):
            _read_gift(number, part)
        return
    PER_OWN[number], PER_NEXT[number] = "own" in counted.split(), "next" in counted.split()
    for what in re.findall("|".join(COUNTED), counted):
        PER[number, COUNTED.index(what)] = 1
    for part in amounts.split(" + "):
        (PER_POINTS if "point" in part else PER_COINS)[number] = int(part[0])


for _card, (_heading, (_name, _copies, _cost, _gives, _free_with)) in enumerate(_ROWS):
    _read_cost(_card, _cost)
    _read_gives(_card, _gives)
    COSTS[_card], GIVES[_card] = _cost, _gives
    for _i, _earlier in enumerate(filter(None, _free_with.split(", "))):
        CHAIN[_card, _i] = CARDS.index(_earlier)
        FREED_BY[_card] |= _bits([CARDS.index(_earlier)])
    for _players in _copies.split():
        COPIES[int(_players) :, _card] += 1
for (_board, _start), _cells in _STAGES:
    _cost, _gives = _cells[:2]
    _b = BOARDS.index(_board)
    _number = stage_cost(_b, int(NUM_STAGES[_b]))
    NUM_STAGES[_b] += 1
    _read_cost(_number, _cost)
    _read_gives(_number, _gives)
    COSTS[_number], GIVES[_number] = _cost, _gives
WORTH_POINTS = np.array(
    [_bits(card for card in range(NUM_CARDS) if COLOUR[card] == colour and POINTS[card] + PER_POINTS[card])
     for colour in range(len(COLOURS))]
)  # fmt: skip
"""The cards of each colour that give points, as bits."""

for _table in (AGE, COLOUR, NAME, CHAIN, FREED_BY, COPIES, COIN_COST, RAW_COST, RAW_WANTED, GOODS_COST):
    _table.flags.writeable = False
