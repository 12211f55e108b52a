"""Analysis of a match of Truco: the cost of every decision compared with a strategy that reports its mixture.

Each hand is analysed as a game of its own, with its points as payoff. At each decision all cards that the other seat
may hold are listed and weighted by the likelihood of its actions under the strategy.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

import numpy as np

from bolicho.agents.cfr.compiled import respond
from bolicho.agents.cfr.exploit import askable
from bolicho.agents.cfr.truco.compiled.action_values import Trail, lay, reach, worth
from bolicho.agents.cfr.truco.response import WORLDS, Responder, worlds_beside
from bolicho.agents.explanation import bar, listed, signed
from bolicho.agents.registry import agent
from bolicho.agents.spec import parse_spec
from bolicho.errors import BadInput
from bolicho.games import game as find_game
from bolicho.games.game import Game, Table, View
from bolicho.games.kernel import CHOSE
from bolicho.games.kind import Pool, copy_pool
from bolicho.games.record import start
from bolicho.games.truco import kernel as k
from bolicho.games.truco.action_help import asked
from bolicho.games.truco.rules import CARDS
from bolicho.games.truco.text import NAMES
from bolicho.i18n import Fact, Message, Seat

LEAST = 1e-6  # positions that are less likely are skipped
JUDGES = ("cfr", "balanced")  # the second one plays by any rules
BIGGEST = 3  # number of mistakes in the summary
TOLD = 0.005  # smaller shares are not listed
SMALL = 0.01  # in points: smaller costs are not mistakes


@dataclass(frozen=True)
class JudgedDecision:
    """Decision compared with the strategy: the average points of the hand for each action."""

    ply: int
    hand: int  # from 1
    mao: int
    round: int  # 1 to 3
    seat: int
    cards: tuple[str, ...]  # in hand
    asked: str  # the call to answer, or empty
    chosen: str
    mixture: dict[str, float]  # probabilities of the strategy, by action
    values: dict[str, float]  # by action, if both seats continue with the strategy
    unexplained: int  # actions of the other seat in this hand that the strategy never takes
    worlds: int  # number of enumerated worlds

    @property
    def value(self) -> float:
        """Value of the strategy's mixture."""
        return sum(share * self.values[action] for action, share in self.mixture.items())

    @property
    def cost(self) -> float:
        """Loss of the choice against the mixture; negative where it is better."""
        return self.value - self.values[self.chosen]

    @property
    def best(self) -> str:
        """Action with the highest value; of several the one with the largest share in the strategy."""
        most = max(self.values.values())
        return max(self.values, key=lambda action: (self.values[action] > most - 1e-9, self.mixture[action]))

    def as_json(self) -> dict[str, Any]:
        """Return all fields as JSON."""
        return {**vars(self), "cards": list(self.cards), "value": self.value, "cost": self.cost, "best": self.best}

    @classmethod
    def read(cls, facts: Mapping[str, Any]) -> "JudgedDecision":
        """Return the decision from its `as_json` form."""
        known = {field.name: facts[field.name] for field in fields(cls)}
        return cls(**{**known, "cards": tuple(known["cards"])})

    @property
    def verdict(self) -> Message:
        """Cost in words."""
        if abs(self.cost) <= SMALL / 2:
            return Message("analyse.nothing")
        return Message("analyse.costs" if self.cost > 0 else "analyse.gains", points=abs(self.cost))

    def bars(self) -> list[dict[str, Any]]:
        """Return a bar for each listed action: its share in the strategy, and its value."""
        told = [action for action in self.mixture if self.mixture[action] >= TOLD or action in (self.chosen, self.best)]
        return [
            bar(
                NAMES[action],
                self.mixture[action],
                Message("analyse.told", share=self.mixture[action], value=signed(self.values[action])),
                action == self.chosen,
            )
            for action in sorted(told, key=lambda action: (-self.mixture[action], -self.values[action]))
        ]


