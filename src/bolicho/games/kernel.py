"""The contract: generic functions that a game's compiled rules implement.

A game's state is one NumPy record.  Each function below is a documented stub that every game
overloads for its own record type (`@implements(apply)`), so that a technique written once against
these functions is compiled for every game.

Every record has at least these fields:

=============  =======================================================================
`seed`         `u8`; fixes all chance of the game.  No seat may know it.
`turn`         `i1`; the seat that must act, `-1` when the game is over.
`events`       `i2 (N, 4)`; the events of the last `deal` or `apply`, forced moves included:
               rows of (kind, seat, value, extra).  A game defines its own kinds; kind 0 is
               "seat chose action `value`".
`num_events`   `i1`; number of valid rows of `events`.
=============  =======================================================================

Rules that vary are fields too, set once before `deal` and never changed, so that every function
takes only the state.  No function allocates, raises or uses a global random generator.
"""

from collections.abc import Callable
from typing import Any

from numba import from_dtype, types
from numba.core.typing.templates import AbstractTemplate, infer_global

from bolicho.errors import BadInput
from bolicho.games.jit import njit, registered

CHOSE = 0
"""The event kind that all games share: (CHOSE, seat, action, extra)."""


def deal(s, seed):
    """Set up the first position: read the rule fields of `s` and `seed`, and write all other fields.

    The default deals one of the numbered deals (`num_deals`) if the game has these.
    """


def legal(s, out):
    """Write the legal actions into `out`, ascending, and return their number (0 when over)."""


def apply(s, action):
    """Play a legal action for the seat to move, then every forced move that follows."""


def over(s):
    """Return whether the game is over; by default, whether `turn` is negative."""


def payoff(s, out):
    """Write each seat's payoff of a finished game into `out` (float): the quantity that agents maximise."""


def scores(s, out):
    """Write each seat's points so far into `out` (int), for people.  The default writes the payoffs at the end."""


def hide(s, seat):
    """Wipe everything that is hidden from `seat`: the result is that seat's view, as a record.

    States that differ only in information hidden from the seat become equal byte for byte.
    """


def hide_from_all(s, seats):
    """Wipe everything that is hidden from any seat: the result is the public view, as a record.

    It follows from the view of any one seat: `hide_from_all(hide(s, seat), seats) == hide_from_all(s, seats)`.  The
    default hides from one seat after the other.
    """


def redeal(s, seat, seed):
    """Fill a hidden record with a full state, uniform over those consistent with the view, and set its seed.

    For every state, seat and seed: `hide(redeal(hide(s, seat), seat, seed), seat) == hide(s, seat)`.
    """


def rewind(s, rows):
    """Take a full state back to its deal (in a match of hands, to the opening of the current hand).

    `rows` are the events that a seat saw.  The function fills in choices there that the seat did not see, from the
    state; choices not yet revealed to any seat remain NONE (-1).  It returns the first row from which replaying the
    choices of `rows` leads back to the state, or -1 if it cannot, which is the default.
    """


def features(s, seat, out):
    """Write the knowledge of `seat` as numbers in [-1, 1] into `out`, for learners; return how many.

    They are the same for the full state and for the seat's view, as are the actions of `legal` if the seat is to act.
    By default there are none.
    """


def observe(s, features, actions):
    """Write `features` and `legal` of the seat to act; return the number of actions.  Overrides are for speed."""


def behave(before, legal, action, after, out):
    """Count behaviours of an action: call `behaved(out, seat, behaviour, whether)` for each opportunity.

    `before` and `after` are the positions around the action, and `legal` its legal alternatives; `Kind.behaviours`
    numbers the behaviours.  The default counts nothing.
    """


@njit
def behaved(out, seat, behaviour, whether):
    """Count an opportunity of a seat, and whether the seat used it."""
    out[seat, behaviour, 0] += 1 if whether else 0
    out[seat, behaviour, 1] += 1


def num_deals(s):
    """Return the number of equally likely deals under the rules of `s`; 0 if they are not numbered.

    The default returns 0.  A small game with numbered deals can be solved exactly (`agents.cfr`).
    """


def deal_number(s, number):
    """Set up the deal of a number, from 0 on, as `deal` does for a seed."""


ANY = types.Record
"""The kind of all records (see `implements`)."""

_implementations: dict[Callable[..., Any], dict[Any, Any]] = {}
"""Implementations of each generic function, by the type of the first argument."""


def implements(stub: Callable[..., Any], kind: Any) -> Callable[[Any], Any]:
    """Register a compiled function as the implementation of `stub` for first arguments of a kind.

    A kind is a record type, a class of named tuples, or `ANY`: every record without its own implementation.
    It is stacked on `njit`: `@implements(kernel.over, RECORD) @njit def over(s): return s.turn < 0`.
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
    """Return the implementations of a stub; on the first call, register the stub with Numba.

    Compiled callers resolve directly to the registered function.  `numba.extending.overload` would
    compile an intermediate function for every game and stub.
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
    """Return the implementation for a type, for its class of named tuples, or else for any record."""
    return known.get(getattr(kind, "instance_class", kind), known.get(type(kind)))


def missing(dtype: Any) -> list[str]:
    """Return the required functions that are not registered for this record."""
    record = from_dtype(dtype)
    known = {stub for stub in (deal, deal_number, legal, apply, payoff, hide, redeal) if record in _generic(stub)}
    needed = (deal_number if deal_number in known else deal, legal, apply, payoff, hide, redeal)
    return [stub.__name__ for stub in needed if stub not in known]


def _taken(stub: Callable[..., Any], old: Any, new: Any) -> str:
    where = f"{new.__module__} cannot register {stub.__name__}"
    if old.__module__ == new.__module__:
        return f"{where} twice for one record; after a change of the file start Python anew"
    return (
        f"{where}: its record is laid out exactly as that of {old.__module__}, so their states could not be "
        "told apart; give one of its fields another name"
    )
