"""Odd inputs: one sentence on stderr, exit code 2, no traceback, and nothing destroyed."""

import contextlib
import json
import os
import resource
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import bolicho
from bolicho import BadInput
from bolicho.agents.spec import parse_spec, write_spec
from bolicho.arena.console import show
from bolicho.arena.experiment import Experiment
from bolicho.arena.run import run
from bolicho.cli import main
from bolicho.errors import LONGEST, one_line
from bolicho.files import atomic_path, read_bytes, write_text_atomic
from bolicho.games.record import read_records, replay, write_record
from bolicho.strict import read_json, read_literal, read_toml

PLAY = ["play", "truco", "random", "random", "--seed", "1", "-r", "hands=1"]
MEET = ["tournament", "truco", "random", "novice", "--duplicates", "1", "--jobs", "1"]
DIGITS = "9" * 5000


@pytest.fixture(autouse=True)
def unredirected_stdout(monkeypatch):
    """Keep the stdout of this process, in which commands run."""
    monkeypatch.setattr("bolicho.cli.shell._redirect_stdout", lambda: None)


@pytest.fixture
def refused(monkeypatch, capfd):
    """Return a function that runs a command line, checks that it is refused, and returns the sentence."""

    def run_refused(*arguments):
        monkeypatch.setattr(sys, "argv", ["bolicho", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            main()
        told = capfd.readouterr()
        lines = [line for line in told.err.splitlines() if not line.startswith("Compiling")]
        assert stop.value.code == 2 and told.out == ""
        assert len(lines) == 1 and lines[0].startswith("bolicho: ") and len(lines[0]) < LONGEST + 100
        return lines[0]

    return run_refused


# --- Output files -------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["/proc/x", "FILE/sub", "DANGLING", "FILE", "x" * 300], ids=lambda place: place[:20])
def test_tournament_with_an_impossible_folder_is_refused(refused, tmp_path, monkeypatch, place):
    monkeypatch.chdir(tmp_path)
    Path("FILE").write_text("mine")
    Path("DANGLING").symlink_to("nowhere")
    assert place[:20] in refused(*MEET, "--out", place)
    assert Path("FILE").read_text() == "mine" and Path("DANGLING").is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["DANGLING", "FILE"]


@pytest.mark.parametrize("place", ["/proc/x/y", "FILE/sub", "x" * 300, "."], ids=lambda place: place[:20])
def test_record_path_that_cannot_be_written_is_refused(refused, tmp_path, monkeypatch, place):
    monkeypatch.chdir(tmp_path)
    Path("FILE").write_text("mine")
    assert place[:7] in refused(*PLAY, "--record", place)
    assert [path.name for path in tmp_path.iterdir()] == ["FILE"] and Path("FILE").read_text() == "mine"


def test_only_regular_files_are_replaced(refused, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a socket's path must be short
    Path("target").write_text("mine")
    Path("link").symlink_to("target")
    Path("dangling").symlink_to("nowhere")
    os.mkfifo("pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
    modes = {path: path.lstat().st_mode for path in map(Path, ["link", "dangling", "pipe", "socket", "/dev/null"])}
    for path, what in zip(modes, ["a link", "a link", "a pipe", "a socket", "a device"], strict=True):
        assert f"is {what}, which is not overwritten" in refused(*PLAY, "--record", path)
        with pytest.raises(BadInput), atomic_path(path) as beside:
            beside.write_text("new")
        assert path.lstat().st_mode == modes[path]
    assert Path("target").read_text() == "mine" and not Path("nowhere").exists()
    assert len(list(tmp_path.iterdir())) == 5, "no temporary file remains"


def test_path_that_becomes_a_pipe_during_a_write_is_kept(tmp_path):
    path = tmp_path / "x"
    with pytest.raises(BadInput, match="a pipe"), atomic_path(path) as beside:
        beside.write_text("new")
        os.mkfifo(path)
    assert stat.S_ISFIFO(path.lstat().st_mode)


def test_record_to_dev_stdout_is_refused(refused):
    assert "'/dev/stdout' is a " in refused(*PLAY, "--record", "/dev/stdout")


def test_file_with_the_longest_possible_name_is_written(tmp_path):
    path = tmp_path / ("é" * 127)
    write_text_atomic(path, "whole")
    assert path.read_text() == "whole" and list(tmp_path.iterdir()) == [path]


def bolicho_process(*arguments, limit=None, **options):
    """Run a command in a process that may not write files of more than `limit` bytes."""
    environment = {**os.environ, "PYTHONPATH": str(Path(bolicho.__file__).parent.parent), "BOLICHO_QUIET": "1"}
    started = [sys.executable, "-c", "from bolicho.cli import main; main()", *map(str, arguments)]

    def bounded():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.run(
        started, env=environment, stderr=subprocess.PIPE, text=True, preexec_fn=bounded if limit else None,
        **{"stdout": subprocess.PIPE, **options},
    )  # fmt: skip


def is_refused(done):
    sentences = [line for line in done.stderr.splitlines() if line.startswith("bolicho: ")]
    return done.returncode == 2 and len(sentences) == 1 and "Traceback" not in done.stderr


def test_full_disk_keeps_old_files_and_the_command_can_be_repeated(tmp_path):
    record, folder = tmp_path / "record.json", tmp_path / "run"
    record.write_text("mine")
    assert is_refused(bolicho_process(*PLAY, "--record", record, limit=20))
    assert record.read_text() == "mine"
    meet = ["60" if part == "1" and MEET[i - 1] == "--duplicates" else part for i, part in enumerate(MEET)]
    stopped = bolicho_process(*meet, "--out", folder, limit=6000)  # enough for a part, not for the file of all games
    assert is_refused(stopped)
    assert (folder / "experiment.toml").exists() and not (folder / "games.parquet").exists()
    assert not list(tmp_path.rglob("*.tmp"))
    assert bolicho_process(*meet, "--out", folder).returncode == 0, "the same command resumes the run"


@contextlib.contextmanager
def mounted(place, options):
    place.mkdir()
    try:
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], capture_output=True)
    except FileNotFoundError:
        pytest.skip("mount is not installed")
    if done.returncode:
        pytest.skip("this process may not mount file systems")
    try:
        yield
    finally:
        subprocess.run(["umount", place], check=True)


def test_full_and_read_only_disks_are_reported(tmp_path, refused):
    with mounted(tmp_path / "full", "size=4k"):
        (tmp_path / "full" / "rest").write_bytes(bytes(4096))
        assert "No space left" in refused(*PLAY, "--json", "--record", tmp_path / "full" / "record.json")
        assert [path.name for path in (tmp_path / "full").iterdir()] == ["rest"]
    with mounted(tmp_path / "fixed", "ro"):
        assert "Read-only file system" in refused(*PLAY, "--record", tmp_path / "fixed" / "record.json")
        assert "Read-only file system" in refused(*MEET, "--out", tmp_path / "fixed" / "run")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_folder_without_write_permission_is_reported(tmp_path, refused):
    tmp_path.chmod(0o555)
    assert "Permission denied" in refused(*PLAY, "--record", tmp_path / "record.json")


def test_unwritable_stdout_is_reported_once():
    for listing in ("games", "agents"):
        with Path("/dev/full").open("w") as full:
            done = bolicho_process(listing, "--json", stdout=full)
        assert is_refused(done) and len(done.stderr.splitlines()) == 1 and "No space left" in done.stderr


# --- Requests -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["tournament", "truco", "balanced"], "needs two agents or more"),
        ([*PLAY, "-r", "self=1"], "unknown rule of truco 'self'"),
        ([*PLAY, "-r", "name=1"], "unknown rule of truco 'name'"),
        ([*PLAY, "-r", "kind=1"], "unknown rule of truco 'kind'"),
        ([*PLAY, "-r", f"target={DIGITS}"], "more than 20 digits"),
        ([*PLAY, "-r", "target=0x" + "f" * 5000], "more than 20 digits"),
        (["play", "truco", f"random(x={'(' * 5000})", "random"], "unbalanced bracket"),
        (["play", "truco", f"random(x={'[' * 3000 + ']' * 3000})", "random"], "unknown option of random 'x'"),
        (["play", "truco", f"random(x={'-' * 20_000}1)", "random"], "unknown option of random 'x'"),
        (["play", "truco", "builtins:int", "random"], "builtins:int is not an agent"),
        (["play", "truco", "random", "random\n"], "cannot read the agent"),
        (["play", "truco", "random", "a\u2028b\x1b[2J"], "cannot read the agent 'a\\u2028b\\x1b[2J'"),
        (["play", "truco", "random", "random", "--seed", "-1"], "a seed is"),
        (["play", "truco", "random", "random", "--seed", 2**64], "a seed is"),
        ([*MEET[:4], "--seed", "-1"], "seed must be"),
        ([*MEET[:4], "--seed", 2**63], "seed must be"),
        (["train", "sarsa", "dominoes", "games=10", "--seed", "-1"], "a seed is"),
        (["train", "sarsa", "dominoes", "games=10", "--seed", 2**64], "a seed is"),
        (["lab", "run", "styles", "--seed", "-1"], "a seed is"),
    ],
    ids=lambda value: " ".join(map(str, value))[:50] if isinstance(value, list) else "",
)
def test_an_odd_request_is_refused_in_a_sentence(refused, arguments, sentence):
    assert sentence in refused(*arguments)


