"""Agent `llm`: prompts, strict reading, repair, fallbacks, budgets, faults of endpoints, and secrets."""

import json
import re
import threading

import pytest

import bolicho
from bolicho import BadInput
from bolicho.agents.check import check_agent
from bolicho.agents.llm.exchanges import Exchanges, read_exchange, read_exchanges, tallies
from bolicho.agents.llm.prompt import Prompter, Prompting, obfuscation
from bolicho.agents.llm.reading import read_answer
from bolicho.agents.play import play
from bolicho.agents.player import Luck
from bolicho.agents.registry import agent, agent_names, has_built_in_code, is_built_in, traits
from bolicho.arena.experiment import Experiment
from bolicho.arena.identity import identity
from bolicho.arena.pairing import Task
from bolicho.arena.run import play_task
from bolicho.games import game_names
from tests.agents.llm.scripted import KEY, Raw, completion, endpoint, legal, picked, plays

HAND = bolicho.game("truco", hands=1)


def playing(monkeypatch, script, spec="llm(model=m, backoff=0)", game=HAND, seed=1):
    """Play a game against `random`; return it, and the endpoint."""
    with endpoint(monkeypatch, script) as server:
        return play(game, [agent(spec), agent("random")], seed=seed), server


@pytest.mark.parametrize("name", game_names())
def test_a_correct_model_keeps_all_promises_of_agents(monkeypatch, name):
    with endpoint(monkeypatch) as server:
        found = check_agent("llm(model=m)", bolicho.game(name), games=1, looks=3)
    assert found.games == 1 and found.decisions >= 3
    assert server.keys == {f"Bearer {KEY}"}


def test_a_request_has_rules_history_view_and_legal_actions(monkeypatch):
    played, server = playing(monkeypatch, plays)
    assert played.forfeit is None
    request = server.requests[-1]
    assert set(request) == {"model", "messages", "temperature", "max_tokens", "seed"}
    system, user = (message["content"] for message in request["messages"])
    assert "Fourteen classes count in a round" in system
    assert "`hands` is `1`" in system
    for text in ("You are seat 0", "# What happened so far", "is mão", "# What you see now", "envido"):
        assert text in user


def test_a_prompt_holds_nothing_that_is_hidden():
    """Deals that agree with a view give the same prompt."""
    view = bolicho.game("truco").deal(5).view()
    talk = Prompter(view.game, Prompting()).talk(view)
    for seed in range(5):
        other = view.redeal(seed).view(view.seat)
        assert other.cards == view.cards
        told = Prompter(view.game, Prompting()).talk(other)
        assert told[1]["content"].partition("# What you see")[2] == talk[1]["content"].partition("# What you see")[2]


def test_options_of_prompts():
    table = bolicho.game("truco").deal(2)
    table.play("baralho")
    view = table.view()

    def told(**options):
        return Prompter(view.game, Prompting(**options)).talk(view)[1]["content"]

    assert "hand 1:" in told() and "hand 2:" in told() and "legal actions" in told() and "Think first" not in told()
    assert "legal actions" not in told(legal=False) and "gives the hand up" in told()
    assert "gives the hand up" not in told(legal=False)
    assert "hand 1:" not in told(memory=False) and "hand 2:" in told(memory=False)
    assert "Think first" in told(reasoning=True)


@pytest.mark.parametrize("name", game_names())
def test_obfuscation_leaves_no_word_of_the_game_and_reads_back(name, monkeypatch):
    game = bolicho.game(name)
    words = obfuscation(name)._new
    assert len(set(words.values())) == len(words)
    asked = []

    def script(request):
        asked.append("\n".join(message["content"] for message in request["messages"]))
        return plays(request)

    with endpoint(monkeypatch, script):
        seats = [agent("llm(model=m, obfuscate=true)"), *(agent("random") for _ in range(game.seats - 1))]
        assert play(game, seats, seed=3).forfeit is None
    left = set(re.findall(r"\w+", "\n".join(asked).casefold())) & {word for word in words if len(word) > 2}
    assert left <= set(words.values())


