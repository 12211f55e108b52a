"""Codings of positions for nets: the contract, and the defaults for every game.

A *coding* defines the inputs of a net and the output of each action; a *scheme* defines the reward of a learner
(`agents.compiled.rewards`). Every game has coding 0: the game's own features, one output per action. A game may have
others, compiled for its record in its own module, like the rules in `games.kernel`; the technique's `bindings` name
them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bolicho.games import kernel
from bolicho.games.jit import njit
from bolicho.games.kernel import ANY, implements
from bolicho.i18n import Message, plain

FEATURES = 0
"""Coding that every game has."""


@dataclass(frozen=True)
class Coding:
    """Coding of positions: its number in compiled code, and the numbers of inputs and outputs of each net."""

    number: int
    widths: tuple[tuple[int, int], ...]  # (inputs, outputs) of each net ...
    of: Callable[[Any], tuple[tuple[int, int], ...]] | None = None  # ... or a function of the game
    apart: tuple[str, ...] = ()  # rules that may differ from those of the training


@dataclass(frozen=True)
class Binding:
    """Codings and schemes of a game beyond the defaults, by name; `implements` registers their compiled code."""

    seats: int  # number of seats that its codings support
    codings: dict[str, Coding]
    schemes: dict[str, int]
    input_names: Callable[[Any, str, int], Sequence[str]]  # by game, coding and net
    say_input: Callable[[str], Message]  # by its name, for people
    scripted: str = "random"  # an agent that learners meet
    coding: str = "features"  # best coding for learners
    scheme: str = "payoff"  # best scheme for learners
    length: tuple[str, ...] = ()  # rules on the length of a game: a model of single hands plays matches
    of_length: tuple[str, ...] = ()  # features without information in a single hand


NOTHING = Binding(0, {}, {}, lambda game, coding, which: (), plain)
"""Binding of games without their own."""


# --- Overloads of a game ------------------------------------------------------------------------


def encode(s: Any, seat: Any, coding: Any, out: Any) -> Any:
    """Write the information of `seat` into `out`, in the format of the coding, without hidden information."""


def unit(s: Any, coding: Any, action: Any) -> Any:
    """Return the output of an action, or -1 if it has none."""


def network(s: Any, coding: Any) -> Any:
    """Return the number of the coding's net for this position."""


# --- Defaults -----------------------------------------------------------------------------------


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
