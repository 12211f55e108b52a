"""Games at the terminal: explanations, messages, input, languages, interruption and resumption."""

import json
import re
from unittest.mock import patch

import pytest
from typer.testing import CliRunner

import bolicho
from bolicho import Agent, BadInput, Explanation
from bolicho.agents.basic.game_log import running_scores
from bolicho.agents.play import play
from bolicho.arena.terminal import Again
from bolicho.cli import app, out
from bolicho.games.record import read_records
from bolicho.i18n import catalogue
from tests.arena.lottery import LOTTERY
from tests.arena.players import First

TELLTALE = "tests.arena.test_terminal:Telltale"
GAMBLER = "tests.arena.test_terminal:Gambler"


class Telltale(First):
    """Agent whose explanation is the number of its decisions."""

    def begin(self, game, seat):
        self.count = 0

    def act(self, view, rng):
        self.count += 1
        return super().act(view, rng)

    def explain(self):
        return Explanation(f"secret {self.count}", {"count": self.count})


class Gambler(Agent):
    """Agent that decides by the sum of all its luck."""

    def begin(self, game, seat):
        self.memory = 0

    def act(self, view, rng):
        self.memory += int(rng.integers(1000))
        return view.legal[self.memory % len(view.legal)]


class RaisesWhenAsked(Agent):
    """Agent that raises when it is asked."""

    def act(self, view, rng):
        raise AssertionError("asked")


@pytest.fixture(autouse=True)
def keep_stdout_of_the_runner(monkeypatch):
    """Disable the redirection of stdout, because commands run in this process."""
    monkeypatch.setattr("bolicho.cli.shell._redirect_stdout", lambda: None)


def terminal(*arguments, typed=(), width=100):
    """Run the command line with typed input."""
    keys = "".join(f"{line}\n" for line in typed)
    with patch.object(out, "_width", width):
        return CliRunner().invoke(app, [str(part) for part in arguments], input=keys, env={"COLUMNS": str(width)})


def typed_by(seat, played):
    """Return the actions of a seat of a finished game, in order."""
    table = played.table.game.deal(played.table.record()["seed"])
    typed = []
    for action in played.table.actions:
        if table.turn == seat:
            typed.append(str(action))
        table.play(action)
    return typed


def game_of(name, rules):
    return bolicho.game(name, **rules), [part for rule, value in rules.items() for part in ("-r", f"{rule}={value}")]


# --- Explanations ---------------------------------------------------------------------------------


def test_explanations_for_people_follow_each_hand():
    game, rules = game_of("truco", {"target": 6})
    played = play(game, [First(), Telltale()], 11)
    run = terminal("play", "truco", "human", TELLTALE, "--seed", 11, "--explain", *rules, typed=typed_by(0, played))
    lines = run.stderr.splitlines()
    hands = [number for number, line in enumerate(lines) if re.match(r"\[\d+-\d+\] hand \d+:", line)]
    told = [number for number, line in enumerate(lines) if "secret" in line]
    assert len(hands) > 2 and len(told) == played.decisions[1]
    for number in told:
        after = next(line for line in [*lines[number + 1 :], "the end"] if "secret" not in line)
        assert after == "the end" or re.match(r"\[\d+-\d+\] hand", after), after
    assert "secret" not in run.stdout


@pytest.mark.parametrize(("name", "others"), [("dominoes", 1), ("wonders", 2)])
def test_explanations_for_people_follow_the_end_of_a_game_of_one_deal(name, others):
    game = bolicho.game(name)
    played = play(game, [First(), *(Telltale() for _ in range(others))], 3)
    run = terminal("play", name, "human", *[TELLTALE] * others, "--seed", 3, "--explain", typed=typed_by(0, played))
    before, secret, after = run.stderr.partition("secret")
    last = before.splitlines()[-1]
    assert f"{secret}{after}".count("secret") == sum(played.decisions[1:]) > 0
    assert "> " not in after and last.startswith("    tests.arena.test_terminal:Telltale")


def test_explanations_follow_each_move_without_people():
    run = terminal("play", "truco", TELLTALE, "random", "--seed", 2, "--explain", "-r", "hands=1")
    lines = run.stdout.splitlines()
    moves = [number for number, line in enumerate(lines) if f"{TELLTALE}: " in line]
    assert moves and all(lines[number + 1].strip() == f"secret {count}" for count, number in enumerate(moves, 1)), (
        run.stdout
    )
    assert "secret" not in run.stderr


