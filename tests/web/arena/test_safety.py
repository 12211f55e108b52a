"""Access rights of the arena, path traversal, foreign code over HTTP, and the sandbox of reports."""

import re
from http.client import HTTPConnection
from urllib.parse import quote

import httpx
import pytest

from bolicho.arena.experiment import Experiment
from bolicho.arena.run import run as play
from bolicho.lab.study import Findings, Study, Table, write_report
from bolicho.store.database import open_database
from bolicho.store.tokens import revoke
from tests.web.arena.lab import ASKED
from tests.web.running import said

TRICKS = [
    "..",
    "../secret",
    "..%2fsecret",
    "%2e%2e",
    "a~..~secret",
    "~",
    "a~~b",
    ".arena",
    "out",
    "out~secret",
    "a/b",
    "x\0",
]


@pytest.fixture(scope="module")
def short(arena):
    """A finished run, a report of the lab, a secret beside the folder of runs and a link to it."""
    play(Experiment("truco", ["random", "novice"], {"hands": 1}, duplicates=4), arena.runs / "short", 1)
    table = Table("A table", ["agent", "games"], [["random", 1], ["novice", 2]])
    study = Study("styles", "A title", "ours", "none:none")
    write_report(study, Findings([table]), "bolicho lab run styles --quick --seed 1", arena.reports / "styles-quick")
    secret = arena.runs.parent / "secret"
    play(Experiment("truco", ["random", "novice"], {"hands": 1}, duplicates=1), secret, 1)
    if not (arena.runs / "out").exists():
        (arena.runs / "out").symlink_to(arena.runs.parent)
        (arena.runs / "linked").symlink_to(secret)
    return "short"


PATHS = [
    "options",
    "runs",
    "runs/short",
    "runs/short/games",
    "runs/short/games/0",
    "runs/short/games/0/view",
    "reports",
]


@pytest.mark.parametrize("path", PATHS)
def test_only_researchers_read_the_arena(arena, short, path):
    assert arena.served.get(f"/api/arena/{path}").status_code == 401
    assert arena.served.get(f"/api/arena/{path}", "x" * 32).status_code == 401
    refused = arena.served.get(f"/api/arena/{path}", arena.bot)
    assert refused.status_code == 403 and said(refused) == "server.scope"
    assert arena.get(path).status_code == 200


@pytest.mark.parametrize("path", ["runs", "runs/short/stop", "runs/short/go"])
def test_only_researchers_start_stop_and_resume_runs(arena, short, path):
    body = ASKED if path == "runs" else {}
    assert arena.served.post(f"/api/arena/{path}", body).status_code == 401
    assert arena.served.post(f"/api/arena/{path}", body, arena.bot).status_code == 403


def status_of_raw_path(arena, path):
    """Return the status of a request whose path is sent without normalization."""
    line = HTTPConnection("127.0.0.1", arena.served.port, timeout=60)
    line.request("GET", path, headers={"authorization": f"Bearer {arena.token}"})
    status = line.getresponse().status
    line.close()
    return status


@pytest.mark.parametrize("name", [*TRICKS, "linked"])
def test_no_name_leads_out_of_the_folder(arena, short, name):
    for path in (f"/api/arena/runs/{quote(name)}", f"/api/arena/runs/{quote(name)}/games/0/view"):
        assert status_of_raw_path(arena, path) in (404, 422)
    for kind in ("run", "report"):
        assert status_of_raw_path(arena, f"/arena/files/{kind}/{quote(name)}/result.json") in (403, 404, 422)
    made = arena.post("runs", {**ASKED, "name": name})
    assert made.status_code in (409, 422), made.text
    assert name not in [run["run"] for run in arena.get("runs").json()["runs"]]


THIRD_PARTY = [
    "os:system",
    "tests.arena.players:First",
    "human",
    "nobody",
    "mcts(iterations=1, luck=os:system)",
    "pi",
    "balanced()x",
]


@pytest.mark.parametrize(
    "agent", [*THIRD_PARTY, "pvcs(base=x)", "pvcs(base='/etc/passwd')", "pvcs(base=../x)", "remote(url='http://x/')"]
)
def test_specs_that_load_code_or_files_are_refused_over_http(arena, agent):
    answer = arena.post("runs", {**ASKED, "agents": ["random", agent]})
    assert answer.status_code == 422, answer.text


@pytest.mark.parametrize(
    ("agent", "why"),
    [
        ("pvcs(base=/etc/passwd)", "server.option.value"),
        ("pvcs(minimum=1001)", "server.option.within"),
        ("pvcs(nothing=1)", "server.option.unknown"),
        ("mcts(iterations=many)", "server.option.number"),
    ],
)
def test_refused_option_is_reported_with_its_reason(arena, agent, why):
    assert said(arena.post("runs", {**ASKED, "agents": ["random", agent]})) == why


