"""What a game package declares (`Kind`), and the actions and state records of games."""

import dataclasses
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
    """An independent copy, padding included (`pool.copy()` goes field by field: 30 times slower)."""
    return np.frombuffer(bytearray(pool.tobytes()), pool.dtype)


Remark = tuple[str, Message]
"""An action or another heading, or nothing, and what is to be said of it."""


class Action(str):
    """An action as text (`"truco"`, `"6-4 l"`) that also knows its number."""

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
"""In the place of what follows from the texts of a game's actions."""


@dataclasses.dataclass(frozen=True)
class Kind:
    """What a game package offers; see any of `bolicho.games` for an example."""

    name: str
    blank: Callable[[Any], Pool]  # a pool of one record with the rules set (`small_game.blank_of`)
    texts: tuple[str, ...] | None = None  # of all actions, where they never depend on the position
    title: str = ""  # one line, for people; by default the name
    rules: type[Any] = small_game.NoRules  # a frozen dataclass with a default for every field
    seats: Callable[[Any], int] = lambda rules: 2
    zero_sum: bool = True
    perfect_information: bool = False  # whether nothing is hidden from anybody but the seed
    bounds: Callable[[Any], tuple[float, float]] | None = None  # what a payoff is at least, and at most
    longest: Callable[[Any], int] | None = None  # no game has more plies
    feature_names: Callable[[Any], tuple[str, ...]] = lambda rules: ()  # what `kernel.features` writes, one by one
    view: "type[View]" = NOT_GIVEN  # by default `View`
    num_actions: Callable[[Any], int] = NOT_GIVEN
    action_text: Callable[[np.void, int], str] = NOT_GIVEN
    read_action: Callable[[np.void, str], int] = NOT_GIVEN  # raises BadInput for what is no action at all
    entry: Callable[[NDArray[np.int16]], Entry] = NOT_GIVEN  # a row of `events` in words
    read_setup: Callable[[Any, Pool, Mapping[str, Any]], None] = small_game.nothing_to_set_up  # raises BadInput
    result: Callable[[np.void], Entry] = lambda state: {}  # what a game adds to its result
    svg: "Callable[[View], str]" = small_game.drawn
    said: Callable[[Entry], Message] = small_game.plain_entry  # an entry as something to be said, in any language
    name_action: Callable[[np.void, str], Message] = small_game.plain_action  # what people call an action
    past: tuple[str, ...] = ()  # fields that say how a position came about and change nothing of what comes
    deals: tuple[str, ...] = ()  # events that begin a new deal: what was secret before helps nobody after
    solemn: tuple[str, ...] = ()  # actions a slip of the finger should not make: bets and folds
    spoken: Callable[[str], bool] = lambda action: False  # whether it is words, so that people read and type its name
    moment: "Callable[[View], list[Remark]]" = lambda view: []  # what is in force, and what each legal action does
    refusal: "Callable[[View, str], Message | None]" = lambda view, typed: None  # why what was typed is no legal action
    fields: type | None = None  # a named tuple of the record's fields that `data` reads (`games.fields`)
    enumerations: tuple[tuple[str, tuple[str, ...]], ...] = ()  # names of numbers that no field holds
    data: "Callable[[View], Any]" = small_game.seen  # the table, JSON or a structure; the view may be a public one
    behaviours: tuple[tuple[str, str], ...] = ()  # what `kernel.behave` counts, and of what it is a share

    def __post_init__(self) -> None:
        given: dict[str, Any] = {"title": self.name}
        if self.texts is not None:
            given |= small_game.from_texts(self.name, self.texts)
        for name, value in given.items():
            if not getattr(self, name):
                object.__setattr__(self, name, value)
        for name in ("num_actions", "action_text", "read_action", "entry"):
            if getattr(self, name) is None:
                raise BadInput(f"the game {self.name} has neither texts nor {name}; give one of them")
