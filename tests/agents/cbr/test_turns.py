"""Cases that are turns: attributes and items, outcomes by playing on, and play by them."""

import numpy as np
import pytest

import bolicho
from bolicho.agents.cbr import TECHNIQUE
from bolicho.agents.cbr.agent import CaseBased
from bolicho.agents.cbr.bases import domain_of
from bolicho.agents.cbr.casebase import check_cases
from bolicho.agents.cbr.compiled.decision import ask
from bolicho.agents.cbr.compiled.trial_play import set_outcome
from bolicho.agents.cbr.domain import MAX_ITEMS, QUERY
from bolicho.agents.cbr.observe import judge
from bolicho.agents.cbr.retain import CaseSelfPlay
from bolicho.agents.cbr.retrieve import CaseIndex
from bolicho.agents.cbr.reuse import POLICIES
from bolicho.agents.cbr.train import observed
from bolicho.agents.cbr.turns import TURN
from bolicho.agents.mirrored_games import meet
from bolicho.agents.registry import agent_names, recipe
from bolicho.games.jit import njit
from bolicho.i18n import LANGUAGES, catalogue

TRIED = [name for name in TECHNIQUE.bindings if domain_of(name).tried]


def asked(view):
    """Return the items that a view allows with their actions, and the attributes."""
    query, case = np.zeros(1, QUERY), np.zeros(1, TURN)
    ask(view.pool, view.seat, 0, query, case)
    decision = domain_of(view.game.name).decisions[0]
    allowed = [item for item in range(MAX_ITEMS) if int(query["allowed"][0]) >> item & 1]
    meant = {decision.items[item]: str(view.game.action(view.state, int(case["actions"][0, item]))) for item in allowed}
    values = [*query["numeric"][0, : len(decision.numeric)], *query["equal"][0, : len(decision.equal)]]
    return meant, dict(zip(decision.attributes, map(int, values), strict=True))


def random_views(name, count, seed=1):
    rng = np.random.default_rng(seed)
    table = bolicho.game(name).deal(seed)
    for number in range(count):
        if table.over:
            table = bolicho.game(name).deal(seed + number)
        view = table.view(table.turn)
        yield view, table
        table.play(view.legal[rng.integers(len(view.legal))])


# --- Attributes and items -----------------------------------------------------------------------


def test_a_turn_of_draw_dominoes_by_hand():
    hands = [["6-5", "5-5", "5-1", "6-2"], ["6-1", "4-3", "3-2"]]
    table = bolicho.game("dominoes").setup(first=1, hands=hands, boneyard=["4-4"])
    table.play("6-1")
    meant, known = asked(table.view(0))
    # 6-5 leaves two that fit and 5-1 three; no tile that the opponent may hold (4-3, 3-2, 4-4) fits after either.
    assert {item: action[:3] for item, action in meant.items()} == {
        "the heaviest tile": "6-5",
        "what most own tiles fit": "5-1",
    }
    assert list(known.values()) == [3 * 4, 3 * 2, 1, 2 * 11, 2 * 11, 3 * 2, 3 * 3, 0, 0, 0]


def test_a_turn_of_fives_by_hand():
    hands = [["6-4", "6-1", "3-3"], ["6-6", "5-2", "1-0"]]
    table = bolicho.game("fives").setup(first=0, hands=hands, boneyard=["5-5", "2-2", "4-0"])
    table.play("6-4")
    meant, known = asked(table.view(1))
    # The ends are 6 and 4; 6-6 is the only tile that fits, at 12 and 4, which scores nothing.
    assert list(meant) == ["the best balance of points"] and known["most points"] == 0
    table.play("6-6")
    assert asked(table.view(0))[1]["most points"] == 5  # 6-1 makes it 1 and 4


