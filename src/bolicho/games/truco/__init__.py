"""Truco Gaúcho for two players."""

from bolicho.games.kind import Kind
from bolicho.games.truco import action_help, draw, kernel, state, text
from bolicho.games.truco.compiled import behaviours, deals, features, rewind, unseen
from bolicho.games.truco.rules import CALLS, Rules, bounds, longest

__all__ = ["TRUCO", "deals", "rewind", "unseen"]

TRUCO = Kind(
    name="truco",
    title="Truco Gaúcho: three cards, bluffing and raising, to 24 points",
    rules=Rules,
    num_actions=lambda rules: kernel.NUM_ACTIONS,
    feature_names=lambda rules: features.NAMES,
    bounds=bounds,
    longest=longest,
    blank=kernel.blank,
    view=text.TrucoView,
    action_text=text.action_text,
    read_action=text.read_action,
    read_setup=text.read_setup,
    entry=text.entry,
    result=text.result,
    svg=draw.svg,
    said=text.said,
    name_action=text.name_action,
    spoken=lambda action: action in CALLS,
    texts=state.ACTIONS,
    deals=("dealt",),
    solemn=CALLS,
    moment=action_help.moment,
    refusal=action_help.refusal,
    fields=state.Fields,
    enumerations=state.ENUMERATIONS,
    data=state.table,
    page="truco",
    behaviours=tuple(behaviours.NAMES.items()),
)