def test_explanations_are_in_the_json():
    run = terminal("play", "truco", TELLTALE, "random", "--seed", 2, "--explain", "-r", "hands=1", "--json")
    result = json.loads(run.stdout)
    assert [reason["facts"]["count"] for reason in result["reasons"]] == [1, 2, 3][: len(result["reasons"])]
    assert {"ply", "seat", "action", "why"} <= set(result["reasons"][0])


# --- Messages -------------------------------------------------------------------------------------


def test_every_line_has_names_and_the_current_score():
    run = terminal("play", "truco", "balanced", "random", "--seed", 6, "-r", "target=8")
    *lines, last = run.stdout.splitlines()
    scores = [0, 0]
    for line in lines:
        match = re.fullmatch(r"\[(\d+)-(\d+)\] (.*)", line)
        assert match, line
        if points := re.match(r"(balanced|random) scores (\d+)", match[3]):
            scores[points[1] == "random"] += int(points[2])
        assert [int(match[1]), int(match[2])] == scores, line
        assert "seat" not in line
    assert last.startswith(f"balanced {scores[0]}, random {scores[1]} ") and max(scores) >= 8


def test_agents_of_the_same_name_are_numbered():
    lines = terminal("play", "truco", "random", "random", "--seed", 6, "-r", "hands=1").stdout
    assert "random 0: " in lines and "random 1: " in lines


def test_running_scores_are_derived_from_the_final_score_and_the_points():
    entries = [{"event": "chose", "seat": 0}, {"event": "points", "seat": 1, "points": 3}, {"event": "dealt"}]
    assert running_scores(entries, [2, 5]) == [[2, 2], [2, 5], [2, 5]]


def test_replay_shows_names_and_scores(tmp_path):
    file = tmp_path / "game.json"
    played = terminal("play", "wonders", "random", "random", "random", "--seed", 1, "--record", file).stdout
    again = terminal("replay", file).stdout
    assert played.splitlines()[:-1] == again.splitlines()[:-1] and len(played.splitlines()) > 60


def test_face_down_card_is_shown_in_replays_and_hidden_from_opponents(tmp_path):
    setup = {"mao": 0, "hands": [["1e", "7o", "12p"], ["7c", "2e", "4p"]]}
    actions = ["1e", "7c", "virada 7o", "2e"]
    file = tmp_path / "game.json"
    record = {"game": "truco", "setup": setup, "players": ["random", "human"], "actions": actions[:3]}
    file.write_text(json.dumps(record))
    assert "random: virada 7 of ouros" in terminal("replay", file).stdout
    run = terminal("play", "--resume", file, typed=["quit"])
    assert "random: virada\n" in run.stderr and "7o" not in run.stderr and "ouros" not in run.stderr


# --- Input ----------------------------------------------------------------------------------------


def human_hand(*typed, width=100, seed=5):
    return terminal("play", "truco", "human", "random", "--seed", seed, "-r", "hands=1", typed=typed, width=width)


def test_abbreviated_bet_or_fold_needs_confirmation():
    folded = human_hand("b", "y")
    assert "baralho? y/n" in folded.stderr and folded.exit_code == 0 and "human: baralho" in folded.stderr
    kept = human_hand("b", "n", "quit")
    assert "baralho? y/n" in kept.stderr and "human: baralho" not in kept.stderr


def test_whole_words_and_cards_need_no_confirmation():
    assert "y/n" not in human_hand("baralho").stderr
    cards = bolicho.game("truco", hands=1).deal(5).view(0).cards
    ones = [card for card in cards if sum(other[0] == card[0] for other in cards) == 1]
    run = human_hand(ones[0][:-1], "quit")
    assert "y/n" not in run.stderr and f"human: {ones[0][:-1]} of " in run.stderr


def test_case_does_not_matter():
    run = human_hand("BARALHO")
    assert "y/n" not in run.stderr and "human: baralho" in run.stderr


def test_ambiguous_input_lists_the_matching_actions():
    run = human_hand("7", "quit")
    assert "which of 7c, 7o?" in run.stderr and "human: 7" not in run.stderr


