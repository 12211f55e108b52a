"""The published decision: the example of section 5.2, a reference implementation, and limits of its actions."""

import numpy as np
import pytest

from bolicho import agent, game
from bolicho.agents.markov import layout
from bolicho.agents.markov.agent import Markov
from bolicho.agents.markov.layout import UNIT, level_counts, matrix
from bolicho.agents.markov.matrices import WEAKEST, initial
from bolicho.agents.markov.options import MarkovOptions
from bolicho.agents.player import Luck
from bolicho.errors import BadInput
from bolicho.i18n import catalogue
from tests.agents.markov.lots import Lot, draws
from tests.agents.markov.positions import facts, tables
from tests.agents.markov.reference import Reference


def decided(player, table, *numbers):
    """Return the action of a player on given draws, and its questions."""
    action = player.act(table.view(), Lot(*numbers))
    return str(action), player.explain().facts["questions"]


def example():
    """Rossato 2020, section 5.2: seat 0 is mão.  (There seat 1 holds three espadas, a flor that the text ignores.)"""
    return game("truco", flor=False).setup(hands=[["7o", "12p", "7p"], ["7e", "2e", "4e"]], mao=0)


# --- The example of section 5.2 -----------------------------------------------------------------


@pytest.mark.parametrize("weakest", WEAKEST)
def test_example_envido_sums_384_to_364(weakest):
    """Both definitions of row 0-0: column 0-0 has no defeats in either."""
    action, (envido, real) = decided(Markov("initial", options=MarkovOptions(weakest=weakest)), example(), 0.49)
    assert (envido["state"], envido["cells"], envido["v"], envido["d"]) == ("0-7", 29, 384, 364)
    assert (envido["used"], envido["minimum"]) == (0.5, 0.4) and envido["yes"]
    assert action == "envido" and real["minimum"] == 0.6 and not real["yes"]


def test_example_envido_is_not_called_when_the_roulette_stops_beyond():
    action, questions = decided(Markov("initial"), example(), 0.51)
    assert not questions[0]["yes"] and action == "7o"


def test_example_envido_against_a_shown_four():
    table = game("truco", flor=False).setup(hands=[["4e", "2e", "7e"], ["7o", "12p", "7p"]], mao=0)
    table.play("4e")
    _, questions = decided(Markov("initial"), table, 0.99)
    assert questions[0]["against"] == ["0-4", "1-4", "2-4", "3-4", "4-5", "4-6", "4-7"]


def test_example_first_card_considers_every_order():
    _, questions = decided(Markov("initial"), example(), 0.99)
    card = questions[-1]
    assert card["request"] == "card" and len(card["orders"]) == len(card["against"]) == 6 and card["cells"] == 36
    assert card["chosen"] == "7o"


def test_example_second_card_after_the_high_one_against_the_low_one():
    table = example()
    for action in ("7o", "4e"):
        table.play(action)
    _, questions = decided(Markov("initial"), table, 0.99)
    card = questions[-1]
    assert card["orders"] == ["ABM", "AMB"] and card["against"] == ["BMA", "BAM"]


def test_example_truco_in_the_second_round_has_six_chances_in_ten():
    table = example()
    for action in ("7o", "4e"):
        table.play(action)
    action, (truco, *_) = decided(Markov("initial"), table, 0.59)
    assert truco["state"] == "7c-12-7o" and truco["used"] == 0.6 and truco["minimum"] == 0.5
    assert all("4" in hand.split("-") and "7o" not in hand.split("-") for hand in truco["against"])
    for hand in ("4-4-4", "4-4-11", "4-10-10", "4-6-7c", "4-7c-3", "4-11-2", "4-12-1e", "4-2-1e", "4-1p-1e"):
        assert hand in truco["against"]
    assert action == "truco"


def test_example_truco_in_the_third_round_knows_two_cards():
    table = example()
    for action in ("7o", "4e", "7p", "2e"):
        table.play(action)
    assert table.turn == 1
    table.play("7e")
    _, (truco, *_) = decided(Markov("initial"), table, 0.99)
    assert truco["cells"] == 0 and not truco["yes"]  # the 7e on the table beats the 12p: lost
    table = game("truco", flor=False).setup(hands=[["4e", "2e", "5e"], ["7o", "12p", "7p"]], mao=0)
    for action in ("4e", "7o", "7p", "2e"):
        table.play(action)
    table.play("5e")
    _, (truco, *_) = decided(Markov("initial"), table, 0.99)
    assert truco["against"] == ["4-5-2"] and truco["cells"] == 1
    names = ["4-4-2", "4-5-2", "4-6-2", "4-7c-2", "4-10-2", "4-11-2", "4-12-2", "4-1c-2", "4-2-2", "4-2-3"]
    table = game("truco", flor=False).setup(hands=[["7o", "12p", "7p"], ["4e", "2e", "5e"]], mao=1)
    for action in ("4e", "7p", "12p", "2e"):
        table.play(action)
    player = Markov("initial")
    if table.turn == 1:
        table.play("truco")
    _, (truco, *_) = decided(player, table, 0.99)
    assert sorted(truco["against"]) == sorted([*names, "4-2-7e", "4-2-1p", "4-2-1e"])  # not 7o: it is one's own


