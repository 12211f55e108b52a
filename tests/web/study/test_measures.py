"""Checks, scales of several items, orders of questions, debriefing, panels, and what browsers measure."""

import pytest

from bolicho.errors import BadInput
from bolicho.store import studies
from bolicho.store.export_schema import TABLES, read_table
from bolicho.store.studies import StepRow
from bolicho.web.study.export import export_folder
from bolicho.web.study.participation import way
from bolicho.web.study.plan import read_plan
from bolicho.web.study.questions import shuffled
from bolicho.web.study.signals import Signal, seen, signals
from tests.web.running import said
from tests.web.study.plans import plan
from tests.web.study.test_participation import rows

CHECKS = """
[[questions]]
when = "instructions"
name = "target"
kind = "choice"
correct = "4"
text = {en = "How many points?", pt = "Quantos pontos?"}
choices = [{value = "4", text = {en = "4", pt = "4"}}, {value = "9", text = {en = "9", pt = "9"}}]

[[questions]]
when = "after"
name = "attention"
kind = "scale"
correct = 2
points = 5
text = {en = "Mark 2.", pt = "Marque 2."}
low = {en = "low", pt = "baixo"}
high = {en = "high", pt = "alto"}

[[questions]]
when = "match"
name = "dull"
kind = "scale"
points = 5
construct = "joy"
reverse = true
text = {en = "Was it dull?", pt = "Foi chato?"}
low = {en = "no", pt = "não"}
high = {en = "very", pt = "muito"}

[debriefing]
text = {en = "This was about styles.", pt = "Foi sobre estilos."}

[panel]
code = "DONE-1"
link = "https://panel.example/complete?cc=DONE-1&id={id}"
declined = "https://panel.example/complete?cc=NO"

[thanks]
"""
MEASURED = {"read": 12.5, "away": 1, "keys": 7, "touches": 3, "pastes": 0, "trap": False, "driver": False}


def checked(**options):
    """Return the plan of tests with checks, a construct, a debriefing and a panel."""
    return plan(**options).replace("[thanks]\n", CHECKS)


@pytest.fixture
def checks(study, monkeypatch):
    """Make studies with checks."""
    monkeypatch.setattr("tests.web.study.conftest.plan", checked)
    return study


def post(guest, answers, **measured):
    """Answer the current step with what a browser has measured."""
    number = guest.me()["step"]["number"]
    return guest.post("me", {"step": number, "answers": answers, "measured": measured or MEASURED})


def fields(text, **changed):
    for old, new in changed.items():
        text = text.replace(old, new)
    return read_plan(text)


# --- Plans ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('correct = "4"', "", r"question 5 \(target\): correct is missing"),
        ('correct = "4"', 'correct = "5"', "correct must be the value of one of its choices, not '5'"),
        ("correct = 2", "correct = 6", "correct must be a mark of the scale, not 6"),
        ('construct = "joy"', "correct = 2\nconstruct = 'joy'", "a check measures no construct"),
        ('construct = "joy"', 'construct = "fun"\npoints = 5', "Cannot overwrite a value|two times|same key"),
        ('link = "https://panel', 'link = "http://panel', "must be an address that begins with https://"),
        ('code = "DONE-1"\nlink', "declined2", "unknown key|the key|a code, a link, or both"),
    ],
)
def test_invalid_checks_and_panels_are_refused(old, new, reason):
    text = checked()
    assert old in text
    with pytest.raises(BadInput, match=reason):
        read_plan(text.replace(old, new))


def test_items_of_a_construct_need_one_scale():
    with pytest.raises(BadInput, match="fun and dull measure fun, so both need the same `when` and `points`"):
        read_plan(checked().replace('points = 5\nconstruct = "joy"', 'points = 7\nconstruct = "fun"'))


def test_demographics_are_asked_by_name_in_the_languages_of_the_study():
    made = read_plan(plan(more='demographics = ["age", "gender"]'))
    age, gender, _ = made.asked("before")
    assert age.text == {"en": "How old are you?", "pt": "Qual é a sua idade?"} and gender.name == "gender"
    assert [value for value, _ in age.choices][-2:] == ["65+", "unsaid"]
    with pytest.raises(BadInput, match="demographic question 'income'"):
        read_plan(plan(more='demographics = ["income"]'))


def test_steps_with_checks_and_debriefing():
    names = [step.name for step in way(read_plan(checked(practice="")))]
    assert names[:4] == ["consent", "instructions", "comprehension", "comprehension"]
    assert names[-3:] == ["after", "debriefing", "thanks"]


def test_reversed_marks_are_turned():
    dull = next(one for one in read_plan(checked()).questions if one.name == "dull")
    assert [dull.mark(answer) for answer in (1, 3, 5)] == [5, 3, 1] and dull.scale == "joy"


# --- Pages ------------------------------------------------------------------------------------------


