"""Release of a study: anonymised, licensed, described, and still readable by the analysis."""

import json
import re

import pytest

from bolicho.errors import BadInput
from bolicho.lab.study import run_study
from bolicho.store import studies
from bolicho.store.export_schema import TABLES, read_table
from bolicho.store.file_checksums import damaged
from bolicho.web.study.export import export_folder
from bolicho.web.study.publish import publish
from tests.test_cli import bolicho_json, bolicho_run
from tests.web.study.conftest import Study
from tests.web.study.plans import plan

WRITTEN = "my name is Zyxwv"


@pytest.fixture(scope="module")
def released(truco, tmp_path_factory):
    """A finished study of two people and a program, its export, and its release."""
    one = Study(truco, plan(more='demographics = ["age"]').replace('name = "years"', 'name = "experience"'))
    for scripted in (False, False, True):
        guest = one.invite(scripted)
        while (step := guest.me()["step"])["name"] != "thanks":
            if step["name"] in ("practice", "match"):
                guest.play()
            given = {"consent": {"agree": True}, "before": {"age": "18-24", "experience": "long"},
                     "questions": {"fun": 4, "remarks": WRITTEN}}  # fmt: skip
            assert guest.do(given.get(step["name"]), step["number"]).status_code == 200
    folder = tmp_path_factory.mktemp("release")
    export_folder(one.engine, one.id, folder / "export")
    facts = publish(one.engine, one.id, folder / "release", "CC-BY-4.0")
    yield one, folder, facts
    one.engine.dispose()


def rows(folder, name):
    return read_table(folder, name, TABLES[name])


def test_release_holds_nothing_that_identifies_a_participant(released):
    one, folder, _ = released
    whole = b"".join(path.read_bytes() for path in (folder / "release").iterdir())
    people = rows(folder / "export", "participants")
    matches = {row["match"] for row in rows(folder / "export", "matches")}
    for trace in (one.id, WRITTEN, "casa-1", *(row["participant"] for row in people), *matches):
        assert trace.encode() not in whole, trace
    assert {row["participant"] for row in rows(folder / "release", "participants")} == {"p0001", "p0002"}
    days = set(re.findall(rb"20\d\d-\d\d-\d\d", whole)) - {b"2020-01-31"}  # the retention date of the plan
    assert days == {b"2000-01-01"}


def test_release_keeps_durations_answers_and_records(released):
    _, folder, facts = released
    before, after = (
        [sorted((row["step"], row["seconds"]) for row in rows(folder / name, "pages") if not row["scripted"])
         for name in ("export", "release")]
    )  # fmt: skip
    assert before == after and facts["rows"]["participants"] == 2
    lines = (folder / "release" / "matches.jsonl").read_text().splitlines()
    for row in rows(folder / "release", "matches"):
        actions = json.loads(lines[row["record"] - 1])["actions"]
        mine = [move["action"] for move in rows(folder / "release", "moves") if move["match"] == row["match"]]
        assert actions == mine
    marks = {row["answer"] for row in rows(folder / "release", "answers") if row["item"] == "fun"}
    assert marks == {"4"} and not any(row["item"] == "remarks" for row in rows(folder / "release", "answers"))


def test_release_is_described_licensed_and_sealed(released):
    _, folder, facts = released
    release = folder / "release"
    card = (release / "README.md").read_text()
    assert "CC-BY-4.0" in card and "Written answers are left out." in card and "has 2. Below 5" in card
    assert "creativecommons.org/licenses/by/4.0" in (release / "LICENSE.txt").read_text()
    names = [path.name for path in release.iterdir() if path.name != "SHA256SUMS"]
    assert damaged(release, names) == [] and facts["smallest_group"] == 2


def test_release_is_analysed_as_an_export(released, tmp_path):
    _, folder, _ = released
    page = run_study("cbr-stage-4", records=folder / "release", out=tmp_path / "report")
    assert "against 2 participants" in page.read_text()


def test_order_of_participants_is_drawn_anew(released, tmp_path):
    """Release often, and find both orders; the program made the two participants in one order."""
    one, _, _ = released
    found = set()
    for number in range(20):
        publish(one.engine, one.id, tmp_path / str(number), "CC0-1.0")
        found.add((tmp_path / str(number) / "matches.jsonl").read_text().splitlines()[0])
    assert len(found) == 2


def test_publishing_on_the_command_line(released, truco, tmp_path):
    one, _, _ = released
    told = bolicho_json("study", "export", one.id, "--publish", "--licence", "CC0-1.0", "--texts", "--database",
                        truco.database, "--out", tmp_path / "release")  # fmt: skip
    assert told["rows"]["matches"] == 6 and WRITTEN in (tmp_path / "release" / "answers.csv").read_text()
    refused = bolicho_run("study", "export", one.id, "--publish", "--licence", "mine", "--database", truco.database)
    assert refused.returncode == 2 and "licence 'mine'" in refused.stderr
    with one.engine.connect() as connection, pytest.raises(BadInput, match="there is no study"):
        studies.named_study(connection, "nobody")
