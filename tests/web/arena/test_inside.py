"""Arena of an in-process server: public access, shutdown during a run, odd file names."""

import os
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

import bolicho.arena.run
from bolicho.agents.mirrored_games import deal_seed
from bolicho.arena.experiment import Experiment
from bolicho.arena.run import run as play
from bolicho.arena.run_lock import lock_exclusively
from bolicho.arena.seeds import draw_seed
from bolicho.store.database import open_database
from bolicho.store.tokens import new_token
from bolicho.web.app import make_app
from bolicho.web.app_state import Settings
from bolicho.web.arena import files
from bolicho.web.arena.jobs import ASKED as ASKED_FILE
from bolicho.web.arena.jobs import JOBS_FOLDER, TOLD
from bolicho.web.arena.runs import Runs
from bolicho.web.refusal import Refusal
from bolicho.web.workers import AgentPool
from tests.web.arena.lab import ASKED, PATIENCE, is_alive, processes_in


@pytest.fixture
def opened(tmp_path):
    """Make the app of a server, and the header of a researcher."""

    def make(**settings):
        address = str(tmp_path / "matches.db")
        engine = open_database(address)
        with engine.begin() as connection:
            token = new_token(connection, "lab", ["research"])
        settings = {"runs": str(tmp_path / "runs"), "reports": str(tmp_path), **settings}
        made = Settings(address, games=("truco",), **settings)
        return make_app(made, AgentPool(["truco"]), engine), {"authorization": f"Bearer {token}"}

    return make


def test_public_arena_is_readable_without_token_and_starts_no_runs(opened, tmp_path):
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
        assert client.get("/api/arena/runs", headers=wrong).status_code == 401  # a wrong token is refused


def test_server_stops_its_runs_when_it_ends(opened, tmp_path):
    app, header = opened()
    with TestClient(app) as client:
        run = client.post("/api/arena/runs", json={**ASKED, "duplicates": 5000}, headers=header).json()["run"]
        end = time.monotonic() + PATIENCE
        while not client.get(f"/api/arena/runs/{run}", headers=header).json()["played"]:
            assert time.monotonic() < end
            time.sleep(0.05)
        theirs = processes_in(tmp_path / "runs" / run)
        assert theirs
    assert not any(map(is_alive, theirs))
    with TestClient(app) as client:  # no run starts by itself after a restart
        facts = client.get(f"/api/arena/runs/{run}", headers=header).json()
    assert facts["state"] == "stopped" and facts["played"] and facts["may"] == ["go"]


def test_one_of_several_servers_plays_and_each_accepts_requests(tmp_path):
    one, other = Runs(tmp_path), Runs(tmp_path)
    try:
        run = other.start(Experiment("truco", ["random", "novice"], duplicates=100_000), None, 1)
        assert one.jobs.leads() and not other.jobs.leads()
        _until(one, lambda: other.look(run)["state"] == "running")
        other.jobs.stop(run)
        _until(one, lambda: one.look(run)["state"] == "stopped" and not processes_in(tmp_path / run))
        assert one.look(run)["may"] == ["go"]
        other.go_on(run, 1)
        _until(one, lambda: processes_in(tmp_path / run))
    finally:
        one.jobs.close()
    assert not processes_in(tmp_path / run)
    assert other.jobs.leads() and other.jobs.wanted() == []


def _until(leader, condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        leader.jobs.step()
        time.sleep(0.02)


# --- Visibility of unfinished runs ------------------------------------------------------------------

SEATS = Experiment("truco", ["random", "novice"], {"hands": 1}, duplicates=2, seed=draw_seed())
SECRETS = [str(SEATS.seed).removeprefix("drawn:"), *(str(deal_seed(SEATS.seed, deal)) for deal in range(2))]
FILES = [*files.OF_A_RUN, "identity.json", "SHA256SUMS", "parts", ".lock", ASKED_FILE, TOLD]


def stopped(folder, experiment=SEATS):
    """Play all games of a run, and stop it before they are put together."""

    def stop(*arguments):
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bolicho.arena.run, "merge_parts", stop)
        with pytest.raises(KeyboardInterrupt):
            play(experiment, folder, 1)


