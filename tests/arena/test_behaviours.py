"""Behaviours: counts declared by each game, counted again in plain Python, and shown in reports."""

from collections import Counter
from itertools import combinations

import duckdb
import pytest

import bolicho
from bolicho.arena.experiment import Experiment
from bolicho.arena.run import row_record, run
from bolicho.games import BUILT_IN
from bolicho.games.truco.compiled.behaviours import FEW, WEAK
from bolicho.games.truco.rules import CARDS, STRENGTH_CLASSES

RAISES, BETS = {"truco", "retruco", "vale4"}, {"envido", "real", "falta"}
STRENGTH = {card: strength for strength, cards in enumerate(STRENGTH_CLASSES, 1) for card in cards}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """Function that returns the run of a game, played at the first call."""
    made = {}

    def of(game, agents):
        if game not in made:
            experiment = Experiment(game, agents, duplicates=1 if game == "wonders" else 2)
            made[game] = run(experiment, tmp_path_factory.mktemp("runs") / game)
        return made[game]

    return of


def counts_of(finished):
    """Return the counts of a result: (agent, behaviour) to times and chances."""
    return {
        (agent, behaviour["name"]): (did["times"], did["chances"])
        for behaviour in finished.result["behaviours"]
        for agent, did in behaviour["agents"].items()
        if did["chances"]
    }


def positions(finished):
    """Yield every decision of a run: the tables before and after it, the agents, and the action."""
    for row in range(finished.experiment.num_games):
        record = row_record(finished.folder, row)
        before = bolicho.game(record["game"], **record.get("rules", {})).deal(record["seed"])
        for action in record["actions"]:
            after = before.copy()
            after.play(action)
            yield before, after, record["players"], action
            before = after


def happened(before, after):
    """Return the events of the last action, forced moves included."""
    rows = after.noted[-1, before.noted.shape[1] :]
    return [after.game.kind.entry(row) for row in rows]


class Tally:
    def __init__(self):
        self.times, self.chances = Counter(), Counter()

    def __call__(self, agent, behaviour, whether):
        self.times[agent, behaviour] += bool(whether)
        self.chances[agent, behaviour] += 1

    def found(self):
        return {key: (self.times[key], chances) for key, chances in self.chances.items()}


def holds_nothing(view):
    """Return whether a truco call is a bluff here, by the definition of the glossary."""
    won = [entry["winner"] for entry in hand_of(view) if entry["event"] == "round"]
    cards = [*view.cards, *view.played(view.seat)[view.round - 1 :]]
    return view.seat not in won and all(STRENGTH.get(card, 0) <= WEAK for card in cards)


def hand_of(view):
    entries = view.history
    dealt = max(number for number, entry in enumerate(entries) if entry["event"] == "dealt")
    return entries[dealt:]


def test_counts_of_truco_match_the_glossary(finished):
    styles, tally = finished("truco", ["bluffer", "random"]), Tally()
    for before, _, players, action in positions(styles):
        view, agent = before.view(), players[before.turn]
        legal = set(map(str, view.legal))
        if legal & RAISES:
            tally(agent, "calls truco", action in RAISES)
        if legal & BETS:
            tally(agent, "calls envido", action in BETS)
        if action in RAISES:
            tally(agent, "bluffs at truco", holds_nothing(view))
        if action in BETS:
            tally(agent, "bluffs at envido", view.envido <= FEW)
        if "baralho" in legal:
            tally(agent, "goes to the deck", action == "baralho")
        pending = view.data()["table"]["pending"]
        if pending and pending["call"] in RAISES and action not in BETS:
            tally(agent, "accepts truco", action != "nao")
        elif pending and pending["call"] in BETS:
            tally(agent, "accepts envido", action != "nao")
        elif pending:
            tally(agent, "raises a flor", action in ("contraflor", "resto"))
        if any(choice.startswith("virada") for choice in legal) and action.removeprefix("virada ") in CARDS:
            tally(agent, "plays face down", action.startswith("virada"))
    assert counts_of(styles) == tally.found()
    assert counts_of(styles)["random", "bluffs at truco"][0] > 0


