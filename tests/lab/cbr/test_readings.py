"""Readings of Paulus 2020, scored by the printed facts they explain."""

import numpy as np
import pytest

from bolicho.lab.cbr import published
from bolicho.lab.cbr.learning import published_way
from bolicho.lab.cbr.mirrored_matches import BEHAVIOURS, League
from bolicho.lab.cbr.published import Definitions
from bolicho.lab.cbr.readings import ReadingResult, combinations, score_table

READING = Definitions("balance", "bar", "every-round", "choose")


def league_by(policies, strength, accepts):
    """Return a league in which the stronger of two always wins by 7, with a share of accepted trucos a policy."""
    scores, did = {}, {}
    for i, one in enumerate(policies):
        for other in policies[i + 1 :]:
            ahead = 7 if strength[one] > strength[other] else -7
            jitter = np.zeros((4, 2, 2), np.int64)
            jitter[..., 0] = ahead
            scores[one, other] = jitter
            counts = np.zeros((4, 2, len(BEHAVIOURS), 2), np.int64)
            counts[..., 1] = 100
            for seat, policy in enumerate((one, other)):
                for name in ("accepts truco", "calls truco"):
                    counts[:, seat, BEHAVIOURS.index(name), 0] = accepts[policy]
            did[one, other] = counts
    return League(scores, did)


def outcome(accepts, totals=published.GROUP_TOTALS, reverse=False):
    ten = published.STAGE_1_ORDER
    strength = {policy: place if reverse else -place for place, policy in enumerate(ten)}
    found = league_by(ten, strength, accepts)
    return ReadingResult(READING, found, found, totals, published.LEARNED_CASES)


CAUTIOUS = (
    dict.fromkeys(published.STAGE_1_ORDER, 50) | dict.fromkeys(published.CONSERVATIVE, 20) | {"nps": 60, "npcs": 60}
)


def test_reproduced_facts_have_the_full_score():
    parts = outcome(CAUTIOUS).parts()
    assert parts["behaviour, stage 1"] == (18, 18) and parts["behaviour, stage 3"] == (10, 10)
    assert parts["appendix B"][0] == parts["appendix B"][1] == 19
    held, of = parts["stage 1"]
    assert of == 13 and held == 8  # first, second, a two-step lead, and the five strongest of ten above half
    assert outcome(CAUTIOUS, reverse=True).parts()["stage 1"][0] < held


def test_bold_victories_and_falling_totals_score_less():
    bold = {policy: 100 - share for policy, share in CAUTIOUS.items()}
    parts = outcome(bold).parts()
    assert parts["behaviour, stage 1"][0] == parts["behaviour, stage 3"][0] == 0
    falling = list(published.GROUP_TOTALS)
    falling[4] //= 3
    falling[5] //= 3
    assert outcome(CAUTIOUS, totals=tuple(falling)).parts()["appendix B"][0] == 16


def test_behaviour_is_a_ratio_over_all_matches_of_a_policy():
    found = outcome(CAUTIOUS).stage_1
    assert found.behaviour("nps", "accepts truco").value == pytest.approx(0.6)
    assert found.behaviour("pvcs", "calls truco").value == pytest.approx(0.2)


def test_every_combination_is_run_once():
    every = combinations(quick=False)
    assert len(every) == len(set(every)) == 2 * 3 * 2 * 3
    assert len({published_way(one).file(1) for one in every}) == len(every)


def test_the_table_names_the_reading_and_its_score():
    rows = score_table([outcome(CAUTIOUS)]).rows
    assert rows[0][:4] == ["balance", "bar", "every-round", "choose"] and 0 < rows[0][-1] <= 1
