"""`Kind`, the declaration of a game package, and the actions and state records of games."""

import dataclasses
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from bolicho.errors import BadInput
from bolicho.games import small_game
from bolicho.games.small_game import Entry
from bolicho.i18n import Message

if TYPE_CHECKING:
    from bolicho.games.game import View

Pool = NDArray[np.void]
"""An array of state records.  `pool[1] = pool[0]` copies a state."""


def copy_pool(pool: Pool) -> Pool:
    """Return an independent copy, padding included (`pool.copy()` goes field by field: 30 times slower)."""
    return np.frombuffer(bytearray(pool.tobytes()), pool.dtype)


Remark = tuple[str, Message]
"""An action, another heading, or None, and the message about it."""


ViewCall = tuple[str, Callable[..., Any], str]
"""Name, compiled function, and kinds of its arguments in a row: `pool`, `int`, `int64[2]` (an array of two axes)."""


class Action(str):
    """The text of an action (`"truco"`, `"6-4 l"`) that also carries its number."""

    __slots__ = ("number",)
    number: int

    def __new__(cls, text: str, number: int) -> Self:
        action = super().__new__(cls, text)
        object.__setattr__(action, "number", number)
        return action

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"the action {self} cannot be changed: views share it")

    def __int__(self) -> int:
        return self.number

    __index__ = __int__


NOT_GIVEN: Any = None
"""Marker for defaults that follow from the texts of a game's actions."""


@dataclasses.dataclass(frozen=True)
class Kind:
    """Declaration of a game; see the packages of `bolicho.games` for examples."""

    name: str
    blank: Callable[[Any], Pool]  # a pool of one record with the rules set (`small_game.blank_of`)
    texts: tuple[str, ...] | None = None  # texts of all actions, if they never depend on the position
    title: str = ""  # one line, for people; by default the name
    label: str = ""  # its name in tables; by default the name
    seat_names: tuple[str, ...] = ()  # names of the seats in the first deal, where they have any
    rules: type[Any] = small_game.NoRules  # a frozen dataclass with a default for every field
    choices: tuple[tuple[str, tuple[Any, ...]], ...] = ()  # values of rules whose type is not a `Literal`
    seats: Callable[[Any], int] = lambda rules: 2
    zero_sum: bool = True
    perfect_information: bool = False  # True if only the seed is hidden
    bounds: Callable[[Any], tuple[float, float]] | None = None  # minimum and maximum payoff
    longest: Callable[[Any], int] | None = None  # maximum number of plies
    feature_names: Callable[[Any], tuple[str, ...]] = lambda rules: ()  # names of the values of `kernel.features`
    view: "type[View]" = NOT_GIVEN  # by default `View`
    num_actions: Callable[[Any], int] = NOT_GIVEN
    action_text: Callable[[np.void, int], str] = NOT_GIVEN
    read_action: Callable[[np.void, str], int] = NOT_GIVEN  # raises BadInput unless the text is an action
    entry: Callable[[NDArray[np.int16]], Entry] = NOT_GIVEN  # a row of `events` as JSON
    read_setup: Callable[[Any, Pool, Mapping[str, Any]], None] = small_game.nothing_to_set_up  # raises BadInput
    result: Callable[[np.void], Entry] = lambda state: {}  # game-specific part of a result
    tie_winners: Callable[[np.void], list[int]] = lambda state: []  # who won although all payoffs are equal
    svg: "Callable[[View], str]" = small_game.drawn
    said: Callable[[Entry], Message] = small_game.plain_entry  # the message of an entry
    name_action: Callable[[np.void, str], Message] = small_game.plain_action  # the name of an action, for people
    past: tuple[str, ...] = ()  # fields of the history that do not affect the future
    deals: tuple[str, ...] = ()  # events that begin a new deal: earlier secrets lose their value
    needs_confirmation: tuple[str, ...] = ()  # actions that need confirmation: bets and folds
    spoken: Callable[[str], bool] = lambda action: False  # True for an action that people read and type by name
    action_help: "Callable[[View], list[Remark]]" = lambda view: []  # remarks on the position and each legal action
    refusal: "Callable[[View, str], Message | None]" = lambda view, typed: None  # why the typed text is not legal
    fields: type | None = None  # a named tuple of the record's fields that `data` reads (`games.fields`)
    enumerations: tuple[tuple[str, tuple[str, ...]], ...] = ()  # names of numbers that no field holds
    data: "Callable[[View], Any]" = small_game.seen  # the table as JSON or a structure; the view may be public
    page: str = ""  # module of `web/pages` that draws it; by default the generic table
    view_calls: tuple[ViewCall, ...] = ()  # compiled functions that the reading of a view in JavaScript calls
    facts: Callable[[], Entry] = dict  # tables that this reading needs, as JSON
    behaviours: tuple[tuple[str, str], ...] = ()  # names of the counts of `kernel.behave`, and their denominators
    moment: dataclasses.InitVar[Any] = None  # deprecated name of `action_help`
    solemn: dataclasses.InitVar[Any] = None  # deprecated name of `needs_confirmation`

    def __post_init__(self, moment: Any, solemn: Any) -> None:
        for old, new, value in (("moment", "action_help", moment), ("solemn", "needs_confirmation", solemn)):
            if value is not None:
                warnings.warn(f"Kind({old}=...) is now Kind({new}=...)", DeprecationWarning, stacklevel=3)
                object.__setattr__(self, new, value)
        given: dict[str, Any] = {"title": self.name, "label": self.name}
        if self.texts is not None:
            given |= small_game.from_texts(self.name, self.texts)
        for name, value in given.items():
            if not getattr(self, name):
                object.__setattr__(self, name, value)
        for name in ("num_actions", "action_text", "read_action", "entry"):
            if getattr(self, name) is None:
                raise BadInput(f"the game {self.name} has neither texts nor {name}; give one of them")


def parts(text: Any, draw: Any, action_help: Any, state: Any, behaviours: Any) -> dict[str, Any]:
    """Return the fields of a `Kind` that the modules of a game package have under the same names."""
    of_text = ("action_text", "read_action", "read_setup", "entry", "result", "said", "name_action")
    return {
        **{name: getattr(text, name) for name in of_text},
        "svg": draw.svg,
        "action_help": action_help.action_help,
        "refusal": action_help.refusal,
        "fields": state.Fields,
        "enumerations": state.ENUMERATIONS,
        "data": state.table,
        "view_calls": state.VIEW_CALLS,
        "facts": state.facts,
        "behaviours": tuple(behaviours.NAMES.items()),
    }
