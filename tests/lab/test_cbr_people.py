"""Stage 4: matches against people are read from records, answers from a table beside them."""

import csv
import json

import pytest

from bolicho import BadInput
from bolicho.agents.agent import agent
from bolicho.arena.play import play
from bolicho.games import game
from bolicho.games.record import write_record
from bolicho.lab.cbr_people import COLUMNS, Match, answers_table, read_answers, read_matches, results_table
from bolicho.lab.cbr_published import STAGE_4_ANSWERS, STAGE_4_MATCHES, TABLE_17
from bolicho.lab.study import run_study

PLAYERS = {"1.json": ("human", "pvs"), "2.json": ("pvs", "human"), "3.json": ("human", "balanced"), "4.json": None}


@pytest.fixture
def folder(tmp_path):
    """Three matches in which a scripted player sits for the person, one that nobody plays, one unfinished."""
    for number, (name, players) in enumerate(PLAYERS.items()):
        seated = [agent({"human": "novice", "pvs": "random"}.get(one, one)) for one in players or ("random", "random")]
        table = play(game("truco"), seated, number).table
        table.players = list(players) if players else None
        (tmp_path / name).write_text(write_record(table.record()))
    half = json.loads((tmp_path / "1.json").read_text())
    half["actions"] = half["actions"][:5]
    (tmp_path / "5.jsonl").write_text(json.dumps(half))
    return tmp_path


def write_answers(folder, *rows, columns=COLUMNS):
    with (folder / "answers.csv").open("w", newline="") as file:
        csv.writer(file).writerows([columns, *rows])


def test_finished_matches_against_people_are_read(folder):
    matches, left_out = read_matches(folder)
    assert [(match.record, match.agent) for match in matches] == [
        ("1.json", "pvs"), ("2.json", "pvs"), ("3.json", "balanced")]  # fmt: skip
    assert left_out == 2 and all(match.ahead != 0 for match in matches)
    assert matches[0].ahead < 0  # random cards do not beat a novice


def test_wins_and_differences_stand_beside_table_17():
    matches = [Match("a", "pvs", 4), Match("b", "pvs", 8), Match("c", "pvs", -12), Match("d", "balanced", 3)]
    pvs, balanced = results_table(matches).rows
    assert pvs[:2] == ["pvs", "2 of 3"] and pvs[2].published == 5 / 13
    assert (pvs[3].value, pvs[3].published) == (6, 5.28) and pvs[3].low < 6 < pvs[3].high
    assert (pvs[4].value, pvs[4].low, pvs[4].published) == (-12, None, -12)
    assert balanced[:2] == ["balanced", "1 of 1"] and balanced[4] is None and balanced[3].published is None


def test_answers_are_counted_beside_the_published_ones(folder):
    write_answers(folder, ("1.json", 5, 4, 3, 1, "ten years"), ("2.json", 2, 4, 3, 5, ""))
    answers = read_answers(folder / "answers.csv", read_matches(folder)[0])
    rows = {row[1]: row for row in answers_table(answers).rows}
    assert rows["competence"][2:] == [3.5, "1 / 0 / 1", "7 / 1 / 5"]
    assert rows["fun"][3] == "1 / 0 / 1" and rows["predictability"][3] == "0 / 2 / 0"


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([("1.json", 6, 4, 3, 1, "")], "row 1: competence is '6', and may be 1 to 5"),
        ([("1.json", 1, 4, 3, 1, ""), ("4.json", 1, 1, 1, 1, "")], "row 2: '4.json' is none of the finished"),
        ([("1.json", 1, "", 3, 1, "")], "row 1: coherence is ''"),
    ],
)
def test_answers_that_cannot_be_are_refused(folder, rows, reason):
    write_answers(folder, *rows)
    with pytest.raises(BadInput, match=reason):
        read_answers(folder / "answers.csv", read_matches(folder)[0])


def test_the_study_writes_a_report_and_says_what_it_needs(folder, tmp_path):
    write_answers(folder, ("1.json", 5, 4, 3, 1, "ten years"), ("3.json", 2, 4, 3, 5, ""))
    page = run_study("cbr-stage-4", records=folder, out=tmp_path / "report")
    assert "Table 17" in page.read_text() and (tmp_path / "report" / "answers.png").exists()
    with pytest.raises(BadInput, match="give a folder of records with --records"):
        run_study("cbr-stage-4", out=tmp_path / "none")
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match="there are no records"):
        run_study("cbr-stage-4", records=tmp_path / "empty", out=tmp_path / "none")
    with pytest.raises(BadInput, match="reads no records"):
        run_study("cbr-clusters", records=folder, out=tmp_path / "none")
    write_answers(folder, columns=("match",))
    with pytest.raises(BadInput, match="the columns must be record, competence"):
        run_study("cbr-stage-4", records=folder, out=tmp_path / "none")


def test_published_answers_are_at_most_the_matches():
    assert set(STAGE_4_ANSWERS) == set(TABLE_17)
    assert all(sum(counts) <= STAGE_4_MATCHES for said in STAGE_4_ANSWERS.values() for counts in said.values())
