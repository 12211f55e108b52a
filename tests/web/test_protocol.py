"""Protocol of matches over HTTP and WebSockets."""

import json
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from bolicho.web.match import PAUSE
from tests.web.running import agent, invited, me, pick, play_by_http, said

GAMES = {
    "truco": (["balanced"], {}),
    "dominoes": (["rule"], {}),
    "fives": (["rule"], {}),
    "wonders": (["rules", "random"], {}),
}


def change(served, statement, *values):
    """Change rows without the server, which keeps no match in memory that it has not read."""
    with sqlite3.connect(served.database, timeout=10) as database:
        database.execute(statement, values)
    database.close()


def was_up(served):
    """Insert an interval of uptime of another process, so that old times count."""
    long_ago, soon = time.time() - 3600, time.time() + 600
    change(served, "INSERT INTO uptime (began, until) VALUES (?, ?)", long_ago, soon)


# --- Whole matches --------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_match_is_played_by_http_requests(app_state, game):
    opponents, rules = GAMES[game]
    match, token = app_state.make(game, opponents, rules)
    last = play_by_http(app_state, match, token)
    assert last["state"] == "over" and last["view"]["over"] and last["result"]["scores"] == last["view"]["scores"]
    assert last["view"]["ply"] == last["ply"] == app_state.get(f"/api/matches/{match}").json()["ply"]


@pytest.mark.parametrize("game", GAMES)
def test_match_is_played_over_a_websocket_and_every_ply_is_sent_once(app_state, game):
    opponents, rules = GAMES[game]
    match, token = app_state.make(game, opponents, rules)
    plies, log = [], []
    with app_state.live(match, token) as line:
        message = line.hear()
        log += message["view"]["log"]
        while message["state"] == "playing":
            if message["view"]["legal"]:
                line.move(message["ply"], pick(message["view"]))
            before, message = message["ply"], line.hear()
            views = [*message["frames"], message["view"]]
            assert [view["ply"] for view in views] == list(range(before + 1, message["ply"] + 1))
            plies += [view["ply"] for view in views]
            for view in views:
                assert view["log_from"] == len(log)
                log += view["log"]
    assert plies == list(range(plies[0], message["ply"] + 1)) and message["view"]["over"]
    assert log == app_state.view(match, token)["view"]["log"]


@pytest.mark.parametrize("seats", [3, 4, 5, 6, 7])
def test_people_and_agents_play_seven_wonders_together(app_state, seats):
    places = [me("Ana"), agent("rules"), invited(), *[agent("random")] * (seats - 3)]
    made = app_state.made("wonders", places, {"players": seats})
    match, ana = made["match"], made["seats"][0]["token"]
    assert app_state.get(f"/api/matches/{match}").json()["state"] == "waiting"
    sat = app_state.post(f"/api/matches/{match}/sit", {"invite": made["seats"][2]["invite"], "name": "Beto"}).json()
    assert sat["seat"] == 2
    beto = ThreadPoolExecutor(1).submit(play_by_http, app_state, match, sat["token"], 1)
    last = play_by_http(app_state, match, ana)
    assert last["state"] == "over" and beto.result(60)["view"]["scores"] == last["view"]["scores"]
    assert [player["name"] for player in last["players"]][::2][:2] == ["Ana", "Beto"]


def test_two_people_play_by_invitation_and_both_get_every_view(truco):
    made = truco.made("truco", [me("Ana"), invited()])
    match, ana = made["match"], made["seats"][0]["token"]
    with truco.live(match, ana) as one:
        waiting = one.hear()
        assert waiting["state"] == "waiting" and waiting["view"] is None and waiting["ply"] == -1
        body = {"invite": made["seats"][1]["invite"], "name": "Beto", "agree": True}
        beto = truco.post(f"/api/matches/{match}/sit", body).json()["token"]
        with truco.live(match, beto) as two:
            lines = [one, two]
            messages = [one.hear(), two.hear()]
            while messages[0]["state"] == "playing":
                turn = messages[0]["view"]["turn"]
                lines[turn].move(messages[turn]["ply"], pick(messages[turn]["view"]))
                messages = [one.hear(), two.hear()]
                assert messages[0]["ply"] == messages[1]["ply"]
    assert messages[1]["state"] == "over" and messages[0]["result"] == messages[1]["result"]


