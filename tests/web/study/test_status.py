"""Status of a study for researchers, over HTTP and in the terminal."""

import re

import pytest

from bolicho.store.database import open_database
from bolicho.store.tokens import new_token
from bolicho.web.study.plan import read_plan, shipped
from tests.test_cli import bolicho_json, bolicho_run
from tests.web.running import said
from tests.web.study.plans import Guest, plan


def test_only_researchers_can_read_studies(study, truco):
    one = study()
    with open_database(truco.database).begin() as connection:
        bot = new_token(connection, f"bot-{one.id}", ["bot"])
    base = "/api/research/studies"
    for method, path in [
        ("GET", ""),
        ("GET", f"/{one.id}"),
        ("POST", f"/{one.id}/links"),
        ("POST", f"/{one.id}/close"),
    ]:
        body = {"json": {"count": 1}} if path.endswith("links") else {}
        assert truco.ask(method, base + path, **body).status_code == 401
        assert truco.ask(method, base + path, one.invite().token, **body).status_code == 401
        assert truco.ask(method, base + path, bot, **body).status_code == 403


def test_status_of_a_study(study, truco, researcher):
    one = study(order="fixed")
    done, under_way, gone = one.invite(), one.invite(), one.invite()
    done.go("thanks", fun=2)
    under_way.go("match", 2, fun=None)
    gone.go("instructions")
    gone.post("withdraw", {"sure": True})
    one.invite()
    one.invite(scripted=True).go("thanks", fun=5)
    told = truco.get(f"/api/research/studies/{one.id}", researcher).json()
    assert told["counts"] == {
        "invited": 1, "declined": 0, "consented": 0, "playing": 1, "finished": 1, "withdrawn": 1, "lost": 0,
    }  # fmt: skip
    assert (
        told["target"] == 8 and told["finished"] == 1 and told["scripted"] == 1 and told["plan"] == plan(order="fixed")
    )
    assert told["balance"]["positions"] == [["cautious", [1, 0]], ["bluffer", [0, 1]]]
    assert told["balance"]["successions"] == [["cautious", [0, 0]], ["bluffer", [1, 0]]]
    assert told["attrition"][:2] == [["consent", 1, 2, 2], ["instructions", 2, 2, 2]]
    assert told["attrition"][6] == ["match", 7, 2, 1] and told["attrition"][-1] == ["thanks", 10, 1, 1]
    first, second = told["results"]
    assert (first["agent"], first["matches"], first["answers"]) == ("cautious", 2, {"fun": [0, 1, 0, 0, 0]})
    assert first["blank"] == {"fun": 1} and second["matches"] == 1 and 0 <= first["won"] <= 2
    people = {row["code"]: row for row in told["participants"]}
    assert len(people) == 5 and people[done.me()["code"]]["state"] == "finished"
    assert people[under_way.me()["code"]]["step"] == 7 and sum(row["scripted"] for row in people.values()) == 1
    assert not any(guest.token in str(told) for guest in (done, under_way, gone))
    scripted = truco.get(f"/api/research/studies/{one.id}", researcher, scripted=True).json()
    assert scripted["of"] == "scripted" and scripted["finished"] == 1
    assert scripted["results"][0]["answers"] == {"fun": [0, 0, 0, 0, 1]}
    listed = truco.get("/api/research/studies", researcher).json()["studies"]
    assert next(row for row in listed if row["study"] == one.id)["finished"] == 1


def test_new_links_give_access_to_the_study(study, truco, researcher):
    one = study()
    made = truco.post(f"/api/research/studies/{one.id}/links", {"count": 3, "scripted": True}, researcher).json()
    assert len({link["path"] for link in made["links"]}) == 3
    for link in made["links"]:
        path, _, token = link["path"].partition("#p=")
        assert path == f"/s/{one.id}"
        me = Guest(truco, one.id, token).me()
        assert me["code"] == link["code"] and me["scripted"] is True


def test_participants_can_finish_a_closed_study(study, truco, researcher):
    one = study()
    inside, outside = one.invite(), one.invite()
    inside.go("instructions")
    assert truco.post(f"/api/research/studies/{one.id}/close", None, researcher).json()["open"] is False
    assert said(outside.get()) == "server.study.closed" and inside.go("thanks")
    assert truco.get(f"/api/studies/{one.id}").json()["open"] is False


def test_unknown_study_is_not_found(truco, researcher):
    for path in ("", "/links", "/close"):
        body = {"count": 1} if path == "/links" else None
        asked = truco.get if not path else lambda p, t, b=body: truco.post(p, b, t)
        assert asked(f"/api/research/studies/nobody{path}", researcher).status_code == 404


# --- Command line -------------------------------------------------------------------------------------


def test_study_commands_lead_from_the_template_to_a_working_link(truco, tmp_path):
    template = bolicho_run("study", "new", "--template")
    assert template.returncode == 0
    room = read_plan(template.stdout).room
    assert template.stdout.replace(room, "") == (own := shipped()).replace(read_plan(own).room, "") != own
    file = tmp_path / "my.toml"
    file.write_text(template.stdout.replace("{target = 24}", "{target = 4}"), encoding="utf-8")
    checked = bolicho_json("study", "check", file)
    assert checked["balanced"] and checked["sequences"] == 4 and checked["warnings"] == []
    assert {language for _, language, _ in checked["blanks"]} == {"pt", "en", "es"} and len(checked["blanks"]) == 9
    made = bolicho_json("study", "new", file, "--database", truco.database, "--address", truco.base + "/")
    assert made["address"] == f"{truco.base}/s/{made['study']}" and made["room"] == room
    linked = bolicho_run("study", "links", made["study"], 2, "--database", truco.database, "--address", truco.base)
    one, two = linked.stdout.split()
    guest = Guest(truco, made["study"], one.partition("#p=")[2])
    assert said(guest.get()) == "server.study.unopened"
    early = bolicho_run("study", "open", made["study"], "--database", truco.database)
    assert early.returncode == 2 and "9 blanks of its texts are not filled in" in early.stderr
    file.write_text(
        re.sub(r"\[(name|nome|nombre|how|como|cómo)[^\]]*\]", "us", file.read_text(encoding="utf-8")), encoding="utf-8"
    )
    made = bolicho_json("study", "new", file, "--database", truco.database, "--address", truco.base + "/")
    assert bolicho_run("study", "open", made["study"], "--database", truco.database).returncode == 0
    linked = bolicho_run("study", "links", made["study"], 2, "--database", truco.database, "--address", truco.base)
    one, two = linked.stdout.split()
    guest = Guest(truco, made["study"], one.partition("#p=")[2])
    assert guest.me()["step"]["name"] == "consent" and one != two
    status = bolicho_run("study", "status", made["study"], "--database", truco.database)
    assert "0 of 24 people finished; 2 invited" in status.stdout and "positions: even" in status.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["new"], "name a FILE, or --shipped"),
        (["new", "--shipped", "x.toml"], "name a FILE, or --shipped"),
        (["check", "none.toml"], "cannot read the plan 'none.toml'"),
        (["links", "nobody", "1"], "there is no study 'nobody' in this database"),
        (["status", "nobody"], "there is no study 'nobody'"),
        (["delete", "nobody"], "there is no study 'nobody'"),
    ],
)
def test_bad_input_is_reported_in_one_sentence(arguments, said, capfd, monkeypatch, tmp_path):
    from bolicho.cli import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["bolicho", "study", *arguments])
    with pytest.raises(SystemExit) as left:
        main()
    told = capfd.readouterr()
    assert left.value.code == 2 and said in told.err and told.err.count("\n") == 1
