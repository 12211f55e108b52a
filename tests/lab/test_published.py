"""List of published results: complete, and the same in code, pages and measurements."""

import re
from pathlib import Path

import pytest
import shown_data

from bolicho.agents.cbr.truco import TRUCO
from bolicho.agents.neural.net import load
from bolicho.games import game
from bolicho.lab import published
from bolicho.lab.cbr.published import TABLE_16, TABLE_17_FITS
from bolicho.lab.study import STUDIES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "references.md").read_text()


def test_all_results_are_listed_once():
    names = [(item.work, item.name) for item in published.ITEMS]
    assert len(set(names)) == len(names) == 49, "48 tables and figures, and one appendix"


@pytest.mark.parametrize("item", published.ITEMS, ids=lambda item: f"{item.work}, {item.name}")
def test_every_result_is_reproduced_by_an_existing_study_or_test(item):
    assert item.outcome in published.OUTCOMES
    assert item.work in [work.cited for work in published.WORKS]
    if item.study.startswith("tests/"):
        assert (ROOT / item.study).exists()
    else:
        study = next(study for study in STUDIES if study.name == item.study)
        assert item.work in study.source


def test_the_page_has_the_same_list_and_the_same_works():
    assert "<!-- generated: outcomes -->" in PAGE  # `published.markdown()`
    for work in published.WORKS:
        for words in (work.cited, work.authors, work.title, work.place, work.year):
            assert words in PAGE


def test_the_page_defines_every_outcome():
    assert all(f"*{outcome.capitalize()}*" in PAGE for outcome in published.OUTCOMES)


def test_pages_and_code_cite_authors():
    for path in [*(ROOT / "docs").rglob("*.md"), *(ROOT / "src").rglob("*.py"), ROOT / "README.md"]:
        assert not re.search(r"documents? 00\d", path.read_text()), path


def test_the_published_nets_have_their_published_widths():
    """Pereira 2021, tables 3.6 and 3.8."""
    nets = load(game("wonders"), "neural-wonders")
    assert nets.sizes == (
        (32, 80, 80, 63), (32, 80, 80, 63), (37, 90, 90, 78),
    )  # fmt: skip
    assert nets.facts["plan"]["rate"] == 0.0001


# --- Outcomes by the numbers of their pages ------------------------------------------------------

STUDIES_FOLDER = ROOT / "docs" / "studies"


def shown(page):
    """Return a page with its tables, as the site shows it."""
    return re.sub(
        r"<!-- generated: study_table (\S+) (\S+) -->",
        lambda call: shown_data.study_table(*call.groups()),
        page.read_text(),
    )


STUDY_PAGES = {
    work: shown(STUDIES_FOLDER / f"{name}.md") + shown(STUDIES_FOLDER / "tables" / f"{name}.md")
    for work, name in (("Paulus 2020", "cbr"), ("Rossato 2020", "markov"), ("Pinto 2018", "dominoes"),
                       ("Pereira 2021", "wonders"))
}  # fmt: skip


def item(work, name):
    return next(item for item in published.ITEMS if (item.work, item.name) == (work, name))


def why(name, work="Pereira 2021"):
    return item(work, name).why


def numbers(cell):
    """Return the numbers of a cell: measured first, the published one in brackets last."""
    return [float(number) for number in re.findall(r"-?\d+\.?\d*", cell.replace(",", ""))]


def rows(work, section, *first):
    """The cells after these first ones of all rows that begin so, in a section of a page or of its tables."""
    parts = re.split(r"^#+ ", STUDY_PAGES[work], flags=re.MULTILINE)
    text = "".join(part for part in parts if part.startswith(section.lstrip("# ")))
    assert text, section
    begin = "".join(rf"{re.escape(cell)} \| " for cell in first)
    return [
        [cell.strip() for cell in line.split("|")] for line in re.findall(rf"^\| {begin}(.*)\|$", text, re.MULTILINE)
    ]


def row(section, *first, work="Pereira 2021"):
    """Return the first such row."""
    return rows(work, section, *first)[0]


def test_every_reason_holds_a_number_or_names_another_row():
    """Exempt rows that need people, print no numbers or refer to another row."""
    for one in published.ITEMS:
        elsewhere = one.why.startswith("as figure") or one.outcome in ("needs people", "prints no numbers")
        assert elsewhere or re.search(r"\d", one.why), one


