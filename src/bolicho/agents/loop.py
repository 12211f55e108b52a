"""The loop that plays all games: many tables in step.

The loop splits live tables by the agent that must act and calls each agent once for all its tables: a compiled player
in one call, an agent written in Python view by view. A finished table gets the next game. The outcome of a game depends
on its `Deal` alone, not on the number of parallel tables.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from time import perf_counter
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bolicho.agents import kernel as players
from bolicho.agents.agent import Agent, is_oracle
from bolicho.agents.agent_errors import sentence, short
from bolicho.agents.clock import Clock, compilation, limited
from bolicho.agents.player import Compiled, Luck
from bolicho.errors import BadInput
from bolicho.games.game import Game, Table, View
from bolicho.games.jit import entry_point
from bolicho.games.tables import Numbers, Tables

TABLES = 256  # parallel tables; more bring little
CLEARED = 16  # games are concluded, and tables dealt again, once one in `CLEARED` tables has ended

Forfeit = tuple[int, str]
"""Seat that forfeits, and the reason in one sentence."""


@dataclass(frozen=True)
class Deal:
    """Game to play: the seed of its deal or a table to continue, the agent at each seat, the luck of each seat."""

    seed: int
    seated: Sequence[int]  # the number of the agent at each seat
    luck: Sequence[int]  # a number of 64 bits for each seat
    table: Table | None = None


@dataclass(frozen=True, eq=False)
class Outcome:
    """Outcome of a deal; lists are indexed by seat."""

    number: int  # number of the deal
    actions: NDArray[np.int16]  # as numbers, including those before a continued table
    scores: list[int]
    payoffs: list[float]
    forfeit: Forfeit | None
    first: int | None  # the seat that had the first decision
    decisions: list[int]
    seconds: list[float]  # in all decisions, without compilation
    slowest: list[float]  # the longest single decision


NO_ACTION = -1

Ledger = NDArray[np.void]
"""Data of the loop for each table: see `kernel.desks`."""

Lucks = NDArray[np.uint64]
"""Luck of each decision."""

Seconds = NDArray[np.float64]
"""Duration of each decision."""

Rows = NDArray[np.int16]
"""Rows of events."""

Watch = Callable[[Tables, int, int], None]
"""Callback after every played action, with the tables, the table's number and the seat."""


def forfeit_payoffs(seats: int, loser: int) -> list[float]:
    """Return the payoffs of a forfeit: -1 for the forfeiting seat, and +1 shared by the others."""
    return [-1.0 if seat == loser else 1 / (seats - 1) for seat in range(seats)]


class SeatedAgent(Protocol):
    """Decisions of one agent at all its tables."""

    def begin(self, table: int, seat: int, past: Rows | None) -> str | None:
        """Start a game, or resume one after the seat's events (None: at the deal); return the reason of a failure."""

    def answer(self, which: Numbers, luck: Lucks, actions: Numbers, seconds: Seconds) -> dict[int, str]:
        """Write the actions at these tables and their durations; return reasons of failures by index in `which`."""

    def observe_actions(self, me: int, ledger: Ledger, which: Numbers, played: NDArray[np.bool_]) -> None:
        """Observe the actions `played` at these tables, where the agent of number `me` may have seats."""

    def end(self, table: int, seat: int) -> str | None:
        """End a game; return the reason of a failure."""

    remembers: bool
    """True if the agent must observe events (`observe_actions`)."""


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

    def answer(self, which: Numbers, luck: Lucks, actions: Numbers, seconds: Seconds) -> dict[int, str]:
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

    def end(self, place: object, view: View) -> str | None:
        """End a game; return the reason of a failure."""
        return self._clock.call(self._seated[place].end, view)[1]


class SeatedPython:
    """Agent written in Python that runs in this process."""

    remembers = False  # its views contain all that it saw

    def __init__(self, make: Callable[[], Agent], tables: Tables, is_open: bool, clock: Clock) -> None:
        self._people = PythonAgents(make, tables.game, clock)
        self._tables = tables
        self._open = is_open
        self._clock = clock

    def begin(self, table: int, seat: int, past: Rows | None) -> str | None:
        return _in("begin", self._people.begin((table, seat), seat))

    def answer(self, which: Numbers, luck: Lucks, actions: Numbers, seconds: Seconds) -> dict[int, str]:
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
        return _in("end", self._people.end((table, seat), self._tables.view(table, seat, open=self._open)))


def _in(hook: str, why: str | None) -> str | None:
    return None if why is None else f"{hook}: {why}"


def answers(make: Callable[[], Agent], tables: Tables, is_open: bool, clock: Clock | None = None) -> SeatedAgent:
    """Create the `SeatedAgent` of an agent at these tables, with the full states if `is_open`."""
    agent, clock = make(), clock or Clock(math.inf)
    if isinstance(agent, Compiled):
        return SeatedCompiled(agent, tables, is_open)
    if isinstance(agent, ExternalAgent):
        return agent.sit(tables, is_open, clock.limit)
    return SeatedPython(make, tables, is_open, clock)


