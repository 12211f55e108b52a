"""Challenges: rights to make, accept, decline and cancel them, and the events that bots receive."""

import time

import pytest

from tests.web.bots.playing import events, revoke_of, token_for, watching
from tests.web.running import agent, pick, said

RULES = {"target": 2, "flor": False}


@pytest.fixture(scope="module")
def tokens(truco):
    """Tokens of three bots, and of a researcher who is not a bot."""
    made = {name: token_for(truco, name) for name in ("ana", "rui", "eva")}
    return {**made, "doctor": token_for(truco, "doctor", ["research"])}


def challenge(served, token, **asked):
    answer = served.post("/api/challenges", {"game": "truco", "rules": RULES, **asked}, token)
    assert answer.status_code == 201, answer.text
    return answer.json()["match"]


def accept(served, match, token):
    return served.post(f"/api/challenges/{match}/accept", {}, token)


def test_account_returns_name_scopes_and_open_challenges_of_a_token(truco, tokens):
    match = challenge(truco, tokens["ana"], to="rui")
    found = truco.get("/api/account", tokens["rui"]).json()
    assert (found["name"], found["scopes"]) == ("rui", ["bot"])
    assert [facts["match"] for facts in found["challenges"]] == [match] and found["matches"] == []
    assert truco.get("/api/account", tokens["doctor"]).json()["scopes"] == ["research"]
    assert truco.get("/api/account", "nobody").status_code == 401
    assert truco.get("/api/account").status_code == 401
    truco.post(f"/api/challenges/{match}/cancel", None, tokens["ana"])


def test_accepted_challenge_becomes_a_match_with_one_seat_for_each_bot(truco, tokens):
    with events(truco, tokens["ana"]) as ana, events(truco, tokens["rui"]) as rui:
        match = challenge(truco, tokens["ana"], to="rui")
        for ears in (ana, rui):
            heard = ears.hear()
            assert (heard["is"], heard["match"], heard["state"]) == ("challenge", match, "open")
            assert (heard["by"], heard["game"], heard["rules"]) == ("ana", "truco", RULES)
            assert [(seat["asked"], seat["bot"]) for seat in heard["seats"]] == [("ana", "ana"), ("rui", None)]
        taken = {"match": match, "seat": 1, "proven": False}
        assert accept(truco, match, tokens["rui"]).json() == taken
        assert accept(truco, match, tokens["rui"]).json() == taken, "repeated request"
        for seat, ears in enumerate((ana, rui)):
            assert ears.hear()["state"] == "accepted"
            assert {"is": "start", "match": match, "seat": seat}.items() <= ears.hear().items()
        facts = truco.get(f"/api/matches/{match}").json()
        assert [player["name"] for player in facts["players"]] == ["ana", "rui"]
        play(truco, match, [tokens["ana"], tokens["rui"]])
        for seat, ears in enumerate((ana, rui)):
            heard = ears.hear()
            assert (heard["is"], heard["match"], heard["seat"]) == ("finish", match, seat)
            assert heard["result"]["winners"] in ([0], [1])


def play(served, match, tokens):
    """Play both seats with the tokens of their bots, to the end."""
    message = served.view(match, tokens[0])
    while message["state"] == "playing":
        token = tokens[message["view"]["turn"]]
        view = served.view(match, token)["view"]
        message = served.move(match, token, view["ply"], pick(view, match)).json()


def test_named_bot_may_decline_and_challenger_may_cancel(truco, tokens):
    with events(truco, tokens["ana"]) as ana, events(truco, tokens["rui"]) as rui:
        for who, what, state in ("rui", "decline", "declined"), ("ana", "cancel", "cancelled"):
            match = challenge(truco, tokens["ana"], to="rui")
            assert ana.hear()["state"] == rui.hear()["state"] == "open"
            assert truco.post(f"/api/challenges/{match}/{what}", None, tokens[who]).json()["state"] == state
            assert truco.post(f"/api/challenges/{match}/{what}", None, tokens[who]).status_code == 200, "again"
            assert ana.hear()["state"] == rui.hear()["state"] == state
            late = accept(truco, match, tokens["rui"])
            assert (late.status_code, said(late)) == (410, "server.bots.closed")
            assert truco.get(f"/api/matches/{match}").json()["state"] == "waiting"


def test_open_challenge_goes_to_the_first_bot_that_accepts(truco, tokens):
    with events(truco, tokens["rui"]) as rui, events(truco, tokens["eva"]) as eva:
        match = challenge(truco, tokens["ana"])
        assert rui.hear()["match"] == eva.hear()["match"] == match
        assert accept(truco, match, tokens["eva"]).json()["seat"] == 1
        assert accept(truco, match, tokens["rui"]).status_code == 410
        assert rui.hear()["state"] == "accepted"
        assert eva.hear("start")["match"] == match
        assert rui.is_quiet(), "a bot gets no events of matches of others"


