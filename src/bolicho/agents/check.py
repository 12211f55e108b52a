"""One validator that every agent passes, ours or anyone's: `check_agent(agent, game)`.

It is to players what `check_game` is to games: it lets the agent play itself, puts it into the
same situations in other ways, and raises `BrokenPromise` with the record that shows the fault.
"""

import json
import sys
import warnings
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.agent import Agent, Explanation, is_oracle
from bolicho.agents.loop import Deal, answers, number_of, play_deals
from bolicho.agents.meet import deal_seed, in_rotation, luck_of_seats
from bolicho.agents.mixture import mixture_of
from bolicho.agents.player import Compiled, Luck
from bolicho.agents.registry import recipe
from bolicho.errors import BadInput
from bolicho.games.check import SUSPICION, BrokenPromise, chi_square_tail
from bolicho.games.compiled.chance import stream
from bolicho.games.game import Game, Table, View
from bolicho.games.kind import Action
from bolicho.games.record import write_record
from bolicho.games.tables import Tables
from bolicho.words import LANGUAGES, words

DRAWS = 500
RARE = 10
"""How often a decision is drawn, to see whether it comes about as its mixture says; fewer times are rare."""

REDEALS = 3
"""How many other deals that a seat cannot tell from the real one are tried in a position."""


@dataclass
class Report:
    """What `check_agent` went through."""

    games: int = 0
    decisions: int = 0  # that were looked into
    redeals: int = 0
    explanations: int = 0
    mixtures: int = 0


def check_agent(agent: str | Callable[[], Agent], game: Game, games: int = 3, looks: int = 40, seed: int = 0) -> Report:
    """Let an agent (a spec, or what makes it) play `games` games against itself; look into `looks` decisions of each.

    Its answers are legal; the same for the same view and luck, whether it is asked again, was made anew in the
    middle of the game, sits at one table or at many; they do not depend on what the seat may not know (an
    oracle's may); looking changes nothing of what is shown; an explanation is of the action that was taken, can
    be said in every language, and its facts and picture are JSON; where it tells its mixture, decisions drawn anew
    agree with it.  A deal is decided alike before and after the agent has played it from the other seats.  An agent
    limited by time, and one that learns from game to game, cannot promise this.

    State of the agent's modules and classes that changes with every game is a `UserWarning` that names it.
    """
    if isinstance(agent, str):
        found = recipe(agent, game.name)
        check = _Check(agent, found.maker(game), game, seed, found.factory)
    else:
        check = _Check(agent().__class__.__name__, agent, game, seed, agent)
    report = check.run(games, looks)
    if names := check.changed():
        warnings.warn(f"{check.name}: {', '.join(names)} changed while it played; {_NOT_CARRIED}", stacklevel=2)
    return report


_NOT_CARRIED = (
    "a tournament plays each rotation of a deal in another process, so what a module or a class remembers is not there "
    "when the deal is played from another seat: keep what a game needs in the object"
)
_CALLS: Counter[tuple[str, str]] = Counter()
"""Checks of an agent and a game in this process, so that each plays deals that no check of it before has played."""


