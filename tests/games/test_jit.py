"""What is compiled is kept only as long as everything it rests on stays the same."""

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import bolicho
from bolicho.games.jit import registered
from bolicho.games.truco.kernel import RECORD

COINS = (Path(__file__).parent / "coins.py").read_text()

PLAY = """
import sys
from numba.core import event
from bolicho.games.game import Game
class Count(event.Listener):
    compiled = 0
    def on_start(self, event): self.compiled += 1
    def on_end(self, event): pass
count = Count()
event.register("numba:compile", count)
from mine import COINS
table = Game(COINS, coins=2).setup(row=[3, 4])
table.play("left")
print(table.scores[0], count.compiled)
"""

TWINS = """
import mine
from bolicho.errors import BadInput
try:
    import twin
except BadInput as why:
    print(why)
"""


def split_coins(folder: Path) -> None:
    """The game as somebody's own: rules in `mine.py`, a number of theirs in a file beside it."""
    (folder / "mine.py").write_text(
        COINS.replace("s.points[seat] += coin", "s.points[seat] += coin * FACTOR").replace(
            "MAX_COINS = 12\n", "from factor import FACTOR\nMAX_COINS = 12\n"
        )
    )
    (folder / "factor.py").write_text("FACTOR = 1\n")


def play(folder: Path, code: str = PLAY) -> tuple[int, int]:
    """(points of the left coin, how many functions had to be compiled), in a process of its own."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    points, compiled = run.stdout.split()
    return int(points), int(compiled)


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    folder = tmp_path_factory.mktemp("game")
    split_coins(folder)
    points, compiled = play(folder)
    assert points == 3
    assert compiled > 5
    return folder


def test_a_second_process_compiles_nothing(played):
    assert play(played) == (3, 0)


def test_a_game_edited_on_disk_plays_by_its_new_rules(played):
    text = (played / "mine.py").read_text()
    try:
        (played / "mine.py").write_text(text.replace("s.points[seat] += coin", "s.points[seat] += 10 + coin"))
        assert play(played)[0] == 13
    finally:
        (played / "mine.py").write_text(text)


def test_so_it_does_when_only_a_file_that_it_imports_was_edited(played):
    try:
        (played / "factor.py").write_text("FACTOR = 2\n")
        assert play(played)[0] == 6
    finally:
        (played / "factor.py").write_text("FACTOR = 1\n")


def test_a_file_edited_after_its_import_is_not_taken_for_what_was_imported(played):
    edit = "from mine import COINS\nopen('factor.py', 'w').write('FACTOR = 5\\n')\n"
    try:
        assert play(played, PLAY.replace("from mine import COINS\n", edit))[0] == 3
        assert play(played)[0] == 15
    finally:
        (played / "factor.py").write_text("FACTOR = 1\n")


def test_a_damaged_cache_is_compiled_again(played):
    kept = sorted((played / "cache" / "compiled").glob("bolicho.games.calls.*"))
    for number, path in enumerate(kept):
        whole = path.read_bytes()
        path.write_bytes((whole[:1000], b"", bytes(32) + whole[32:])[number % 3])
    points, compiled = play(played)
    assert points == 3
    assert compiled > 0
    assert play(played) == (3, 0)


def test_two_games_of_the_same_layout_are_refused(tmp_path):
    (tmp_path / "mine.py").write_text(COINS)
    (tmp_path / "twin.py").write_text(COINS.replace('name="coins"', 'name="twin"'))
    run = subprocess.run([sys.executable, "-c", TWINS], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "twin cannot register" in run.stdout
    assert "laid out exactly as that of mine" in run.stdout


def test_what_binds_a_technique_to_a_game_counts_too():
    for module in ("cbr.truco.compiled.turn", "neural.wonders", "sarsa.dominoes"):
        import_module(f"bolicho.agents.{module}")
    of_truco = {implementation for _, implementation in registered[RECORD]}
    assert {"bolicho.games.truco.unseen", "bolicho.agents.cbr.truco.compiled.turn"} <= of_truco
    of_any = {implementation for _, implementation in registered[None]}
    assert {"bolicho.agents.neural.wonders", "bolicho.agents.sarsa.dominoes"} <= of_any


def test_whoever_makes_a_generic_function_known_says_what_was_registered():
    package = Path(bolicho.__file__).parent
    for path in package.rglob("*.py"):
        text = path.read_text()
        if "import overload" in text:
            assert "registered.setdefault" in text, f"{path} hides what compiled code rests on"
