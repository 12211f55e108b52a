"""Export of a study as a folder and as a zip, without withdrawn participants."""

import csv
import io
import zipfile

import duckdb
import pytest

from bolicho import BadInput
from bolicho.agents.play import play
from bolicho.agents.registry import agent
from bolicho.agents.training import train
from bolicho.games import game
from bolicho.games.record import read_records, replay
from bolicho.store import studies
from bolicho.store.database import open_database
from bolicho.store.export_schema import TABLES, read_table
from bolicho.web.study.export import export_folder
from tests.web.running import said
from tests.web.study.conftest import Study
from tests.web.study.plans import plan

LEFT = "what the one who left has said"
REMARK = 'two\nlines, "quoted"; a lone\rreturn, \r\n, \u2028 and \x1f, =1+1'


@pytest.fixture(scope="module")
def done(truco, tmp_path_factory):
    """A study with two finished, one withdrawn, one invited and one scripted participant, and its export."""
    one = Study(truco, plan(target=8))
    people = {}
    for name in ("ana", "rui", "left", "bot", "new"):
        people[name] = one.invite(scripted=name == "bot")
        people[name].code = one.code
    people["ana"].go()
    people["rui"].go("questions", 1)
    assert people["rui"].do({"fun": None, "remarks": REMARK}).status_code == 200
    people["rui"].go()
    people["left"].go("questions", 2)
    people["left"].do({"remarks": LEFT})
    assert people["left"].post("withdraw", {"sure": True}).json() == {"withdrawn": True, "remains": []}
    people["bot"].go("match", 2)
    folder = tmp_path_factory.mktemp("exports") / "study"
    export_folder(one.engine, one.id, folder)
    yield one, people, folder
    one.engine.dispose()


def rows(folder, name):
    return read_table(folder, name, TABLES[name])


def test_dictionary_describes_exactly_the_exported_columns(done):
    _, _, folder = done
    with (folder / "dictionary.csv").open(newline="") as file:
        described = [(row["file"], row["column"]) for row in csv.DictReader(file)]
    assert len(set(described)) == len(described)
    tables = sorted({path.stem for path in folder.glob("*.parquet")})
    for ending in ("csv", "parquet"):
        found = []
        for name in tables:
            file = folder / f"{name}.{ending}"
            if ending == "csv":
                with file.open(newline="") as opened:
                    names = next(csv.reader(opened))
            else:
                names = duckdb.sql(f"FROM read_parquet('{file}')").columns
            found += [(name, column) for column in names]
        assert sorted(found) == sorted(described)
    assert {path.stem for path in folder.glob("*.csv")} == {*tables, "dictionary"}
    assert all(("scripted" in [column for file, column in described if file == name]) for name in tables)


def test_withdrawn_participant_appears_only_in_a_count(done):
    _, people, folder = done
    text = b"".join(path.read_bytes() for path in folder.iterdir())
    assert people["left"].code.encode() not in text and LEFT.encode() not in text
    assert people["ana"].code.encode() in text
    counts = {(row["scripted"], row["state"]): row["participants"] for row in rows(folder, "states")}
    assert counts[False, "withdrawn"] == 1 and counts[False, "finished"] == 2 and counts[True, "playing"] == 1
    assert {row["participant"] for row in rows(folder, "participants")} == {
        people[name].code for name in ("ana", "rui", "bot", "new")}  # fmt: skip


def test_scripted_participants_are_flagged_in_every_table(done):
    _, people, folder = done
    for name in ("participants", "pages", "matches", "moves", "answers"):
        flagged = {row["participant"] for row in rows(folder, name) if row["scripted"]}
        assert flagged == {people["bot"].code}, name
    assert [row["scripted"] for row in rows(folder, "states") if row["participants"]].count(True) == 1


def test_blank_answers_and_typed_texts_are_exported_unchanged(done):
    _, people, folder = done
    mine = [row for row in rows(folder, "answers") if row["participant"] == people["rui"].code]
    first = {row["item"]: row["answer"] for row in mine if row["place"] == 1}
    assert first == {"fun": None, "remarks": REMARK}
    assert [row["answer"] for row in mine if row["name"] == "before"] == ["long"]
    assert [(row["item"], row["answer"], row["match"], row["place"]) for row in mine if row["name"] == "after"] == [
        ("last", None, None, None)]  # fmt: skip
    found = duckdb.sql(f"FROM read_parquet('{folder}/answers.parquet') WHERE answer IS NULL").fetchall()
    assert len(found) == sum(row["answer"] is None for row in rows(folder, "answers")) > 0
    page = [row for row in mine if row["name"] == "questions"]
    assert {row["agent"] for row in page} == {"cautious", "bluffer"} and [row["place"] for row in page] == [1, 1, 2, 2]


