"""Stage 4: matches against people are read from records, answers from a table beside them."""

import csv
import json
import math

import pytest

from bolicho import BadInput
from bolicho.agents.agent import agent
from bolicho.agents.play import play
from bolicho.games import game
from bolicho.games.record import write_record
from bolicho.lab.cbr.people import (
    COLUMNS,
    QUALITIES,
    Answer,
    Match,
    answers_figures,
    answers_table,
    clustered_mean,
    clustered_rate,
    experience_figure,
    experiences,
    read_answers,
    read_matches,
    results_table,
)
from bolicho.lab.cbr.published import STAGE_4_ANSWERS, STAGE_4_MATCHES, TABLE_17
from bolicho.lab.study import Measured, run_study
from bolicho.stats import Estimate

PLAYERS = {"1.json": ("human", "pvs"), "2.json": ("pvs", "human"), "3.json": ("human", "balanced"), "4.json": None}


@pytest.fixture
def folder(tmp_path):
    """Made up: three matches in which a scripted player sits for the person, one that nobody plays, one unfinished."""
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
    pvs, balanced = results_table(matches, {name: name for name in "abcd"}).rows
    assert pvs[:3] == ["pvs", "2 of 3", 3] and pvs[3].published == 5 / 13
    assert (pvs[4].estimate.value, pvs[4].published) == (6, 5.28) and pvs[4].estimate.low < 6 < pvs[4].estimate.high
    assert pvs[5] == Measured(Estimate(-12), published=-12)  # of one match: no interval
    assert balanced[:3] == ["balanced", "1 of 1", 1] and balanced[5] is None and balanced[4].published is None


def test_matches_of_one_person_count_as_one_person_s():
    """The same marks by four people tell more than by two people twice, who always answer alike."""
    marks = [1, 1, 5, 5]
    four, two = clustered_mean(marks, list("abcd")), clustered_mean(marks, list("aabb"))
    assert four.value == two.value == 3 and two.high - two.low > four.high - four.low
    one = clustered_mean(marks, list("aaaa"))
    assert one.value == 3 and math.isnan(one.low)
    won = [False, False, True, True]
    alone, pairs = clustered_rate(won, list("abcd")), clustered_rate(won, list("aabb"))
    assert alone.value == pairs.value == 0.5 and 0 <= pairs.low < alone.low and alone.high < pairs.high <= 1
    assert clustered_rate(won, list("aaaa")) == Estimate(0.5, 0.0, 1.0)


def test_winning_everything_is_not_certain():
    for who in ("abcd", "aabb"):
        found = clustered_rate([True] * 4, list(who))
        assert found.value == found.high == 1 and 0 < found.low < 0.9


def test_means_of_table_17_are_not_means_of_its_counts():
    """Rounded or cut off at two digits, only two of the eight are means of so many whole numbers."""
    possible = set()
    for name, (wins, in_wins, in_losses) in TABLE_17.items():
        for count, value in ((wins, in_wins), (STAGE_4_MATCHES - wins, -in_losses)):
            sums = (math.floor(value * count), math.ceil(value * count), math.ceil((value + 0.01) * count) - 1)
            if any(f"{value:.2f}" in (f"{s / count:.2f}", f"{math.floor(100 * s / count) / 100:.2f}") for s in sums):
                possible.add((name, value))
    assert possible == {("pvcs", 11.0), ("pvs", 12.0)}


def test_answers_are_counted_beside_the_published_ones(folder):
    write_answers(folder, ("1.json", "ana", 5, 4, 3, 1, "ten years"), ("2.json", "", 2, 4, 3, 5, ""))
    answers = read_answers(folder / "answers.csv", read_matches(folder)[0])
    rows = {row[1]: row for row in answers_table(answers).rows}
    assert rows["competence"][2].estimate.value == 3.5 and rows["competence"][3:] == ["1 / 0 / 1", "7 / 1 / 5", 0]
    assert rows["fun"][3] == "1 / 0 / 1" and rows["predictability"][3] == "0 / 2 / 0"


