"""Public trees of a hand of Truco, built by the rules of the game with one card for each class of strength."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cfr.public_tree import Builder, Layout, Links
from bolicho.agents.cfr.truco.compiled.numbers import STATES
from bolicho.agents.cfr.truco.compiled.opening import COMPARED, MOVED, PE, SETTLED
from bolicho.agents.cfr.truco.compiled.public import bets_node, bets_state, opening_place, told_in
from bolicho.agents.cfr.truco.compiled.rounds import COMPARE, FOLD, NEXT_ROUND, SEEN, SHOW
from bolicho.agents.cfr.truco.hands import (
    BOTH_FLOR,
    CLASSES,
    COVERED,
    MAO_FLOR,
    PAIRS,
    SETS,
    SHOWN,
    TOLD,
    hands,
)
from bolicho.games import game as find_game
from bolicho.games.compiled import calls
from bolicho.games.kind import Pool, copy_pool
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled.hand import TIE
from bolicho.games.truco.rules import CARDS

SIZES = (SETS, PAIRS, CLASSES)
"""Number of holdings of a seat by the number of cards that it has played."""

NO_LOOK = -1  # no card was led
NO_TARGET = 1_000  # more points than a hand can bring, so that none ends the match

FREE, ONE_P, ONE_O, TWO_P, TWO_O, THREE = range(STATES)
"""States of the bets: nothing called; truco accepted, where the seat to play or the other may call next; retruco,
likewise; vale quatro."""

_LEVEL, _RAISER = (0, 1, 1, 2, 2, 3), (k.NONE, 0, 1, 0, 1, 1)


@cache
def _blank() -> Pool:
    return find_game("truco", hands=1, target=NO_TARGET).deal(0).pool


def begin_round(number: int, state: int, tied: bool) -> Pool:
    """Return a record in which a round begins: seat 0 leads, no flor; the first round was tied or won."""
    pool = copy_pool(_blank())
    s = pool[0]
    for name in ("played", "winners", "truco_by", "envido_by"):
        s[name] = k.NONE
    s["scores"], s["mao"], s["player"], s["turn"], s["round"], s["pending"] = 0, 0, 0, 0, number, k.NOTHING
    s["acted"], s["has_flor"], s["envido_done"], s["start"] = 1, 0, 1, 0
    s["level"], s["called"], s["raiser"] = _LEVEL[state], _LEVEL[state], _RAISER[state]
    if number > 0:
        s["winners"][0] = TIE if tied else 0
    return pool


def played(pool: Pool, action: int) -> Pool:
    """Return the record after an action; a card played comes into the hand first."""
    after = copy_pool(pool)
    s = after[0]
    if action < k.TRUCO:
        seat, left = int(s["turn"]), 3 - int(s["round"])
        others = [card for card in range(k.FACE_DOWN) if card != action % k.FACE_DOWN]
        s["hands"][seat] = [action % k.FACE_DOWN, *others[: left - 1], *[k.NONE] * (3 - left)]
    s["num_events"] = 0
    assert calls.play(after, 0, action, np.zeros(k.NUM_ACTIONS, np.int16))
    return after


def calls_of(pool: Pool) -> list[int]:
    """Return the legal actions other than cards and the deck."""
    out = np.zeros(k.NUM_ACTIONS, np.int16)
    return [action for action in out[: calls.legal(pool, out)].tolist() if k.TRUCO <= action < k.BARALHO]


def looks(round_: int) -> range:
    """Return the looks that a card may have in a round."""
    return range(SEEN if round_ == 1 else CLASSES)


def card_of(look: int) -> int:
    """Return an action that plays a card with a look."""
    return int(hands().card_of[look])


@cache
def plays(round_: int, look: int, keeps: bool = False) -> NDArray[np.int64]:
    """Return links of a seat's plays with a look; with `keeps` the holding stays the same."""
    h, rows = hands(), []
    for row in range(SIZES[round_]):
        cards = [row] if round_ == 2 else (h.pairs if round_ == 1 else h.sets)[row].tolist()
        if look == COVERED:
            rows.append((row, len(cards), row if keeps else cards[1]))
            continue
        for choice, card in enumerate(cards):
            if card == look:
                left = h.rest_of[row, card] if round_ == 0 else cards[1 - choice] if round_ == 1 else row
                rows.append((row, choice, row if keeps else left))
    return np.array(rows, np.int64).reshape(-1, 3)


