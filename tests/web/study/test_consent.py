"""Consent: a study that is not open, refusals, and what is stored before an answer."""

import pytest

from bolicho.store import tables as tables_of
from bolicho.store.flow import Flow, flow
from bolicho.web.study.plan import read_plan, shipped
from tests.web.running import said
from tests.web.study.plans import Guest, plan
from tests.web.study.test_withdraw import files, holding, tables


def unopened(study, **options):
    one = study(**options)
    with one.engine.begin() as connection:
        connection.execute(tables_of.studies.update().where(tables_of.studies.c.id == one.id).values(opened=None))
    return one


def test_nothing_is_stored_of_a_person_who_reads_the_consent(study):
    one = study()
    guest = one.invite()
    before = holding(tables(one.served), one.code)
    for _ in range(2):
        assert guest.me()["step"]["name"] == "consent"
    guest.get("consent", language="pt")
    assert holding(tables(one.served), one.code) == before and len(before) == 1


def test_refusal_is_counted_and_leaves_no_time(study, truco, researcher):
    one = study()
    guest = Guest(truco, one.id, "")
    entered = truco.post(f"/api/studies/{one.id}/enter", {"room": "casa-1", "language": "pt"}).json()
    guest.token = entered["token"]
    guest.me()
    assert guest.post("decline", {}).json() == {"declined": True, "link": None}
    [(table, row)] = holding(tables(truco), entered["code"])
    made = next(found[2] for found in tables(truco)["studies"] if found[0] == one.id)
    assert table == "participants" and row[4:7] == ("declined", made, made) and row[8:] == (None, None, 0)
    told = truco.get(f"/api/research/studies/{one.id}", researcher).json()
    assert told["counts"]["declined"] == told["flow"]["declined"] == 1 and told["flow"]["consented"] == 0
    assert told["participants"][0]["seen"] is None


def test_refusal_is_erased_from_the_files(study, truco):
    one = study()
    guest = one.invite()
    with one.engine.begin() as connection:
        connection.execute(tables_of.participants.update().values(consent="zyx-trace-zyx").where(
            tables_of.participants.c.code == one.code))  # fmt: skip
    assert b"zyx-trace-zyx" in files(truco)
    with one.engine.begin() as connection:
        connection.execute(tables_of.participants.update().values(consent=None).where(
            tables_of.participants.c.code == one.code))  # fmt: skip
    guest.post("decline", {})
    assert b"zyx-trace-zyx" not in files(truco)


def test_person_who_declined_can_still_consent(study):
    one = study()
    guest = one.invite()
    guest.post("decline", {})
    assert guest.me()["state"] == "declined" and guest.me()["step"]["name"] == "consent"
    assert guest.do({"agree": True}, 1).json()["state"] == "consented"
    assert said(guest.post("decline", {})) == "server.study.consented"
    assert [person.state for person in one.people()] == ["consented"]


def test_study_that_is_not_open_admits_programs_alone(study, truco):
    one = unopened(study)
    assert said(one.invite().get()) == "server.study.unopened"
    room = truco.post(f"/api/studies/{one.id}/enter", {"room": "casa-1", "language": "pt"})
    assert room.status_code == 410 and said(room) == "server.study.unopened"
    assert one.invite(scripted=True).do({"agree": True}, 1).status_code == 200
    about = truco.get(f"/api/studies/{one.id}").json()
    assert (about["open"], about["opened"]) == (False, False)


def test_study_with_blanks_is_not_opened(study, truco, researcher):
    one = unopened(study, more='demographics = ["age"]')
    path = f"/api/research/studies/{one.id}"
    text = one.text.replace("Thank you!", "Thank you, [name of the place]!")
    assert truco.ask("PUT", f"{path}/plan", researcher, json={"plan": text}).status_code == 200
    refused = truco.post(f"{path}/open", None, researcher)
    assert refused.status_code == 409 and said(refused) == "server.study.blanks"
    assert "[thanks] (en), [name of the place]" in refused.json()["message"]
    assert truco.ask("PUT", f"{path}/plan", researcher, json={"plan": one.text}).json()["blanks"] == []
    assert truco.post(f"{path}/open", None, researcher).json()["open"] is True
    late = truco.ask("PUT", f"{path}/plan", researcher, json={"plan": text})
    assert late.status_code == 409 and said(late) == "server.study.edited"


def test_every_blank_of_every_language_is_named():
    blanks = read_plan(shipped()).blanks
    assert {(place, language) for place, language, _ in blanks} == {("[consent]", one) for one in ("pt", "en", "es")}
    text = plan().replace("Was it fun?", "Was [the game] fun?").replace('en = "never"', 'en = "[when]"')
    found = read_plan(text).blanks
    assert found == [("question years, choice never", "en", "[when]"), ("question fun", "en", "[the game]")]


@pytest.mark.parametrize(("replaced", "finished"), [(0, 5), (2, 3)])
def test_flow_adds_up(replaced, finished):
    states = {"invited": 4, "declined": 2, "consented": 1, "playing": 3, "finished": 5, "withdrawn": 2, "lost": 1}
    found = flow(states, replaced)
    assert found == Flow(18, 4, 2, 12, 2, 1, 4, replaced, finished)
    assert found.consented == found.withdrawn + found.lost + found.under_way + found.replaced + found.finished
    assert found.invited == found.unanswered + found.declined + found.consented
