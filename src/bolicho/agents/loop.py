"""The loop that plays all games: many tables in step.

The loop splits live tables by the agent that must act and calls each agent once for all its tables: a compiled player
in one call, an agent written in Python view by view. A finished table gets the next game. The outcome of a game depends
on its `Deal` alone, not on the number of parallel tables.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents import kernel as players
from bolicho.agents.agent import Agent, is_oracle
from bolicho.agents.clock import Clock, limited
from bolicho.agents.player import Compiled
from bolicho.agents.seated import (
    NO_ACTION,
    ExternalAgent,
    Lucks,
    PythonAgents,
    SeatedAgent,
    SeatedCompiled,
    Seconds,
    answers,
    failed_in,
)
from bolicho.games.compiled.chance import stream
from bolicho.games.game import Game, Table
from bolicho.games.jit import entry_point
from bolicho.games.kind import Action
from bolicho.games.tables import Actions, Numbers, Tables

TABLES = 256  # parallel tables; more bring little
CLEARED = 16  # games are concluded, and tables dealt again, once one in `CLEARED` tables has ended

Forfeit = tuple[int, str]
"""Seat that forfeits, and the reason in one sentence."""


@dataclass(frozen=True)
class Deal:
    """Game to play: the seed of its deal, the agent at each seat, the luck of each seat."""

    seed: int
    seated: Sequence[int]  # the number of the agent at each seat
    luck: Sequence[int]  # a number of 64 bits for each seat
    table: Table | None = None  # a game to continue instead; the loop plays at this table


@dataclass(frozen=True, eq=False)
class Outcome:
    """Outcome of a deal; lists are indexed by seat."""

    number: int  # number of the deal
    actions: Actions  # as numbers, including those before a continued table
    scores: list[int]
    payoffs: list[float]
    forfeit: Forfeit | None
    first: int | None  # the seat that had the first decision
    decisions: list[int]
    seconds: list[float]  # in all decisions, without compilation
    slowest: list[float]  # the longest single decision


Watch = Callable[[int, Action], None]
"""Callback after every played action, with the seat and the action."""


def forfeit_payoffs(seats: int, loser: int) -> list[float]:
    """Return the payoffs of a forfeit: -1 for the forfeiting seat, and +1 shared by the others."""
    return [-1.0 if seat == loser else 1 / (seats - 1) for seat in range(seats)]


# --- The loop -----------------------------------------------------------------------------------


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
    """Play deals to their end and yield outcomes as they finish; with `watch`, one after the other.

    `agents[a]()` creates agent `a`, unless it is an `ExternalAgent`. An agent forfeits if it raises, returns an
    illegal action, or exceeds `move_limit` seconds in one call: the game stops, the scores stay as they are, the
    payoffs are `forfeit_payoffs`, and the outcome holds the reason. Ctrl-C passes.
    """
    samples = [make if isinstance(make, ExternalAgent) else make() for make in agents]
    is_open = [isinstance(sample, Agent) and is_oracle(sample) for sample in samples] if oracles is None else oracles
    is_compiled = all(isinstance(sample, Compiled) for sample in samples)
    own = [make for make in agents if not isinstance(make, ExternalAgent)]
    count = min(tables, len(deals))
    is_local = count == 1 and not is_compiled and not any(isinstance(sample, ExternalAgent) for sample in samples)
    with limited(move_limit) as clock:
        if is_local or watch is not None:
            yield from _OneTable(game, own, deals, is_open, clock, watch).play()
        else:
            yield from _ManyTables(game, agents, deals, is_open, clock, count, logged=not is_compiled).play()


class _Room:
    """Games in progress, and the outcomes of finished ones."""

    def __init__(self, deals: Sequence[Deal]) -> None:
        self.deals = deals
        self.next = 0  # index of the next deal
        self.busy = 0  # tables with a live game
        self.finished: list[Outcome] = []

    def play(self) -> Iterator[Outcome]:
        """Play all deals and yield the outcomes."""
        while True:
            if self.finished:
                yield from self.finished
                self.finished.clear()
            if self.busy == 0:
                return
            self.step()

    def step(self) -> None:
        """Let agents decide and play their actions; conclude finished games and start the next deals."""
        raise NotImplementedError


def _first_failure(reasons: Iterable[str | None]) -> Forfeit | None:
    """Return the first seat with a reason of a failure; all are computed."""
    return next(((seat, why) for seat, why in enumerate(list(reasons)) if why is not None), None)


# --- One table, with agents in this process -------------------------------------------------------


class _OneTable(_Room):
    """Room of one table: a step is one view and one action, without arrays."""

    def __init__(
        self,
        game: Game,
        makers: Sequence[Callable[[], Agent]],
        deals: Sequence[Deal],
        is_open: Sequence[bool],
        clock: Clock,
        watch: Watch | None,
    ) -> None:
        super().__init__(deals)
        self.game = game
        self.agents = [PythonAgents(make, game, clock) for make in makers]
        self.is_open = is_open
        self.clock = clock
        self.watch = watch
        self.luck = _luck()
        self._seat()

    def _seat(self) -> None:
        """Start the next deal, unless there is a game; conclude it if it is over at once."""
        while self.busy == 0 and self.next < len(self.deals):
            self.deal = deal = self.deals[self.next]
            self.next, self.busy = self.next + 1, 1
            self.table = table = deal.table or self.game.deal(deal.seed)
            self.first, seats = table.turn, self.game.seats
            self.looks = [table.open_view if self.is_open[who] else table.view for who in deal.seated]
            self.people = [self.agents[who] for who in deal.seated]
            self.decisions, self.seconds, self.slowest = [0] * seats, [0.0] * seats, [0.0] * seats
            forfeit = _first_failure(failed_in("begin", who.begin(seat, seat)) for seat, who in enumerate(self.people))
            if forfeit is not None or table.over:
                self._conclude(forfeit)

    def step(self) -> None:
        table = self.table
        seat: int = table.turn  # type: ignore[assignment]  # no game is over here
        view = self.looks[seat](seat)
        number, why = self.people[seat].act(seat, view, self.luck(self.deal.luck[seat], view.ply))
        if why is None:
            spent = self.clock.spent
            self.decisions[seat] += 1
            self.seconds[seat] += spent
            if spent > self.slowest[seat]:
                self.slowest[seat] = spent
            table.play(number)
            if self.watch is not None:
                self.watch(seat, table.actions[-1])
            if not table.over:
                return
        self._conclude(None if why is None else (seat, f"ply {table.ply}: {why}"))
        self._seat()

    def _conclude(self, forfeit: Forfeit | None) -> None:
        """Finish the game (by a forfeit, if given)."""
        table, lost = self.table, forfeit
        for seat, who in enumerate(self.people):
            if forfeit is None or seat != forfeit[0]:
                broken = failed_in("end", who.end(seat, partial(self.looks[seat], seat)))
                lost = lost or (None if broken is None else (seat, broken))
        self.finished.append(
            Outcome(
                number=self.next - 1,
                actions=np.array([action.number for action in table.actions], np.int16),
                scores=table.scores,
                payoffs=table.payoffs if lost is None else forfeit_payoffs(self.game.seats, lost[0]),
                forfeit=lost,
                first=self.first,
                decisions=self.decisions,
                seconds=self.seconds,
                slowest=self.slowest,
            )
        )
        self.busy = 0


@cache
def _luck() -> Callable[..., int]:
    """Return the compiled `stream`, for the luck of a decision."""
    return entry_point(stream, np.uint64(0), 0)


# --- Many tables in step ------------------------------------------------------------------------


class Batch(NamedTuple):
    """Tables where one agent is called, and its answers."""

    which: Numbers
    luck: Lucks
    actions: Actions
    seconds: Seconds
    played: NDArray[np.bool_]  # True if the action was legal

    @classmethod
    def blank(cls, count: int) -> "Batch":
        """Allocate a batch of `count` tables."""
        numbers = np.zeros(count, np.int64), np.zeros(count, np.uint64), np.zeros(count, np.int16)
        return cls(*numbers, np.zeros(count), np.zeros(count, np.bool_))

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


class _ManyTables(_Room):
    """Room of many tables: a step asks each agent once, for all its tables."""

    def __init__(
        self,
        game: Game,
        makers: Sequence[Callable[[], Agent] | ExternalAgent],
        deals: Sequence[Deal],
        is_open: Sequence[bool],
        clock: Clock,
        count: int,
        logged: bool,
    ) -> None:
        super().__init__(deals)
        self.tables = Tables(game, count, logged=logged)
        self.agents = [answers(make, self.tables, seen, clock) for make, seen in zip(makers, is_open, strict=True)]
        self.ledger = players.ledger(count, game.seats)
        self.batch, self.counts = Batch.blank(count), np.zeros(len(self.agents), np.int64)
        self.ended = 0  # games to conclude
        self._split, self._step = _entry_points(game)
        self.rememberers = [a for a, agent in enumerate(self.agents) if agent.remembers]
        self.told = any(not isinstance(agent, SeatedCompiled) or agent.told for agent in self.agents)
        """True if an agent is called when games begin and end."""
        self._seat(np.arange(count))

    def step(self) -> None:
        batch, count, at = self.batch, self.tables.count, 0
        self._split(self.ledger, self.tables.plies, self.counts, batch.which, batch.luck)
        for agent, waiting in zip(self.agents, self.counts.tolist(), strict=True):
            if waiting:
                self.ended += self._ask(agent, batch if waiting == count else batch.part(at, at + waiting))
                at += waiting
        if self.ended >= min(max(1, count // CLEARED), self.busy):  # clearing many tables costs as much as one
            self._conclude(np.flatnonzero((self.ledger["turn"] < 0) & (self.ledger["dealt"] >= 0)).tolist())
            self.ended = 0
            self._seat(np.flatnonzero(self.ledger["dealt"] < 0))

    def _ask(self, agent: SeatedAgent, batch: Batch) -> int:
        """Call an agent for its tables and play its answers; return the number of ended games."""
        which, luck, actions, seconds, played = batch
        broken = agent.answer(which, luck, actions, seconds)
        for k in broken:
            actions[k] = NO_ACTION
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
        pasts = [None if deal.table is None else deal.table.noted[seat] for seat in range(len(deal.seated))]
        forfeit = _first_failure(
            self.agents[who].begin(table, seat, pasts[seat]) for seat, who in enumerate(deal.seated)
        )
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
            actions, continued = self.tables.actions(table), self.deals[numbers[k]].table
            if continued is not None:
                continued.play_all(actions[continued.ply :])
            self.finished.append(
                Outcome(
                    number=numbers[k],
                    actions=actions,
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
