"""Truco hands for tests: given ones, random ones, and bases of them."""

import numpy as np

import bolicho
from bolicho.agents.cbr.observe import cases_of_table
from bolicho.agents.cbr.retain import Course
from bolicho.agents.cbr.truco import TRUCO
from bolicho.agents.cbr.truco.baseline import Observation
from tests.agents.learners import learn as learn_all


def hand(mine, theirs, *actions, mao=0, **rules):
    """Return the case of seat 0 after a single hand: `mine` and `theirs` are three cards, as text."""
    table = bolicho.game("truco", hands=1, **rules).setup(hands=[mine.split(), theirs.split()], mao=mao)
    for action in actions:
        table.play(action)
    cases = cases_of_table(TRUCO, table, 0)
    assert len(cases) == 1, f"the hand is not over; legal: {table.legal}"
    return cases[0]


def random_table(seed, bold=1.0, **rules):
    """Return a match of random play; `bold` below 1 makes bets and going to the deck rarer, and hands longer."""
    rng = np.random.default_rng(seed)
    table = bolicho.game("truco", **rules).deal(seed)
    while not table.over:
        legal = table.legal
        cards = [action for action in legal if int(action) < 80]
        pick = cards if cards and rng.random() > bold else legal
        table.play(pick[rng.integers(len(pick))])
    return table


def make_baseline(*args, **options):
    """Return a base of hands observed between scripted styles."""
    observed = Observation(*args, **options)
    learn_all(observed)
    return observed.base(observed.facts)


def base_of(path):
    """Return a base of the hands in a file."""
    return make_baseline(source=path)


def learn(base, **options):
    """Return a base grown by self-play."""
    course = Course(base, **options)
    learn_all(course)
    return course.learned(course.facts)
