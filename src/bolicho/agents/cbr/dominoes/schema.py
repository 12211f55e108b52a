"""Schema of a turn of draw dominoes and of all fives as a case: its attributes, and the items of a play."""

from bolicho.agents.cbr.turns import PERCENT, Attribute

ITEMS = (
    "the best balance of points",
    "the heaviest double",
    "the heaviest tile",
    "what most own tiles fit",
    "what the other can answer least",
    "a bit of everything",
    "the most points",
)
"""Items of a play; the first and the last exist only in fives."""

BALANCE, DOUBLE, HEAVY, FITTING, BLOCKING, EVEN, SCORING = range(len(ITEMS))

_TILES = (Attribute("own tiles", "own tiles", 3), Attribute("other's tiles", "the other's tiles", 3))
_REPLY = "points that the other may be expected to score after that"

DRAW_ATTRIBUTES = (
    *_TILES,
    Attribute("boneyard", "tiles in the boneyard"),
    Attribute("pips of the heaviest", "pips of the heaviest tile that fits", 2),
    Attribute("pips of a bit of everything", "pips of the tile that is a bit of everything", 2),
    Attribute("own fits after the heaviest", "own tiles that fit after the heaviest", 3),
    Attribute("own fits at most", "own tiles that fit after the play that leaves most", 3),
    Attribute(
        "answers to the heaviest",
        "share of what the other may hold that fits after the heaviest",
        PERCENT,
        percent=True,
    ),
    Attribute("answers at least", "the same after the play that it can answer least", PERCENT, percent=True),
    Attribute("pips of the double", "pips of the heaviest double that fits (0 without one)", 2),
)
FIVES_ATTRIBUTES = (
    *_TILES,
    Attribute("most points", "the most points that a play scores"),
    Attribute("reply to the most points", _REPLY),
    Attribute("points of the balance", "points of the play with the best balance"),
    Attribute("reply to the balance", _REPLY),
    Attribute("pips of the heaviest", "pips of the heaviest tile that fits"),
    Attribute("pips of the balance", "pips of the tile with the best balance"),
    Attribute("own fits at most", "own tiles that fit after the play that leaves most", 2),
    Attribute(
        "answers at least", "share of what the other may hold that fits after the play that it can answer least",
        PERCENT / 2, percent=True,
    ),
)  # fmt: skip
