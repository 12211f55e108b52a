"""Tournaments over HTTP: start, watch, stop and resume, also for runs of the command line."""

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
    is_alive,
    processes_in,
    table_of,
)
from tests.web.running import said


@pytest.fixture(scope="module")
def typed(arena):
    """The folder of the command line's run, its facts during play, and the response to a request to stop it."""
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
    """A run that was stopped half-way, and its facts before and after."""
    run = arena.start()
    seen = arena.half_way(run)
    return run, seen, arena.stop(run)


@pytest.fixture(scope="module")
def finished(arena, stopped):
    """The same run, resumed and finished."""
    run, _, _ = stopped
    arena.go_on(run)
    return run, arena.done(run)


def test_command_line_run_is_visible_during_play_and_cannot_be_stopped_over_http(arena, typed):
    _, seen, stop = typed
    assert seen["state"] == "running" and seen["may"] == [] and seen["games"] == GAMES_ASKED
    assert stop.status_code == 409 and said(stop) == "server.arena.no-stopping"
    assert arena.look("by-hand")["state"] == "done"


def test_partial_table_is_shown_during_a_run(stopped):
    _, seen, _ = stopped
    assert seen["state"] == "running" and seen["may"] == ["stop"]
    (pair,) = seen["table"]["pairs"]
    assert (pair["agent"], pair["against"]) == tuple(ASKED["agents"])
    assert 0 < pair["games"] == seen["table"]["games"] < GAMES_ASKED
    assert 0 <= pair["rate"]["low"] <= pair["rate"]["value"] <= pair["rate"]["high"] <= 1
    assert {row["agent"] for row in seen["table"]["agents"]} == set(ASKED["agents"])


def test_finished_games_are_kept_when_a_run_is_stopped(arena, stopped):
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


def test_resumed_run_equals_the_command_line_run_byte_for_byte(arena, typed, finished):
    run, facts = finished
    assert facts["played"] == GAMES_ASKED and facts["may"] == []
    assert table_of(arena.runs / run) == table_of(typed[0])
    assert facts["table"] == json.loads((typed[0] / "result.json").read_text())


def test_repeated_request_for_a_tournament_returns_the_existing_run(arena, finished):
    run, _ = finished
    assert arena.start() == run and arena.look(run)["state"] == "done"
    other = arena.post("runs", {**ASKED, "duplicates": 3, "name": run})
    assert other.status_code == 409 and said(other) == "server.arena.taken"


def test_runs_are_listed_newest_first(arena, typed, finished):
    runs = arena.get("runs").json()["runs"]
    assert {"by-hand", finished[0]} <= {run["run"] for run in runs}
    assert [run["changed"] for run in runs] == sorted((run["changed"] for run in runs), reverse=True)


def test_game_is_shown_at_any_ply_from_any_seat_and_to_spectators(arena, finished):
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


def test_why_explains_the_recorded_decision(arena, finished):
    run, _ = finished
    record = arena.get(f"runs/{run}/games/4/record").json()
    mine = next(ply for ply in range(9) if arena.get(f"runs/{run}/games/4/view", ply=ply).json()["view"]["turn"] == 0)
    told = arena.get(f"runs/{run}/games/4/why", ply=mine).json()
    assert told["agent"] == record["players"][0] and told["action"] == record["actions"][mine] and told["why"]


def test_games_are_filtered_by_agent(arena, finished):
    run, _ = finished
    rows, start = [], 0
    while start is not None:
        told = arena.get(f"runs/{run}/games", agent=["novice", SLOW], start=start).json()
        rows += [game["row"] for game in told["games"]]
        start = told["next"]
    assert rows == list(range(GAMES_ASKED))
    assert arena.get(f"runs/{run}/games", agent=["balanced"]).json() == {"games": [], "next": None}


def test_runs_beyond_the_limit_wait_in_the_queue(arena):
    long = {"duplicates": 10_000, "rules": {}}  # too long to finish in this test
    names = [arena.start(**long, seed=seed, name=f"crowd {seed}") for seed in range(AT_ONCE + 1)]
    for name in names[:AT_ONCE]:
        arena.wait(name, lambda facts: facts["state"] == "running")
    last = arena.look(names[-1])
    assert last["state"] == "queued" and not (arena.runs / names[-1] / "experiment.toml").exists()
    for name in reversed(names):
        arena.stop(name)
    assert arena.look(names[-1])["played"] == 0 and arena.look(names[-1])["may"] == ["go"]


def test_run_that_cannot_be_resumed_reports_the_reason(arena):
    folder = arena.runs / "old"
    folder.mkdir()
    (folder / "experiment.toml").write_text('game = "truco"\nagents = ["random", "novice"]\n')
    arena.go_on("old")
    facts = arena.at_rest("old")
    assert "another version of bolicho" in facts["told"] and facts["may"] == ["go"]


def test_unreadable_run_is_listed_with_the_reason(arena):
    folder = arena.runs / "spoilt"
    folder.mkdir()
    (folder / "experiment.toml").write_text("game = 7\n")
    facts = arena.look("spoilt")
    assert facts["state"] == "unreadable" and "agents is missing" in facts["told"] and facts["may"] == []
    assert facts["run"] in [run["run"] for run in arena.get("runs").json()["runs"]]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are counted in /proc")
def test_killed_server_leaves_no_process_and_a_resumable_run(arena, finished):
    several = min(2, os.cpu_count() or 1)
    run = arena.start(name="killed", processes=several)
    arena.half_way(run)
    theirs = children_of(processes_in(arena.runs / run))
    assert len(theirs) >= (1 if several == 1 else 1 + several)  # the run and its workers, if any
    arena.served.kill()
    end = time.monotonic() + PATIENCE
    while any(is_alive(process) for process in theirs):
        assert time.monotonic() < end, theirs
        time.sleep(0.05)
    arena.served.start()
    left = arena.look(run)
    assert left["state"] == "stopped" and 0 < left["played"] < GAMES_ASKED and left["may"] == ["go"]
    arena.go_on(run)
    arena.done(run)
    assert table_of(arena.runs / run) == table_of(arena.runs / finished[0])
