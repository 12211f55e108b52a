"""Kuhn poker with its own drawing, and one rule: the shape of the chips in it."""

import dataclasses
from typing import Literal

from examples.kuhn import KUHN


@dataclasses.dataclass(frozen=True)
class Rules:
    """Rules of the game."""

    chips: Literal["round", "square"] = "round"


def svg(view):
    cards = "".join(
        f'<text x="{20 + 60 * seat}" y="40" font-size="30" data-card="{card or "?"}">{card or "?"}</text>'
        for seat, card in enumerate(view.data()["table"]["cards"])
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 60" width="240" height="120" role="img">'
        f"<title>two cards</title>{cards}</svg>"
    )


DRAWN = dataclasses.replace(KUHN, name="drawn", title="Drawn poker: Kuhn's, on paper", svg=svg, rules=Rules)
