"""Studies: their results, and the report made from them."""

import json
from importlib import import_module

import pytest
from matplotlib.figure import Figure as Plot

from bolicho import BadInput
from bolicho.lab.study import STUDIES, Effort, Figure, Findings, Measured, Study, Table, run_study, write_report
from bolicho.lab.styles import AGENTS, HABITS
from bolicho.stats import Estimate


def test_a_measured_value_shows_its_interval_and_whether_the_published_one_agrees():
    measured = Measured(Estimate(0.5, 0.4, 0.6), published=0.57, percent=True)
    assert str(measured) == "50.0% [40.0%, 60.0%]" and measured.published_text == "57.0%" and measured.agrees
    assert Measured(Estimate(0.5, 0.4, 0.6), published=0.7).agrees is False
    alone = Measured(Estimate(0.5))  # no interval, so no verdict
    assert str(alone) == "0.5" and alone.agrees is None and alone.published_text == "-"
    assert alone.plain() == {"value": 0.5, "low": None, "high": None, "published": None, "percent": False}


def test_published_values_have_a_separate_column():
    table = Table(
        "t",
        ["agent", "rate", "n"],
        [["a", Measured(Estimate(0.5), published=0.6), 3], ["b", Measured(Estimate(0.25)), None]],
    )
    columns, rows = table.written()
    assert columns == ["agent", "rate", "rate (published)", "n"]
    assert rows == [["a", "0.5", "0.6", "3"], ["b", "0.25", "-", "-"]]
    assert [len(row) for row in table.shown()] == [4, 4]
    plain = Table("t", ["place", "place (published)"], [[1, "below half"]])
    assert plain.written() == (["place", "place (published)"], [["1", "below half"]])
    assert plain.shown() == [["1", "below half"]]


def test_a_report_holds_every_table_and_figure(tmp_path):
    plot = Plot()
    plot.add_subplot().plot([0, 1], [1, 0])
    findings = Findings(
        [Table("Rates", ["x"], [[Measured(Estimate(1.0, 0.5, 2.0), 1.5)]])],
        [Figure("line", plot, "A line")],
        ["A note."],
    )
    page = write_report(Study("s", "A study", "nowhere", "x:y"), findings, "bolicho lab run s", tmp_path)
    html = page.read_text()
    assert "A study" in html and "A note." in html and "bolicho lab run s" in html and "<svg" in html
    assert (tmp_path / "line.png").read_bytes().startswith(b"\x89PNG") and (tmp_path / "line.svg").exists()
    assert (tmp_path / "table-1.csv").read_text().splitlines()[0] == "x,x (published)"
    found = json.loads((tmp_path / "findings.json").read_text())
    assert found["tables"][0]["rows"][0][0] == {
        "value": 1.0,
        "low": 0.5,
        "high": 2.0,
        "published": 1.5,
        "percent": False,
    }


def test_effort_picks_its_size(tmp_path):
    assert Effort(False, 1, 1, tmp_path).pick(quick=1, full=2) == 1
    assert Effort(True, 1, 1, tmp_path).pick(quick=1, full=2) == 2


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_every_study_leads_to_a_function(study):
    module, name = study.home.split(":")
    assert callable(getattr(import_module(module), name))


def test_unknown_study_is_refused_with_a_suggestion():
    with pytest.raises(BadInput, match="did you mean 'styles'"):
        run_study("style")


def test_study_of_styles_orders_calls_of_cautious_balanced_and_aggressive_agents(tmp_path):
    run_study("styles", out=tmp_path, jobs=2)
    tables = {table["title"]: table for table in json.loads((tmp_path / "findings.json").read_text())["tables"]}
    order = [row[0] for row in tables["Standings"]["rows"]]
    assert set(order) == set(AGENTS) and order[-1] == "random"
    assert tables["Habits"]["columns"][1:] == list(HABITS)
    share = {row[0]: row[1]["value"] for row in tables["Habits"]["rows"]}
    assert share["cautious"] < share["balanced"] < share["aggressive"]
