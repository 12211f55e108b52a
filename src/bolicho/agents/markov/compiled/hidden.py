"""Possible cards of the opponent, weighted by the number of possible deals.

All public information counts: cards shown, a flor announced or not, envido and flor points. One inference is omitted
for speed: before the opponent shows a card, that the points it lost with cannot exceed the winner's.
"""

from bolicho.agents.markov.states import NUM_TRUCO, TRUCO_INDEX, TRUCO_TABLE
from bolicho.games.jit import rule
from bolicho.games.truco import kernel as k
from bolicho.games.truco.compiled.hand import ascending
from bolicho.games.truco.compiled.lexicon import class_of, count_shown, unseen_classes
from bolicho.games.truco.compiled.unseen import card_bits, fits_shown, is_unseen
from bolicho.games.truco.lexicon import CLASSES

DECK, SUIT = 40, 10  # cards


@rule
def weigh_hidden(s, seat, m):
    """Weight the opponent's hidden cards.

    Three unseen cards are weighted in `m.hands` by Truco state, two in `m.pairs` and one in `m.singles` by class. A
    card played face down (never the first) is unseen too: either card of a pair may be the one left to play.
    """
    other = 1 - seat
    known = count_shown(s.played[1 - seat])
    unplayed = 0
    for r in range(3):
        unplayed += s.played[other, r] == k.NONE
    if known == 0:
        if s.has_flor[other] == 1:
            weigh_flors(s, seat, m)
        elif s.envido_shown != k.NONE and s.envido_winner == other and s.envido_shown >= 20:
            weigh_envidos(s, m)
        else:
            weigh_hands(s, seat, m)
    elif known == 1:
        weigh_pairs(s, seat, m)
    elif known == 2:
        weigh_singles(s, seat, m)
    if known == 1 and unplayed < 2:
        singles_of_pairs(m)


@rule
def singles_of_pairs(m):
    """Weight the remaining card of two, when either of them may have been played face down."""
    for x in range(CLASSES):
        m.singles[x] = 0
    for x in range(CLASSES):
        for y in range(x, CLASSES):
            m.singles[x] += m.pairs[x, y]
            m.singles[y] += m.pairs[x, y]


@rule
def holdings(s, seat, m):
    """Return the total weight of the opponent's holdings from `weigh_hidden`."""
    known = count_shown(s.played[1 - seat])
    if known == 3:
        return 1.0
    total = 0.0
    if known == 0:
        for j in range(NUM_TRUCO):
            total += m.hands[j]
    for x in range(CLASSES):
        if known == 2:
            total += m.singles[x]
        elif known == 1:
            for y in range(x, CLASSES):
                total += m.pairs[x, y]
    return total