def test_wrong_answers_on_the_instructions_show_them_once_more(checks):
    one = checks(practice="")
    wrong, right = one.invite(), one.invite()
    for guest in (wrong, right):
        guest.do({"agree": True})
        guest.do()
        assert "correct" not in str(guest.me()["step"]) and "text" not in guest.me()["step"]
    again = wrong.do({"target": "9"}).json()["step"]
    assert again["name"] == "comprehension" and again["text"]["en"] == "Play as you like."
    assert wrong.do({"target": "9"}).json()["step"]["name"] == "before"  # after two attempts the study goes on
    assert right.do({"target": "4"}).json()["step"]["name"] == "before"
    skipped = [row["name"] for row in rows(one, "steps") if row["step"] == 4]
    assert sorted(skipped) == ["comprehension", "skipped"]


def test_debriefing_names_the_agents_and_the_panel_gets_its_code(checks):
    one = checks(practice="", order="fixed")
    guest = one.invite()
    step = guest.go("debriefing")
    assert [(who["label"], who["name"]) for who in step["opponents"]] == [
        ("Opponent 1", "cautious"), ("Opponent 2", "bluffer"),
    ]  # fmt: skip
    panel = guest.go("thanks")["panel"]
    assert panel == {"code": "DONE-1", "link": "https://panel.example/complete?cc=DONE-1&id={id}"}
    assert one.invite().post("decline", {}).json()["link"] == "https://panel.example/complete?cc=NO"


def test_random_orders_of_questions_are_stable_and_exported(checks, tmp_path):
    one = checks(practice="", more='question_order = "random"')
    guests = [one.invite() for _ in range(8)]
    codes, orders = [], set()
    for guest in guests:
        shown = [item["name"] for item in guest.go("questions")["items"]]
        assert shown == [item["name"] for item in guest.me()["step"]["items"]]
        guest.do({"fun": 3, "dull": 2})
        orders.add(tuple(shown))
        codes.append((guest.me()["code"], shown))
    assert len(orders) > 2
    export_folder(one.engine, one.id, tmp_path / "data")
    found = read_table(tmp_path / "data", "answers", TABLES["answers"])
    for code, shown in codes:
        mine = [row for row in found if row["participant"] == code and row["name"] == "questions"]
        assert [row["item"] for row in sorted(mine, key=lambda row: row["position"])] == shown
        assert {row["construct"] for row in mine if row["item"] == "dull"} == {"joy"}


def test_orders_of_questions_are_equally_likely():
    questions = read_plan(checked()).asked("match")
    orders = [tuple(one.name for one in shuffled(questions, str(seed))) for seed in range(1200)]
    counts = [orders.count(order) for order in set(orders)]
    assert len(counts) == 6 and min(counts) > 150 and max(counts) < 250


# --- Measurements -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kept", [False, True])
def test_only_the_visible_time_is_stored_without_signals(study, kept):
    one = study(more=f"signals = {str(kept).lower()}")
    guest = one.invite()
    post(guest, {"agree": True})
    post(guest, {})
    stored = [row.measured for row in studies.read_steps(one.engine.connect(), one.id) if row.done is not None]
    assert stored == [MEASURED if kept else {"read": 12.5}] * 2
    consent = rows(one, "steps", name="consent")[0]
    assert consent["done"] - consent["shown"] == pytest.approx(12.5)


@pytest.mark.parametrize(
    "wrong", [{"read": -1}, {"read": 1e9}, {"keys": 3}, {"read": 1, "keys": "x"}, {"read": 1, "typed": "secret"}]
)
def test_invalid_measurements_are_refused(study, wrong):
    guest = study().invite()
    assert guest.post("me", {"step": 1, "answers": {"agree": True}, "measured": wrong}).status_code == 422


def play_timed(guest, took):
    """Play one action of the current match, over HTTP, with the time of a decision; return ply and response."""
    step = guest.me()["step"]
    path = f"/api/matches/{step['match']}"
    told = guest.served.get(f"{path}/view", step["token"]).json()
    action = next(one["action"] for one in told["view"]["legal"] if one["action"] not in ("baralho", "nao"))
    body = {"ply": told["ply"], "action": action, "took": took}
    return step, told["ply"], guest.served.post(f"{path}/moves", body, step["token"])


def decisions(one):
    with one.engine.connect() as connection:
        return studies.read_decision_times(connection, one.id)


def test_time_of_a_decision_is_stored_once_and_only_if_it_can_be_true(study):
    one = study()
    guest = one.invite()
    guest.go("match")
    code = guest.me()["code"]
    step, ply, done = play_timed(guest, 0.25)
    assert done.status_code == 200 and decisions(one) == {code: [0.25]}
    again = guest.served.post(
        f"/api/matches/{step['match']}/moves",
        {"ply": ply, "action": done.json()["view"]["legal"] and "x", "took": 0.3}, step["token"],
    )  # fmt: skip
    assert again.status_code in (409, 422) and decisions(one) == {code: [0.25]}
    play_timed(guest, 500.0)  # longer than the turn
    assert decisions(one) == {code: [0.25]}
    guest.post("withdraw", {"sure": True})
    assert decisions(one) == {} and step["match"] not in str(rows_of_decisions(one))


