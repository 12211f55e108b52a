"""Reference implementation of learning from the history of a hand, with lists and dictionaries."""

from itertools import combinations

from tests.agents.markov.reference import HANDS, ORDERS, PAIRS, pair_of, possible_hands, strength, value

MAXIMUM = {"truco": 73, "envido": 26, "flor": 36, "cards": 11}
FLORES = sorted(
    [*((0, 0, v) for v in range(8)), *combinations(range(8), 3)], key=lambda three: (sum(three), [-v for v in three])
)


class Learner:
    """Published learning rule: `counts[mode]` is a square of victories, `levels` three rows of 14."""

    def __init__(self, counts, levels, reading="scripts"):
        self.reading = reading
        self.counts = counts
        self.levels = levels

    def reward(self, mode, row, columns, won, share=1):
        """Add a tenth of the initial maximum, shared and rounded, for a row against all columns."""
        if not columns:
            return
        amount = round(0.1 * MAXIMUM[mode] / (len(columns) * share))
        for column in columns:
            winner, loser = (row, column) if won else (column, row)
            self.counts[mode][winner][loser] += amount

    def learn(self, seat, dealt, history):
        """Learn from a hand that a seat with these cards saw; `history` is that of its view."""
        other = 1 - seat
        mao = next(entry["mao"] for entry in history if entry["event"] == "dealt")
        chose = [entry for entry in history if entry["event"] == "chose"]
        said = {entry["action"] for entry in chose}
        cards = {
            who: {e["round"]: e["action"] for e in chose if e["seat"] == who and is_card(e["action"])} for who in (0, 1)
        }
        open_ones = [cards[other][r] for r in sorted(cards[other]) if not face_down(cards[other][r])]
        points = {e["for"]: e["seat"] for e in history if e["event"] == "points"}
        by_hand = [why for why in points if why not in ("envido", "flor")]
        if said & {"truco", "retruco", "vale4"} and by_hand:
            row = HANDS.index(tuple(sorted(map(strength, dealt))))
            columns = [HANDS.index(hand) for hand in possible_hands(dealt, open_ones)]
            self.reward("truco", row, columns, points[by_hand[0]] == seat)
        shown = {what: e[what] for e in history if e["event"] == "shown" for what in ("envido", "flor") if what in e}
        if said & {"envido", "real", "falta"} and "envido" in points and pair_of(dealt):
            self.learn_envido(seat, mao, dealt, open_ones, points["envido"], shown.get("envido"))
        if said & {"contraflor", "resto"} and "flor" in points:
            self.learn_flor(seat, mao, dealt, open_ones, points["flor"], shown.get("flor"))
        if "cards" in points or (self.reading == "text" and by_hand):
            self.learn_cards(seat, dealt, cards, open_ones, points[by_hand[0]] == seat)
        if 1 in cards[0] and 1 in cards[1]:
            for known in (dealt, open_ones):
                if len(known) == 3:
                    for level, card in enumerate(in_order(known)):
                        self.levels[level][strength(card) - 1] += 1

    def learn_envido(self, seat, mao, dealt, open_ones, winner, shown):
        pair = pair_of(dealt)
        if len(open_ones) == 3:
            columns = [PAIRS.index(pair_of(open_ones))] if pair_of(open_ones) else []
        else:
            columns = [
                i for i, other in enumerate(PAIRS) if not open_ones or {value(card) for card in open_ones} & set(other)
            ]
        columns = [i for i in columns if fits(20 + sum(PAIRS[i]), 20 + sum(pair), seat, mao, winner, shown)]
        if shown is not None and winner != seat and shown < 20:
            columns = []
        self.reward("envido", PAIRS.index(pair), columns, winner == seat)

    def learn_flor(self, seat, mao, dealt, open_ones, winner, shown):
        mine = tuple(sorted(map(value, dealt)))
        columns = []
        for i, three in enumerate(FLORES):
            left = list(three)
            holds = all(value(card) in left and not left.remove(value(card)) for card in open_ones)
            if holds and fits(20 + sum(three), 20 + sum(mine), seat, mao, winner, shown):
                columns.append(i)
        self.reward("flor", FLORES.index(mine), columns, winner == seat)

    def learn_cards(self, seat, dealt, cards, open_ones, won):
        other = 1 - seat
        rows = orders_of({r: "bma"[in_order(dealt).index(plain(card))] for r, card in cards[seat].items()})
        if len(open_ones) == 3:
            columns = orders_of({r: "bma"[in_order(open_ones).index(card)] for r, card in cards[other].items()})
        else:
            columns = self.predicted({r: card for r, card in cards[other].items() if r < 3 and not face_down(card)})
        for row in rows:
            self.reward("cards", row, columns, won, share=len(rows))

    def predicted(self, cards):
        levels = {}
        for r, card in cards.items():
            counts = [row[strength(card) - 1] for row in self.levels]
            levels[r] = counts.index(max(counts))
        if len(levels) == 2 and levels[1] == levels[2]:
            up = 1 if strength(cards[1]) > strength(cards[2]) else 2
            if levels[1] == 2:
                levels[3 - up] = 1
            else:
                levels[up] += 1
        return orders_of({r: "bma"[level] for r, level in levels.items()})


def is_card(action):
    return plain(action)[:-1].isdigit()


def face_down(action):
    return action.startswith("virada")


def plain(action):
    return action.removeprefix("virada").strip()


def in_order(cards):
    return sorted(cards, key=lambda card: (strength(card), "epco".index(card[-1])))


def orders_of(levels):
    """Return the orders with these levels in these rounds; the third round follows from the others."""
    return [i for i, order in enumerate(ORDERS) if all(order[r - 1] == level for r, level in levels.items() if r < 3)]


def fits(points, mine, seat, mao, winner, shown):
    """Return whether the opponent may have had these points, by what the winner showed (None allows all)."""
    if shown is None:
        return True
    if winner != seat:
        return points == shown
    return points < mine or (points == mine and mao == seat)