def test_match_of_agents_alone_is_played_to_its_end_and_can_be_replayed(truco):
    match = truco.made("truco", [agent("balanced"), agent("random")])["match"]
    last = truco.over(match)
    for ply in range(0, last["ply"] + 1, 7):
        seen = truco.view(match, ply=ply)
        assert seen["ply"] == seen["view"]["ply"] == ply and seen["view"]["seat"] is None


# --- Repeated and invalid moves -------------------------------------------------------------------


def test_the_same_move_sent_again_is_played_once(truco):
    match, token = truco.make()
    first = truco.view(match, token)
    action = pick(first["view"])
    once = truco.move(match, token, first["ply"], action).json()
    again = truco.move(match, token, first["ply"], action).json()
    assert once["ply"] == again["ply"] > first["ply"] and once["view"] == again["view"]


def test_the_same_move_from_many_connections_at_once_is_played_once(truco):
    match, token = truco.make()
    for _ in range(5):
        now = truco.view(match, token)
        if now["state"] == "over":
            break
        action = pick(now["view"])
        with ThreadPoolExecutor(8) as many:
            answers = list(many.map(lambda _: truco.move(match, token, now["ply"], action), range(8)))  # noqa: B023
        assert {answer.status_code for answer in answers} == {200}
        assert len({answer.json()["ply"] for answer in answers}) == 1
        moves = truco.view(match, token)["view"]["log"]
        assert moves == answers[0].json()["view"]["log"]


def test_one_of_several_concurrent_moves_is_played_and_the_others_are_refused(truco):
    match, token = truco.make()
    now = truco.view(match, token)
    legal = [action["action"] for action in now["view"]["legal"]]
    with ThreadPoolExecutor(8) as many:
        answers = list(many.map(lambda action: truco.move(match, token, now["ply"], action), legal))
    assert [answer.status_code for answer in answers].count(200) == 1
    assert {said(answer) for answer in answers if answer.status_code != 200} <= {"server.late"}


def test_same_move_over_two_websockets_shows_both_the_same_view(truco):
    match, token = truco.make()
    with truco.live(match, token) as one, truco.live(match, token) as two:
        first, second = one.hear(), two.hear()
        assert first["view"] == second["view"]
        action = pick(first["view"])
        one.move(first["ply"], action)
        two.move(first["ply"], action)
        told, other = one.hear(), two.hear()
        assert told["ply"] == other["ply"] and told["view"] == other["view"]
        assert two.hear()["view"]["ply"] == told["ply"]  # the repetition gets a full view


def test_invalid_moves_are_refused_and_change_nothing(truco):
    match, token = truco.make()
    now = truco.view(match, token)
    ply, legal = now["ply"], {action["action"] for action in now["view"]["legal"]}
    illegal = next(card for card in ("1e", "1b", "7e", "3c", "2p") if card not in legal)
    for answer, status in [
        (truco.move(match, token, ply, illegal), 422),
        (truco.move(match, token, ply, "no such thing"), 422),
        (truco.move(match, token, ply, "\u202e" * 80), 422),
        (truco.move(match, token, ply + 1, pick(now["view"])), 409),
        (truco.move(match, token, ply + 1000, pick(now["view"])), 409),
        (truco.move(match, None, ply, pick(now["view"])), 401),
        (truco.move(match, "x" * 32, ply, pick(now["view"])), 403),
        (truco.move(match, truco.make()[1], ply, pick(now["view"])), 403),
        (truco.move("nosuchone", token, ply, pick(now["view"])), 404),
    ]:
        assert answer.status_code == status and said(answer).startswith(("server.", "truco.")), answer.text
    assert truco.view(match, token)["view"] == now["view"]


def test_move_out_of_turn_is_refused(truco):
    made = truco.made("truco", [me(), invited()])
    match = made["match"]
    assert said(truco.move(match, made["seats"][0]["token"], 0, "1e")) == "server.waiting"
    beto = truco.post(f"/api/matches/{match}/sit", {"invite": made["seats"][1]["invite"], "name": "B"}).json()["token"]
    tokens = [made["seats"][0]["token"], beto]
    now = truco.view(match)
    waiting = tokens[1 - now["view"]["turn"]]
    answer = truco.move(match, waiting, now["ply"], "truco")
    assert answer.status_code == 409 and said(answer) == "server.turn"


