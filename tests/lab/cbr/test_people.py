"""Stage 4: matches against people and their answers, as a study exports them."""

import json
import math

import numpy as np
import pytest

from bolicho import BadInput
from bolicho.lab.cbr.export_reader import QUALITIES, AgentMatch, Answer, Export, LeftOut, ParticipantMatch, read_export
from bolicho.lab.cbr.people import (
    answers_table,
    clustered_mark,
    clustered_mean,
    clustered_rate,
    compared_table,
    cronbach,
    results_table,
)
from bolicho.lab.cbr.people_figures import answers_figures, experience_figure
from bolicho.lab.cbr.published import STAGE_4_ANSWERS, STAGE_4_MATCHES, TABLE_17
from bolicho.lab.study import Measured, run_study
from bolicho.stats import Estimate
from bolicho.store.export_schema import PERSON, PLAN, TABLES, write_table
from bolicho.store.flow import Flow

WHO = {"study": "s", "scripted": False}
CHOICES = ("[{value = 'new', text = {en = 'under a year', pt = 'menos de um ano'}},"
           " {value = 'old', text = {en = 'ten years'}}]")  # fmt: skip


def blank(name, **given):
    """Return a row of a table that holds only the given values."""
    return {column.name: None for column in TABLES[name]} | WHO | given


def played(participant, agent, place, ahead, **more):
    points = {"points": 12 - min(ahead, 0), "against": 12 + max(ahead, 0), "ended": "2026-01-01 10:00:00.000"}
    about = {"participant": participant, "agent": agent, "place": place, "practice": False}
    about["match"] = f"{participant}-{place}"
    return blank("matches", **about | points | more)


def match_rows(match, one, other, ahead, place, **more):
    """Return the two rows of a match between participants, of whom the first is ahead by so many points."""
    won = {"winner": "participant" if ahead > 0 else "person"}, {"winner": "person" if ahead > 0 else "participant"}
    rows = played(one, PERSON, place, -ahead, **won[0], **more), played(other, PERSON, place, ahead, **won[1], **more)
    return [row | {"match": match} for row in rows]


def answer_rows(participant, agent, place, marks, **more):
    """Return a participant's answers to the four questions after a match."""
    about = {"participant": participant, "agent": agent, "place": place, **more}
    return [blank("answers", item=item, answer=mark, **about) for item, mark in zip(QUALITIES, marks, strict=True)]


def experience(participant, answer, **more):
    return blank("answers", participant=participant, item="experience", answer=answer, **more)


MATCHES = (played("ana", "pvs", 1, -4), played("ana", "balanced", 2, 3), played("rui", "balanced", 1, 5),
           played("rui", "pvs", 2, -1), played("rui", "nps", 3, 0, ended=None),
           played("bot", "pvs", 1, 9, scripted=True), played("ana", "novice", None, 2, practice=True))  # fmt: skip
ANSWERS = (*answer_rows("ana", "pvs", 1, (5, 4, 3, 1)), *answer_rows("rui", "pvs", 2, (2, None, 3, 5)),
           *answer_rows("ana", "balanced", 2, (1, 1, 1, 1)), *answer_rows("bot", "pvs", 1, (1, 1, 1, 1), scripted=True),
           experience("ana", "old"), experience("rui", None))  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    """Write an invented export: two people, a scripted participant, and withdrawn participants."""
    write_folder(tmp_path)
    return tmp_path


def write_folder(folder, matches=MATCHES, answers=ANSWERS, plan=None, signals=()):
    people = sorted({(row["participant"], row["scripted"]) for row in matches})
    numbers = {"withdrawn": 3, "declined": 2, "finished": 2}
    states = [blank("states", state=state, participants=number) for state, number in numbers.items()]
    rows = {"matches": matches, "answers": answers, "states": states, "signals": signals,
            "participants": [blank("participants", participant=who, scripted=bot) for who, bot in people]}  # fmt: skip
    for name, found in rows.items():
        write_table(folder, name, TABLES[name], found)
    question = f"[[questions]]\nwhen = 'before'\nname = 'experience'\nkind = 'choice'\nchoices = {CHOICES}\n"
    (folder / PLAN).write_text(plan or f"game = 'truco'\n{question}")