def test_a_tournament_is_played_by_agents_with_options(arena):
    agents = ["pvcs(base=learned)", "pvcs(base=baseline, victory=share)", "mcts(iterations=20)"]
    run = arena.start(agents=agents, duplicates=2)
    assert arena.done(run)["agents"] == agents
    told = arena.get("options", game="truco").json()["agents"]
    assert told["pvcs"]["base"]["values"] == ["baseline", "learned", "published"]
    assert arena.get("options", game="chess").status_code == 404


def test_run_with_third_party_agents_cannot_be_resumed_over_http(arena):
    folder = arena.runs / "strangers"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "experiment.toml").write_text('game = "truco"\nagents = ["random", "os:system"]\n')
    facts = arena.look("strangers")
    assert facts["state"] == "stopped" and facts["may"] == []
    refused = arena.post("runs/strangers/go", {})
    assert refused.status_code == 409 and said(refused) == "server.arena.no-going-on"


BEYOND = [
    {"agents": ["random"]},
    {"agents": ["random", "random"]},
    {"agents": [f"mcts(iterations={number})" for number in range(1, 22)]},
    {"duplicates": 0},
    {"duplicates": 10_001},
    {"duplicates": 10_000, "agents": [f"mcts(iterations={number})" for number in range(1, 13)]},
    {"processes": 0},
    {"processes": 1000},
    {"seed": -1},
    {"rules": {"target": 10**9}},
    {"rules": {"nothing": 1}},
    {"name": "a" * 81},
    {"trust": True},
    {"out": "/tmp"},
]


@pytest.mark.parametrize("asked", BEYOND, ids=str)
def test_values_out_of_bounds_and_unknown_fields_are_refused(arena, asked):
    before = arena.get("runs").json()["runs"]
    assert arena.post("runs", {**ASKED, **asked}).status_code == 422
    assert [run["run"] for run in arena.get("runs").json()["runs"]] == [run["run"] for run in before]


def test_tournament_of_an_unserved_game_is_refused(arena):
    assert arena.post("runs", {**ASKED, "game": "wonders", "agents": ["random", "rules"]}).status_code == 404


# --- Files ----------------------------------------------------------------------------------------


def test_files_are_served_by_signed_links(arena, short):
    links = arena.look("short")["files"]
    assert set(links) >= {"index.html", "games.parquet", "games.csv", "result.json", "experiment.toml"}
    for file, link in links.items():
        answer = httpx.get(arena.served.base + link)
        assert answer.status_code == 200
        if file != "games.csv":
            assert answer.content == (arena.runs / "short" / file).read_bytes()
    rows = httpx.get(arena.served.base + links["games.csv"]).text.splitlines()
    assert rows[0].startswith("row,pairing,deal") and len(rows) == 1 + 8


def test_signature_is_valid_for_one_file_one_hour_and_one_account(arena, short):
    def status(link):
        return httpx.get(arena.served.base + link).status_code

    link = arena.look("short")["files"]["result.json"]
    assert status(link) == 200
    assert status(link.split("?")[0]) == 403
    assert status(link.replace("result.json", "games.parquet")) == 403
    assert status(re.sub(r"until=\d+", "until=9999999999", link)) == 403
    assert status(link.replace("who=lab", "who=machine")) == 403
    assert status(link.replace("who=lab", "who=nobody")) == 403
    token = arena.new_token("guest", "research")
    link = arena.served.get("/api/arena/runs/short", token).json()["files"]["result.json"]
    assert status(link) == 200
    with open_database(str(arena.database)).begin() as connection:
        revoke(connection, "guest")
    assert status(link) == 403


def test_reports_are_listed_and_served_in_a_sandbox(arena, short):
    (report,) = arena.get("reports").json()["reports"]
    assert report["study"] == "styles" and report["command"] == "bolicho lab run styles --quick --seed 1"
    assert {"index.html", "findings.json", "table-1.csv"} <= set(report["files"])
    for link in (report["files"]["index.html"], arena.look("short")["files"]["index.html"]):
        answer = httpx.get(arena.served.base + link)
        policies = answer.headers.get_list("content-security-policy")
        assert len(policies) == 1 and answer.headers["content-type"].startswith("text/html")
        directives = dict(part.strip().partition(" ")[::2] for part in policies[0].split(";"))
        assert directives["sandbox"] == "allow-scripts" and directives["default-src"] == "'none'"
        assert "unsafe" not in directives["script-src"] and directives["frame-ancestors"] == "'self'"
        assert answer.headers["x-content-type-options"] == "nosniff"
    kept = httpx.get(arena.served.base + report["files"]["table-1.csv"])
    assert kept.headers["content-disposition"].startswith("attachment") and "random" in kept.text


def test_links_in_a_run_are_not_followed(arena, short):
    folder = arena.runs / "tricky"
    if not folder.exists():
        play(Experiment("truco", ["random", "novice"], {"hands": 1}, duplicates=2), folder, 1)
        (folder / "made.json").rename(folder / "kept.json")
        (folder / "made.json").symlink_to(folder / "kept.json")
    assert "made.json" not in arena.look("tricky")["files"]
    assert "kept.json" not in arena.look("tricky")["files"]
