"""Value of a best response to an agent in a hand of Truco: exact for sampled hands of the responder.

The responder holds three cards; the other seat may hold any of the 7,770 remaining hands, by type (`hands`), and acts
by its mixtures. All lines of play are enumerated, and the responder maximises its value in each of its decisions. The
result is compared with the agent's own result in the responder's place with the same cards: over both seats that is
zero on average, so the difference estimates the same number with far less variance.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from bolicho import stats
from bolicho.agents.cfr.compiled import respond
from bolicho.agents.cfr.exploit import askable
from bolicho.agents.cfr.truco.compiled.cards_response import FRAME, LOOKS, Boards, mix_if_settled
from bolicho.agents.cfr.truco.compiled.responder_view import ByClass, lay_worlds
from bolicho.agents.cfr.truco.hands import ALL_SETS, hands
from bolicho.agents.player import Compiled
from bolicho.errors import BadInput
from bolicho.games import game as find_game
from bolicho.games.game import Game, View
from bolicho.games.kind import Pool, copy_pool
from bolicho.games.truco.compiled.unseen import hand_code
from bolicho.games.truco.kernel import FACE_DOWN, is_flor

HANDS = 100
LEAST = 1e-5
"""Subtrees with fewer points at stake, weighted by their probability, are skipped and only bounded."""

KINDS = {
    "points": 0b1,
    "truco-1": 0b10,
    "truco-2": 0b100,
    "truco-3": 0b1000,
    "cards-1": 0b1_0000,
    "cards-2": 0b10_0000,
    "cards-3": 0b100_0000,
}
"""Kinds of decision by name, as bits.

"points" are bets on points; "truco-N" are answers to truco in round N; "cards-N" are cards, or calls instead of them,
in round N.
"""

ALL_KINDS = 0b111_1111
DEEPEST, WORLDS, STACK = 64, 400_000, 40_000
MOST_LEGAL = 12  # actions, once points are settled
MOST = 20_000_000  # maximum number of visited positions per hand
PROBES = 40  # random hands that test the information an agent uses


@dataclass(frozen=True)
class Responded:
    """Results for each sample and seat: bounds of the response's value, and of the agent's own.

    Lower and upper bound differ where subtrees were skipped.
    """

    agent: str
    game: Game
    best: NDArray[np.float64]  # (sample, seat)
    best_high: NDArray[np.float64]
    same: NDArray[np.float64]
    same_high: NDArray[np.float64]
    kinds: tuple[str, ...]
    least: float
    seed: int
    positions: NDArray[np.float64]  # (sample, seat): number of visited positions
    answers: int = 0  # answers from which each mixture was estimated; 0: the agent reports its mixtures

    @property
    def nodes(self) -> int:
        """Number of visited positions."""
        return int(self.positions.sum())

    def of_first(self, samples: int) -> "Responded":
        """Return the results of the first `samples` samples."""
        names = ("best", "best_high", "same", "same_high", "positions")
        return replace(self, **{name: getattr(self, name)[:samples] for name in names})

    @property
    def gains(self) -> NDArray[np.float64]:
        """Gain of a response over the agent, lower bound, by sample and seat."""
        return self.best - self.same_high

    @property
    def wins(self) -> stats.Estimate:
        """Gain of a best response per hand, lower bound, averaged over the seats."""
        return stats.mean(self.gains.mean(axis=1))

    @property
    def wins_at_most(self) -> stats.Estimate:
        """Upper bound of the gain: with the maximum in all skipped subtrees."""
        return stats.mean((self.best_high - self.same).mean(axis=1))

    def as_json(self) -> dict[str, Any]:
        """Return everything as JSON."""
        return {
            "game": self.game.name,
            "rules": dict(self.game.options),
            "agent": self.agent,
            "exact": False,
            "wins": self.wins.written(),
            "wins_at_most": self.wins_at_most.written(),
            "seats": [stats.mean(gain).written() for gain in self.gains.T],
            "hands": self.best.size,
            "seed": self.seed,
            "least": self.least,
            "nodes": self.nodes,
            "responder": {
                "sees": "its own cards, what is said, the other's cards by class of strength",
                "deviates": list(self.kinds),
                "knows": "every mixture",
                "answers": self.answers,
            },
        }

    def lines(self) -> list[str]:
        """Return the result as text."""
        estimated = f", estimated from {self.answers:,} answers in each situation" if self.answers else ""
        by_seat = [stats.mean(gain) for gain in self.gains.T]
        where = "in all its decisions" if len(self.kinds) == len(KINDS) else f"only in {', '.join(self.kinds)}"
        return [
            f"A best response wins at least {_signed(self.wins)} points a hand from {self.agent} in {self.game!r}: "
            f"{_signed(by_seat[0])} as mão, {_signed(by_seat[1])} as pé.",
            f"From {self.best.size:,} sampled hands of the responder (seed {self.seed}) all continuations were "
            f"enumerated ({self.nodes:,} positions), except subtrees with fewer than {self.least:g} points at stake; "
            f"with the maximum in all of those the gain would be {_signed(self.wins_at_most)}. Intervals are 95%, over "
            "sampled hands.",
            "The responder sees its own cards, all calls and the other's cards by class of strength, knows the "
            f"mixtures of {self.agent}{estimated}, and may deviate {where}. It plays only its weakest card face down, "
            "and goes to the deck only as its first action, so a freer responder may win more.",
        ]


def _signed(estimate: stats.Estimate) -> str:
    return f"{estimate.value:+.3f} [{estimate.low:+.3f}, {estimate.high:+.3f}]"


def read_kinds(names: str) -> tuple[str, ...]:
    """Parse kinds of decision: comma-separated names, or prefixes of names ("truco", "cards-2")."""
    found = [kind for kind in KINDS for name in names.split(",") if kind.startswith(name.strip())]
    for name in names.split(","):
        if not any(kind.startswith(name.strip()) for kind in KINDS):
            raise BadInput(f"unknown kind of decision {name.strip()!r}; use {', '.join(KINDS)}")
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=1)
def _all_hands() -> tuple[NDArray[np.int64], NDArray[np.int16]]:
    """Return all hands, as bits, and the type of each."""
    cards = np.array(list(combinations(range(40), 3)))
    codes = np.array([hand_code(*row) for row in cards.tolist()])
    return (np.int64(1) << cards).sum(axis=1), hands().type_of[codes]


def worlds_beside(own: int, shown: int = 0, *, by_type: bool = True) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return a hand of each possible type of the other seat beside a seat's own cards, as bits, and its probability.

    All of them contain the cards that it has `shown`. Types include the points of flor, and suffice for agents that
    depend on classes of cards; otherwise (not `by_type`) every hand represents itself.
    """
    bits, types = _all_hands()
    free = ((bits & own) == 0) & ((bits & shown) == shown)
    if not by_type:
        return bits[free], np.full(free.sum(), 1 / free.sum())
    _, first, counts = np.unique(types[free], return_index=True, return_counts=True)
    return bits[free][first], counts / counts.sum()


