"""A second, slow and plain 7 Wonders, written for the tests: no tables of sums, no matroids, no bits.

It shares with the package only the text of the card table.  It computes legal actions, payments and
points, so that they can be compared with those of the compiled rules.
"""

import re
from collections import Counter
from itertools import product

from bolicho.games.wonders.cards import _ROWS, _STAGES

RAW = ("wood", "stone", "ore", "clay")
GOODS = ("glass", "papyrus", "cloth")
CARD = {}  # name -> (colour, cost text, gives text, chains); both ages of a grey card say the same
for (_colour, _age), (_name, _copies, _cost, _gives, _free) in _ROWS:
    CARD[_name] = (_colour, _cost, _gives, [c for c in _free.split(", ") if c])
BOARD = {}  # name -> (resource, [(cost text, gives text)])
for (_board, _start), _cells in _STAGES:
    BOARD.setdefault(_board, (_start, []))[1].append((_cells[0], _cells[1]))


def read_cost(text):
    """Read a cost: (coins, units wanted)."""
    units = []
    for part in filter(None, text.split(", ")):
        amount, what = part.split(" ") if " " in part else ("1", part)
        units += [what] * int(amount)
    return units.count("coin"), tuple(sorted(u for u in units if u != "coin"))


def sources_in(gives):
    """Return the sources of production that a text names, each a tuple of kinds of which it gives one."""
    match = re.fullmatch(r"(?:(\d) )?((?:wood|stone|ore|clay|glass|papyrus|cloth)(?:/\w+)*)", gives)
    return [tuple(match[2].split("/"))] * int(match[1] or 1) if match else []


def amount(gives, word):
    """Return the number before a word: `amount("2 points + 4 coins", "point")` is 2."""
    if " per " in gives:
        return 0
    match = re.search(rf"(\d+) {word}", gives)
    return int(match[1]) if match else 0


class City:
    def __init__(self, board):
        self.board = board
        self.start, self.stages = BOARD[board]
        self.coins, self.built, self.cards = 3, 0, []
        self.victories, self.defeats, self.free = 0, 0, False

    def effects(self):
        return [CARD[card][2] for card in self.cards] + [gives for _, gives in self.stages[: self.built]]

    def for_sale(self):
        return [(self.start,)] + [
            source for card in self.cards if CARD[card][0] in ("brown", "grey") for source in sources_in(CARD[card][2])
        ]

    def own(self):
        return [(self.start,)] + [source for gives in self.effects() for source in sources_in(gives)]

    def shields(self):
        return sum(amount(gives, "shield") for gives in self.effects())

    def colour(self, colour):
        return sum(CARD[card][0] == colour for card in self.cards)

    def has_stage(self, power):
        return any(power in gives for _, gives in self.stages[: self.built])

    def price(self, kind, side):
        effects = self.effects()
        if kind in GOODS:
            return 1 if "goods trade" in effects else 2
        return 1 if f"raw trade {side}" in effects or "raw trade both" in effects else 2


def ways_to_pay(need, own, left, right, price):
    """Return every (coins left, coins right) that covers the units and is not beaten in both, by trial.

    `price(kind, side)` is what a unit costs.
    """
    states = {(need, 0, 0)}
    for side, sources in (("own", own), ("left", left), ("right", right)):
        for source in sources:
            following = set(states)
            for wanted, paid_left, paid_right in states:
                for kind in set(source) & set(wanted):
                    i = wanted.index(kind)
                    rest = wanted[:i] + wanted[i + 1 :]
                    cost = 0 if side == "own" else price(kind, side)
                    following.add((rest, paid_left + cost * (side == "left"), paid_right + cost * (side == "right")))
            states = following
    paid = {(a, b) for wanted, a, b in states if not wanted}
    return {(a, b) for a, b in paid if not any((c, d) != (a, b) and c <= a and d <= b for c, d in paid)}