ODD_FILES = {
    "deep.json": '{"game": "truco", "seed": ' + "[" * 100_000,
    "objects.json": '{"a":' * 100_000,
    "digits.json": f'{{"game": "truco", "seed": {DIGITS}}}',
    "nan.json": '{"game": "truco", "seed": NaN}',
    "infinite.json": '{"game": "truco", "seed": 1e999}',
    "half.json": '{"game": "truco", "seed": 1, "players": ["\\ud800", "b"]}',
    "self.json": '{"game": "truco", "seed": 1, "rules": {"self": 1, "name": 2}}',
    "setup.json": '{"game": "truco", "setup": {"self": 1}}',
    "mark.json": "\ufeff{}",
}


@pytest.mark.parametrize("name", ODD_FILES)
def test_an_odd_record_is_refused_in_a_sentence(refused, tmp_path, name):
    (tmp_path / name).write_text(ODD_FILES[name], encoding="utf-8")
    assert name in refused("replay", tmp_path / name)


@pytest.mark.parametrize("value", [DIGITS, "0x" + "f" * 5000, "[" * 50_000, "{a = " * 5000, "nan", "-inf"], ids=len)
def test_an_odd_experiment_is_refused_in_a_sentence(refused, tmp_path, value):
    path = tmp_path / "odd.toml"
    path.write_text(f'game = "truco"\nagents = ["random", "novice"]\nseed = {value}')
    refused("tournament", "--config", path)


