import io
import re
from html.parser import HTMLParser

import pytest
from matplotlib.figure import Figure
from rich.console import Console

from bolicho.arena import standings
from bolicho.arena.console import show
from bolicho.arena.experiment import Experiment
from bolicho.arena.html_page import ACCENT, SERIES, Page, TableCell, plot_style
from bolicho.arena.run import run
from tests.arena.players import HOME

ODD = f"{HOME}:Raises(after=2, kind=<b>$x$&</b>)"  # a name that HTML and mathematics would misread


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    experiment = Experiment("truco", ["random", f"{HOME}:First", ODD], {"target": 6}, duplicates=4)
    return run(experiment, tmp_path_factory.mktemp("runs") / "report", command="bolicho tournament --of tests")


@pytest.fixture(scope="module")
def page(finished):
    return (finished.folder / "index.html").read_text(encoding="utf-8")


class Reader(HTMLParser):
    """Parser that collects ids, links and text, and checks that every tag is closed."""

    VOID = ("meta", "br", "link", "img")

    def __init__(self):
        super().__init__()
        self.ids, self.links, self.text, self.open = [], [], [], []

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.ids += [values["id"]] if "id" in values else []
        self.links += [values[name] for name in ("href", "src", "xlink:href") if name in values]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def read(page):
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader


def test_page_links_only_to_itself(page):
    reader = read(page)
    assert all(link.startswith("#") for link in reader.links)
    assert {link[1:] for link in reader.links} <= set(reader.ids)
    assert not re.search(r"@import|url\((?!#)", page)


def test_no_id_is_used_twice(page):
    ids = read(page).ids
    assert len(ids) == len(set(ids))


def test_figures_take_the_colours_of_the_page(page):
    assert page.count("<svg") == 3
    assert "#fe0" not in page
    assert "var(--accent)" in page


def test_page_contains_agents_results_forfeits_and_the_command(page, finished):
    text = " ".join(" ".join(read(page).text).split())
    for standing in finished.result["agents"]:
        assert standing["agent"] in text
        assert f"{100 * standing['rate']['value']:.1f}%" in text
    assert "bolicho tournament --of tests" in text
    assert "AttributeError" in text, "reasons of forfeits are listed"
    assert "target = 6" in text
    assert "--row 0" in text


@pytest.mark.parametrize("key", ["built_in", "house"])  # version 0.3 wrote `house`
def test_seed_given_by_hand_is_noted_where_an_agent_is_not_built_in(finished, key):
    def seed(are_built_in):
        agents = [{name: row[name] for name in row if name != "built_in"} for row in finished.result["agents"]]
        agents = [{**row, key: is_so} for row, is_so in zip(agents, are_built_in, strict=True)]
        return standings.facts({**finished.result, "seed": 7, "agents": agents}, finished.made)["Seed"]

    assert seed([True, True, True]) == TableCell("7") and "by hand" in str(seed([True, False, True]))


def test_names_are_text_and_not_html(page):
    assert "<b>" not in page
    assert "kind=&lt;b&gt;$x$&amp;&lt;/b&gt;" in page


def test_the_cross_table_has_a_cell_for_each_pair_both_ways(page, finished):
    for pair in finished.result["pairs"]:
        percent = f"{100 * pair['rate']['value']:.1f}%"
        turned = f"{100 - 100 * pair['rate']['value']:.1f}%"
        one, other = (
            name.replace("<", "&lt;").replace(">", "&gt;").replace("$x$&", "$x$&amp;")
            for name in (pair["agent"], pair["against"])
        )
        assert f"{one} against {other}: {percent}" in page
        assert f"{other} against {one}: {turned}" in page


def test_the_terminal_shows_the_standings(finished):
    terminal = io.StringIO()
    show(finished, Console(width=140, file=terminal))
    text = terminal.getvalue()
    for standing in finished.result["agents"]:
        assert standing["agent"] in text
        assert f"{100 * standing['rate']['value']:.1f}% [{100 * standing['rate']['low']:.1f}, " in text
    assert str(finished.folder / "index.html") in text


def test_narrow_terminal_shows_agents_and_intervals(finished):
    terminal = io.StringIO()
    show(finished, Console(width=80, file=terminal))
    text = terminal.getvalue()
    best = finished.result["agents"][0]
    assert f"{100 * best['rate']['low']:.1f}, {100 * best['rate']['high']:.1f}]" in text
    assert f"[{best['rating']['low']:.0f}, {best['rating']['high']:.0f}]" in text
    assert "random" in text


def test_forty_columns_show_rank_name_and_rate(finished):
    terminal = io.StringIO()
    show(finished, Console(width=40, file=terminal))
    lines = terminal.getvalue().splitlines()
    for place, standing in enumerate(finished.result["agents"], 1):
        won = f"{100 * standing['rate']['value']:.1f}% [{100 * standing['rate']['low']:.1f}, "
        (line,) = (line for line in lines if line.split()[:1] == [str(place)] and "%" in line)
        assert standing["agent"].startswith(line.split()[1]) and won in line and line.rstrip().endswith("]")


# --- Building blocks ------------------------------------------------------------------------------


def test_tables_show_cells_headings_and_captions():
    page = Page("A <title>", "`code` & **weight**")
    page.table(
        [
            {
                "who": "one",
                "points": 1234,
                "share": TableCell("50%", "[40, 60]", heat=-0.5, title='a "tip"', order=0.5),
            },
            {"who": "two", "points": None, "share": TableCell("70%", order=0.7)},
        ],
        "Two of them.",
    )
    text = page.html()
    read(text)
    assert "<title>A &lt;title&gt;</title>" in text
    assert "<code>code</code> &amp; <strong>weight</strong>" in text
    assert '<th class="n">points</th>' in text and "<th>who</th>" in text
    assert '<td class="n" data-order="1234">1,234</td>' in text
    assert '<td class="n lost" style="--heat:50%" title="a &quot;tip&quot;" data-order="0.5">50%' in text
    assert "<caption>Two of them.</caption>" in text


def test_figures_share_no_ids_and_are_reproducible(tmp_path):
    def make():
        page = Page("Figures")
        for colour in (ACCENT, SERIES[3]):
            with plot_style():
                figure = Figure(figsize=(4, 2))
                figure.add_subplot().plot([0, 1], [1, 0], "o-", color=colour)
            page.figure(figure, "A line down.")
        return page

    text = make().html()
    ids = read(text).ids
    assert len(ids) == len(set(ids))
    assert "var(--c3)" in text
    assert text == make().html()
    make().write(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == text


def test_columns_of_numbers_are_marked():
    page = Page("Numbers")
    page.table(
        [{"a": TableCell("−3.2"), "b": TableCell("random")}, {"a": TableCell("+1"), "b": TableCell("3 of them")}]
    )
    assert '<th class="n">a</th><th>b</th>' in page.html()
