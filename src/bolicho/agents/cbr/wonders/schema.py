"""Schema of a turn of 7 Wonders as a case: its attributes, and the items of a turn."""

from bolicho.agents.cbr.turns import Attribute

ITEMS = (
    "raw material", "manufactured goods", "civil structure", "commerce", "military", "science", "guild",
    "stage", "sale",
)  # fmt: skip
"""Items: the best card of each of the seven colours, in the order of the cards; a stage of the wonder; a sale."""

STAGE, SALE = 7, 8

ATTRIBUTES = (
    Attribute("turn", "turns of the age that are over", 4),
    Attribute("gain of science", "points that the best science card would bring now", 2),
    Attribute("lead in shields", "shields more than the stronger neighbour has", 3, 12),
    Attribute("points of civil", "points of the best civil structure", 3),
    Attribute("gain of commerce or guild", "points that the best such card would bring now", 2),
    Attribute("coins", "coins", 2),
    Attribute("production", "units of resources that the city makes", 2),
    Attribute("points of the stage", "points of the next stage, where it can be raised", 2),
    Attribute("symbols", "science symbols", 3),
    Attribute("lead in points", "points more than the best of the others has", 1, 12),
)