# --- Strict readers -----------------------------------------------------------------------------


@pytest.fixture(params=["/dev/zero", "PIPE", "FOLDER"])
def no_file(request, tmp_path):
    """Return a path that is not a regular file: an endless device, a pipe without a writer, or a folder."""
    if request.param == "PIPE":
        os.mkfifo(tmp_path / "PIPE.safetensors")
        return tmp_path / "PIPE.safetensors"
    return tmp_path if request.param == "FOLDER" else Path(request.param)


def test_artifact_that_is_not_a_regular_file_is_refused_unread(refused, no_file):
    for agent in ("cfr", "policy", "sarsa"):
        told = refused("play", "truco", f"{agent}(artifact={str(no_file)!r})", "random", "-r", "hands=1")
        assert "only files are read" in told and str(no_file) in told


def test_record_experiment_or_plan_that_is_not_a_regular_file_is_refused_unread(refused, no_file):
    for command in (
        ["tournament", "--config"],
        ["verify"],
        ["study", "check"],
        *([] if no_file.is_dir() else [["analyse"], ["replay"]]),
    ):
        assert "only files are read" in refused(*command, no_file)


def test_a_file_that_is_too_large_is_refused(tmp_path):
    with (tmp_path / "large").open("wb") as file:
        file.truncate(1001)
    assert len(read_bytes(tmp_path / "large", most=1001)) == 1001
    with pytest.raises(BadInput, match=r"large' has more than 1,000 bytes, the limit for files"):
        read_bytes(tmp_path / "large", most=1000)


def test_json_is_read_strictly_by_its_standard():
    assert read_json('{"a": [1, -2, 2.5, "\\u2028", null]}') == {"a": [1, -2, 2.5, "\u2028", None]}
    for text in ("[1, NaN]", "-Infinity", "1e400", '{"a": 1, "a": 1}', '"\\udc00"', "9" * 21, b"\xff", "\ufeff1"):
        with pytest.raises(BadInput):
            read_json(text)


