"""One validator that every agent passes, ours or anyone's: `check_agent(agent, game)`.

It is to players what `check_game` is to games: it lets the agent play itself, puts it into the
same situations in other ways, and raises `BrokenPromise` with the record that shows the fault.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.agent import Agent, Explanation, is_oracle, recipe
from bolicho.agents.loop import Deal, answers, number_of, play_deals
from bolicho.agents.meet import luck_of_seats
from bolicho.agents.player import Compiled, Luck
from bolicho.errors import BadInput
from bolicho.games.check import SUSPICION, BrokenPromise, chi_square_tail
from bolicho.games.compiled.chance import stream
from bolicho.games.game import Action, Game, Table, View
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
    agree with it.  An agent limited by time, and one that learns
    from game to game, cannot promise this.
    """
    make = recipe(agent, game.name).maker(game) if isinstance(agent, str) else agent
    return _Check(agent if isinstance(agent, str) else make().__class__.__name__, make, game, seed).run(games, looks)


class _Check:
    def __init__(self, name: str, make: Callable[[], Agent], game: Game, seed: int) -> None:
        self.name = name
        self.make = make
        self.game = game
        self.seed = seed
        self.oracle = is_oracle(make())
        self.report = Report()

    def run(self, games: int, looks: int) -> Report:
        seeds = [self.seed * 1_000_003 + number + 1 for number in range(games)]
        deals = [Deal(seed, [0] * self.game.seats, luck_of_seats(seed, self.game.seats)) for seed in seeds]
        alone = self._play(deals, tables=1)
        for deal, actions, among in zip(deals, alone, self._play(deals, tables=games), strict=True):
            self._demand(among == actions, "plays otherwise at one of many tables than at one", deal, among)
            self._check_game(deal, actions, looks)
            self.report.games += 1
        return self.report

    def _play(self, deals: Sequence[Deal], tables: int) -> list[list[int]]:
        """The actions of deals the agent plays against itself."""
        played: list[list[int]] = [[] for _ in deals]
        for outcome in play_deals(self.game, [self.make], deals, tables=tables):
            actions = played[outcome.number] = list(outcome.actions)
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
        if isinstance(agent, Compiled):
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
        broken_at = asked.answer(which, np.full(tables.count, luck, np.uint64), actions)
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

    def _check_mixture(self, table: Table, agent: Compiled, view: View, luck: int) -> None:
        """Where an agent says with which probabilities it acts, its decisions come about as often as that."""
        mixture = agent.mixture(view)
        if mixture is None:
            return
        self.report.mixtures += 1
        chances = np.array(mixture)
        self._say(
            bool((chances >= 0).all()) and abs(chances.sum() - 1) < 1e-6, "has a mixture that does not sum to 1", table
        )
        counts = agent.sampled(view, [int(stream(np.uint64(luck), -1 - i)) for i in range(DRAWS)])
        self._say(not counts[chances == 0].any(), "does what its mixture says it never does", table)
        tail = chi_square_tail(*_pooled(counts, DRAWS * chances))
        self._say(tail > SUSPICION, f"acts otherwise than its mixture says (p = {tail:.1g})", table)

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
            raise BrokenPromise(f"{self.name}: ply {table.ply}: {promise}; record: {write_record(table.record())}")

    def _demand(self, true: bool, promise: str, deal: Deal, actions: Sequence[int]) -> None:
        if not true:
            table = self.game.deal(deal.seed)
            for action in actions:
                table.play(action)
            self._say(False, promise, table)


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