def test_blanks_stay_blank(folder):
    write_answers(folder, ("1.json", "ana", "", 4, "", 1, ""), ("2.json", "ana", "", 2, 3, 5, ""))
    answers = read_answers(folder / "answers.csv", read_matches(folder)[0])
    assert answers[0].marks == {"competence": None, "coherence": 4, "predictability": None, "fun": 1}
    rows = {row[1]: row for row in answers_table(answers).rows}
    assert rows["competence"][2:] == [None, "0 / 0 / 0", "7 / 1 / 5", 2]
    assert rows["coherence"][2] == Measured(Estimate(3))  # one person has no interval
    assert (rows["predictability"][2].estimate.value, rows["predictability"][5]) == (3, 1)


def answer(record, who, mark=3, experience="", agent="nps"):
    return Answer(record, agent, who, dict.fromkeys(QUALITIES, mark), experience)


def test_a_person_has_one_experience():
    said = [answer("1", "ana", experience="a year"), answer("2", "ana"), answer("3", ""), answer("4", "rui")]
    assert experiences(said) == {"ana": "a year", "3": "", "rui": ""}
    with pytest.raises(BadInput, match="the experience of 'ana' is 'a year' and 'two'"):
        experiences([*said, answer("5", "ana", experience="two")])
    assert [bar.get_width() for bar in experience_figure(experiences(said)).plot.axes[0].patches] == [1, 2]


def test_figures_18_to_21_show_every_mark_from_1_to_5():
    said = [answer(str(i), str(i), mark) for i, mark in enumerate((1, 2, 2, 5, None))]
    (figure,) = answers_figures(said)
    assert figure.name == "figure-19" and figure.caption.startswith("Figure 19")
    bars = [bar.get_width() for bar in figure.plot.axes[0].patches]
    assert [bars[4 * mark] for mark in range(5)] == [1, 2, 0, 0, 1] and len(bars) == 20


def test_an_agent_with_options_stands_beside_its_policy_as_published():
    as_published = "pvs(retrieval=clusters)"
    said = [answer("1", "", agent="balanced"), answer("2", "", agent="pvs"), answer("3", "", agent=as_published)]
    assert [figure.name for figure in answers_figures(said)] == ["figure-21-1", "figure-21-2", "answers-balanced"]
    assert [row[4] for row in answers_table(said).rows[::4]] == ["7 / 1 / 5", "7 / 1 / 5", None]
    (row,) = results_table([Match("a", as_published, 4)], {"a": "ana"}).rows
    assert row[0] == as_published and row[4].published == 5.28


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([("1.json", "", 6, 4, 3, 1, "")], "row 1: competence is '6', and may be 1 to 5, or blank"),
        ([("1.json", "", 1, 4, 3, 1, ""), ("4.json", "", 1, 1, 1, 1, "")], "row 2: '4.json' is none of the finished"),
        ([("1.json", "", 1, 4, 3, 1, ""), ("1.json", "", 1, 1, 1, 1, "")], "row 2: '1.json' has been answered for"),
    ],
)
def test_answers_that_cannot_be_are_refused(folder, rows, reason):
    write_answers(folder, *rows)
    with pytest.raises(BadInput, match=reason):
        read_answers(folder / "answers.csv", read_matches(folder)[0])


def test_the_study_writes_a_report_and_says_what_it_needs(folder, tmp_path):
    write_answers(folder, ("1.json", "ana", 5, 4, 3, 1, "ten years"), ("3.json", "ana", 2, 4, 3, 5, ""))
    page = run_study("cbr-stage-4", records=folder, out=tmp_path / "report")
    assert "Table 17" in page.read_text() and (tmp_path / "report" / "figure-17.png").exists()
    assert (tmp_path / "report" / "figure-21.png").exists() and "against 2 people" in page.read_text()
    with pytest.raises(BadInput, match="give a folder of records with --records"):
        run_study("cbr-stage-4", out=tmp_path / "none")
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match="there are no records"):
        run_study("cbr-stage-4", records=tmp_path / "empty", out=tmp_path / "none")
    with pytest.raises(BadInput, match="reads no records"):
        run_study("cbr-clusters", records=folder, out=tmp_path / "none")
    write_answers(folder, columns=("match",))
    with pytest.raises(BadInput, match="the columns must be record, participant, competence"):
        run_study("cbr-stage-4", records=folder, out=tmp_path / "none")


def test_published_answers_are_at_most_the_matches():
    assert set(STAGE_4_ANSWERS) == set(TABLE_17)
    assert all(sum(counts) <= STAGE_4_MATCHES for said in STAGE_4_ANSWERS.values() for counts in said.values())
