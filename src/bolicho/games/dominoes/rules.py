"""Rules of draw dominoes and all fives that may vary, and tables of facts."""

from dataclasses import dataclass

from bolicho.errors import BadInput

MAX_HIGHEST = 12
"""Highest double with a record type: double-twelve, 91 tiles."""

HALVES = tuple((high, low) for high in range(MAX_HIGHEST + 1) for low in range(high + 1))
"""The two halves of every tile, by number.  A smaller set contains the first tiles of a larger set."""

TILES = tuple(f"{high}-{low}" for high, low in HALVES)
"""The name of every tile, by number: 0-0, 1-0, 1-1, 2-0, ..."""

SIDES = "lrud"
"""Sides at which a tile is played: the left and right ends of the line, the spinner's two arms."""

OPENS = ("first", "lot", "double", "heaviest")
SPINNER_COUNTS = ("double", "sides")
ROUNDINGS = ("up", "nearest", "down", "none")


def set_size(highest: int) -> int:
    """Return the number of tiles in the set with that highest double: 28 for 6, 55 for 9, 91 for 12."""
    return (highest + 1) * (highest + 2) // 2


@dataclass(frozen=True)
class DrawRules:
    """Options of draw dominoes; the defaults are those of the research document.

    `highest`: the highest double of the set (6, 9 and 12 are sold; smaller ones suit experiments).
    `hand`: number of tiles dealt to each seat.  `reserve`: number of boneyard tiles that may not be drawn (a common
    rule leaves 2; a reserve of all tiles gives the block game).  `opens`: seat 0 (`first`), a seat drawn with
    the deal (`lot`), or the holder of the highest double (`double`) or of the heaviest tile (`heaviest`);
    the last two are announced and must be led.
    """

    highest: int = 6
    hand: int = 7
    reserve: int = 0
    opens: str = "first"

    def __post_init__(self) -> None:
        _check(self)


@dataclass(frozen=True)
class FivesRules:
    """Options of all fives; the first four are those of draw dominoes.

    `arms_after`: number of covered spinner sides along the line after which its arms open (0: at once).
    `spinner`: it counts as a double until two of its sides are covered (`double`), or each of its open sides
    counts one half (`sides`).  `rounding`: of the bonus for winning.  `multiple`: sums of the ends that are
    multiples of it score (3 and 7 are played too).
    """

    highest: int = 6
    hand: int = 7
    reserve: int = 0
    opens: str = "first"
    arms_after: int = 0
    spinner: str = "double"
    rounding: str = "up"
    multiple: int = 5

    def __post_init__(self) -> None:
        _check(self)
        _check_choice("spinner", self.spinner, SPINNER_COUNTS)
        _check_choice("rounding", self.rounding, ROUNDINGS)
        if not 0 <= self.arms_after <= 2:
            raise BadInput(f"arms_after must be 0, 1 or 2 sides of the spinner, not {self.arms_after}")
        if not 1 <= self.multiple <= 100:
            raise BadInput(f"multiple must be 1 to 100 (3, 5 and 7 are played), not {self.multiple}")


def _check(rules: DrawRules | FivesRules) -> None:
    """Validate the set, the hand and the boneyard for both games."""
    if not 1 <= rules.highest <= MAX_HIGHEST:
        raise BadInput(f"highest must be 1 to {MAX_HIGHEST} (6, 9 and 12 are sold), not {rules.highest}")
    most = set_size(rules.highest) // 2
    if not 1 <= rules.hand <= most:
        raise BadInput(f"hand must be 1 to {most} tiles in a set of {set_size(rules.highest)}, not {rules.hand}")
    if not 0 <= rules.reserve <= set_size(MAX_HIGHEST):
        raise BadInput(f"reserve must be 0 to {set_size(MAX_HIGHEST)} tiles, not {rules.reserve}")
    _check_choice("opens", rules.opens, OPENS)


def _check_choice(name: str, given: str, known: tuple[str, ...]) -> None:
    if given not in known:
        raise BadInput(f"{name} must be one of {', '.join(known)}, not {given!r}")


ENDS = 4  # ends of the line and the spinner's arms


def bounds(rules: DrawRules | FivesRules) -> tuple[float, float]:
    """Return the minimum and maximum payoff: all pips and, in fives, the maximum sum of ends at every tile."""
    pips = rules.highest * set_size(rules.highest)
    most = pips if isinstance(rules, DrawRules) else 2 * pips + set_size(rules.highest) * ENDS * 2 * rules.highest
    return -most, most
