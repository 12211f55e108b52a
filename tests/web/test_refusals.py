"""Refusals: a key and facts for programs, an English sentence for people."""

import json

import pytest

from bolicho.i18n import Message, Seat, catalogue
from bolicho.web.refusal import Refusal
from tests.web.running import agent, me

MATCH = {"game": "truco", "seats": [me(), agent("balanced")]}


def refused(answer, status, key):
    assert answer.status_code == status, answer.text
    told = answer.json()
    assert told["says"][0] == key
    assert told["message"].endswith(".") and "{" not in told["message"] and told["message"] != key
    return told["message"]


def test_refusals_of_the_framework_have_a_key_and_a_sentence(truco):
    assert "address" in refused(truco.get("/nothing/here"), 404, "server.no-page")
    wrong = truco.ask("DELETE", "/api/matches")
    assert refused(wrong, 405, "server.method") == "DELETE is not allowed at this address; allowed: POST."
    assert wrong.headers["allow"] == "POST"
    large = truco.post("/api/matches", {"game": "x" * 20_000})
    assert "16384" in refused(large, 413, "server.large")
    assert "seats" in refused(truco.post("/api/matches", {"game": "truco"}), 422, "server.unreadable")
    broken = truco.client.post("/api/matches", content=b"{", headers={"content-type": "application/json"})
    assert "Invalid request" in refused(broken, 422, "server.unreadable")


def test_refusals_of_the_table_have_a_key_and_a_sentence(truco):
    match, token = truco.make()
    path = f"/api/matches/{match}"
    refused(truco.get("/api/matches/nothing"), 404, "server.no-match")
    refused(truco.post(f"{path}/claim"), 401, "server.no-token")
    refused(truco.get(f"{path}/view", "wrong"), 403, "server.token")
    refused(truco.post(f"{path}/claim", token=token), 409, "server.no-claim")
    refused(truco.post(f"{path}/sit", {"invite": "x", "name": "Rui"}), 410, "server.invite")
    refused(truco.post("/api/matches", {**MATCH, "seats": [me()]}), 422, "server.seats")
    for _ in range(100):
        answer = truco.get(f"{path}/why", token, ply=90_000)
        if answer.status_code == 429:
            break
    assert "wait" in refused(answer, 429, "server.rate") and int(answer.headers["retry-after"]) >= 1


def test_refusals_over_a_websocket_have_a_sentence(truco):
    match, token = truco.make()
    with truco.live(match, token) as line:
        line.say(do="move", ply=0, action="fold everything")
        told = line.hear("refused")
        assert told["says"][0].startswith("truco.") and "vale4" in told["message"] and "{" not in told["message"]
    with truco.live(match, "wrong") as line:
        assert line.hear("bye")["message"] == catalogue("en").say(Message("server.token"))


def test_refusals_name_players_by_seat():
    told = Refusal(409, Message("server.early-claim", who=Seat(1)), after=3.0).as_json()
    assert told["message"].startswith("Seat 2 ") and told["after"] == 3.0


def test_unknown_key_is_used_as_the_sentence():
    assert Refusal(422, Message("mygame.no")).as_json()["message"] == "mygame.no"


@pytest.mark.parametrize("status", ["401", "404", "405", "413", "422", "429"])
def test_openapi_describes_refusals(truco, status):
    described = json.loads(truco.get("/openapi.json").content)
    for path, calls in described["paths"].items():
        for method, call in calls.items():
            schema = call["responses"][status]["content"]["application/json"]["schema"]
            assert schema == {"$ref": "#/components/schemas/RefusalResponse"}, (path, method)
    assert set(described["components"]["schemas"]["RefusalResponse"]["required"]) == {"says", "message"}
