"""One-card poker for two: Kuhn's with three cards, and Leduc hold'em with six and one on the table.

Each seat antes 1 and holds a card.  Seat 0 begins every round; a seat may check or call, raise as often as the rules
allow in a round, and fold if there is a bet to call.  Before the second round, if any, a card is shown, and raises
are twice as high.  The higher rank wins, and a pair with the shown card beats it; equal ranks split the pot.
The values of both games are known, so they validate exact computations.  The games have no registered name:
at the table they are `bolicho.games.poker:POKER`.
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
    """Options; the defaults are those of Kuhn poker."""

    ranks: int = 3
    suits: int = 1
    rounds: int = 1
    raises: int = 1
    bet: int = 1

    def __post_init__(self) -> None:
        if self.rounds not in (1, 2) or not self.rounds + 1 <= self.ranks * self.suits <= 100:
            raise BadInput("poker has 1 or 2 rounds, and cards enough for them")


def bounds(rules: Rules) -> tuple[float, float]:
    """Return the minimum and maximum payoff: an ante, and all raises of all rounds."""
    most = 1 + rules.raises * rules.bet * (2**rules.rounds - 1)
    return -most, most


def entry(row: NDArray[Any]) -> dict[str, Any]:
    """Return an event as a dictionary."""
    if row[0] == kernel.SHOWN:
        return {"event": "shown", "card": int(row[2])}
    return {"event": "chose", "seat": int(row[1]), "action": TEXTS[int(row[2])]}


def data(view: View) -> dict[str, Any]:
    """Return a view as JSON: cards by rank, None for a hidden card, and the shown card if there is a second round."""
    rules, state = view.game.rules, view.state
    named = lambda card: None if card == kernel.NONE else _rank(rules, card // rules.suits)  # noqa: E731
    shared = {"board": named(int(state["board"]))} if rules.rounds == 2 else {}
    return {"cards": [named(card) for card in state["cards"].tolist()], "paid": state["paid"].tolist(), **shared}


def _rank(rules: Rules, rank: int) -> str:
    """Return jack, queen or king if there are three ranks, as in Kuhn's and Leduc's games; otherwise a number."""
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
