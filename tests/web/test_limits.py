"""Unit tests of rates, pages, the database, clocks and claims."""

import gzip
import re
import sqlite3

import pytest

from bolicho.errors import BadInput
from bolicho.store import database
from bolicho.store.database import Conflict, MatchRow, SeatRow, open_database
from bolicho.web import assets
from bolicho.web.clock import Clock
from bolicho.web.endings import Ending
from bolicho.web.limits import Rate
from bolicho.web.match import AWAY, PAUSE, Match
from bolicho.web.refusal import Refusal

# --- Rates ----------------------------------------------------------------------------------------


class ManualClock(Clock):
    """A clock that is set by hand."""

    moment = 100.0

    def monotonic(self):
        return self.moment


@pytest.fixture
def clock():
    return ManualClock()


def refused(rate, key):
    with pytest.raises(Refusal) as found:
        rate.take(key)
    assert found.value.status == 429
    return found.value.after


def test_rate_admits_a_burst_and_then_a_fixed_number_a_second(clock):
    rate = Rate(2, 5, clock=clock)
    for _ in range(5):
        rate.take("a")
    assert refused(rate, "a") == pytest.approx(0.5)
    clock.moment += 0.5
    rate.take("a")
    assert refused(rate, "a") == pytest.approx(0.5)
    clock.moment += 100
    for _ in range(5):  # never more than the burst
        rate.take("a")
    refused(rate, "a")


def test_refused_requests_do_not_extend_the_wait(clock):
    rate = Rate(1, 1, clock=clock)
    rate.take("a")
    for _ in range(10):
        clock.moment += 0.05
        after = refused(rate, "a")
    assert after == pytest.approx(0.5)


def test_each_key_has_its_own_rate_and_memory_is_bounded(clock):
    rate = Rate(1, 1, keys=3, clock=clock)
    for key in "abc":
        rate.take(key)
    refused(rate, "a")
    rate.take("d")  # "b" is the least recently used
    refused(rate, "a")
    rate.take("b")
    assert len(rate._left) == 3


# --- Pages ----------------------------------------------------------------------------------------


def test_every_response_has_the_security_headers(truco):
    answers = [truco.get(path) for path in ("/", "/m/abc", "/replay/abc", "/words/pt.json", "/api/games", "/nothing")]
    answers += [truco.get(f"/a/{name}") for name in assets.pages()]
    answers += [truco.post("/api/matches", {}), truco.ask("DELETE", "/"), truco.get("/openapi.json")]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'self'") and "unsafe" not in policy and "*" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "server" not in answer.headers


def test_pages_are_compressed_and_cached_by_etag(truco):
    for path in ("/", "/a/style.css", "/words/pt.json"):
        plain = truco.ask("GET", path)
        with truco.client.stream("GET", path, headers={"accept-encoding": "gzip"}) as answer:
            raw = b"".join(answer.iter_raw())
            assert answer.headers["content-encoding"] == "gzip" and gzip.decompress(raw) == plain.content
        with truco.client.stream("GET", path, headers={"accept-encoding": "identity"}) as answer:
            assert b"".join(answer.iter_raw()) == plain.content and "content-encoding" not in answer.headers
        again = truco.client.get(path, headers={"if-none-match": plain.headers["etag"]})
        assert again.status_code == 304 and again.content == b""
        assert again.headers["etag"] == plain.headers["etag"]


def test_pages_contain_no_inline_code_and_no_external_resources():
    for name, asset in assets.pages().items():
        text = asset.body.decode("utf-8", "replace")
        if name.endswith(".html"):
            assert not re.search(r"<script(?![^>]*\bsrc=)[^>]*>", text), name
            assert not re.search(r"<style|\son\w+=|\sstyle=|javascript:", text), name
        if name.endswith((".html", ".js", ".css")):
            elsewhere = re.findall(r"https?://[^\s\"'`)<>]+", text)
            assert [url for url in elsewhere if not url.startswith("http://www.w3.org/")] == [], name
            assert not re.search(r"\beval\(|new Function\(|\.innerHTML\s*=|document\.write", text), name


def test_files_outside_the_pages_are_not_served(truco):
    for path in ("__init__.py", "..%2Fapp.py", "%2e%2e/app.py", "..\\app.py", "/etc/passwd", "style.css/"):
        assert truco.get(f"/a/{path}").status_code == 404


