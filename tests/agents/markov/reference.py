"""Reference implementation of the published agent, after the text of Rossato 2020, with lists and dictionaries.

It is slow, and shares no code with `bolicho.agents.markov` except the numbers it is given.
"""

from itertools import combinations, combinations_with_replacement

STRENGTH = {"4": 1, "5": 2, "6": 3, "7": 4, "10": 5, "11": 6, "12": 7, "1": 8, "2": 9, "3": 10}
UNIQUE = {"7o": 11, "7e": 12, "1p": 13, "1e": 14}
COPIES = {1: 4, 2: 4, 3: 4, 4: 2, 5: 4, 6: 4, 7: 4, 8: 2, 9: 4, 10: 4, 11: 1, 12: 1, 13: 1, 14: 1}
CODES = {1: "1", 2: "2", 3: "3", 4: "4", 5: "6", 6: "7", 7: "8", 8: "12", 9: "16", 10: "24", 11: "40", 12: "42",
         13: "50", 14: "52"}  # fmt: skip

HANDS = sorted(
    (hand for hand in combinations_with_replacement(range(1, 15), 3) if all(hand.count(c) <= COPIES[c] for c in hand)),
    key=lambda hand: (sum(hand), "".join(CODES[c] for c in hand)),
)
PAIRS = sorted([(0, 0), *combinations(range(8), 2)], key=lambda pair: (sum(pair), pair))
ORDERS = ["bma", "bam", "mba", "mab", "abm", "amb"]

MINIMUM = {
    "truco": 0.5, "retruco": 0.7, "vale4": 0.8,
    "envido": 0.4, "real": 0.6, "falta": 0.8,
    "contraflor": 0.6, "resto": 0.8,
}  # fmt: skip
TRUCOS, ENVIDOS = ("truco", "retruco", "vale4"), ("envido", "real", "falta")


def strength(card):
    return UNIQUE.get(card) or STRENGTH[card[:-1]]


def value(card):
    number = int(card[:-1])
    return 0 if number >= 10 else number


def pair_of(cards):
    pairs = [(value(a), value(b)) for a, b in combinations(cards, 2) if a[-1] == b[-1]]
    return tuple(sorted(max(pairs, key=sum))) if pairs else None


def holds(hand, shown):
    left = list(hand)
    for card in shown:
        if strength(card) not in left:
            return False
        left.remove(strength(card))
    return True


def possible_hands(mine, shown):
    own = {strength(card) for card in mine if card in UNIQUE}
    return [hand for hand in HANDS if holds(hand, shown) and not own & set(hand)]


def possible_pairs(shown):
    if not shown:
        return PAIRS
    return [pair for pair in PAIRS if value(shown[0]) in pair]


class Reference:
    """Published decision rule, applied to plain facts about a position and given counts."""

    def __init__(self, counts, levels, reading="scripts"):
        self.reading = reading
        self.counts = counts  # mode: (victories, defeats), square lists
        self.levels = levels  # 3 lists of 14
        self.luck = []

    def roulette(self, name, v, d, penalty=0):
        draw = self.luck[2 * self.asked]
        self.asked += 1
        p = round(10 * v / (v + d)) if v + d else 5  # tenths
        if p > penalty:
            p -= penalty
        return p > round(10 * MINIMUM[name]) and draw < p / 10

    def decide(self, at, luck):
        self.luck, self.asked = luck, 0
        legal = at["legal"]
        if at["pending"] == "truco":
            called = max(i for i, call in enumerate(TRUCOS) if call in at["calls"])
            if not self.truco(at, TRUCOS[called]):
                return "nao"
            if called < 2 and self.truco(at, TRUCOS[called + 1]):
                return TRUCOS[called + 1]
            return "quero"
        if at["pending"] == "envido":
            called = max(i for i, call in enumerate(ENVIDOS) if call in at["calls"])
            if not self.envido(at, ENVIDOS[called]):
                return "nao"
            answer = "quero"
            for call in ENVIDOS[called + 1 :]:
                if not self.envido(at, call):
                    break
                answer = call
            return answer
        if "envido" in legal:
            answer = None
            for call in ENVIDOS:
                if not self.envido(at, call):
                    break
                answer = call
            if answer:
                return answer
        for call in TRUCOS:
            if call in legal and self.truco(at, call):
                return call
        return self.card(at)

    def truco(self, at, name):
        if at["lost"]:
            v, d = 0, 1
        else:
            row = HANDS.index(tuple(sorted(strength(card) for card in at["dealt"])))
            columns = [HANDS.index(hand) for hand in possible_hands(at["dealt"], at["theirs"])]
            won, lost = self.counts["truco"]
            v, d = sum(won[row][j] for j in columns), sum(lost[row][j] for j in columns)
        return self.roulette(name, v, d)

    def envido(self, at, name):
        pair = pair_of(at["dealt"])
        if pair is None:
            return self.roulette(name, 0, 1)
        row = PAIRS.index(pair)
        columns = [PAIRS.index(other) for other in possible_pairs(at["theirs"])]
        won, lost = self.counts["envido"]
        v, d = sum(won[row][j] for j in columns), sum(lost[row][j] for j in columns)
        return self.roulette(name, v, d, 2 if at["theirs"] and value(at["theirs"][0]) > 5 else 0)

    def level(self, card):
        counts = [row[strength(card) - 1] for row in self.levels]
        return "bma"[counts.index(max(counts))]

    def their_orders(self, shown):
        if not shown:
            return ORDERS
        first = self.level(shown[0])
        if len(shown) == 1:
            return [order for order in ORDERS if order[0] == first]
        second = self.level(shown[1])
        if first == second:
            stronger = strength(shown[0]) > strength(shown[1])
            if first == "a":
                first, second = ("a", "m") if stronger else ("m", "a")
            else:
                up = "bma"["bma".index(first) + 1]
                first, second = (up, second) if stronger else (first, up)
        return [order for order in ORDERS if order.startswith(first + second)]

    def card(self, at):
        if len(at["hand"]) == 1:
            return at["hand"][0]
        cards = sorted(at["dealt"], key=lambda card: (strength(card), "epco".index(card[-1])))
        level_of = dict(zip(cards, "bma", strict=True))
        played = "".join(level_of[card] for card in at["mine"])
        won, lost = self.counts["cards"]
        columns = [ORDERS.index(order) for order in self.their_orders(at["theirs"])]
        sums = dict.fromkeys("bma", 0)
        for i, order in enumerate(ORDERS):
            if order.startswith(played):
                v, d = sum(won[i][j] for j in columns), sum(lost[i][j] for j in columns)
                if self.reading == "text" or round(10 * v / (v + d)) > round(10 * d / (v + d)):
                    sums[order[len(played)]] += v
        total = sum(sums.values())
        if total:
            weights = [round(10 * sums[level] / total) for level in "bma"]
        else:
            weights = [int(card in at["hand"]) for card in cards]
        at_stop = self.luck[2 * self.asked] * sum(weights)
        for card, weight in zip(cards, weights, strict=True):
            if at_stop < weight:
                return card
            at_stop -= weight
        raise AssertionError("the draw lies outside the roulette")
