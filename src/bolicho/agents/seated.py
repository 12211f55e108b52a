"""Agents at the tables of the loop: compiled players, agents written in Python, and those of other processes."""

import math
from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bolicho.agents import kernel as players
from bolicho.agents.agent import Agent
from bolicho.agents.agent_errors import sentence, short
from bolicho.agents.clock import Clock, compilation
from bolicho.agents.player import Compiled, Luck
from bolicho.errors import BadInput
from bolicho.games.game import Game, View
from bolicho.games.tables import Actions, Numbers, Tables

NO_ACTION = -1

Ledger = NDArray[np.void]
"""Data of the loop for each table: see `kernel.desks`."""

Lucks = NDArray[np.uint64]
"""Luck of each decision."""

Seconds = NDArray[np.float64]
"""Duration of each decision."""

Rows = NDArray[np.int16]
"""Rows of events."""


class SeatedAgent(Protocol):
    """Decisions of one agent at all its tables."""

    def begin(self, table: int, seat: int, past: Rows | None) -> str | None:
        """Start a game, or resume one after the seat's events (None: at the deal); return the reason of a failure."""

    def answer(self, which: Numbers, luck: Lucks, actions: Actions, seconds: Seconds) -> dict[int, str]:
        """Write the actions at these tables and their durations; return reasons of failures by index in `which`."""

    def observe_actions(self, me: int, ledger: Ledger, which: Numbers, played: NDArray[np.bool_]) -> None:
        """Observe the actions `played` at these tables, where the agent of number `me` may have seats."""

    def end(self, table: int, seat: int) -> str | None:
        """End a game; return the reason of a failure."""

    remembers: bool
    """True if the agent must observe events (`observe_actions`)."""


class ExternalAgent:
    """External agent, or one in another process: it makes its own `SeatedAgent`."""

    def sit(self, tables: Tables, is_open: bool, limit: float) -> SeatedAgent:
        """Return the agent at these tables, with a time limit in seconds for a call."""
        raise NotImplementedError(f"{type(self).__name__} does not implement sit")


class SeatedCompiled:
    """Compiled player: one call for all its tables."""

    def __init__(self, agent: Compiled, tables: Tables, is_open: bool) -> None:
        self.tables = tables
        self.remembers = agent.remembers
        self._open = is_open
        self._player = agent.player(tables.game)
        self._memory = np.zeros((tables.count, tables.game.seats), agent.memory)
        self._views = np.zeros(min(players.BATCH, tables.count), tables.game.dtype)
        self._learns = agent.learns
        self.told = agent.remembers or agent.learns  # True if it is called when games begin and end

    def begin(self, table: int, seat: int, past: Rows | None) -> str | None:
        if self.remembers:
            memory = self._memory[table, seat : seat + 1]
            players.begin(self._player, memory, seat)
            if past is None:
                players.note(self._player, memory, self.tables.pool[table : table + 1], seat, self._views)
            else:
                players.read(self._player, memory, past, seat)
        return None

    def answer(self, which: Numbers, luck: Lucks, actions: Actions, seconds: Seconds) -> dict[int, str]:
        start, before = perf_counter(), compilation.seconds
        players.answer(self._player, self._memory, self.tables.pool, which, luck, self._open, self._views, actions)
        seconds.fill((perf_counter() - start - (compilation.seconds - before)) / len(which))
        return {}

    def observe_actions(self, me: int, ledger: Ledger, which: Numbers, played: NDArray[np.bool_]) -> None:
        players.observe_tables(self._player, self._memory, self.tables.pool, me, ledger, which, played, self._views)

    def end(self, table: int, seat: int) -> str | None:
        if self._learns:
            memory, pool = self._memory[table, seat : seat + 1], self.tables.pool[table : table + 1]
            players.conclude(self._player, memory, pool, seat, self._open, self._views)
        return None