def test_after_the_end_only_the_last_move_may_be_repeated(truco):
    match, token = truco.make(rules={"target": 12})
    message = truco.view(match, token)
    while message["state"] == "playing":
        ply, action = message["ply"], pick(message["view"])
        message = truco.move(match, token, ply, action).json()
    assert truco.move(match, token, ply, action).json()["state"] == "over"
    assert said(truco.move(match, token, message["ply"], action)) == "server.over"


# --- Access ---------------------------------------------------------------------------------------


def test_token_gives_access_to_its_own_seat_only(truco):
    made = truco.made("truco", [me("Ana"), invited()])
    match, ana = made["match"], made["seats"][0]["token"]
    beto = truco.post(f"/api/matches/{match}/sit", {"invite": made["seats"][1]["invite"], "name": "B"}).json()["token"]
    views = [truco.view(match, token)["view"] for token in (ana, beto, None)]
    assert [view["seat"] for view in views] == [0, 1, None]
    hands = [view["table"]["cards"] for view in views]
    assert len(set(hands[0]) | set(hands[1])) == 6 and hands[2] == []
    other, _ = truco.make()
    for path in ("view", "moment", "record"):
        assert truco.get(f"/api/matches/{other}/{path}", ana).status_code == 403


@pytest.mark.parametrize("header", ["Bearer", "Basic abc", "Bearer " + "x" * 150, "", "bearer"])
def test_invalid_authorization_header_is_refused(truco, header):
    match, _ = truco.make()
    answer = httpx.get(f"{truco.base}/api/matches/{match}/view", headers={"authorization": header})
    assert answer.status_code in (401, 422) and said(answer).startswith("server.")


def test_requests_of_players_need_a_token(truco):
    match, _ = truco.make()
    for answer in (
        truco.get(f"/api/matches/{match}/action-help"),
        truco.post(f"/api/matches/{match}/hint", {"agent": "balanced"}),
        truco.post(f"/api/matches/{match}/claim"),
    ):
        assert answer.status_code == 401 and said(answer) == "server.no-token"


def test_spectator_sees_public_information_only_and_cannot_move(truco):
    match, token = truco.make()
    with truco.live(match) as watching, truco.live(match, token) as playing:
        seen, mine = watching.hear(), playing.hear()
        assert seen["view"]["seat"] is None and seen["view"]["legal"] == [] and seen["view"]["table"]["cards"] == []
        watching.move(seen["ply"], pick(mine["view"]))
        assert watching.hear("refused")["says"][0] == "server.no-token"
        playing.move(mine["ply"], pick(mine["view"]))
        told = watching.hear()
        assert told["ply"] == playing.hear()["ply"]
        cards = set(mine["view"]["table"]["cards"])
        shown = json.dumps(told["view"]["table"]["played"])
        for view in (told["view"], *told["frames"]):
            assert view["seat"] is None and view["table"]["cards"] == [] and view["table"]["dealt"] == []
            assert all(card not in json.dumps(view) or card in shown for card in cards)


# --- Invitations ----------------------------------------------------------------------------------


def test_invitation_used_concurrently_seats_one_person(truco):
    made = truco.made("truco", [me(), invited()])
    sit = f"/api/matches/{made['match']}/sit"
    bodies = [{"invite": made["seats"][1]["invite"], "name": f"guest {i}"} for i in range(8)]
    with ThreadPoolExecutor(8) as many:
        answers = list(many.map(lambda body: truco.post(sit, body), bodies))
    assert sorted(answer.status_code for answer in answers) == [200] + [410] * 7
    assert {said(answer) for answer in answers if answer.status_code == 410} == {"server.invite"}


def test_an_invitation_expires(truco):
    made = truco.made("truco", [me(), invited()])
    match, invite = made["match"], made["seats"][1]["invite"]
    assert made["seats"][1]["expires"] > time.time() + 3600
    change(truco, "UPDATE seats SET expires = ? WHERE match = ? AND seat = 1", time.time() - 1, match)
    truco.kill()
    truco.start()
    answer = truco.post(f"/api/matches/{match}/sit", {"invite": invite, "name": "late"})
    assert answer.status_code == 410 and said(answer) == "server.expired"
    assert truco.get(f"/api/matches/{match}").json()["state"] == "waiting"


