"""The command line: stable names, JSON on stdout alone, one sentence and exit code 2 for bad input."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Annotated, get_args, get_origin, get_type_hints

import numpy as np
import pytest

import bolicho
import bolicho.cli
from bolicho.cli import shell
from bolicho.store.artifact import SHIPPED, save_artifact

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(bolicho.__file__).parent.parent), "COLUMNS": "200"}
BOLICHO = [sys.executable, "-c", "from bolicho.cli import main; main()"]
RECORD = {
    "game": "truco",
    "rules": {"hands": 1},
    "setup": {"mao": 0, "hands": [["1e", "7o", "12p"], ["7c", "2e", "4p"]]},
    "actions": ["truco", "quero"],
}


def bolicho_run(*arguments, cwd=None, stdin=None):
    return subprocess.run(
        [*BOLICHO, *map(str, arguments)], cwd=cwd, env=ENVIRONMENT, input=stdin, capture_output=True, text=True
    )


def bolicho_json(*arguments, cwd=None):
    run = bolicho_run(*arguments, "--json", cwd=cwd)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.fixture
def record(tmp_path):
    file = tmp_path / "record.json"
    file.write_text(json.dumps(RECORD))
    return file


def test_games_and_agents_are_listed():
    assert "truco" in [game["name"] for game in bolicho_json("games")["games"]]
    names = [agent["name"] for agent in bolicho_json("agents", "truco")["agents"]]
    assert {"random", "human", "balanced"} <= set(names)


def test_artifacts_are_listed_with_their_file_game_rules_and_command(tmp_path, monkeypatch):
    """List the file that agents play from: the nearest of a name, and those that cannot be read with the reason."""
    for name in ("BOLICHO_ARTIFACTS", "XDG_DATA_HOME"):
        monkeypatch.setitem(ENVIRONMENT, name, str(tmp_path / name.lower()))
    here, data = tmp_path / "artifacts", tmp_path / "xdg_data_home" / "bolicho" / "artifacts"
    facts = {"game": "truco", "rules": {"hands": 1}, "command": "bolicho train sarsa truco", "seed": 7, "version": "0"}
    for folder in (here, data):
        folder.mkdir(parents=True)
        save_artifact(folder / "sarsa-truco.safetensors", {"a": np.zeros(1)}, facts)
    save_artifact(data / "own-truco.safetensors", {"a": np.zeros(1)}, facts)
    (data / "broken-fives.safetensors").write_bytes(b"nothing")
    (data / "own-truco.part.safetensors").write_bytes(b"a training that goes on")

    listed = bolicho_json("artifacts", cwd=tmp_path)["artifacts"]
    rows = {row["name"]: row for row in listed}
    assert [row["name"] for row in listed] == sorted(rows)
    assert rows["sarsa-truco"] == {"name": "sarsa-truco", "file": "artifacts/sarsa-truco.safetensors", **facts}
    assert rows["own-truco"]["file"] == str(data / "own-truco.safetensors")
    assert rows["broken-fives"]["game"] == "fives" and rows["broken-fives"]["command"].startswith("unreadable: ")
    assert "own-truco.part" not in rows
    shipped = {path.stem for path in SHIPPED.glob("*") if path.suffix in (".safetensors", ".parquet")}
    assert set(rows) == shipped | {"own-truco", "broken-fives"}

    told = bolicho_run("artifacts", cwd=tmp_path).stdout
    assert "sarsa-truco  artifacts/sarsa-truco.safetensors\n  truco {'hands': 1} bolicho train sarsa truco\n" in told


def test_warm_refuses_an_unknown_game():
    run = bolicho_run("warm", "truco", "nothing")
    assert run.returncode == 2 and run.stdout == ""
    assert run.stderr.startswith("bolicho: ") and "'nothing'" in run.stderr and len(run.stderr.splitlines()) == 1


def test_replay_prints_the_position_at_the_end_of_a_record(record):
    result = bolicho_json("replay", record)
    assert result["game"] == "truco" and result["over"] is False and result["turn"] == 0
    assert result["scores"] == [0, 0] and result["legal"] == ["12p", "1e", "7o", "baralho"]
    assert [entry["event"] for entry in result["log"]] == ["dealt", "chose", "chose"]


def test_replay_prints_one_object_per_record(tmp_path):
    file = tmp_path / "many.jsonl"
    file.write_text("\n".join([json.dumps(RECORD)] * 3))
    lines = bolicho_run("replay", file, "--json").stdout.splitlines()
    assert len(lines) == 3 and len(set(lines)) == 1


def test_analyse_prints_the_cost_of_every_decision(tmp_path):
    file = tmp_path / "match.json"
    actions = ["7o", "2e", "4p", "7c", "truco", "nao"]
    setup = {"mao": 0, "hands": [["1e", "7o", "4p"], ["7c", "2e", "4c"]]}
    file.write_text(json.dumps({"game": "truco", "setup": setup, "actions": actions}))
    facts = bolicho_json("analyse", file, "--by", "balanced", "--seat", "0")
    assert {one["seat"] for one in facts["decisions"]} == {0} and facts["biggest"][0] == 5
    run = bolicho_run("analyse", file, "--by", "balanced", "--language", "pt")
    assert run.returncode == 0 and "lugar 0 recusou truco" in run.stdout.splitlines()[-3]
    run = bolicho_run("analyse", file, "--by", "nobody")
    assert run.returncode == 2 and run.stdout == "" and "'nobody'" in run.stderr


def test_replay_prints_the_results_before_a_bad_record(tmp_path):
    file = tmp_path / "many.jsonl"
    file.write_text(json.dumps(RECORD) + "\n" + json.dumps({**RECORD, "actions": ["vale4"]}))
    run = bolicho_run("replay", file, "--json")
    assert run.returncode == 2 and len(run.stdout.splitlines()) == 1
    assert "record 2: ply 0: seat 0 tried 'vale4'" in run.stderr and "legal: 12p" in run.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["play", "chess", "random", "random"], "unknown game 'chess'"),
        (["play", "truco", "random"], "2 seats, and 1 agents"),
        (["play", "truco", "random", "randum"], "did you mean 'random'"),
        (["play", "truco", "random", "random", "-r", "target=lots"], "target of truco must be int"),
        (["play", "truco", "random", "random", "-r", "target"], "option=value"),
        (["play"], "name a game, and optionally an agent for each seat"),
        (["replay", "."], "name the game of the tournament to replay: --row N"),
        (["replay", ".", "--row", "0", "--record", "--json"], "give one of them"),
        (["ask", "."], "name the game and the decision: --row N --ply K"),
        (["ask", ".", "--row", "0"], "name the decision of that game: --ply K"),
        (["ask", ".", "--row", "0", "--ply", "0"], "holds no finished run"),
        (["ask", "no-such-file.json"], "name the agent to ask"),
        (["agents", "chess"], "unknown game"),
        (["replay", "no-such-file.json"], "cannot read"),
        (["tournament"], "name a game"),
        (["tournament", "truco", "random", "balanced(x=1)", "--out", "x"], "unknown option of balanced"),
        (["tournament", "truco", "random", "novice", "--duplicates", "0", "--out", "x"], "duplicates"),
        (["tournament", "--config", "none.toml"], "cannot read the experiment"),
        (["lab", "run", "nothing"], "unknown study"),
        (["bench", "nothing"], "unknown bench"),
        (["frobnicate"], "frobnicate"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input_prints_one_sentence_and_exits_with_code_2(arguments, sentence, tmp_path):
    run = bolicho_run(*arguments, cwd=tmp_path)
    assert run.returncode == 2, run.stderr
    assert sentence in run.stderr and "Traceback" not in run.stderr and run.stdout == ""


def test_a_game_is_played_recorded_and_replayed(tmp_path):
    file = tmp_path / "game.json"
    played = bolicho_json("play", "truco", "balanced", "bluffer", "--seed", 5, "--record", file)
    assert played["over"] and bolicho_json("replay", file)["scores"] == played["scores"]


@pytest.mark.parametrize(("game", "players"), [("truco", "balanced"), ("fives", "rule"), ("wonders", "rules rules")])
def test_without_agents_a_person_plays_against_scripted_ones(game, players, tmp_path):
    record = tmp_path / "left.json"
    run = bolicho_run("play", game, "--record", record, stdin="quit\n")
    assert json.loads(record.read_text())["players"] == ["human", *players.split()], run.stderr


def test_a_person_can_play_and_leave(tmp_path):
    run = bolicho_run("play", "truco", "human", "random", "--seed", 1, "-r", "hands=1", stdin="zzz\nbaralho\n")
    assert run.returncode == 0 and "please type one of" in run.stderr
    assert bolicho_run("play", "truco", "human", "random", "--seed", 1, stdin="").returncode == 130


def test_ask_prints_the_decision_of_an_agent(record):
    told = bolicho_json("ask", record, "balanced")
    assert told["action"] in ("12p", "1e", "7o", "baralho") and "chance" in told["facts"]


def test_ask_shows_a_decision_of_a_tournament_game(tmp_path):
    bolicho_json("tournament", "truco", "random", "balanced", "--duplicates", 2, "--jobs", 1, "--out", tmp_path / "a")
    line = bolicho_run("replay", tmp_path / "a", "--row", 1, "--record").stdout
    (tmp_path / "game.json").write_text(line)
    kept = json.loads(line)
    assert kept["players"] == ["balanced", "random"] and line.count("\n") == 1
    assert bolicho_json("replay", tmp_path / "game.json")["over"]

    told = bolicho_json("ask", tmp_path / "a", "--row", 1, "--ply", 0)
    assert told["agent"] == kept["players"][told["seat"]] and told["action"] == told["chosen"] == kept["actions"][0]
    other = bolicho_run("ask", tmp_path / "a", "novice", "--row", 1, "--ply", 0).stdout
    assert "novice: " in other
    assert bolicho_json("ask", tmp_path / "game.json", "balanced", "--ply", 0)["chosen"] == kept["actions"][0]


def test_experiment_file_of_a_run_reproduces_it(tmp_path):
    arguments = ["random", "novice", "balanced", "--duplicates", 5, "--seed", 3, "--jobs", 1]
    first = bolicho_json("tournament", "truco", *arguments, "--out", tmp_path / "a")
    again = bolicho_json("tournament", "--config", tmp_path / "a" / "experiment.toml", "--out", tmp_path / "b")
    assert first == again
    assert (tmp_path / "a" / "games.parquet").read_bytes() == (tmp_path / "b" / "games.parquet").read_bytes()


def test_ctrl_c_keeps_finished_games_and_the_run_can_be_resumed(tmp_path):
    command = [
        *BOLICHO,
        "tournament",
        "truco",
        "balanced",
        "bluffer",
        "--duplicates",
        "4000",
        "--out",
        str(tmp_path / "r"),
    ]
    process = subprocess.Popen(
        command,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored in the background otherwise
    )
    parts = tmp_path / "r" / "parts"
    deadline = time.monotonic() + 120
    while not (parts.exists() and any(parts.glob("*.parquet"))) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=120)
    assert process.returncode == 130 and "are kept" in stderr
    kept = len(list(parts.glob("*.parquet")))
    assert 0 < kept < 128
    finished = bolicho_json("tournament", "--config", tmp_path / "r" / "experiment.toml", "--out", tmp_path / "r")
    assert finished["games"] == 8000


def test_demo_page_links_to_every_game(tmp_path):
    run = bolicho_run("demo", "--duplicates", 2, "--out", tmp_path)
    assert run.returncode == 0, run.stderr
    page = (tmp_path / "index.html").read_text()
    for game in bolicho_json("games")["games"]:
        assert f'href="{game["name"]}/index.html"' in page and (tmp_path / game["name"] / "index.html").exists()


# --- Paths ----------------------------------------------------------------------------------------


def commands(group):
    """Return all functions that are commands, of a group and the groups in it."""
    yield from (command.callback for command in group.registered_commands)
    for inner in group.registered_groups:
        yield from commands(inner.typer_instance)


def test_every_path_option_expands_the_home_folder():
    """Paths in quotes or in `--out=~/run`, in which the shell does not expand `~`."""
    parsers = {}
    for command in commands(bolicho.cli.app):
        for name, kind in get_type_hints(command, include_extras=True).items():
            if get_origin(kind) is Annotated and (Path in (inner := inside(kind)) or name in ("database", "plan")):
                parsers[f"{command.__name__} {name}"] = kind.__metadata__[0].parser, Path in inner
    assert len(parsers) > 20
    for option, (parser, is_path) in parsers.items():
        assert parser is (shell.home_path if is_path else shell.home_address), option


def inside(kind):
    """Return the types that a type consists of."""
    return {kind}.union(*map(inside, get_args(kind))) if get_args(kind) else {kind}


def test_home_folder_is_expanded_in_paths(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert shell.home_path("~/a b") == tmp_path / "a b" and shell.home_path("~") == tmp_path
    assert shell.home_path("x/~") == Path("x/~") and shell.home_path("./~x") == Path("~x")
    assert shell.home_address("~/matches.db") == f"{tmp_path}/matches.db"
    assert shell.home_address("postgresql://~@host/name") == "postgresql://~@host/name"
    with pytest.raises(bolicho.BadInput, match=r"~nobody-here is not a home folder here; .* write \./~nobody-here/x"):
        shell.home_path("~nobody-here/x")


@pytest.mark.parametrize("option", ["--config=~/none.toml", "--out=~/none"])
def test_command_expands_a_home_folder_that_the_shell_left(tmp_path, monkeypatch, option):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys.modules["bolicho.cli.tournament"], "keep_stdout", lambda: None)
    with pytest.raises(bolicho.BadInput, match=f"'{tmp_path}/none"):
        bolicho.cli.app(["tournament", option], standalone_mode=False)
