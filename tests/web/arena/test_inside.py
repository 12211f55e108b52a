"""A server inside this process: one that everybody may look at, and one that ends while it plays."""

import time

import pytest
from starlette.testclient import TestClient

from bolicho.arena.experiment import Experiment
from bolicho.arena.run import run as play
from bolicho.store.database import open_database
from bolicho.store.tokens import new_token
from bolicho.web.app import make_app
from bolicho.web.arena.runs import Runs
from bolicho.web.house import Settings
from bolicho.web.thinking import Roster
from tests.web.arena.lab import ASKED, PATIENCE, is_there, processes_in


@pytest.fixture
def opened(tmp_path):
    """The app of a server, and the header of a researcher."""

    def make(**settings):
        address = str(tmp_path / "matches.db")
        engine = open_database(address)
        with engine.begin() as connection:
            token = new_token(connection, "lab", ["research"])
        settings = Settings(address, games=("truco",), runs=str(tmp_path / "runs"), reports=str(tmp_path), **settings)
        return make_app(settings, Roster(["truco"]), engine), {"authorization": f"Bearer {token}"}

    return make


def test_where_the_server_says_so_everybody_looks_and_nobody_starts(opened, tmp_path):
    play(Experiment("truco", ["random", "novice"], {"hands": 1}, duplicates=4), tmp_path / "runs" / "short", 1)
    app, _ = opened(show_runs=True)
    with TestClient(app) as client:
        assert client.get("/api/arena").json()["open"] is True
        facts = client.get("/api/arena/runs/short").json()
        assert facts["state"] == "done" and facts["may"] == []
        assert client.get(facts["files"]["index.html"]).status_code == 200
        assert client.get("/api/arena/runs/short/games/0/view?ply=1").status_code == 200
        assert client.get("/api/arena/reports").status_code == 200
        assert client.get("/api/arena/runs/short/games/0/why?ply=0").status_code == 401
        assert client.post("/api/arena/runs", json=ASKED).status_code == 401
        assert client.post("/api/arena/runs/short/stop").status_code == 401
        wrong = {"authorization": "Bearer " + "x" * 32}
        assert client.get("/api/arena/runs", headers=wrong).status_code == 401  # who shows a token is held to it


def test_a_server_that_ends_stops_what_it_plays(opened, tmp_path):
    app, header = opened()
    with TestClient(app) as client:
        run = client.post("/api/arena/runs", json={**ASKED, "duplicates": 5000}, headers=header).json()["run"]
        end = time.monotonic() + PATIENCE
        while not client.get(f"/api/arena/runs/{run}", headers=header).json()["played"]:
            assert time.monotonic() < end
            time.sleep(0.05)
        theirs = processes_in(tmp_path / "runs" / run)
        assert theirs
    assert not any(map(is_there, theirs))
    with TestClient(app) as client:  # opened again, nothing starts by itself
        facts = client.get(f"/api/arena/runs/{run}", headers=header).json()
    assert facts["state"] == "stopped" and facts["played"] and facts["may"] == ["go"]


def test_of_several_servers_one_plays_and_any_may_be_asked(tmp_path):
    one, other = Runs(tmp_path), Runs(tmp_path)
    try:
        run = other.start(Experiment("truco", ["random", "novice"], duplicates=100_000), None, 1)
        assert one.jobs.leads() and not other.jobs.leads()
        _until(one, lambda: other.look(run)["state"] == "running")
        other.stop(run)
        _until(one, lambda: one.look(run)["state"] == "stopped" and not processes_in(tmp_path / run))
        assert one.look(run)["may"] == ["go"]
        other.go_on(run, 1)
        _until(one, lambda: processes_in(tmp_path / run))
    finally:
        one.jobs.close()
    assert not processes_in(tmp_path / run)
    assert other.jobs.leads() and other.jobs.wanted() == []


def _until(leader, is_it):
    end = time.monotonic() + PATIENCE
    while not is_it():
        assert time.monotonic() < end
        leader.jobs.step()
        time.sleep(0.02)