def test_invitation_is_valid_for_its_match_only(truco):
    first, second = truco.made("truco", [me(), invited()]), truco.made("truco", [me(), invited()])
    body = {"invite": first["seats"][1]["invite"], "name": "lost"}
    assert truco.post(f"/api/matches/{second['match']}/sit", body).status_code == 410


# --- Malformed requests and messages --------------------------------------------------------------

BAD_NAMES = ["", "   ", "x" * 25, "a\nb", "a\0b", "a\x7fb", "a\x9fb", "a\u202eb", "a\u2066b", "a\u200fb", "a\u061cb"]
BAD_NAMES += ["a\u2028b", "\u200b", "a\ufeffb", "a\ud800b", 7, None, ["a"]]


@pytest.mark.parametrize("name", BAD_NAMES, ids=ascii)
def test_invalid_name_is_refused(truco, name):
    body = json.dumps({"game": "truco", "seats": [{"who": "me", "name": name}, agent("balanced")]})
    headers = {"content-type": "application/json"}
    answer = httpx.post(truco.base + "/api/matches", content=body.encode("ascii"), headers=headers)
    assert answer.status_code == 422 and said(answer) == "server.unreadable"


@pytest.mark.parametrize("name", ["Ana", "João d'Ávila", "Ñandú", "O'Neil <b>", "小明", "नेहा", "👩‍🌾"])
def test_names_in_any_script_are_kept_unchanged(truco, name):
    made = truco.made("truco", [me(name), agent("balanced")])
    assert truco.get(f"/api/matches/{made['match']}").json()["players"][0]["name"] == name


TWO = '"seats": [{"who": "me", "name": "A"}, {"who": "me", "name": "B"}]'
GARBAGE = ["", "{", "[]", "null", "\xff", "[" * 5000, '{"game": "truco"}', '{"game": 1, "seats": []}']
GARBAGE += ['{"a": ' + "9" * 5000 + "}", f'{{"game": "chess", {TWO}}}', '{"game": "truco", "seats": [{"who": "me"}]}']
FACTS = {
    "rules": ['{"target": NaN}', '{"target": 99999999999999999999999}', '{"nothing": 1}'],
    "options": ['{"clock": {"seconds": NaN}}', '{"clock": {"seconds": 1e999}}', '{"nonce": "xyz"}'],
    "more": ["1"],
}
GARBAGE += [f'{{"game": "truco", {TWO}, "{key}": {value}}}' for key, values in FACTS.items() for value in values]
SPECS = ["", "human", "mcts(iterations=9999999)", "os:system", "open-mcts", "rules", "balanced("]
GARBAGE += [json.dumps({"game": "truco", "seats": [me(), agent(spec)]}) for spec in SPECS]


@pytest.mark.parametrize("body", GARBAGE, ids=lambda body: body[-40:])
def test_malformed_body_is_refused_with_a_reason(truco, body):
    headers = {"content-type": "application/json"}
    answer = httpx.post(truco.base + "/api/matches", content=body.encode("latin-1"), headers=headers)
    assert answer.status_code in (400, 422), answer.text
    assert said(answer).startswith("server.")


def test_a_body_that_is_too_large_is_refused(truco):
    for content in (b" " * 100_000, iter([b" " * 10_000] * 10)):
        answer = httpx.post(truco.base + "/api/matches", content=content, headers={"content-type": "application/json"})
        assert answer.status_code == 413 and said(answer) == "server.large"


@pytest.mark.parametrize("path", ["/nothing", "/api/nothing", "/a/nothing.js", "/a/../app.py", "/a/%2e%2e/app.py"])
def test_unknown_path_is_not_found(truco, path):
    answer = truco.get(path)
    assert answer.status_code == 404 and said(answer) == "server.no-page"


def test_unsupported_method_is_refused_with_a_reason(truco):
    assert said(truco.ask("DELETE", "/api/games")).startswith("server.")


@pytest.mark.parametrize("query", [{"ply": -2}, {"ply": "x"}, {"log": -1}, {"wait": "nan"}, {"wait": 1e9}])
def test_invalid_queries_are_refused(truco, query):
    match, token = truco.make()
    answer = truco.get(f"/api/matches/{match}/view", token, **query)
    assert answer.status_code == 422 and said(answer) == "server.unreadable"


