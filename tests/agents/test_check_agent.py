"""`check_agent`: success for every built-in agent on every game it plays, and detection of planted faults."""

import itertools
import sys
import warnings
from collections import Counter
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from bolicho import Agent, Explanation, agent, check_agent, game
from bolicho.agents import check
from bolicho.agents import kernel as players
from bolicho.agents.mirrored_games import deal_seed, luck_of_seats
from bolicho.agents.player import Compiled
from bolicho.games import BUILT_IN, kernel
from bolicho.games.check import BrokenPromise
from bolicho.games.compiled.chance import stream
from bolicho.games.jit import njit
from bolicho.games.kernel import implements
from bolicho.games.tables import Tables
from bolicho.i18n import Message
from tests.agents.specs import playing, quick

PLAYED = [(entry.name, name) for name in BUILT_IN for entry in playing(name)]


@pytest.mark.parametrize(("name", "played"), PLAYED, ids=str)
def test_every_built_in_agent_keeps_every_promise(name, played):
    spec = quick(name)
    report = check_agent(spec, game(played), games=2, looks=4)
    assert report.games == 2 and report.decisions == 8
    assert report.redeals > 0 or type(agent(spec, played)).oracle


# --- Planted faults -----------------------------------------------------------------------------


class First(Agent):
    def act(self, view, rng):
        return view.legal[0]


class Illegal(Agent):
    def act(self, view, rng):
        return "vale4"


class OwnLuck(Agent):
    def act(self, view, rng):
        return view.legal[np.random.default_rng().integers(len(view.legal))]


class Alternates(Agent):
    """Agent that changes its answer at every call."""

    asked = 0

    def act(self, view, rng):
        self.asked += 1
        return view.legal[self.asked % len(view.legal)]


class Remembers(Agent):
    """Agent that depends on the number of other positions in which it was asked."""

    def begin(self, game, seat):
        self.seen = set()

    def act(self, view, rng):
        self.seen.add(len(view.rows))
        return view.legal[len(self.seen) % len(view.legal)]


class ModifiesView(First):
    def act(self, view, rng):
        view.pool["scores"] = 7
        return super().act(view, rng)


class CountsInstances(First):
    """Agent that depends on the number of its instances."""

    made = 0

    def __init__(self):
        CountsInstances.made += 1

    def act(self, view, rng):
        return view.legal[min(CountsInstances.made // 30, len(view.legal) - 1)]


class LooksAround(Agent):
    """Agent that finds its table on the stack, and reads the seed of the deal."""

    def act(self, view, rng):
        frame, seed = sys._getframe(), 0
        while frame is not None:
            for thing in list(frame.f_locals.values()):
                for pool in (thing.pool if isinstance(thing, Tables) else (),):
                    if len(pool):
                        seed = int(pool["seed"][-1])
            frame = frame.f_back
        return view.legal[seed % len(view.legal)]


class ExplainsAnother(First):
    def explain(self):
        return Explanation("because", {"action": "quero"})


class ExplainsInArrays(First):
    def explain(self):
        return Explanation("because", {"values": np.zeros(3)})


class UnknownMessage(First):
    def explain(self):
        return Explanation(Message("agents.nobody_knows"))


class DrawsAnother(First):
    def explain(self):
        return Explanation("because", picture={"kind": "bars", "action": "quero"})


class EmptyExplanation(First):
    def explain(self):
        return Explanation(" ")


class Counts(NamedTuple):
    """Compiled player that keeps state outside the memory of a table."""

    calls: NDArray[np.int64]
    legal: NDArray[np.int16]


@implements(players.decide, Counts)
@njit
def decide(player, memory, view, seat, luck):
    player.calls[0] += 1
    return player.legal[player.calls[0] % kernel.legal(view, player.legal)]


class Counting(Compiled):
    def player(self, game):
        return Counts(np.zeros(1, np.int64), np.zeros(game.num_actions, np.int16))


FAULTS = {
    Illegal: r"breaks: ply \d+: seat",
    OwnLuck: "plays differently|in the loop|called again",
    Alternates: "called again",
    Remembers: "created anew in the middle",
    ModifiesView: "modifies its view",
    CountsInstances: "plays differently|created anew|in the loop|hidden from its seat",
    LooksAround: "hidden from its seat|in the loop",
    ExplainsAnother: "but explains quero",
    ExplainsInArrays: "not JSON",
    UnknownMessage: "lacks the key 'agents.nobody_knows'",
    DrawsAnother: "but explains quero",
    EmptyExplanation: "returns an empty explanation",
    Counting: "plays differently at one of many",
}


@pytest.mark.parametrize(("faulty", "promise"), FAULTS.items(), ids=lambda value: getattr(value, "__name__", ""))
def test_a_planted_fault_is_found(faulty, promise):
    with pytest.raises(BrokenPromise, match=rf"^{faulty.__name__}: .*({promise}).*record: "):
        check_agent(faulty, game("truco", hands=3), games=4)


# --- State outside objects ------------------------------------------------------------------------

HANDS = {}
DEALT = []


class Shares(First):
    """Agent that knows the opponent's hand of deals it has played from that seat; it identifies deals by luck."""

    def begin(self, game, seat):
        self.seat, self.first = seat, True

    def act(self, view, rng):
        if self.first:
            self.first = False
            HANDS.setdefault(_deal_of(rng.number), {})[self.seat] = view.cards
            self.other = HANDS[_deal_of(rng.number)].get(1 - self.seat)
        return view.legal[0 if self.other is None else -1]


def _deal_of(number):
    """Return the deal of a luck number, among the deals of the next checks."""
    return next(deal for deal, numbers in DEALT if number in numbers)


def test_agent_that_shares_hands_between_rotations_is_found_and_its_state_named(monkeypatch):
    monkeypatch.setattr(check, "_CALLS", Counter())
    for call, deal in itertools.product((1, 2), range(4)):
        seed = deal_seed(f"0 Shares truco {call}", deal)
        DEALT.append((seed, {int(stream(np.uint64(key), ply)) for key in luck_of_seats(seed, 2) for ply in range(20)}))
    with pytest.raises(BrokenPromise, match=rf"once it has played it from another seat.*{__name__}\.HANDS\).*record"):
        check_agent(Shares, game("truco", hands=1), games=4)


@cache
def weights(name):
    return np.arange(10)


@cache
def evaluate(cards):
    return sum(map(hash, cards))


class Loads(First):
    """Agent that reads a file once and keeps it in its module, as in the tutorial."""

    def act(self, view, rng):
        return view.legal[weights("mine")[0]]


class Memoizes(First):
    def act(self, view, rng):
        evaluate(tuple(map(str, view.legal)))
        return super().act(view, rng)


class CountsGames(First):
    games_begun = 0

    def begin(self, game, seat):
        CountsGames.games_begun += 1


def test_cache_that_is_filled_once_causes_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_agent(Loads, game("truco", hands=1))


@pytest.mark.parametrize(("agent", "name"), [(Memoizes, "evaluate"), (CountsGames, "CountsGames.games_begun")])
def test_harmless_state_outside_the_object_is_named_in_a_warning(agent, name):
    told = rf"^{agent.__name__}: {__name__}\.{name} changed during play; .*store the state of a game in the object"
    with pytest.warns(UserWarning, match=told):
        assert check_agent(agent, game("truco", hands=3)).games == 3


def test_an_agent_in_three_lines_keeps_every_promise():
    report = check_agent(First, game("dominoes"), games=2)
    assert report.games == 2 and report.decisions > 10 and report.redeals == 3 * report.decisions