class Rounds:
    """Builder of the trees of one round after points are settled; seat 0 leads."""

    def __init__(self, round_: int) -> None:
        self.round, self.builder = round_, Builder()
        self.cards = (3, 3, 1)[round_]  # choices of cards

    def tree(self, pool: Pool, layout: Layout, look: int = NO_LOOK, deck: bool = False) -> None:
        """Add the tree that begins with a record."""
        self.builder.tree(layout)
        self._level = int(pool[0]["level"])
        self._grow(pool, look, deck)

    def _rows(self, look: int) -> tuple[int, int]:
        """Return the numbers of holdings, before the lead or after it."""
        own = SIZES[self.round]
        return (own, own) if look == NO_LOOK else (SIZES[self.round + 1] if self.round < 2 else CLASSES, own)

    def _grow(self, pool: Pool, look: int, deck: bool = False) -> int:
        s = pool[0]
        seat, rows = int(s["turn"]), self._rows(look)
        node = int(bets_node(pool))
        legal = calls_of(pool)
        free = s["pending"] == k.NOTHING
        choices = self.cards * free + len(legal) + deck
        number = self.builder.decision(seat, choices, rows, (look, node, int(deck)))
        if free:
            self._play_cards(pool, look, number)
        for choice, action in enumerate(legal, start=self.cards * free):
            after = played(pool, action)
            if after[0]["turn"] < 0:
                child = self.builder.leaf(FOLD, rows, *_result(after), look)
            else:
                child = self._grow(after, look)
            self.builder.edge(number, child, choice)
        if deck:
            after = played(pool, k.BARALHO)
            self.builder.edge(number, self.builder.leaf(FOLD, rows, *_result(after), look), choices - 1)
        return number

    def _play_cards(self, pool: Pool, look: int, number: int) -> None:
        ends: dict[tuple[int, int], list[int]] = {}
        for card in looks(self.round):
            after = played(pool, card_of(card))
            if after[0]["turn"] < 0:
                ends.setdefault(_result(after), []).append(card)
            elif look == NO_LOOK:
                child = self._grow(after, card)
                self.builder.edge(number, child, 0, (plays(self.round, card), None))
            else:
                rows = (SIZES[self.round + 1], SIZES[self.round + 1])
                child = self.builder.leaf(NEXT_ROUND, rows, *self._next(after, look, card))
                self.builder.edge(number, child, 0, (None, plays(self.round, card)))
        for result, cards in ends.items():  # plays with one result share a leaf
            links = np.concatenate([plays(self.round, card, True) for card in cards])
            child = self.builder.leaf(FOLD, self._rows(look), *result, look)
            self.builder.edge(number, child, 0, (None, links))

    def _next(self, after: Pool, look: int, card: int) -> tuple[int, ...]:
        """Return the facts of a leaf where the next round begins."""
        s = after[0]
        leader = int(s["player"])
        if self.round == 0:
            return 0, 0, look, card, int(bets_state(after, 1))
        state, changed = int(bets_state(after, leader)), int(s["level"] != self._level)
        return state * 2 + (s["winners"][0] != TIE), leader, look, card, changed * STATES + state


class ThirdRounds(Rounds):
    """Trees of the third round before its lead is shown, and those of `last` after it."""

    def __init__(self) -> None:
        super().__init__(2)
        self.last = Builder()

    def _play_cards(self, pool: Pool, look: int, number: int) -> None:
        tree = self.last.tree(self.builder.layouts[-1])
        self._grow_last(played(pool, card_of(0)))
        tie_wins = int(pool[0]["winners"][0] != TIE)
        self.builder.edge(number, self.builder.leaf(SHOW, (CLASSES, CLASSES), tree, tie_wins), 0)

    def _grow_last(self, pool: Pool) -> int:
        """Add the nodes after the lead of the weakest class."""
        s, rows = pool[0], (CLASSES, 2 * CLASSES)
        free, legal = s["pending"] == k.NOTHING, calls_of(pool)
        number = self.last.decision(int(s["turn"]), free + len(legal), rows, (0, int(bets_node(pool)), 0))
        if free:
            wins, stronger = played(pool, card_of(CLASSES - 1)), copy_pool(pool)
            stronger[0]["played"][0, 2] = card_of(CLASSES - 1)
            loses = played(stronger, card_of(0))
            self.last.edge(number, self.last.leaf(COMPARE, rows, *_result(loses), *_result(wins)), 0)
        for choice, action in enumerate(legal, start=int(free)):
            after = played(pool, action)
            over = after[0]["turn"] < 0
            child = self.last.leaf(COMPARE, rows, *_result(after) * 2) if over else self._grow_last(after)
            self.last.edge(number, child, choice)
        return number


