"""Limits of agents in a run: seeds, memory and oracles."""

import io
import json

import pytest
from rich.console import Console

import bolicho
from bolicho import BadInput
from bolicho.agents.mirrored_games import deal_seed, luck_of_seats
from bolicho.arena.console import show
from bolicho.arena.experiment import Experiment
from bolicho.arena.pairing import tasks
from bolicho.arena.run import run
from bolicho.arena.seeds import BUILT_IN_SEED, draw_seed, is_drawn, luck
from tests.arena import players
from tests.arena.players import HOME

HAND = {"hands": 1}


def reasons(finished):
    return {forfeit["reason"].partition(" (")[0].partition(": ")[2] for forfeit in finished.result["forfeits"]}


# --- Seeds ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("thief", ["GuessesByLuck", "GuessesByHand"])
def test_given_seed_reveals_the_deals_and_a_drawn_seed_does_not(thief, tmp_path):
    agents = ["random", f"{HOME}:{thief}"]
    given = run(Experiment("truco", agents, HAND, duplicates=4, seed=1), tmp_path / "given")
    assert given.result["num_forfeits"] > 0, "the attack works"
    drawn = run(Experiment("truco", agents, HAND, duplicates=4), tmp_path / "drawn")
    assert drawn.result["num_forfeits"] == 0
    assert "given by hand" in (given.folder / "index.html").read_text()
    assert "given by hand" not in (drawn.folder / "index.html").read_text()


def test_run_with_an_external_agent_draws_a_seed_and_is_repeated_by_its_file(tmp_path):
    asked = Experiment("truco", ["random", f"{HOME}:First"], HAND, duplicates=3)
    assert asked.seed is None
    first, second = run(asked, tmp_path / "first"), run(asked, tmp_path / "second")
    assert is_drawn(first.experiment.seed) and first.experiment.seed != second.experiment.seed
    again = run(Experiment.read(first.folder / "experiment.toml"), tmp_path / "again")
    for name in ("experiment.toml", "games.parquet", "result.json"):
        assert (again.folder / name).read_bytes() == (first.folder / name).read_bytes()
    assert run(asked, first.folder).experiment == first.experiment, "the same command again finds its run"
    with pytest.raises(BadInput, match="made by another experiment"):
        run(Experiment("truco", asked.agents, HAND, duplicates=3, seed=1), first.folder)


def test_runs_of_built_in_agents_have_a_fixed_seed():
    assert Experiment("truco", ["random", "balanced"]).seed == BUILT_IN_SEED == 1
    assert Experiment("truco", ["bolicho.agents.basic.random:Random"]).seed == BUILT_IN_SEED
    assert Experiment("dominoes", ["random", "pimc-search(inner=somebody:solver)"]).seed is None
    assert Experiment("truco", ["random", f"{HOME}:First"], seed=1).seed == 1


def test_deals_and_luck_are_separate_streams_of_a_drawn_seed():
    seed = draw_seed()
    assert len(seed) == len("drawn:") + 128 // 4
    for deal in range(10):
        assert luck_of_seats(luck(seed, deal), 2) != luck_of_seats(deal_seed(seed, deal), 2)
        assert luck(7, deal) == deal_seed(7, deal), "a number gives the same seed for both"
    assert len({luck(seed, deal) for deal in range(100)}) == 100


@pytest.mark.parametrize("seed", ["drawn:12", "drawn:" + "g" * 32, "7", 1.5])
def test_seed_that_is_neither_a_number_nor_drawn_is_refused(seed):
    with pytest.raises(BadInput, match="seed must be a whole number"):
        Experiment("truco", ["random"], seed=seed)


# --- Memory ---------------------------------------------------------------------------------------


def test_object_of_an_agent_plays_only_one_game(tmp_path):
    finished = run(Experiment("truco", ["random", f"{HOME}:PlaysOnce"], HAND, duplicates=3), tmp_path / "run")
    assert finished.result["num_forfeits"] == 0