def test_behaviour_is_marked_and_the_mark_is_explained():
    marked = {item.name for item in published.ITEMS if item.behaviour and item.work == "Rossato 2020"}
    assert marked == {f"figure 5.{number}" for number in range(6, 17)}
    assert {item.name for item in published.ITEMS if item.behaviour and item.work == "Pinto 2018"} == {
        "figure 13", "figure 14"}  # fmt: skip
    assert {item.name for item in published.ITEMS if item.behaviour and item.work == "Pereira 2021"} == {
        f"graph 4.{number}" for number in range(1, 5)}  # fmt: skip
    assert f"| differs {published.MARK} |" in published.markdown() and published.LEGEND in published.markdown()
    assert {item.outcome for item in published.ITEMS} == set(published.OUTCOMES)


def test_no_outcome_agrees_by_a_definition_of_this_project():
    """In whole or in part: the outcome is another, and the reason does not say so either."""
    for one in published.ITEMS:
        assert not (one.ours and "agree" in f"{one.outcome} {one.why}"), one
    assert {(one.work, one.name) for one in published.ITEMS if one.outcome == "agrees"} == {
        ("Paulus 2020", "table 5"), ("Rossato 2020", "figure 5.5")}  # fmt: skip


def test_definitions_of_this_project_are_named_where_needed():
    """A result is undecided by a definition, rows that a reason refers to need the same, and the page explains all."""
    assert {name for one in published.ITEMS for name in one.ours} == set(published.DEFINITIONS)
    for one in published.ITEMS:
        assert one.ours or (one.outcome != "undecided" and not re.search(r"\b(ours?|this project)\b", one.why)), one
        if other := re.match(r"as figures? (\d+) .*of (Paulus 2020)$", one.why):
            same = item(other[2], f"figure {other[1]}")
            assert (one.ours, one.outcome, one.behaviour) == (same.ours, same.outcome, same.behaviour)


def test_no_page_claims_more_than_the_list():
    """Pages and titles of studies call nothing exact that rests on a reading of this project."""
    for text in (*STUDY_PAGES.values(), *(study.title for study in STUDIES)):
        assert not re.search(r"exactly as published|agrees? (as|with what was) published|document's own", text)


# --- Paulus 2020

READINGS = ("share", "count", "bar")


def test_places_of_figure_10_are_those_of_the_page():
    cells = [row("### Stage 1", f"as published, PV {words}", work="Paulus 2020")
             for words in ("by share", "by count", "with the bar")]  # fmt: skip
    places = [int(one[2]) for one in cells]
    assert why("figure 10", "Paulus 2020").startswith("pvcnps is {}th, {}th and {}th by the three".format(*places))
    leads = [numbers(one[3])[1] > 0 for one in cells]
    assert leads == [False, False, True] and "lead with the bar alone" in why("figure 10", "Paulus 2020")


def test_shares_of_figure_11_are_those_of_the_page():
    cells = [row("### Stage 2", f"as published at {threshold}, PV {words}", work="Paulus 2020")
             for threshold in ("0.75", "0.98") for words in ("by share", "by count", "with the bar")]  # fmt: skip
    shares = [numbers(one[1]) for one in cells]
    assert all(low > 50 for _, low, _ in shares)
    values = [value for value, *_ in shares]
    published_share = numbers(row("### Stage 2", "(published)", work="Paulus 2020")[0])
    assert f"{min(values)} to {max(values)}% ({100 * published_share[0] / published_share[1]:.1f}% published)" in why(
        "figure 11", "Paulus 2020"
    )
    assert (
        not any(low <= 57.4 <= high for _, low, high in shares) and item("Paulus 2020", "figure 11").outcome != "agrees"
    )


def test_agents_above_half_in_figure_12_are_those_of_the_page():
    shares = {}
    for policy in ("pvcnps", "nps", "pvcs", "pvs"):
        _, *cells = row("### Stage 3", policy, work="Paulus 2020")
        shares[policy] = [numbers(cell)[0] for cell in cells[:3]]
    above = {policy: sum(share > 50 for share in found) for policy, found in shares.items()}
    assert above == {"pvcnps": 0, "nps": 3, "pvcs": 0, "pvs": 2}
    said = f"nps above half in every reading of PV ({min(shares['nps'])} to {max(shares['nps'])}%), pvs in two, "
    assert why("figure 12", "Paulus 2020") == said + "pvcnps and pvcs in none"


def test_means_of_table_16_are_those_of_the_page():
    page = {
        policy: next(row for row in rows("Paulus 2020", "### Stage 3", policy) if " / " in row[0])
        for policy in TABLE_16
    }
    held = []
    for policy, were in TABLE_16.items():
        mine = numbers(page[policy][3])
        held += [value for value, was in zip(mine, were, strict=True) if abs(value - was) <= 0.8]
    said = why("table 16", "Paulus 2020")
    assert len(held) == 3 and "three of eight" in said and all(f"{value}" in said for value in held)
    for reading in (1, 2, 3):
        (won, lost), (nps_won, nps_lost) = (numbers(page[policy][reading]) for policy in ("pvcnps", "nps"))
        assert won < nps_won and lost < nps_lost
    outcome = item("Paulus 2020", "table 16").outcome
    for line in re.findall(r"^\| table 16 \|(.*)\|$", STUDY_PAGES["Paulus 2020"], re.MULTILINE):
        assert line.split("|")[1].strip(" *").startswith(f"{outcome}:"), "one outcome everywhere"