# --- Reference implementation -------------------------------------------------------------------


def reference_of(learned, reading):
    def square(mode, lost=False):
        return (matrix(learned.block, mode, lost).astype(np.int64) / UNIT).tolist()

    counts = {mode: (square(mode), square(mode, lost=True)) for mode in ("truco", "envido", "cards")}
    return Reference(counts, (level_counts(learned.block) / UNIT).tolist(), reading)


@pytest.mark.parametrize("players", [("random", "random"), ("balanced", "bluffer"), ("markov", "aggressive")])
@pytest.mark.parametrize(("base", "weakest"), [("initial", "loses"), ("initial", "unknown"), ("learned", "loses")])
@pytest.mark.parametrize("reading", ["scripts", "text"])
def test_decisions_equal_those_of_the_reference(players, base, weakest, reading):
    player = Markov(base, options=MarkovOptions(reading=reading, weakest=weakest))
    reference = reference_of(player.learned, reading)
    rng = np.random.default_rng(5)
    actions = []
    for table in tables(600, 3, *players):
        view = table.view()
        at = facts(view)
        if at["pending"] == "flor":
            continue
        player.begin(table.game, view.seat)  # bluffs are tested in test_learning
        number = int(rng.integers(2**64, dtype=np.uint64))
        ours = str(player.act(view, Luck.of(number)))
        assert ours == reference.decide(at, draws(number)), (str(view), catalogue("en").say(player.explain().sentence))
        actions.append(ours)
    assert len(set(actions)) > 20  # cards, calls, answers


# --- Limits of its actions ----------------------------------------------------------------------

RULES = [
    {},
    {"envido_first": True, "envido_envido": True},
    {"flor": False, "face_down": False},
    {"target": 12, "contra_flor_refused": 3},
    {"hands": 1},
]


OF_ANY_LENGTH = [{}, {"target": 12}, {"hands": 1}]  # learned matrices hold for the default rules, with any target


@pytest.mark.parametrize(
    ("spec", "rules"),
    [(spec, rules) for spec in ("markov(base=initial)", "markov-plus(base=initial)") for rules in RULES]
    + [(spec, rules) for spec in ("markov", "markov-plus") for rules in OF_ANY_LENGTH],
    ids=str,
)
def test_every_action_is_legal(spec, rules):
    player = agent(spec, "truco")
    rng = np.random.default_rng(1)
    for seat in range(2):
        player.begin(game("truco", **rules), seat)
    for table in tables(300, 8, "bluffer", "random", **rules):
        view = table.view()
        assert player.act(view, rng) in view.legal


def test_no_envido_without_a_pair():
    player = Markov("initial")
    for table in tables(2000, 2):
        view = table.view()
        if view.envido < 20 and "envido" in view.legal:
            action, questions = decided(player, table, 0.0)
            assert action not in ("envido", "real", "falta") and not questions[0]["yes"]


def test_a_shown_seven_lowers_the_chance_by_two_tenths():
    low = game("truco", flor=False).setup(hands=[["4e", "2p", "7c"], ["6o", "7o", "12p"]], mao=0)
    high = game("truco", flor=False).setup(hands=[["7c", "2p", "4e"], ["6o", "7o", "12p"]], mao=0)
    low.play("4e")
    high.play("7c")
    for table, lowered in ((low, 0), (high, 0.2)):
        _, (envido, *_) = decided(Markov("initial"), table, 0.99)
        assert envido["used"] == pytest.approx(round(envido["p"], 1) - lowered)


def test_a_hand_that_cannot_be_won_is_never_bet_on():
    asked = 0
    player = Markov("initial")
    for table in tables(3000, 11, "novice", "cautious"):
        view = table.view()
        if facts(view)["lost"] and ("truco" in view.legal or "quero" in view.legal):
            asked += 1
            action, questions = decided(player, table, 0.0)
            assert action not in ("truco", "retruco", "vale4", "quero")
            assert not any(question.get("yes") is True for question in questions)
    assert asked > 10


def test_minimums_are_those_of_section_5_2_and_of_the_scripts():
    assert dict(zip(layout.REQUESTS, layout.MINIMA, strict=True)) == {
        "envido": 0.4, "real": 0.6, "falta": 0.8, "truco": 0.5, "retruco": 0.7, "vale4": 0.8,
        "contraflor": 0.6, "resto": 0.8,
    }  # fmt: skip