# --- The database ---------------------------------------------------------------------------------


def test_database_with_another_schema_version_is_refused(tmp_path):
    file = tmp_path / "matches.db"
    open_database(str(file)).dispose()
    with sqlite3.connect(file) as raw:
        raw.execute("UPDATE about SET schema = 99")
    raw.close()
    with pytest.raises(BadInput, match="version 99"):
        open_database(str(file))


@pytest.mark.parametrize("name", ["matches?.db", "50% of matches.db", "a b/ç.db", "matches#1.db"])
def test_database_file_may_have_special_characters_in_its_name(tmp_path, name):
    open_database(str(tmp_path / name)).dispose()
    assert (tmp_path / name).exists()


def test_invalid_database_is_refused_without_showing_its_password(tmp_path):
    (tmp_path / "text").write_text("this is no database, " * 100)
    folder = tmp_path / "folder"
    folder.mkdir()
    urls = [
        str(tmp_path / "text"),
        str(folder),
        "mysql://me:hush@host/name",
        "nothing://x",
        "postgresql://me:hush@127.0.0.1:1/x",
    ]
    for url in urls:
        with pytest.raises(BadInput) as problem:
            open_database(url)
        assert "hush" not in str(problem.value) and "\n" not in str(problem.value)


@pytest.mark.parametrize(("sync", "number"), [("full", 2), ("normal", 1)])
def test_sync_option_sets_the_durability_of_sqlite(tmp_path, sync, number):
    engine = open_database(str(tmp_path / "matches.db"), sync)
    with engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == number
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
    engine.dispose()


@pytest.mark.parametrize(("sync", "word"), [("full", "on"), ("normal", "off")])
def test_sync_option_sets_the_durability_of_postgresql(postgresql, sync, word):
    engine = open_database(postgresql, sync)
    with engine.connect() as connection:
        assert connection.exec_driver_sql("SHOW synchronous_commit").scalar() == word
    engine.dispose()


@pytest.fixture(params=["sqlite", "postgresql"])
def connection(request, tmp_path):
    url = str(tmp_path / "matches.db") if request.param == "sqlite" else request.getfixturevalue("postgresql")
    engine = open_database(url)
    with engine.connect() as connection:
        yield connection
    engine.dispose()


def stored(connection, number):
    row = MatchRow(number, "truco", {"target": 12}, {"why": True}, bytes(range(32)), 1.5, fair_version=2)
    sitting = [
        SeatRow(0, "Ana", token=b"t" * 32, nonce=b"n" * 16, seen=2.0, here=True),
        SeatRow(1, "?", invite=b"i" * 32),
    ]
    database.add_match(connection, row, sitting)
    return row, sitting


def test_written_rows_are_read_back(connection):
    row, sitting = stored(connection, "roundtrip")
    assert database.read_match(connection, "roundtrip") == (row, sitting)
    assert database.read_match(connection, "nothing") is None
    rows = [("roundtrip", ply, ply % 2, 40 + ply, 3.0 + ply) for ply in range(5)]
    database.add_moves(connection, rows)
    assert database.read_moves(connection, "roundtrip") == [row[2:] for row in rows]
    assert database.read_moves(connection, "roundtrip", 3) == [row[2:] for row in rows[3:]]
    assert database.read_seen(connection, ["roundtrip", "nothing"]) == [("roundtrip", 0, 2.0, True)]


def test_a_ply_is_played_once(connection):
    stored(connection, "once")
    database.add_moves(connection, [("once", 0, 0, 1, 1.0)])
    with pytest.raises(Conflict):
        database.add_moves(connection, [("once", 1, 0, 1, 1.0), ("once", 0, 0, 2, 1.0)])


def test_a_seat_is_taken_once_and_a_match_ends_once(connection):
    stored(connection, "taken")
    database.take_seat(connection, "taken", SeatRow(1, "Beto", token=b"b" * 32, nonce_commit=b"m" * 32, seen=3.0))
    with pytest.raises(Conflict):
        database.take_seat(connection, "taken", SeatRow(1, "Caio", token=b"c" * 32, nonce_commit=b"m" * 32, seen=3.0))
    database.set_ended(connection, "taken", 9.0, None, {"scores": [1, 2]})
    with pytest.raises(Conflict):
        database.set_ended(connection, "taken", 9.5, 0, {"scores": [1, 2]})
    row, sitting = database.read_match(connection, "taken")
    assert row.ended == 9.0 and row.result == {"scores": [1, 2]} and sitting[1].name == "Beto"