def test_values_are_shown_in_the_units_of_the_game():
    say = domain_of("wonders").say_value
    assert [say("turn", 8), say("lead in shields", 6), say("lead in shields", 0), say("coins", 24), say("age", 2)] == [
        "2", "-2", "≤ -4", "≥ 12", "3",
    ]  # fmt: skip
    assert domain_of("dominoes").say_value("answers at least", 12) == "50%"


@pytest.mark.parametrize("name", TRIED)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_attribute_and_item_has_a_text(name, language):
    domain = domain_of(name)
    decision = domain.decisions[0]
    for word in (decision.name, *decision.attributes, *decision.items):
        said = domain.said(word)
        assert said.key.startswith("agents.cbr.") and catalogue(language).say(said)


@pytest.mark.parametrize("name", TRIED)
def test_every_item_means_another_legal_action(name):
    several = 0
    for view, _ in random_views(name, 60):
        meant, known = asked(view)
        assert meant and len(set(meant.values())) == len(meant)
        assert set(meant.values()) <= {str(action) for action in view.legal}
        assert all(0 <= value <= domain_of(name).scale for value in known.values())
        several += len(meant) > 2
    assert several > 3


# --- Outcomes -----------------------------------------------------------------------------------


@njit
def outcome(case, worths, allowed, item):
    set_outcome(case[0], worths, allowed, item)


@pytest.mark.parametrize(
    ("item", "points", "halves"),
    [(0, 7, 2), (2, -7, 0), (3, 0, 1)],
)
def test_outcome_is_the_gain_of_an_item_over_the_mean_of_the_others(item, points, halves):
    case, worths = np.zeros(1, TURN), np.array([7.0, 99, -2, 2.5, *[99.0] * (MAX_ITEMS - 4)])
    outcome(case, worths, 0b1101, item)  # the second was not tried
    assert (case["item"][0], case["points"][0], case["halves"][0]) == (item, points, halves)


SCRIPTED = {"dominoes": "rule", "wonders": "rules"}


def scores_after(record, name, actions):
    """Return the scores after the scripted player has played on in every seat."""
    table = bolicho.replay({**record, "actions": actions})
    player = bolicho.agent(SCRIPTED[name], name)
    while not table.over:
        player.begin(table.game, table.turn)
        table.play(player.act(table.view(table.turn), np.random.default_rng(0)))
    return table.scores


def tried_by_hand(name, seed, seat):
    """Return a random game, and the expected outcome of every turn of a seat that is an item."""
    start, table = bolicho.game(name).deal(seed), bolicho.game(name).deal(seed)
    rng, wanted = np.random.default_rng(seed), []
    while not table.over:
        done = table.legal[rng.integers(len(table.legal))]
        before = [str(action) for action in table.actions]
        meant = asked(table.view(seat))[0] if table.turn == seat else {}
        if str(done) in meant.values() and len(meant) > 1:
            leads = {}
            for item, action in meant.items():
                scores = scores_after(start.record(), name, [*before, action])
                leads[item] = scores[seat] - max(scores[:seat] + scores[seat + 1 :])
            mine = next(item for item, action in meant.items() if action == str(done))
            others = [lead for item, lead in leads.items() if item != mine]
            wanted.append((mine, round(leads[mine] - sum(others) / len(others))))
        table.play(done)
    return start, [int(action) for action in table.actions], wanted


@pytest.mark.parametrize(("name", "seeds"), [("dominoes", range(6)), ("wonders", [11])])
def test_turns_are_judged_by_playing_on_from_every_item(name, seeds):
    game, domain, seat = bolicho.game(name), domain_of(name), 1
    player = recipe(SCRIPTED[name], name).make(game).player(game)
    items, all_wanted = domain.decisions[0].items, []
    for seed in seeds:
        start, actions, wanted = tried_by_hand(name, seed, seat)
        cases = judge(domain, player, 0, start, actions, seat)
        check_cases(domain.schema, cases)
        assert [(items[case["item"]], int(case["points"])) for case in cases] == wanted
        all_wanted += wanted
    assert len(all_wanted) > 5 and len({points for _, points in all_wanted}) > 3


