"""Neutral presentation of a study: neither agents nor matches of others are visible."""

import json

import pytest

from bolicho.store.database import against_people
from bolicho.web.study.participation import seat_token
from tests.web.running import Served, play_by_http, said
from tests.web.study.plans import Guest

AGENTS = ("cautious", "pvs(base=baseline)")
LOOKS = [("", {}), ("/view", {}), ("/view", {"wait": 0, "ply": 0}), ("/fair", {}), ("/record", {}),
         ("/record", {"as": "whole"}), ("/why", {"ply": 0})]  # fmt: skip


class RecordingServer:
    """A server that keeps every response with its headers."""

    def __init__(self, served):
        self._served = served
        self.heard = []

    def __getattr__(self, name):
        return getattr(self._served, name)

    def ask(self, method, path, token=None, **more):
        answer = self._served.ask(method, path, token, **more)
        self.heard.append(f"{path} {sorted(answer.headers.items())} {answer.text}")
        return answer

    def get(self, path, token=None, **query):
        return self.ask("GET", path, token, params=query)

    def post(self, path, body=None, token=None, **query):
        return self.ask("POST", path, token, json=body, params=query)

    view, move = Served.view, Served.move


@pytest.mark.parametrize("place", [1, 2])
def test_bytes_sent_to_a_participant_never_name_the_agent(study, truco, place):
    one = study(opponents=AGENTS)
    recorder = RecordingServer(truco)
    guest = Guest(recorder, one.id, one.invite().token)
    step = guest.go("match", place)
    match, token = step["match"], step["token"]
    with truco.live(match, token) as line:
        message = line.hear()
        recorder.heard.append(json.dumps(message))
        for _ in range(3):
            if message["state"] == "playing" and message["view"]["legal"]:
                line.move(message["ply"], message["view"]["legal"][0]["action"])
                message = line.hear()
                recorder.heard.append(json.dumps(message))
    base = f"/api/matches/{match}"
    for path, query in [*LOOKS, ("/action-help", {}), ("/view", {"ply": 0, "seat": 1})]:
        recorder.get(base + path, token, **query)
    recorder.post(f"{base}/hint", {"agent": "balanced"}, token)
    recorder.post(f"{base}/claim", None, token)
    guest.go("thanks")
    guest.get("consent")
    heard = "\n".join(recorder.heard)
    assert len(recorder.heard) > 40 and '"agent":true' in heard and "Opponent 1" in heard
    for spec in (*AGENTS, "novice", "pvs", "baseline"):
        assert spec not in heard


def test_match_of_a_study_is_hidden_without_the_token_of_its_seat(study, truco):
    one = study()
    step = one.invite().go("match")
    base = f"/api/matches/{step['match']}"
    other_token = seat_token("somebody else's", step["match"])
    for token in (None, other_token, "x"):
        for path, query in LOOKS:
            answer = truco.get(base + path, token, **query)
            assert answer.status_code == 404 and said(answer) == "server.no-match", path
    for token in (other_token, "x"):
        assert truco.get(f"{base}/action-help", token).status_code == 404
        assert truco.post(f"{base}/moves", {"ply": 0, "action": "1e"}, token).status_code == 404
        assert truco.post(f"{base}/hint", {"agent": "balanced"}, token).status_code == 404
        assert truco.post(f"{base}/claim", None, token).status_code == 404
        with truco.live(step["match"], token) as line:
            assert line.hear("bye")["says"][0] == "server.no-match"
    assert truco.post(f"{base}/sit", {"invite": "x", "name": "x"}).status_code == 404


def test_reasons_and_hints_are_off(study, truco):
    step = study().invite().go("match")
    base = f"/api/matches/{step['match']}"
    assert said(truco.get(f"{base}/why", step["token"], ply=0)) == "server.why-off"
    assert said(truco.post(f"{base}/hint", {"agent": "balanced"}, step["token"])) == "server.hint-off"
    options = truco.get(base, step["token"]).json()["options"]
    assert options["pace"] == 300 and options["neutral"] is True and options["open_end"] is False


def test_agents_are_named_if_the_plan_allows_it(study, truco):
    one = study(order="fixed", sees='[sees]\nnames = "agents"\nwhy = true')
    step = one.invite().go("match")
    facts = truco.get(f"/api/matches/{step['match']}", step["token"]).json()
    assert step["label"] == "cautious" and facts["players"][1]["agent"] == "cautious" and facts["options"]["why"]


def test_token_of_a_seat_is_the_same_on_every_device(study, truco):
    guest = study().invite()
    step = guest.go("match")
    assert step["token"] == seat_token(guest.token, step["match"]) == guest.me()["step"]["token"]
    message = play_by_http(truco, step["match"], step["token"])
    assert message["state"] == "over"


def test_matches_of_studies_do_not_count_in_public_records(study, truco):
    one = study(opponents=("pvs(base=baseline)", "nps(base=baseline)"))
    with one.engine.connect() as connection:
        before = against_people(connection)
    one.invite().go("thanks")
    with one.engine.connect() as connection:
        assert against_people(connection) == before