@dataclass(frozen=True)
class Analysis:
    """Decisions of a match, or of one seat in it."""

    by: str
    table: Table
    decisions: Sequence[JudgedDecision]

    @property
    def biggest(self) -> list[JudgedDecision]:
        """Most expensive mistakes, the worst first."""
        made = sorted((one for one in self.decisions if one.cost > SMALL), key=lambda one: -one.cost)
        return made[:BIGGEST]

    def seats(self) -> list[dict[str, Any]]:
        """Return for each analysed seat the number of decisions, their total cost, and the number of mistakes."""
        return [
            {
                "seat": seat,
                "decisions": len(costs),
                "cost": sum(costs),
                "mistakes": sum(cost > SMALL for cost in costs),
            }
            for seat in range(self.table.game.seats)
            if (costs := [one.cost for one in self.decisions if one.seat == seat])
        ]

    def summary(self) -> Iterator[Message]:
        """Yield the loss of each seat, and the biggest mistakes."""
        for seat in self.seats():
            yield Message(
                "analyse.seat", by=_name(self.by), who=Seat(seat["seat"]), n=seat["decisions"], m=seat["mistakes"],
                cost=seat["cost"],
            )  # fmt: skip
        yield Message("analyse.biggest" if self.biggest else "analyse.none", n=len(self.biggest))
        for number, one in enumerate(self.biggest, 1):
            yield mistake(one, self.by, number)

    def as_json(self) -> dict[str, Any]:
        """Return everything as JSON."""
        return {
            "game": self.table.game.name,
            "rules": dict(self.table.game.options),
            "players": self.table.players,
            "by": self.by,
            "unit": "points of the hand",
            "seats": self.seats(),
            "biggest": [one.ply for one in self.biggest],
            "decisions": [one.as_json() for one in self.decisions],
        }

    def told(self) -> Iterator[Message]:
        """Yield everything as text: every decision, the loss of each seat, and the biggest mistakes."""
        hand, said = 0, [0, 0]
        for one in self.decisions:
            if one.hand != hand:
                hand, said = one.hand, [0, 0]
                yield Message("truco.dealt", hand=hand, who=Seat(one.mao))
            if one.unexplained > said[one.seat]:
                said[one.seat] = one.unexplained
                yield never_done(one, self.by)
            yield Message("analyse.decision", **_facts(one, self.by), verdict=one.verdict)
        yield from self.summary()


def mistake(one: JudgedDecision, by: str, number: int) -> Message:
    """Return a mistake as text."""
    what = "card"
    if one.chosen in ("quero", "nao", "baralho"):
        what = one.chosen
    elif one.chosen not in CARDS and not one.chosen.startswith("virada"):
        what = "call"
    facts = _facts(one, by) | {"number": number, "hand": one.hand, "cost": one.cost}
    if one.asked:
        facts["asked"] = NAMES[one.asked]
    return Message(f"analyse.mistake.{what}", **facts)


def never_done(one: JudgedDecision, by: str) -> Message:
    """Return a note that the other seat has done something that the strategy never does."""
    return Message("analyse.unexplained", by=_name(by), who=Seat(1 - one.seat))


def _name(by: str) -> str:
    """Return an agent's name without options, for short lines."""
    return parse_spec(by)[0]


def _facts(one: JudgedDecision, by: str) -> dict[str, Fact]:
    shares = sorted(one.mixture.items(), key=lambda pair: -pair[1])
    return {
        "round": one.round,
        "who": Seat(one.seat),
        "by": _name(by),
        "cards": " ".join(one.cards) or "-",
        "action": NAMES[one.chosen],
        "mixture": listed(
            Message("analyse.share", action=NAMES[a], share=share) for a, share in shares if share >= TOLD
        ),
        "chosen": signed(one.values[one.chosen]),
        "value": signed(one.value),
    }


# --- Analysing a match ----------------------------------------------------------------------------


def choices_of(table: Table, seat: int | None = None) -> int:
    """Return the number of decisions at a table, or of one seat."""
    if seat is not None:
        table.game.seat(seat)
    return sum(entry["event"] == "chose" and seat in (None, entry["seat"]) for entry in table.log)


def analyse(
    table: Table,
    by: str = "cfr",
    seat: int | None = None,
    *,
    least: float = LEAST,
    advance: Callable[[int], None] = lambda done: None,
) -> Analysis:
    """Analyse the decisions at a table of Truco, or of one seat, with the strategy of an agent.

    `advance` is called after each decision with the number done, of `choices_of` the table.
    """
    if seat is not None:
        table.game.seat(seat)
    found: list[JudgedDecision] = []
    for one in Judge(hand_of(table.game), by, least).decisions(table, seat):
        found.append(one)
        advance(len(found))
    return Analysis(by, table, found)


def hand_of(game: Game) -> Game:
    """Return the game of a single hand with the rules of a match."""
    if game.name != "truco":
        raise BadInput(f"analyse supports matches of truco, not of {game.name}")
    return find_game("truco", **{**game.options, "hands": 1})


def judge_for(hand: Game) -> str:
    """Return the default strategy for the analysis: the one nearest to equilibrium that supports these rules."""
    return next(by for by in JUDGES if agent(by).plays(hand) is None)


