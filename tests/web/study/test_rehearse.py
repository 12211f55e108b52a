"""Rehearsal of a study with scripted participants: plan, export, analysis, case base, agent."""

import json
import subprocess

import pytest

from bolicho import BadInput
from bolicho.agents.play import play
from bolicho.agents.registry import agent
from bolicho.agents.training import train
from bolicho.cli.study import _plan_text
from bolicho.games import game
from bolicho.lab.study import run_study
from bolicho.store.export_schema import TABLES, read_table
from bolicho.web.study.chromium import by_pages
from bolicho.web.study.plan import read_plan
from bolicho.web.study.rehearse import Cast, Place, by_api, check, rehearsal, rehearse, told
from bolicho.web.study.scripted_participants import Line, Mind
from tests.web.pages.visitor import HOW_TO_INSTALL, chromium
from tests.web.running import BOLICHO, ENVIRONMENT
from tests.web.study.plans import plan

FOUR = ("cautious", "bluffer", "balanced", "novice")
TITLES = ["Table 17: against people", "What people answered", "The agents compared", "Experience of Truco",
          "Flow of participants"]  # fmt: skip


def rows(folder, name):
    return read_table(folder, name, TABLES[name])


def of_the_document(**options):
    """Return the plan of tests with two questions of the document and no pauses."""
    text = plan(**options).replace('name = "years"', 'name = "experience"').replace("pace = 300", "pace = 0")
    return text.replace("[thanks]", '[[questions]]\nwhen = "match"\nname = "competence"\nkind = "scale"\npoints = 5\n'
                        'text = {en = "Strong?", pt = "Forte?"}\nlow = {en = "weak", pt = "fraco"}\n'
                        'high = {en = "strong", pt = "forte"}\n\n[thanks]')  # fmt: skip