class Responder:
    """Best responses to one agent, hand by hand."""

    def __init__(self, game: Game, agent: Compiled) -> None:
        if game.name != "truco" or game.options.get("hands") != 1:
            raise BadInput(f"best responses by hands support truco(hands=1), not {game!r}")
        agent.begin(game, 0)
        self._blank = copy_pool(game.deal(0).pool)
        width = game.num_actions
        self.abstraction = ByClass(True, hands().class_of, hands().set_of, _boards(self._blank, width))
        self.asked = respond.TargetPlayer(agent.player(game), agent.remembers, self._goes_by_class(game, agent))
        self.room = respond.Worlds(
            pool=_pool(self._blank, WORLDS),
            memory=np.zeros(WORLDS, agent.memory),
            own=np.zeros(DEEPEST, agent.memory),
            weight=np.zeros(WORLDS),
            past=np.zeros(WORLDS, np.uint64),
            order=np.zeros(WORLDS, np.int64),
            seen=copy_pool(self._blank),
            actions=np.zeros((DEEPEST, width), np.int16),
            labels=np.zeros(width, np.int16),
            legal=np.zeros(width, np.int16),
            chances=np.zeros(width),
            shares=np.zeros((DEEPEST, width)),
            payoffs=np.zeros(2),
            totals=np.zeros(respond.TOTALS),
        )

    def _goes_by_class(self, game: Game, agent: Compiled) -> bool:
        """Return whether an agent acts equally with other cards of the same classes, once points are settled.

        Tested in random hands: each of its cards is exchanged for all others of its class.
        """
        player, memory, rng = agent.player(game), np.zeros(1, agent.memory), np.random.default_rng(0)
        found = np.zeros((2, LOOKS))
        for number in range(PROBES):
            table = game.deal(number)
            while not table.over:
                view = table.view(table.turn)
                if mix_if_settled(self.abstraction, player, memory, view.pool, view.seat, found[0]):
                    for pool in _exchanged(view):
                        mix_if_settled(self.abstraction, player, memory, pool, view.seat, found[1])
                        if not np.allclose(found[0], found[1]):
                            return False
                table.play(table.legal[int(rng.integers(len(table.legal)))])
        return True

    def from_hand(
        self, seat: int, own: int, kinds: int = ALL_KINDS, least: float = LEAST, most: float = MOST
    ) -> NDArray[np.float64]:
        """Compute the value of a response with three cards, and that of the agent: `respond.BEST` and so on."""
        others, chances = worlds_beside(own, by_type=bool(self._blank[0]["flor"]) and self.asked.by_class)
        lay_worlds(self.room.pool, self._blank, seat, own, others)
        self.room.weight[: len(chances)] = chances
        respond.from_deal(self.abstraction, self.asked, self.room, len(chances), seat, kinds, least, most)
        totals: NDArray[np.float64] = self.room.totals.copy()
        if totals[respond.FULL]:
            raise BadInput(
                f"one hand has more than {most:,.0f} positions, or {WORLDS:,} worlds at once; "
                f"choose a larger least than {least:g}"
            )
        return totals