def test_long_numbers_in_toml_are_refused():
    assert read_toml("a = [{b = 18446744073709551615}]") == {"a": [{"b": 2**64 - 1}]}
    with pytest.raises(BadInput, match="more than 20 digits"):
        read_toml("a = [{b = 100000000000000000000}]")


def test_only_literals_that_can_be_written_again_are_read_as_values():
    for text, value in {"1": 1, "-2.5": -2.5, "'a'": "a", "[1, (2,)]": [1, (2,)], "None": None, "True": True}.items():
        assert read_literal(text) == value and read_literal(repr(value)) == value
    for text in ("{1, 2}", "b'x'", "3j", "...", "1e999", "{[]: 1}", "'", "(" * 500 + ")" * 500, "x", "1if 2else 3"):
        assert read_literal(text) == text


@pytest.mark.parametrize(
    "options",
    [
        {"a": "b, c", "d": "e)"},
        {"a": "it's", "b": 'say "it"', "c": "'"},
        {"a": "3", "b": 3, "c": "true", "d": True, "e": "None", "f": None},
        {"a": "", "b": " spaced ", "c": "=", "d": "\u2028\x1b\ud800"},
        {"a": "[1", "b": [1, "2, 3"], "c": (1,), "d": -0.5, "e": "\\"},
    ],
    ids=str,
)
def test_spec_is_read_back_as_it_was_written(options):
    written = write_spec("x", options)
    assert parse_spec(written) == ("x", options) and written.isprintable()


def test_spec_quotes_only_where_needed():
    assert write_spec("x", {"inner": "mcts(iterations=5)", "base": "a/b.parquet"}) == (
        "x(base=a/b.parquet, inner=mcts(iterations=5))"
    )


def test_record_is_one_line_for_any_player_names(tmp_path):
    names = ["a\u2028b\u2029c\x85d", "\x1b[2J\x00[red]"]
    table = bolicho.game("truco").deal(1)
    table.players = names
    line = write_record(table.record())
    assert len(line.splitlines()) == 1
    raw = json.dumps({**table.record(), "players": names}, ensure_ascii=False)  # as another program may write it
    (tmp_path / "many.jsonl").write_text(f"{line}\n{raw}\n{line}\n", encoding="utf-8")
    read = list(read_records(tmp_path / "many.jsonl"))
    assert [record["players"] for record in read] == [names] * 3
    assert write_record(replay(read[1]).record()) == line


def test_error_message_is_one_line_without_control_characters():
    assert one_line("a\nb\x1b[2Jc\u2028d é 🂡") == "a\\nb\\x1b[2Jc\\u2028d é 🂡"
    assert len(one_line("x" * 10**6)) < LONGEST + 20


# --- Texts of agents ----------------------------------------------------------------------------

REASON = "[red]no[/nonsense] <b>bold</b> \x1b[2J \ud800 \u2028 $\\frac$"


class Complains(bolicho.Agent):
    def __init__(self, why: str = "$\\frac$ [/nonsense]"):
        self.why = why

    def act(self, view, rng):
        raise RuntimeError(REASON)


def test_reason_of_a_forfeit_is_escaped_everywhere(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(sys, "argv", ["bolicho", *PLAY[:2], f"{__name__}:Complains", *PLAY[3:]])
    with pytest.raises(SystemExit) as stop:
        main()
    told = capfd.readouterr().out
    assert stop.value.code == 0 and "[red]no[/nonsense] <b>bold</b> \\x1b[2J \\ud800" in " ".join(told.split())
    spec = f"{__name__}:Complains(why='[/nonsense] [red] $\\\\frac$')"
    finished = run(Experiment("truco", ["random", spec], duplicates=1), tmp_path / "run")
    page = (tmp_path / "run" / "index.html").read_text(encoding="utf-8")
    assert "[red]no[/nonsense] &lt;b&gt;bold&lt;/b&gt; \\x1b[2J \\ud800" in page and "<b>bold" not in page
    show(finished)
    assert "[/nonsense] [red]" in " ".join(capfd.readouterr().out.split())