NO_HELLO = [b"\0\1\2", "", "hello", "[]", "[" * 3000, '{"do": 1}', '{"do": "move"}']
ODD = {"log": ["-1", "1.5"], "token": ["7", '"\\ud800"', '"nobody"', '""']}
NO_HELLO += [f'{{"do": "hello", "{key}": {value}}}' for key, values in ODD.items() for value in values]


@pytest.mark.parametrize("first", NO_HELLO, ids=ascii)
def test_websocket_without_a_valid_hello_is_closed(truco, first):
    match, _ = truco.make()
    with connect(f"{truco.base.replace('http', 'ws', 1)}/api/matches/{match}/live") as wire:
        wire.send(first)
        with pytest.raises(ConnectionClosed):
            while True:
                assert json.loads(wire.recv(timeout=20))["is"] == "bye"


def test_websocket_to_an_unknown_match_is_closed_with_a_reason(truco):
    for match in ("nosuchone", "NO", "x" * 40):
        with truco.live(match) as line:
            assert line.hear("bye")["says"][0] in ("server.no-match", "server.unreadable")


def test_invalid_messages_are_refused_and_the_match_continues(truco):
    match, token = truco.make()
    with truco.live(match, token) as line:
        now = line.hear()
        odd = [{}, {"ply": "0", "action": 5}, {"ply": 0}, {"ply": now["ply"], "action": "x" * 81}]
        for message in ({"do": "dance"}, *({"do": "move", **facts} for facts in odd)):
            line.say(**message)
            assert line.hear("refused")["says"][0] == "server.unreadable"
        line.say(do="ping")
        line.hear("pong")
        line.move(now["ply"], pick(now["view"]))
        assert line.hear()["ply"] > now["ply"]


def test_binary_frame_closes_only_its_own_connection(truco):
    match, token = truco.make()
    with truco.live(match, token) as line, truco.live(match, token) as other:
        line.hear(), other.hear()
        line.wire.send(b"\0\1\2")
        with pytest.raises(ConnectionClosed):
            line.hear("never")
        other.say(do="ping")
        other.hear("pong")


def test_oversized_message_closes_the_connection_but_not_the_match(truco):
    match, token = truco.make()
    with truco.live(match, token) as line:
        line.hear()
        line.say(do="ping", more="x" * 5000)
        with pytest.raises(ConnectionClosed):
            line.hear("never")
    assert truco.view(match, token)["state"] == "playing"


# --- Rates ----------------------------------------------------------------------------------------


def test_rate_limit_of_one_seat_gives_a_retry_time_and_spares_other_seats(truco):
    match, token = truco.make()
    other, token_of_other = truco.make()
    with ThreadPoolExecutor(8) as many:
        answers = list(many.map(lambda _: truco.get(f"/api/matches/{match}/view", token), range(600)))
    late = [answer for answer in answers if answer.status_code == 429]
    assert len(late) > 20 and {answer.status_code for answer in answers} == {200, 429}
    assert said(late[0]) == "server.rate" and 0 < late[0].json()["after"] <= 1
    assert int(late[0].headers["retry-after"]) >= 1
    assert truco.get(f"/api/matches/{other}/view", token_of_other).status_code == 200  # from the same address
    time.sleep(1)
    assert truco.get(f"/api/matches/{match}/view", token).status_code == 200


def test_moves_over_a_websocket_are_rate_limited(truco):
    match, token = truco.make()
    with truco.live(match, token) as line:
        line.hear()
        refusals = []
        for _ in range(20):
            for _ in range(20):
                line.move(0, "nonsense")
            refusals += [line.hear("refused") for _ in range(20)]
    late = [refusal for refusal in refusals if refusal["says"][0] == "server.rate"]
    assert late and all(refusal["after"] > 0 for refusal in late)
    assert "server.rate" not in [refusal["says"][0] for refusal in refusals[:60]]


# --- Options of a match ---------------------------------------------------------------------------


def test_hints_and_reasons_are_refused_where_switched_off(truco):
    match, token = truco.make(why=False, hint=False)
    assert said(truco.post(f"/api/matches/{match}/hint", {"agent": "balanced"}, token)) == "server.hint-off"
    play_by_http(truco, match, token)
    answer = truco.get(f"/api/matches/{match}/why", token, ply=0)
    assert answer.status_code == 403 and said(answer) == "server.why-off"


