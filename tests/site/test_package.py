"""The package for npm: packed, installed and used by a program, a type checker and a page."""

import functools
import json
import shutil
import subprocess
import threading
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

from bolicho.games.record import replay
from bolicho.site import package
from tests.site.conftest import Host

ROOT = Path(__file__).parents[2]
PROGRAM = """
import {open} from "bolicho";
const game = await open().game("wonders", {players: 4});
const agents = await Promise.all(["rules", "cbr", "mcts", "random"].map((name) => game.agent(name)));
const table = game.deal(7n);
const actions = [];
while (!table.over) {
  actions.push(agents[table.turn].decide(table, 1n));
  game.play(table, actions.at(-1));
}
console.log(JSON.stringify({actions, scores: game.view(table, 0).scores}));
"""


@pytest.fixture(scope="module")
def installed(node, tmp_path_factory):
    """Pack the package, and install it in an empty project."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is missing: install it with node")
    made, project = tmp_path_factory.mktemp("made"), tmp_path_factory.mktemp("project")
    package(made, ["wonders"])
    run = functools.partial(subprocess.run, cwd=project, check=True, capture_output=True, text=True)
    (project / "package.json").write_text('{"name": "user", "private": true}')
    packed = run([npm, "pack", "--silent", str(made)]).stdout.strip().splitlines()[-1]
    run([npm, "install", "--offline", "--no-audit", "--no-fund", f"./{packed}"])
    return project


def test_program_plays_with_the_installed_package(node, installed):
    (installed / "play.mjs").write_text(PROGRAM)
    run = subprocess.run([node, "play.mjs"], cwd=installed, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout)
    table = replay({"game": "wonders", "rules": {"players": 4}, "seed": 7, "actions": told["actions"]})
    assert table.over and table.scores == told["scores"]


def test_type_declarations_name_what_the_package_exports(node, installed):
    script = 'console.log(JSON.stringify(Object.keys(await import("bolicho"))))'
    run = subprocess.run(
        [node, "--input-type=module", "-e", script], cwd=installed, capture_output=True, text=True, check=True
    )
    declared = (installed / "node_modules" / "bolicho" / "index.d.ts").read_text()
    public = {"open", "Library", "Game", "Agent", "Missing", "NOBODY"}
    assert public <= set(json.loads(run.stdout))
    assert all(any(f"export {word} {name}" in declared for word in ("class", "const", "function")) for name in public)


def test_example_page_plays_seven_wonders_against_three_agents(installed, browser):
    example = (ROOT / "examples" / "wonders.html").read_text()
    assert len(example.splitlines()) <= 40
    (installed / "wonders.html").write_text(example)
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Host, directory=str(installed)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page = browser.new_page()
    wrong = []
    page.on("pageerror", lambda problem: wrong.append(str(problem)))
    page.goto(f"http://127.0.0.1:{server.server_port}/wonders.html")
    for _ in range(30):
        page.wait_for_function("document.querySelector('#where').textContent")
        if page.inner_text("#where") == "The end":
            break
        page.locator("#actions button").first.click()
    assert page.inner_text("#where") == "The end" and not wrong
    page.close()
    server.shutdown()
    server.server_close()
