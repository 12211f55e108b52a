"""Bots at addresses in the arena: the same table twice, and who is bad loses its own games alone."""

from contextlib import ExitStack

from bolicho.arena.experiment import Experiment
from bolicho.arena.run import run
from bolicho.arena.seeds import is_drawn
from tests.agents.remote.strange import STRANGE, first, listening
from tests.arena.test_run import rows
from tests.web.bots.playing import listening as example

RULES = {"target": 4}


def test_two_bots_give_the_same_table_twice(tmp_path):
    with example("bot.mjs") as one, example("bot.py") as other:
        agents = [f"remote(url={one})", f"remote(url={other}, at_once=3)"]
        experiment = Experiment("truco", agents, rules=RULES, duplicates=20, seed=5)
        runs = [run(experiment, tmp_path / str(jobs), jobs=jobs) for jobs in (1, 2)]
    assert all(row["reason"] is None for row in rows(runs[0]))
    assert len({tuple(row["actions"]) for row in rows(runs[0])}) > 30, "they play, and not always the same"
    for name in ("result.json", "games.parquet"):
        once, twice = [(each.folder / name).read_bytes() for each in runs]
        assert once == twice


def test_bad_bots_lose_their_games_and_the_others_are_played(tmp_path):
    """All kinds of them are in tests/agents/remote; here some of them meet each other, and bots that are in order."""
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


def test_a_run_with_a_bot_draws_its_seed(tmp_path):
    """Who is sent its luck could otherwise guess the deals."""
    with listening(first) as bot:
        experiment = Experiment("truco", ["random", f"remote(url={bot.url})"], rules=RULES, duplicates=1)
        assert experiment.seed is None
        assert is_drawn(run(experiment, tmp_path / "run").experiment.seed)