def test_hint_is_a_legal_action_with_reasons(truco):
    match, token = truco.make()
    now = truco.view(match, token)
    hint = truco.post(f"/api/matches/{match}/hint", {"agent": "balanced"}, token).json()
    assert hint["action"] in [action["action"] for action in now["view"]["legal"]]
    assert hint["agent"] == "balanced" and isinstance(hint["why"], list) and isinstance(hint["lines"], list)
    assert truco.post(f"/api/matches/{match}/hint", {"agent": "balanced"}, token).json() == hint
    assert said(truco.post(f"/api/matches/{match}/hint", {"agent": "os:x"}, token)) == "server.no-agent"


def test_reasons_are_given_only_after_the_hand(truco):
    match, token = truco.make()
    message, hands = truco.view(match, token), {}
    while message["state"] == "playing" and message["view"]["table"]["hand"] < 3:
        if message["view"]["turn"] == 1:
            message = truco.view(match, token, ply=message["ply"], wait=5)
            continue
        message = truco.move(match, token, message["ply"], pick(message["view"])).json()
    for ply in range(message["ply"]):
        was = truco.view(match, token, ply=ply)["view"]
        hands[ply] = was["table"]["hand"], was["turn"]
    theirs = {ply: hand for ply, (hand, turn) in hands.items() if turn == 1}
    present = message["view"]["table"]["hand"]
    for ply, hand in list(theirs.items())[-12:]:
        answer = truco.get(f"/api/matches/{match}/why", token, ply=ply)
        if hand == present and message["state"] == "playing":
            assert answer.status_code == 403 and said(answer) == "server.why-early"
        else:
            assert answer.status_code == 200 and answer.json()["seat"] == 1 and answer.json()["agent"] == "balanced"
            assert answer.json()["ply"] == ply and isinstance(answer.json()["why"], list)
    assert min(theirs.values()) < present


def test_no_reasons_for_actions_of_people(truco):
    match, token = truco.make(rules={"target": 12})
    play_by_http(truco, match, token)
    mine = next(ply for ply in range(10) if truco.view(match, ply=ply)["view"]["turn"] == 0)
    assert said(truco.get(f"/api/matches/{match}/why", token, ply=mine)) == "server.why-person"
    assert said(truco.get(f"/api/matches/{match}/why", token, ply=9999)) == "server.no-ply"


@pytest.mark.parametrize("agreed", [True, False])
def test_whole_record_is_available_after_the_end_where_agreed(truco, agreed):
    match, token = truco.make(open_end=agreed)
    record, fair = f"/api/matches/{match}/record", f"/api/matches/{match}/fair"
    before = truco.get(record, token, **{"as": "whole"})
    assert before.status_code == 403 and said(before) == "server.not-open"
    facts = truco.get(fair).json()
    assert facts["secret"] is None and facts["seed"] is None
    mine = truco.get(record, token).json()
    assert mine["seat"] == 0 and "seed" not in json.dumps(mine) and "actions" not in mine and "secret" not in mine
    play_by_http(truco, match, token)
    after = truco.get(record, token, **{"as": "whole"})
    assert after.status_code == (200 if agreed else 403)
    assert (truco.get(fair).json()["secret"] is not None) is agreed
    assert (truco.get(f"/api/matches/{match}").json()["secret"] is not None) is agreed
    if agreed:
        assert set(after.json()["shown"]) == {"0", "1"} and "attachment" in after.headers["content-disposition"]


@pytest.mark.parametrize("agreed", [True, False])
def test_views_of_all_seats_are_public_after_the_end_where_agreed(truco, agreed):
    match, token = truco.make(open_end=agreed)
    path = f"/api/matches/{match}/view"
    assert said(truco.get(path, seat=1)) == said(truco.get(path, token, seat=1)) == "server.not-open"
    assert truco.get(path, token, seat=0).json()["view"]["table"]["dealt"]  # the own seat is always open
    play_by_http(truco, match, token)
    seen = [truco.get(path, seat=seat, ply=0) for seat in (0, 1)]
    if agreed:
        assert [len(look.json()["view"]["table"]["dealt"]) for look in seen] == [3, 3]
        assert [look.json()["view"]["seat"] for look in seen] == [0, 1]
        assert truco.get(path, seat=2).status_code == 404
    else:
        assert [look.status_code for look in seen] == [403, 403]


