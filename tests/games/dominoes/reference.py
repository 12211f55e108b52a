"""A second engine for dominoes, small and slow, sharing nothing with the first: tests compare the two.

Tiles are pairs (high, low).  A position is a dictionary of arms: side -> (open value, what it counts).
"""

from dataclasses import dataclass, field
from itertools import combinations

SIDES = "lrud"


class Undetermined(Exception):
    """Draw of a tile that is not determined yet."""


@dataclass
class Reference:
    """A game in progress.  `rules` as the options of `bolicho.game`, plus "game"."""

    rules: dict
    hands: list
    boneyard: list
    turn: int | None = 0
    lead: tuple | None = None
    arms: dict = field(default_factory=dict)
    spinner: int | None = None
    spinner_joined: set = field(default_factory=set)
    scores: list = field(default_factory=lambda: [0, 0])
    log: list = field(default_factory=list)

    def rule(self, name, default):
        return self.rules.get(name, default)

    # What is legal, as texts.

    def sides_for(self, tile):
        return [side for side in SIDES if side in self.arms and self.arms[side][0] in tile]

    def legal(self):
        if self.turn is None:
            return []
        hand = self.hands[self.turn]
        if not self.arms:
            return sorted(name(tile) for tile in hand if self.lead in (None, tile))
        texts = []
        for tile in hand:
            sides = self.sides_for(tile)
            texts += [name(tile)] if len(sides) == 1 else [f"{name(tile)} {side}" for side in sides]
        return sorted(texts)

    # Playing.

    def play(self, text):
        assert text in self.legal(), text
        seat = self.turn
        written, _, side = text.partition(" ")
        tile = next(t for t in self.hands[seat] if name(t) == written)
        self.hands[seat].remove(tile)
        self.log.append(("chose", seat, text))
        self.put(tile, side or (self.sides_for(tile)[0] if self.arms else None))
        if self.rules["game"] == "fives":
            total = self.total()
            if total and total % self.rule("multiple", 5) == 0:
                self.scores[seat] += total
                self.log.append(("points", seat, total))
        if not self.hands[seat]:
            self.win(seat, False)
        else:
            self.next_turn(1 - seat)

    def put(self, tile, side):
        high, low = tile
        fives = self.rules["game"] == "fives"
        double = high == low
        if side is None:
            self.arms = {"l": (high, high), "r": (low, low)}
        else:
            outer = low if self.arms[side][0] == high else high
            self.arms[side] = (outer, 2 * outer if double else outer)
            if self.spinner is not None:
                self.spinner_joined.add(side)
        if fives and double and self.spinner is None:
            self.spinner = high
            if side is not None:
                self.spinner_joined = {{"l": "r", "r": "l"}[side]}
        if self.spinner is not None and len(self.spinner_joined & set("lr")) >= self.rule("arms_after", 0):
            for arm in "ud":
                self.arms.setdefault(arm, (self.spinner, self.spinner))

    def total(self):
        if self.spinner is None:
            return sum(worth for _, worth in self.arms.values())
        ends = sum(worth for side, (_, worth) in self.arms.items() if side in self.spinner_joined)
        free = [side for side in self.arms if side not in self.spinner_joined]
        if self.rule("spinner", "double") == "sides":
            return ends + len(free) * self.spinner
        return ends + (2 * self.spinner if len(self.spinner_joined) < 2 else 0)

    def can_play(self, seat):
        return any(self.sides_for(tile) for tile in self.hands[seat])

    def next_turn(self, seat):
        self.turn = seat
        while not self.can_play(seat) and len(self.boneyard) > self.rule("reserve", 0):
            tile = self.boneyard.pop(0)
            if tile is None:
                raise Undetermined
            self.hands[seat].append(tile)
            self.log.append(("drew", seat, name(tile)))
        if self.can_play(seat):
            return
        self.log.append(("passed", seat))
        self.turn = 1 - seat
        if not self.can_play(1 - seat):
            self.log.append(("passed", 1 - seat))
            lightest = [min((sum(tile), min(tile)) for tile in hand) for hand in self.hands]
            self.win(lightest.index(min(lightest)), True)

    def win(self, seat, blocked):
        points = sum(map(sum, self.hands[1 - seat]))
        if self.rules["game"] == "fives":
            unit = self.rule("multiple", 5)
            over = points % unit
            up = points - over + (unit if over else 0)
            rounding = self.rule("rounding", "up")
            if rounding == "up" or (rounding == "nearest" and 2 * over >= unit):
                points = up
            elif rounding != "none":
                points -= over
        self.scores[seat] += points
        self.log.append(("won", seat, points, blocked))
        self.turn = None


def name(tile):
    return f"{tile[0]}-{tile[1]}"


def tile_of(text):
    high, low = text.split("-")
    return int(high), int(low)


def start(rules, hands, boneyard, first=None):
    """Start a new game; without `first` the rules decide who opens (but not by lot)."""
    hands = [list(hand) for hand in hands]
    game = Reference(rules, hands, list(boneyard))
    opens = rules.get("opens", "first")
    if first is None and opens in ("double", "heaviest"):

        def rank(tile):
            return (opens == "double" and tile[0] == tile[1], sum(tile), tile[0])

        game.lead = max(hands[0] + hands[1], key=rank)
        first = 0 if game.lead in hands[0] else 1
        game.log.append(("opens", first, name(game.lead)))
    game.turn = first or 0
    return game


def seen_log(game, seat):
    """Return all events that a seat has seen."""
    return [("drew", 1 - seat) if entry[:2] == ("drew", 1 - seat) else entry for entry in game.log]


def seen_by(game, seat):
    """Return all events that a seat has seen, and what lies on the table; hands are shown at the end."""
    shown = sorted(game.hands[1 - seat]) if game.turn is None else len(game.hands[1 - seat])
    return seen_log(game, seat), sorted(game.hands[seat]), shown, len(game.boneyard), game.turn


def consistent_deals(rules, hands, boneyard, first, actions, seat):
    """Return every deal under which a seat would have seen the same, by trying all deals.

    A deal is (tiles dealt to the other seat, drawn tiles), since the undrawn tiles may lie in any order.
    """
    real = start(rules, hands, boneyard, first)
    for action in actions:
        real.play(action)
    seen = seen_by(real, seat)
    drawn_by = [entry[1] for entry in real.log if entry[0] == "drew"]
    mine = [boneyard[i] for i, who in enumerate(drawn_by) if who == seat]
    unknown = sorted(tile for tile in [*hands[1 - seat], *boneyard] if tile not in mine)
    found = []

    def go_on(dealt, drawn, left):
        """Try the deals with this beginning: replay until an undetermined tile is drawn, then try each."""
        game = start(rules, dealt, drawn + [None] * (len(boneyard) - len(drawn)), first)
        try:
            for action in actions:
                if action not in game.legal():
                    return
                game.play(action)
        except Undetermined:
            log = seen_log(game, seat)
            if seen[0][: len(log)] == log and len(drawn) < len(drawn_by):
                known = drawn_by[len(drawn)] == seat
                for tile in [boneyard[len(drawn)]] if known else left:
                    go_on(dealt, [*drawn, tile], [other for other in left if other != tile])
            return
        if seen_by(game, seat) == seen:
            found.append((dealt[1 - seat], tuple(drawn)))

    for other in combinations(unknown, len(hands[1 - seat])):
        dealt = [other, other]
        dealt[seat] = hands[seat]
        go_on(dealt, [], [tile for tile in unknown if tile not in other])
    return found