def test_illegal_input_is_refused_with_the_reason():
    run = human_hand("vale4", "zzz", "quit")
    assert "vale4 is not possible: the next raise is truco" in run.stderr
    assert "zzz is not possible: it is neither a card" in run.stderr and "please type one of" in run.stderr


def test_question_mark_explains_all_actions_or_one():
    assert re.search(r"truco +raises the hand from 1 to 2; if the other refuses, you score 1", human_hand("?").stderr)
    one = human_hand("? env", "quit").stderr
    assert "points to the higher envido" in one and "raises the hand" not in one


def test_output_fits_the_width_of_the_terminal():
    for width in (40, 80):
        lines = human_hand("?", "vale4", "quit", width=width).stderr.splitlines()
        assert max(map(len, lines)) <= width


def test_prompts_are_not_written_to_stdout():
    game = bolicho.game("truco", hands=1)
    typed = typed_by(0, play(game, [First(), Telltale()], 5))
    run = terminal("play", "truco", "human", TELLTALE, "--seed", 5, "-r", "hands=1", "--json", typed=typed)
    assert json.loads(run.stdout)["over"] is True


# --- Languages ------------------------------------------------------------------------------------

LANGUAGES = ("en", "pt", "es")


def in_language(language, *typed, name="truco", rules=("-r", "hands=1"), seed=5, others=1):
    agents = ["human", *["random"] * others]
    return terminal("play", name, *agents, "--seed", seed, *rules, "--language", language, typed=typed)


@pytest.mark.parametrize(
    ("language", "typed", "told"),
    [
        ("pt", "Vou ao baralho!", "human: vou ao baralho"),
        ("es", "me voy al mazo", "human: me voy al mazo"),
        ("pt", "baralho", "human: vou ao baralho"),
        ("en", "baralho", "human: baralho"),
    ],
)
def test_action_is_accepted_by_name_and_by_notation(language, typed, told):
    run = in_language(language, typed)
    assert run.exit_code == 0 and told in run.stderr and "s/n" not in run.stderr


