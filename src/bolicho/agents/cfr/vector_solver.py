"""Solution of small games by vector CFR: their public trees, and the same walk as for Truco."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cfr.compiled.public_game import END, PAIR, Public, iterate, respond
from bolicho.agents.cfr.compiled.vector import NO_FLOOR, NOBODY
from bolicho.agents.cfr.public_tree import Builder, Layout, untrained
from bolicho.agents.cfr.rules import CFR_PLUS, Rule
from bolicho.errors import BadInput
from bolicho.games.compiled import calls
from bolicho.games.compiled.deals import deal_number, num_deals
from bolicho.games.game import Game
from bolicho.games.kind import Pool, copy_pool

MOST_DEALS = 10_000


class World(NamedTuple):
    """A state, and the holdings of both seats in it."""

    state: Pool
    rows: tuple[int, int]


class Group:
    """Worlds with one public history, while they are collected."""

    def __init__(self) -> None:
        self.worlds: list[World] = []
        self.known: tuple[dict[tuple[object, ...], int], ...] = ({}, {})  # by seat: holdings by knowledge
        self.links: tuple[dict[tuple[int, int, int], None], ...] = ({}, {})

    @property
    def rows(self) -> tuple[int, int]:
        """Numbers of holdings."""
        return len(self.known[0]), len(self.known[1])


class PublicGame:
    """A small game for two as public trees, and its regrets.

    There is a tree for each beginning that both seats can tell apart. A holding is all that a seat knows.
    """

    def __init__(self, game: Game, rule: Rule = CFR_PLUS) -> None:
        blank = game.deal(0).pool
        deals = int(num_deals(blank))
        if game.seats != 2 or not 0 < deals <= MOST_DEALS:
            raise BadInput(
                f"a public tree is for two seats and 1 to {MOST_DEALS:,} numbered deals, and not for {game!r}"
            )
        self.rule, self.done, self._seen = rule, 0, copy_pool(blank)
        self._legal = np.zeros(game.num_actions, np.int16)
        self._builder, layout = Builder(), Layout()
        self._pairs: list[tuple[tuple[int, int], float]] = []
        begun: dict[bytes, Group] = {}
        for number in range(deals):
            state = copy_pool(blank)
            deal_number(state, number)
            self._join(begun, state, ((), ()))
        for group in begun.values():
            self._builder.tree(layout)
            self._grow(group)
        learned = untrained(layout.size, rule.predictive)
        pairs = np.array(self._pairs, PAIR)
        pairs["payoff"] /= deals
        floor = np.float32(0) if rule.floored else NO_FLOOR
        self._level = Public(*self._builder.finish(), learned, floor, np.float32(1), pairs)

    def _join(
        self, groups: dict[bytes, Group], state: Pool, past: tuple[tuple[object, ...], tuple[object, ...]]
    ) -> tuple[Group, tuple[int, int]]:
        """Put a state into the group of its public view; return the group, and the holdings of both seats."""
        public = copy_pool(state)
        calls.hide_from_all(public, 2)
        group = groups.setdefault(public.tobytes(), Group())
        rows = []
        for seat in range(2):
            calls.write_view(state, seat, self._seen, self._legal)
            rows.append(group.known[seat].setdefault((*past[seat], self._seen.tobytes()), len(group.known[seat])))
        group.worlds.append(World(state, (rows[0], rows[1])))
        return group, (rows[0], rows[1])

    def _grow(self, group: Group) -> int:
        actor = int(group.worlds[0].state[0]["turn"])
        if actor < 0:
            return self._end(group)
        legal = [self._legal[: calls.legal(world.state, self._legal)].tolist() for world in group.worlds]
        choices = max(map(len, legal))
        node = self._builder.decision(actor, choices, group.rows)
        after: dict[bytes, Group] = {}
        for world, actions in zip(group.worlds, legal, strict=True):
            for index, action in enumerate(actions):
                state = copy_pool(world.state)
                calls.play(state, 0, action, self._legal)
                past: list[tuple[object, ...]] = [(row,) for row in world.rows]
                past[actor] = (world.rows[actor], action)
                found, rows = self._join(after, state, (past[0], past[1]))
                found.links[1 - actor][world.rows[1 - actor], 0, rows[1 - actor]] = None
                for choice in range(index, choices, len(actions)):  # a choice that is not legal repeats another
                    found.links[actor][world.rows[actor], choice, rows[actor]] = None
        for each in after.values():
            mine, theirs = (np.array(list(links), np.int64) for links in each.links)
            self._builder.edge(node, self._grow(each), 0, (mine, theirs))
        return node

    def _end(self, group: Group) -> int:
        first = len(self._pairs)
        payoffs = np.zeros(2)
        for world in group.worlds:
            calls.payoff(world.state, payoffs)
            self._pairs.append((world.rows, payoffs[0]))
        return self._builder.leaf(END, group.rows, first, len(self._pairs))

    def iterate(self, count: int) -> None:
        """Run `count` more iterations."""
        iterate(self._level, self.rule.weights(self.done, count), self.rule.learners)
        self.done += count

    def _average(self) -> Public:
        """Return the level with the average strategy in the place of regrets."""
        average: NDArray[np.float32] = self._level.learned.average
        nothing = np.zeros(0, np.float32)
        return self._level._replace(learned=self._level.learned._replace(regret=average, predicted=nothing))

    def value(self) -> float:
        """Return the value of the average strategy to seat 0."""
        return float(respond(self._average(), NOBODY)[0])

    def exploitability(self) -> float:
        """Return the mean gain of a best response to the average strategy over both seats."""
        return float(sum(respond(self._average(), seat)[seat] for seat in range(2))) / 2
