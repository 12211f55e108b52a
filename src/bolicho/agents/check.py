"""Validator that every agent passes, built-in or external: `check_agent(agent, game)`.

It corresponds to `check_game` for games: it lets the agent play itself, repeats its decisions under other conditions,
and raises `BrokenPromise` with the record that shows the fault.
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
from bolicho.agents.loop import Deal, play_deals
from bolicho.agents.mirrored_games import deal_seed, in_rotation, luck_of_seats
from bolicho.agents.mixture import mixture_of
from bolicho.agents.player import Compiled, Luck
from bolicho.agents.registry import recipe
from bolicho.agents.seated import answers, number_of
from bolicho.errors import BadInput
from bolicho.games.check import SUSPICION, BrokenPromise, chi_square_tail
from bolicho.games.compiled.chance import stream
from bolicho.games.game import Game, Table, View
from bolicho.games.kind import Action
from bolicho.games.record import write_record
from bolicho.games.tables import Tables
from bolicho.i18n import LANGUAGES, catalogue

DRAWS = 500
RARE = 10
"""`DRAWS`: draws of one decision that are compared with its mixture. `RARE`: actions expected less often are pooled."""

REDEALS = 3
"""Number of alternative deals, indistinguishable to the seat, that are tested in a position."""


@dataclass
class Report:
    """Numbers of checks that `check_agent` made."""

    games: int = 0
    decisions: int = 0  # examined ones only
    redeals: int = 0
    explanations: int = 0
    mixtures: int = 0


def check_agent(agent: str | Callable[[], Agent], game: Game, games: int = 3, looks: int = 40, seed: int = 0) -> Report:
    """Let an agent (a spec or a factory) play `games` games against itself; examine `looks` decisions of each.

    Its answers are legal. They are the same for the same view and luck, also when the agent is called again, is created
    anew in the middle of the game, or plays at one table or at many. They do not depend on hidden information (except
    for an oracle). The agent does not modify its view. An explanation refers to the action taken, renders in every
    language, and its facts and picture are JSON. Decisions drawn repeatedly agree with the reported mixture. The agent
    decides a deal in the same way before and after it has played the deal from the other seats. An agent with a time
    limit, and one that learns from game to game, cannot meet these requirements.

    State of the agent's modules and classes that changes with every game is reported as a `UserWarning`.
    """
    if isinstance(agent, str):
        found = recipe(agent, game.name)
        check = _Check(agent, found.maker(game), game, seed, found.factory)
    else:
        check = _Check(agent().__class__.__name__, agent, game, seed, agent)
    report = check.run(games, looks)
    if names := check.changed():
        warnings.warn(f"{check.name}: {', '.join(names)} changed during play; {_NOT_CARRIED}", stacklevel=2)
    return report


_NOT_CARRIED = (
    "a tournament plays each rotation of a deal in another process, so state of a module or a class is not available "
    "when the deal is played from another seat: store the state of a game in the object"
)
_CALLS: Counter[tuple[str, str]] = Counter()
"""Number of checks of an agent and a game in this process, so that each check plays new deals."""


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
        self.before: dict[str, Any] | None = None  # state outside objects, after the first deal

    def run(self, games: int, looks: int) -> Report:
        fault = self._rotation_fault(games)
        if fault is not None and self._repeats(games):
            self._demand(False, _REMEMBERS, *fault)
        self._check_games(games, looks)
        if fault is not None:
            self._demand(False, _REMEMBERS, *fault)
        return self.report

    def changed(self) -> list[str]:
        """Return the names of module and class state that changed after the first deal, which fills caches of files."""
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
        """Return whether the agent decides a deal in the same way when it plays it twice from one seat."""
        for seed in self._new_seeds(games):
            deal = in_rotation(self.game.seats, 0, seed, seed)
            first, again = self._play([deal, deal], tables=1, others=True)
            if first != again:
                return False
        return True

    def _new_seeds(self, games: int) -> list[int]:
        """Return seeds of deals that this process has not played."""
        about = self.name, self.game.name
        _CALLS[about] += 1
        return [deal_seed(f"{self.seed} {' '.join(about)} {_CALLS[about]}", number) for number in range(games)]

    def _check_games(self, games: int, looks: int) -> None:
        seeds = [self.seed * 1_000_003 + number + 1 for number in range(games)]
        deals = [Deal(seed, [0] * self.game.seats, luck_of_seats(seed, self.game.seats)) for seed in seeds]
        alone = self._play(deals, tables=1)
        for deal, actions, among in zip(deals, alone, self._play(deals, tables=games), strict=True):
            self._demand(
                among == actions, "plays differently at one of many tables than at a single table", deal, among
            )
            self._check_game(deal, actions, looks)
            self.report.games += 1

    def _play(self, deals: Sequence[Deal], tables: int, others: bool = False) -> list[list[int]]:
        """Return the actions of deals that the agent plays against itself, or against random agents if `others`."""
        played: list[list[int]] = [[] for _ in deals]
        opponents = [recipe("random", self.game.name).maker(self.game)] * (self.game.seats - 1) if others else []
        for outcome in play_deals(self.game, [self.make, *opponents], deals, tables=tables):
            actions = played[outcome.number] = outcome.actions.tolist()
            if outcome.forfeit is not None:
                self._demand(False, f"breaks: {outcome.forfeit[1]}", deals[outcome.number], actions)
        return played

    def _check_game(self, deal: Deal, actions: list[int], looks: int) -> None:
        """Replay a game, action by action, and examine some decisions."""
        rng = np.random.default_rng([self.seed, deal.seed])
        chosen = {int(ply) for ply in rng.permutation(len(actions))[:looks]}
        halfway = int(rng.integers(len(actions))) if actions else -1
        table = self.game.deal(deal.seed)
        seated = [self._sit_down(seat) for seat in range(self.game.seats)]
        for ply, action in enumerate(actions):
            if ply == halfway:
                again = self._play([Deal(deal.seed, deal.seated, deal.luck, table.copy())], tables=1)[0]
                self._demand(
                    again == actions,
                    "continues differently when it is created anew in the middle of a game",
                    deal,
                    again,
                )
            assert table.turn is not None
            luck = int(stream(np.uint64(deal.luck[table.turn]), ply))
            self._check_answer(table, seated[table.turn], luck, action, ply in chosen)
            table.play(action)
        for seat, agent in enumerate(seated):
            agent.end(self._view(table, seat))

    def _check_answer(self, table: Table, agent: Agent, luck: int, wanted: int, closely: bool) -> None:
        """Call `act` of an agent that has played from the start; if `closely`, also agents created in its place."""
        assert table.turn is not None
        view = self._view(table, table.turn)
        before = _bytes(view)
        number = self._ask(table, agent, view, luck)
        self._say(
            number == wanted,
            f"played {self._text(table, wanted)} in the loop, {self._text(table, number)} when called directly",
            table,
        )
        if not closely:
            return
        self.report.decisions += 1
        self._say(_bytes(view) == before, "modifies its view", table)
        why = agent.explain()
        self._check_explanation(table, view, why, number)
        self._check_mixture(table, agent, view, luck)
        same = self._ask(table, agent, view, luck) == number and agent.explain() == why
        self._say(same, "decides differently when it is called again", table)
        same = self._ask(table, self._sit_down(table.turn), view, luck) == number
        self._say(same, "decides differently when it is created anew in the middle of a game", table)
        if not self.oracle:
            self._check_redeals(table, view, luck, number)

    def _check_redeals(self, table: Table, view: View, luck: int, number: int) -> None:
        """Check through the loop's interface that the decision is equal at tables that the seat cannot distinguish."""
        worlds = [view.redeal(int(stream(np.uint64(luck), 1 + i))) for i in range(REDEALS)]
        tables = Tables(self.game, 1 + REDEALS, logged=True)
        for world in worlds:
            world.take_past(table)
        for i, each in enumerate([table, *worlds]):
            tables.place(i, each)
        asked = answers(self.make, tables, is_open=False)
        for i in range(tables.count):
            broken = asked.begin(i, view.seat, table.noted[view.seat])
            self._say(broken is None, f"breaks: {broken}", table)
        actions = np.zeros(tables.count, np.int16)
        which = np.arange(tables.count)
        broken_at = asked.answer(which, np.full(tables.count, luck, np.uint64), actions, np.zeros(tables.count))
        self._say(not broken_at, f"breaks: {next(iter(broken_at.values()), '')}", table)
        self._say(bool((actions == number).all()), "depends on information hidden from its seat", table)
        self.report.redeals += REDEALS

    def _check_explanation(self, table: Table, view: View, why: Explanation | None, number: int) -> None:
        if why is None:
            return
        self.report.explanations += 1
        self._say(isinstance(why, Explanation), "returns an explanation that is not an Explanation", table)
        for language in LANGUAGES:
            self._check_words(table, why, language)
        for name in ("facts", "picture"):
            try:
                json.dumps(getattr(why, name), allow_nan=False)
            except (TypeError, ValueError) as problem:
                self._say(False, f"has {name} that are not JSON ({problem})", table)
        action = self.game.action(view.state, number)
        for named in (why.facts, why.picture or {}):
            told = named.get("action", str(action))
            self._say(told == str(action), f"played {action} but explains {told}", table)

    def _check_mixture(self, table: Table, agent: Agent, view: View, luck: int) -> None:
        """Check that the decisions of an agent have the frequencies of its mixture, if it states one."""
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
        self._say(tail > SUSPICION, f"acts with other frequencies than its mixture (p = {tail:.1g})", table)

    def _sampled(self, table: Table, agent: Agent, view: View, luck: Sequence[int]) -> NDArray[np.int64]:
        """Count how often an agent decides for each of `view.legal`, with these numbers of luck."""
        if isinstance(agent, Compiled):
            return agent.sampled(view, luck)
        drawn = [view.numbers.index(self._ask(table, agent, view, number)) for number in luck]
        return np.bincount(drawn, minlength=len(view.numbers))

    def _check_words(self, table: Table, why: Explanation, language: str) -> None:
        """Check that the explanation renders in a language."""
        try:
            said = [catalogue(language).say(said) for said in (why.sentence, *why.lines)]
        except BadInput as problem:
            self._say(False, f"has an explanation that cannot be rendered: {problem}", table)
        self._say(bool(said[0].strip()), "returns an empty explanation", table)

    # --- Helpers ---

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
            promise += f" (changed during play: {', '.join(names)})" if names else ""
            raise BrokenPromise(f"{self.name}: ply {table.ply}: {promise}; record: {write_record(table.record())}")

    def _demand(self, true: bool, promise: str, deal: Deal, actions: Sequence[int]) -> None:
        if not true:
            table = self.game.deal(deal.seed)
            for action in actions:
                table.play(action)
            self._say(False, promise, table)


