"""Learning by self-play: retained cases, updated groups, and reproducibility."""

import numpy as np
import pytest

from bolicho import BadInput, game
from bolicho.agents import training
from bolicho.agents.cbr import retain
from bolicho.agents.cbr.agent import CaseBased
from bolicho.agents.cbr.bases import load_base
from bolicho.agents.cbr.casebase import CaseBase, check_cases
from bolicho.agents.cbr.clusters import label, population, sweep
from bolicho.agents.cbr.cycle import CaseBasedOptions
from bolicho.agents.cbr.elbows import Elbow
from bolicho.agents.cbr.observe import cases_of_table, rare_cases
from bolicho.agents.cbr.retain import CaseSelfPlay, Course
from bolicho.agents.cbr.retrieve import CaseIndex
from bolicho.agents.cbr.revise import clean, suicides
from bolicho.agents.cbr.truco import TRUCO
from bolicho.agents.player import Luck
from bolicho.games.compiled.chance import stream
from tests.agents.learners import learn as learn_all

from .hands import learn, make_baseline


@pytest.fixture(scope="module")
def base():
    return make_baseline(200, seed=3)


@pytest.fixture(scope="module")
def learned(base):
    return learn(base, cases=600, seed=4)


def same(one, other):
    return one.cases.tobytes() == other.cases.tobytes() and all(
        a.centroids.tobytes() == b.centroids.tobytes() for a, b in zip(one.clusterings, other.clusterings, strict=True)
    )


def test_the_base_grows_to_its_size_and_is_clean(base, learned):
    assert 600 <= len(learned) < 650 and np.all(suicides(TRUCO, learned.cases) < 0)
    check_cases(TRUCO.schema, learned.cases)
    old = clean(TRUCO, base.cases)
    unlabelled = [name for name in TRUCO.schema.dtype.names if name != "label"]
    assert all(np.array_equal(learned.cases[name][: len(old)], old[name]) for name in unlabelled)


def test_the_growth_curve_is_kept(base, learned):
    growth = learned.made["growth"]
    assert len(growth) == learned.made["matches"] and growth == sorted(growth) and growth[0] >= len(base)


def test_the_same_seed_gives_the_same_base(base, learned):
    assert same(learn(base, cases=600, seed=4), learned)
    assert not same(learn(base, cases=600, seed=5), learned)


def test_stopped_course_resumes_to_the_same_base(base, monkeypatch):
    monkeypatch.setattr(retain, "SWEEP_EVERY", 5)
    whole = learn(base, cases=600, seed=4)
    first, second = Course(base, 600, 4), Course(base, 600, 4)
    for _ in range(8):  # between two sweeps, so that the followed elbows are restored too
        first.step()
    second.done = first.done
    second.restore({name: array.copy() for name, array in first.state().items()})
    assert 0 < second.done < 600
    learn_all(second)
    assert same(second.learned({}), whole) and second.growth == whole.made["growth"]


def test_groups_of_the_initial_base_are_kept_where_asked(base, learned):
    """Every case of the grown base has the nearest group; a stopped course goes on to the same end."""
    kept = learn(base, cases=400, seed=4, groups="kept")
    assert kept.made["groups"] == "kept" and kept.made["reclusterings"] == 0 and "groups" not in learned.made
    assert [one.centroids.tobytes() for one in kept.clusterings] == [
        one.centroids.tobytes() for one in base.clusterings
    ]
    again = CaseBase(TRUCO, kept.cases.copy(), kept.clusterings)
    label(again)
    assert len(kept) >= 400 and again.cases.tobytes() == kept.cases.tobytes()
    first, second = (Course(base, 400, 4, groups="kept") for _ in range(2))
    for _ in range(3):
        first.step()
    second.done = first.done
    second.restore({name: array.copy() for name, array in first.state().items()})
    learn_all(second)
    assert same(second.learned({}), kept)
    with pytest.raises(BadInput, match="unknown treatment of groups 'fixed'"):
        Course(base, groups="fixed")
    with pytest.raises(BadInput, match="leave out clustering=mixture"):
        Course(base, groups="kept", clustering="mixture")


def test_kept_groups_go_with_another_membership(base):
    every = learn(base, cases=300, seed=4, groups="kept", membership="every-round")
    assert [one.size for one in every.clusterings] == [one.size for one in base.clusterings]
    for number in range(len(every.clusterings)):
        inside = population(TRUCO, every.cases, number).cases
        assert np.array_equal(np.flatnonzero(every.cases["label"][:, number]), inside)


def test_a_hand_is_kept_when_a_question_found_too_few_cases(base):
    index = CaseIndex(base)

    def kept(enough, keep):
        return [len(cases) for cases in CaseSelfPlay(index, ["pvcnps"], 1, enough, keep).play(index, range(5))]

    nothing, some, everything = (kept(enough, "hand") for enough in (0, 3, 10**9))
    assert sum(nothing) == 0 < sum(some) < sum(everything)
    whole = kept(10**9, "match")  # also hands in which nothing was asked
    assert all(match >= hands > 0 for match, hands in zip(whole, everything, strict=True))
    assert kept(0, "match") == nothing
    assert kept(3, "match") == [match if hands else 0 for hands, match in zip(some, whole, strict=True)]


