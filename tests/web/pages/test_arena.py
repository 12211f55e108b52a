"""The arena in Chromium: tournaments, trainings, sandboxed reports, accessibility."""

import pytest

from bolicho.arena.experiment import Experiment
from bolicho.arena.run import run as play
from bolicho.lab.study import Findings, Study, Table, write_report
from tests.web.arena.lab import SLOW, table_of
from tests.web.pages.test_access import LOOKS, check
from tests.web.pages.visitor import PHONE, Visitor

DEALS = 100
REFUSED = "SecurityError"


@pytest.fixture
def visit(browser, arena):
    """Make researchers with separate browser contexts, and check at the end that their pages had no errors."""
    visitors = []

    def make(settings=None, **context):
        visitors.append(Visitor(browser, arena.served.base, settings, **context))
        # The visitor's scripts and axe run in every frame; the sandbox of a report refuses them.
        visitors[-1].allowed = ["localStorage.*sandboxed", "postMessage"]
        return visitors[-1]

    yield make
    for visitor in visitors:
        visitor.close()


@pytest.fixture(scope="module")
def lab(arena):
    """A finished tournament of three, and a report."""
    agents = ["random", "novice", "balanced"]
    finished = play(Experiment("truco", agents, {"hands": 1}, duplicates=40), arena.runs / "three", 1)
    table = Table("A table", ["agent", "games"], [["random", 3], ["novice", 12]])
    study = Study("styles", "A title", "ours", "none:none")
    write_report(study, Findings([table]), "bolicho lab run styles --quick --seed 1", arena.reports / "styles-quick")
    return finished


def come_in(visitor, arena, path="/arena"):
    visitor.go(path)
    visitor.page.locator("#token").fill(arena.token)
    visitor.page.locator(".door .main").click()
    return visitor.page


def test_tournament_works_from_the_form_to_the_replay(arena, visit):
    ana = visit()
    page = come_in(ana, arena)
    page.locator("a[href='#new']").click()
    page.locator("#seek").fill("seldom bets")
    page.locator(".gallery input").first.check()  # found by its description
    page.locator("#seek").fill(SLOW)
    page.get_by_role("button", name=f"Add {SLOW}").click()
    page.locator("[name=duplicates]").fill(str(DEALS))
    page.locator("[name=name]").fill("from the form")
    page.locator("[name=target]").select_option("12")
    assert page.locator(".chip").all_inner_texts() == ["novice ×", f"{SLOW} ×"]
    assert f"{2 * DEALS} games" in page.locator("#count").inner_text()
    page.locator(".tournament .main").click()

    page.locator("#cross-title").wait_for()  # as soon as the first games are finished
    page.wait_for_function(
        "() => { const {value, max} = document.querySelector('progress'); return value > 0 && value < max; }"
    )
    assert page.locator(".state").inner_text() == "running"
    page.locator("#stop").click()
    page.locator("#go").wait_for()
    done = page.evaluate("document.querySelector('progress').value")
    assert 0 < done < 2 * DEALS and page.locator(".cross button").count() == 2
    page.locator("[data-row] a").first.wait_for()  # games played so far
    page.locator("#go").click()
    page.locator(".state[data-state=done]").wait_for()
    assert page.evaluate("document.querySelector('progress').value") == 2 * DEALS
    again = play(Experiment("truco", ["novice", SLOW], {"target": 12}, duplicates=DEALS), arena.runs / "again", 1)
    assert table_of(arena.runs / "from the form") == table_of(again.folder)

    page.locator(f"[data-pair='novice|{SLOW}']").click()
    page.locator("[data-row='7'] a").click()
    page.locator("#table[data-ply='0']").wait_for()
    page.locator("#next").click()
    page.locator("#table[data-ply='1']").wait_for()
    page.locator("#eyes").select_option("1")
    page.locator("#why").click()
    page.locator("#reason .decided").wait_for()
    page.reload()
    page.locator("#table[data-ply='1']").wait_for()  # from the link alone
    page.locator("#back-to-run").click()
    page.locator("#cross-title").wait_for()