# --- Time and absence -----------------------------------------------------------------------------


def two_people(served, **options):
    made = served.made("truco", [me("Ana"), invited()], **options)
    match = made["match"]
    body = {"invite": made["seats"][1]["invite"], "name": "Beto"}
    tokens = [made["seats"][0]["token"], served.post(f"/api/matches/{match}/sit", body).json()["token"]]
    turn = served.view(match)["view"]["turn"]
    return match, tokens[turn], tokens[1 - turn], turn


def test_claim_against_an_absent_player_waits_for_a_pause_that_restarts_with_the_server(truco):
    match, away, other, late = two_people(truco)
    with truco.live(match, other) as line:
        line.hear()
        with truco.live(match, away) as leaving:
            leaving.hear()
            while not line.hear("players")["players"][late]["here"]:
                pass
        told = line.hear("players")
        while told["players"][late]["here"]:
            told = line.hear("players")
        assert told["claim"]["late"] == late and told["claim"]["at"] > time.time() + PAUSE / 2
        line.say(do="claim")
        refused = line.hear("refused")
        assert refused["says"][0] == "server.early-claim" and 0 < refused["after"] <= PAUSE
        assert said(truco.post(f"/api/matches/{match}/claim", token=away)) == "server.no-claim"
    long_ago = time.time() - 2 * PAUSE
    truco.kill()
    change(truco, "UPDATE seats SET seen = ?, here = 0 WHERE match = ? AND seat = ?", long_ago, match, late)
    change(truco, "UPDATE matches SET dealt = ? WHERE id = ?", long_ago, match)
    truco.start()
    assert truco.view(match)["state"] == "playing"  # not claimed
    refused = truco.post(f"/api/matches/{match}/claim", token=other)  # the pause begins again with the server
    assert said(refused) == "server.early-claim" and PAUSE / 2 < refused.json()["after"] <= PAUSE


def test_no_claim_against_a_player_who_returns_in_time(truco):
    match, away, other, _ = two_people(truco)
    with truco.live(match, away) as line:
        now = line.hear()
        line.move(now["ply"], pick(now["view"]))
        line.hear()
        answer = truco.post(f"/api/matches/{match}/claim", token=other)
        assert answer.status_code == 409 and said(answer) == "server.no-claim"


def test_player_out_of_time_may_move_until_a_claim(truco):
    clock = {"seconds": 5, "plus": 0}
    match, slow, other, late = two_people(truco, clock=clock)
    started = truco.view(match, slow)
    assert started["clock"]["running"] == late and max(started["clock"]["left"]) <= 5
    early = truco.post(f"/api/matches/{match}/claim", token=other)
    assert said(early) == "server.early-claim" and 0 < early.json()["after"] <= 5
    truco.kill()
    change(truco, "UPDATE matches SET dealt = dealt - 10 WHERE id = ?", match)
    was_up(truco)
    truco.start()
    late_now = truco.view(match, slow)
    assert late_now["clock"]["left"][late] == 0 and late_now["state"] == "playing"
    moved = truco.move(match, slow, late_now["ply"], pick(late_now["view"])).json()
    assert moved["ply"] == late_now["ply"] + 1 and moved["state"] == "playing"
    if moved["view"]["turn"] == 1 - late:
        assert said(truco.post(f"/api/matches/{match}/claim", token=other)) == "server.no-claim"


def test_claim_against_agents_is_refused(truco):
    match, token = truco.make(clock={"seconds": 5})
    assert said(truco.post(f"/api/matches/{match}/claim", token=token)) == "server.no-claim"


# --- Reconnection ---------------------------------------------------------------------------------


def test_reconnected_client_gets_the_log_from_its_last_entry(truco):
    match, token = truco.make()
    with truco.live(match, token) as line:
        first = line.hear()
        line.move(first["ply"], pick(first["view"]))
        seen = line.hear()
    known = seen["view"]["log_from"] + len(seen["view"]["log"])
    with truco.live(match, token, log=known) as line:
        assert line.hear()["view"]["log"] == []
    with truco.live(match, token, log=1) as line:
        assert line.hear()["view"]["log"] == truco.view(match, token)["view"]["log"][1:]
    with truco.live(match, token, log=100_000) as line:
        assert line.hear()["view"]["log"] == []


