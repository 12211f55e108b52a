"""Discard pile as seen by Halikarnassos, and the information in its revivals for the other seats.

While an age is redealt for Halikarnassos, the upper bits of `fate` hold a label for each hidden card (0: not seen in
the pile, 1..3: first seen at that look).  Copies of one card are alike, so labels are drawn among all of them and
accepted if every group has as many as it has places; then each group is shuffled within each label.
"""

from bolicho.games.compiled.chance import below, stream
from bolicho.games.jit import rule
from bolicho.games.wonders.cards import NAME
from bolicho.games.wonders.compiled.deal import hand_of
from bolicho.games.wonders.compiled.knowledge import POOL, group_of, halikarnassos
from bolicho.games.wonders.compiled.payment import has
from bolicho.games.wonders.kernel import is_discarded, look_of
from bolicho.games.wonders.layout import BUILT, NONE, REVIVAL, SOLD
from bolicho.games.wonders.rules import HAND, TURNS

LABEL = 4  # bits to shift
FATE_BITS = (1 << LABEL) - 1
REJECTIONS = 1 << 20  # draws before the last one is accepted, consistent or not; no real view comes close


@rule
def category(s, age, row, place):
    """Return the label that the card of a place must have."""
    if (s.fate[age, row, place] & FATE_BITS) < SOLD:
        return 0
    return look_of(s, age, place) + 1


@rule
def label_of(s, age, row, place):
    return s.fate[age, row, place] >> LABEL


@rule
def label_discards(s, seat, age, seed):
    for attempt in range(REJECTIONS):
        for cell in range(s.players * HAND):
            row, place = cell // HAND, cell % HAND
            if group_of(s, seat, age, row, place) >= POOL:
                label = draw_label(s, seat, age, cell, stream(seed, attempt))
                s.fate[age, row, place] |= label << LABEL
        if labels_fit(s, seat, age):
            return
        for row in range(s.players):
            for place in range(HAND):
                s.fate[age, row, place] &= FATE_BITS


@rule
def draw_label(s, seat, age, cell, seed):
    """Draw a label for a hidden card: the card's remaining looks are distributed among its remaining copies."""
    card = s.cards[age, cell // HAND, cell % HAND]
    seen = s.looks[card]
    first, second, third = seen & 3, (seen >> 2) & 3, (seen >> 4) & 3
    copies = 0
    for other in range(s.players * HAND):
        row, place = other // HAND, other % HAND
        if s.cards[age, row, place] != card:
            continue
        hidden = group_of(s, seat, age, row, place) >= POOL
        if hidden and other >= cell:
            copies += 1
            continue
        label = label_of(s, age, row, place) if hidden else category(s, age, row, place)
        first -= label == 1
        second -= label == 2
        third -= label == 3
    pick = below(seed, cell, copies)
    if pick < first:
        return 1
    if pick < first + second:
        return 2
    return 3 if pick < first + second + third else 0


@rule
def labels_fit(s, seat, age):
    """Return whether every group has as many cards of each label as places for them."""
    for cell in range(s.players * HAND):
        row, place = cell // HAND, cell % HAND
        group = group_of(s, seat, age, row, place)
        if group < POOL:
            continue
        label, balance = category(s, age, row, place), 0
        for other in range(s.players * HAND):
            if group_of(s, seat, age, other // HAND, other % HAND) == group:
                balance += category(s, age, other // HAND, other % HAND) == label
                balance -= label_of(s, age, other // HAND, other % HAND) == label
        if balance:
            return False
    return True


@rule
def shuffle_by_label(s, seat, age, seed):
    """Shuffle each group so that the label of every card fits its place, and remove the labels."""
    cells = s.players * HAND
    for cell in range(cells):
        row, place = cell // HAND, cell % HAND
        group = group_of(s, seat, age, row, place)
        if group < POOL:
            continue
        label = category(s, age, row, place)
        count = 0
        for other in range(cell, cells):
            if group_of(s, seat, age, other // HAND, other % HAND) == group:
                count += label_of(s, age, other // HAND, other % HAND) == label
        pick = below(seed, cell, count)
        for other in range(cell, cells):
            r, p = other // HAND, other % HAND
            if group_of(s, seat, age, r, p) == group and label_of(s, age, r, p) == label:
                if pick == 0:
                    card = s.cards[age, row, place]
                    s.cards[age, row, place] = s.cards[age, r, p]
                    s.cards[age, r, p] = card
                    moved = label_of(s, age, row, place)
                    s.fate[age, r, p] = (s.fate[age, r, p] & FATE_BITS) | moved << LABEL
                    break
                pick -= 1
        s.fate[age, row, place] &= FATE_BITS


@rule
def agrees_with_looks(s, seat):
    """Return whether the pile contained each revived card, and nothing buildable if none was revived."""
    owner = halikarnassos(s)
    if owner == NONE or owner == seat:
        return True
    for stage in range(3):
        if s.look_time[stage] == NONE:
            continue
        waits = s.phase == REVIVAL and stage == s.stages[owner] - 1
        found = False
        for age in range(s.age + 1):
            for row in range(s.players):
                for place in range(HAND):
                    if age * HAND + place > s.look_time[stage] or not is_discarded(s, age, row, place):
                        continue
                    name = NAME[s.cards[age, row, place]]
                    if name == s.revived[stage] or (waits and not has(s, owner, name)):
                        found = True
                    elif s.revived[stage] == NONE and not waits and not had(s, owner, name, stage):
                        return False
        if not found and (waits or s.revived[stage] != NONE):
            return False
    return True


@rule
def had(s, seat, name, stage):
    """Return whether Halikarnassos had built that name when a stage opened the pile."""
    if not has(s, seat, name):
        return False
    for earlier in range(stage):
        if s.revived[earlier] == name:
            return True
    time = s.look_time[stage]
    for age in range(s.age + 1):
        for turn in range(TURNS):
            if age * HAND + turn <= time:
                row = hand_of(s, age, seat, turn)
                if s.fate[age, row, turn] == BUILT and NAME[s.cards[age, row, turn]] == name:
                    return True
    return False