def test_finished_matches_of_people_are_read(folder):
    found = read_export(folder)
    assert found.matches == [AgentMatch("ana", "pvs", 1, -4), AgentMatch("ana", "balanced", 2, 3),
                             AgentMatch("rui", "balanced", 1, 5), AgentMatch("rui", "pvs", 2, -1)]  # fmt: skip
    assert found.left_out == LeftOut(unfinished=1, scripted=1, declined=2, withdrawn=3)
    assert found.flow == Flow(7, 0, 2, 5, 3, 0, 0, 0, 2)


def test_scripted_participants_are_shown_only_on_request_and_marked(folder, tmp_path):
    assert {match.participant for match in read_export(folder, scripted=True).matches} == {"ana", "rui", "bot"}
    assert {answer.participant for answer in read_export(folder).answers} == {"ana", "rui"}
    page = run_study("cbr-stage-4", records=folder, out=tmp_path / "all", scripted=True)
    titles = [table["title"] for table in json.loads((page.parent / "findings.json").read_text())["tables"]]
    assert len(titles) == 5 and all(title.endswith("(scripted participants among them)") for title in titles)
    write_folder(folder, [row for row in MATCHES if row["scripted"]])
    with pytest.raises(BadInput, match=r"all participants in .* are scripted; --scripted shows them"):
        read_export(folder)


def test_matches_between_participants_count_for_no_agent(folder, tmp_path):
    """Count two mirrored rows as one match, in a table of its own, without effect on figures of agents."""
    scripted = [played("bot", PERSON, 2, 3, scripted=True), played("rui", PERSON, 5, -3)]
    between = [*match_rows("m", "ana", "rui", 5, 3), *match_rows("late", "ana", "rui", 1, 4, ended=None),
               *(row | {"match": "s"} for row in scripted)]  # fmt: skip
    alone = read_export(folder)
    write_folder(folder, [*MATCHES, *between], [*ANSWERS, *answer_rows("ana", PERSON, 3, (1, 1, 1, 1))])
    found = read_export(folder)
    assert found.meetings == [ParticipantMatch("m", ("ana", "rui"), (17, 12), "ana")]
    assert (found.matches, found.answers) == (alone.matches, alone.answers) and len(found.about_people) == 4
    assert found.left_out.unfinished == 2
    assert results_table(found.matches) == results_table(alone.matches)
    assert str(compared_table(found)) == str(compared_table(alone))
    run_study("cbr-stage-4", records=folder, out=tmp_path / "report")
    tables = {t["title"]: t["rows"] for t in json.loads((tmp_path / "report" / "findings.json").read_text())["tables"]}
    assert tables["Matches between participants"] == [["m", "ana", "rui", "17 to 12", "ana"]]
    assert [row[0] for row in tables["What people answered about other participants"]] == [PERSON] * 4
    assert PERSON not in [row[0] for row in tables["Table 17: against people"] + tables["What people answered"]]


def test_a_study_of_matches_between_participants_alone_has_a_report(folder, tmp_path):
    write_folder(folder, match_rows("m", "ana", "rui", -2, 1), ())
    page = run_study("cbr-stage-4", records=folder, out=tmp_path / "report").read_text()
    assert "Matches between participants" in page


def test_wins_and_differences_are_shown_beside_table_17():
    ahead = {"a": ("pvs", 4), "b": ("pvs", 8), "c": ("pvs", -12), "d": ("balanced", 3)}
    pvs, balanced = results_table([AgentMatch(who, agent, 1, points) for who, (agent, points) in ahead.items()]).rows
    assert pvs[:3] == ["pvs", "2 of 3", 3] and pvs[3].published == 5 / 13
    assert (pvs[4].estimate.value, pvs[4].published) == (6, 5.28) and pvs[4].estimate.low < 6 < pvs[4].estimate.high
    assert pvs[5] == Measured(Estimate(-12), published=-12)  # no interval for one match
    assert balanced[:3] == ["balanced", "1 of 1", 1] and balanced[5] is None and balanced[4].published is None


