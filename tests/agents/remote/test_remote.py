"""Remote agents: play over HTTP, and forfeits of faulty bots with a reason."""

import json

import pytest

import bolicho
from bolicho import BadInput
from bolicho.agents.check import check_agent
from bolicho.agents.play import play
from bolicho.agents.registry import agent, agent_names, has_built_in_code, is_built_in
from bolicho.games import game_names
from tests.agents.remote.strange import STRANGE, body, first, listening
from tests.web.bots.playing import listening as example

TRUCO = bolicho.game("truco", target=2)


@pytest.mark.parametrize("name", ["bot.mjs", "bot.py"])
def test_an_example_bot_keeps_all_promises_of_agents(name):
    with example(name) as url:
        for each in game_names():
            found = check_agent(f"remote(url={url})", bolicho.game(each), games=2, looks=6)
            assert found.games == 2 and found.decisions >= 6


def test_question_to_a_bot_contains_only_what_its_seat_may_know():
    asked = []

    def note(line, question, ended):
        asked.append(question)
        first(line, question, ended)

    with listening(note) as bot:
        table = bolicho.game("truco").deal(3)
        view = table.view()
        played = play(TRUCO, [agent(f"remote(url={bot.url})"), agent("random")], seed=3)
    assert played.forfeit is None
    for question in asked:
        assert set(question) == {"game", "rules", "seat", "ply", "luck", "view"}
        assert (question["game"], question["seat"]) == ("truco", 0) and question["rules"]["target"] == 2
        assert question["ply"] == question["view"]["ply"] and len(bytes.fromhex(question["luck"])) == 8
    assert asked[0]["view"].keys() == json.loads(json.dumps(view.data())).keys()
    assert [question["ply"] for question in asked] == sorted({question["ply"] for question in asked})


@pytest.mark.parametrize("kind", STRANGE)
def test_faulty_bot_forfeits_with_a_reason(kind):
    reply, why = STRANGE[kind]
    with listening(reply) as bot:
        spec = f"remote(url={bot.url}, seconds=0.3)"
        played = play(TRUCO, [agent(spec), agent("random")], seed=1)
        assert played.forfeit[0] == 0 and why in played.forfeit[1], played.forfeit
        assert played.payoffs == [-1, 1]


def test_unreachable_bot_forfeits():
    with listening(first) as bot:
        url = bot.url
    played = play(TRUCO, [agent("random"), agent(f"remote(url={url})")], seed=1)
    assert played.forfeit[0] == 1 and "ConnectionRefusedError" in played.forfeit[1]


def test_closed_connection_is_reopened():
    def leaves(line, question, ended):  # closes the connection after a keep-alive answer
        first(line, question, ended)

    with listening(leaves) as bot:
        played = play(TRUCO, [agent(f"remote(url={bot.url})"), agent("random")], seed=1)
        assert played.forfeit is None and bot.asked >= played.decisions[0] > 1


def test_chunked_answer_is_accepted():
    def pieces(line, question, ended):
        text = body(question["view"]["legal"][0]["action"])
        head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
        line.sendall(head + b"".join(b"1\r\n%c\r\n" % byte for byte in text) + b"0\r\n\r\n")

    with listening(pieces) as bot:
        assert play(TRUCO, [agent(f"remote(url={bot.url})"), agent("random")], seed=1).forfeit is None


def test_remote_without_an_address_is_refused_with_a_hint():
    assert all("remote" not in agent_names(name) for name in game_names())
    with pytest.raises(BadInput, match="it needs an address: write remote"):
        agent("remote", "truco")


@pytest.mark.parametrize(
    "url",
    ["ftp://127.0.0.1/", "file:///etc/passwd", "127.0.0.1:80", "http:///x", "http://a:b@127.0.0.1/", "http://x:99999/"],
)
def test_only_http_addresses_without_credentials_are_accepted(url):
    with pytest.raises(BadInput, match="address"):
        agent(f"remote(url='{url}')")


def test_remote_bot_runs_only_built_in_code_but_is_no_built_in_agent():
    spec = "remote(url=http://127.0.0.1:8080/)"
    assert has_built_in_code(spec) and not is_built_in(spec)
    assert not has_built_in_code("mcts(evaluate=my:function)") and not is_built_in("mcts(evaluate=my:function)")