def test_groups_are_those_of_the_page():
    section = "### Appendix B"
    groups = [(one, *map(int, row(section, one, work="Paulus 2020")[:2])) for one in TRUCO.clusterings[:14]]
    mine, were = sum(found for _, found, _ in groups), sum(was for *_, was in groups)
    assert why("appendix B", "Paulus 2020").startswith(f"{mine} groups ({were} published)")
    same = sum(found == was for _, found, was in groups)
    assert f"{same} of {len(groups)} scenarios has the printed number" in why("figure 5", "Paulus 2020")


def test_shares_of_table_12_are_those_of_the_page():
    cells = [row("### Appendix B", str(place), work="Paulus 2020") for place in range(1, 5)]
    mine = ", ".join(one[2].removesuffix("%") for one in cells)
    were = [one[1].removesuffix("%") for one in cells]
    assert were[3] == "0.05" and f"other hands: {mine}% ({', '.join(were[:3])}, 6.52% published" in why(
        "table 12", "Paulus 2020"
    )


def test_table_17_fits_the_numbers_of_matches_that_its_reason_names():
    fits = [sum(fit) for fit in TABLE_17_FITS.values()]
    assert why("table 17", "Paulus 2020").endswith("the rounded means fit {}, {}, {} and {}".format(*fits))


# --- Rossato 2020


def heatmap(name):
    return " ".join(rows("Rossato 2020", "### Heatmaps", name)[0])


def test_numbers_of_heatmaps_are_those_of_the_page():
    grew = row("### The weakest pair", "text", "`unknown`", work="Rossato 2020")[1]
    assert (
        grew.startswith("4 of 12")
        and "4 of 12" in why("figure 5.7", "Rossato 2020")
        and "4 of 12" in heatmap("5.7 Envido")
    )
    for name, title, said in (
        ("figure 5.7", "5.7 Envido", ["488"]), ("figure 5.8", "5.8 Flor", ["7.4%"]),
        ("figure 5.9", "5.9 Truco", ["76", "99%"]), ("figure 5.11", "5.11 Levels", ["51,322"]),
        ("figure 5.5", "5.5, 5.6", ["108 cells"]), ("figure 5.12", "5.12 Envido", ["81 to 96%", "29 to 51%"]),
        ("figure 5.13", "5.13 Flor", ["0.1 to 0.5%"]), ("figure 5.14", "5.14 Truco", ["2.9 to 3.8%", "73"]),
        ("figure 5.15", "5.15 Cards", ["72 to 83%"]),
    ):  # fmt: skip
        assert all(each in heatmap(title) and each in why(name, "Rossato 2020") for each in said), name


def test_shares_of_tables_5_2_to_5_4_are_those_of_the_page():
    """Check the first column of each table: by the text, against the opponents as published."""
    names = ("pvcnps", "nps", "pvcs", "pvs")
    page, work = "### Against the four case-based agents", "Rossato 2020"
    shares = [numbers(row(page, name, work=work)[0]) for name in names]
    values = [value for value, *_ in shares]
    assert why("table 5.2", work).startswith(f"{min(values)} to {max(values)}% (7 to 17% published)")
    wins = [[numbers(cell) for cell in row("Table 5.3", name, work=work)] for name in names]
    mine, theirs = (sum(each[side] for of_name in wins for each in of_name) for side in (0, 1))
    assert why("table 5.3", work).startswith(
        f"{mine:.0f} wins in 2,000 matches, {mine / 20:.1f}% ({theirs:.0f} published"
    )
    first = [numbers(row("Table 5.4", name, work=work)[0]) for name in names]
    assert all(value == 0 for value, *_ in first)
    highest = max(high for *_, high in first)
    assert f"no win in 500 matches against each, at most {highest}%" in why("table 5.4", work)


# --- Pinto 2018


def test_rates_of_table_1_are_those_of_the_page():
    said = why("table 1", "Pinto 2018")
    for game_name, holds in (("draw", False), ("fives", True)):
        cells = row("## Table 1", game_name, work="Pinto 2018")
        (value, low, high), was = numbers(cells[0]), int(cells[1])
        assert (low <= was <= high) == holds and f"{value}%, {was}% published" in said