def _result(pool: Pool) -> tuple[int, int]:
    """Return the winner of a hand that has ended, and its points."""
    mao, pe = (int(points) for points in pool[0]["scores"])
    return (0, mao) if mao else (1, pe)


def first_rounds() -> Rounds:
    """Return the trees of the first round, by `entry`; all have one layout."""
    found, layout = Rounds(0), Layout()
    begin = begin_round(0, FREE, False)
    called = played(begin, k.TRUCO)
    found.tree(begin, layout)
    found.tree(begin, layout, deck=True)
    found.tree(called, layout)
    for c in range(CLASSES):
        found.tree(played(begin, card_of(c)), layout, c)
    for c in range(CLASSES):
        found.tree(played(played(begin, card_of(c)), k.TRUCO), layout, c)
    return found


MAO, MAO_OR_DECK, ANSWER = range(PE)
PE_CALLED = PE + CLASSES
"""Entries of the first round: the mão's turn, the same with the deck, the pé's answer to truco; from PE on the pé's
turn after a class, from PE_CALLED on the mão's answer to the pé's truco there."""


def second_rounds() -> Rounds:
    """Return the trees of the second round, by state of the bets and whether the first was tied or won."""
    found = Rounds(1)
    for state in range(STATES):
        layout = Layout()
        for won in range(2):
            found.tree(begin_round(1, state, not won), layout)
    return found


def third_rounds() -> ThirdRounds:
    """Return the trees of the third round, by state of the bets and whether a tie is for the follower."""
    found = ThirdRounds()
    for state in range(STATES):
        layout = Layout()
        for tie_wins in range(2):
            pool = begin_round(2, state, not tie_wins)
            pool[0]["winners"][:2] = (1, 0) if tie_wins else (TIE, TIE)
            found.tree(pool, layout)
    return found


# --- Opening ------------------------------------------------------------------------------------

DEALT = (["4e", "5e", "6p"], ["1e", "2e", "3e"]), (["4c", "5c", "6o"], ["1c", "2c", "3c"])
"""By seat: a hand without flor, and one with."""


