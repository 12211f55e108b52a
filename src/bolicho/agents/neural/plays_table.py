"""Table of the plays that the nets of Pereira 2021 imitate, for other programs: a CSV with one row per play.

Its columns are those of his table 3.3, in his order; cards and actions have the numbers of his tables 3.4 and 3.5. Two
further columns contain the play as one number (`A * 100 + C`, section 3.4.2) and its game, so that moves of one game
can be kept in one set of a split.
"""

import csv
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from bolicho.agents.neural import imitation
from bolicho.agents.neural.compiled.wonders import COUNTED_COLOURS, COUNTS
from bolicho.agents.neural.recipes import declared_plan
from bolicho.agents.training import Learner, whole_numbers
from bolicho.files import atomic_path
from bolicho.games import game
from bolicho.games.game import View
from bolicho.games.wonders.actions import card_of, kind_of
from bolicho.games.wonders.cards import CARDS
from bolicho.games.wonders.layout import BUILD, FREE, REVIVE, SELL, WONDER
from bolicho.games.wonders.rules import HAND
from bolicho.store.artifact import Arrays

HELD = tuple(f"card {place + 1}" for place in range(HAND))
COLUMNS = (*HELD, *COUNTS, "wonder", "stage", "shields", "coins", "age", "played", "action", "play", "game")

CARD_ID = {name: number for number, name in enumerate(dict.fromkeys(CARDS), start=1)}
"""The 75 names, raw materials first: Clay Pool is 3, Glassworks 16, Apothecary 54."""

ACTION_ID = {"build": 1, "wonder": 2, "sell": 3}
NAMES = {number: name for name, number in ACTION_ID.items()}
_ACTIONS = {BUILD: "build", FREE: "build", WONDER: "wonder", SELL: "sell"}


class PlaysTable:
    """Learner of the table: observations and plays of the winners among three rule-based agents, as in `neural`."""

    unit = "games"

    def __init__(self, seed: int, games: int) -> None:
        whole_numbers(games=games)
        self.total, self.done = games, 0
        self.plan = replace(declared_plan("neural wonders"), seed=seed, games=games)
        self.facts = {"plan": asdict(self.plan)}
        self.game = game("wonders")
        self.rows: list[list[int]] = []

    def step(self) -> None:
        teachers = [self.plan.teacher] * self.game.seats
        games = range(self.done, min(self.total, self.done + imitation.SLICE))
        self.rows += [[*row, game] for row, game in imitation.observe(self.game, teachers, self.plan, games, row_of)]
        self.done = games.stop

    def state(self) -> Arrays:
        return {"rows": np.array(self.rows)}

    def restore(self, state: Arrays) -> None:
        self.rows = state["rows"].tolist()

    def finish(self, out: Path, story: dict[str, Any]) -> dict[str, Any]:
        with atomic_path(out) as beside, beside.open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(COLUMNS)
            writer.writerows(in_words(row) for row in self.rows)
        return {"games": self.done, "plays": len(self.rows)}


def neural_plays(seed: int, *, games: int = 1_000) -> Learner:
    """Write the table for the games of a seed."""
    return PlaysTable(seed, games)


def in_words(row: Sequence[int]) -> list[Any]:
    """Return a row in file form: empty where no card is held, the action by name."""
    action = COLUMNS.index("action")
    held = [card or "" for card in row[:HAND]]
    return [*held, *row[HAND:action], NAMES[row[action]], *row[action + 1 :]]


def row_of(view: View, choice: int) -> tuple[int, ...] | None:
    """Return a play as numbers (0: no card), without its game; None for a revival, which plays no card of the hand."""
    kind, card = kind_of(choice), CARD_ID[CARDS[card_of(choice)]]
    if kind == REVIVE:
        return None
    s, seat = view.state, view.seat
    hand = [CARD_ID[name] for name in view.hand]  # type: ignore[attr-defined]
    counts = [int(s["colours"][seat, colour]) for colour in COUNTED_COLOURS]
    state = [int(s[field][seat]) for field in ("board", "stages", "shields", "coins")]
    action = ACTION_ID[_ACTIONS[kind]]
    free_places = [0] * (HAND - len(hand))
    return (*hand, *free_places, *counts, *state, int(s["age"]) + 1, card, action, action * 100 + card)