class Judge:
    """Evaluator of decisions by the strategy of an agent, with its work arrays."""

    def __init__(self, hand: Game, by: str, least: float = LEAST) -> None:
        self.hand, self.by, self.least = hand, by, least
        self.asked = Responder(hand, askable(hand, by))
        self.trail = Trail(np.zeros(WORLDS), np.zeros(WORLDS))

    def decisions(self, table: Table, seat: int | None = None, hand: int | None = None) -> Iterator[JudgedDecision]:
        """Yield the evaluated decisions of a table in order: of both seats and all hands, or of one."""
        again, number = start(table.record()), -1
        path: list[int] = []
        for action in table.actions:
            if int(again.state["hand_number"]) != number:
                number, path = int(again.state["hand_number"]), []
            if seat in (None, again.turn) and hand in (None, number + 1):
                yield self.decision(again, path, action.number)
            path.append(action.number)
            again.play(action)

    def of_view(self, view: View) -> dict[str, float]:
        """Return the value of each legal action of a view for its seat."""
        s = view.redeal(0).state  # placeholder cards of the other seat; all possible hands replace them
        path: list[int] = []
        for kind, who, value, r in view.rows.tolist():
            if kind == k.DEALT:
                path = []
            elif kind == CHOSE:
                path.append(int(s["played"][who, r]) if value == k.UNSEEN else value)
        _, values, _, _ = self._evaluate(s, view.seat, path)
        return dict(zip(map(str, view.legal), values, strict=True))

    def _evaluate(self, s: np.void, seat: int, path: Sequence[int]) -> tuple[list[float], list[float], int, int]:
        """Return the mixture over the legal actions of a seat, their values, and two counts.

        The counts are the number of the other seat's actions that no cards explain, and the number of worlds.
        """
        room = self.asked.room
        real = _opened(self.hand, s)
        first, weights = worlds_beside(_bits(s["dealt"][seat]), _bits(_shown(s, 1 - seat)))
        lay(room.pool, real, 1 - seat, first)
        room.weight[: len(weights)] = weights
        who = (self.asked.abstraction, self.asked.asked, room)
        steps = np.array(path, np.int64)
        count, unexplained = reach(*who, self.trail, len(first), real, seat, steps)
        shares, values = np.zeros(k.NUM_ACTIONS), np.zeros(k.NUM_ACTIONS)
        n = worth(*who, count, seat, self.least, shares, values)
        if n == 0:
            raise BadInput(f"the agent {self.by} does not report its mixture (the probabilities of its actions)")
        if room.totals[respond.FULL]:
            raise BadInput(f"a hand has more than {WORLDS:,} worlds under the strategy of {self.by}")
        return shares[:n].tolist(), values[:n].tolist(), int(unexplained), int(count)

    def decision(self, table: Table, path: Sequence[int], chosen: int) -> JudgedDecision:
        """Evaluate the choice in a position, where `path` holds the actions of the hand since its deal."""
        s, seat = table.state, int(table.state["turn"])
        shares, values, unexplained, count = self._evaluate(s, seat, path)
        legal = [str(action) for action in table.legal]
        return JudgedDecision(
            ply=table.ply,
            hand=int(s["hand_number"]) + 1,
            mao=int(s["mao"]),
            round=int(s["round"]) + 1,
            seat=seat,
            cards=tuple(CARDS[card] for card in s["hands"][seat] if card >= 0),
            asked=asked(s),
            chosen=str(table.game.action(s, chosen)),
            mixture=dict(zip(legal, shares, strict=True)),
            values=dict(zip(legal, values, strict=True)),
            unexplained=unexplained,
            worlds=count,
        )


def judge(hand: Game, by: str) -> Judge:
    """Return a judge, cached for the next decision."""
    return _kept_judge(json.dumps(dict(hand.options), sort_keys=True), by)


@lru_cache(maxsize=1)
def _kept_judge(rules: str, by: str) -> Judge:
    return Judge(find_game("truco", **json.loads(rules)), by)


# --- Worlds ---------------------------------------------------------------------------------------


def _bits(cards: Iterable[int]) -> int:
    return sum(1 << int(card) for card in cards)


def _shown(s: np.void, seat: int) -> list[int]:
    """Return the cards that a seat has played face up."""
    return [int(card) for card in s["played"][seat] if 0 <= card < k.FACE_DOWN]


def _opened(hand: Game, s: np.void) -> Pool:
    """Return the opening position of a state's hand, as a game of its own."""
    before = s["scores"] - s["hand_points"] - s["bet_points"]
    cards = [[CARDS[card] for card in s["dealt"][seat]] for seat in range(2)]
    return copy_pool(hand.setup(mao=int(s["mao"]), hands=cards, scores=before.tolist()).pool)