def rows_of_decisions(one):
    from bolicho.store.tables import decisions as table

    with one.engine.connect() as connection:
        return [tuple(row) for row in connection.execute(table.select())]


def test_times_of_practice_and_of_other_matches_are_not_kept_for_signals(study):
    one = study()
    guest = one.invite()
    guest.go("practice")
    play_timed(guest, 0.25)
    assert decisions(one) == {} and any(row[2] == 0.25 for row in rows_of_decisions(one))


def test_decision_over_a_socket_is_timed(study):
    one = study()
    guest = one.invite()
    step = guest.go("match")
    with guest.served.live(step["match"], step["token"]) as line:
        view = line.hear()["view"]
        action = next(one["action"] for one in view["legal"] if one["action"] not in ("baralho", "nao"))
        line.say(do="move", ply=view["ply"], action=action, took=0.125)
        line.hear()
    assert decisions(one) == {guest.me()["code"]: [0.125]}


# --- Signals ----------------------------------------------------------------------------------------


def page(step, name, answers=None, **measured):
    return StepRow("abc", step, name, 0.0, 1.0, answers or {}, {**MEASURED, **measured})


def test_signals_of_a_careful_participant_are_judged_and_absent():
    made = fields(checked(more="signals = true"), **{'version = "v-7"': 'version = "v-7"\nseconds = 10'})
    pages = [page(1, "consent"), page(3, "comprehension", {"target": "4"}),
             page(6, "questions", {"fun": 3, "dull": 1, "remarks": "nice"}),
             page(9, "after", {"attention": 2})]  # fmt: skip
    found = signals(made, pages, [0.5] * 20)
    assert seen(found) == []
    assert {one.name for one in found} == {"attention", "comprehension", "reading", "decisions", "pasted", "untyped",
                                           "untouched", "trap", "driver"}  # fmt: skip


@pytest.mark.parametrize(
    ("pages", "decided", "signal"),
    [
        ([page(9, "after", {"attention": 3})], [], Signal("attention", 1, 1)),
        ([page(3, "comprehension", {"target": "9"}), page(4, "comprehension", {"target": "9"})], [],
         Signal("comprehension", 1, 1)),
        ([page(1, "consent", read=9.0)], [], Signal("reading", 1, 1)),
        ([], [0.2] * 10, Signal("decisions", 1, 1)),
        ([page(9, "after", {"last": "words"}, pastes=1, keys=0)], [], Signal("pasted", 1, 1)),
        ([page(9, "after", {"last": "many words here"}, keys=2)], [], Signal("untyped", 1, 1)),
        ([page(2, "instructions", keys=0, touches=0)], [], Signal("untouched", 1, 1)),
        ([page(2, "instructions", trap=True), page(3, "before")], [], Signal("trap", 1, 2)),
        ([page(2, "instructions", driver=True)], [], Signal("driver", 1, 1)),
    ],
)  # fmt: skip
def test_each_signal_is_reported(pages, decided, signal):
    made = fields(checked(more="signals = true"), **{'version = "v-7"': 'version = "v-7"\nseconds = 10'})
    assert signal in signals(made, pages, decided)


def test_same_mark_everywhere_is_reported_from_the_second_questionnaire_on():
    text = checked().replace('name = "remarks"\nkind = "text"', 'name = "third"\nkind = "scale"\npoints = 5\n'
                             'low = {en = "a", pt = "a"}\nhigh = {en = "b", pt = "b"}')  # fmt: skip
    made = read_plan(text)
    alike, varied = {"fun": 3, "dull": 3, "third": 3}, {"fun": 3, "dull": 2, "third": 3}
    for given, count in (([alike, varied], 0), ([alike, alike, varied], 2)):
        pages = [page(5 + number, "questions", answers) for number, answers in enumerate(given)]
        assert Signal("alike", count, len(given)) in signals(made, pages, [])


def test_few_decisions_are_not_judged_and_signals_need_the_plan():
    found = {one.name for one in signals(read_plan(checked()), [page(2, "instructions", driver=True)], [0.1] * 9)}
    assert found == set()


def test_signal_excludes_nobody(checks, researcher):
    one = checks(practice="", more="signals = true")
    guest = one.invite()
    for answers in ({"agree": True}, {}):
        post(guest, answers, **{**MEASURED, "driver": True})
    guest.go("thanks")
    told = one.served.get(f"/api/research/studies/{one.id}", researcher).json()
    assert told["participants"][0]["signals"] == ["driver"] and told["finished"] == 1
    assert said(guest.post("decline", {})) == "server.study.consented"
