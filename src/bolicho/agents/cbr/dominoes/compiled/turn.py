"""Turns of dominoes as cases: the plays, their items, and the attributes of the position."""

import numpy as np

from bolicho.agents.cbr import domain
from bolicho.agents.cbr.compiled.turns import allowed_items, better, bind, clear, note_query, set_attribute
from bolicho.agents.cbr.domain import END
from bolicho.agents.cbr.dominoes import schema
from bolicho.agents.cbr.turns import factors
from bolicho.games.compiled.bits import count, lowest
from bolicho.games.dominoes import kernel as k
from bolicho.games.dominoes.compiled.features import count_fitting, may_hold
from bolicho.games.jit import rule

NUM_ITEMS = len(schema.ITEMS)
DRAW, FIVES = factors(schema.DRAW_ATTRIBUTES), factors(schema.FIVES_ATTRIBUTES)

# Columns of the features of an item's play.
POINTS, REPLY, PIPS, MINE, THEIRS = range(5)

TENTHS = 10  # replies are counted in tenths of a point
LEVELS = 7  # maximum multiples of a reply; more counts as so many
FIRST = 4096  # weight of the primary criterion, beside tie-breakers

# Weights of the balanced item: a pip, an own tile that fits, a percent of the other's possible answers.
PIP, FIT, ANSWER = 6, 12, -0.5


@rule
def best_reply(s, tile):
    """Return the highest score of a tile's next play."""
    best = 0
    for side in range(k.NUM_SIDES):
        if s.ends[side] != k.NONE and k.has(tile, s.ends[side]):
            best = max(best, k.points_of(s, k.NUM_SIDES * tile + side))
    return best