def test_rare_hands_are_identified_with_the_luck_of_the_match(base):
    """Repetition of a match by a player that draws lots: the same questions find as many cases."""
    truco, index, key, enough = game("truco", target=12), CaseIndex(base), 77, 3
    player, other = CaseBased("plcs", index), CaseBased("pls", index)
    player.begin(truco, 0)
    other.begin(truco, 1)
    table, missed, expected = truco.deal(5), False, []
    while (turn := table.turn) is not None:
        luck = Luck.of(int(stream(np.uint64(key), table.ply)))
        table.play((player, other)[turn].act(table.view(turn), luck))
        if turn == 0:
            asked = player.explain().facts["questions"]
            missed |= any(question["found_at_first_threshold"] < enough for question in asked)
        while len(expected) < len(cases_of_table(TRUCO, table, 0)):
            expected.append(missed)
            missed = False
    actions = [int(action) for action in table.actions]
    cases, rare = rare_cases(TRUCO, player.player(truco), key, enough, truco.deal(5), actions, 0)
    assert cases.tobytes() == cases_of_table(TRUCO, table, 0).tobytes()
    assert rare.tolist() == expected and 0 < sum(expected) < len(expected)


def test_matches_with_one_base_are_the_same_one_by_one_or_together(base):
    index = CaseIndex(base)
    table = CaseSelfPlay(index, ["plcs", "pvcnps"], 1, 3)
    alone = [table.play(index, [number])[0].tobytes() for number in range(4)]
    assert [cases.tobytes() for cases in table.play(index, range(4))] == alone and any(alone)


def test_rivals_keep_the_base_of_the_start(base, learned):
    start, now = CaseIndex(base), CaseIndex(learned)

    def hands(index, rivals):
        table = CaseSelfPlay(start, ["nps", "pvs"], 1, 10**9, rivals=rivals)
        return [cases.tobytes() for cases in table.play(index, range(4))]

    assert hands(start, 1.0) == hands(start, 0.0)
    assert hands(now, 1.0) != hands(now, 0.0)
    with pytest.raises(BadInput, match="0 to 1"):
        Course(base, cases=600, rivals=2)
    with pytest.raises(BadInput, match="unknown unit to keep 'hands'"):
        Course(base, cases=600, keep="hands")


def test_learning_ends_when_nothing_is_rare(base, monkeypatch):
    monkeypatch.setattr(retain, "IDLE", 10)
    done = learn(base, cases=600, seed=4, enough=0)
    assert done.made["matches"] == 10 and len(done) == len(clean(TRUCO, base.cases))


def test_the_followed_elbow_is_close_to_a_full_sweep(base, learned):
    for clustering in (0, 6, 8, 14):
        followed = Elbow(TRUCO, base.cases, clustering)
        fresh = learned.cases[len(clean(TRUCO, base.cases)) :]
        for start in range(0, len(fresh), 20):
            followed.add(fresh[start : start + 20])
        both = np.concatenate([base.cases, fresh])
        of = population(TRUCO, both, clustering)
        assert sorted(map(tuple, followed._rows.values)) == sorted(map(tuple, of.rows.values))
        assert followed._rows.weights.sum() == len(of.cases)
        assert np.allclose(followed._rows.mean, of.rows.mean) and np.allclose(followed._rows.scale, of.rows.scale)
        swept = sweep(of.rows)
        found = followed.clustering_now()
        assert found.size == followed.size
        assert within(of.rows, found) == pytest.approx(swept[found.size - 1][1], rel=0.25)
        followed.sweep()
        found = followed.clustering_now()
        assert found.size == followed.size
        assert within(of.rows, found) == pytest.approx(swept[found.size - 1][1], rel=0.05)


def within(rows, clustering):
    """Return the sum of squares within the groups of a clustering."""
    z = (rows.values - clustering.mean) / clustering.scale
    return (((z[:, None] - clustering.centroids) ** 2).sum(axis=2).min(axis=1) * rows.weights).sum()


def test_shipped_bases_have_their_recorded_size_and_origin():
    baseline, learned = load_base("baseline", TRUCO), load_base("learned", TRUCO)
    assert len(baseline) == 3195 and baseline.made["kind"] == "synthetic"
    assert 27_000 <= len(learned) <= 28_000 and learned.made["from"] == "baseline"
    assert learned.made["command"] == (
        "bolicho train cbr-learned truco cases=27515 base=baseline keep=match rivals=0.0 --seed 1"
    )


def test_the_players_options_reach_self_play(base):
    """Different cases for other options, and facts that contain only the options changed from their defaults."""
    usual, facts = learn(base, cases=260, seed=4), ("threshold", "retrieval", "revise", "victory")
    assert not any(name in usual.made for name in facts)
    for options in (
        CaseBasedOptions(threshold=0.75), CaseBasedOptions(retrieval="clusters"),
        CaseBasedOptions(revise="published"), CaseBasedOptions(victory="count"),
    ):  # fmt: skip
        other = learn(base, cases=260, seed=4, options=options)
        assert other.cases.tobytes() != usual.cases.tobytes()
        assert {name: other.made[name] for name in facts if name in other.made} == options.changed()


def test_base_is_cleaned_of_moves_that_its_players_would_revise(base):
    learned = learn(base, cases=260, seed=4, options=CaseBasedOptions(revise="published"))
    assert np.all(suicides(TRUCO, learned.cases, "published") < 0) and np.any(suicides(TRUCO, learned.cases) >= 0)


def test_command_of_a_training_contains_the_options_of_its_players():
    given = {"cases": 3300, "keep": "hand", "retrieval": "clusters", "victory": "share"}
    written = training.command("cbr-learned", 1, given)
    assert written.endswith("keep=hand rivals=0.0 retrieval=clusters victory=share --seed 1")