def test_second_tab_gets_the_same_views_as_the_first(truco):
    match, token = truco.make()
    with truco.live(match, token) as one, truco.live(match, token) as two:
        now, _ = one.hear(), two.hear()
        for _ in range(8):
            if now["view"]["legal"]:
                one.move(now["ply"], pick(now["view"]))
            now, other = one.hear(), two.hear()
            assert now["view"] == other["view"] and now["frames"] == other["frames"]


def test_long_poll_returns_at_the_next_move(truco):
    match, mine, theirs, _ = two_people(truco)
    now = truco.view(match, theirs)
    with ThreadPoolExecutor(1) as pool:
        start = time.monotonic()
        mine_now = truco.view(match, mine)["view"]
        while not all(player["here"] for player in truco.view(match, theirs, ply=now["ply"], wait=0.5)["players"]):
            pass  # a new connection also ends a poll
        waiting = pool.submit(truco.view, match, theirs, ply=now["ply"], wait=20)
        time.sleep(0.5)
        assert not waiting.done()
        truco.move(match, mine, now["ply"], pick(mine_now))
        assert waiting.result(15)["ply"] == now["ply"] + 1 and time.monotonic() - start < 15


def test_long_poll_returns_at_the_deal_and_after_the_end(truco):
    made = truco.made("truco", [me(), invited()])
    match, token = made["match"], made["seats"][0]["token"]
    with ThreadPoolExecutor(1) as pool:
        while not truco.view(match, token, ply=-1, wait=0.5)["players"][0]["here"]:
            pass  # the own connection also ends a poll
        waiting = pool.submit(truco.view, match, token, ply=-1, wait=20)
        time.sleep(0.3)
        assert not waiting.done()
        truco.post(f"/api/matches/{match}/sit", {"invite": made["seats"][1]["invite"], "name": "B"})
        message = waiting.result(10)
    assert message["state"] == "playing" and message["ply"] == 0
    match, token = truco.make(rules={"target": 12})
    last = play_by_http(truco, match, token)
    start = time.monotonic()
    assert truco.view(match, token, ply=last["ply"], wait=20)["state"] == "over"
    assert time.monotonic() - start < 10  # a finished match is returned at once


def test_connections_of_one_seat_are_limited(truco):
    match, token = truco.make()
    lines = [truco.live(match, token) for _ in range(9)]
    try:
        for line in lines[:8]:
            line.__enter__().hear()
        refused = lines[8].__enter__().hear("bye")
        assert refused["says"][0] == "server.crowd" and refused["after"] > 0
    finally:
        for line in lines:
            line.__exit__(None, None, None)


# --- Agents for other rules -----------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["pvs", "markov-plus"])
def test_agent_trained_on_other_rules_is_refused(truco, spec):
    asked = {"game": "truco", "seats": [me(), agent(spec)], "rules": {"flor": False}, "options": {}}
    refused = truco.post("/api/matches", asked)
    assert refused.status_code == 422 and said(refused) == "server.agent-rules"
    assert refused.json()["says"][1] == {"agent": spec} and "safetensors" not in refused.text
    assert truco.post("/api/matches", {**asked, "rules": {"target": 2}}).status_code == 201


# --- Slow agents ----------------------------------------------------------------------------------


def test_slow_agent_does_not_delay_other_matches(truco):
    match, token = truco.make(opponents=["mcts"])
    quick, mine = truco.make(opponents=["random"])
    order = []
    with truco.live(match, token) as line:
        now = line.hear()
        while not now["view"]["legal"]:
            now = line.hear()
        line.move(now["ply"], next(a["action"] for a in now["view"]["legal"] if len(a["action"]) in (2, 3)))

        def wait():
            message = line.hear(timeout=60)
            while message["view"]["turn"] == 1 and message["state"] == "playing":
                message = line.hear(timeout=60)
            order.append("slow")

        thread = threading.Thread(target=wait)
        thread.start()
        for _ in range(3):
            now = truco.view(quick, mine)
            while not now["view"]["legal"]:
                if now["state"] == "over":  # falta envido decides a match at once
                    quick, mine = truco.make(opponents=["random"])
                time.sleep(0.05)
                now = truco.view(quick, mine)
            truco.move(quick, mine, now["ply"], pick(now["view"])).json()
            order.append("quick")
        thread.join(90)
    assert order[0] == "quick" and order.count("slow") == 1
