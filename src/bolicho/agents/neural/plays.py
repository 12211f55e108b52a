"""The plays that the nets of Pereira 2021 imitate, as a table for other programs: a CSV, a row for each play.

Its columns are those of his table 3.3, in his order; cards and actions have the numbers of his tables 3.4 and 3.5.
Two columns more say the play as one number (`A * 100 + C`, section 3.4.2) and the game it is from, so that the
moves of one game need not stand on two sides of a test.
"""

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

from bolicho.agents.neural import imitation
from bolicho.agents.neural.recipes import NEURAL
from bolicho.agents.neural.wonders import COUNTED_COLOURS, COUNTS
from bolicho.files import atomic_path
from bolicho.games import game
from bolicho.games.game import View
from bolicho.games.wonders.actions import card_of, kind_of
from bolicho.games.wonders.cards import CARDS
from bolicho.games.wonders.rules import HAND
from bolicho.games.wonders.state import BUILD, FREE, REVIVE, SELL, WONDER

HELD = tuple(f"card {place + 1}" for place in range(HAND))
COLUMNS = (*HELD, *COUNTS, "wonder", "stage", "shields", "coins", "age", "played", "action", "play", "game")

CARD_ID = {name: number for number, name in enumerate(dict.fromkeys(CARDS), start=1)}
"""The 75 names, raw materials first: Clay Pool is 3, Glassworks 16, Apothecary 54."""

ACTION_ID = {"build": 1, "wonder": 2, "sell": 3}
_ACTIONS = {BUILD: "build", FREE: "build", WONDER: "wonder", SELL: "sell"}


def write_plays(out: Path, seed: int = 1, games: int = NEURAL.games) -> dict[str, Any]:
    """Write what the winners among three rules agents saw and did, in the games that `wonders-neural` learns from."""
    plan = replace(NEURAL, seed=seed, games=games)
    wonders = game("wonders")
    rows = imitation.observe(wonders, [plan.teacher] * wonders.seats, plan, games, row_of)
    with atomic_path(out) as beside, beside.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows((*row, number) for row, number in rows)
    return {"games": games, "plays": len(rows)}


def row_of(view: View, choice: int) -> tuple[Any, ...] | None:
    """A play as a row but for its game; none for a revival, which plays no card of the hand."""
    kind, card = kind_of(choice), CARD_ID[CARDS[card_of(choice)]]
    if kind == REVIVE:
        return None
    s, seat = view.state, view.seat
    hand = [CARD_ID[name] for name in view.hand]  # type: ignore[attr-defined]
    counts = [int(s["colours"][seat, colour]) for colour in COUNTED_COLOURS]
    state = [int(s[field][seat]) for field in ("board", "stages", "shields", "coins")]
    action = _ACTIONS[kind]
    free_places = [""] * (HAND - len(hand))
    return (*hand, *free_places, *counts, *state, int(s["age"]) + 1, card, action, ACTION_ID[action] * 100 + card)