class Opening:
    """Builder of the trees of a hand's opening, where a holding is a type."""

    def __init__(self) -> None:
        h = hands()
        self.builder, self.layout, self.types = Builder(), Layout(), len(h.type_set)
        self.outcomes = 0  # number of leaves and results with stored values
        self._set_of, self._flor = h.type_set.astype(np.int64), h.type_flor
        self._all = np.ones(self.types, np.bool_)
        self._known: dict[bytes, NDArray[np.int64]] = {}
        for mao, pe in ((0, 0), (1, 1), (1, 0)):
            self.builder.tree(self.layout)
            pool = find_game("truco", hands=1).setup(hands=[DEALT[0][mao], DEALT[1][pe]], mao=0).pool
            if mao == pe:
                self._grow(copy_pool(pool), NO_LOOK)
            else:
                self._settled(pool, NO_LOOK)

    def _grow(self, pool: Pool, look: int) -> int:
        s = pool[0]
        free, rows = s["pending"] == k.NOTHING, (self.types, self.types)
        mao_opens = free and look == NO_LOOK
        calls_ = calls_of(pool)
        choices = 3 * free + len(calls_) + mao_opens
        number = self.builder.decision(int(s["turn"]), choices, rows, tuple(opening_place(pool)))
        if free and look == NO_LOOK:
            flor = copy_pool(pool)  # the pé's flor comes up at its first turn
            flor[0]["dealt"][1] = [CARDS.index(card) for card in DEALT[1][1]]
            for choice, action in self._moves(calls_):
                self._branch(number, played(flor, action), look, choice, (action, self._flor))
                self._branch(number, played(pool, action), look, choice, (action, ~self._flor))
            over = self.builder.leaf(FOLD, rows, *_result(played(pool, k.BARALHO)))
            self.builder.edge(number, over, choices - 1)
        elif free:
            for card in range(CLASSES):
                moved = self.builder.leaf(MOVED, (PAIRS, PAIRS), 0, 0, look, card, FREE)
                self.builder.edge(number, moved, 0, (self._pairs(look), self._pairs(card)))
            for choice, action in enumerate(calls_, start=3):
                self._branch(number, played(pool, action), look, choice, (action, self._all))
        else:
            for choice, action in enumerate(calls_):
                self._branch(number, played(pool, action), look, choice, (action, self._all))
        return number

    def _moves(self, calls_: list[int]) -> list[tuple[int, int]]:
        """Return choices and actions of the mão's first turn; one card of each class."""
        return [*((0, card_of(card)) for card in range(CLASSES)), *enumerate(calls_, start=3)]

    def _branch(self, number: int, after: Pool, look: int, choice: int, by: tuple[int, NDArray[np.bool_]]) -> None:
        """Add the child after an action, which the other seat reaches with some types."""
        action, others = by
        s, to_sets = after[0], True
        if action < k.TRUCO:
            look = int(hands().class_of[action + 2])
        if action in (k.QUERO, k.FLOR):
            child, to_sets = self._shown(after, look), False
        elif s["pending"] in (k.ENVIDO_BET, k.FLOR_BET) or (s["pending"] == k.NOTHING and not s["envido_done"]):
            child, to_sets = self._grow(after, look), False
        else:
            child = self._settled(after, look)
        mine: Links = self._cards(look, to_sets) if action < k.TRUCO else self._same(self._all, choice, to_sets)
        theirs: Links = self._same(others, 0, to_sets)
        actor = self.builder.actor(number)
        self.builder.edge(number, child, choice, (mine, theirs) if actor == 0 else (theirs, mine))

    def _settled(self, pool: Pool, look: int) -> int:
        """Add a leaf where bets on points are settled without showing them."""
        self.outcomes += 1
        mao, pe = (int(points) for points in pool[0]["scores"])
        told = int(told_in(hands(), pool))
        return self.builder.leaf(SETTLED, (SETS, SETS), told, _entry(pool, look, told), self.outcomes - 1, mao, pe)

    def _shown(self, after: Pool, look: int) -> int:
        """Add a leaf where points are shown; a stake of 0 is a falta."""
        s = after[0]
        flor = int(s["has_flor"][0] == 1)
        falta = s["flor_by"][1] != k.NONE or s["envido_by"][2] != k.NONE
        stake = 0 if falta else int(s["scores"].max())
        first, self.outcomes = self.outcomes, self.outcomes + (1 if flor else TOLD - SHOWN)
        entry = _entry(after, look, BOTH_FLOR if flor else SHOWN)
        return self.builder.leaf(COMPARED, (self.types, self.types), flor, entry, first, stake)

    def _kept(self, links: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the first copy of equal links, so that the tree has them once."""
        return self._known.setdefault(links.tobytes(), links)

    def _same(self, types: NDArray[np.bool_], choice: int, to_sets: bool) -> Links:
        """Return links of some types that keep their cards."""
        if types.all() and not to_sets:
            return None
        every = np.flatnonzero(types)
        after = self._set_of[every] if to_sets else every
        return self._kept(np.stack([every, np.full(len(every), choice), after], axis=1))

    def _cards(self, look: int, to_sets: bool) -> NDArray[np.int64]:
        """Return links of the mão's plays of a class; bets on points still depend on the type."""
        types, choices = np.nonzero(hands().sets[self._set_of] == look)
        after = self._set_of[types] if to_sets else types
        return self._kept(np.stack([types, choices, after], axis=1))

    def _pairs(self, look: int) -> NDArray[np.int64]:
        """Return links of plays of a class to the pair that remains."""
        types, choices = np.nonzero(hands().sets[self._set_of] == look)
        return self._kept(np.stack([types, choices, hands().rest_of[self._set_of[types], look]], axis=1))


def _entry(pool: Pool, look: int, told: int) -> int:
    """Return the entry of the first round that follows bets on points."""
    called = pool[0]["pending"] == k.TRUCO_BET
    if look == NO_LOOK:
        return ANSWER if called else MAO_OR_DECK if told in (BOTH_FLOR, MAO_FLOR) else MAO
    return (PE_CALLED if called else PE) + look