def test_matches_are_clustered_by_person():
    """Compare the same marks by four people and, with a wider interval, by two people twice."""
    marks = [1, 1, 5, 5]
    four, two = clustered_mean(marks, list("abcd")), clustered_mean(marks, list("aabb"))
    assert four.value == two.value == 3 and two.high - two.low > four.high - four.low
    one = clustered_mean(marks, list("aaaa"))
    assert one.value == 3 and math.isnan(one.low)
    won = [False, False, True, True]
    alone, pairs = clustered_rate(won, list("abcd")), clustered_rate(won, list("aabb"))
    assert alone.value == pairs.value == 0.5 and 0 <= pairs.low < alone.low and alone.high < pairs.high <= 1
    assert clustered_rate(won, list("aaaa")) == Estimate(0.5, 0.0, 1.0)


def test_rate_of_all_wins_still_has_an_interval():
    for who in ("abcd", "aabb"):
        found = clustered_rate([True] * 4, list(who))
        assert found.value == found.high == 1 and 0 < found.low < 0.9


def test_means_of_table_17_are_not_means_of_its_counts():
    """Find that only two of eight means, rounded or cut to two digits, are means of so many whole numbers."""
    possible = set()
    for name, (wins, in_wins, in_losses) in TABLE_17.items():
        for count, value in ((wins, in_wins), (STAGE_4_MATCHES - wins, -in_losses)):
            sums = (math.floor(value * count), math.ceil(value * count), math.ceil((value + 0.01) * count) - 1)
            if any(f"{value:.2f}" in (f"{s / count:.2f}", f"{math.floor(100 * s / count) / 100:.2f}") for s in sums):
                possible.add((name, value))
    assert possible == {("pvcs", 11.0), ("pvs", 12.0)}


def test_agents_are_compared_within_people(folder):
    """Two people played both agents, in the two orders: pvs was 7 and 6 points less ahead, and marks agree with it."""
    rows = {(row[0], row[1]): row for row in compared_table(read_export(folder)).rows}
    assert rows["points ahead", "pvs - balanced"][2].estimate.value == pytest.approx(-6.5)
    assert (
        rows["won", "pvs - balanced"][2].estimate.value == pytest.approx(-1)
        and rows["won", "pvs - balanced"][2].percent
    )
    assert rows["fun", "pvs - balanced"][2] is None  # only Ana answered about both


def test_answers_are_counted_beside_published_ones_and_blanks_stay_blank(folder):
    answers = read_export(folder).answers
    assert [one.mark for one in answers if one.participant == "rui"] == [2, None, 3, 5]
    rows = {row[1]: row for row in answers_table(answers).rows if row[0] == "pvs"}
    assert rows["competence"][2].estimate.value == 3.5 and rows["competence"][3:] == ["1 / 0 / 1", "7 / 1 / 5", 0]
    assert rows["fun"][3] == "1 / 0 / 1" and rows["unpredictability"][3] == "0 / 2 / 0"
    assert rows["coherence"][2] == Measured(Estimate(4)) and rows["coherence"][5] == 1  # no interval for one person


def test_figure_17_has_a_bar_for_every_answer_in_the_order_of_the_question(folder):
    found = read_export(folder)
    assert found.experience == {"ana": "old", "rui": None} and found.steps() == {"ana": 1.0}
    axes = experience_figure(found).plot.axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["under a year", "ten years", "not said"]
    assert [bar.get_width() for bar in axes.patches] == [0, 1, 1]


def answer(who, mark=3, agent="nps"):
    return Answer(who, agent, 1, "fun", mark)


def test_figures_18_to_21_show_every_mark_from_1_to_5():
    marks = [Answer(str(i), "nps", 1, item, mark) for i, mark in enumerate((1, 2, 2, 5, None)) for item in QUALITIES]
    (figure,) = answers_figures(marks)
    assert figure.name == "figure-19" and figure.caption.startswith(
        "Figure 19: what people answered after a match against nps"
    )
    ours, theirs = figure.plot.axes
    assert ours.get_title(loc="left") == "nps: this study" and theirs.get_title(loc="left") == "nps: published"
    assert [bar.get_width() for bar in theirs.patches[8:]] == [9, 12, 9, 9]  # good, by quality
    bars = [bar.get_width() for bar in ours.patches]
    assert [bars[4 * mark] for mark in range(5)] == [1, 2, 0, 0, 1] and len(bars) == 20


