"""Steps of a participant over HTTP: fixed order, each step answered once."""

import sqlite3
import threading
from itertools import pairwise

import pytest

from tests.web.running import Served, play_by_http, said
from tests.web.study.conftest import Study
from tests.web.study.plans import Guest, plan

WAY = ["consent", "instructions", "practice", "before", "match", "questions", "match", "questions", "after", "thanks"]


def rows(study, table, **where):
    """Return the stored rows of a table."""
    with sqlite3.connect(study.served.database) as database:
        database.row_factory = sqlite3.Row
        found = database.execute(f"SELECT * FROM {table} WHERE study = ?", [study.id]).fetchall()
    database.close()
    return [dict(row) for row in found if all(row[name] == value for name, value in where.items())]


def change(study, statement, *values):
    with sqlite3.connect(study.served.database, timeout=10) as database:
        database.execute(statement, values)
    database.close()


def lose(study, code):
    """Set the last contact of a participant to long ago."""
    change(study, "UPDATE participants SET seen = 0 WHERE study = ? AND code = ?", study.id, code)


# --- Steps ------------------------------------------------------------------------------------------


def test_participant_completes_all_steps(study):
    one = study()
    guest, seen, states = one.invite(), [], []
    assert [person.state for person in one.people()] == ["invited"]
    for number, name in enumerate(WAY, 1):
        me = guest.me()
        seen.append(me["step"]["name"])
        states.append(me["state"])
        assert me["step"]["number"] == number and me["step"]["of"] == len(WAY)
        if name in ("practice", "match"):
            guest.play()
        guest.do({"consent": {"agree": True}, "questions": {"fun": 5, "remarks": None}}.get(name), number)
    assert seen == WAY and me["step"]["text"]["en"] == "Thank you!"
    assert states == ["invited", "consented", *["playing"] * 7, "finished"]
    times = rows(one, "steps")
    assert [row["name"] for row in times] == WAY and all(row["shown"] <= row["done"] for row in times)
    assert all(before["done"] <= after["shown"] for before, after in pairwise(times))
    played = rows(one, "study_seats")
    assert [(row["step"], row["practice"], row["label"]) for row in played] == [
        (3, 1, "Practice opponent"),
        (5, 0, "Opponent 1"),
        (7, 0, "Opponent 2"),
    ]
    assert {row["agent"] for row in played[1:]} == {"cautious", "bluffer"}


def test_contents_of_each_step(study):
    one = study()
    guest = one.invite()
    consent = guest.me()["step"]
    assert consent["version"] == "v-7" and consent["text"]["pt"] == "Você pode sair quando quiser."
    assert guest.go("instructions")["text"]["en"] == "Play as you like."
    practice = guest.go("practice")
    assert practice["label"] == "Practice opponent" and practice["seat"] == 0 and practice["over"] is False
    before = guest.go("before")
    assert before["about"] is None and before["items"][0]["choices"][1] == {
        "value": "long",
        "text": {"en": "long", "pt": "muito"},
    }
    match = guest.go("match")
    assert (match["place"], match["matches"], match["label"]) == (1, 2, "Opponent 1")
    questions = guest.go("questions")
    assert questions["about"] == "Opponent 1" and questions["items"][0] == {
        "name": "fun", "kind": "scale", "text": {"en": "Was it fun?", "pt": "Foi divertido?"}, "points": 5,
        "low": {"en": "boring", "pt": "chato"}, "high": {"en": "great fun", "pt": "muito divertido"},
    }  # fmt: skip
    assert [item["kind"] for item in questions["items"]] == ["scale", "text"]


def test_repeated_matches_keep_the_order_and_labels_of_opponents(study):
    one = study(matches=2)
    guest = one.invite()
    guest.go("match", 4)
    met = [row for row in rows(one, "study_seats") if not row["practice"]]
    assert [row["label"] for row in met] == ["Opponent 1", "Opponent 2"] * 2
    assert [row["agent"] for row in met[:2]] == [row["agent"] for row in met[2:]]


def test_label_of_an_opponent_is_in_the_chosen_language(study):
    guest = study().invite()
    assert guest.do({"agree": True, "language": "pt"}).status_code == 200
    assert guest.go("match")["label"] == "Oponente 1"


def test_consent_can_be_downloaded(study):
    guest = study().invite()
    copy = guest.get("consent", language="pt")
    assert copy.headers["content-type"].startswith("text/plain") and "attachment" in copy.headers["content-disposition"]
    assert "Você pode sair quando quiser." in copy.text and "v-7" in copy.text


# --- Answers ----------------------------------------------------------------------------------------


