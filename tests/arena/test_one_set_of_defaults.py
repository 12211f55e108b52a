"""Equal defaults of tournaments in Python, in files and on the command line."""

import math

import pytest

from bolicho import BadInput
from bolicho.arena.experiment import Experiment
from tests.test_cli import bolicho_run

FILE = 'game = "truco"\nagents = ["random", "novice"]\n'


def test_a_file_and_the_command_line_have_the_same_defaults(tmp_path, monkeypatch):
    import bolicho.arena.run
    from bolicho.cli import tournament

    asked = []

    def remember(experiment, folder, jobs, cluster):
        asked.append(experiment)
        raise KeyboardInterrupt

    monkeypatch.setattr(bolicho.arena.run, "run", remember)
    (tmp_path / "file.toml").write_text(FILE)
    for how in ({"config": tmp_path / "file.toml"}, {"game": "truco", "players": ["random", "novice"]}):
        with pytest.raises(KeyboardInterrupt):
            tournament(**how)
    assert asked == [Experiment("truco", ["random", "novice"])] * 2


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--duplicates", 7, "--seed", 5, "-r", "target=12"], "duplicates, seed, rules"),
        (["--move-limit", 2], "move_limit"),
        (["truco"], "game"),
    ],
)
def test_options_that_a_file_contains_are_refused_beside_it(options, named, tmp_path):
    (tmp_path / "file.toml").write_text(FILE)
    told = bolicho_run("tournament", "--config", "file.toml", *options, cwd=tmp_path)
    assert told.returncode == 2
    assert f"leave out {named}, or write it into file.toml" in told.stderr
    assert not (tmp_path / "runs").exists()


def test_absent_move_limit_is_written_and_read():
    endless = Experiment("truco", ["random"], move_limit=None)
    assert "move_limit = inf\n" in endless.to_toml()
    assert Experiment.from_toml(endless.to_toml()) == endless == Experiment("truco", ["random"], move_limit=math.inf)
    assert endless != Experiment("truco", ["random"])
    with pytest.raises(BadInput, match="more than 0 seconds, not nan"):
        Experiment("truco", ["random"], move_limit=math.nan)


def test_help_shows_the_defaults():
    told = " ".join(bolicho_run("tournament", "--help").stdout.split())
    for default in (Experiment.duplicates, f"{Experiment.move_limit:g}"):
        assert f"[default: {default}]" in told
