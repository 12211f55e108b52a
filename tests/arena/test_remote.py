"""Remote bots in the arena: reproducible results, and forfeits of faulty bots only."""

import io
from contextlib import ExitStack

import numpy as np
from rich.console import Console

from bolicho.agents.mirrored_games import deal_seed, luck_of_seats
from bolicho.agents.registry import traits
from bolicho.arena.console import match_lines, show
from bolicho.arena.experiment import Experiment
from bolicho.arena.match import play_match
from bolicho.arena.pairing import Task
from bolicho.arena.run import play_task, run
from bolicho.arena.seeds import is_drawn
from bolicho.games.compiled.chance import stream
from tests.agents.remote.strange import STRANGE, first, listening
from tests.arena.test_run import rows
from tests.web.bots.playing import listening as example

RULES = {"target": 4}


def test_tournament_of_two_bots_is_reproducible(tmp_path):
    with example("bot.mjs") as one, example("bot.py") as other:
        agents = [f"remote(url={one})", f"remote(url={other}, at_once=3)"]
        experiment = Experiment("truco", agents, rules=RULES, duplicates=20, seed=5)
        runs = [run(experiment, tmp_path / str(jobs), jobs=jobs) for jobs in (1, 2)]
    assert all(row["reason"] is None for row in rows(runs[0]))
    assert len({tuple(row["actions"]) for row in rows(runs[0])}) > 30, "the games differ"
    for name in ("result.json", "games.parquet"):
        once, twice = [(each.folder / name).read_bytes() for each in runs]
        assert once == twice


def test_faulty_bots_forfeit_their_games_and_other_games_are_played(tmp_path):
    """Some of the faulty bots of tests/agents/remote, against each other and against correct bots."""
    kinds = ("illegal", "nonsense", "pours", "silent", "drips")
    with ExitStack() as stack:
        good = [stack.enter_context(listening(first)) for _ in range(2)]
        strange = [(stack.enter_context(listening(STRANGE[kind][0])), STRANGE[kind][1]) for kind in kinds]
        bad = {f"remote(seconds=0.3, url={bot.url})": why for bot, why in strange}
        bad["remote(url=http://127.0.0.1:1/)"] = "gave no answer: ConnectionRefusedError"
        agents = ["random", *(f"remote(url={bot.url})" for bot in good), *bad]
        played = run(Experiment("truco", agents, rules=RULES, duplicates=1, seed=5), tmp_path / "run")
    for row in rows(played):
        if set(row["agents"]) & set(bad):
            assert bad[row["agents"][row["forfeit"]]] in row["reason"]
        else:
            assert row["reason"] is None and row["plies"] > 1 and max(row["scores"]) >= RULES["target"]


def test_order_of_questions_to_a_bot_does_not_link_the_rotations_of_a_deal():
    """Orders of deals in both rotations, identified by luck because the seed is known here."""
    deals = {
        f"{int(stream(np.uint64(key), ply)):016x}": deal
        for deal in range(40)
        for key in luck_of_seats(deal_seed(5, deal), 2)
        for ply in range(20)
    }
    asked = []

    def note(line, question, ended):
        asked.append((question["seat"], deals[question["luck"]]))
        first(line, question, ended)

    with listening(note) as bot:
        agents = [f"remote(url={bot.url}, at_once=1)", "random"]
        experiment = Experiment("truco", agents, rules={"hands": 1}, duplicates=40, seed=5)
        play_task(experiment, Task(0, 0, 40), [traits(spec, experiment.make_game()) for spec in agents])
    seats = [seat for seat, _ in asked]
    assert seats == sorted(seats), "all of one rotation, then all of the other"
    orders = [list(dict.fromkeys(deal for where, deal in asked if where == seat)) for seat in (0, 1)]
    assert all(len(order) > 20 and order != sorted(order) for order in orders)
    assert sum(one == other for one, other in zip(*orders, strict=False)) < 10


def test_results_with_a_bot_state_that_its_server_may_remember_games(tmp_path):
    with listening(first) as bot:
        agents = ["random", f"remote(url={bot.url})"]
        finished = run(Experiment("truco", agents, rules={"hands": 1}, duplicates=2), tmp_path / "run")
        answer = play_match(Experiment("truco", agents, rules={"hands": 1}, duplicates=2))
    shown = io.StringIO()
    show(finished, Console(width=400, file=shown))
    for text in ((finished.folder / "index.html").read_text(), shown.getvalue(), "\n".join(match_lines(answer))):
        assert "what its server remembers of one may help it in another" in text
    alone = play_match(Experiment("truco", ["random", "novice"], rules={"hands": 1}, duplicates=2))
    assert not any("remembers" in line for line in match_lines(alone))


def test_a_run_with_a_bot_draws_its_seed(tmp_path):
    """Drawn seed, because a bot that receives its luck could guess the deals of a given one."""
    with listening(first) as bot:
        experiment = Experiment("truco", ["random", f"remote(url={bot.url})"], rules=RULES, duplicates=1)
        assert experiment.seed is None
        assert is_drawn(run(experiment, tmp_path / "run").experiment.seed)