class PythonAgents:
    """Agents written in Python: one object per place, called view by view."""

    def __init__(self, make: Callable[[], Agent], game: Game, clock: Clock) -> None:
        self._make = make
        self._game = game
        self._clock = clock
        self._seated: dict[object, Agent] = {}

    def begin(self, place: object, seat: int, again: bool = False) -> str | None:
        """Start a game, with the previous object of the place if `again`; return the reason of a failure."""
        if not again:
            self._seated[place] = self._make()
        return self._clock.call(self._seated[place].begin, self._game, seat)[1]

    def only_acts(self, place: object) -> bool:
        """Return whether the agent does nothing when games begin and end."""
        kind = type(self._seated[place])
        return kind.begin is Agent.begin and kind.end is Agent.end

    def act(self, place: object, view: View, luck: int) -> tuple[int, str | None]:
        """Return the number of the chosen action, and the reason of a failure."""
        choice, why = self._clock.call(self._seated[place].act, view, Luck.of(luck))
        return number_of(choice, view) if why is None else (NO_ACTION, why)

    def end(self, place: object, look: Callable[[], View]) -> str | None:
        """End a game with the last view, where the agent takes one; return the reason of a failure."""
        end = self._seated[place].end
        return None if getattr(end, "__func__", None) is Agent.end else self._clock.call(end, look())[1]


class SeatedPython:
    """Agent written in Python that runs in this process."""

    remembers = False  # its views contain all that it saw

    def __init__(self, make: Callable[[], Agent], tables: Tables, is_open: bool, clock: Clock) -> None:
        self._people = PythonAgents(make, tables.game, clock)
        self._tables = tables
        self._open = is_open
        self._clock = clock

    def begin(self, table: int, seat: int, past: Rows | None) -> str | None:
        return failed_in("begin", self._people.begin((table, seat), seat))

    def answer(self, which: Numbers, luck: Lucks, actions: Actions, seconds: Seconds) -> dict[int, str]:
        broken: dict[int, str] = {}
        clock, people = self._clock, self._people
        views, numbers = self._tables.views(which, open=self._open), luck.tolist()
        for k, (table, view) in enumerate(zip(which.tolist(), views, strict=True)):
            actions[k], why = people.act((table, view.seat), view, numbers[k])
            seconds[k] = clock.spent
            if why is not None:
                broken[k] = f"ply {self._tables.plies[table]}: {why}"
        return broken

    def observe_actions(self, me: int, ledger: Ledger, which: Numbers, played: NDArray[np.bool_]) -> None:
        pass

    def end(self, table: int, seat: int) -> str | None:
        look = partial(self._tables.view, table, seat, open=self._open)
        return failed_in("end", self._people.end((table, seat), look))


def failed_in(hook: str, why: str | None) -> str | None:
    """Return the reason of a failure with the name of the method that failed."""
    return None if why is None else f"{hook}: {why}"


def answers(
    make: Callable[[], Agent] | ExternalAgent, tables: Tables, is_open: bool, clock: Clock | None = None
) -> SeatedAgent:
    """Create the `SeatedAgent` of an agent at these tables, with the full states if `is_open`."""
    clock = clock or Clock(math.inf)
    if isinstance(make, ExternalAgent):
        return make.sit(tables, is_open, clock.limit)
    agent = make()
    if isinstance(agent, Compiled):
        return SeatedCompiled(agent, tables, is_open)
    if isinstance(agent, ExternalAgent):
        return agent.sit(tables, is_open, clock.limit)
    return SeatedPython(make, tables, is_open, clock)


def number_of(choice: object, view: View) -> tuple[int, str | None]:
    """Return the number of a returned action (an action, its text or its number), or the reason why it is invalid."""
    if isinstance(choice, str):
        try:
            return view.numbers[view.legal.index(choice)], None
        except ValueError:
            pass
        why = ""
        try:
            number = view.game.kind.read_action(view.state, str(choice))  # another notation
        except BadInput as problem:
            number, why = NO_ACTION, f" ({problem})"
        if number in view.numbers:
            return number, None
        tried = f"seat {view.seat} tried {str(choice)!r}, which is not legal here{why}; legal: "
        return NO_ACTION, sentence(tried + ", ".join(sorted(view.legal)))
    if isinstance(choice, int | np.integer) and not isinstance(choice, bool) and choice in view.numbers:
        return int(choice), None
    return NO_ACTION, sentence(f"returned {short(choice)}, which is not one of {', '.join(view.legal)}")