def test_agent_with_options_is_shown_beside_its_policy_as_published():
    as_published = "pvs(retrieval=clusters)"
    marks = [answer("1", agent="balanced"), answer("2", agent="pvs"), answer("3", agent=as_published)]
    assert [figure.name for figure in answers_figures(marks)] == ["figure-21-1", "figure-21-2", "answers-balanced"]
    assert [row[4] for row in answers_table(marks).rows[::4]] == ["7 / 1 / 5", "7 / 1 / 5", None]
    (row,) = results_table([AgentMatch("a", as_published, 1, 4)]).rows
    assert row[0] == "pvs" and row[4].published == 5.28
    assert [row[0] for row in answers_table(marks).rows[::4]] == ["pvs", "pvs(retrieval=clusters)", "balanced"]


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        (answer_rows("ana", "pvs", 1, (6, 4, 3, 1)), "row 1: competence is '6', and may be 1 to 5, or blank"),
        (answer_rows("ana", "pvs", 1, (1, "four", 3, 1)), "row 2: coherence is 'four', and may be 1 to 5, or blank"),
        (answer_rows("ana", None, None, (1, 1, 1, 1)), "row 1: competence is a question about a match"),
    ],
)
def test_invalid_answers_are_refused(folder, answers, reason):
    write_folder(folder, answers=answers)
    with pytest.raises(BadInput, match=reason):
        read_export(folder)


def test_study_writes_a_report_and_names_missing_inputs(folder, tmp_path):
    page = run_study("cbr-stage-4", records=folder, out=tmp_path / "report").read_text()
    assert "Table 17" in page and "against 2 participants" in page and "least squares" in page
    assert "scripted participants among" not in page
    assert {path.name for path in (tmp_path / "report").glob("*.png")} == {
        "flow.png", "figure-17.png", "figure-21.png", "answers-balanced.png"}  # fmt: skip
    write_folder(folder, answers=())
    page = run_study("cbr-stage-4", records=folder, out=tmp_path / "unasked").read_text()
    assert "The agents compared" in page and "What people answered" not in page
    for records, reason in ((None, "give the folder of `bolicho study export`"), (tmp_path / "none", "no plan.toml")):
        with pytest.raises(BadInput, match=reason):
            run_study("cbr-stage-4", records=records, out=tmp_path / "none")
    for wrong in ({"records": folder}, {"scripted": True}):
        with pytest.raises(BadInput, match="reads no records"):
            run_study("cbr-clusters", out=tmp_path / "none", **wrong)
    (folder / "answers.csv").write_text("match\n")
    with pytest.raises(BadInput, match="the columns must be study, participant, scripted"):
        run_study("cbr-stage-4", records=folder, out=tmp_path / "none")
    write_folder(folder, plan="game = 'dominoes'")
    with pytest.raises(BadInput, match=r"about truco, and .* about 'dominoes'"):
        run_study("cbr-stage-4", records=folder, out=tmp_path / "none")


def test_differences_that_cannot_be_estimated_are_dashes():
    table = compared_table(Export([AgentMatch("ana", "pvs", 1, 3), AgentMatch("ana", "nps", 2, 3)], [], {}, {}))
    assert [row[2:] for row in table.rows] == [[None] * 4] * 2


def test_published_answers_are_not_more_than_the_matches():
    assert set(STAGE_4_ANSWERS) == set(TABLE_17)
    assert all(sum(counts) <= STAGE_4_MATCHES for said in STAGE_4_ANSWERS.values() for counts in said.values())


def test_mean_of_marks_has_an_interval_inside_the_scale():
    high = clustered_mark([5, 5, 5, 4], list("abcd"))
    assert high.value == 4.75 and 1 <= high.low < 4.75 < high.high <= 5
    assert clustered_mean([5, 5, 5, 4], list("abcd")).high > 5  # of the linear interval
    alike = clustered_mark([5] * 8, list("aabbccdd"))
    assert alike.value == alike.high == 5 and 2 < alike.low < 5
    assert not clustered_mark([3, 4], ["a", "a"]).has_interval


