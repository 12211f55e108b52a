"""7 Wonders, base game, first edition, for three to seven players."""

from bolicho.games.kind import Kind, parts
from bolicho.games.wonders import action_help, draw, layout, state, text, view
from bolicho.games.wonders.compiled import behaviours, features, knowledge, redeal, rewind
from bolicho.games.wonders.rules import MAX_PLAYERS, MIN_PLAYERS, SIDES, TRADES, Rules

__all__ = ["WONDERS", "knowledge", "redeal", "rewind"]  # importing them registers their compiled functions

MOST_PLIES = 3 * 8  # per player: six or seven cards an age, and one from the discard pile

WONDERS = Kind(
    name="wonders",
    title="7 Wonders: three ages of drafting cards, building, trade and war, 3 to 7 players",
    label="7 Wonders",
    rules=Rules,
    choices=(("players", tuple(range(MIN_PLAYERS, MAX_PLAYERS + 1))), ("trade", TRADES), ("sides", SIDES)),
    seats=lambda rules: rules.players,
    num_actions=lambda rules: layout.NUM_ACTIONS if rules.trade == "choose" else layout.SPLIT,
    feature_names=lambda rules: features.NAMES,
    bounds=lambda rules: (-1 / rules.players, 1 - 1 / rules.players),
    longest=lambda rules: MOST_PLIES * rules.players,
    blank=layout.blank,
    view=view.WondersView,
    spoken=lambda action: True,
    page="wonders",
    **parts(text, draw, action_help, state, behaviours),
)
