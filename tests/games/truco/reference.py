"""A second engine for Truco: slow, plain, and written from the rules alone.

Where the compiled kernel is a record and a jump table, this one is a generator: it runs a hand the
way people play it and stops (`yield seat, options`) at every decision.  Nothing is shared with the
kernel but the texts of cards and calls.
"""

from collections.abc import Callable, Generator, Sequence
from itertools import combinations

SUITS = {"e": "espadas", "p": "paus", "c": "copas", "o": "ouros"}
NUMBERS = [1, 2, 3, 4, 5, 6, 7, 10, 11, 12]
DECK = [f"{number}{suit}" for suit in SUITS for number in NUMBERS]

ORDER = ["1e", "1p", "7e", "7o", "3", "2", "1", "12", "11", "10", "7", "6", "5", "4"]
"""Strongest first; a number alone stands for the suits that are not named before it."""

DEFAULTS = {
    "target": 24,
    "hands": 0,
    "face_down": True,
    "envido_first": False,
    "envido_envido": False,
    "flor": True,
    "flor_points": 3,
    "contra_flor_points": 6,
    "contra_flor_refused": 4,
    "resto_refused": 6,
}

TRUCO_NAMES = ["hand", "truco", "retruco", "vale4"]
ENVIDO_CALLS = ["envido", "real", "falta"]

Decision = tuple[int, list[str]]
Decisions = Generator[Decision, str, None]


def weakness(card: str) -> int:
    """Return the place of a card in `ORDER`: 0 is the strongest."""
    return ORDER.index(card) if card in ORDER else ORDER.index(card[:-1])


def value(card: str) -> int:
    """Return the points of a card for envido and flor."""
    number = int(card[:-1])
    return number if number < 10 else 0


def envido_of(hand: Sequence[str]) -> int:
    """Return the envido points: the best pair of one suit, or the highest single card."""
    pairs = [20 + value(a) + value(b) for a, b in combinations(hand, 2) if a[-1] == b[-1]]
    return max(pairs + [value(card) for card in hand])


def has_flor(hand: Sequence[str]) -> bool:
    return len({card[-1] for card in hand}) == 1


def flor_of(hand: Sequence[str]) -> int:
    return 20 + sum(value(card) for card in hand)


class HandEnd(Exception):
    """End of a hand."""


class MatchEnd(Exception):
    """End of the match: a seat has reached the target."""


