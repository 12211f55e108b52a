"""View of a seat of 7 Wonders: its hand, every city, the price of each action."""

from bolicho.games.game import View
from bolicho.games.kind import Action
from bolicho.games.wonders import state
from bolicho.games.wonders.cards import CARDS, COLOURS
from bolicho.games.wonders.compiled import calls
from bolicho.games.wonders.rules import HAND, left_seat, right_seat
from bolicho.games.wonders.state import City, Fields, WondersTable, held
from bolicho.games.wonders.text import ROMAN, Price, name_action, name_card
from bolicho.i18n import Catalogue, Message, Several


class WondersView(View):
    """A seat's view of 7 Wonders."""

    __slots__ = ()
    fields: Fields
    table: WondersTable

    @property
    def age(self) -> int:
        """Number of the age: 1, 2 or 3."""
        return self.fields.age + 1

    @property
    def round(self) -> int:
        """Turn of the age, 1 to 6; 7 when Babylon plays its last card, and at the end."""
        return min(self.fields.round + 1, HAND)

    @property
    def hand(self) -> list[str]:
        """Cards in this seat's hand."""
        return [CARDS[card] for card in held(self.fields, self.seat, self.game.seats)]

    @property
    def left(self) -> int:
        """Left neighbour: the next seat."""
        return left_seat(self.seat, self.game.seats)

    @property
    def right(self) -> int:
        """Right neighbour: the previous seat."""
        return right_seat(self.seat, self.game.seats)

    @property
    def coins(self) -> list[int]:
        """Coins of every seat."""
        return list(self.fields.coins[: self.game.seats])

    @property
    def shields(self) -> list[int]:
        """Shields of every seat."""
        return list(self.fields.shields[: self.game.seats])

    def city(self, seat: int | None = None) -> City:
        """Return the city of a seat (by default this one)."""
        return state.city(self, self.seat if seat is None else seat)

    @property
    def cities(self) -> list[City]:
        """Every city, by seat."""
        return [self.city(seat) for seat in range(self.game.seats)]

    def cost(self, action: Action) -> Price:
        """Return the price of a legal action of this seat: coins to the left, to the right and to the bank."""
        return Price(*calls.price(self.pool, self.seat, action.number))

    def text(self, words: Catalogue) -> str:
        """Return the cities, the hand and the legal actions as text."""
        head = Message("wonders.view", age=ROMAN[self.age - 1], turn=self.round)
        lines = [words.say(Message("wonders.view.end") if self.over else head)]
        for city in self.cities:
            lines += _city_lines(city, self._place(city.seat), words)
        if not self.over:
            hand = Several([name_card(card) for card in self.hand] or ["-"], ",")
            lines.append(words.say(Message("wonders.view.hand", cards=hand)))
        if self.turn == self.seat:
            paid = [self._paid(action) for action in self.legal if not action.startswith("sell")]
            lines.append(words.say(Message("wonders.view.legal", actions=Several(paid or ["-"], ","))))
        return "\n".join(lines)

    def _place(self, seat: int) -> Message:
        """Return the position of a seat relative to this one."""
        place = {self.seat: "you", self.left: "left", self.right: "right"}.get(seat, "seat")
        return Message(f"wonders.view.{place}", seat=seat)

    def _paid(self, action: Action) -> Message:
        """Return a legal action and its price."""
        return Message("wonders.view.action", action=name_action(self.state, action), price=self.cost(action).said)


def _city_lines(city: City, who: Message, words: Catalogue) -> list[str]:
    head = Message(
        "wonders.view.city",
        who=who,
        board=Message(f"wonders.board.{city.board}"),
        stages=city.stages,
        of=city.of,
        start=Message(f"wonders.resource.{city.start}"),
        coins=Message("wonders.units.coin", n=city.coins),
        shields=Message("wonders.units.shield", n=city.shields),
        war=f"{city.victories - city.defeats:+d}",
        points=Message("wonders.units.point", n=city.points["total"]),
    )
    counts = [(symbol, count) for symbol, count in (*city.symbols.items(), ("wild", city.wild)) if count]
    symbols = " ".join(words.say(Message(f"wonders.units.{symbol}", n=count)) for symbol, count in counts)
    lines = [words.say(head) + (f"; {symbols}" if symbols else "")]
    colours = {colour: words.say(Message(f"wonders.colour.{colour}")) for colour in COLOURS}
    width = max(map(len, colours.values()))
    return lines + [
        f"    {colours[colour]:{width}} {', '.join(words.say(name_card(name)) for name in names)}"
        for colour, names in city.cards.items()
        if names
    ]