def test_new_stream_begins_with_current_challenges_and_matches(truco, tokens):
    waiting, begun = challenge(truco, tokens["ana"], to="eva"), challenge(truco, tokens["ana"], to="eva")
    accept(truco, begun, tokens["eva"])
    with events(truco, tokens["eva"]) as eva:
        heard = {(message["is"], message["match"]) for message in (eva.hear(), eva.hear(), eva.hear())}
    assert {("challenge", waiting), ("start", begun)} <= heard
    truco.post(f"/api/challenges/{waiting}/cancel", None, tokens["ana"])


def test_bot_may_challenge_with_a_built_in_agent_against_another_bot_or_itself(truco, tokens):
    seats = [agent("balanced"), {"who": "bot", "bot": "rui"}]
    match = challenge(truco, tokens["ana"], seats=seats)
    assert accept(truco, match, tokens["rui"]).json()["seat"] == 1
    assert truco.get(f"/api/matches/{match}", tokens["rui"]).json()["state"] in ("playing", "over")
    answer = truco.post("/api/challenges", {"game": "truco", "seats": [{"who": "me"}, agent("random")]}, tokens["rui"])
    assert answer.json()["state"] == "accepted"
    assert truco.view(answer.json()["match"], tokens["rui"])["view"]["seat"] == 0


def test_person_can_challenge_a_connected_bot(truco, tokens):
    with events(truco, tokens["rui"]) as rui:
        offered = {one["name"] for one in truco.get("/api/agents", game="truco").json()["agents"] if one.get("bot")}
        assert "rui" in offered
        made = truco.made("truco", [{"who": "me", "name": "Zé"}, {"who": "bot", "bot": "rui"}], RULES)
        heard = rui.hear()
        while heard["match"] != made["match"]:
            heard = rui.hear()
        assert heard["by"] is None
        accept(truco, made["match"], tokens["rui"])
        assert truco.view(made["match"], made["seats"][0]["token"])["state"] in ("playing", "over")


def test_person_is_informed_when_the_bot_declines(truco, tokens):
    with events(truco, tokens["rui"]):
        made = truco.made("truco", [{"who": "me", "name": "Zé"}, {"who": "bot", "bot": "rui"}], RULES)
        match, token = made["match"], made["seats"][0]["token"]
        with truco.live(match, token) as zé:
            asked = zé.hear()["challenge"]
            assert (asked["state"], asked["seats"]) == ("open", [1]) and 0 < asked["expires"] - time.time() < 301
            truco.post(f"/api/challenges/{match}/decline", None, tokens["rui"])
            while (told := zé.hear("players"))["challenge"]["state"] == "open":
                pass  # messages about connections come between
            assert told["challenge"]["state"] == "declined" and told["state"] == "waiting"
        assert truco.get(f"/api/matches/{match}").json()["challenge"]["state"] == "declined"


# --- Limits of tokens -------------------------------------------------------------------------------


def test_a_token_opens_its_own_seats_and_no_others(truco, tokens):
    match = challenge(truco, tokens["ana"], to="rui")
    for name, status in ("eva", 403), ("doctor", 403):
        assert accept(truco, match, tokens[name]).status_code == status
        assert truco.post(f"/api/challenges/{match}/decline", None, tokens[name]).status_code == status
    for name in ("rui", "eva"):
        assert truco.post(f"/api/challenges/{match}/cancel", None, tokens[name]).status_code == 403
    assert truco.post(f"/api/challenges/{match}/decline", None, tokens["ana"]).status_code == 403
    accept(truco, match, tokens["rui"])
    person, _ = truco.make()
    for path in ("view", "moment", "record"):
        for name in ("eva", "doctor"):
            assert truco.get(f"/api/matches/{match}/{path}", tokens[name]).status_code == 403
        assert truco.get(f"/api/matches/{person}/{path}", tokens["ana"]).status_code == 403
    ply = truco.view(match)["ply"]
    for name in ("eva", "doctor"):
        assert truco.move(match, tokens[name], ply, "baralho").status_code == 403
        answer = truco.get(f"/api/stream/matches/{match}", tokens[name])
        assert (answer.status_code, said(answer)) == (403, "server.token")
    assert truco.get("/api/stream/events", tokens["doctor"]).status_code == 403
    assert truco.get("/api/stream/events").status_code == 401
    seat_tokens = [truco.made("truco", [{"who": "me"}, agent("random")])["seats"][0]["token"]]
    for token in seat_tokens:  # the token of a seat is no account
        assert truco.get("/api/account", token).status_code == 401
        assert truco.post("/api/challenges", {"game": "truco"}, token).status_code == 401