class Hand:
    """One hand of three cards, from the deal to its last point."""

    def __init__(self, rules: dict, hands: Sequence[Sequence[str]], mao: int, scores: list[int]) -> None:
        self.rules = rules
        self.dealt = [list(hand) for hand in hands]
        self.left = [list(hand) for hand in hands]
        self.mao = mao
        self.pe = 1 - mao
        self.scores = scores
        self.value = 1
        self.may_raise = {0, 1}  # the seats with the right to raise the truco
        self.truco_called = False
        self.envido_closed = False  # negotiated, or cancelled by a flor
        self.pe_has_acted = False
        self.flor_said = {0: False, 1: False}
        self.heard: list[tuple] = []  # announcements that both seats hear besides the actions

    # --- Points ---

    def score(self, seat: int, points: int) -> None:
        self.scores[seat] += points
        self.heard.append(("points", seat, points))
        if self.scores[seat] >= self.rules["target"]:
            raise MatchEnd

    def lacking(self) -> int:
        """Return the points of a falta: those that the leading player lacks."""
        return self.rules["target"] - max(self.scores)

    def better(self, measure: Callable[[Sequence[str]], int]) -> int:
        """Return the seat with the higher measure, or the mão when both are equal."""
        return self.pe if measure(self.dealt[self.pe]) > measure(self.dealt[self.mao]) else self.mao

    def show(self, measure: Callable[[Sequence[str]], int]) -> int:
        """Compare in the open: announce the winner's points, but not the loser's."""
        winner = self.better(measure)
        self.heard.append(("shown", winner, measure(self.dealt[winner])))
        return winner

    def holds_flor(self, seat: int) -> bool:
        return self.rules["flor"] and has_flor(self.dealt[seat])

    # --- The hand ---

    def play(self) -> Decisions:
        try:
            yield from self.flor_of_the_mao()
            winner = yield from self.rounds()
            self.score(winner, self.value)
        except HandEnd:
            pass

    def rounds(self) -> Generator[Decision, str, int]:
        """Play rounds until the hand has a winner."""
        winners: list[int | None] = []
        leader = self.mao
        while True:
            cards = {}
            for seat in (leader, 1 - leader):
                cards[seat] = yield from self.turn(seat, len(winners) + 1)
            winner = self.round_winner(cards)
            winners.append(winner)
            leader = self.mao if winner is None else winner
            decided = self.hand_winner(winners)
            if decided is not None:
                return decided

    @staticmethod
    def round_winner(cards: dict[int, str]) -> int | None:
        down = {seat: cards[seat].startswith("virada") for seat in cards}
        if down[0] and down[1]:
            return None
        if down[0] or down[1]:
            return 1 if down[0] else 0
        a, b = weakness(cards[0]), weakness(cards[1])
        return None if a == b else 0 if a < b else 1

    def hand_winner(self, winners: list[int | None]) -> int | None:
        """Return the winner of the hand after these rounds, or None."""
        if len(winners) == 1:
            return None
        for seat in (0, 1):
            if winners.count(seat) == 2:
                return seat
        if None in winners:  # a tie: the first round that was won decides, once there is one
            for winner in winners:
                if winner is not None:
                    return winner
        return self.mao if len(winners) == 3 else None

    def turn(self, seat: int, round_number: int) -> Generator[Decision, str, str]:
        """Take a seat's turn: calls, until it plays a card."""
        while True:
            self.come_to_act(seat)
            action = yield seat, self.options(seat, round_number)
            self.pe_has_acted |= seat == self.pe
            if action == "baralho":
                self.score(1 - seat, self.value)
                raise HandEnd
            elif action in TRUCO_NAMES:
                yield from self.truco(seat)
            elif action in ENVIDO_CALLS:
                yield from self.envido(seat, action)
            else:
                self.left[seat].remove(action.removeprefix("virada "))
                return action

    def options(self, seat: int, round_number: int) -> list[str]:
        options = [*self.left[seat], "baralho"]
        if self.rules["face_down"] and round_number > 1:
            options += [f"virada {card}" for card in self.left[seat]]
        if self.value < 4 and seat in self.may_raise:
            options.append(TRUCO_NAMES[self.value])
        first_card_to_come = len(self.left[seat]) == 3
        if round_number == 1 and first_card_to_come and not self.truco_called and not self.envido_closed:
            options += ENVIDO_CALLS
        return options

    # --- Truco ---

    def truco(self, bettor: int) -> Decisions:
        """Settle a bet on the hand."""
        first_of_all = not self.pe_has_acted
        self.truco_called = True
        proposed = self.value + 1
        while True:
            other = 1 - bettor
            self.come_to_act(other)
            options = ["quero", "nao"]
            if proposed < 4:
                options.append(TRUCO_NAMES[proposed])
            if self.rules["envido_first"] and first_of_all and other == self.pe and not self.envido_closed:
                options += ENVIDO_CALLS
            answer = yield other, options
            self.pe_has_acted |= other == self.pe
            if answer == "quero":
                self.value = proposed
                self.may_raise = {other}
                return
            elif answer == "nao":
                self.score(bettor, proposed - 1)
                raise HandEnd
            elif answer in ENVIDO_CALLS:
                yield from self.envido(other, answer)
            else:
                bettor, proposed, first_of_all = other, proposed + 1, False

    # --- Envido ---

    def envido(self, bettor: int, call: str) -> Decisions:
        """Settle a bet on the envido."""
        calls = [call]
        self.envido_closed = True
        while True:
            other = 1 - bettor
            if self.come_to_act(other):  # a flor: there is no envido in this hand
                return
            answer = yield other, ["quero", "nao", *self.envido_raises(calls)]
            self.pe_has_acted |= other == self.pe
            if answer == "quero":
                self.score(self.show(envido_of), self.envido_worth(calls))
                return
            elif answer == "nao":
                self.score(bettor, self.envido_worth(calls[:-1]) if len(calls) > 1 else 1)
                return
            calls.append(answer)
            bettor = other

    def envido_raises(self, calls: list[str]) -> list[str]:
        raises = {"envido": ["real", "falta"], "real": ["falta"], "falta": []}[calls[-1]]
        if self.rules["envido_envido"] and calls == ["envido"]:
            return ["envido", *raises]
        return raises

    def envido_worth(self, calls: list[str]) -> int:
        if "falta" in calls:
            return self.lacking()
        return sum({"envido": 2, "real": 3}[call] for call in calls)

    # --- Flor ---

    def say_flor(self, seat: int) -> None:
        self.flor_said[seat] = True
        self.envido_closed = True
        self.heard.append(("flor", seat))

    def come_to_act(self, seat: int) -> bool:
        """Announce a flor of the pé at its first turn, and return whether it was announced now."""
        if seat != self.pe or self.flor_said[seat] or not self.holds_flor(seat):
            return False
        self.say_flor(seat)
        self.score(seat, self.rules["flor_points"])
        return True

    def flor_of_the_mao(self) -> Decisions:
        """Announce a flor of the mão at the start, which a pé with flor answers at once."""
        if not self.holds_flor(self.mao):
            return
        self.say_flor(self.mao)
        if not self.holds_flor(self.pe):
            self.score(self.mao, self.rules["flor_points"])
            return
        self.say_flor(self.pe)
        calls = []
        bettor, options = self.mao, ["flor", "contraflor", "resto"]
        while True:
            other = 1 - bettor
            answer = yield other, options
            if answer in ("contraflor", "resto"):
                calls.append(answer)
                bettor = other
                options = ["quero", "nao", "resto"] if answer == "contraflor" else ["quero", "nao"]
                continue
            if answer == "nao":
                return self.score(bettor, self.rules["contra_flor_refused" if len(calls) == 1 else "resto_refused"])
            if calls == []:
                points = self.rules["flor_points"]
            elif calls == ["contraflor"]:
                points = self.rules["contra_flor_points"]
            else:
                points = self.lacking()
            return self.score(self.show(flor_of), points)


