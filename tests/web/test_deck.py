"""Cards and wonders in deck.js, compared with the rules of 7 Wonders."""

import json
import re
from pathlib import Path

import bolicho
from bolicho.games.wonders.cards import BOARDS, CARDS, COLOUR, COLOURS, COSTS, GIVES, NUM_STAGES, stage_cost

PAGES = Path(bolicho.__file__).parent / "web" / "pages"


def deck(name):
    """Return a table of deck.js."""
    text = (PAGES / "deck.js").read_text(encoding="utf-8")
    rows = re.search(rf"export const {name} = \{{\n(.*?)\n\}};", text, re.S)[1]
    return json.loads("{" + rows.rstrip(",") + "}")


def test_cards_of_the_page_match_the_rules():
    known = {name: [COLOURS[COLOUR[card]], COSTS[card], GIVES[card]] for card, name in enumerate(CARDS)}
    assert deck("CARDS") == known


def test_wonders_of_the_page_match_the_rules():
    known = {
        name: [[COSTS[stage_cost(board, stage)], GIVES[stage_cost(board, stage)]] for stage in range(NUM_STAGES[board])]
        for board, name in enumerate(BOARDS)
    }
    assert deck("BOARDS") == known
