"""Cost of every decision of a match, compared with a strategy that reports its mixture."""

import json
from dataclasses import replace
from itertools import combinations

import pytest

import bolicho
from bolicho.agents.cfr.analyse import Analysis, Judge, JudgedDecision, analyse, choices_of, hand_of, judge_for, mistake
from bolicho.agents.cfr.truco.response import worlds_beside
from bolicho.agents.play import play
from bolicho.agents.registry import agent
from bolicho.errors import BadInput
from bolicho.games.record import replay
from bolicho.games.truco.rules import CARDS, STRENGTH_CLASSES
from bolicho.i18n import LANGUAGES, catalogue

HAND = bolicho.game("truco", hands=1)
STRENGTH = {card: number for number, cards in enumerate(STRENGTH_CLASSES) for card in cards}


def played(*actions, hands=(("1e", "7o", "4p"), ("7c", "2e", "4c")), mao=0, scores=(0, 0), **rules):
    setup = {"mao": mao, "hands": [list(cards) for cards in hands], "scores": list(scores)}
    return replay({"game": "truco", "rules": {"hands": 1, **rules}, "setup": setup, "actions": list(actions)})


# --- Against plain Python -------------------------------------------------------------------------


def seen(table, seat):
    """Return the events of a hand that a seat saw."""
    return table.view(seat).history


def chances(table, judge):
    return dict(zip(map(str, table.legal), judge.mixture(table.view()), strict=True))


def chance_of(table, judge, action):
    """Return the probability of `action` by the strategy, with cards of equal strength equally likely."""
    mixed = chances(table, judge)
    if action not in STRENGTH:
        return mixed.get(action, 0)
    alike = [card for card in mixed if card in STRENGTH and STRENGTH[card] == STRENGTH[action]]
    return sum(mixed[card] for card in alike) / len(alike) if action in alike else 0


def expected(table, judge, seat):
    """Return the expected payoff of a seat from a full state when both seats play by the strategy."""
    if table.over:
        return table.payoffs[seat]
    total = 0
    for action, chance in chances(table, judge).items():
        if chance:
            after = table.copy()
            after.play(action)
            total += chance * expected(after, judge, seat)
    return total


def lines_like(table, record, judge, seat):
    """Return every line of play with these cards that looks the same to a seat, with its probability."""
    lines = [(table, 1.0)]
    for ply, action in enumerate(record.actions):
        after, told = [], seen(record.back(ply + 1), seat)
        for line, chance in lines:
            for choice in line.legal:
                if line.turn == seat and choice != action:
                    continue
                share = 1.0 if line.turn == seat else chance_of(line, judge, choice)
                then = line.copy()
                then.play(choice)
                if share and not then.over and seen(then, seat) == told:
                    after.append((then, chance * share))
        lines = after
    return lines


def by_hand(record, judge):
    """Return the value of each legal action at the end of a record, by enumeration of the opponent's hands."""
    seat = record.turn
    own, other = record.view(seat).dealt, 1 - seat
    shown = {card for card in record.view(seat).played(other) if card in STRENGTH}
    worlds = []
    for held in combinations([card for card in CARDS if card not in own], 3):
        if not shown <= set(held):
            continue
        dealt = [list(own), list(held)] if seat == 0 else [list(held), list(own)]
        state = record.state
        before = (state["scores"] - state["hand_points"] - state["bet_points"]).tolist()
        table = record.game.setup(mao=int(state["mao"]), hands=dealt, scores=before)
        if seen(table, seat) == seen(record.back(0), seat):
            worlds += lines_like(table, record, judge, seat)
    mass = sum(weight for _, weight in worlds)
    values = {}
    for action in map(str, record.legal):
        values[action] = 0
        for table, weight in worlds:
            after = table.copy()
            after.play(action)
            values[action] += weight / mass * expected(after, judge, seat)
    return values


RAISED = ("truco", "retruco", "vale4", "quero")


@pytest.mark.parametrize(
    ("by", "record"),
    [
        ("balanced", played("7o", "2e", "4p", "7c")),
        ("novice", played("7o", "2e", "4p", "7c")),
        ("novice", played("envido", "quero", "4p", "2e", "6e", hands=(("1e", "7e", "4p"), ("2e", "6e", "5p")))),
        ("novice", played("4p", "2e", "truco", "quero", "4c", scores=(10, 22))),
        ("random", played(*RAISED, "2e", "4c", "2c", "3p", hands=(("2e", "2c", "6o"), ("4c", "3p", "5p")))),
        ("random", played(*RAISED, "12e", "10o", "virada 4p", "4c", hands=(("12e", "4p", "5o"), ("10o", "4c", "11p")))),
    ],
    ids=["sure", "drawn", "points shown", "other scores", "two of one strength", "face down"],
)
def test_values_match_enumeration_of_every_hidden_hand(record, by):
    found = Judge(HAND, by, least=0).decision(record, [a.number for a in record.actions], record.legal[0].number)
    assert found.unexplained == 0
    assert found.values == pytest.approx(by_hand(record, agent(by, HAND)), abs=1e-6)