def asked(client, headers=None):
    """Request every address of the arena for a run, and return the responses by address."""
    games = [f"games/{row}{more}" for row in range(4) for more in ("", "/view?ply=1", "/view?ply=1&seat=0", "/record")]
    paths = ["", "/r", "/r/games", "/r/games?agent=random&start=1", *(f"/r/{game}" for game in games)]
    addresses = [f"/api/arena/runs{path}" for path in paths] + [f"/arena/files/run/r/{quote(file)}" for file in FILES]
    return {address: client.get(address, headers=headers) for address in addresses}


@pytest.mark.parametrize("is_running", [True, False])
def test_visitors_see_no_seed_game_or_file_of_an_unfinished_run(opened, tmp_path, is_running):
    folder = tmp_path / "runs" / "r"
    stopped(folder)
    (folder / TOLD).write_text(f"bolicho: seed {SEATS.seed} is odd\n")
    app, token = opened(show_runs=True)
    with TestClient(app) as client:
        with lock_exclusively(folder) if is_running else nullcontext():
            seen = asked(client, token)  # responses to a researcher are not cached for visitors
            assert seen["/api/arena/runs/r/games/0/record"].json()["seed"] == deal_seed(SEATS.seed, 0)
            assert seen["/api/arena/runs/r"].json()["about"]["seed"] == SEATS.seed
            answers = asked(client)
        facts = answers["/api/arena/runs/r"].json()
        assert facts["state"] == ("running" if is_running else "stopped") and facts["played"] == 4
        assert facts["about"]["seed"] is None and facts["files"] == {} and facts["told"] is None
        assert answers["/api/arena/runs/r/games"].json() == {"games": [], "next": None}
        for address, answer in answers.items():
            assert not any(secret in answer.text for secret in SECRETS), address
            if "/games/" in address or "/files/" in address:
                assert answer.status_code == 404, address


def test_visitors_see_seed_games_and_files_of_a_finished_run(opened, tmp_path):
    folder = tmp_path / "runs" / "r"
    stopped(folder)
    app, _ = opened(show_runs=True)
    with TestClient(app) as client:
        assert client.get("/api/arena/runs/r/games/0/record").status_code == 404
        play(SEATS, folder, 1)
        answers = asked(client)
    assert answers["/api/arena/runs/r"].json()["about"]["seed"] == SEATS.seed
    assert answers["/api/arena/runs/r/games/0/record"].json()["seed"] == deal_seed(SEATS.seed, 0)
    hidden = [f"/arena/files/run/r/{quote(file)}" for file in FILES if file not in files.OF_A_RUN]
    assert {address for address, answer in answers.items() if answer.status_code != 200} == set(hidden)


def test_error_of_an_unreadable_run_shows_visitors_no_line_of_its_file(opened, tmp_path):
    folder = tmp_path / "runs" / "r"
    folder.mkdir(parents=True)
    (folder / "experiment.toml").write_text(f'game = "truco"\nagents = ["random"]\nseed = "{SECRETS[0]}"\n')
    app, token = opened(show_runs=True)
    with TestClient(app) as client:
        assert SECRETS[0] in client.get("/api/arena/runs/r", headers=token).text
        for address in ("/api/arena/runs", "/api/arena/runs/r"):
            answer = client.get(address)
            assert "unreadable" in answer.text and SECRETS[0] not in answer.text


# --- Odd names and odd files ------------------------------------------------------------------------

LONG = "\U00010400" * 80  # letters with more bytes than a file name may have
NAMES = [
    "missing", "secret", "linked", "..", "../secret", "../missing", "/etc", "/nowhere", "..~secret", "out~secret",
    "out~missing", "a\0b", "\0", "x" * 250, "x" * 5000, LONG, f"{LONG}~{LONG}", "~", "pipe", "file", "empty", "a\nb",
]  # fmt: skip
ODD_FILES = [
    "missing.csv", "../secret.csv", "../../secret.csv", "/etc/passwd", "/etc/missing", "a\0.csv", "x" * 200 + ".csv",
    "x" * 5000, LONG, "pipe.csv", "folder.csv", "link.csv", "dangling.csv", "device.csv", ".", "..",
]  # fmt: skip