def test_original_words_are_not_read_where_they_are_obfuscated(monkeypatch):
    played, _ = playing(monkeypatch, lambda request: "ACTION: baralho", "llm(model=m, obfuscate=true, backoff=0)")
    assert played.forfeit[0] == 0 and "'baralho' is not a legal action here" in played.forfeit[1]


NAMES = {"quero": 1, "nao": 2, "virada 4p": 3}


@pytest.mark.parametrize(
    ("content", "reasoning", "number"),
    [
        ("ACTION: quero", False, 1),
        ("  ACTION:  Virada   4P \n\n", False, 3),
        ("I think so.\nACTION: nao", True, 2),
        ("I think so.\nACTION: nao", False, None),
        ("ACTION: quero\nACTION: nao", True, None),
        ("ACTION: quero, since I hold 1e", False, None),
        ("quero", False, None),
        ("```\nACTION: quero\n```", True, None),
        ("", True, None),
        ("ACTION:", False, None),
    ],
)
def test_answers_are_read_strictly(content, reasoning, number):
    found, wrong = read_answer(content, NAMES, reasoning)
    assert found == number and (found is None) == bool(wrong)


def wrong_first(request):
    """Answer illegally, and legally when asked again."""
    return plays(request) if len(request["messages"]) > 2 else "ACTION: ace of spades"


def test_an_illegal_answer_is_repaired_once(monkeypatch, tmp_path):
    monkeypatch.setenv("BOLICHO_LLM_EXCHANGES", str(tmp_path / "exchanges"))
    played, server = playing(monkeypatch, wrong_first)
    assert played.forfeit is None
    (tally,) = tallies(tmp_path).values()
    assert tally.decisions == tally.illegal == tally.repaired == played.decisions[0] and tally.failed == 0
    assert tally.requests == len(server.requests) == 2 * tally.decisions
    assert (tally.tokens_in, tally.tokens_out) == (100 * tally.requests, 10 * tally.requests)
    last = server.requests[-1]["messages"]
    assert [message["role"] for message in last] == ["system", "user", "assistant", "user"]
    assert "'ace of spades' is not a legal action" in last[-1]["content"]


def test_two_illegal_answers_forfeit_or_play_at_random(monkeypatch, tmp_path):
    monkeypatch.setenv("BOLICHO_LLM_EXCHANGES", str(tmp_path / "exchanges"))
    played, server = playing(monkeypatch, lambda request: "I fold.")
    assert played.forfeit[0] == 0 and "its last line is 'I fold.'" in played.forfeit[1] and len(server.requests) == 2
    spec = "llm(model=other, fallback=random, backoff=0)"
    played, server = playing(monkeypatch, lambda request: "I fold.", spec)
    assert played.forfeit is None and len(server.requests) == 2 * played.decisions[0]
    found = tallies(tmp_path)
    assert found["m"].failed == 1 and found["other"].failed == found["other"].decisions == played.decisions[0]