@pytest.mark.parametrize("name", ["truco", "dominoes", "wonders"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_whole_game_can_be_typed_in_the_names_of_a_language(name, language, tmp_path):
    game = bolicho.game(name)
    played = play(game, [First(), *(First() for _ in range(game.seats - 1))], 3)
    table, typed = game.deal(3), []
    for action in played.table.actions:
        if table.turn == 0:
            typed.append(catalogue(language).say(game.kind.name_action(table.state, action)))
        table.play(action)
    first = ["tests.arena.players:First"] * (game.seats - 1)
    run = terminal("play", name, "human", *first, "--seed", 3, "--language", language, "--json", typed=typed)
    assert json.loads(run.stdout)["log"] == played.table.log


@pytest.mark.parametrize(("language", "yes"), [("en", "yes"), ("pt", "sim"), ("pt", "S"), ("es", "sí"), ("es", "si")])
def test_confirmation_uses_the_language_of_the_table(language, yes):
    asked = {"en": "baralho? y/n", "pt": "vou ao baralho? s/n", "es": "¿me voy al mazo? s/n"}[language]
    run = in_language(language, "bara", yes)
    assert asked in run.stderr and run.exit_code == 0
    assert "runs/games" in in_language(language, "bara", "n", "quit").stderr


@pytest.mark.parametrize(("language", "leave"), [("en", "quit"), ("pt", "sair"), ("es", "Salir"), ("es", "quit")])
def test_quit_command_uses_the_language_of_the_table(language, leave):
    run = in_language(language, leave)
    assert run.exit_code == 0 and "bolicho play --resume" in " ".join(run.stderr.split())


@pytest.mark.parametrize(
    ("language", "typed", "why"),
    [
        ("pt", "não quero", "não quero não é possível: o adversário não cantou nada que espere resposta"),
        ("es", "quiero", "quiero no es posible: el rival no cantó nada que espere respuesta"),
        ("es", "zzz", "zzz no es posible: no es una carta como 1e"),
    ],
)
def test_illegal_name_is_refused_with_the_reason_in_the_language(language, typed, why):
    assert why in " ".join(in_language(language, typed, "quit").stderr.split())


def test_cards_are_explained_and_typed_by_their_names():
    run = in_language(
        "pt", "? entreposto do oeste", "construir palácio", "quit", name="wonders", rules=(), seed=6, others=2
    )
    said = " ".join(run.stderr.split())
    assert "Entreposto do oeste amarela; dá madeira, pedra, minério e argila do vizinho da esquerda" in said
    assert "Palácio não está na sua mão" in said and "construir Madeireira (grátis)" in said


def test_language_is_that_of_the_environment_unless_the_option_is_given(monkeypatch):
    game = ("play", "truco", "balanced", "random", "--seed", 6)
    monkeypatch.setenv("LC_ALL", "pt_BR.UTF-8")
    assert " joga " in terminal(*game).stdout and " juega " in terminal(*game, "--language", "es").stdout
    run = terminal(*game, "--language", "fr")
    assert isinstance(run.exception, BadInput) and "unknown language 'fr'" in str(run.exception)


def test_json_is_the_same_in_every_language(tmp_path):
    file = tmp_path / "game.json"
    file.write_text(json.dumps({"game": "truco", "seed": 3, "actions": []}))
    for command in (("play", "truco", "balanced", "random", "--seed", 6, "--explain"), ("ask", file, "balanced")):
        results = {terminal(*command, "--language", language, "--json").stdout for language in LANGUAGES}
        assert len(results) == 1 and json.loads(results.pop())
        assert len({terminal(*command, "--language", language).stdout for language in LANGUAGES}) == 3
    assert len({terminal("replay", file, "--language", language, "--json").stdout for language in LANGUAGES}) == 1
    assert "legal: " in terminal("replay", file).stdout
    assert "é a vez de lugar 0" in terminal("replay", file, "--language", "pt").stdout


def test_game_without_translations_is_shown_in_notation():
    entry, action = LOTTERY.said(LOTTERY.entry([0, 1, 0, 0])), LOTTERY.name_action(None, "keep")
    for language in LANGUAGES:
        assert (
            catalogue(language).say(entry, ["Ana", "Rui"]) == "Rui: keep" and catalogue(language).say(action) == "keep"
        )


# --- Interruption and resumption ------------------------------------------------------------------


@pytest.mark.parametrize("name", ["truco", "dominoes"])
@pytest.mark.parametrize("at", [0, 1, 3])
def test_resumed_game_equals_the_uninterrupted_game(name, at, tmp_path):
    played = play(bolicho.game(name), [First(), Gambler()], 13)
    typed = typed_by(0, played)
    assert len(typed) > at + 1
    file, wanted = tmp_path / "game.json", [str(action) for action in played.table.actions]
    left = terminal("play", name, "human", GAMBLER, "--seed", 13, "--record", file, typed=[*typed[:at], "quit"])
    assert left.exit_code == 0 and f"bolicho play --resume {file}" in " ".join(left.stderr.split())
    (record,) = read_records(file)
    kept = len(record["actions"])
    assert record["actions"] == wanted[:kept] and record["players"] == ["human", GAMBLER] and kept < len(wanted)
    back = terminal("play", "--resume", file, typed=typed[at:])
    assert back.exit_code == 0, back.stderr
    assert next(read_records(file))["actions"] == wanted


def test_interrupted_game_is_saved_and_its_path_shown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = terminal("play", "truco", "human", "random", "--seed", 9, typed=["quit"])
    assert "runs/games/truco-9.json" in run.stderr and (tmp_path / "runs/games/truco-9.json").exists()


def test_end_of_input_saves_the_game(tmp_path):
    run = terminal("play", "truco", "human", "random", "--seed", 9, "--record", tmp_path / "g.json")
    assert run.exit_code == 130 and (tmp_path / "g.json").exists()


def test_resumed_game_shows_no_explanations_of_the_unfinished_hand(tmp_path):
    file = tmp_path / "game.json"
    played = play(bolicho.game("truco", hands=1), [First(), Telltale()], 5)
    typed = typed_by(0, played)
    game = ("play", "truco", "human", TELLTALE, "--seed", 5, "-r", "hands=1", "--record", file, "--explain")
    assert "secret" not in terminal(*game, typed=[typed[0], "quit"]).stderr
    back = terminal("play", "--resume", file, "--explain", typed=typed[1:])
    before, after = back.stderr.rsplit("> ", 1)
    assert "secret" not in before and after.count("secret") == played.decisions[1] > 1


def test_interruption_while_a_game_is_resumed_keeps_the_record(tmp_path):
    file = tmp_path / "game.json"
    first = terminal("play", "truco", "human", GAMBLER, "--seed", 8, "--record", file, typed=["?", "quit"])
    assert first.exit_code == 0
    record = {**next(read_records(file)), "players": ["human", "tests.arena.test_terminal:Interrupted"]}
    table = bolicho.replay(record)
    while len(table.actions) < 4:
        table.play(table.legal[0])
    file.write_text(json.dumps({**record, "actions": [str(action) for action in table.actions]}))
    text = file.read_text()
    assert terminal("play", "--resume", file).exit_code == 130 and file.read_text() == text


class Interrupted(Agent):
    """Agent that raises KeyboardInterrupt."""

    def act(self, view, rng):
        raise KeyboardInterrupt


def test_resumed_agent_repeats_its_earlier_decisions():
    game = bolicho.game("truco", hands=1)
    asked = play(game, [Again(RaisesWhenAsked(), [game.deal(1).legal[0]]), Telltale()], 1)
    assert asked.forfeit is not None and "asked" in asked.forfeit[1]


class Seer(Agent):
    """Oracle whose explanation names a tile of the other hand."""

    oracle = True

    def act(self, view, rng):
        self.seen = view.other_hand[0]
        return view.legal[0]

    def explain(self):
        return Explanation(f"it saw {self.seen}")


def test_resumed_oracle_remains_an_oracle(tmp_path):
    file = tmp_path / "game.json"
    typed = typed_by(0, play(bolicho.game("dominoes"), [First(), Seer()], 4))
    seer = "tests.arena.test_terminal:Seer"
    terminal("play", "dominoes", "human", seer, "--seed", 4, "--record", file, typed=[*typed[:2], "quit"])
    back = terminal("play", "--resume", file, "--explain", typed=typed[2:])
    assert back.exit_code == 0 and back.stderr.count("it saw ") == len(
        typed_by(1, play(bolicho.game("dominoes"), [First(), Seer()], 4))
    )


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        ({"actions": ["baralho"]}, "is over"),
        ({"players": None}, "names no players"),
        ({"actions": ["vale4"]}, "ply 0: seat 0 tried 'vale4'"),
    ],
)
def test_record_that_cannot_be_resumed_is_refused_with_the_reason(record, sentence, tmp_path):
    file = tmp_path / "game.json"
    whole = {"game": "truco", "rules": {"hands": 1}, "seed": 1, "players": ["human", "random"], "actions": []}
    file.write_text(json.dumps({key: value for key, value in {**whole, **record}.items() if value is not None}))
    run = terminal("play", "--resume", file)
    assert isinstance(run.exception, BadInput) and sentence in str(run.exception)