def test_nonce_is_revealed_once_and_only_missing_nonces_have_a_deadline(connection):
    stored(connection, "nonce")
    database.take_seat(connection, "nonce", SeatRow(1, "Beto", token=b"b" * 32, nonce_commit=b"m" * 32, seen=3.0))
    database.await_nonces(connection, "nonce", 99.0)
    assert [seat.expires for seat in database.read_match(connection, "nonce")[1]] == [None, 99.0]
    database.set_nonce(connection, "nonce", 1, b"m" * 16)
    seat = database.read_match(connection, "nonce")[1][1]
    assert (seat.nonce, seat.nonce_commit, seat.expires) == (b"m" * 16, b"m" * 32, None)
    with pytest.raises(Conflict):
        database.set_nonce(connection, "nonce", 1, b"o" * 16)


# --- Clocks and claims ----------------------------------------------------------------------------


def match_of(clock=None, agents=(), seen=(0.0, 0.0), here=(True, True)):
    row = MatchRow("abc", "truco", {}, {"open_end": True, "clock": clock}, b"s" * 32, 0.0)
    match = Match(
        row,
        [
            SeatRow(
                seat,
                f"P{seat}",
                agent="random" if seat in agents else None,
                token=b"t",
                seen=seen[seat],
                here=here[seat],
            )
            for seat in (0, 1)
        ],
    )
    match.dealt(1000.0)
    return match


def play(match, at):
    return match.play(match.table.view().legal[0], at)


def test_clock_of_the_seat_to_act_runs_and_a_move_adds_the_increment():
    match = match_of({"seconds": 60, "plus": 5})
    first = match.table.turn
    assert match.clock(1000.0) == {"left": [60, 60], "running": first}
    assert match.clock(1010.0)["left"][first] == 50 and match.clock(1010.0)["left"][1 - first] == 60
    seat = play(match, 1010.0)
    assert seat == first and match.clock(1010.0)["left"][first] == 55
    assert match.clock(99_999.0)["left"][match.table.turn] == 0  # not negative
    assert match_of().clock(1000.0) is None


def test_clock_set_back_adds_no_time():
    match = match_of({"seconds": 60, "plus": 0})
    seat = play(match, 900.0)  # the system clock was set back
    assert match.clock(900.0)["left"][seat] == 60


def test_no_claim_against_a_present_player():
    match = match_of(seen=(1000.0, 1000.0))
    assert match.claim(1000.0 + AWAY - 1) is None
    for seat in (0, 1):
        with pytest.raises(Refusal):
            match.check_claim(seat, 1000.0 + AWAY - 1)


def test_pause_before_a_claim_begins_with_last_contact_or_start_of_the_turn():
    match = match_of(seen=(500.0, 500.0), here=(False, False))
    late = match.table.turn
    assert match.claim(1001.0) == {"late": late, "at": 1000.0 + PAUSE, "in": PAUSE - 1}
    with pytest.raises(Refusal) as early:
        match.check_claim(1 - late, 1000.0 + PAUSE - 10)
    assert early.value.after == pytest.approx(10)
    with pytest.raises(Refusal):
        match.check_claim(late, 1000.0 + PAUSE + 1)  # an absent player cannot claim
    match.check_claim(1 - late, 1000.0 + PAUSE + 1)
    match = match_of(seen=(1030.0, 1030.0), here=(False, False))
    assert match.claim(1031.0)["at"] == 1030.0 + PAUSE


def test_claim_against_a_present_player_whose_time_is_up():
    match = match_of({"seconds": 30, "plus": 0}, seen=(5000.0, 5000.0))
    late = match.table.turn
    assert match.claim(1010.0) == {"late": late, "at": 1030.0, "in": 20.0}
    match.check_claim(1 - late, 1031.0)


def test_no_claim_against_agents_or_after_the_end():
    match = match_of({"seconds": 5, "plus": 0}, agents=(1,), here=(False, False))
    assert match.claim(99_999.0) is None
    match = match_of({"seconds": 5, "plus": 0})
    match.ended(2000.0, Ending("away", 0))
    assert match.claim(99_999.0) is None and match.state == "over"
    assert match.row.result["winners"] == [0] and match.row.result["claimed"] == 0