def test_repeated_answer_changes_nothing(study):
    one = study()
    guest = one.invite()
    guest.go("questions")
    number = guest.me()["step"]["number"]
    first = guest.do({"fun": 2}, number).json()
    stored = rows(one, "steps", step=number)
    again = guest.do({"fun": 2, "remarks": ""}, number)
    assert again.status_code == 200 and again.json()["step"]["number"] == first["step"]["number"] == number + 1
    assert rows(one, "steps", step=number) == stored and len(rows(one, "study_seats")) == 3


def test_second_answer_to_a_step_is_refused_with_the_current_step(study):
    one = study()
    guest = one.invite()
    guest.go("questions")
    number = guest.me()["step"]["number"]
    guest.do({"fun": 2}, number)
    stored = rows(one, "steps", step=number)
    back = guest.do({"fun": 5}, number)
    assert back.status_code == 409 and said(back) == "server.study.answered"
    assert back.json()["step"]["number"] == number + 1 and rows(one, "steps", step=number) == stored


def test_steps_cannot_be_skipped(study):
    guest = study().invite()
    ahead = guest.do({}, 3)
    assert ahead.status_code == 409 and ahead.json()["step"]["name"] == "consent"
    assert guest.do({}, 99).status_code == 422


def test_no_nonce_is_drawn_for_a_participant_whose_deals_are_not_proven(study):
    guest = study().invite()
    guest.go("practice")
    step = guest.me()["step"]
    facts = guest.served.get(f"/api/matches/{step['match']}/fair", step["token"]).json()
    assert facts["nonces"] == facts["nonce_commits"] == [None, None] and facts["version"] == 2


def test_step_of_a_match_ends_only_after_the_match(study):
    guest = study().invite()
    guest.go("match")
    early = guest.do()
    assert early.status_code == 409 and said(early) == "server.study.playing"
    assert early.json()["step"]["over"] is False
    guest.play()
    assert guest.me()["step"]["over"] is True and guest.do().json()["step"]["name"] == "questions"


def test_twenty_concurrent_answers_count_as_one(study):
    one = study()
    guest = one.invite()
    guest.me()
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(guest.do({"agree": True}, 1))) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {answer.status_code for answer in answers} == {200}
    assert {answer.json()["step"]["number"] for answer in answers} == {2} and len(rows(one, "steps")) == 2


@pytest.mark.parametrize(
    ("answers", "why"),
    [({"fun": 6}, "value"), ({"fun": 0}, "value"), ({"fun": "4"}, "value"), ({"fun": True}, "value"),
     ({"joy": 3}, "item"), ({"remarks": 3}, "value"), ({"remarks": "x" * 2001}, "value")],
)  # fmt: skip
def test_invalid_answers_are_refused(asked, answers, why):
    refused = asked.do(answers)
    assert refused.status_code == 422 and said(refused) == f"server.study.{why}"


@pytest.fixture(scope="module")
def asked(truco):
    """A participant at the questions about a match."""
    guest = Study(truco, plan()).invite()
    guest.go("questions")
    return guest


def test_blank_answers_are_stored_as_null(study):
    one = study()
    guest = one.invite()
    guest.go("before")
    guest.do({})
    guest.go("questions")
    guest.do({"remarks": "  so so "})
    stored = [row["answers"] for row in rows(one, "steps") if row["name"] in ("before", "questions")]
    assert stored == ['{"years": null}', '{"fun": null, "remarks": "  so so "}']


@pytest.mark.parametrize(
    "answers", [{}, {"agree": False}, {"agree": True, "name": "x"}, {"agree": True, "language": "es"}]
)
def test_participation_needs_a_valid_consent(study, answers):
    one = study()
    guest = one.invite()
    assert guest.do(answers).status_code == 422
    assert [(person.state, person.row) for person in one.people()] == [("invited", None)]


# --- Entry ------------------------------------------------------------------------------------------


def test_public_facts_of_a_study(study, truco):
    one = study()
    assert truco.get(f"/api/studies/{one.id}").json() == {
        "study": one.id, "title": {"en": "Four of a kind", "pt": "Quatro iguais"}, "game": "truco",
        "languages": ["en", "pt"], "open": True, "opened": True, "room": True, "signals": False,
    }  # fmt: skip
    assert truco.get("/api/studies/nobody").status_code == 404


def test_people_enter_by_the_code_of_a_room(study, truco):
    one = study()
    entered = truco.post(f"/api/studies/{one.id}/enter", {"room": "casa-1", "language": "pt"}).json()
    guest = Guest(truco, one.id, entered["token"])
    assert guest.me()["code"] == entered["code"] and one.people()[0].language == "pt"
    for body, status in [({"room": "casa-2", "language": "pt"}, 404), ({"room": "casa-1", "language": "es"}, 422)]:
        assert truco.post(f"/api/studies/{one.id}/enter", body).status_code == status