def test_values_from_a_view_equal_values_from_the_table():
    """Values from the view and its log alone, with a card that lies face down."""
    record = played("12e", "10o", "virada 4p", "4c", hands=(("12e", "4p", "5o"), ("10o", "4c", "11p")))
    judge = Judge(HAND, "novice")
    again, path = replay({**record.record(), "actions": []}), []
    for action in record.actions:
        told = judge.decision(again, path, action.number).values
        assert judge.of_view(again.view()) == pytest.approx(told, abs=1e-9)
        path.append(action.number)
        again.play(action)


def test_worlds_contain_every_hand_the_opponent_may_hold():
    first, shares = worlds_beside(own=0b111, shown=0)
    assert len(first) == len(shares) > 1000 and shares.sum() == pytest.approx(1)
    assert not any(cards & 0b111 for cards in first)
    first, shares = worlds_beside(own=0b111, shown=0b11000)
    assert len(first) <= 35 and all(cards & 0b11000 == 0b11000 for cards in first)


# --- Texts and JSON of an analysis ----------------------------------------------------------------


def refused_with_the_best_card():
    """Return a record in which seat 0 has won the first round, holds the ace of espadas, and refuses truco."""
    return played("2e", "7o", "4p", "7c", "truco", "nao", mao=1)


def test_refusing_truco_with_the_highest_card_is_the_biggest_mistake():
    found = analyse(refused_with_the_best_card(), "balanced")
    worst = found.biggest[0]
    assert (worst.seat, worst.chosen, worst.cards, worst.asked) == (0, "nao", ("1e",), "truco")
    assert worst.values["nao"] == pytest.approx(-1) and worst.values["quero"] >= 2 - 1e-9
    assert worst.cost >= 3 - 1e-9


@pytest.mark.parametrize(
    ("language", "said"), [("en", "refused truco"), ("pt", "recusou truco"), ("es", "rechazó truco")]
)
def test_biggest_mistakes_are_described_in_every_language(language, said):
    found = analyse(refused_with_the_best_card(), "balanced")
    lines = [catalogue(language).say(line, ["Ana", "Rui"]) for line in found.told()]
    assert len(found.biggest) == 3 and f"Ana {said}" in lines[-3] and lines[-3].startswith("1. ")
    assert len(lines) == 1 + len(found.decisions) + 2 + 1 + 3


def test_every_kind_of_mistake_has_a_message():
    one = analyse(refused_with_the_best_card(), "balanced").biggest[0]
    told = set()
    for chosen in ("nao", "quero", "retruco", "baralho", "1e", "virada 1e"):
        values = {**one.values, chosen: one.values.get(chosen, 0)}
        said = mistake(replace(one, chosen=chosen, values=values), "balanced", 1)
        told |= {said.key} | {catalogue(language).say(said) for language in LANGUAGES} - {""}
    assert {key for key in told if key.startswith("analyse.")} == {
        f"analyse.mistake.{what}" for what in ("nao", "quero", "call", "baralho", "card")
    }


def test_decisions_by_the_strategy_cost_nothing_on_average():
    """Mean cost of each decision, weighted by its mixture."""
    match = play(HAND, [agent("balanced"), agent("balanced")], seed=5).table
    found = analyse(match, "balanced")
    assert {one.seat for one in found.decisions} == {0, 1} and len(found.decisions) == match.ply == choices_of(match)
    for one in found.decisions:
        costs = [replace(one, chosen=action).cost for action in one.values]
        assert sum(share * cost for share, cost in zip(one.mixture.values(), costs, strict=True)) == pytest.approx(0)
        assert one.mixture[one.chosen] > 0 and one.unexplained == 0


def test_action_better_than_the_strategy_is_reported_as_such():
    found = analyse(played("2e", "7o", "4p", "7c", "truco", mao=1), "balanced")
    bluff = found.decisions[-1]
    assert bluff.cost < -0.5 and bluff not in found.biggest
    assert any("better than the strategy" in catalogue("en").say(line) for line in found.told())


def test_unexplained_action_gives_no_information_and_is_reported():
    """Opening with falta envido, which the cautious style never does: every hand remains possible."""
    record = played("falta", "nao", "7o")
    found = analyse(record, "cautious")
    assert [one.unexplained for one in found.decisions] == [0, 1, 0]
    every = worlds_beside(bits(["7c", "2e", "4c"]), 0)[0]
    assert found.decisions[1].worlds == sum(not is_flor(cards) for cards in every)  # a flor would have been announced
    assert sum("cautious never takes" in catalogue("en").say(line) for line in found.told()) == 1


