"""Solver of a hand of Truco: the levels of `compiled.rounds` and `compiled.opening` with their storage."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cfr.compiled.vector import NO_FLOOR
from bolicho.agents.cfr.public_tree import Builder, Layout, untrained
from bolicho.agents.cfr.truco.compiled.estimates import estimates
from bolicho.agents.cfr.truco.compiled.numbers import STATES, Blocks
from bolicho.agents.cfr.truco.compiled.opening import POINTS, Opening
from bolicho.agents.cfr.truco.compiled.rounds import SEEN, First, Last, Second, Third
from bolicho.agents.cfr.truco.hands import CLASSES, PAIRS, SETS, TOLD, hands
from bolicho.agents.cfr.truco.trees import Opening as OpeningTrees
from bolicho.agents.cfr.truco.trees import Rounds, ThirdRounds, first_rounds, second_rounds, third_rounds

SELDOM = 0.15  # probability of walking where no holding of the actor goes; the regrets get the inverse weight

ROUND_STEPS = {
    7: (0, 0, 0, 1, 1, 2, 2, 3, 4, 4, 5, 5, 6, 6, 7),
    14: tuple(range(SEEN)),
}
"""Remembered step of a class once its round is over, by the number of steps; the last entry is a covered card."""

LATER = {7: (0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 5, 6, 6, 7), 14: tuple(range(SEEN))}
"""The same in the third round."""


class Memory(NamedTuple):
    """Steps of strength in which a seat remembers cards of past rounds, in the second and the third round."""

    second: int = 14
    third: int = 7


class Layouts(NamedTuple):
    """Information sets of the blocks: of the opening, of first rounds, and by state of second and third rounds."""

    opening: Layout
    first: Layout
    second: tuple[Layout, ...]
    third: tuple[Layout, ...]


class Solver(NamedTuple):
    """Levels of a hand, and the layouts of their blocks."""

    opening: Opening
    layouts: Layouts
    memory: Memory

    @property
    def blocks(self) -> Blocks:
        """Blocks of second and third rounds."""
        blocks: Blocks = self.opening.first.second.blocks
        return blocks

    @property
    def used(self) -> int:
        """Number of shares in use."""
        return int(self.blocks.end[0])

    @property
    def levels(self) -> tuple[Any, ...]:
        """All levels, from the opening to the end."""
        first = self.opening.first
        return self.opening, first, first.second, first.second.third, first.second.third.last


class Trees(NamedTuple):
    """Builders of all trees."""

    opening: OpeningTrees
    first: Rounds
    second: Rounds
    third: ThirdRounds


@cache
def trees() -> Trees:
    """Return the trees of a hand."""
    return Trees(OpeningTrees(), first_rounds(), second_rounds(), third_rounds())


def layouts() -> Layouts:
    """Return the layouts of the blocks."""
    made = trees()
    return Layouts(
        made.opening.layout,
        made.first.builder.layouts[0],
        tuple(made.second.builder.layouts[::2]),
        tuple(made.third.builder.layouts[::2]),
    )


def _zeros(*shape: int) -> NDArray[np.float32]:
    return np.zeros(shape, np.float32)


def blocks(memory: Memory, begin: int) -> Blocks:
    """Return the table of blocks, none of them allocated; the first begins at `begin`."""
    h = hands()
    remembered = np.array([range(SEEN), ROUND_STEPS[memory.second], LATER[memory.third]])
    steps = remembered.max(axis=1) + 1
    told = h.told.max(axis=1).astype(np.int64) + 1
    seconds = np.full(told[1] * 2 * 2 * steps[1] ** 2 * STATES, -1)
    thirds = np.full(told[2] * 2 * 2 * steps[2] ** 4 * 2 * STATES, -1)
    return Blocks(
        remembered, steps, h.told, seconds, thirds, np.zeros_like(seconds), np.zeros_like(thirds), np.array([begin])
    )


FINE, ROOM = Memory(), 300_000_000


def solver(target: int, memory: Memory = FINE, room: int = ROOM, predictive: bool = False) -> Solver:
    """Allocate the solver of a hand, untrained, with room for so many shares."""
    h, learned, made, laid = hands(), untrained(room, predictive), trees(), layouts()
    begin_first = laid.opening.size

    def common(builder: Builder, sampled: bool = False) -> dict[str, Any]:
        tree, work = builder.finish()
        floor, seldom = (NO_FLOOR, 1.0) if sampled else (0.0, SELDOM)
        return {
            "tree": tree, "room": work, "learned": learned, "floor": np.float32(floor), "seldom": np.float32(seldom),
        }  # fmt: skip

    last = Last(**common(made.third.last), pays=_zeros(2, 4))
    third = Third(
        **common(made.third.builder),
        pays=_zeros(2, 4),
        base=np.zeros(1, np.int64),
        meeting=_zeros(CLASSES, CLASSES),
        turned=_zeros(CLASSES, CLASSES),
        last=last,
    )
    second = Second(
        **common(made.second.builder),
        pays=_zeros(2, 4),
        hands=h,
        blocks=blocks(memory, begin_first + TOLD * laid.first.size),
        root=np.zeros(4, np.int64),
        prepared=np.full(1, -1),
        removal=_zeros(SEEN, CLASSES, PAIRS),
        turned=_zeros(SEEN, PAIRS, CLASSES),
        left=_zeros(SEEN, SEEN, CLASSES, CLASSES),
        left_turned=_zeros(SEEN, SEEN, CLASSES, CLASSES),
        third=third,
    )
    beside = h.core[h.set_of[np.arange(CLASSES)[:, None], h.pairs[:, 0], h.pairs[:, 1]]]
    first = First(
        **common(made.first.builder, sampled=True),
        pays=_zeros(2, 4),
        hands=h,
        told=np.zeros(1, np.int64),
        scale=np.ones(2, np.float32),
        beside=beside,
        turned=np.ascontiguousarray(beside.transpose(0, 2, 1)),
        stored=estimates(TOLD * CLASSES**2 * STATES, PAIRS),
        rate=np.ones(1, np.float32),
        begin=np.array([begin_first]),
        second=second,
    )
    opening = Opening(
        **common(made.opening.builder, sampled=True),
        hands=h,
        scores=np.zeros(2, np.int64),
        utilities=points(target),
        sets=_zeros(2, SETS),
        upto=_zeros(2, POINTS, SETS),
        mass=np.zeros((2, POINTS)),
        stored=estimates(made.opening.outcomes, SETS),
        first=first,
    )
    return Solver(opening, laid, memory)


def points(target: int) -> NDArray[np.float64]:
    """Return the values of scores where points are the payoff: those of the mão minus those of the other seat."""
    scores = np.arange(3 * target + 8, dtype=np.float64)
    found: NDArray[np.float64] = scores[:, None] - scores[None, :]
    return found


KEPT = np.float32(0.1)
"""Weight of the coarse averages after expansion: fine blocks are to forget them within few iterations."""


def expanded(coarse: Solver, fine: Solver) -> None:
    """Copy what was learned with coarse memory of the first round into blocks of a solver with finer memory."""
    if coarse.memory.third != fine.memory.third:
        raise ValueError("memory of the third round must not change")
    few, many = coarse.blocks, fine.blocks
    size = np.array([layout.size for layout in fine.layouts.second])
    parents = _parents(few, many)
    numbers = np.flatnonzero(parents >= 0)
    begin = coarse.opening.first.begin[0] + TOLD * coarse.layouts.first.size
    pairs = [(0, 0, begin)]
    end = begin
    for number in numbers.tolist():
        many.seconds[number], many.second_visits[number] = end, few.second_visits[parents[number]]
        pairs.append((few.seconds[parents[number]], end, int(size[number % STATES])))
        end += int(size[number % STATES])
    for number in np.flatnonzero(few.thirds >= 0).tolist():
        long = coarse.layouts.third[number % STATES].size
        many.thirds[number], many.third_visits[number] = end, few.third_visits[number]
        pairs.append((few.thirds[number], end, long))
        end += long
    many.end[0] = end
    for source, target, long in pairs:
        for name, weight in (("regret", np.float32(1)), ("average", KEPT)):
            learned = getattr(coarse.opening.learned, name)[source : source + long]
            getattr(fine.opening.learned, name)[target : target + long] = learned * weight
    for one, other in ((coarse.opening, fine.opening), (coarse.opening.first, fine.opening.first)):
        other.stored.usual[:], other.stored.error[:] = one.stored.usual, one.stored.error


def _parents(few: Blocks, many: Blocks) -> NDArray[np.int64]:
    """Return for each finer number of a second round the coarse one that was learned, or -1.

    Only pairs of cards that fit the result of the first round count: its winner's is stronger.
    """
    shape = (int(many.told[1].max()) + 1, 2, 2, many.steps[1], many.steps[1], STATES)
    told, mao, won, lead, follow, state = np.unravel_index(np.arange(len(many.seconds)), shape)
    at = many.remembered[1].argsort(kind="stable")  # a card of each step
    cards = [few.remembered[1][at[each]] for each in (lead, follow)]
    number = ((told * 2 + mao) * 2 + won) * few.steps[1] ** 2 + cards[0] * few.steps[1] + cards[1]
    parents = number * STATES + state
    fits = np.where(won == 1, lead > follow, lead == follow) & (lead < CLASSES) & (few.seconds[parents] >= 0)
    found: NDArray[np.int64] = np.where(fits, parents, -1)
    return found