class _Check:
    def __init__(self, name: str, make: Callable[[], Agent], game: Game, seed: int, factory: object) -> None:
        self.name = name
        self.make = make
        self.game = game
        self.seed = seed
        made = make()
        self.oracle = is_oracle(made)
        self.report = Report()
        self.modules = _own_modules(made, factory)
        self.before: dict[str, Any] | None = None  # the state outside objects, once a deal was played

    def run(self, games: int, looks: int) -> Report:
        fault = self._rotation_fault(games)
        if fault is not None and self._repeats(games):
            self._demand(False, _REMEMBERS, *fault)
        self._check_games(games, looks)
        if fault is not None:
            self._demand(False, _REMEMBERS, *fault)
        return self.report

    def changed(self) -> list[str]:
        """Names of module and class state that has changed since the first deal, when caches of files were full."""
        if self.before is None:
            return []
        now = _state(self.modules)
        return [name for name in now if name not in self.before or now[name] != self.before[name]]

    def _rotation_fault(self, games: int) -> tuple[Deal, list[int]] | None:
        """Find a deal that the agent decides differently once it has played it from the other seats."""
        for seed in self._new_seeds(games):
            rotations = [in_rotation(self.game.seats, rotation, seed, seed) for rotation in range(self.game.seats)]
            first, *_, again = self._play([*rotations, rotations[0]], tables=1, others=True)
            if self.before is None:
                self.before = _state(self.modules)
            if first != again:
                return rotations[0], again
        return None

    def _repeats(self, games: int) -> bool:
        """Return whether the agent decides a deal alike when it plays it twice from one seat."""
        for seed in self._new_seeds(games):
            deal = in_rotation(self.game.seats, 0, seed, seed)
            first, again = self._play([deal, deal], tables=1, others=True)
            if first != again:
                return False
        return True

    def _new_seeds(self, games: int) -> list[int]:
        """Seeds of deals that this process has not played."""
        about = self.name, self.game.name
        _CALLS[about] += 1
        return [deal_seed(f"{self.seed} {' '.join(about)} {_CALLS[about]}", number) for number in range(games)]

    def _check_games(self, games: int, looks: int) -> None:
        seeds = [self.seed * 1_000_003 + number + 1 for number in range(games)]
        deals = [Deal(seed, [0] * self.game.seats, luck_of_seats(seed, self.game.seats)) for seed in seeds]
        alone = self._play(deals, tables=1)
        for deal, actions, among in zip(deals, alone, self._play(deals, tables=games), strict=True):
            self._demand(among == actions, "plays otherwise at one of many tables than at one", deal, among)
            self._check_game(deal, actions, looks)
            self.report.games += 1

    def _play(self, deals: Sequence[Deal], tables: int, others: bool = False) -> list[list[int]]:
        """The actions of deals the agent plays against itself, or against agents that act at random."""
        played: list[list[int]] = [[] for _ in deals]
        opponents = [recipe("random", self.game.name).maker(self.game)] * (self.game.seats - 1) if others else []
        for outcome in play_deals(self.game, [self.make, *opponents], deals, tables=tables):
            actions = played[outcome.number] = outcome.actions.tolist()
            if outcome.forfeit is not None:
                self._demand(False, f"breaks: {outcome.forfeit[1]}", deals[outcome.number], actions)
        return played

    def _check_game(self, deal: Deal, actions: list[int], looks: int) -> None:
        """Play a game again, action by action, and look into some decisions."""
        rng = np.random.default_rng([self.seed, deal.seed])
        chosen = {int(ply) for ply in rng.permutation(len(actions))[:looks]}
        halfway = int(rng.integers(len(actions))) if actions else -1
        table = self.game.deal(deal.seed)
        seated = [self._sit_down(seat) for seat in range(self.game.seats)]
        for ply, action in enumerate(actions):
            if ply == halfway:
                again = self._play([Deal(deal.seed, deal.seated, deal.luck, table.copy())], tables=1)[0]
                self._demand(again == actions, "goes on otherwise when it is made anew in the middle", deal, again)
            assert table.turn is not None
            luck = int(stream(np.uint64(deal.luck[table.turn]), ply))
            self._check_answer(table, seated[table.turn], luck, action, ply in chosen)
            table.play(action)
        for seat, agent in enumerate(seated):
            agent.end(self._view(table, seat))

    def _check_answer(self, table: Table, agent: Agent, luck: int, wanted: int, closely: bool) -> None:
        """Ask an agent that has sat here from the beginning by its Python face; closely, also others in its place."""
        assert table.turn is not None
        view = self._view(table, table.turn)
        before = _bytes(view)
        number = self._ask(table, agent, view, luck)
        self._say(
            number == wanted, f"did {self._text(table, wanted)} in the loop, {self._text(table, number)} here", table
        )
        if not closely:
            return
        self.report.decisions += 1
        self._say(_bytes(view) == before, "changes what it is shown", table)
        why = agent.explain()
        self._check_explanation(table, view, why, number)
        self._check_mixture(table, agent, view, luck)
        same = self._ask(table, agent, view, luck) == number and agent.explain() == why
        self._say(same, "answers otherwise when it is asked again", table)
        same = self._ask(table, self._sit_down(table.turn), view, luck) == number
        self._say(same, "answers otherwise when it is made anew in the middle of a game", table)
        if not self.oracle:
            self._check_redeals(table, view, luck, number)

    def _check_redeals(self, table: Table, view: View, luck: int, number: int) -> None:
        """Through the loop's own hands: at tables where the seat sees the same, it does the same."""
        worlds = [view.redeal(int(stream(np.uint64(luck), 1 + i))) for i in range(REDEALS)]
        tables = Tables(self.game, 1 + REDEALS, logged=True)
        for i, world in enumerate([table, *worlds]):
            tables.place(i, world if i == 0 else _with_past(world, table))
        asked = answers(self.make, tables, is_open=False)
        for i in range(tables.count):
            broken = asked.begin(i, view.seat, table.noted[view.seat])
            self._say(broken is None, f"breaks: {broken}", table)
        actions = np.zeros(tables.count, np.int64)
        which = np.arange(tables.count)
        broken_at = asked.answer(which, np.full(tables.count, luck, np.uint64), actions, np.zeros(tables.count))
        self._say(not broken_at, f"breaks: {next(iter(broken_at.values()), '')}", table)
        self._say(bool((actions == number).all()), "depends on what its seat may not know", table)
        self.report.redeals += REDEALS

    def _check_explanation(self, table: Table, view: View, why: Explanation | None, number: int) -> None:
        if why is None:
            return
        self.report.explanations += 1
        self._say(isinstance(why, Explanation), "explains itself with something that is no Explanation", table)
        for language in LANGUAGES:
            self._check_words(table, why, language)
        for name in ("facts", "picture"):
            try:
                json.dumps(getattr(why, name), allow_nan=False)
            except (TypeError, ValueError) as problem:
                self._say(False, f"has {name} that are no JSON ({problem})", table)
        action = self.game.action(view.state, number)
        for named in (why.facts, why.picture or {}):
            told = named.get("action", str(action))
            self._say(told == str(action), f"did {action} and explains {told}", table)

    def _check_mixture(self, table: Table, agent: Agent, view: View, luck: int) -> None:
        """Where an agent says with which probabilities it acts, its decisions come about as often as that."""
        try:
            chances = mixture_of(agent, view)
        except BadInput as problem:
            self._say(False, str(problem), table)
        if chances is None:
            return
        self.report.mixtures += 1
        counts = self._sampled(table, agent, view, [int(stream(np.uint64(luck), -1 - i)) for i in range(DRAWS)])
        self._say(not counts[chances == 0].any(), "does what its mixture says it never does", table)
        tail = chi_square_tail(*_pooled(counts, DRAWS * chances))
        self._say(tail > SUSPICION, f"acts otherwise than its mixture says (p = {tail:.1g})", table)

    def _sampled(self, table: Table, agent: Agent, view: View, luck: Sequence[int]) -> NDArray[np.int64]:
        """Count how often an agent decides for each of `view.legal`, with these numbers of luck."""
        if isinstance(agent, Compiled):
            return agent.sampled(view, luck)
        drawn = [view.numbers.index(self._ask(table, agent, view, number)) for number in luck]
        return np.bincount(drawn, minlength=len(view.numbers))

    def _check_words(self, table: Table, why: Explanation, language: str) -> None:
        """Whatever it says can be said in a language."""
        try:
            said = [words(language).say(said) for said in (why.sentence, *why.lines)]
        except BadInput as problem:
            self._say(False, f"cannot be understood: {problem}", table)
        self._say(bool(said[0].strip()), "explains itself with nothing", table)

    # --- Small things ---

    def _sit_down(self, seat: int) -> Agent:
        agent = self.make()
        agent.begin(self.game, seat)
        return agent

    def _view(self, table: Table, seat: int) -> View:
        return table.open_view(seat) if self.oracle else table.view(seat)

    def _ask(self, table: Table, agent: Agent, view: View, luck: int) -> int:
        number, why = number_of(agent.act(view, Luck.of(luck)), view)
        self._say(why is None, str(why), table)
        return number

    def _text(self, table: Table, number: int) -> Action:
        return self.game.action(table.state, number)

    def _say(self, true: bool, promise: str, table: Table) -> None:
        if not true:
            names = self.changed()
            promise += f" (changed while it played: {', '.join(names)})" if names else ""
            raise BrokenPromise(f"{self.name}: ply {table.ply}: {promise}; record: {write_record(table.record())}")

    def _demand(self, true: bool, promise: str, deal: Deal, actions: Sequence[int]) -> None:
        if not true:
            table = self.game.deal(deal.seed)
            for action in actions:
                table.play(action)
            self._say(False, promise, table)


