"""Rules of 7 Wonders that may vary, and the numbers of the game."""

from dataclasses import dataclass

from bolicho.errors import BadInput, unknown

MIN_PLAYERS, MAX_PLAYERS = 3, 7
NUM_AGES = 3
HAND = 7  # cards in a hand; a seat plays six of them
TURNS = HAND - 1  # turns of an age
PASS = (1, -1, 1)  # by age: seats that a hand moves after a turn; 1 is to the left
START_COINS = 3
SALE = 3  # coins for a card sold
VICTORY = (1, 3, 5)  # points of a victory token, by age; a defeat costs one
COINS_A_POINT = 3
SCIENCE_SET = 7  # points for three different symbols

TRADES = ("cheapest", "choose")
SIDES = ("random", "A", "B")


@dataclass(frozen=True)
class Rules:
    """Options of the base game for 3 to 7 players, first edition.

    With `trade="choose"` a seat chooses which neighbour gets the coins; `sides` are the board sides dealt.
    """

    players: int = 3
    trade: str = "cheapest"
    sides: str = "random"

    def __post_init__(self) -> None:
        if not MIN_PLAYERS <= self.players <= MAX_PLAYERS:
            raise BadInput(f"players must be {MIN_PLAYERS} to {MAX_PLAYERS}, not {self.players}")
        if self.trade not in TRADES:
            raise unknown("rule trade", self.trade, TRADES)
        if self.sides not in SIDES:
            raise unknown("rule sides", self.sides, SIDES)


# --- Neighbours and hands, also for compiled code (payment.py, deal.py) -------------------------


def left_seat(seat: int, players: int) -> int:
    """Return the left neighbour: the next seat."""
    return seat + 1 if seat + 1 < players else 0


def right_seat(seat: int, players: int) -> int:
    """Return the right neighbour: the seat before."""
    return seat - 1 if seat > 0 else players - 1


def row_held(seat: int, players: int, age: int, turn: int) -> int:
    """Return the row of `cards` that a seat holds on a turn: the seventh card stays where the sixth was played."""
    row = seat - PASS[age] * min(turn, TURNS - 1)
    while row < 0:
        row += players
    while row >= players:
        row -= players
    return row
