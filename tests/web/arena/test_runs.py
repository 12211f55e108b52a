"""Tournaments over HTTP: started, watched, stopped and gone on with; what the command line plays is there too."""

import json
import os
import time
from pathlib import Path

import pytest

from bolicho.arena.rows import row_record
from bolicho.games.record import replay
from bolicho.web.arena.jobs import AT_ONCE
from tests.web.arena.lab import (
    ASKED,
    GAMES_ASKED,
    PATIENCE,
    SLOW,
    by_hand,
    children_of,
    is_there,
    processes_in,
    table_of,
)
from tests.web.running import said


@pytest.fixture(scope="module")
def typed(arena):
    """The folder of the tournament as the command line plays it, looked at on the page while it is played."""
    folder = arena.runs / "by-hand"
    process = by_hand(folder, wait=False)
    while not (folder / "experiment.toml").exists():
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.02)
    seen = arena.half_way("by-hand")
    stop = arena.post("runs/by-hand/stop")
    assert process.wait(PATIENCE) == 0
    process.stderr.close()
    return folder, seen, stop


@pytest.fixture(scope="module")
def stopped(arena):
    """A run that was stopped half-way, and what was seen of it."""
    run = arena.start()
    seen = arena.half_way(run)
    return run, seen, arena.stop(run)


@pytest.fixture(scope="module")
def finished(arena, stopped):
    """The same run, gone on with to its end."""
    run, _, _ = stopped
    arena.go_on(run)
    return run, arena.done(run)


def test_a_run_of_the_command_line_is_seen_while_it_is_played_and_is_nobodys_to_stop(arena, typed):
    _, seen, stop = typed
    assert seen["state"] == "running" and seen["may"] == [] and seen["games"] == GAMES_ASKED
    assert stop.status_code == 409 and said(stop) == "server.arena.no-stopping"
    assert arena.look("by-hand")["state"] == "done"


def test_a_table_is_shown_while_it_fills(stopped):
    _, seen, _ = stopped
    assert seen["state"] == "running" and seen["may"] == ["stop"]
    (pair,) = seen["table"]["pairs"]
    assert (pair["agent"], pair["against"]) == tuple(ASKED["agents"])
    assert 0 < pair["games"] == seen["table"]["games"] < GAMES_ASKED
    assert 0 <= pair["rate"]["low"] <= pair["rate"]["value"] <= pair["rate"]["high"] <= 1
    assert {row["agent"] for row in seen["table"]["agents"]} == set(ASKED["agents"])


def test_what_was_finished_is_kept_when_it_is_stopped(arena, stopped):
    run, seen, left = stopped
    assert seen["played"] <= left["played"] < GAMES_ASKED
    assert left["may"] == ["go"] and left["told"] is None
    again = arena.post(f"runs/{run}/stop")
    assert again.status_code == 409


def test_games_of_an_unfinished_run_can_be_opened(arena, stopped):
    run, _, left = stopped
    listed = arena.get(f"runs/{run}/games").json()
    assert len(listed["games"]) == min(50, left["played"])
    first = listed["games"][0]["row"]
    assert arena.get(f"runs/{run}/games/{first}/view", ply=0).json()["view"]["ply"] == 0


def test_stopped_and_gone_on_with_it_is_byte_for_byte_what_the_command_line_makes(arena, typed, finished):
    run, facts = finished
    assert facts["played"] == GAMES_ASKED and facts["may"] == []
    assert table_of(arena.runs / run) == table_of(typed[0])
    assert facts["table"] == json.loads((typed[0] / "result.json").read_text())


def test_the_same_tournament_asked_for_again_is_the_one_thatis_there(arena, finished):
    run, _ = finished
    assert arena.start() == run and arena.look(run)["state"] == "done"
    other = arena.post("runs", {**ASKED, "duplicates": 3, "name": run})
    assert other.status_code == 409 and said(other) == "server.arena.taken"


def test_all_runs_are_listed_the_newest_first(arena, typed, finished):
    runs = arena.get("runs").json()["runs"]
    assert {"by-hand", finished[0]} <= {run["run"] for run in runs}
    assert [run["changed"] for run in runs] == sorted((run["changed"] for run in runs), reverse=True)


