"""Storage of studies."""

import pytest
import sqlalchemy as sa

from bolicho.errors import BadInput
from bolicho.store import studies
from bolicho.store.database import MatchRow, SeatRow, add_match, open_database
from bolicho.store.tables import FACTS

NOW = 1_000_000.0


@pytest.fixture
def connection(tmp_path):
    with open_database(str(tmp_path / "matches.db")).begin() as connection:
        yield connection


@pytest.fixture
def study(connection):
    return studies.add_study(connection, "the plan")


def new_participant(connection, study, **more):
    _, token = studies.add_participant(connection, study, **more)
    return studies.meet(connection, study, token, NOW)


def played(connection, who, match, step=1):
    """Store a match of a participant, with a seat that was last seen at 7."""
    add_match(connection, MatchRow(match, "truco", {}, {}, bytes(32), 1.0), [SeatRow(0, "?", token=b"x", seen=7.0)])
    one = studies.StudyMatch(match, 0, who.code, step, "novice", "Opponent 1", False)
    studies.add_study_seat(connection, who.study, one)


def test_stored_study_is_read_and_can_be_closed_once(connection, study):
    row = studies.read_study(connection, study)
    assert (row.id, row.plan, row.closed) == (study, "the plan", None)
    studies.close_study(connection, study, NOW)
    closed = studies.read_study(connection, study).closed
    studies.close_study(connection, study, NOW)
    assert closed is not None and studies.read_study(connection, study).closed == closed
    assert [row.id for row in studies.all_studies(connection)] == [study]
    with pytest.raises(BadInput, match=f"there is no study 'x' in this database; there are: {study}"):
        studies.named_study(connection, "x")


def test_stored_rows_hold_no_token_of_a_participant(connection, study):
    _, token = studies.add_participant(connection, study)
    kept = connection.execute(sa.text("SELECT * FROM participants")).one()
    assert token.encode() not in b" ".join(str(value).encode() for value in kept)
    assert studies.meet(connection, study, token, NOW).state == "invited"
    assert studies.meet(connection, study, token + "x", NOW) is None
    assert studies.meet(connection, "other", token, NOW) is None


def test_answers_are_read_as_given_with_blanks(connection, study):
    who = new_participant(connection, study)
    studies.show_step(connection, who, 1, "questions", NOW)
    studies.finish_step(connection, who, 1, {"fun": None, "remarks": "é 'ok'"}, NOW)
    studies.show_step(connection, who, 2, "thanks", NOW, done=True)
    one, two = studies.read_steps(connection, study, who.code)
    assert one.answers == {"fun": None, "remarks": "é 'ok'"} and one.shown <= one.done
    assert two.answers is None and two.done == two.shown


def test_playing_participant_has_the_last_sign_of_life_of_the_seat(connection, study):
    one, two = new_participant(connection, study), new_participant(connection, study)
    played(connection, one, "m1")
    assert studies.last_connected(connection, study) == {one.code: 7.0}
    assert studies.read_study_matches(connection, study, two.code) == []
    with pytest.raises(sa.exc.IntegrityError):  # a step has one match
        played(connection, one, "m2")


def test_withdrawn_participant_keeps_only_a_code_and_a_row(connection, study):
    one, other = new_participant(connection, study, language="pt"), new_participant(connection, study)
    one = studies.change(connection, one, row=3, state="playing", consent="1")
    studies.show_step(connection, one, 1, "consent", NOW)
    studies.show_step(connection, other, 1, "consent", NOW)
    studies.take_out(connection, one)
    gone, left = studies.read_participants(connection, study)
    assert (gone.code, gone.row, gone.state, gone.language, gone.consent) == (one.code, 3, "withdrawn", None, None)
    assert left == other and [step.code for step in studies.read_steps(connection, study)] == [other.code]


def test_deleting_a_study_deletes_its_own_rows_alone(connection, study):
    other = studies.add_study(connection, "another plan")
    for number, where in enumerate((study, other)):
        who = new_participant(connection, where)
        studies.show_step(connection, who, 1, "match", NOW)
        played(connection, who, f"m{number}")
    studies.delete_study(connection, study)
    left = {name: len(connection.execute(table.select()).fetchall()) for name, table in FACTS.tables.items()}
    filled = {"about", "matches", "seats", "studies", "participants", "steps", "study_seats", "erasures"}
    assert {name: count for name, count in left.items() if count} == dict.fromkeys(filled, 1)
    assert [row.id for row in studies.all_studies(connection)] == [other]
