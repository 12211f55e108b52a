"""How a position meets a net: the defaults for every game.

A *coding* says which numbers a net reads and which of its outputs stands for which action; a
*scheme* what a learner is rewarded for (`agents.compiled.rewards`).  Coding 0 is there for every game: the
game's own features, one output an action.  A game may have others, compiled for its record in a module of
its own, as `games.kernel` has it with the rules; the technique's `bindings`
name them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bolicho.games import kernel
from bolicho.games.jit import njit
from bolicho.games.kernel import ANY, implements
from bolicho.words import Said, plain

FEATURES = 0
"""The coding every game has."""


@dataclass(frozen=True)
class Coding:
    """How positions meet a net: its number in compiled code, and how many inputs and outputs each net has."""

    number: int
    widths: tuple[tuple[int, int], ...]  # (inputs, outputs) of each net ...
    of: Callable[[Any], tuple[tuple[int, int], ...]] | None = None  # ... where they depend on the rules, of a game
    apart: tuple[str, ...] = ()  # rules that may be others than those learned under


@dataclass(frozen=True)
class Binding:
    """What a game has beyond the defaults, by name; what that means in compiled code it registers with `implements`."""

    seats: int  # that its codings are for
    codings: dict[str, Coding]
    schemes: dict[str, int]
    input_names: Callable[[Any, str, int], Sequence[str]]  # of a game, of a coding's net
    say_input: Callable[[str], Said]  # by its name, for people
    scripted: str = "random"  # an agent that learners meet
    coding: str = "features"  # what learners do best with ...
    scheme: str = "payoff"  # ... and are best paid for
    length: tuple[str, ...] = ()  # rules that say how long a game lasts: who learned single hands plays matches
    of_length: tuple[str, ...] = ()  # features of which a single hand says nothing


NOTHING = Binding(0, {}, {}, lambda game, coding, which: (), plain)
"""What most games have."""


# --- What a game may have of its own ------------------------------------------------------------


def encode(s: Any, seat: Any, coding: Any, out: Any) -> Any:
    """Write what `seat` knows into `out`, as the coding has it.  Reads only what the seat may know."""


def unit(s: Any, coding: Any, action: Any) -> Any:
    """The output that stands for an action, or -1 when none does."""


def network(s: Any, coding: Any) -> Any:
    """Which of a coding's nets decides in this position."""


# --- For games that have nothing of their own ---------------------------------------------------


@implements(encode, ANY)
@njit
def _encode(s, seat, coding, out):
    return kernel.features(s, seat, out)


@implements(unit, ANY)
@njit
def _unit(s, coding, action):
    return action


@implements(network, ANY)
@njit
def _network(s, coding):
    return 0
