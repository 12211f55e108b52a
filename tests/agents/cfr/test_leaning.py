"""The agent `leaning`: its start from the equilibrium, observation of the opponent, and bounded deviation."""

import numpy as np
import pytest

from bolicho import game
from bolicho.agents.cfr.truco.compiled.opponent_actions import (
    FREE,
    SHOWN,
    SITUATIONS,
    TO_ENVIDO,
    TO_TRUCO,
    WATCHED,
    read_habit,
)
from bolicho.agents.cfr.truco.leaning import prior
from bolicho.agents.check import check_agent
from bolicho.agents.mirrored_games import meet
from bolicho.agents.player import Luck
from bolicho.agents.registry import agent
from bolicho.errors import BadInput
from bolicho.games.truco import kernel as k

HAND, MATCH = game("truco", hands=1), game("truco")


def positions(match, matches, seed=1):
    """Yield tables of matches of random play that never goes to the deck."""
    rng = np.random.default_rng(seed)
    for number in range(matches):
        table = match.deal(number)
        while not table.over:
            yield table
            actions = [action for action in table.view(table.turn).legal if str(action) != "baralho"]
            table.play(actions[rng.integers(len(actions))])


def test_leaning_agent_keeps_the_contract():
    assert check_agent("leaning", MATCH, games=2).mixtures > 0
    assert check_agent("leaning(like=markov-plus, most=1)", HAND, games=8).mixtures > 0


def test_memory_of_a_hand_matches_the_record():
    seats = [agent("leaning", MATCH) for _ in range(2)]
    looked, last = 0, None
    for table in positions(MATCH, 16):
        if table is not last:  # another match
            for seat in range(2):
                seats[seat].begin(MATCH, seat)
        last = table
        for seat in range(2):
            view = table.view(seat)
            seats[seat].mixture(view) if seat == table.turn else seats[seat]._look(view)
            memory, s = seats[seat]._memory[0], view.pool[0]
            for name in ("mao", "pending", "called"):
                assert memory[name] == s[name], (name, table.record())
            if s["pending"] != k.FLOR_BET:
                assert memory["level"] == s["level"]
            assert memory["led"] == (s["played"][:, s["round"]] != k.NONE).any()
            if s["round"] > 0:
                assert memory["ahead"] == s["winners"][0]
            if s["pending"] == k.NOTHING and s["turn"] == seat and s["round"] == 0:
                assert memory["closed"] == (not bool(k.may_open_envido(s, seat)))
            looked += 1
    assert looked > 1000


def habits_of(table, seat):
    """Return the opponent's actions that a seat saw, as (situation, answer)."""
    memory = np.zeros(1, np.dtype(WATCHED, align=True))[0]
    found = [read_habit(memory, row, seat) for row in np.array(table.view(seat).rows)]
    return [(int(situation), int(answer)) for situation, answer in found if situation >= 0]


def test_opponent_actions_are_read_from_the_log():
    table = HAND.setup(hands=[["7e", "6e", "3c"], ["1p", "2o", "12p"]], mao=0)
    for action in ("envido", "quero", "7e", "truco", "quero", "1p", "12p"):
        table.play(action)
    # The pé took envido (and, having lost it, showed nothing), called truco when a card lay there, won with its
    # best, and led a fair one.
    assert habits_of(table, 0) == [
        (TO_ENVIDO, 0),
        (FREE + ((0 * 2 + 1) * 3 + 0) * 3 + 0, 4),
        (FREE + ((0 * 2 + 1) * 3 + 0) * 3 + 1, 2),
        (FREE + ((1 * 2 + 0) * 3 + 1) * 3 + 1, 1),
    ]
    # The mão opened with envido, showed 33, and took truco.
    assert habits_of(table, 1)[:2] == [(FREE + ((0 * 2 + 0) * 3 + 1) * 3 + 0, 5), (SHOWN + 1, 2)]
    assert (TO_TRUCO + 0, 0) in habits_of(table, 1)
    assert max(situation for situation, _ in habits_of(table, 1)) < SITUATIONS


@pytest.mark.parametrize("like", ["balanced", "markov-plus", "pvcnps"])
def test_deviation_stays_within_its_limit_and_the_support_of_the_equilibrium(like):
    most = 0.1
    even, leaned = agent("cfr", MATCH), agent(f"leaning(like={like}, most={most}, lean=2)", MATCH)
    moves = []
    for table in positions(MATCH, 4):
        view = table.view(table.turn)
        leaned.begin(MATCH, view.seat)
        before, after = np.array(even.mixture(view)), np.array(leaned.mixture(view))
        assert after.sum() == pytest.approx(1) and not after[before == 0].any()
        moves.append(np.abs(after - before).sum() / 2)
    assert max(moves) == pytest.approx(most)
    assert np.mean(np.array(moves) > 1e-9) < 0.6  # where equilibrium does not mix, nothing moves


def test_leaning_agent_without_deviation_plays_the_equilibrium():
    for spec in ("leaning(lean=0)", "leaning(most=0)", "leaning(like=cfr)"):
        even, leaned = agent("cfr", MATCH), agent(spec, MATCH)
        for luck, table in enumerate(positions(MATCH, 1)):
            view = table.view(table.turn)
            leaned.begin(MATCH, view.seat)
            assert leaned.act(view, Luck.of(luck)) == even.act(view, Luck.of(luck))


def test_observed_actions_raise_the_weight_of_the_true_profile():
    """Weight of the opponent's profile after a match, compared with its prior."""
    for like in ("markov-plus", "novice"):
        gained = []
        for number in range(6):
            table = MATCH.deal(100 + number)
            seated = [agent("leaning", MATCH), agent(like, MATCH)]
            for seat in range(2):
                seated[seat].begin(MATCH, seat)
            ply = 0
            while not table.over:
                table.play(seated[table.turn].act(table.view(table.turn), Luck.of(1000 * number + ply)))
                ply += 1
            names = seated[0].known(MATCH).names
            seated[0].end(table.view(0))
            weight = seated[0]._memory[0]["weight"][names.index(like)]
            gained.append(weight > prior(names)[names.index(like)])
        assert sum(gained) >= 5


def test_leaning_towards_the_known_opponent_wins_more():
    """Full deviation from the start, on the same deals: 4,000 distinguish +0.1 points a hand from 0."""
    deals = 4_000
    won = {
        spec: meet(HAND, [spec, "markov-plus"], deals, 5).payoffs[:, :, 0].mean(axis=1)
        for spec in ("cfr", "leaning(like=markov-plus, most=1, lean=1)")
    }
    gain = won["leaning(like=markov-plus, most=1, lean=1)"] - won["cfr"]
    assert gain.mean() > 2 * gain.std() / deals**0.5


def test_invalid_options_are_refused():
    for spec, why in (
        ("leaning(lean=-1.0)", "lean must be"),
        ("leaning(most=2.0)", "most must be"),
        ("leaning(like=nobody)", "leaning has no profile 'nobody'; it has cfr"),
        ("leaning(profiles=cfr-truco)", "leaning"),
    ):
        with pytest.raises(BadInput, match=why):
            agent(spec, MATCH)
    with pytest.raises(BadInput, match="it plays truco"):
        agent("leaning", game("dominoes"))
    with pytest.raises(BadInput, match="was made for"):
        agent("leaning", game("truco", flor=False))
