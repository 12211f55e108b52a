"""Limits on guesses of room codes, which do not lock out other clients."""

import pytest
from starlette.testclient import TestClient

from bolicho.i18n import Message
from bolicho.store import studies
from bolicho.store.database import LETTERS, open_database
from bolicho.web.app import make_app
from bolicho.web.app_state import Settings
from bolicho.web.refusal import Refusal
from bolicho.web.study.plan import ROOM, is_easy_to_guess, read_plan, shipped
from bolicho.web.study.room_limits import WRONG, RoomLimits
from bolicho.web.study.status import warnings
from bolicho.web.workers import AgentPool
from tests.web.study.plans import plan


def tries(door, client, study="s", right=False):
    """Return the outcome of a try: `in`, `wrong`, or `refused` without a look at the code."""
    try:
        with door.trying(study, client):
            if not right:
                raise Refusal(WRONG, Message("server.study.room"))
    except Refusal as refusal:
        return "wrong" if refusal.status == WRONG else "refused"
    return "in"


def test_wrong_codes_of_a_client_are_limited():
    door = RoomLimits()
    told = [tries(door, "a") for _ in range(200)]
    assert told == ["wrong"] * 60 + ["refused"] * 140 and door.of_client.a_second * 60 == pytest.approx(6)
    assert tries(door, "a", right=True) == "refused"  # otherwise a guess would be free
    assert tries(door, "b", right=True) == "in"


def test_right_codes_are_not_counted_and_store_no_address():
    door = RoomLimits()
    assert {tries(door, "a", right=True) for _ in range(500)} == {"in"}
    assert not door.of_client.knows("a") and not door.in_all.knows("s")
    tries(door, "a")
    assert {tries(door, "a", right=True) for _ in range(500)} == {"in"}
    assert [tries(door, "a") for _ in range(100)].count("wrong") == 59


def test_wrong_codes_of_all_clients_are_limited_except_for_first_tries():
    door = RoomLimits()
    told = [tries(door, f"client {number}") for number in range(40) for _ in range(60)]
    assert 300 <= told.count("wrong") <= 340 and told.count("refused") > 2000
    assert tries(door, "somebody new", right=True) == "in"
    assert tries(door, "client 39", right=True) == "refused" and tries(door, "client 39", "other", right=True) == "in"


def test_failing_try_is_not_counted():
    door = RoomLimits()
    for problem in (ValueError(), Refusal(409, Message("server.study.full"))):
        with pytest.raises(type(problem)), door.trying("s", "a"):
            raise problem
    assert not door.of_client.knows("a")


def test_http_guesses_are_limited_and_wrong_codes_look_like_unknown_studies(tmp_path):
    engine = open_database(str(tmp_path / "matches.db"))
    settings = Settings(str(tmp_path / "matches.db"), games=("truco",), runs=str(tmp_path), reports=str(tmp_path))
    app = make_app(settings, AgentPool(["truco"]), engine)
    app.state.app_state.room_limits.of_client.a_second = 1e-9  # no try is given back during the test
    with engine.begin() as connection:
        study = studies.add_study(connection, plan(), opened=True)
        closed = studies.add_study(connection, plan().replace('room = "casa-1"\n', ""), opened=True)

    async def addressed(scope, receive, send):
        """Call the app with the client address from a header."""
        if scope["type"] == "http":
            scope["client"] = (dict(scope["headers"]).get(b"from", b"").decode(), 1)
        await app(scope, receive, send)

    with TestClient(addressed) as client:

        def enter(host, name, room):
            body = {"room": room, "language": "en"}
            return client.post(f"/api/studies/{name}/enter", json=body, headers={"from": host})

        told = [enter("192.0.2.1", name, "casa-2") for name in (study, closed, "nobody")]
        assert len({(one.status_code, one.content) for one in told}) == 1
        assert told[0].status_code == 404 and told[0].json()["says"] == ["server.study.room", {}]
        codes = [enter("192.0.2.1", study, f"casa-{number}").status_code for number in range(2, 100)]
        assert codes.count(404) == 57 and codes.count(429) == 41
        assert enter("192.0.2.1", study, "casa-1").status_code == 429
        for _ in range(3):
            assert enter("192.0.2.7", study, "casa-1").status_code == 200
    engine.dispose()


# --- Codes ----------------------------------------------------------------------------------------


def test_shipped_plan_gets_a_new_code_each_time():
    rooms = {read_plan(shipped()).room for _ in range(20)}
    assert len(rooms) == 20 and all(len(room) == ROOM and set(room) <= set(LETTERS) for room in rooms)
    assert len(LETTERS) ** ROOM > 2**39


@pytest.mark.parametrize(("room", "easy"), [("casa-1", True), ("bolicho", True), ("truco", True), ("20272028", True),
    ("gauchada", True), ("k3m9xa7q", False), ("truco-2027-sala", False)])  # fmt: skip
def test_warning_about_a_weak_code_suggests_a_strong_one(room, easy):
    assert is_easy_to_guess(room) == easy
    told = [line for line in warnings(read_plan(plan().replace("casa-1", room))) if "room" in line]
    assert len(told) == easy
    if easy:
        assert room in told[0] and not is_easy_to_guess(told[0].rpartition(" ")[2])