def test_learner_plays_the_deals_of_a_pairing_in_order_with_one_object_for_each_rotation(tmp_path):
    learner = f"{HOME}:Learns(diary={tmp_path / 'diary'})"
    experiment = Experiment("truco", ["random", learner], {**HAND, "flor": False}, duplicates=9, seed=5)
    finished = run(experiment, tmp_path / "run", jobs=2)
    lines = [json.loads(line) for line in (tmp_path / "diary").read_text().splitlines()]
    by_object = {}
    for name, seat, cards in lines:
        by_object.setdefault((name, seat), []).append(cards)
    hands = {
        seat: [experiment.make_game().deal(deal_seed(5, deal)).view(seat).cards for deal in range(9)] for seat in (0, 1)
    }
    assert len(by_object) == 2, "an object for each rotation"
    for (_, seat), seen in by_object.items():
        assert seen == [cards for cards in hands[seat] if cards in seen] and len(seen) > 4
    standings = {row["agent"]: row for row in finished.result["agents"]}
    assert standings[learner]["learns"] and not standings["random"]["learns"]
    assert "learns" in (finished.folder / "index.html").read_text()


def test_a_pairing_with_a_learner_is_one_task():
    assert [task.deals for task in tasks(2, 300, whole=[1])] == [9] * 33 + [3, 300]


def test_markov_agent_learns_only_with_the_option_learn():
    game = bolicho.game("truco")
    assert bolicho.agents.registry.traits("markov(learn=true)", game).learns
    assert not bolicho.agents.registry.traits("markov", game).learns


# --- Oracles --------------------------------------------------------------------------------------


def test_oracle_flag_is_read_from_the_class_before_the_first_game(tmp_path):
    try:
        sneak = f"{HOME}:BecomesOracle"
        finished = run(Experiment("truco", ["random", sneak], HAND, duplicates=3), tmp_path / "run")
    finally:
        players.BecomesOracle.oracle = False
    assert finished.result["num_forfeits"] == 0
    assert not any(row["oracle"] for row in finished.result["agents"])


def test_an_oracle_is_marked_in_every_table(tmp_path):
    finished = run(Experiment("truco", ["random", f"{HOME}:Oracle"], HAND, duplicates=8, seed=1), tmp_path / "run")
    assert {row["agent"]: row["oracle"] for row in finished.result["agents"]} == {
        "random": False,
        f"{HOME}:Oracle": True,
    }
    page = (finished.folder / "index.html").read_text()
    tables = [table for table in page.split("<table")[1:] if f"{HOME}:Oracle" in table.partition("</table>")[0]]
    assert len(tables) == 7  # standings, cross tables by wins and by payoff, superiority, seats, behaviours, time
    for table in tables:
        (row,) = (row for row in table.split("<tr") if f"<strong>{HOME}:Oracle</strong>" in row)
        assert ">oracle<" in row
    terminal = io.StringIO()
    show(finished, Console(width=140, file=terminal))
    assert f"{HOME}:Oracle oracle" in terminal.getvalue()


# --- Agents that cannot be made -------------------------------------------------------------------


def test_agent_that_cannot_be_made_is_refused_before_the_first_game_without_a_folder(tmp_path):
    for game, spec, says in [
        ("dominoes", "sarsa(artifact=nope)", "unknown artifact 'nope'"),
        ("truco", "markov(base=nope)", "unknown artifact 'nope'"),
        ("truco", "pvcnps(base=nope)", "unknown case base 'nope'"),
        ("wonders", "neural(weights=nope)", "unknown artifact 'nope'"),
        ("wonders", "pimc-search(inner=alphabeta)", "two players"),
    ]:
        with pytest.raises(BadInput, match=says):
            run(Experiment(game, ["random", spec]), tmp_path / "run")
        assert not (tmp_path / "run").exists()


def test_agent_that_cannot_be_made_again_during_a_run_forfeits(tmp_path):
    (tmp_path / "lives").write_text("xxxx")
    agents = ["random", f"{HOME}:BreaksWhenMadeAgain(lives={tmp_path / 'lives'})"]
    finished = run(Experiment("truco", agents, HAND, duplicates=2), tmp_path / "run")
    assert finished.result["num_forfeits"] == 2, "two objects are made for the checks before the run, two for games"
    assert any("cannot be made: OSError: not once more" in row["reason"] for row in finished.result["forfeits"])