def bits(cards):
    return sum(1 << CARDS.index(card) for card in cards)


def is_flor(held):
    return len({card[-1] for number, card in enumerate(CARDS) if held >> number & 1}) == 1


def test_a_hand_of_a_match_is_judged_with_its_own_scores_and_cards():
    match = play(bolicho.game("truco", target=12), [agent("balanced"), agent("novice")], seed=3).table
    decisions = analyse(match, "balanced", seat=1).decisions
    assert {one.seat for one in decisions} == {1}
    one = next(one for one in decisions if one.hand == 2)
    s = match.back(one.ply).state
    before = (s["scores"] - s["hand_points"] - s["bet_points"]).tolist()
    cards = [[CARDS[card] for card in s["dealt"][seat]] for seat in range(2)]
    first = min(entry for entry in range(match.ply) if match.back(entry).state["hand_number"] == 1)
    alone = played(*match.actions[first : one.ply + 1], hands=cards, mao=int(s["mao"]), scores=before, target=12)
    again = analyse(alone, "balanced").decisions[-1]
    assert (again.values, again.mixture) == (one.values, one.mixture)


@pytest.mark.parametrize("unseen", ["4c", "4o", "6o", "1p"])
def test_analysis_for_a_seat_does_not_depend_on_unseen_cards(unseen):
    """Hands of seat 1 that differ only in the card it still holds when its truco is refused."""
    record = played("2e", "7o", "4p", "7c", "truco", "nao", mao=1, hands=(("1e", "7o", "4p"), ("7c", "2e", unseen)))
    assert analyse(record, "balanced", 0).decisions == analyse(refused_with_the_best_card(), "balanced", 0).decisions


def test_decisions_can_be_read_back_from_json():
    found = analyse(refused_with_the_best_card(), "balanced").decisions
    assert [JudgedDecision.read(json.loads(json.dumps(one.as_json()))) for one in found] == list(found)


def test_bars_mark_the_chosen_action_and_show_the_best_first():
    one = analyse(refused_with_the_best_card(), "balanced", 0).biggest[0]
    shown = {bar["says"][0]: bar for bar in one.bars()}
    assert [name for name, bar in shown.items() if bar["chosen"]] == ["truco.action.nao"]
    assert next(iter(shown)) == "truco.action.retruco" and shown["truco.action.retruco"]["value"] == 1


def test_judging_hands_separately_equals_judging_the_whole_match():
    match = play(bolicho.game("truco", target=6, flor=False), [agent("balanced"), agent("novice")], seed=4).table
    judge = Judge(hand_of(match.game), judge_for(hand_of(match.game)))
    assert judge.by == "balanced"  # no artifact was trained without flor
    hands = range(1, int(match.state["hand_number"]) + 2)
    assert [one for hand in hands for one in judge.decisions(match, 1, hand)] == list(judge.decisions(match, 1))
    assert len(hands) > 1


def test_cfr_is_the_default_judge_for_rules_it_was_trained_on():
    assert judge_for(HAND) == "cfr" == judge_for(hand_of(bolicho.game("truco")))
    assert judge_for(hand_of(bolicho.game("truco", flor=False))) == "balanced"


def test_json_contains_the_whole_analysis():
    facts = analyse(refused_with_the_best_card(), "balanced", seat=0).as_json()
    assert facts["by"] == "balanced" and facts["unit"] == "points of the hand"
    assert [one["seat"] for one in facts["decisions"]] == [0, 0, 0] and facts["biggest"][0] == 5
    one = facts["decisions"][-1]
    assert one["cost"] == pytest.approx(one["value"] - one["values"]["nao"]) and one["best"] in one["values"]
    [seat] = facts["seats"]
    assert seat["cost"] == pytest.approx(sum(one["cost"] for one in facts["decisions"]))


@pytest.mark.parametrize(
    ("table", "by", "seat", "why"),
    [
        (bolicho.game("dominoes").deal(1), "random", None, "analyse supports matches of truco"),
        (HAND.deal(1), "mcts", None, "does not report its mixture"),
        (HAND.deal(1), "nobody", None, "nobody"),
        (
            bolicho.game("truco", flor=False).deal(1),
            "cfr",
            None,
            r"was made for the default rules, and this game has flor=False; .* \(`--by balanced`\)",
        ),
        (HAND.deal(1), "balanced", 2, "seat"),
    ],
)
def test_unsupported_games_agents_and_seats_are_refused(table, by, seat, why):
    table.play(table.legal[0])
    with pytest.raises(BadInput, match=why):
        analyse(table, by, seat)


def test_a_record_without_decisions_has_no_mistakes():
    found = analyse(HAND.deal(1), "balanced")
    assert isinstance(found, Analysis) and found.biggest == [] and found.seats() == []
    assert [line.key for line in found.told()] == ["analyse.none"]