@pytest.fixture(scope="module")
def base():
    return observed("dominoes", 30, seed=2)


def test_observed_base_contains_valid_reproducible_cases(base):
    assert 60 < len(base) < 300 and base.made["name"] == "observed"
    check_cases(base.domain.schema, base.cases)
    assert observed("dominoes", 30, seed=2).cases.tobytes() == base.cases.tobytes()


def test_every_item_is_tried_at_a_rare_turn(base):
    index = CaseIndex(base)
    nothing, everything = (CaseSelfPlay(index, ["nps"], 1, enough).play(index, range(4)) for enough in (0, 10**9))
    assert not sum(map(len, nothing)) and all(map(len, everything))
    for cases in everything:
        check_cases(base.domain.schema, cases)
        turns = np.flatnonzero(np.diff(cases["item"]) <= 0) + 1  # the items of a turn ascend
        assert all(len(turn) > 1 for turn in np.split(cases, turns))


def test_impossible_turns_are_refused(base):
    wrong = base.cases[:3].copy()
    wrong["halves"][1], wrong["points"][1] = 2, -3
    with pytest.raises(bolicho.BadInput, match="row 2: the outcome and its points contradict each other"):
        check_cases(base.domain.schema, wrong)


# --- Play ---------------------------------------------------------------------------------------


def test_agent_cbr_plays_every_game_and_the_twenty_policies_play_truco():
    for name in TECHNIQUE.bindings:
        assert "cbr" in agent_names(name)
        assert (set(POLICIES) <= set(agent_names(name))) == (name == "truco")
    with pytest.raises(bolicho.BadInput, match="does not play dominoes: it plays truco"):
        recipe("nps", "dominoes").make(bolicho.game("dominoes"))


def test_default_policy_is_the_one_of_the_domain():
    game = bolicho.game("dominoes")
    named = domain_of("dominoes").policy
    met = meet(game, ["cbr", f"cbr(policy={named})"], 5, 1)
    again = meet(game, [f"cbr(policy={named})", "cbr"], 5, 1)
    assert np.array_equal(met.payoffs, again.payoffs)


@pytest.mark.parametrize(("name", "scripted"), [("dominoes", "rule"), ("wonders", "rules")])
def test_agent_with_the_shipped_base_beats_the_scripted_player(name, scripted):
    game = bolicho.game(name)
    met = meet(game, ["cbr", *[scripted] * (game.seats - 1)], 100, 7)
    mine = met.payoffs[..., 0].mean(axis=1)
    assert mine.mean() - 2 * mine.std() / len(mine) ** 0.5 > 0


def test_other_rules_are_refused():
    with pytest.raises(bolicho.BadInput, match="was made for the default rules"):
        bolicho.agent("cbr").prepare(bolicho.game("dominoes", highest=9))


@pytest.mark.parametrize("policy", ["mjs", "pls", "pvs", "pvcnps"])
def test_every_policy_reuses_turns(base, policy):
    index = CaseIndex(base)
    met = meet(bolicho.game("dominoes"), [lambda: CaseBased(policy, index), "random"], 10, 1)
    assert met.payoffs.shape == (10, 2, 2)


def test_explanation_describes_similar_turns():
    table = bolicho.game("dominoes").deal(3)
    player = bolicho.agent("cbr", "dominoes")
    player.begin(table.game, 0)
    player.act(table.view(0), np.random.default_rng(1))
    why = player.explain()
    assert "similar turns" in catalogue("en").say(why.sentence) and "turnos parecidos" in catalogue("es").say(
        why.sentence
    )
    question = why.facts["questions"][0]
    assert question["found"] >= domain_of("dominoes").minimum
    assert set(question["query"]) == set(domain_of("dominoes").decisions[0].attributes)
    assert {case["outcome"] for case in question["cases"]} <= {
        "better than the rest", "as good as the rest", "worse than the rest",
    }  # fmt: skip