@pytest.mark.parametrize("browser", [[], pytest.param(["--browser"], marks=pytest.mark.nightly)])
def test_rehearsal_leads_from_the_plan_to_an_agent_with_its_hands(tmp_path, browser):
    if browser and chromium() is None:
        pytest.skip(HOW_TO_INSTALL)
    (tmp_path / "my.toml").write_text(of_the_document(target=2))
    command = ["study", "rehearse", "my.toml", *browser, "--dropouts", "0.5", "--out", "data", "--json"]
    ran = subprocess.run([*BOLICHO, *command], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    facts = json.loads(ran.stdout)
    assert facts["ends"] == {"finished": 2, "vanished": 1}
    assert [counts for _, counts in facts["balance"]["positions"]] == [[1, 1], [1, 1]]
    data = tmp_path / "data"
    assert all(row["scripted"] for name in TABLES if name != "states" for row in rows(data, name))
    assert not any(row["participants"] for row in rows(data, "states") if not row["scripted"])

    report = run_study("cbr-stage-4", records=data, out=tmp_path / "report", scripted=True)
    found = json.loads((report.parent / "findings.json").read_text())["tables"]
    signals = ["Signals of careless or automated participation"] if browser else []  # pages measure them
    titles = [f"{title} (scripted participants among them)" for title in [*TITLES, *signals]]
    assert [table["title"] for table in found] == titles
    drawn = {path.stem for path in report.parent.glob("*.png")}
    assert drawn == {"flow", "figure-17", "answers-bluffer", "answers-cautious"}
    with pytest.raises(BadInput, match="are scripted"):
        run_study("cbr-stage-4", records=data, out=tmp_path / "report")

    base = tmp_path / "people.parquet"
    made = train("cbr-baseline", base, 1, {"source": str(data), "scripted": True}, show=False)
    assert made["cases"] > 0
    with pytest.raises(BadInput, match=r"all hands in .* are of scripted participants; scripted=true includes them"):
        train("cbr-baseline", tmp_path / "none.parquet", 1, {"source": str(data)}, show=False)
    assert play(game("truco", target=6), [agent(f"pvcnps(base={base})"), agent("balanced")], 1).table.over


@pytest.fixture
def place(study, truco, researcher):
    """A study of four agents and eight places on the shared server."""
    made = study(opponents=FOUR, target=8)
    return Place(truco.base, researcher, made.id, truco.database)


def test_positions_and_successions_are_balanced_with_dropouts(place, tmp_path):
    text = read_plan(plan(opponents=FOUR, target=8))
    options = {"cast": Cast(dropouts=0.4), "seed": 3, "walk": by_api(place.base), "at_once": 4, "show": False}
    done = rehearse(place, text, 8, tmp_path / "data", **options)
    assert done.ends["finished"] == 8 and done.ends["vanished"] >= 2 and done.ends["withdrawn"] >= 1
    assert done.balance["positions"] == [[name, [2] * 4] for name in FOUR]
    assert done.balance["successions"] == [[name, [2 * (name != other) for other in FOUR]] for name in FOUR]

    through = {row["participant"] for row in rows(done.folder, "participants") if row["state"] == "finished"}
    counted = [row for row in rows(done.folder, "matches") if row["participant"] in through and not row["practice"]]
    places = [(row["agent"], row["place"]) for row in counted]
    after = [(row["agent"], row["after"]) for row in counted if row["after"] is not None]
    assert {places.count((name, number)) for name in FOUR for number in range(1, 5)} == {2}
    assert {after.count((name, other)) for name in FOUR for other in FOUR if name != other} == {2}
    states = {row["state"]: row["participants"] for row in rows(done.folder, "states") if row["scripted"]}
    assert states == {"finished": 8, "lost": done.ends["vanished"], "withdrawn": done.ends["withdrawn"]}
    answers = rows(done.folder, "answers")
    assert None in [row["answer"] for row in answers]
    assert {row["answer"] for row in answers if row["item"] == "fun"} <= {None, "1", "2", "3", "4", "5"}


def test_existing_study_is_rehearsed_on_its_server(place, tmp_path):
    """Check that dropouts withdraw, because a running server cannot skip time to lose them."""
    options = {"cast": Cast(dropouts=0.5), "seed": 1, "browser": False, "show": False}
    done = rehearsal(None, place.base, place.token, place.study, 2, tmp_path / "data", **options)
    assert done.ends == {"finished": 2, "withdrawn": 1} and done.study == place.study
    assert "scripted participants: 2 finished, 1 withdrawn" in told(done)
    with pytest.raises(BadInput, match="needs a token"):
        rehearsal(None, place.base, None, place.study, 2, tmp_path / "data", **options)


def test_scripted_answers_depend_only_on_the_seed():
    items = [{"name": "a", "kind": "scale", "points": 5}, {"name": "b", "kind": "text"},
             {"name": "c", "kind": "choice", "choices": [{"value": "x"}, {"value": "y"}]}]  # fmt: skip
    said = [[Mind(seed).answers(items) for _ in range(1)] for seed in ("1 0", "1 0", "1 1")]
    assert said[0] == said[1]
    many = [Mind(f"2 {number}").answers(items) for number in range(300)]
    assert {one["a"] for one in many} == {None, 1, 2, 3, 4, 5} and {one["c"] for one in many} == {None, "x", "y"}
    assert Mind("3").plays(["nao", "baralho"]) in ("nao", "baralho") and Mind("3").plays(["nao", "4e"]) == "4e"


def test_refusal_of_the_server_is_shown_in_its_words(place):
    with pytest.raises(BadInput, match=r"There is no such study.*/api/studies/nowhere"):
        Line(place.base).get("/api/studies/nowhere")
    with pytest.raises(BadInput, match="no server answers at"):
        Line("http://127.0.0.1:9").get("/api/studies/nowhere")


@pytest.mark.parametrize(
    ("people", "dropouts", "reason"),
    [
        (9, 0.1, "this study has 8 places"),
        (0, 0.1, "1 to 8 participants, not 0"),
        (4, 0.95, "a share from 0 to 0.9"),
        (3, 0.1, "3 careless and 1 automated are more than 3 participants"),
    ],
)
def test_invalid_number_of_people_or_share_of_dropouts_is_refused(people, dropouts, reason):
    with pytest.raises(BadInput, match=reason):
        check(read_plan(plan(target=8)), people, Cast(dropouts, careless=3, automated=1))


def test_missing_or_invalid_plan_to_rehearse_is_reported(tmp_path):
    database = str(tmp_path / "matches.db")
    for name, reason in (("none.toml", "there is no file 'none.toml'"), ("nobody", "there is no study 'nobody'")):
        with pytest.raises(BadInput, match=reason):
            _plan_text(name, database)
    (tmp_path / "my.toml").write_text("title = 3")
    with pytest.raises(BadInput, match=r"my\.toml: languages is missing"):
        _plan_text(str(tmp_path / "my.toml"), database)


def test_missing_chromium_is_reported(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    with pytest.raises(BadInput, match="Chromium is not installed, and a rehearsal with --browser needs it"):
        by_pages("http://127.0.0.1:9")
