"""Node and the linker, which the tests of WebAssembly need; a test names the one that is missing."""

import importlib.util
import json
import shutil
import subprocess
from pathlib import Path

import pytest

import bolicho
from bolicho.wasm import describe, doors

PACKAGE = Path(bolicho.__file__).parent / "wasm" / "javascript"
DRIVE = Path(__file__).with_name("drive.mjs")


@pytest.fixture(scope="session", autouse=True)
def node():
    """Return the path of Node."""
    if importlib.util.find_spec("ziglang") is None and shutil.which("wasm-ld") is None:
        pytest.skip("the linker of WebAssembly is missing: pip install 'bolicho[wasm]'")
    found = shutil.which("node")
    if found is None:
        pytest.skip("node is missing: install nodejs, version 20 or later")
    return found


@pytest.fixture
def drive(node, tmp_path):
    """Return a function that runs a task of `drive.mjs` on a game, and with an agent on its player."""

    def run(game, task, games, agent=None, **more):
        (tmp_path / "game.wasm").write_bytes(doors.game_module(game))
        (tmp_path / "game.json").write_text(json.dumps(describe.describe_game(game)))
        told = {"do": task, "first": 0, "games": games, "package": str(PACKAGE), **more}
        (tmp_path / "task.json").write_text(json.dumps(told))
        if agent is not None:
            agent = doors.compiled_form(agent, game)
            code, packed = doors.player_module(agent, game)
            (tmp_path / "player.wasm").write_bytes(code)
            (tmp_path / "player.bin").write_bytes(b"".join(packed.arrays))
            (tmp_path / "player.json").write_text(json.dumps(describe.describe_player(agent, game, packed)))
        run = subprocess.run([node, DRIVE, tmp_path], capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        return json.loads((tmp_path / "found.json").read_text())

    return run