def _exchanged(view: View) -> Iterator[Pool]:
    """Yield views with a card in hand replaced by another of its class, where the hand's flor stays as declared."""
    state, seat, class_of = view.pool[0], view.seat, hands().class_of
    taken = set(state["dealt"].ravel().tolist())
    for card in [card for card in state["hands"][seat].tolist() if card >= 0]:
        for other in range(FACE_DOWN):
            if class_of[other + 2] == class_of[card + 2] and other not in taken:
                pool = copy_pool(view.pool)
                for name in ("dealt", "hands"):
                    cards = pool[0][name][seat]
                    cards[cards == card] = other
                    cards[cards >= 0] = np.sort(cards[cards >= 0])
                if bool(is_flor(*pool[0]["dealt"][seat])) == bool(state["has_flor"][seat]):
                    yield pool


def _pool(blank: Pool, count: int) -> Pool:
    return np.frombuffer(bytearray(blank.tobytes() * count), blank.dtype)


def _boards(blank: Pool, width: int) -> Boards:
    return Boards(
        boards=_pool(blank, DEEPEST),
        frames=np.zeros(DEEPEST + 1, FRAME),
        views=copy_pool(blank),
        first=np.zeros(ALL_SETS, np.int32),
        cards=np.zeros((ALL_SETS, 3), np.int8),
        world=np.zeros(STACK, np.int32),
        plays=np.zeros(STACK, np.int8),
        weight=np.zeros(STACK),
        shares=np.zeros((STACK, MOST_LEGAL)),
        looks=np.zeros((STACK, MOST_LEGAL), np.int8),
        places=np.zeros((STACK, MOST_LEGAL), np.int8),
        considered=np.zeros(width, np.int16),
        actions=np.zeros((DEEPEST, MOST_LEGAL), np.int16),
        own=np.zeros((DEEPEST, MOST_LEGAL)),
    )


def respond_to_hands(
    game: Game,
    spec: str,
    *,
    samples: int = HANDS,
    seed: int = 1,
    kinds: tuple[str, ...] = tuple(KINDS),
    least: float = LEAST,
    jobs: int | None = 1,
    answers: int = 0,
    advance: Callable[[int], None] = lambda done: None,
) -> Responded:
    """Compute best responses from sampled hands, one per seat, on `jobs` processes (None: one per core).

    The results do not depend on `jobs`. An agent that reports no mixture is asked for `answers` in each situation.
    """
    if samples < 2:
        raise BadInput(f"an interval needs at least 2 hands, not {samples}")
    if not 0 <= least < np.inf:
        raise BadInput(f"least must be a number of points from 0 on, not {least!r}")
    askable(game, spec, answers)
    bits, _ = _all_hands()
    drawn = bits[np.random.default_rng(seed).integers(0, len(bits), (samples, 2))]
    mask = sum(KINDS[kind] for kind in kinds)
    rows = []
    calls = (delayed(_respond_to)(dict(game.options), spec, row.tolist(), mask, least, answers) for row in drawn)
    for found in Parallel(n_jobs=-1 if jobs is None else jobs, return_as="generator")(calls):
        rows.append(found)
        advance(len(rows))
    totals = np.array(rows).transpose(2, 0, 1)
    return Responded(
        spec,
        game,
        best=totals[respond.BEST],
        best_high=totals[respond.BEST_HIGH],
        same=totals[respond.SAME],
        same_high=totals[respond.SAME_HIGH],
        kinds=kinds,
        least=least,
        seed=seed,
        answers=answers,
        positions=totals[respond.NODES],
    )


def _respond_to(
    rules: dict[str, Any], spec: str, own: list[int], kinds: int, least: float, answers: int
) -> list[NDArray[np.float64]]:
    """Compute the values for one hand in either seat."""
    responder = _responder(json.dumps(rules), spec, answers)
    return [responder.from_hand(seat, own[seat], kinds, least) for seat in range(2)]


@lru_cache(maxsize=1)
def _responder(rules: str, spec: str, answers: int) -> Responder:
    game = find_game("truco", **json.loads(rules))
    return Responder(game, askable(game, spec, answers))
