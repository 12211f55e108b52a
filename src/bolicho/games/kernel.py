"""The contract: what a game's compiled rules promise.

A game's state is one NumPy record.  Each function below is a documented stub that every game
overloads for its own record type (`@implements(apply)`), so that a technique written once against
these names is compiled for every game.

Every record has at least these fields:

=============  =======================================================================
`seed`         `u8`; fixes all chance of the game.  Nobody may know it.
`turn`         `i1`; the seat that must act, `-1` when the game is over.
`events`       `i2 (N, 4)`; what the last `deal` or `apply` did, forced moves included:
               rows of (kind, seat, value, extra).  The kinds are the game's own; kind 0 is
               "seat chose action `value`".
`num_events`   `i1`; how many rows of `events` count.
=============  =======================================================================

Rules that vary are fields too, set once before `deal` and never changed, so that every function
takes the state alone.  No function allocates, raises or touches a global random generator.
"""

from collections.abc import Callable
from typing import Any

from numba import from_dtype, types
from numba.core.typing.templates import AbstractTemplate, infer_global

from bolicho.errors import BadInput
from bolicho.games.jit import njit, registered

CHOSE = 0
"""The event kind every game shares: (CHOSE, seat, action, extra)."""


def deal(s, seed):
    """Set up the first position.  Reads the rule fields of `s` and `seed`, writes all the rest.

    By default one of the numbered deals (`num_deals`), where a game has these.
    """


def legal(s, out):
    """Write the legal actions into `out`, ascending, and return how many (0 when over)."""


def apply(s, action):
    """Play a legal action for the seat to move, then every forced move that follows."""


def over(s):
    """Whether the game has ended: by default, whether it is nobody's turn."""


def payoff(s, out):
    """Write what each seat got out of a finished game into `out` (float): what agents maximise."""


def scores(s, out):
    """Write the points each seat has so far into `out` (int): what people count.  By default the payoffs at the end."""


def hide(s, seat):
    """Wipe from `s` everything `seat` may not know: the view of that seat, as a record.

    Two states that differ only in what the seat may not know become equal byte for byte.
    """


def hide_from_all(s, seats):
    """Wipe from `s` everything that not everybody may know: the public view, as a record.

    It follows from the view of any one seat: `hide_from_all(hide(s, seat), seats) == hide_from_all(s, seats)`.  A game
    where hiding from one seat after the other does that need not have its own.
    """


def redeal(s, seat, seed):
    """Fill a hidden record with a full state, uniform over those consistent with the view, and set its seed.

    For every state, seat and seed: `hide(redeal(hide(s, seat), seat, seed), seat) == hide(s, seat)`.
    """


def rewind(s, rows):
    """Take a full state back to where it was dealt (in a match of hands, to the opening of its hand).

    `rows` is what a seat saw happen, as rows of `events`.  Choices there that it did not see are filled in from the
    state; those that nobody was shown yet are NONE (-1), and may have been any.  Returns the row from which on the
    choices of `rows`, played again, lead back to the state; -1 where a game cannot, which is the default.
    """


def features(s, seat, out):
    """Write what `seat` knows as numbers in [-1, 1] into `out`, for learners; return how many.

    They are the same for the full state as for the seat's view, and so are the actions of `legal` where it is its turn.
    By default there are none.
    """


def observe(s, features, actions):
    """`features` and `legal` of the seat to act at once; return how many actions.  A game need not have its own."""


def behave(before, legal, action, after, out):
    """Count what an action says of those who play: `behaved(out, seat, behaviour, whether)` for each chance there was.

    `before` and `after` are the positions around it, `legal` what was legal, and the behaviours numbered as the game's
    `Kind.behaviours` names them.  A game need not have its own.
    """


@njit
def behaved(out, seat, behaviour, whether):
    """A seat had the chance to do something; whether it did."""
    out[seat, behaviour, 0] += 1 if whether else 0
    out[seat, behaviour, 1] += 1


def num_deals(s):
    """How many deals there are under the rules of `s`, all equally likely; 0 where nobody numbers them.

    A game need not have its own; one that has it can be solved exactly where it is small (`agents.cfr`).
    """


def deal_number(s, number):
    """`deal` with the deal of that number, from 0 on, in the place of one drawn from a seed."""


ANY = types.Record
"""The kind of all records (see `implements`)."""

_implementations: dict[Callable[..., Any], dict[Any, Any]] = {}
"""For each generic function what is registered, by the type of its first argument."""


def implements(stub: Callable[..., Any], kind: Any) -> Callable[[Any], Any]:
    """Register a compiled function as what `stub` does where its first argument is of that kind.

    A kind is a record type, a class of named tuples, or `ANY`: every record with nothing of its own.
    Stacked on `njit`: `@implements(kernel.over, RECORD) @njit def over(s): return s.turn < 0`.
    """

    def register(function: Any) -> Any:
        known = _generic(stub)
        if kind in known and known[kind] is not function:
            raise BadInput(_taken(stub, known[kind], function))
        known[kind] = function
        registered.setdefault(kind, set()).add((stub.__module__, function.__module__))
        return function

    return register


def _generic(stub: Callable[..., Any]) -> dict[Any, Any]:
    """What is registered for a stub; the first time, tell Numba to look there.

    Compiled callers are led to the very function that is registered.  `numba.extending.overload` would
    compile a function in between, for every game and stub.
    """
    if stub not in _implementations:
        known = _implementations[stub] = {}

        class Registered(AbstractTemplate):  # type: ignore[misc]
            key = stub

            def generic(self, args: Any, kws: Any) -> Any:
                function = _find(known, args[0])
                return None if function is None else types.Dispatcher(function).get_call_type(self.context, args, kws)

            def get_impl_key(self, signature: Any) -> Any:
                return _find(known, signature.args[0]).get_overload(signature.args)

        infer_global(stub, types.Function(Registered))
    return _implementations[stub]


def _find(known: dict[Any, Any], kind: Any) -> Any:
    """What is registered for a type, for the class of its named tuples, or else for any record."""
    return known.get(getattr(kind, "instance_class", kind), known.get(type(kind)))


def missing(dtype: Any) -> list[str]:
    """The functions every game must have that are not registered for this record."""
    record = from_dtype(dtype)
    known = {stub for stub in (deal, deal_number, legal, apply, payoff, hide, redeal) if record in _generic(stub)}
    needed = (deal_number if deal_number in known else deal, legal, apply, payoff, hide, redeal)
    return [stub.__name__ for stub in needed if stub not in known]


def _taken(stub: Callable[..., Any], old: Any, new: Any) -> str:
    where = f"{new.__module__} cannot register {stub.__name__}"
    if old.__module__ == new.__module__:
        return f"{where} twice for one record; after a change of the file start Python anew"
    return (
        f"{where}: its record is laid out exactly as that of {old.__module__}, so nobody could tell their states "
        "apart; give one of its fields another name"
    )