def test_option_resume_refuses_another_game():
    run = terminal("play", "truco", "human", "random", "--resume", "game.json")
    assert isinstance(run.exception, BadInput) and "--resume FILE without" in str(run.exception)


@pytest.mark.parametrize(("place", "why"), [("taken/game.json", "cannot write the record"), (".", "is a folder")])
def test_a_record_that_cannot_be_written_is_refused_before_the_game(place, why, tmp_path):
    (tmp_path / "taken").write_text("a file, not a folder")
    run = terminal("play", "truco", "tests.arena.test_terminal:RaisesWhenAsked", "random", "--record", tmp_path / place)
    assert isinstance(run.exception, BadInput) and why in str(run.exception)
    assert run.stdout == ""


# --- Other commands -------------------------------------------------------------------------------


def test_version_is_shown():
    assert terminal("--version").stdout.strip() == f"bolicho {bolicho.__version__}"


def test_replay_of_a_folder_needs_a_row(tmp_path):
    run = terminal("replay", tmp_path)
    assert isinstance(run.exception, BadInput) and "--row N" in str(run.exception)


def test_names_of_agents_are_whole_in_a_narrow_terminal():
    lines = terminal("agents", "truco", width=40).stdout.splitlines()
    for name in ("aggressive", "balanced", "markov-plus"):
        assert any(line.startswith(f"{name}  ") for line in lines), lines
    assert max(map(len, lines)) <= 40