def test_token_of_another_study_has_no_access(study):
    one, other = study(), study()
    guest = one.invite()
    guest.study = other.id
    assert guest.get().status_code == 401 and guest.get(token="nobody").status_code == 401
    assert guest.served.get(f"/api/studies/{one.id}/me").status_code == 401


def test_full_study_refuses_participants_until_a_place_is_free(study, truco):
    one = study(target=2)
    first, second, third = (one.invite() for _ in range(3))
    third.me()
    first.do({"agree": True})
    second.do({"agree": True})
    for full in (third.get(), third.do({"agree": True}, 1), one.invite().get()):
        assert full.status_code == 409 and said(full) == "server.study.full"
    assert truco.post(f"/api/studies/{one.id}/enter", {"room": "casa-1", "language": "en"}).status_code == 409
    assert one.invite(scripted=True).do({"agree": True}, 1).status_code == 200  # needs no place of a person
    first.post("withdraw", {"sure": True})
    assert third.do({"agree": True}, 1).status_code == 200
    held = [person.row for person in one.people() if person.state == "consented" and not person.scripted]
    assert sorted(held) == [0, 1]


def test_ended_study_refuses_new_participants(study):
    one = study(more="ends = 2019-12-31")
    closed = one.invite().get()
    assert closed.status_code == 410 and said(closed) == "server.study.closed"


# --- Lost participants ------------------------------------------------------------------------------


def test_lost_participant_returns_to_a_place_that_is_still_free(study):
    one = study(target=2)
    guest = one.invite()
    guest.go("practice")
    code = guest.me()["code"]
    change(one, "UPDATE seats SET seen = 0 WHERE match IN (SELECT match FROM study_seats WHERE study = ?)", one.id)
    lose(one, code)
    one.invite().get()  # the next request notices it
    assert one.people()[0].state == "lost"
    assert guest.me()["state"] == "playing" and guest.me()["step"]["name"] == "practice"
    assert not one.people()[0].replaced


def test_returning_participant_with_reassigned_place_is_not_counted(study, researcher):
    one = study(target=2)
    lost, other, new = (one.invite() for _ in range(3))
    for guest in (lost, other):
        guest.go("instructions")
    lose(one, lost.me()["code"])
    new.go("instructions")
    back = lost.go("thanks")
    assert back["name"] == "thanks"
    people = one.people()
    assert [(person.state, person.replaced) for person in people] == [
        ("finished", True), ("consented", False), ("consented", False),
    ]  # fmt: skip
    assert people[0].row == people[2].row != people[1].row
    told = one.served.get(f"/api/research/studies/{one.id}", researcher).json()
    assert told["finished"] == 0 and told["replaced"] == 1
    assert all(count == 0 for _, counts in told["balance"]["positions"] for count in counts)


def test_positions_and_successions_of_four_agents_are_balanced_despite_dropouts(study, researcher):
    one = study(opponents=("cautious", "bluffer", "balanced", "aggressive"), target=8)
    leaving = {1: ("lost", "instructions", 0), 4: ("withdrawn", "match", 2), 5: ("lost", "instructions", 0),
               9: ("withdrawn", "questions", 4)}  # fmt: skip
    staying = []
    for number in range(8 + len(leaving)):
        guest = one.invite(scripted=True)
        if number not in leaving:
            guest.go("match")
            staying.append(guest)
            continue
        how, step, place = leaving[number]
        guest.go(step, place)
        if how == "lost":
            lose(one, guest.me()["code"])
        else:
            guest.post("withdraw", {"sure": True})
    for guest in staying:
        guest.go("thanks")
    told = one.served.get(f"/api/research/studies/{one.id}", researcher, scripted=True).json()
    assert told["finished"] == 8 and told["counts"]["lost"] == told["counts"]["withdrawn"] == 2
    assert [counts for _, counts in told["balance"]["positions"]] == [[2] * 4] * 4
    assert [sorted(counts) for _, counts in told["balance"]["successions"]] == [[0, 2, 2, 2]] * 4


# --- Killed server ----------------------------------------------------------------------------------


def test_killed_server_keeps_all_answers(tmp_path):
    served = Served(tmp_path / "matches.db", "--game", "truco")
    one = Study(served, plan(opponents=("cautious", "pvs(base=baseline)"), order="fixed"))
    guest = one.invite()
    before = guest.go("questions")
    guest.do({"fun": 3, "remarks": "good"})
    match = guest.me()["step"]
    message = play_by_http(served, match["match"], match["token"], until=3)
    served.kill()
    served.start()
    after = guest.me()["step"]
    assert after == {**match, "over": after["over"]} and after["number"] == before["number"] + 1
    assert served.view(match["match"], match["token"])["ply"] >= message["ply"]
    assert rows(one, "steps", name="questions")[0]["answers"] == '{"fun": 3, "remarks": "good"}'
    guest.go("thanks")
    assert served.stop() is not None
    one.engine.dispose()