def test_contra_flor_in_the_text_reading_has_the_minimum_of_envido():
    table = game("truco").setup(hands=[["1e", "2e", "10e"], ["7o", "4o", "10o"]], mao=0)
    action, (contra, resto) = decided(Markov("initial", options=MarkovOptions(reading="text")), table, 0.0)
    assert (contra["request"], contra["minimum"], contra["used"]) == ("contraflor", 0.4, 0.5) and action == "contraflor"
    assert (resto["request"], resto["minimum"], resto["yes"]) == ("resto", 0.8, False)
    action, (contra,) = decided(Markov("initial"), table, 0.0)
    assert (contra["minimum"], contra["yes"], action) == (0.6, False, "flor")


def test_card_choice_in_the_text_reading_counts_every_order():
    """The rows of the initial matrix add up to 48, 72 and 96 for low, middle and high first: tenths of 216."""
    for reading, shares in (("scripts", [0, 0, 10]), ("text", [2, 3, 4])):
        _, questions = decided(Markov("initial", options=MarkovOptions(reading=reading)), example(), 0.99)
        assert list(questions[-1]["shares"].values()) == [share / sum(shares) for share in shares]


def test_unknown_reading_is_refused():
    with pytest.raises(BadInput, match="unknown reading 'rumour'; known: scripts, text"):
        Markov(options=MarkovOptions(reading="rumour"))


def test_flor_is_raised_by_its_counts():
    table = game("truco").setup(hands=[["1e", "2e", "10e"], ["7o", "6o", "5o"]], mao=0)
    assert table.turn == 1
    action, (contra, *more) = decided(Markov("initial"), table, 0.0)
    start = initial()
    row = matrix(start.block, "flor")[63] / UNIT
    assert (contra["state"], contra["cells"], contra["v"]) == ("5-6-7", 64, row.sum())
    assert contra["used"] == round(row.sum() / (row.sum() + (matrix(start.block, "flor")[:, 63] / UNIT).sum()), 1)
    assert action == ("contraflor" if contra["yes"] else "flor")
    assert [question["request"] for question in more] == (["resto"] if contra["yes"] else [])


def test_probability_without_counts_is_one_half():
    player = Markov("initial")
    matrix(player.mind["block"][0], "envido")[:] = 0
    matrix(player.mind["block"][0], "envido", lost=True)[:] = 0
    _, (envido, *_) = decided(player, example(), 0.99)
    assert envido["p"] == 0.5


def test_weakest_pair_is_bet_on_only_without_counts():
    """Rossato 2020, table 4.2 (no victories) and appendix A, lines 177 to 179 (no defeats either: 1 to 1)."""
    table = game("truco", flor=False).setup(hands=[["10e", "11e", "4c"], ["7o", "12p", "7p"]], mao=0)
    for weakest, sums in (("loses", (0, 0.0, "4c")), ("unknown", (1, 0.5, "envido"))):
        action, (envido, *_) = decided(Markov("initial", options=MarkovOptions(weakest=weakest)), table, 0.49)
        assert envido["state"] == "0-0" and envido["cells"] == 29
        assert (envido["v"], envido["used"]) == sums[:2] and (action == "envido") == (sums[2] == "envido")


def test_weakest_flor_without_counts_wins_with_probability_one_half():
    """Table 4.3 has the zeros of table 4.2; above the 0.4 of the text, below the 0.6 of the scripts."""
    table = game("truco").setup(hands=[["1e", "2e", "10e"], ["10o", "11o", "12o"]], mao=0)
    for reading, weakest, used, action in (
        ("text", "unknown", 0.5, "contraflor"),
        ("text", "loses", 0.0, "flor"),
        ("scripts", "unknown", 0.5, "flor"),
    ):
        done, (contra, *_) = decided(
            Markov("initial", options=MarkovOptions(reading=reading, weakest=weakest)), table, 0.0
        )
        assert (contra["state"], contra["used"], done) == ("0-0-0", used, action)


def test_option_weakest_applies_only_to_the_initial_matrices():
    with pytest.raises(BadInput, match="unknown weakest 'wins'; known: loses, unknown"):
        Markov("initial", options=MarkovOptions(weakest="wins"))
    with pytest.raises(BadInput, match="weakest=unknown applies to the initial matrices: it needs base=initial"):
        Markov(options=MarkovOptions(weakest="unknown"))


def test_level_of_a_card_is_its_most_frequent_level():
    player = Markov("initial")
    level_counts(player.mind["block"][0])[:, 0] = [0, 0, 5 * UNIT]  # the fours were always high
    table = example()
    for action in ("7o", "4e"):
        table.play(action)
    _, questions = decided(player, table, 0.99)
    assert questions[-1]["against"] == ["ABM", "AMB"]