_REMEMBERS = "decides a deal differently once it has played it from another seat: state outside its object persists"


# --- State outside objects ----------------------------------------------------------------------


def _own_modules(made: Agent, factory: object) -> list[ModuleType]:
    """Return the modules of an agent's classes and of its factory, except those of this package."""
    names = {kind.__module__ for kind in type(made).__mro__} | {getattr(factory, "__module__", "builtins")}
    theirs = sorted(name for name in names if name.partition(".")[0] not in ("bolicho", "builtins", "abc"))
    return [sys.modules[name] for name in theirs if name in sys.modules]


def _state(modules: Sequence[ModuleType]) -> dict[str, Any]:
    """Return the state of modules and of their classes by name, in a form that can be compared."""
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
    """Return the content of a value for a later comparison; the identity of objects of foreign classes.

    For a function's cache (`functools.cache`), return the number of stored values.
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
        is_ours = (thing.__module__ or "").partition(".")[0] == "bolicho"  # caches of this package hold no game
        return id(thing), 0 if is_ours else thing.cache_info().currsize
    if isinstance(thing, FunctionType):
        return id(thing), *inside([thing.__defaults__, thing.__kwdefaults__, vars(thing)])
    if type(thing).__module__ in own and hasattr(thing, "__dict__"):
        return id(thing), *inside([vars(thing)])
    return id(thing)


_DEEPEST = 20  # maximum depth of nested containers


def _pooled(counts: NDArray[np.int64], expected: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return counts and expected counts with all rare actions pooled, as chi-square requires."""
    order = np.argsort(-expected)
    counts, expected = counts[order], expected[order]
    common = max(1, int((expected >= RARE).sum()))
    groups = np.minimum(np.arange(len(counts)), common - (expected[common:].sum() < RARE))
    return np.bincount(groups, counts), np.bincount(groups, expected)


def _bytes(view: View) -> tuple[bytes, list[int], bytes]:
    return view.pool.tobytes(), list(view.numbers), view.rows.tobytes()
