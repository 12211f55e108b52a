"""Rules of Truco Gaúcho that may vary, and its tables of facts."""

from dataclasses import dataclass

from bolicho.errors import BadInput

SUITS = "epco"  # espadas, paus (bastos), copas, ouros
NUMBERS = (1, 2, 3, 4, 5, 6, 7, 10, 11, 12)
CARDS = tuple(f"{number}{suit}" for suit in SUITS for number in NUMBERS)
"""The 40 cards by number: suit * 10 + rank."""

STRENGTH_CLASSES = (
    ("4e", "4p", "4c", "4o"),
    ("5e", "5p", "5c", "5o"),
    ("6e", "6p", "6c", "6o"),
    ("7p", "7c"),
    ("10e", "10p", "10c", "10o"),
    ("11e", "11p", "11c", "11o"),
    ("12e", "12p", "12c", "12o"),
    ("1c", "1o"),
    ("2e", "2p", "2c", "2o"),
    ("3e", "3p", "3c", "3o"),
    ("7o",),
    ("7e",),
    ("1p",),
    ("1e",),
)
"""The fourteen strength classes, weakest first; cards of one class tie."""

CALLS = (
    "truco", "retruco", "vale4",
    "envido", "real", "falta",
    "flor", "contraflor", "resto",
    "quero", "nao", "baralho",
)  # fmt: skip

TARGETS = (12, 24, 30)

LENGTH = ("target", "hands")
"""Rules for the length of a match; the other rules govern a hand."""


@dataclass(frozen=True)
class Rules:
    """Options of Truco Gaúcho; the defaults are those of the research documents.

    `hands=0` plays a match to `target` points; `hands=1` makes each single hand a game.
    """

    target: int = 24
    hands: int = 0
    face_down: bool = True
    envido_first: bool = False
    envido_envido: bool = False
    flor: bool = True
    flor_points: int = 3
    contra_flor_points: int = 6
    contra_flor_refused: int = 4
    resto_refused: int = 6

    def __post_init__(self) -> None:
        if not 1 <= self.target <= 1000:
            raise BadInput(f"target must be 1 to 1000 points (12, 24 and 30 are common), not {self.target}")
        if not 0 <= self.hands <= 1000:
            raise BadInput(f"hands must be 0 (play to the target) or 1 to 1000, not {self.hands}")
        for name in ("flor_points", "contra_flor_points", "contra_flor_refused", "resto_refused"):
            if not 0 <= getattr(self, name) <= 100:
                raise BadInput(f"{name} must be 0 to 100 points, not {getattr(self, name)}")


MOST_ENVIDO = 9  # points of envido calls without falta
VALE_QUATRO = 4  # maximum points of a hand, envido and flor aside
MOST_PLIES = 30  # plies of a hand: six cards, and calls with their answers


def bounds(rules: Rules) -> tuple[float, float]:
    """Return the minimum and maximum payoff."""
    if rules.hands == 0:
        return -1, 1
    flor = max(rules.flor_points, rules.contra_flor_points, rules.contra_flor_refused, rules.resto_refused)
    stake = max(rules.target, MOST_ENVIDO, flor)
    most = min(rules.hands * (stake + VALE_QUATRO), rules.target - 1 + stake)
    return -most, most


def longest(rules: Rules) -> int:
    """Return the maximum number of plies of a game: every hand gives at least one point."""
    return MOST_PLIES * (rules.hands or 2 * rules.target - 1)
