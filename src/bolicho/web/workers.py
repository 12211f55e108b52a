"""Agent registry and worker pools of the server.

Immediate agents, whose decisions are measured to be fast, decide in the thread of the database worker.  All other
decisions, and all explanations, run in worker processes, so that they delay no other request.
"""

import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from heapq import heappop, heappush
from itertools import count
from time import thread_time
from typing import Any, TypeVar

import numpy as np

from bolicho.agents.agent import Agent, Values, Within, is_oracle
from bolicho.agents.clock import compilation
from bolicho.agents.play import advice, answer
from bolicho.agents.player import Compiled
from bolicho.agents.registry import Entry, agent, built_in_entries, is_elsewhere
from bolicho.agents.spec import parse_spec, write_spec
from bolicho.arena.run_lock import end_with
from bolicho.errors import BadInput
from bolicho.games import game as make_game
from bolicho.games import game_names
from bolicho.games.game import Game, Table
from bolicho.i18n import Message, Several
from bolicho.progress import progress
from bolicho.web.refusal import Refusal

T = TypeVar("T")

BLINK = 0.004
"""Seconds that three of four decisions of an immediate agent may take at most."""

TRIED = 12  # decisions measured for each agent
NICENESS = {"judge": 5}  # niceness of worker processes, by pool
WAITING = 32  # concurrent calls of bots
SEATED = 1000  # agents in memory, by game with its rules


@dataclass(frozen=True)
class DecisionRequest:
    """Call of an agent: the position to decide, and its random numbers."""

    game: str
    rules: dict[str, Any]
    seed: int
    actions: tuple[int, ...]
    spec: str
    luck: str  # seed text of its random numbers
    watched: bool = False  # True if all seats are agents; matches with people come first

    def table(self) -> Table:
        """Return the position."""
        table = make_game(self.game, **self.rules).deal(self.seed)
        for action in self.actions:
            table.play(action)
        return table


def think(thought: DecisionRequest, explain: bool) -> dict[str, Any]:
    """Decide in a worker process; return the number and name of the action, with `explain` also its explanation."""
    table = thought.table()
    action, why = advice(table, agent(thought.spec, table.game), thought.luck)
    facts: dict[str, Any] = {"number": action.number, "action": str(action)}
    facts["says"] = table.game.kind.name_action(table.view().state, action).as_json()
    if explain:
        facts |= {"why": None, "lines": [], "picture": None} if why is None else why.as_json()
    return facts