def test_records_match_the_matches_and_can_be_replayed(done):
    _, people, folder = done
    matches = rows(folder, "matches")
    records = list(read_records(folder / "matches.jsonl"))
    assert [row["record"] for row in matches] == list(range(1, len(records) + 1))
    moves = rows(folder, "moves")
    for row, record in zip(matches, records, strict=True):
        table = replay(record)
        assert record["players"] == ["human", row["agent"]] and table.scores == [row["points"], row["against"]]
        mine = [move for move in moves if move["match"] == row["match"]]
        assert [move["action"] for move in mine] == record["actions"] and len(mine) == row["moves"]
        assert [move["ply"] for move in mine] == list(range(len(mine))) and all(move["seconds"] >= 0 for move in mine)
        assert (row["winner"] is not None) == table.over == (row["ended"] is not None)
        if table.over:
            ahead = row["points"] - row["against"]
            assert row["winner"] == ("nobody" if ahead == 0 else "participant" if ahead > 0 else "agent")
    ana = [row for row in matches if row["participant"] == people["ana"].code]
    assert [(row["practice"], row["place"]) for row in ana] == [(True, None), (False, 1), (False, 2)]
    assert [row["after"] for row in ana] == [None, None, ana[1]["agent"]]
    assert {row["label"] for row in ana[1:]} == {"Opponent 1", "Opponent 2"}


def test_pages_have_their_times(done):
    _, people, folder = done
    ana = [row for row in rows(folder, "pages") if row["participant"] == people["ana"].code]
    assert [row["step"] for row in ana] == list(range(1, 11)) and ana[-1]["name"] == "thanks"
    assert all(row["done"] is not None and row["seconds"] >= 0 for row in ana)
    bot = [row for row in rows(folder, "pages") if row["participant"] == people["bot"].code]
    assert bot[-1]["done"] is None and bot[-1]["seconds"] is None


def test_zip_equals_the_folder_and_is_for_researchers_only(done, truco, researcher, tmp_path):
    one, people, folder = done
    path = f"/api/research/studies/{one.id}/export.zip"
    told = truco.get(path, researcher)
    assert told.status_code == 200 and told.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(told.content)) as file:
        assert set(file.namelist()) == {f"{one.id}/{name.name}" for name in folder.iterdir()}
        assert file.read(f"{one.id}/answers.csv") == (folder / "answers.csv").read_bytes()
    assert truco.get(path).status_code == 401 and truco.get(path, people["ana"].token).status_code == 401
    assert said(truco.get("/api/research/studies/none/export.zip", researcher)) == "server.study.none"


def test_export_replaces_an_earlier_export_but_no_other_folder(done, tmp_path):
    one, _, _ = done
    out = tmp_path / "here" / "data"
    export_folder(one.engine, one.id, out)
    (out / "moves.csv").unlink()
    export_folder(one.engine, one.id, out)
    assert (out / "moves.csv").exists() and [path.name for path in out.parent.iterdir()] == ["data"]
    (out / "thesis.odt").write_text("mine")
    with pytest.raises(BadInput, match=r"holds 'thesis\.odt', which is not overwritten"):
        export_folder(one.engine, one.id, out)
    with pytest.raises(BadInput, match="there is no study 'none'"):
        export_folder(one.engine, "none", tmp_path / "none")
    assert not (tmp_path / "none").exists() and (out / "thesis.odt").read_text() == "mine"
    with pytest.raises(BadInput, match="is not a folder"):
        export_folder(one.engine, one.id, out / "thesis.odt")


def test_study_in_postgresql_can_be_exported(postgresql, tmp_path):
    engine = open_database(postgresql)
    with engine.begin() as connection:
        number = studies.add_study(connection, plan(), opened=True)
        studies.add_participant(connection, number)
    assert export_folder(engine, number, tmp_path / "data")["participants"] == 1
    assert [row["state"] for row in rows(tmp_path / "data", "participants")] == ["invited"]
    engine.dispose()


def test_exported_hands_become_a_case_base_for_an_agent(done, tmp_path):
    """Check that only the person is observed, without practice and scripted participants."""
    _, people, folder = done
    with (folder / "cases.csv").open(newline="") as file:
        cases = list(csv.DictReader(file))
    counted = [row for row in cases if row["practice"] == "false" and row["scripted"] == "false"]
    made = train("cbr-baseline", tmp_path / "people.parquet", 1, {"source": str(folder)}, show=False)
    assert made["cases"] == len(counted) and {row["participant"] for row in counted} == {
        people["ana"].code, people["rui"].code}  # fmt: skip
    both = train("cbr-baseline", tmp_path / "all.parquet", 1, {"source": str(folder), "scripted": True}, show=False)
    assert both["cases"] == sum(row["practice"] == "false" for row in cases) > made["cases"]
    players = [agent(f"pvcnps(base={tmp_path / 'people.parquet'})"), agent("balanced")]
    assert play(game("truco", target=6), players, 1).table.over