def test_a_row_opens_at_any_ply_through_any_eyes(arena, finished):
    run, _ = finished
    row = 7
    record = row_record(arena.runs / run, row)
    table = replay(record)
    facts = arena.get(f"runs/{run}/games/{row}").json()
    assert facts["state"] == "over" and facts["ply"] == table.ply
    assert [player["agent"] for player in facts["players"]] == record["players"]
    for ply in (0, table.ply // 2, table.ply):
        for seat in (0, 1, None):
            asked = {"ply": ply} if seat is None else {"ply": ply, "seat": seat}
            told = arena.get(f"runs/{run}/games/{row}/view", **asked).json()
            at = table.back(ply)
            view = at.public_view() if seat is None else at.view(seat)
            assert told["view"] == json.loads(json.dumps(view.data()))
    assert arena.get(f"runs/{run}/games/{row}/record").json() == record
    assert said(arena.get(f"runs/{run}/games/{row}/view", ply=table.ply + 1)) == "server.no-ply"
    assert said(arena.get(f"runs/{run}/games/{GAMES_ASKED}")) == "server.arena.no-game"


def test_why_tells_of_the_decision_that_was_made(arena, finished):
    run, _ = finished
    record = arena.get(f"runs/{run}/games/4/record").json()
    mine = next(ply for ply in range(9) if arena.get(f"runs/{run}/games/4/view", ply=ply).json()["view"]["turn"] == 0)
    told = arena.get(f"runs/{run}/games/4/why", ply=mine).json()
    assert told["agent"] == record["players"][0] and told["action"] == record["actions"][mine] and told["why"]


def test_games_are_listed_by_who_played(arena, finished):
    run, _ = finished
    rows, start = [], 0
    while start is not None:
        told = arena.get(f"runs/{run}/games", agent=["novice", SLOW], start=start).json()
        rows += [game["row"] for game in told["games"]]
        start = told["next"]
    assert rows == list(range(GAMES_ASKED))
    assert arena.get(f"runs/{run}/games", agent=["balanced"]).json() == {"games": [], "next": None}


def test_no_more_than_some_are_played_at_once(arena):
    long = {"duplicates": 10_000, "rules": {}}  # nobody waits for their end
    names = [arena.start(**long, seed=seed, name=f"crowd {seed}") for seed in range(AT_ONCE + 1)]
    for name in names[:AT_ONCE]:
        arena.wait(name, lambda facts: facts["state"] == "running")
    last = arena.look(names[-1])
    assert last["state"] == "queued" and not (arena.runs / names[-1] / "experiment.toml").exists()
    for name in reversed(names):
        arena.stop(name)
    assert arena.look(names[-1])["played"] == 0 and arena.look(names[-1])["may"] == ["go"]


def test_a_run_that_cannot_go_on_says_why(arena):
    folder = arena.runs / "old"
    folder.mkdir()
    (folder / "experiment.toml").write_text('game = "truco"\nagents = ["random", "novice"]\n')
    arena.go_on("old")
    facts = arena.at_rest("old")
    assert "another version of bolicho" in facts["told"] and facts["may"] == ["go"]


def test_a_run_that_cannot_be_read_is_listed_with_the_reason(arena):
    folder = arena.runs / "spoilt"
    folder.mkdir()
    (folder / "experiment.toml").write_text("game = 7\n")
    facts = arena.look("spoilt")
    assert facts["state"] == "unreadable" and "agents is missing" in facts["told"] and facts["may"] == []
    assert facts["run"] in [run["run"] for run in arena.get("runs").json()["runs"]]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are counted in /proc")
def test_a_server_that_is_killed_leaves_no_process_and_a_run_to_go_on_with(arena, finished):
    several = min(2, os.cpu_count() or 1)
    run = arena.start(name="killed", processes=several)
    arena.half_way(run)
    theirs = children_of(processes_in(arena.runs / run))
    assert len(theirs) >= (1 if several == 1 else 1 + several)  # the run, and its workers where there are any
    arena.served.kill()
    end = time.monotonic() + PATIENCE
    while any(is_there(process) for process in theirs):
        assert time.monotonic() < end, theirs
        time.sleep(0.05)
    arena.served.start()
    left = arena.look(run)
    assert left["state"] == "stopped" and 0 < left["played"] < GAMES_ASKED and left["may"] == ["go"]
    arena.go_on(run)
    arena.done(run)
    assert table_of(arena.runs / run) == table_of(arena.runs / finished[0])
