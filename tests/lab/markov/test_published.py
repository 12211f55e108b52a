"""Published numbers of the Markov agent, which add up."""

import pytest

from bolicho.lab.markov import published
from bolicho.lab.study import STUDIES


def test_published_hundreds_add_up_to_the_published_shares():
    for name in published.OPPONENTS:
        total, mao, pe = published.TABLE_5_2[name]
        wins = sum(published.TABLE_5_3[name])
        assert wins / published.CAMPAIGN_MATCHES == total and mao + pe == pytest.approx(1)
        assert round(wins * mao) / wins == pytest.approx(mao, abs=5e-5)
    wins = sum(share * published.INITIAL_MATCHES for share in published.TABLE_5_4.values())
    assert wins == 56 and 4 * published.INITIAL_MATCHES == 200  # Rossato 2020, chapter 6: 56 of 200


def test_the_studies_are_listed():
    names = {study.name: study for study in STUDIES}
    assert {"markov-self-play", "markov-opponents", "markov-calling", "markov-options"} <= set(names)