def test_slow_searches_of_figures_13_and_14_are_those_of_the_page():
    found = [line[-4:] for line in rows("Pinto 2018", "## Figures 13 and 14") if "**plain, slow**" in line]
    (first, *_, last), (*_, fives), (ahead, *_, behind), _ = (
        [int(numbers(cell)[0]) for cell in cells] for cells in found
    )
    thirteen, fourteen = why("figure 13", "Pinto 2018"), why("figure 14", "Pinto 2018")
    assert f"draw ({first}%) and ends far ahead ({last}%)" in thirteen and f"fives {fives}% (67% published" in thirteen
    assert f"lead at draw ({ahead}%)" in fourteen and f"does not last to 1 s ({behind}%" in fourteen
    assert first < 50 < last and behind < 50 < ahead and "published 67" in found[1][-1]


@pytest.mark.parametrize(("name", "game_name"), [("table 2", "draw"), ("table 3", "fives")])
def test_rates_of_pimc_as_published_are_those_of_the_page(name, game_name):
    said = why(name, "Pinto 2018")
    for opponent, words in (("random", "random"), ("rule", "the rule"), ("sarsa", "Sarsa")):
        cells = row(
            "## PIMC with the published parameters", game_name, "pimc, 0.007 s a world", opponent, work="Pinto 2018"
        )
        (value, low, high), was = numbers(cells[0]), int(cells[1])
        told = f"{words} ({value}%, {was}%"
        assert (said.index(told) > said.index("stronger")) == (not low <= was <= high)


@pytest.mark.parametrize(("name", "pair", "rate", "was"),
                         [("2", ("rule", "random"), "61.0", 55), ("3", ("pi", "rule"), "74.2", 68)])  # fmt: skip
def test_rates_of_other_players_are_those_of_the_page_with_their_version(name, pair, rate, was):
    cells = [cell for one in rows("Pinto 2018", f"## Table {name}", *pair) for cell in one]
    assert any(cell.startswith(f"{rate} [") for cell in cells) and str(was) in cells
    assert f"({rate}%, {was}%; version 0.2.0)" in why(f"table {name}", "Pinto 2018")


# --- Pereira 2021


@pytest.mark.parametrize(("name", "agent"), [("graph 4.1", "rules"), ("graph 4.2", "neural"), ("graph 4.4", "dqn")])
def test_points_against_random_players_are_those_of_the_page(name, agent):
    points, military, coins, wonder, civil, science, commerce, guilds = row("### Graphs 4.1", f"`{agent}`")
    ours, _, theirs = numbers(points)
    more = float(re.search(r"([\d.]+) points more", why(name))[1])
    assert ours - theirs == pytest.approx(more, abs=0.1)
    assert all(float(other) < float(military) < float(civil) for other in (coins, wonder, science, commerce, guilds))
    assert name != "graph 4.4" or f"commerce less ({commerce})" in why(name)


def test_accuracies_are_those_of_the_page():
    cells = [row("### Table 3.9", age) for age in ("I", "II", "III")]
    train, were, test_were = (", ".join(one[column] for one in cells) for column in (1, 2, 4))
    means = ", ".join(re.sub(r" \[.*?\]", "", one[3]) for one in cells)
    assert why("table 3.9").startswith(f"train {train}% ({were}% published)")
    assert why("table 3.9").endswith(f"test {means}% ({test_were}% published)")
    held = [low <= was <= high for (_, low, high), (was,) in ((numbers(one[1]), numbers(one[2])) for one in cells)]
    assert held == [False, True, True] and "ages II and III within the interval, age I higher" in why("table 3.9")


def test_means_of_graph_4_3_are_those_of_the_page():
    first, last = (int(numbers(row("### Graph 4.3", games)[0])[0]) for games in ("26 to 250", "2,001 to 5,000"))
    assert f"rise from {first} to {last}" in why("graph 4.3")


def test_the_order_of_the_tournament_is_that_of_the_page():
    cells = {agent: row("### Table 4.1", f"`{agent}`") for agent in ("neural", "rules", "dqn")}
    won = {agent: numbers(cell[1]) for agent, cell in cells.items()}
    assert (
        won["neural"][1] > max(won["rules"][2], won["dqn"][2])
        and max(one[-1] for one in won.values()) == won["neural"][-1]
    )
    assert won["rules"][1] <= won["dqn"][2], "rules and dqn overlap"
    shown = [cells[agent][1].partition(" (")[0].replace("%", "") for agent in ("rules", "dqn")]
    assert "rules and dqn overlap ({} and {}%; {} and {}% published)".format(
        *shown, won["rules"][-1], won["dqn"][-1]
    ) in why("table 4.1")
    assert all(ours > theirs for ours, theirs in (numbers(cell[0]) for cell in cells.values()))