@pytest.mark.parametrize("people", [12, 40])
def test_intervals_of_means_of_marks_cover_them(people):
    """Draw participants with a mean of their own and four marks each, on a skewed scale."""
    rng, held, truth = np.random.default_rng(7), [], []
    level = np.clip(rng.normal(4.2, 0.7, 200_000), 1, 5)
    marks = np.clip(np.rint(level[:, None] + rng.normal(0, 0.8, (200_000, 4))), 1, 5)
    truth = marks.mean()
    for _ in range(500):
        some = marks[rng.integers(0, len(marks), people)]
        found = clustered_mark(list(some.ravel()), [str(i) for i in range(people) for _ in range(4)])
        held.append(found.low <= truth <= found.high)
    assert 0.93 <= np.mean(held) <= 0.985


ITEMS = """game = 'truco'
[[questions]]
name = 'fun'
[[questions]]
name = 'dull'
construct = 'fun'
reverse = true
"""


def test_items_of_a_construct_make_one_mark(folder):
    """Turn the reversed item, average what is not blank, and count a page as blank only if all items are."""

    def page(who, fun, dull):
        about = {"participant": who, "agent": "pvs", "place": 1}
        return [blank("answers", item="fun", answer=fun, **about),
                blank("answers", item="dull", answer=dull, construct="fun", **about)]  # fmt: skip

    write_folder(folder, answers=[*page("ana", 4, 1), *page("rui", 2, None), *page("bot", None, None)], plan=ITEMS)
    found = read_export(folder, scripted=True)
    assert [(one.participant, one.mark) for one in found.answers] == [("ana", 4.5), ("rui", 2.0), ("bot", None)]
    assert found.items == {"fun": [{"fun": 4.0, "dull": 5.0}]}


def test_alpha_equals_its_definition_by_correlations():
    rng = np.random.default_rng(1)
    base = rng.normal(size=200)
    marks = np.column_stack([base + rng.normal(size=200) for _ in range(3)])
    scaled = marks / marks.std(axis=0, ddof=1)  # with equal variances alpha is that of Spearman and Brown
    mean = (np.corrcoef(scaled.T).sum() - 3) / 6
    found = cronbach([dict(zip("abc", row, strict=True)) for row in scaled])
    assert found == pytest.approx(3 * mean / (1 + 2 * mean))
    assert cronbach([{"a": 3, "b": 3}, {"a": 3, "b": 3}]) is None


def test_report_in_portuguese_and_spanish(folder, tmp_path):
    signal = blank("signals", participant="ana", signal="trap", count=1, of=4)
    write_folder(folder, signals=[signal])
    for language, said in (("pt", "O que as pessoas responderam"), ("es", "Lo que respondieron las personas")):
        page = run_study("cbr-stage-4", records=folder, out=tmp_path / language, language=language)
        text = page.read_text()
        assert said in text and f'<html lang="{language}">' in text and f"--language {language}" in text
        assert "What people" not in text and "participants" not in text.replace("--", "")
    tables = json.loads((tmp_path / "pt" / "findings.json").read_text())["tables"]
    assert next(t["rows"] for t in tables if t["title"].startswith("Sinais")) == [
        ["preencheu campo oculto", 1, 1, "ana"]]  # fmt: skip
    with pytest.raises(BadInput, match="written in English alone"):
        run_study("cbr-clusters", out=tmp_path / "none", language="pt")


def test_one_participant_is_written_in_the_singular(folder, tmp_path):
    write_folder(folder, [row for row in MATCHES if row["participant"] == "ana"])
    page = run_study("cbr-stage-4", records=folder, out=tmp_path / "one").read_text()
    assert "against 1 participant." in page


def test_quality_of_the_first_plans_keeps_its_meaning(folder):
    """Read `predictability`, of which 5 was very unpredictable, under the name of its high end."""
    about = {"participant": "ana", "agent": "pvs", "place": 1}
    write_folder(folder, answers=[blank("answers", item="predictability", answer=5, **about)])
    (found,) = read_export(folder).answers
    assert (found.quality, found.mark) == ("unpredictability", 5)
