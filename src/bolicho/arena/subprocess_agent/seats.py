"""Adapter between the loop and an agent in a child process.

If the process dies, hangs or breaks the protocol, the agent forfeits the game at that table, and the process is
restarted.  At the other tables all earlier requests are repeated in order, which restores the agent's state.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.registry import Traits
from bolicho.agents.seated import NO_ACTION, ExternalAgent, Ledger, Lucks, Rows, SeatedAgent, Seconds
from bolicho.arena.identity import Places
from bolicho.arena.subprocess_agent.fork_server import ProcessLost
from bolicho.arena.subprocess_agent.process import Process
from bolicho.arena.subprocess_agent.protocol import (
    ACT,
    ASK,
    BEGIN,
    END,
    MAX_QUESTIONS,
    NEXT_GAME,
    PLAIN,
    Answer,
    Asks,
    Question,
    message,
)
from bolicho.errors import BadInput
from bolicho.games.game import Game, Table, View
from bolicho.games.kind import copy_pool
from bolicho.games.tables import Actions, Numbers, Tables

NOBODY = 0  # `_Seat.known` before any process has seen the game
NOWHERE, NO_LUCK = np.zeros(0, np.int64), np.zeros(0, np.uint64)


@dataclass
class _Seat:
    """A seat at a table, with the data to repeat all its requests."""

    table: int
    seat: int
    place: int
    start: bytes
    luck: list[int] = field(default_factory=list)  # luck of each decision so far
    known: int = NOBODY  # number of the process that has the state of this seat
    told: int = 0  # rows of the log that were sent to it


@dataclass(frozen=True)
class SubprocessAgent(ExternalAgent):
    """Agent in a child process."""

    process: Process
    learns: bool

    def sit(self, tables: Tables, is_open: bool, limit: float) -> "SubprocessAnswers":
        return SubprocessAnswers(self.process, tables, is_open, self.learns)


class SubprocessAnswers(SeatedAgent):
    """Seated agent whose answers come from a child process.  It plays whole games, from their deal on."""

    remembers = False  # its views hold all earlier events

    def __init__(self, process: Process, tables: Tables, is_open: bool, learns: bool) -> None:
        self._process = process
        self._tables = tables
        self._open = is_open
        self._learns = learns
        self._plain = (
            False  # the agent has no begin or end: it is made at its first decision, which saves two requests a game
        )
        self._seats: dict[tuple[int, int], _Seat] = {}

    def begin(self, table: int, seat: int, past: Rows | None) -> str | None:
        assert past is None, "an agent in another process plays whole games"
        before = self._seats.get((table, seat))
        place = len(self._seats) if before is None else before.place
        here = self._seats[table, seat] = _Seat(table, seat, place, self._tables.pool[table].tobytes())
        if self._plain and not self._learns:
            return None
        if (
            self._learns and before is not None and before.known == self._process.alive and self._process.has_server
        ):  # the process has all it learned
            here.known = before.known
            return self._ask([here], NEXT_GAME)[0][2]
        return self._start_and_restore([here]).get(0)

    def answer(self, which: Numbers, luck: Lucks, actions: Actions, seconds: Seconds) -> dict[int, str]:
        turns = self._tables.turn[which].tolist()
        seats = [self._seats[place] for place in zip(which.tolist(), turns, strict=True)]
        answers = self._ask(seats, ACT, which, luck)
        for here, number in zip(seats, luck.tolist(), strict=True):
            here.luck.append(number)
        actions[:] = [action for action, _, _ in answers]
        seconds[:] = [spent for _, spent, _ in answers]
        return {k: why for k, (_, _, why) in enumerate(answers) if why is not None}

    def observe_actions(self, me: int, ledger: Ledger, which: Numbers, played: NDArray[np.bool_]) -> None:
        pass

    def end(self, table: int, seat: int) -> str | None:
        return None if self._plain else self._ask([self._seats[table, seat]], END)[0][2]

    def _ask(
        self, seats: list[_Seat], what: int, which: Numbers = NOWHERE, luck: NDArray[np.uint64] = NO_LUCK
    ) -> list[Answer]:
        """Return an answer from each seat, also if the process is lost meanwhile."""
        answers: list[Answer | None] = [None] * len(seats)
        while left := [k for k, answer in enumerate(answers) if answer is None]:
            broken = self._start_and_restore([seats[k] for k in left])
            for i, why in broken.items():
                answers[left[i]] = NO_ACTION, 0.0, why
            left = [k for k in left if answers[k] is None]
            if left and self._process.alive > 0:
                asked = [seats[k] for k in left]
                message = self._questions(asked, which[left], luck[left]) if what == ACT else self._last(asked[0], what)
                got, lost = self._process.ask(*message)
                for k, answer in zip(left, got, strict=False):
                    answers[k] = answer if answer[2] is None else (*answer[:2], self._in(what, seats[k], answer[2]))
                if lost is not None:
                    k = left[len(got)]
                    answers[k] = NO_ACTION, 0.0, self._in(what, seats[k], lost)
        return [answer for answer in answers if answer is not None]

    def _in(self, what: int, here: _Seat, why: str) -> str:
        """Return a reason with its place in the game."""
        where = {ACT: f"ply {self._tables.plies[here.table]}", END: "end"}.get(what, "begin")
        return f"{where}: {why}"

    def _questions(self, seats: list[_Seat], which: Numbers, luck: NDArray[np.uint64]) -> tuple[Asks, bytes]:
        """Return the message that requests decisions at some tables."""
        asks = np.zeros(len(seats), ASK)
        logs = []
        for here in seats:
            log = self._tables.log(here.table, here.seat, here.told, open=self._open)
            here.told += len(log)
            logs.append(log.tobytes())
        asks["what"], asks["open"], asks["seat"] = ACT, self._open, self._tables.turn[which]
        asks["place"], asks["luck"], asks["log"] = [here.place for here in seats], luck, list(map(len, logs))
        return asks, b"".join([self._tables.look(which, open=self._open)[0].tobytes(), *logs])

    def _last(self, here: _Seat, what: int) -> tuple[Asks, bytes]:
        """Return the message on the end of a game, or on the beginning of another."""
        if what == NEXT_GAME:
            return message([self._opening(here, NEXT_GAME)])
        return message([self._question(here, END, 0, self._tables.view(here.table, here.seat, open=self._open))])

    def _start_and_restore(self, seats: list[_Seat]) -> dict[int, str]:
        """Start the process if needed and restore the state of these seats; return failed seats with reasons."""
        broken: dict[int, str] = {}
        try:
            self._process.start()
        except ProcessLost as problem:
            return dict.fromkeys(range(len(seats)), f"begin: {problem}")
        alive = self._process.alive
        for k, here in enumerate(seats):
            if here.known != alive and self._process.alive > 0:
                answers, lost = self._ask_again(here)
                if lost is None and answers[0][2] is None:
                    here.known = alive
                    self._plain = answers[0][0] == PLAIN
                else:
                    broken[k] = self._in(BEGIN if len(answers) < 2 else ACT, here, lost or str(answers[0][2]))
        return broken

    def _ask_again(self, here: _Seat) -> tuple[list[Answer], str | None]:
        """Repeat all requests of a seat, from the beginning of its game."""
        questions = [self._opening(here, BEGIN), *self._decisions(here)]
        answers: list[Answer] = []
        lost = None
        while lost is None and len(answers) < len(questions):
            more, lost = self._process.ask(*message(questions[len(answers) :][:MAX_QUESTIONS]))
            answers += more
        return answers, lost

    def _opening(self, here: _Seat, what: int) -> Question:
        here.told = 0
        return Question((what, self._open, here.seat, here.place, 0, 0), self._tables.game.blank_bytes)

    def _question(self, here: _Seat, what: int, luck: int, view: View) -> Question:
        log = view.rows[here.told :].tobytes()
        here.told = len(view.rows)
        return Question((what, self._open, here.seat, here.place, luck, len(log)), view.pool.tobytes(), log)

    def _decisions(self, here: _Seat) -> Iterator[Question]:
        """Yield the questions of a seat's decisions so far."""
        game = self._tables.game
        again = Table(game, copy_pool(np.frombuffer(here.start, game.dtype)), {})
        moves = iter(self._tables.actions(here.table))
        for luck in here.luck:
            while again.turn != here.seat:
                again.play(next(moves))
            view = again.open_view(here.seat) if self._open else again.view(here.seat)
            yield self._question(here, ACT, luck, view)
            again.play(next(moves))


@dataclass(frozen=True)
class Description:
    """Traits of an agent in another process, and the sources and files it consists of."""

    traits: Traits
    modules: Places
    files: Places


def describe(spec: str, game: Game) -> Description:
    """Describe an agent; its code is loaded in a child process."""
    said = Process(game, spec, None).describe()
    try:
        read: list[Places] = [
            {name: None if path is None else Path(path) for name, path in said[key].items()}
            for key in ("modules", "files")
        ]
        return Description(Traits(bool(said["oracle"]), bool(said["learns"]), built_in=False), *read)
    except (AttributeError, KeyError, TypeError):
        raise BadInput(f"the agent {spec} cannot be made: its process sent an invalid message") from None
