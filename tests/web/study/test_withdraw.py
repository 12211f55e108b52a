"""Erasure of the data of withdrawn participants and deleted studies."""

import sqlite3
from hashlib import sha256
from pathlib import Path

import pytest

from tests.test_cli import bolicho_run
from tests.web.running import said
from tests.web.study.conftest import Study
from tests.web.study.plans import plan

ANSWER = "Zyxwv-{}-this-is-what-I-said"


def files(served):
    """Return all bytes of a database, in its file and journal."""
    path = Path(served.database)
    return b"".join(file.read_bytes() for file in path.parent.glob(f"{path.name}*"))


def tables(served):
    """Return the rows of every table."""
    with sqlite3.connect(served.database) as database:
        names = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = {name: database.execute(f"SELECT * FROM {name}").fetchall() for name in names}
    database.close()
    return rows


def holding(rows, *texts):
    """Return the rows that contain any of these texts."""
    return [
        (name, row) for name, found in rows.items() for row in found if any(text in map(str, row) for text in texts)
    ]


def complete_with_text(guest, text):
    """Complete the study with long text answers."""
    while (step := guest.me()["step"])["name"] != "thanks":
        if step["name"] in ("practice", "match"):
            guest.play()
        said_then = {"consent": {"agree": True, "language": "pt"}, "questions": {"fun": 3, "remarks": text * 20},
                     "after": {"last": text * 20}}  # fmt: skip
        assert guest.do(said_then.get(step["name"]), step["number"]).status_code == 200


def matches_of(study, guest):
    code = guest.me()["code"]
    return [row[0] for row in tables(study.served)["study_seats"] if row[3] == code]


def test_withdrawal_erases_all_data_from_tables_and_files(study, truco):
    one = study(target=40)
    guests = [one.invite() for _ in range(6)]
    for number, guest in enumerate(guests):
        complete_with_text(guest, ANSWER.format(number))
    leaving, staying = guests[2::2], [guests[0], guests[1], guests[3], guests[5]]
    theirs = [(guest, guest.me()["code"], matches_of(one, guest)) for guest in leaving]
    rows_held = {person.code: person.row for person in one.people()}
    for guest in leaving:
        assert guest.post("withdraw", {"sure": True}).json() == {"withdrawn": True, "remains": []}
    rows, bytes_of = tables(truco), files(truco)
    for number, (guest, code, played) in zip((2, 4), theirs, strict=True):
        assert len(played) == 3 and holding(rows, *played) == []
        [(table, row)] = holding(rows, code)
        assert table == "participants" and row[0] == one.id and row[3:5] == (rows_held[code], "withdrawn")
        assert row[8:] == (None, None, 0)  # language, consent, replaced
        for trace in (ANSWER.format(number), *played):
            assert trace.encode() not in bytes_of
        assert sha256(guest.token.encode()).digest() not in bytes_of
        assert guest.get().status_code == 401
    for number, guest in zip((0, 1, 3, 5), staying, strict=True):
        assert ANSWER.format(number).encode() in bytes_of and guest.me()["state"] == "finished"


def test_withdrawn_match_is_not_served_from_memory(study, truco):
    guest = study().invite()
    step = guest.go("match")
    with truco.live(step["match"], step["token"]) as line:
        line.hear()
        assert guest.post("withdraw", {"sure": True}).status_code == 200
        line.move(0, "1e")
        assert line.hear("refused")["says"][0] == "server.no-match"
    for path in ("", "/view", "/record", "/fair"):
        assert said(truco.get(f"/api/matches/{step['match']}{path}", step["token"])) == "server.no-match"


def test_withdrawal_is_possible_at_any_step_and_needs_confirmation(study):
    one = study()
    for step in ("consent", "before", "questions", "thanks"):
        guest = one.invite()
        guest.go(step)
        assert guest.post("withdraw", {"sure": False}).status_code == 422
        assert guest.post("withdraw", {"sure": True}).status_code == 200
        assert guest.post("withdraw", {"sure": True}).status_code == 401
    assert sorted(person.state for person in one.people()) == ["declined", *["withdrawn"] * 3]


def test_deleted_study_is_erased_and_the_server_continues(study, truco):
    one, other = study(), study()
    guest, beside = one.invite(), other.invite()
    complete_with_text(guest, ANSWER.format("deleted"))
    played = matches_of(one, guest)
    step = one.invite().go("match")
    beside.go("before")
    done = bolicho_run("study", "delete", one.id, "--database", truco.database)
    assert done.returncode == 0, done.stderr
    rows, bytes_of = tables(truco), files(truco)
    assert holding(rows, one.id, step["match"], *played) == []
    for trace in (one.id, ANSWER.format("deleted"), step["match"], *played):
        assert trace.encode() not in bytes_of
    assert guest.get().status_code == 404
    assert said(truco.get(f"/api/matches/{step['match']}/view", step["token"])) == "server.no-match"
    assert beside.me()["step"]["name"] == "before"


@pytest.mark.parametrize("retention", ["2999-12-31"])
def test_deletion_before_the_retention_date_needs_confirmation(truco, retention):
    one = Study(truco, plan().replace("2020-01-31", retention))
    early = bolicho_run("study", "delete", one.id, "--database", truco.database)
    assert early.returncode == 2 and f"until {retention}" in early.stderr and one.invite().me()
    assert bolicho_run("study", "delete", one.id, "--database", truco.database, "--sure").returncode == 0
    one.engine.dispose()
