"""One-card poker for two: Kuhn's with three cards, and Leduc hold'em with six and one on the table.

Everybody antes 1 and holds a card.  Seat 0 begins every round; one may check or call, raise as often as the rules allow
in a round, and fold where there is something to call.  Where there is a second round, a card is shown before it and
raises are twice as high.  The higher rank wins, a pair with the card shown beats it; equal ranks share.
The values of both games are known, so they are the touchstone of what is computed exactly.  They are not among the
games that go by a name: at the table they are `bolicho.games.poker:POKER`.
"""

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from bolicho.errors import BadInput
from bolicho.games.game import Game, View
from bolicho.games.kind import Kind
from bolicho.games.poker import kernel
from bolicho.games.small_game import blank_of

TEXTS = ("fold", "call", "raise")


@dataclass(frozen=True)
class Rules:
    """What may vary; by default it is Kuhn's."""

    ranks: int = 3
    suits: int = 1
    rounds: int = 1
    raises: int = 1
    bet: int = 1

    def __post_init__(self) -> None:
        if self.rounds not in (1, 2) or not self.rounds + 1 <= self.ranks * self.suits <= 100:
            raise BadInput("poker has 1 or 2 rounds, and cards enough for them")


def bounds(rules: Rules) -> tuple[float, float]:
    """An ante, and all raises of all rounds."""
    most = 1 + rules.raises * rules.bet * (2**rules.rounds - 1)
    return -most, most


def entry(row: NDArray[Any]) -> dict[str, Any]:
    """An event in words."""
    if row[0] == kernel.SHOWN:
        return {"event": "shown", "card": int(row[2])}
    return {"event": "chose", "seat": int(row[1]), "action": TEXTS[int(row[2])]}


def data(view: View) -> dict[str, Any]:
    """A view as JSON: cards by rank, None where one is hidden, and where there is a second round the card of it."""
    rules, state = view.game.rules, view.state
    named = lambda card: None if card == kernel.NONE else _rank(rules, card // rules.suits)  # noqa: E731
    shared = {"board": named(int(state["board"]))} if rules.rounds == 2 else {}
    return {"cards": [named(card) for card in state["cards"].tolist()], "paid": state["paid"].tolist(), **shared}


def _rank(rules: Rules, rank: int) -> str:
    """Jack, queen and king where there are three ranks, as Kuhn and Leduc's players have them; otherwise a number."""
    return "JQK"[rank] if rules.ranks == 3 else str(rank + 1)


POKER = Kind(
    name="poker",
    blank=blank_of(kernel.STATE),
    texts=TEXTS,
    title="One-card poker: Kuhn's, and Leduc hold'em",
    rules=Rules,
    bounds=bounds,
    longest=lambda rules: rules.rounds * (rules.raises + 2),
    feature_names=lambda rules: ("card", "board", "paid", "paid by the other"),
    entry=entry,
    data=data,
)

KUHN = Game(POKER)
LEDUC = Game(POKER, ranks=3, suits=2, rounds=2, raises=2, bet=2)