class AgentPool:
    """Agents that may play on this server, and the worker pools that run them."""

    def __init__(self, games: Iterable[str] | None = None, also: Iterable[str] = (), processes: int = 1) -> None:
        self.games = tuple(games or game_names())
        self.also = tuple(also)  # specs that the server's operator allows beside the registered agents
        self._entries: dict[str, list[Entry]] = {}
        self._seconds: dict[tuple[str, str], float] = {}
        self._seated: dict[tuple[Game, str], Agent] = {}
        self._fitting: dict[tuple[Game, str], bool] = {}  # whether agents play by these rules, as far as known
        self._processes = processes
        self._pools: dict[str, ProcessPoolExecutor] = {}  # by purpose
        self._queue: list[tuple[bool, int, Future[Any], DecisionRequest]] = []  # heap of decisions to submit
        self._asked = count()
        self._moving = 0  # decisions that worker processes run
        self._lines = ThreadPoolExecutor(WAITING, "bot")  # threads that wait for bots
        self._lock = threading.Lock()
        self._is_closed = False

    def knows(self, game: str) -> bool:
        """Return whether matches of a game may be created: of those served, and of all that are known by name.

        An address (`module:KIND`) is never looked up, since that would import the module.
        """
        return game in self.games or game in game_names()

    def entries(self, game: str) -> list[Entry]:
        """Return the registered agents that play a game, without oracles and the terminal's human player."""
        if game not in self._entries:
            self._entries[game] = [
                e for e in built_in_entries() if e.name != "human" and not e.oracle and e.plays(game)
            ]
        return self._entries[game]

    def fitting(self, game: Game) -> list[Entry]:
        """Return the registered agents that play by the rules of a game."""
        return [entry for entry in self.entries(game.name) if self.fits(game, entry.name)]

    def option_values(self, game: str, bases: Sequence[str] = ()) -> dict[str, dict[str, Values]]:
        """Return the options that may be chosen, by agent; `bases` extends the case bases to choose from."""
        found = {entry.name: _option_values(entry, game, bases) for entry in self.entries(game)}
        return {name: values for name, values in found.items() if values}

    def check(self, game: Game, spec: str, numbers: bool = False, bases: Sequence[str] = ()) -> str:
        """Refuse an agent that may not play; return its canonical spec.

        Options have the values that the agent declares and `bases`; with `numbers`, an option without declared values
        may be a number, `true` or `false`.
        """
        if spec in self.also:
            self._check_rules(game, spec)
            return spec
        try:
            name, options = parse_spec(spec)
        except BadInput:
            name, options = spec, {}
        entry = next((entry for entry in self.entries(game.name) if entry.name == name), None)
        if entry is None:
            raise Refusal(422, Message("server.no-agent", agent=spec[:80], game=game.name))
        values = _option_values(entry, game.name, bases) if options else {}
        known = entry.options if numbers else values
        for option, value in options.items():
            if option not in known:
                raise no_option(name, option, known)
            if option in values:
                check_value(name, option, value, values[option])
            elif not isinstance(value, bool | int | float):
                raise Refusal(422, Message("server.option.number", agent=name, option=option))
        self._check_rules(game, write_spec(name, {key: value for key, value in options.items() if key in values}))
        return write_spec(name, options)

    def _check_rules(self, game: Game, spec: str) -> None:
        """Refuse an agent that cannot play by these rules, such as one whose artifact was made for others."""
        if not self.fits(game, spec):
            raise Refusal(422, Message("server.agent-rules", agent=parse_spec(spec)[0]))

    def fits(self, game: Game, spec: str) -> bool:
        """Return whether an agent plays by the rules of a game."""
        found = self._fitting.get((game, spec))
        if found is None:
            try:
                agent(spec, game)
                found = True
            except BadInput:
                found = False
            if len(self._fitting) >= SEATED:
                self._fitting.clear()
            self._fitting[game, spec] = found
        return found

    def check_adviser(self, game: Game, spec: str) -> str:
        """Refuse an agent that may not give a hint: one that may not play, or that sees hidden cards."""
        spec = self.check(game, spec)
        if is_oracle(agent(spec)):
            raise Refusal(422, Message("server.no-agent", agent=spec[:80], game=game.name))
        return spec

    # --- Immediate agents -----------------------------------------------------------------------

    def warm(self, more: Iterable[tuple[str, str]] = ()) -> None:
        """Let every agent decide a few times, to compile and load its code and to measure its decisions.

        `more` are agents, each with its game, that some matches use and that clients may not choose.
        """
        steps = [(name, spec) for name in self.games for spec in self._specs(name)]
        beside = [one for one in dict.fromkeys(more) if one[0] in self.games and one not in steps]
        steps += beside
        with progress("getting ready", len(steps)) as bar:
            for name, spec in steps:
                bar.update(what=f"getting ready: {name}, {spec}")
                try:
                    self._seconds[name, spec] = self._measure(make_game(name), spec)
                except BadInput:
                    if (name, spec) not in beside:  # reported later, when the agent is to play
                        raise
                bar.advance()

    def _specs(self, name: str) -> list[str]:
        game = make_game(name)
        specs = [entry.name for entry in self.entries(name)]
        return specs + [spec for spec in self.also if agent(spec).plays(game) is None]

    def _measure(self, game: Game, spec: str) -> float:
        """Return the third quartile of decision times: CPU time of this thread, without decisions that compile code."""
        player = agent(spec, game)
        if not isinstance(player, Compiled) or player.learns or is_oracle(player):
            return np.inf
        spent: list[float] = []
        for seed in (1, 2):
            table = game.deal(seed)
            for ply in range(TRIED // 2):
                if table.turn is None:
                    break
                start, compiled = thread_time(), compilation.seconds
                action = answer(table, player, ply)
                if ply and compilation.seconds == compiled:
                    spent.append(thread_time() - start)
                if len(spent) > 2 and min(spent) > 10 * BLINK:
                    return min(spent)
                table.play(action)
        table.view(0).data(), table.public_view().data()
        return sorted(spent)[3 * len(spent) // 4] if spent else np.inf

    def at_once(self, game: Game, spec: str) -> Agent | None:
        """Return the agent if its decisions are immediate."""
        if self._seconds.get((game.name, spec), np.inf) > BLINK:
            return None
        found = self._seated.get((game, spec))
        if found is None:
            while len(self._seated) >= SEATED:
                self._seated.pop(next(iter(self._seated)))
            found = self._seated[game, spec] = agent(spec, game)
        return found

    # --- Worker pools ---------------------------------------------------------------------------

    def think(self, thought: DecisionRequest, explain: bool = False) -> "Future[dict[str, Any]]":
        """Decide in a worker process.

        Explanations have a pool of their own.  Moves wait in a queue, matches with people first; no more are submitted
        than there are processes.  A bot at an address decides there: a thread waits for it and blocks no process.
        """
        if is_elsewhere(thought.spec):
            return self._lines.submit(think, thought, explain)
        if explain:
            return self.do("explain", think, thought, explain)
        found: Future[dict[str, Any]] = Future()
        with self._lock:
            heappush(self._queue, (thought.watched, next(self._asked), found, thought))
        self._ask_next()
        return found

    def _ask_next(self) -> None:
        """Submit waiting decisions to idle processes."""
        while True:
            with self._lock:
                if not self._queue or self._moving >= self._processes:
                    return
                _, _, asked, thought = heappop(self._queue)
                if not asked.set_running_or_notify_cancel():
                    continue
                self._moving += 1
            try:
                self.do("move", think, thought, False).add_done_callback(partial(self._moved, asked))
            except RuntimeError as problem:  # the server is shutting down
                self._answer(asked, None, problem)

    def _moved(self, asked: "Future[dict[str, Any]]", done: "Future[dict[str, Any]]") -> None:
        problem = RuntimeError("the server is shutting down") if done.cancelled() else done.exception()
        self._answer(asked, None if problem else done.result(), problem)
        self._ask_next()

    def _answer(self, asked: "Future[Any]", facts: Any, problem: BaseException | None) -> None:
        with self._lock:
            self._moving -= 1
        asked.set_result(facts) if problem is None else asked.set_exception(problem)

    def do(self, what: str, work: Callable[..., T], *facts: Any) -> "Future[T]":
        """Run a function in the worker pool of a purpose; replace the pool if it is broken."""
        with self._lock:
            if self._is_closed:
                raise RuntimeError("the server is shutting down")
            try:
                return self._pool(what).submit(work, *facts)
            except BrokenProcessPool:
                del self._pools[what]
                return self._pool(what).submit(work, *facts)

    def _pool(self, what: str) -> ProcessPoolExecutor:
        if what not in self._pools:
            count, context = self._processes if what == "move" else 1, multiprocessing.get_context("spawn")
            self._pools[what] = ProcessPoolExecutor(count, context, _quietly, (os.getpid(), NICENESS.get(what, 0)))
        return self._pools[what]

    def close(self) -> None:
        """Terminate all worker processes and cancel what waits."""
        self._lines.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            self._is_closed = True
            for _, _, asked, _ in self._queue:
                asked.cancel()
            self._queue.clear()
            pools = list(self._pools.values())
            self._pools.clear()
        while pools:  # without the lock: ending a pool runs callbacks that take it
            pool = pools.pop()
            for process in list(pool._processes.values()):  # `terminate_workers` from Python 3.14 on
                process.terminate()
            pool.shutdown(wait=True, cancel_futures=True)
            del pool
        gc.collect()  # frees the pools' semaphores before the server process ends


def _option_values(entry: Entry, game: str, bases: Sequence[str]) -> dict[str, Values]:
    values = entry.option_values(game)
    if isinstance(known := values.get("base"), tuple):
        values["base"] = (*known, *bases)
    return values


def no_option(name: str, option: str, known: Iterable[str]) -> Refusal:
    """Return the refusal of an option that may not be chosen over HTTP."""
    options = list(known)
    if not options:
        return Refusal(422, Message("server.option.none", agent=name))
    return Refusal(
        422, Message("server.option.unknown", agent=name, option=option[:40], options=Several(options, joined=","))
    )


def check_value(of: str, option: str, value: object, values: Values) -> None:
    """Refuse a value that an option may not have over HTTP."""
    if value in values:
        return
    about = {"agent": of, "option": option, "value": str(value)[:40]}
    if isinstance(values, Within):
        raise Refusal(422, Message("server.option.within", **about, least=values.least, most=values.most))
    raise Refusal(422, Message("server.option.value", **about, values=Several(values, joined=",")))


def _quietly(parent: int, patience: int) -> None:
    """Initialize a worker process: niceness, no reaction to Ctrl-C, and an end with its parent."""
    os.nice(patience)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    stay_with(parent)


def stay_with(parent: int) -> None:
    """End this process when its parent ends, also if that has already happened."""
    if os.getppid() != parent:
        os._exit(1)
    end_with(parent)


def names(agents: Sequence[str]) -> list[str]:
    """Return the names of agents at a table: their specs without options."""
    return [spec.split("(")[0] for spec in agents]