class Reference:
    """A match (or `hands` hands): `turn`, `legal`, `scores`, `over`, and `play(text)`.

    `deal` returns the cards of every hand, so that the caller decides the chance.
    """

    def __init__(
        self, rules: dict, deal: Callable[[], Sequence[Sequence[str]]], mao: int = 0, scores: Sequence[int] = (0, 0)
    ) -> None:
        self.rules = DEFAULTS | rules
        self.scores = list(scores)
        self.mao = mao
        self.turn: int | None = None
        self.legal: list[str] = []
        self._deal = deal
        self._decisions = self._match()
        self._go(lambda: next(self._decisions))

    @property
    def over(self) -> bool:
        return self.turn is None

    def play(self, action: str) -> None:
        assert action in self.legal
        self._go(lambda: self._decisions.send(action))

    def _match(self) -> Decisions:
        played = 0
        while played < self.rules["hands"] or self.rules["hands"] == 0:
            if played > 0:
                self.mao = 1 - self.mao
            self.hand = Hand(self.rules, self._deal(), self.mao, self.scores)
            yield from self.hand.play()
            played += 1

    def _go(self, step: Callable[[], Decision]) -> None:
        try:
            self.turn, options = step()
            self.legal = sorted(options)
        except (StopIteration, MatchEnd):
            self.turn, self.legal = None, []