@pytest.fixture
def app_state(tmp_path):
    """Folders of runs and reports with odd entries, and a run and files outside of them."""
    for place in (tmp_path / "runs", tmp_path / "reports"):
        for inside in ("real", "empty"):
            (place / inside).mkdir(parents=True)
        for name in ("index.html", "findings.json", "experiment.toml"):
            (place / "real" / name).write_text("{}")
        (place / "file").write_text("")
        os.mkfifo(place / "pipe")
        (place / "linked").symlink_to(tmp_path / "secret")
        (place / "out").symlink_to(tmp_path)
        os.mkfifo(place / "real" / "pipe.csv")
        (place / "real" / "folder.csv").mkdir()
        (place / "real" / "link.csv").symlink_to(tmp_path / "secret.csv")
        (place / "real" / "dangling.csv").symlink_to(tmp_path / "nowhere.csv")
        (place / "real" / "device.csv").symlink_to("/dev/zero")
    (tmp_path / "secret").mkdir()
    for name in ("index.html", "findings.json", "experiment.toml"):
        (tmp_path / "secret" / name).write_text("{}")
    (tmp_path / "secret.csv").write_text("secret")
    return tmp_path


@pytest.mark.timeout(120)
def test_every_path_outside_the_files_of_the_arena_gets_the_same_response(opened, app_state):
    app, _ = opened(show_runs=True, reports=str(app_state / "reports"))
    with TestClient(app, raise_server_exceptions=False) as client:
        asked = [(kind, name, "index.html") for kind in ("run", "report") for name in NAMES]
        asked += [(kind, "real", file) for kind in ("run", "report") for file in ODD_FILES]
        answers = {
            place: client.get("/arena/files/" + "/".join(quote(part, safe="") for part in place)) for place in asked
        }
        told = {place: (answer.status_code, answer.text) for place, answer in answers.items()}
        first = told["run", "missing", "index.html"]
        assert first[0] == 404 and {place: text for place, text in told.items() if text != first} == {}
        for name in (name for name in NAMES if name != ".."):  # which the client resolves itself
            for more in ("", "/games", "/games/0", "/games/0/view", "/games/0/record"):
                answer = client.get(f"/api/arena/runs/{quote(name, safe='')}{more}")
                assert answer.status_code == 404, (name, more)


def test_run_name_too_long_for_a_folder_is_refused(tmp_path):
    with pytest.raises(Refusal) as refused:
        Runs(tmp_path).start(SEATS, LONG, 1)
    assert (refused.value.status, refused.value.says.key) == (422, "server.arena.name")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become somebody else")
def test_unreadable_folder_or_file_gets_the_same_response_as_a_missing_one():
    with tempfile.TemporaryDirectory() as home:
        root = Path(home)
        root.chmod(0o755)
        for name in ("shut", "open"):
            (root / name).mkdir()
            for file in ("index.html", "findings.json", "kept.csv"):
                (root / name / file).write_text("{}")
        (root / "open" / "kept.csv").chmod(0)
        (root / "shut").chmod(0)
        os.seteuid(65534)
        try:
            asked = [("shut", "index.html"), ("shut~inside", "index.html"), ("open", "kept.csv"), ("no", "index.html")]
            for kind in ("run", "report"):
                for name, file in asked:
                    with pytest.raises(Refusal) as refused:
                        files.send(root, kind, name, file)
                    assert (refused.value.status, refused.value.says.key) == (404, "server.no-page"), (kind, name, file)
            assert files.send(root, "report", "open", "index.html").status_code == 200
            assert [name for name, _ in files.folders(root, files.is_report)] == ["open"]
        finally:
            os.seteuid(0)


@pytest.mark.timeout(60)
def test_named_pipes_among_the_files_of_a_run_do_not_block(tmp_path):
    runs, folder = Runs(tmp_path), tmp_path / "r"
    stopped(folder)
    (folder / ".lock").unlink(missing_ok=True)
    part = next((folder / "parts").glob("*.parquet"))
    for path in (folder / ".lock", folder / TOLD, part.with_name("000001-000000000-000000001.abc.parquet")):
        os.mkfifo(path)
    assert runs.look("r")["played"] == 4 and runs.all()[0]["state"] == "stopped"
    runs.go_on("r", 1)
    assert runs.jobs.leads()
    runs.jobs.step()
    assert runs.jobs.wanted() == [], "the process has no file for its output, so it is not started"
    os.mkfifo(tmp_path / JOBS_FOLDER / "r.json")
    runs.jobs.step()
    runs.jobs.close()
    assert runs.jobs.wanted() == []