def test_training_works_from_the_form_to_a_tournament_with_its_base(arena, visit):
    ana = visit()
    ana.context.set_default_timeout(600_000)  # a training has the lowest priority on the machine
    page = come_in(ana, arena)
    page.locator("a[href='#train']").click()
    page.locator("[name=training]").select_option("cbr-learned")
    assert page.locator("[name=base] option").first.inner_text() == "baseline"
    page.locator("[name=cases]").fill("4000")
    assert page.locator("[name=groups] option").all_inner_texts()[1] == "that of the first base"
    page.locator("[name=name]").fill("by a visitor")
    page.locator(".tournament .main").click()
    card = page.locator("[data-training='by a visitor']")
    page.locator("[data-training='by a visitor'] progress[max='4000']").wait_for()
    assert card.locator(".state").inner_text() == "learning"
    card.locator("[data-do=stop]").click()
    card.locator("[data-do=go]").wait_for()
    card.locator("[data-do=go]").click()
    page.locator("[data-training='by a visitor'][data-state=done]").wait_for()
    assert "4,000 of 4,000 cases" in card.inner_text()

    page.locator("a[href='#new']").click()
    page.locator(".agent-options summary").click()
    page.locator("[name=of]").select_option("pvcnps")
    page.locator("[name=of-base]").select_option(label="by a visitor")
    page.locator("#add-choice").click()
    base = arena.trained / "by a visitor" / "by a visitor.parquet"
    assert page.locator(".chip").all_inner_texts() == [f'pvcnps(base="{base}") ×']
    page.locator("#seek").fill("novice")
    page.locator(".gallery input").first.check()
    page.locator("[name=duplicates]").fill("2")
    page.locator("[name=name]").fill("with its base")
    page.locator(".tournament .main").click()
    page.locator(".state[data-state=done]").wait_for()
    assert arena.look("with its base")["agents"][0] == f"pvcnps(base={base})"


def test_downloads_and_table_match_the_files_of_the_run(arena, visit, lab):
    ana = visit()
    page = come_in(ana, arena, "/arena#run=three")
    for file in ("games.parquet", "result.json"):
        with page.expect_download() as kept:
            page.locator(f"[data-file='{file}']").click()
        assert kept.value.path().read_bytes() == (lab.folder / file).read_bytes()
    shares = [cell.split("\n")[0] for cell in page.locator(".cross button").all_inner_texts()]
    wanted = [pair["rate"]["value"] for pair in lab.result["pairs"]]
    assert {f"{100 * share:.1f}%" for rate in wanted for share in (rate, 1 - rate)} == set(shares)


def test_report_is_shown_in_a_sandbox(arena, visit, lab):
    ana = visit()
    page = come_in(ana, arena, "/arena#report=styles-quick")
    box = page.frame_locator("iframe")
    box.get_by_role("heading", name="A title").wait_for()
    head = box.locator("th", has_text="games")
    head.click()  # the only script that may run sorts tables
    head.click()
    assert box.locator("tbody td").first.inner_text() == "novice"
    frame = page.frames[1]
    for what in ("sessionStorage", "localStorage", "parent.document"):
        assert (
            frame.evaluate(f"() => {{ try {{ return {what}; }} catch (problem) {{ return problem.name; }} }}")
            == REFUSED
        )
    assert frame.evaluate("origin") == "null"


def test_arena_opens_only_with_a_valid_token(arena, visit, lab):
    ana = visit()
    ana.allowed += ["401"]
    ana.go("/arena#run=three")
    page = ana.page
    page.locator("#token").fill("x" * 32)
    page.locator(".door .main").click()
    page.locator(".door .sorry").wait_for()
    assert page.evaluate("sessionStorage.length") == 0
    page.locator("#token").fill(arena.token)
    page.locator(".door .main").click()
    page.locator("#cross-title").wait_for()
    page.locator("#leave").click()
    page.locator("#token").wait_for()


def test_page_of_a_run_is_accessible(arena, visit, lab):
    ana = visit()
    page = come_in(ana, arena, "/arena#run=three")
    page.locator("[data-row]").first.wait_for()
    for look in LOOKS:
        check(ana, "run", [look])
        page.locator("[data-row]").first.wait_for()


@pytest.mark.parametrize(
    "path, ready",
    [("", "[data-report]"), ("#new", ".gallery li"), ("#train", "[name=training]"), ("#report=styles-quick", "iframe")],
)
def test_other_pages_of_the_arena_are_accessible(arena, visit, lab, path, ready):
    ana = visit()
    page = come_in(ana, arena, f"/arena{path}")
    page.locator(ready).first.wait_for()
    for look in LOOKS[:2] if ready == "iframe" else LOOKS:  # a report has no themes
        page.locator(ready).first.wait_for()
        check(ana, path or "list", [look])


@pytest.mark.parametrize(
    "path, ready",
    [("", "[data-run]"), ("#new", ".gallery li"), ("#train", "[name=training]"), ("#run=three", "[data-row]")],
)
def test_arena_fits_a_phone(arena, visit, lab, path, ready):
    ana = visit({"language": "pt", "theme": "dark"}, **PHONE)
    page = come_in(ana, arena, f"/arena{path}")
    page.locator(ready).first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    check(ana, f"phone {path}", [LOOKS[3]])