def test_revoked_token_has_no_access(truco, tokens):
    gone = token_for(truco, "gone")
    match = challenge(truco, gone, to="rui")
    accept(truco, match, tokens["rui"])
    assert truco.view(match, gone)["view"]["seat"] == 0
    with events(truco, gone) as ears:
        ears.hear("start")
        revoke_of(truco, "gone")
        assert ears.hear("bye")["says"][0] == "server.bots.token", "at the next heartbeat"
        assert ears.line() is None
    assert truco.get(f"/api/matches/{match}/view", gone).status_code == 403
    assert truco.get("/api/account", gone).status_code == 401
    again = token_for(truco, "gone")
    assert truco.view(match, again)["view"]["seat"] == 0, "a new token of the same name has its seats"


def test_invalid_challenge_is_refused_with_a_reason(truco, tokens):
    for asked, status, key in [
        ({"game": "truco", "to": "nobody"}, 404, "server.bots.no-bot"),
        ({"game": "truco", "to": "doctor"}, 404, "server.bots.no-bot"),
        ({"game": "truco", "to": "ana"}, 422, "server.bots.twice"),
        ({"game": "ludo"}, 422, "server.no-game"),
        ({"game": "truco", "seats": [agent("balanced"), agent("random")]}, 422, "server.bots.nobody"),
        ({"game": "truco", "seats": [{"who": "me"}]}, 422, "server.seats"),
        ({"game": "truco", "seats": [{"who": "me"}, agent("nobody")]}, 422, "server.no-agent"),
        ({"game": "truco", "to": "a b"}, 422, "server.unreadable"),
    ]:
        answer = truco.post("/api/challenges", asked, tokens["ana"])
        assert (answer.status_code, said(answer)) == (status, key), asked
    for what in ("accept", "decline", "cancel"):
        for match in ("nothing", truco.make()[0]):
            refused = truco.post(f"/api/challenges/{match}/{what}", None, tokens["ana"])
            assert (refused.status_code, said(refused)) == (404, "server.bots.no-challenge")


# --- Match streams ----------------------------------------------------------------------------------


def test_match_stream_sends_the_full_state_and_every_ply_to_the_end(truco, tokens):
    match = challenge(truco, tokens["ana"], to="rui", rules={"target": 6})
    accept(truco, match, tokens["rui"])
    with watching(truco, match, tokens["rui"]) as seat, watching(truco, match) as crowd:
        first, public = seat.hear(), crowd.hear()
        assert first["is"] == public["is"] == "full"
        assert (first["match"], first["game"], first["seat"], public["seat"]) == (match, "truco", 1, None)
        assert first["view"]["table"]["cards"] and not public["view"]["table"].get("cards")
        play(truco, match, [tokens["ana"], tokens["rui"]])
        heard = [first]
        while heard[-1]["state"] != "over":
            heard.append(seat.hear("view"))
        frames = [frame for message in heard[1:] for frame in (*message["frames"], message["view"])]
        assert [frame["ply"] for frame in frames] == list(range(first["ply"] + 1, heard[-1]["ply"] + 1))
        assert all(frame["seat"] == 1 for frame in frames)
        while (line := seat.line()) is not None:
            assert line == ""
    assert truco.get(f"/api/stream/matches/{match}", tokens["rui"]).text.count("\n") == 1, "over: one line"


def test_streams_send_empty_lines_as_heartbeats(truco, tokens):
    match = challenge(truco, tokens["ana"], to="rui", rules={"target": 6})
    accept(truco, match, tokens["rui"])
    with watching(truco, match, tokens["ana"]) as seat, events(truco, token_for(truco, "silent")) as ears:
        seat.hear("full")
        lines = [seat.line(), seat.line()]
        while lines[-1]:
            lines.append(seat.line())  # a message about connections
        assert lines[-1] == "" and ears.line() == ""


def test_open_streams_of_a_token_are_limited(truco):
    token = token_for(truco, "greedy")
    streams = [events(truco, token) for _ in range(4)]
    for stream in streams:
        stream.__enter__()
    refused = truco.get("/api/stream/events", token)
    assert (refused.status_code, said(refused)) == (429, "server.crowd")
    for stream in streams:
        stream.__exit__(None, None, None)
    while truco.get("/api/account", token).status_code == 200:  # until the server notices that the streams are closed
        try:
            with events(truco, token):
                return
        except AssertionError:
            continue


def test_openapi_contains_the_endpoints_for_bots(truco):
    described = truco.get("/openapi.json").json()["paths"]
    assert {"/api/account", "/api/challenges"} <= set(described)
    assert {f"/api/challenges/{{number}}/{what}" for what in ("accept", "decline", "cancel")} <= set(described)