def number_of(choice: object, view: View) -> tuple[int, str | None]:
    """Return the number of a returned action (an action, its text or its number), or the reason why it is invalid."""
    if isinstance(choice, str):
        if choice in view.legal:
            return view.numbers[view.legal.index(choice)], None
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


# --- The loop -----------------------------------------------------------------------------------


@runtime_checkable
class ExternalAgent(Protocol):
    """External agent, or one in another process: it provides its own `SeatedAgent`, with a time limit in seconds."""

    def sit(self, tables: Tables, is_open: bool, limit: float) -> SeatedAgent: ...


def play_deals(
    game: Game,
    agents: Sequence[Callable[[], Agent] | ExternalAgent],
    deals: Sequence[Deal],
    *,
    tables: int = TABLES,
    oracles: Sequence[bool] | None = None,
    move_limit: float | None = None,
    watch: Watch | None = None,
) -> Iterator[Outcome]:
    """Play deals to their end and yield outcomes as they finish.

    `agents[a]()` creates agent `a`, unless it is an `ExternalAgent`. An agent forfeits if it raises, returns an
    illegal action, or exceeds `move_limit` seconds in one call: the game stops, the scores stay as they are, the
    payoffs are `forfeit_payoffs`, and the outcome holds the reason. Ctrl-C passes.
    """
    with limited(move_limit) as clock:
        yield from _Room(game, agents, deals, min(tables, len(deals)), oracles, clock, watch).play()


class Batch(NamedTuple):
    """Tables where one agent is called, and its answers."""

    which: Numbers
    luck: Lucks
    actions: Numbers
    seconds: Seconds
    played: NDArray[np.bool_]  # True if the action was legal

    @classmethod
    def blank(cls, count: int) -> "Batch":
        """Allocate a batch of `count` tables."""
        which, actions = np.zeros((2, count), np.int64)
        return cls(which, np.zeros(count, np.uint64), actions, np.zeros(count), np.zeros(count, np.bool_))

    def part(self, first: int, end: int) -> "Batch":
        """Return a slice of the tables, sharing the arrays."""
        return Batch._make(array[first:end] for array in self)


@lru_cache
def _entry_points(game: Game) -> tuple[Callable[..., None], Callable[..., tuple[int, int]]]:
    """Return `players.split` and `players.step`, the steps over all tables, compiled for the arrays of a game."""
    tables, ledger, (which, luck, actions, seconds, played) = (
        Tables(game, 1),
        players.ledger(1, game.seats),
        Batch.blank(1),
    )
    return (
        entry_point(players.split, ledger, tables.plies, which, which, luck),
        entry_point(players.step, ledger, tables.arrays, which, actions, played, seconds),
    )