@rule
def expected_reply(s, seat, unseen):
    """Return the other seat's expected best immediate score, in tenths, with all possible tiles equally likely."""
    levels = np.int64(0)  # one byte per level: the number of tiles that score so many multiples or more
    for w in range(s.hands.shape[1]):
        left = may_hold(s, seat, w)
        while left:
            points = best_reply(s, 64 * w + lowest(left))
            left &= left - 1
            for level in range(min(LEVELS, points // s.multiple)):
                levels += np.int64(1) << np.int64(8 * level)
    miss = 1.0 - min(1.0, s.counts[1 - seat] / max(1, unseen))
    expected = 0.0
    for level in range(LEVELS):
        tiles = (levels >> np.int64(8 * level)) & 255
        expected += s.multiple * (1.0 - miss**tiles)
    return np.int64(TENTHS * expected)


@rule
def after(s, seat, tile, side, unseen):
    """Return features after a play: own fitting tiles, percentage of the other's, expected reply. Restores `s`."""
    ends = (s.ends[0], s.ends[1], s.ends[2], s.ends[3])
    worth = (s.worth[0], s.worth[1], s.worth[2], s.worth[3])
    spinner, covered = s.spinner, s.covered
    k.place(s, tile, side, s.num_plays == 0)
    s.num_plays += 1
    mine = theirs = 0
    for w in range(s.hands.shape[1]):
        left = s.hands[seat, w]
        if w == tile >> 6:
            left &= ~k.bit(tile)
        mine += count_fitting(s, left, w)
        theirs += count_fitting(s, may_hold(s, seat, w), w)
    reply = expected_reply(s, seat, unseen) if s.fives else np.int64(0)
    s.num_plays -= 1
    for i in range(k.NUM_SIDES):
        s.ends[i] = ends[i]
        s.worth[i] = worth[i]
    s.spinner = spinner
    s.covered = covered
    return np.int64(mine), np.int64(100 * theirs // max(1, unseen)), reply


@rule
def note_play(s, seat, c, tile, side, unseen):
    """Evaluate a play: its immediate effects, and the items for which it is the best so far."""
    action = k.NUM_SIDES * tile + side
    mine, theirs, reply = after(s, seat, tile, side, unseen)
    points = np.int64(k.points_of(s, action)) if s.fives else np.int64(0)
    pips = np.int64(k.HIGH[tile]) + np.int64(k.LOW[tile])
    about = (points, reply, pips, mine, theirs)
    weight = 100 * pips + mine
    balance = TENTHS * points - reply
    if s.fives:
        note(c, schema.BALANCE, FIRST * balance + weight, action, about)
        note(c, schema.SCORING, FIRST * points + weight, action, about)
    if k.HIGH[tile] == k.LOW[tile]:
        note(c, schema.DOUBLE, weight, action, about)
    note(c, schema.HEAVY, weight, action, about)
    note(c, schema.FITTING, FIRST * mine + pips, action, about)
    note(c, schema.BLOCKING, weight - FIRST * theirs, action, about)
    everything = np.int64(PIP * pips + FIT * mine + ANSWER * theirs) + balance
    note(c, schema.EVEN, FIRST * everything + weight, action, about)


@rule
def note(c, item, merit, action, about):
    if better(c, item, merit, action):
        for i in range(len(about)):
            c.about[item, i] = about[i]


@rule
def evaluate_plays(s, seat, c):
    """Evaluate every legal play."""
    clear(c)
    unseen = 0
    for w in range(s.hands.shape[1]):
        unseen += count(may_hold(s, seat, w))
    for w in range(s.hands.shape[1]):
        left = s.hands[seat, w]
        while left:
            tile = 64 * w + lowest(left)
            left &= left - 1
            if s.num_plays == 0:
                if k.may_lead(s, w) & k.bit(tile):
                    note_play(s, seat, c, tile, k.LEFT, unseen)
            else:
                for side in range(k.NUM_SIDES):
                    if s.ends[side] != k.NONE and k.has(tile, s.ends[side]):
                        note_play(s, seat, c, tile, side, unseen)


@rule
def write_draw(s, seat, q, c):
    set_attribute(q, 2, s.num_boneyard - s.drawn, DRAW)
    set_attribute(q, 3, c.about[schema.HEAVY, PIPS], DRAW)
    set_attribute(q, 4, c.about[schema.EVEN, PIPS], DRAW)
    set_attribute(q, 5, c.about[schema.HEAVY, MINE], DRAW)
    set_attribute(q, 6, c.about[schema.FITTING, MINE], DRAW)
    set_attribute(q, 7, c.about[schema.HEAVY, THEIRS], DRAW)
    set_attribute(q, 8, c.about[schema.BLOCKING, THEIRS], DRAW)
    set_attribute(q, 9, c.about[schema.DOUBLE, PIPS] if c.actions[schema.DOUBLE] >= 0 else 0, DRAW)


@rule
def write_fives(s, seat, q, c):
    set_attribute(q, 2, c.about[schema.SCORING, POINTS], FIVES)
    set_attribute(q, 3, c.about[schema.SCORING, REPLY] / TENTHS, FIVES)
    set_attribute(q, 4, c.about[schema.BALANCE, POINTS], FIVES)
    set_attribute(q, 5, c.about[schema.BALANCE, REPLY] / TENTHS, FIVES)
    set_attribute(q, 6, c.about[schema.HEAVY, PIPS], FIVES)
    set_attribute(q, 7, c.about[schema.BALANCE, PIPS], FIVES)
    set_attribute(q, 8, c.about[schema.FITTING, MINE], FIVES)
    set_attribute(q, 9, c.about[schema.BLOCKING, THEIRS], FIVES)


@k.implements(domain.question)
@rule
def question(s, seat, stage, q, c):
    """Write the question: the stage of the game, and the effects of each item's play."""
    if stage > 0:
        return END
    evaluate_plays(s, seat, c)
    q.decision = 0
    q.allowed = allowed_items(c, NUM_ITEMS)
    set_attribute(q, 0, s.counts[seat], DRAW)
    set_attribute(q, 1, s.counts[1 - seat], DRAW)
    if s.fives:
        write_fives(s, seat, q, c)
    else:
        write_draw(s, seat, q, c)
    note_query(q, c)
    return 0


for _record in k.RECORDS:
    bind(_record)