class Referee:
    def __init__(self, boards, ages, trade="cheapest"):
        self.n, self.trade = len(boards), trade
        self.cities = [City(board) for board in boards]
        self.ages = [[list(hand) for hand in age] for age in ages]
        self.age, self.turn, self.pile, self.chosen = 0, 0, [], []
        self.hands = self.ages[0]
        self.phase, self.seat = "play", 0

    def left(self, seat):
        return (seat + 1) % self.n

    def right(self, seat):
        return (seat - 1) % self.n

    # --- Legal actions

    def ways(self, seat, cost):
        """Return the affordable ways to pay, the default first."""
        coins, need = read_cost(cost)
        city = self.cities[seat]
        left, right = self.cities[self.left(seat)].for_sale(), self.cities[self.right(seat)].for_sale()
        ways = ways_to_pay(need, city.own(), left, right, city.price)
        return sorted((w for w in ways if sum(w) + coins <= city.coins), key=lambda w: (sum(w), w[0]))

    def is_chained(self, seat, card):
        return any(earlier in self.cities[seat].cards for earlier in CARD[card][3])

    def payments(self, seat, kind, card):
        """Return the ways to pay for a play: [] when it is impossible."""
        city = self.cities[seat]
        if kind == "build":
            if card in city.cards:
                return []
            return [(0, 0)] if self.is_chained(seat, card) else self.ways(seat, CARD[card][1])
        return self.ways(seat, city.stages[city.built][0]) if city.built < len(city.stages) else []

    def legal(self):
        if self.phase == "over":
            return set()
        if self.phase == "revive":
            return {f"revive {card}" for card in self.pile if card not in self.cities[self.seat].cards}
        city, texts = self.cities[self.seat], set()
        for card in self.hands[self.seat]:
            texts.add(f"sell {card}")
            if city.free and card not in city.cards:
                texts.add(f"free {card}")
            for kind in ("build", "wonder"):
                ways = self.payments(self.seat, kind, card)
                if self.trade == "choose" and len(ways) > 1:
                    texts |= {f"{kind} {card} {a}/{b}" for a, b in ways}
                elif ways:
                    texts.add(f"{kind} {card}")
        return texts

    # --- Play

    def play(self, text):
        if self.phase == "revive":
            card = text.split(" ", 1)[1]
            self.pile.remove(card)
            self.cities[self.seat].cards.append(card)
            self.earn(self.seat, CARD[card][2])
            self.end_turn()
        elif self.phase == "seventh":
            self.resolve([(self.seat, text)])
            self.end_age()
        else:
            self.chosen.append((self.seat, text))
            self.seat += 1
            if self.seat == self.n:
                chosen, self.chosen = self.chosen, []
                self.resolve(chosen)
                self.revival(chosen)

    def resolve(self, chosen):
        plays = []
        for seat, text in chosen:
            kind, card, split = re.fullmatch(r"(\w+) (.*?)(?: (\d+/\d+))?", text).groups()
            ways = self.payments(seat, kind, card) if kind in ("build", "wonder") else [(0, 0)]
            way = tuple(map(int, split.split("/"))) if split else ways[0]
            cost = CARD[card][1] if kind == "build" and not self.is_chained(seat, card) else ""
            plays.append((seat, kind, card, way, read_cost(cost)[0]))
        for seat, _, _, (left, right), bank in plays:
            self.cities[seat].coins -= left + right + bank
            self.cities[self.left(seat)].coins += left
            self.cities[self.right(seat)].coins += right
        gains = []
        for seat, kind, card, _, _ in plays:
            city = self.cities[seat]
            self.hands[seat].remove(card)
            if kind == "sell":
                city.coins += 3
                self.pile.append(card)
            elif kind == "wonder":
                gains.append((seat, city.stages[city.built][1]))
                city.built += 1
                city.free |= gains[-1][1] == "free build"
            else:
                gains.append((seat, CARD[card][2]))
                city.cards.append(card)
                city.free &= kind != "free"
        for seat, gives in gains:
            self.earn(seat, gives)

    def earn(self, seat, gives):
        match = re.search(r"(\d) coins? per (.*)", gives)
        self.cities[seat].coins += int(match[1]) * self.count(seat, match[2]) if match else amount(gives, "coin")

    def count(self, seat, text):
        """Return the count of a phrase such as `brown own and next`."""
        words = text.replace(",", "").split()
        where = [seat] * ("own" in words) + [self.left(seat), self.right(seat)] * ("next" in words)
        total = 0
        for city in (self.cities[i] for i in where):
            total += sum(CARD[card][0] in words for card in city.cards)
            total += city.built * ("stage" in words) + city.defeats * ("defeat" in words)
        return total

    def revival(self, chosen):
        for seat, text in chosen:
            city = self.cities[seat]
            if text.startswith("wonder") and "revive" in city.stages[city.built - 1][1]:
                self.phase, self.seat = "revive", seat
                if self.legal():
                    return
                self.phase = "play"
        self.end_turn()

    def end_turn(self):
        self.turn, self.seat, self.phase = self.turn + 1, 0, "play"
        if self.turn < 6:
            step = -1 if self.age != 1 else 1  # the seat whose hand is received
            self.hands = [self.hands[(seat + step) % self.n] for seat in range(self.n)]
            return
        for seat, city in enumerate(self.cities):
            if city.has_stage("seventh card"):
                self.phase, self.seat = "seventh", seat
                return
        self.end_age()

    def end_age(self):
        for hand in self.hands:
            self.pile += hand
        shields = [city.shields() for city in self.cities]
        for seat, city in enumerate(self.cities):
            for other in (self.left(seat), self.right(seat)):
                if shields[seat] > shields[other]:
                    city.victories += (1, 3, 5)[self.age]
                elif shields[seat] < shields[other]:
                    city.defeats += 1
        self.age, self.turn, self.seat = self.age + 1, 0, 0
        self.phase = "play" if self.age < 3 else "over"
        if self.age < 3:
            self.hands = self.ages[self.age]
            for city in self.cities:
                city.free = city.has_stage("free build")

    # --- Scoring

    def card_points(self, seat, card):
        gives = CARD[card][2]
        match = re.search(r"(\d) points?.* per (.*)", gives)
        return int(match[1]) * self.count(seat, match[2]) if match else amount(gives, "point")

    def science(self, seat, more=0):
        effects = Counter(self.cities[seat].effects())
        symbols = ("compass", "gear", "tablet")
        best = 0
        for extra in product(symbols, repeat=effects["wild symbol"] + more):
            counts = [effects[symbol] + extra.count(symbol) for symbol in symbols]
            best = max(best, sum(c * c for c in counts) + 7 * min(counts))
        return best

    def points(self, seat):
        city = self.cities[seat]
        worth = {
            "military": city.victories - city.defeats,
            "coins": city.coins // 3,
            "wonder": sum(amount(gives, "point") for _, gives in city.stages[: city.built]),
            "science": self.science(seat),
        }
        for kind, colour in (("civil", "blue"), ("commerce", "yellow"), ("guilds", "purple")):
            worth[kind] = sum(self.card_points(seat, card) for card in city.cards if CARD[card][0] == colour)
        if city.has_stage("copy guild"):
            near = self.cities[self.left(seat)].cards + self.cities[self.right(seat)].cards
            guilds = [card for card in near if CARD[card][0] == "purple"]
            best = max((self.card_points(seat, card) for card in guilds), default=0)
            wild = self.science(seat, 1) - self.science(seat) if "Scientists Guild" in guilds else 0
            worth["science" if wild > best else "guilds"] += max(wild, best)
        return {**worth, "total": sum(worth.values())}

    def winners(self):
        rank = [(self.points(seat)["total"], city.coins) for seat, city in enumerate(self.cities)]
        return [seat for seat in range(self.n) if rank[seat] == max(rank)]