def test_thresholds_of_bluffs_are_half_of_the_deck_and_half_of_the_hands():
    beaten = {strength: sum(other < strength for other in STRENGTH.values()) for strength in STRENGTH.values()}
    assert beaten[WEAK] < 20 < beaten[WEAK + 1]
    game = bolicho.game("truco")
    points = Counter()
    for hand in combinations(CARDS, 3):
        if len({card[-1] for card in hand}) > 1:
            points[_envido(hand)] += 1
    assert _envido(("1e", "7e", "3o")) == 28 and game.seats == 2
    share = sum(count for value, count in points.items() if value <= FEW) / points.total()
    assert 0.5 < share < 0.51 > sum(count for value, count in points.items() if value < FEW) / points.total()


def _envido(hand):
    values = {card: int(card[:-1]) if int(card[:-1]) < 10 else 0 for card in hand}
    pairs = [20 + values[a] + values[b] for a, b in combinations(hand, 2) if a[-1] == b[-1]]
    return max([*pairs, *values.values()])


@pytest.mark.parametrize("game", ["dominoes", "fives"])
def test_counts_of_dominoes_match_the_plays(game, finished):
    played, tally = finished(game, ["random", "sarsa"]), Tally()
    for before, after, players, action in positions(played):
        agent, view = players[before.turn], before.view()
        what = happened(before, after)
        drew = {players[entry["seat"]] for entry in what if entry["event"] == "drew"}
        for one in drew:
            tally.times[one, "draws"] += 1
        for entry in what:
            if entry["event"] in ("chose", "passed"):
                one = players[entry["seat"]]
                tally(one, "passes", entry["event"] == "passed")
                tally.chances[one, "draws"] += 1
        tiles = {choice: [int(half) for half in choice.split()[0].split("-")] for choice in map(str, view.legal)}
        weights = {choice: sum(tile) for choice, tile in tiles.items()}
        if len(set(weights.values())) > 1:
            tally(agent, "plays its heaviest tile", weights[action] == max(weights.values()))
        doubles = {choice: tile[0] == tile[1] for choice, tile in tiles.items()}
        if len(set(doubles.values())) > 1:
            tally(agent, "plays a double", doubles[action])
        if game == "fives":
            tally(agent, "scores by the ends", any(entry["event"] == "points" for entry in what))
    assert counts_of(played) == tally.found()


def test_counts_of_wonders_match_the_actions(finished):
    played, tally = finished("wonders", ["random", "rules"]), Tally()
    for before, after, players, action in positions(played):
        kind = action.split()[0]
        if kind != "revive":
            tally(players[before.turn], "sells a card", kind == "sell")
            if any(choice.startswith("wonder ") for choice in before.legal):
                tally(players[before.turn], "builds a stage", kind == "wonder")
        for entry in happened(before, after):
            if entry["event"] == "war":
                for side in ("left", "right"):
                    tally(players[entry["seat"]], "wins a conflict", entry[side] > 0)
    found = counts_of(played)
    assert {key: found[key] for key in tally.found()} == tally.found()
    assert {name for _, name in found} >= {"goes to war", "builds science", "buys from neighbours"}


def test_every_built_in_game_declares_behaviours():
    for name in BUILT_IN:
        assert bolicho.game(name).kind.behaviours, name


def test_counts_of_a_run_are_the_sums_of_its_rows(finished):
    styles = finished("truco", ["bluffer", "random"])
    names = [name for name, _ in styles.experiment.make_game().kind.behaviours]
    rows = duckdb.sql(f"SELECT agents, did FROM '{styles.folder / 'games.parquet'}'").fetchall()
    for (agent, name), found in counts_of(styles).items():
        number = names.index(name)
        did = [did[agents.index(agent)][number] for agents, did in rows]
        assert found == (sum(times for times, _ in did), sum(chances for _, chances in did))


def test_report_contains_the_behaviours(finished):
    page = (finished("truco", ["bluffer", "random"]).folder / "index.html").read_text()
    assert "What they do" in page and "bluffs at truco" in page and "that beats half of the deck" in page
