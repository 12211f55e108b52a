"""Truco Gaúcho for two players."""

from bolicho.games.kind import Kind, parts
from bolicho.games.truco import action_help, draw, kernel, state, text
from bolicho.games.truco.compiled import behaviours, deals, features, rewind, unseen
from bolicho.games.truco.rules import CALLS, Rules, bounds, longest

__all__ = ["TRUCO", "deals", "rewind", "unseen"]

TRUCO = Kind(
    name="truco",
    title="Truco Gaúcho: three cards, bluffing and raising, to 24 points",
    label="Truco",
    seat_names=("mão", "pé"),
    rules=Rules,
    num_actions=lambda rules: kernel.NUM_ACTIONS,
    feature_names=lambda rules: features.NAMES,
    bounds=bounds,
    longest=longest,
    blank=kernel.blank,
    view=text.TrucoView,
    spoken=lambda action: action in CALLS,
    texts=state.ACTIONS,
    deals=("dealt",),
    needs_confirmation=CALLS,
    page="truco",
    **parts(text, draw, action_help, state, behaviours),
)