_REMEMBERS = (
    "decides a deal differently once it has played it from another seat: something outside its object remembers games"
)


# --- State outside objects ----------------------------------------------------------------------


def _own_modules(made: Agent, factory: object) -> list[ModuleType]:
    """The modules of an agent's classes and of the function that makes it, without those of this package."""
    names = {kind.__module__ for kind in type(made).__mro__} | {getattr(factory, "__module__", "builtins")}
    theirs = sorted(name for name in names if name.partition(".")[0] not in ("bolicho", "builtins", "abc"))
    return [sys.modules[name] for name in theirs if name in sys.modules]


def _state(modules: Sequence[ModuleType]) -> dict[str, Any]:
    """The state of modules and of their classes, by name, so that two moments can be compared."""
    own = {module.__name__ for module in modules}
    found = {}
    for module in modules:
        for name, value in _public(vars(module)):
            found[f"{module.__name__}.{name}"] = _content(value, own)
            if isinstance(value, type) and value.__module__ == module.__name__:
                for attribute, held in _public(vars(value)):
                    found[f"{module.__name__}.{value.__qualname__}.{attribute}"] = _content(held, own)
    return found


def _public(names: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    return ((name, value) for name, value in list(names.items()) if not name.startswith("__"))


def _content(thing: Any, own: Collection[str], above: tuple[int, ...] = ()) -> Any:
    """Return the content of a value, to be compared later; of objects of other classes than the agent's, the identity.

    Of a function's cache (`functools.cache`) it is the number of values that are kept.
    """
    if thing is None or isinstance(thing, bool | int | float | complex | str | bytes):
        return repr(thing)
    if id(thing) in above or len(above) > _DEEPEST:
        return "..."

    def inside(things: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(_content(each, own, (*above, id(thing))) for each in things)

    if isinstance(thing, np.ndarray):
        return inside(thing.tolist()) if thing.dtype.hasobject else thing.tobytes()
    if isinstance(thing, Mapping):
        return inside(list(thing.items()))
    if isinstance(thing, list | tuple | deque):
        return inside(list(thing))
    if isinstance(thing, set | frozenset):
        return frozenset(inside(list(thing)))
    if callable(getattr(thing, "cache_info", None)):
        return id(thing), thing.cache_info().currsize
    if isinstance(thing, FunctionType):
        return id(thing), *inside([thing.__defaults__, thing.__kwdefaults__, vars(thing)])
    if type(thing).__module__ in own and hasattr(thing, "__dict__"):
        return id(thing), *inside([vars(thing)])
    return id(thing)


_DEEPEST = 20  # levels of containers in containers


def _pooled(counts: NDArray[np.int64], expected: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Counts beside what is expected, all that is rare taken as one, so that chi-square can be trusted."""
    order = np.argsort(-expected)
    counts, expected = counts[order], expected[order]
    common = max(1, int((expected >= RARE).sum()))
    groups = np.minimum(np.arange(len(counts)), common - (expected[common:].sum() < RARE))
    return np.bincount(groups, counts), np.bincount(groups, expected)


def _bytes(view: View) -> tuple[bytes, list[int], bytes]:
    return view.pool.tobytes(), list(view.numbers), view.rows.tobytes()


def _with_past(world: Table, table: Table) -> Table:
    """A redeal with the past of the table it is taken for: what was seen and what was chosen."""
    world._logs, world._noted = table._logs.copy(), table._noted
    world.actions = table.actions.copy()
    return world