@rule
def ways(left, a, b, c):
    """Return the number of hands of unseen cards of these classes (ascending)."""
    if a == b:
        if b == c:
            return left[a] * (left[a] - 1) * (left[a] - 2) // 6
        return left[a] * (left[a] - 1) // 2 * left[c]
    if b == c:
        return left[a] * (left[b] * (left[b] - 1) // 2)
    return left[a] * left[b] * left[c]


# --- Three cards --------------------------------------------------------------------------------


@rule
def weigh_hands(s, seat, m):
    """Weight every hand of unseen cards, without the flors where none was announced."""
    unseen_classes(s, seat, m.left)
    for j in range(NUM_TRUCO):
        m.hands[j] = ways(m.left, TRUCO_TABLE[j, 0], TRUCO_TABLE[j, 1], TRUCO_TABLE[j, 2])
    if s.has_flor[1 - seat] == 0:
        add_flors(s, k.NONE, -1, m)


@rule
def add_hand(m, x, y, z, times):
    """Add `times` to the weight of the hand of these cards."""
    m.hands[TRUCO_INDEX[ascending(class_of(x), class_of(y), class_of(z))]] += times


@rule
def weigh_flors(s, seat, m):
    """Weight announced flors: three cards of one suit, with the points shown, if any."""
    other = 1 - seat
    for j in range(NUM_TRUCO):
        m.hands[j] = 0
    add_flors(s, s.flor_shown if s.flor_winner == other else k.NONE, 1, m)


@rule
def add_flors(s, points, times, m):
    """Add `times` to the weight of every flor of unseen cards: those of `points`, or all (NONE)."""
    for suit in range(0, DECK, SUIT):
        for x in range(suit, suit + SUIT - 2):
            if is_unseen(s, x):
                for y in range(x + 1, suit + SUIT - 1):
                    if is_unseen(s, y):
                        for z in range(y + 1, suit + SUIT):
                            if is_unseen(s, z) and (points == k.NONE or k.flor_value(x, y, z) == points):
                                add_hand(m, x, y, z, times)


@rule
def weigh_envidos(s, m):
    """Weight hands with the opponent's shown envido: a pair of those points and a third card of another suit."""
    pair = s.envido_shown - 20
    for j in range(NUM_TRUCO):
        m.hands[j] = 0
    for x in range(DECK - 1):
        if is_unseen(s, x):
            for y in range(x + 1, DECK):
                if y // 10 == x // 10 and k.VALUE[x] + k.VALUE[y] == pair and is_unseen(s, y):
                    for z in range(DECK):
                        if z // 10 != x // 10 and is_unseen(s, z):
                            add_hand(m, x, y, z, 1)


# --- Two cards, one card ------------------------------------------------------------------------


@rule
def tells(s, seat):
    """Return whether public information beyond "no flor" restricts the opponent's cards."""
    other = 1 - seat
    return s.has_flor[other] == 1 or s.envido_shown != k.NONE or s.flor_shown != k.NONE


@rule
def agrees(s, seat, x, y, z):
    """Return whether the opponent may hold these three cards, given all public information."""
    other = 1 - seat
    if s.has_flor[other] != k.NONE and k.is_flor(x, y, z) != (s.has_flor[other] == 1):
        return False
    return fits_shown(s, other, x, y, z)


@rule
def weigh_pairs(s, seat, m):
    """Weight pairs of unseen cards."""
    for x in range(CLASSES):
        for y in range(CLASSES):
            m.pairs[x, y] = 0
    if not tells(s, seat):
        unseen_classes(s, seat, m.left)
        for x in range(CLASSES):
            m.pairs[x, x] = m.left[x] * (m.left[x] - 1) // 2
            for y in range(x + 1, CLASSES):
                m.pairs[x, y] = m.left[x] * m.left[y]
        if s.has_flor[1 - seat] == 0:
            drop_flors(s, seat, m)
        return
    shown = s.dealt[1 - seat, 0]
    for x in range(DECK - 1):
        if is_unseen(s, x):
            for y in range(x + 1, DECK):
                if is_unseen(s, y) and agrees(s, seat, shown, x, y):
                    a, b = class_of(x), class_of(y)
                    m.pairs[min(a, b), max(a, b)] += 1


@rule
def drop_flors(s, seat, m):
    """Remove the pairs that would make a flor with the shown card."""
    suit = s.dealt[1 - seat, 0] // SUIT * SUIT
    for x in range(suit, suit + SUIT - 1):
        if is_unseen(s, x):
            for y in range(x + 1, suit + SUIT):
                if is_unseen(s, y):
                    a, b = class_of(x), class_of(y)
                    m.pairs[min(a, b), max(a, b)] -= 1


@rule
def weigh_singles(s, seat, m):
    """Weight single unseen cards."""
    for x in range(CLASSES):
        m.singles[x] = 0
    told = tells(s, seat) or s.has_flor[1 - seat] == 0
    for x in range(DECK):
        if is_unseen(s, x):
            if not told or agrees(s, seat, s.dealt[1 - seat, 0], s.dealt[1 - seat, 1], x):
                m.singles[class_of(x)] += 1


# --- Envido -------------------------------------------------------------------------------------


@rule
def envido_chance(s, seat):
    """Return (hands, won): the opponent's hands without flor, and those whose envido loses to one's own."""
    mine = k.envido_of(s, seat)
    other = 1 - seat
    if s.mao == seat:
        mine += 1  # the mão wins ties, so all values below one more lose
    shown = s.dealt[other, 0]
    hands, won = 0, 0
    if shown != k.NONE:
        for x in range(DECK - 1):
            if is_unseen(s, x):
                for y in range(x + 1, DECK):
                    if is_unseen(s, y) and not k.is_flor(shown, x, y):
                        hands += 1
                        won += k.envido_value(shown, x, y) < mine
        return hands, won
    # Nothing shown: count by suits. A pair and a third card of another suit, or three suits.
    seen = card_bits(s, 0) | card_bits(s, 1)
    one, two, three = 0, 0, 0  # numbers of hands of one to three suits, one card each ...
    one_less, two_less, three_less = 0, 0, 0  # ... and of those without a value of `mine` or more
    for suit in range(4):
        size, less = suit_sizes(seen, suit, mine)
        others = DECK - 3 - size
        hands += size * (size - 1) // 2 * others
        won += others * pairs_below(seen, suit, mine)
        one, two, three = one + size, two + one * size, three + two * size
        one_less, two_less, three_less = one_less + less, two_less + one_less * less, three_less + two_less * less
    return hands + three, won + three_less


@rule
def suit_sizes(seen, suit, mine):
    """Return the number of unseen cards of a suit, and of those worth less than `mine`."""
    size, less = 0, 0
    for card in range(10 * suit, 10 * suit + 10):
        if not (seen >> card) & 1:
            size += 1
            less += k.VALUE[card] < mine
    return size, less


@rule
def pairs_below(seen, suit, mine):
    """Return the number of unseen pairs of a suit that make an envido below `mine`."""
    found = 0
    for x in range(10 * suit, 10 * suit + 9):
        if not (seen >> x) & 1:
            for y in range(x + 1, 10 * suit + 10):
                found += not (seen >> y) & 1 and 20 + k.VALUE[x] + k.VALUE[y] < mine
    return found