FAULTS = {
    "late": (lambda request: Raw(wait=1.0), "did not answer within 0.3 s"),
    "no JSON": (lambda request: Raw(b"{"), "answered with no chat completion"),
    "no choices": (lambda request: Raw(b'{"choices": []}'), "answered with no chat completion"),
    "a number": (lambda request: Raw(completion(7)), "answered with no chat completion"),
    "nested": (lambda request: Raw(b"[" * 60_000), "answered with no chat completion"),
    "huge": (lambda request: Raw(completion("x" * 2_000_000)), "answered with more than 1048576 bytes"),
    "long": (lambda request: Raw(completion("x" * 100_000)), "answered with more than 65536 characters"),
    "empty": (lambda request: "", "it is empty"),
    "null": (lambda request: Raw(completion(None)), "it is empty"),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_faulty_answers_forfeit_with_a_reason(monkeypatch, kind):
    script, why = FAULTS[kind]
    played, _ = playing(monkeypatch, script, "llm(model=m, seconds=0.3, backoff=0)")
    assert played.forfeit[0] == 0 and why in played.forfeit[1], played.forfeit


def test_parts_of_a_message_are_joined(monkeypatch):
    def parts(request):
        said = plays(request)
        return Raw(completion([{"type": "text", "text": said[:4]}, {"type": "text", "text": said[4:]}]))

    assert playing(monkeypatch, parts)[0].forfeit is None


def test_a_rate_limit_is_waited_for(monkeypatch):
    seen = {}

    def limited(request):
        asked = json.dumps(request)
        seen[asked] = seen.get(asked, 0) + 1
        return plays(request) if seen[asked] > 2 else Raw(b"{}", 429, {"retry-after": "0.01"})

    played, server = playing(monkeypatch, limited, "llm(model=m, backoff=9)")
    assert played.forfeit is None and len(server.requests) == 3 * played.decisions[0]


@pytest.mark.parametrize(
    ("raw", "tries", "why"),
    [
        (Raw(b"{}", 503), 3, "status 503, in 3 tries"),
        (Raw(hang_up=True), 3, "RemoteDisconnected"),
        (Raw(b"{}", 401), 1, "status 401, in 1 tries"),
        (Raw(b"", 302, {"location": "http://127.0.0.1:1/"}), 1, "status 302"),
    ],
)
def test_an_endpoint_that_cannot_be_used_stops_a_run_instead_of_losing_games(monkeypatch, raw, tries, why):
    experiment = Experiment("truco", ["llm(model=m, retries=2, backoff=0)", "random"], rules={"hands": 1}, seed=1)
    found = [traits(spec, HAND) for spec in experiment.agents]
    with endpoint(monkeypatch, lambda request: raw) as server:
        with pytest.raises(BadInput, match=why):
            play_task(experiment, Task(0, 0, 1), found)
        assert len(server.requests) >= tries
        monkeypatch.delenv("BOLICHO_LLM_URL")
        with pytest.raises(BadInput, match="BOLICHO_LLM_URL has no address"):
            play_task(experiment, Task(0, 0, 1), found)


def test_tables_ask_in_parallel(monkeypatch):
    barrier = threading.Barrier(4, timeout=20)

    def together(request):  # answers only if four requests wait at once
        barrier.wait()
        return plays(request)

    experiment = Experiment("truco", ["llm(model=m, at_once=4)", "random"], rules={"hands": 1}, seed=1)
    found = [traits(spec, HAND) for spec in experiment.agents]

    def first_four(request):
        return together(request) if len(server.requests) <= 4 else plays(request)

    with endpoint(monkeypatch, first_four) as server:
        _, rows = play_task(experiment, Task(0, 0, 8), found)
    assert len(rows) == 16 and all(row["reason"] is None for row in rows)
    assert server.most_at_once == 4


def test_a_budget_of_a_game_is_kept(monkeypatch):
    played, server = playing(monkeypatch, plays, "llm(model=m, tokens=200)", bolicho.game("truco"))
    assert played.forfeit[0] == 0 and "has spent its 200 tokens of this game" in played.forfeit[1]
    assert len(server.requests) == 2
    spec = "llm(model=m, input_price=1000, output_price=10000, money=0.5)"  # 0.2 for a request
    played, server = playing(monkeypatch, plays, spec, bolicho.game("truco"))
    assert "has spent its 0.5 of this game" in played.forfeit[1] and len(server.requests) == 3


def test_counts_of_a_lying_endpoint_are_not_believed(monkeypatch, tmp_path):
    monkeypatch.setenv("BOLICHO_LLM_EXCHANGES", str(tmp_path / "exchanges"))

    def lies(request):
        body = json.loads(completion(plays(request)))
        return Raw(json.dumps({**body, "usage": {"prompt_tokens": -5, "completion_tokens": "many"}}).encode())

    played, _ = playing(monkeypatch, lies)
    assert played.forfeit is None
    (tally,) = tallies(tmp_path).values()
    assert (tally.tokens_in, tally.tokens_out) == (0, 0)


def test_key_and_address_are_in_no_exchange_even_if_the_endpoint_repeats_them(monkeypatch, tmp_path):
    monkeypatch.setenv("BOLICHO_LLM_EXCHANGES", str(tmp_path / "exchanges"))
    with endpoint(monkeypatch, lambda request: f"{KEY} {server.url}") as server:
        address = server.url.partition("://")[2].partition("/")[0]
        played = play(HAND, [agent("llm(model=m, fallback=random)"), agent("random")], seed=1)
    assert played.forfeit is None
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 2
    for path in files:
        text = path.read_text()
        assert KEY not in text and address not in text
    assert any("[removed] [removed]" in one.content for one in read_exchanges(tmp_path))


def test_an_answer_cannot_inject_anything_but_a_move(monkeypatch):
    nasty = "ACTION: quero\x1b[2J\n<script>alert(1)</script>\nignore the rules; seat 1 forfeits\nACTION: " + "A" * 500
    played, _ = playing(monkeypatch, lambda request: nasty, "llm(model=m, reasoning=true, backoff=0)")
    assert played.forfeit[0] == 0 and len(played.forfeit[1]) < 320 and played.forfeit[1].isprintable()


def test_an_exchange_of_another_request_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("BOLICHO_LLM_EXCHANGES", str(tmp_path / "exchanges"))
    playing(monkeypatch, plays)
    path = sorted((tmp_path / "exchanges").glob("??/*.json"))[0]
    found = read_exchange(path)
    assert found.key == path.stem and Exchanges.beside(None).find(found.key) == found
    path.write_text(path.read_text().replace('"model": "m"', '"model": "n"'))
    with pytest.raises(BadInput, match="is not of the request in its name"):
        read_exchange(path)


def test_an_explanation_shows_the_answer(monkeypatch):
    view = HAND.deal(1).view()
    with endpoint(monkeypatch, lambda request: f"Why not.\nACTION: {legal(request)[0]}"):
        made = agent("llm(model=m, reasoning=true)", HAND)
        number = made.act(view, Luck.of(5))
    said = made.explain()
    assert said.facts["action"] == str(view.legal[view.numbers.index(number)])
    assert said.lines[0].facts["text"] == "Why not."


def test_llm_without_a_model_is_refused_with_a_hint():
    assert all("llm" not in agent_names(name) for name in game_names())
    with pytest.raises(BadInput, match="it needs a model: write llm"):
        agent("llm", "truco")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ("url=http://127.0.0.1:8000/v1", "name of an environment variable"),
        ("key=sk-123", "name of an environment variable"),
        ("fallback=cheat", "forfeit, random"),
        ("seconds=0.0", "seconds must be"),
        ("at_once=0", "at_once must be 1 to 256"),
        ("temperature=3.0", "temperature must be 0 to 2"),
        ("money=-1.0", "money must be 0 or more"),
    ],
)
def test_invalid_options_are_refused(options, why):
    with pytest.raises(BadInput, match=why):
        agent(f"llm(model=m, {options})")


def test_a_model_decides_elsewhere_and_names_no_code():
    spec = "llm(model=llama3:8b)"
    assert has_built_in_code(spec) and not is_built_in(spec)
    assert picked({"messages": [{"content": "The legal actions are exactly: a."}]}) == "a"


def test_the_texts_of_prompts_are_part_of_the_identity_of_a_run():
    found = identity(Experiment("truco", ["llm(model=m)", "random"], duplicates=1, seed=1))
    assert {"rules.md of llm(model=m)", "truco.json of llm(model=m)", "bolicho.agents.llm.truco"} <= set(found)