class _Room:
    """Tables, and the agents seated at them."""

    def __init__(
        self,
        game: Game,
        makers: Sequence[Callable[[], Agent] | ExternalAgent],
        deals: Sequence[Deal],
        count: int,
        oracles: Sequence[bool] | None,
        clock: Clock,
        watch: Watch | None,
    ) -> None:
        samples = [None if isinstance(make, ExternalAgent) else make() for make in makers]
        is_open = [sample is not None and is_oracle(sample) for sample in samples] if oracles is None else oracles
        fast = all(isinstance(sample, Compiled) for sample in samples) and not watch
        self.tables = Tables(game, count, logged=not fast)
        self.agents = [
            make.sit(self.tables, seen, clock.limit)
            if isinstance(make, ExternalAgent)
            else SeatedPython(make, self.tables, seen, clock)
            if watch
            else answers(make, self.tables, seen, clock)
            for make, seen in zip(makers, is_open, strict=True)
        ]
        self.watch = watch
        self.deals = deals
        self.next = 0  # index of the next deal
        self.busy = 0  # tables with a live game
        self.ledger = players.ledger(count, game.seats)
        self._split, self._step = _entry_points(game)
        self.finished: list[Outcome] = []
        self.rememberers = [a for a, agent in enumerate(self.agents) if agent.remembers]
        self.told = any(not isinstance(agent, SeatedCompiled) or agent.told for agent in self.agents)
        """True if an agent is called when games begin and end."""

    def play(self) -> Iterator[Outcome]:
        count, split, everything = self.tables.count, self._split, Batch.blank(self.tables.count)
        counts = np.zeros(len(self.agents), np.int64)
        ended, enough = 0, max(1, count // CLEARED)
        self._seat(np.arange(count))
        while True:
            if self.finished:
                yield from self.finished
                self.finished.clear()
            if self.busy == 0:
                return
            split(self.ledger, self.tables.plies, counts, everything.which, everything.luck)
            at = 0
            for agent, waiting in zip(self.agents, counts.tolist(), strict=True):
                if waiting:
                    ended += self._ask(agent, everything if waiting == count else everything.part(at, at + waiting))
                    at += waiting
            if ended >= min(enough, self.busy):  # clearing many tables costs as much as clearing one
                self._conclude(np.flatnonzero((self.ledger["turn"] < 0) & (self.ledger["dealt"] >= 0)).tolist())
                ended = 0
                self._seat(np.flatnonzero(self.ledger["dealt"] < 0))

    def _ask(self, agent: SeatedAgent, batch: Batch) -> int:
        """Call an agent for its tables and play its answers; return the number of ended games."""
        which, luck, actions, seconds, played = batch
        broken = agent.answer(which, luck, actions, seconds)
        for k in broken:
            actions[k] = NO_ACTION
        seats = self.ledger["turn"][which].tolist() if self.watch is not None else ()
        self.tables.make_room()
        refused, ended = self._step(self.ledger, self.tables.arrays, which, actions, played, seconds)
        if refused:
            for k in np.flatnonzero(~played).tolist():
                ply = self.tables.plies[which[k]]
                broken.setdefault(k, f"ply {ply}: tried the action {actions[k]}, which is not legal here")
            for k, why in broken.items():
                self._conclude([int(which[k])], (int(self.ledger["turn"][which[k]]), why))
        for other in self.rememberers:
            self.agents[other].observe_actions(other, self.ledger, which, played)
        if self.watch is not None:
            for k in np.flatnonzero(played).tolist():
                self.watch(self.tables, int(which[k]), seats[k])
        return int(ended)

    def _seat(self, free: Numbers) -> None:
        """Start the next deals at the free tables."""
        while len(free) and self.next < len(self.deals):
            free, first, seats = free[: len(self.deals) - self.next], self.next, self.tables.game.seats
            deals = self.deals[first : first + len(free)]
            self.next += len(free)
            self.busy += len(free)
            if fresh := [k for k, deal in enumerate(deals) if deal.table is None]:
                self.tables.deal(np.array([deals[k].seed for k in fresh], np.uint64), free[fresh])
            for table, deal in zip(free.tolist(), deals, strict=True):
                if deal.table is not None:
                    self.tables.place(table, deal.table)
            self.ledger["dealt"][free] = np.arange(first, self.next)
            self.ledger["seated"][free, :seats] = [deal.seated for deal in deals]
            self.ledger["keys"][free, :seats] = np.array([deal.luck for deal in deals], np.uint64)
            for name in ("decisions", "seconds", "slowest"):
                self.ledger[name][free] = 0
            self.ledger["turn"][free] = self.ledger["first"][free] = self.tables.turn[free]
            for table, deal in zip(free.tolist(), deals, strict=True) if self.told else ():
                self._begin(table, deal)
            over = free[(self.ledger["turn"][free] < 0) & (self.ledger["dealt"][free] >= 0)]
            if len(over):
                self._conclude(over.tolist())
            free = free[self.ledger["dealt"][free] < 0]

    def _begin(self, table: int, deal: Deal) -> None:
        """Call `begin` of all agents at a table."""
        forfeit = None
        for seat, who in enumerate(deal.seated):
            past = None if deal.table is None else deal.table.noted[seat]
            broken = self.agents[who].begin(table, seat, past)
            forfeit = forfeit or (None if broken is None else (seat, broken))
        if forfeit is not None:
            self._conclude([table], forfeit)

    def _conclude(self, done: list[int], forfeit: Forfeit | None = None) -> None:
        """Finish games (by a forfeit, if given) and free their tables."""
        seats, ledger = self.tables.game.seats, self.ledger[done]
        scores = self.tables.scores(done).tolist()
        payoffs = self.tables.payoffs(done).tolist() if forfeit is None else [[]] * len(done)
        decisions, seconds, slowest = (ledger[name][:, :seats].tolist() for name in ("decisions", "seconds", "slowest"))
        numbers, first, seated = (
            ledger["dealt"].tolist(),
            ledger["first"].tolist(),
            ledger["seated"][:, :seats].tolist(),
        )
        for k, table in enumerate(done):
            lost = forfeit
            for seat, who in enumerate(seated[k]) if self.told else ():
                if forfeit is None or seat != forfeit[0]:
                    broken = self.agents[who].end(table, seat)
                    lost = lost or (None if broken is None else (seat, broken))
            self.finished.append(
                Outcome(
                    number=numbers[k],
                    actions=self.tables.actions(table),
                    scores=scores[k],
                    payoffs=payoffs[k] if lost is None else forfeit_payoffs(seats, lost[0]),
                    forfeit=lost,
                    first=first[k] if first[k] >= 0 else None,
                    decisions=decisions[k],
                    seconds=seconds[k],
                    slowest=slowest[k],
                )
            )
        self.ledger["dealt"][done] = self.ledger["turn"][done] = -1
        self.busy -= len(done)
