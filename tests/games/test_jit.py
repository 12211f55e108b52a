"""Cache of compiled functions, valid while all their sources stay unchanged."""

import hashlib
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numba
import pytest

import bolicho
from bolicho.games.dominoes.kernel import RECORDS as DOMINOES
from bolicho.games.jit import registered
from bolicho.games.kernel import ANY
from bolicho.games.truco.kernel import RECORD
from bolicho.games.wonders.layout import RECORD as WONDERS

COINS = (Path(__file__).parent / "coins.py").read_text()

COUNTING = """
from numba.core import event
class Count(event.Listener):
    compiled = 0
    names = []
    def on_start(self, event):
        self.compiled += 1
        self.names.append(event.data["dispatcher"].py_func.__name__)
    def on_end(self, event): pass
counted = Count()
event.register("numba:compile", counted)
"""

PLAY = f"""{COUNTING}
from bolicho.games.game import Game
from mine import COINS
table = Game(COINS, coins=2).setup(row=[3, 4])
table.play("left")
print(table.scores[0], counted.compiled)
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
    """Write the game as a user would: rules in `mine.py`, and a constant in a file beside it."""
    (folder / "mine.py").write_text(
        COINS.replace("s.points[seat] += coin", "s.points[seat] += coin * FACTOR").replace(
            "MAX_COINS = 12\n", "from factor import FACTOR\nMAX_COINS = 12\n"
        )
    )
    (folder / "factor.py").write_text("FACTOR = 1\n")


def play(folder: Path, code: str = PLAY) -> tuple[int, int]:
    """Return (points of the left coin, number of compiled functions) of a new process."""
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


def test_game_plays_by_an_edited_file_that_it_imports(played):
    try:
        (played / "factor.py").write_text("FACTOR = 2\n")
        assert play(played)[0] == 6
    finally:
        (played / "factor.py").write_text("FACTOR = 1\n")


def test_file_edited_after_its_import_is_compiled_in_the_next_process(played):
    edit = "from mine import COINS\nopen('factor.py', 'w').write('FACTOR = 5\\n')\n"
    try:
        assert play(played, PLAY.replace("from mine import COINS\n", edit))[0] == 3
        assert play(played)[0] == 15
    finally:
        (played / "factor.py").write_text("FACTOR = 1\n")


def test_a_damaged_cache_is_compiled_again(played):
    kept = sorted((played / "cache" / "compiled").glob("bolicho.games.compiled.calls.*"))
    for number, path in enumerate(kept):
        whole = path.read_bytes()
        path.write_bytes((whole[:1000], b"", bytes(32) + whole[32:])[number % 3])
    points, compiled = play(played)
    assert points == 3
    assert compiled > 0
    assert play(played) == (3, 0)


def test_cache_entry_with_a_moved_class_is_compiled_again(played):
    moved = b"cbolicho.games.jit\nMoved\n."  # pickled reference to a class that no longer exists
    for path in (played / "cache" / "compiled").glob("bolicho.games.compiled.calls.*"):
        path.write_bytes(hashlib.sha256(moved).digest() + moved)
    points, compiled = play(played)
    assert points == 3
    assert compiled > 0
    assert play(played) == (3, 0)


def test_entry_functions_are_built_again_from_cached_parts(played):
    for path in (played / "cache" / "compiled").glob("bolicho.games.compiled.calls.*"):
        if re.search(r"-\d+\.", path.name):  # parts are numbered 12p
            path.unlink()
    points, compiled = play(played)
    doors = len(
        {path.name.split("-")[0] for path in (played / "cache" / "compiled").glob("bolicho.games.compiled.calls.*")}
    )
    assert points == 3 and 0 < compiled <= doors
    assert play(played) == (3, 0)


def test_two_games_of_the_same_layout_are_refused(tmp_path):
    (tmp_path / "mine.py").write_text(COINS)
    (tmp_path / "twin.py").write_text(COINS.replace('name="coins"', 'name="twin"'))
    run = subprocess.run([sys.executable, "-c", TWINS], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "twin cannot register" in run.stdout
    assert "laid out exactly as that of mine" in run.stdout


def test_bindings_of_techniques_are_registered_for_their_games():
    for module in ("cbr.truco.compiled.turn", "neural.compiled.wonders", "sarsa.compiled.dominoes"):
        import_module(f"bolicho.agents.{module}")
    of_truco = {implementation for _, implementation in registered[RECORD]}
    assert {"bolicho.games.truco.compiled.unseen", "bolicho.agents.cbr.truco.compiled.turn"} <= of_truco
    assert "bolicho.agents.neural.compiled.wonders" in {implementation for _, implementation in registered[WONDERS]}
    assert "bolicho.agents.neural.compiled.codings" in {implementation for _, implementation in registered[ANY]}
    for record in DOMINOES:
        assert "bolicho.agents.sarsa.compiled.dominoes" in {implementation for _, implementation in registered[record]}


def test_modules_with_overloads_fill_the_registry_of_implementations():
    package = Path(bolicho.__file__).parent
    for path in package.rglob("*.py"):
        text = path.read_text()
        if "import overload" in text:
            assert "registered.setdefault" in text, f"{path} does not register what compiled code depends on"


ASK = """
import mine, usual
from asker import ask
from bolicho.games.game import Game
print(ask(Game(mine.COINS, coins=2).setup(row=[3, 4]).pool), 0)
"""


def test_cache_depends_on_generic_implementations_and_the_rules_that_they_call(tmp_path):
    (tmp_path / "mine.py").write_text(COINS)
    (tmp_path / "generic.py").write_text("def price(s): pass\n")
    (tmp_path / "asker.py").write_text(
        "import generic\nfrom bolicho.games.jit import njit\n@njit\ndef ask(pool): return generic.price(pool[0])\n"
    )
    usual = (
        "import generic\nfrom bolicho.games import kernel\nfrom bolicho.games.jit import njit\n"
        "@kernel.implements(generic.price, kernel.ANY)\n@njit\ndef price(s): return 20 if kernel.over(s) else 10\n"
    )
    (tmp_path / "usual.py").write_text(usual)
    assert play(tmp_path, ASK)[0] == 10
    (tmp_path / "usual.py").write_text(usual.replace("10", "11"))
    assert play(tmp_path, ASK)[0] == 11
    own = "\n\n@implements(kernel.over, RECORD)\n@njit\ndef over(s):\n    return s.turn >= 0\n"
    (tmp_path / "mine.py").write_text(COINS + own)
    assert play(tmp_path, ASK)[0] == 20


OWN = """
import numba
import numpy as np
import generic
from bolicho.games import kernel
from bolicho.games.jit import njit
one, other = (np.zeros(1, [(name, "i1")]) for name in ("one", "other"))
@kernel.implements(generic.price, kernel.ANY)
@njit
def usual(s): return 1
@kernel.implements(generic.price, numba.from_dtype(other.dtype))
@njit
def own(s): return 2
@njit
def ask(pool): return generic.price(pool[0])
print(ask(one), ask(other))
"""


def test_record_with_its_own_implementation_does_not_get_the_generic_one(tmp_path):
    (tmp_path / "generic.py").write_text("def price(s): pass\n")
    assert play(tmp_path, OWN) == (1, 2)


SYMBOLS = """
import sys
import numpy as np
from bolicho.games.jit import njit
@njit
def last(rows): return rows[0].x
def value(size):
    rows = np.zeros(1, [("filler", "i1", size), ("x", "i1")])
    rows["x"] = size
    return last(rows)
print(*map(value, map(int, sys.argv[1:])))
"""


def test_code_compiled_in_different_processes_for_different_records_has_different_symbols(tmp_path):
    """Compile records that have the same number in Numba's count of types in the first two processes."""
    path = tmp_path / "symbols.py"
    path.write_text(SYMBOLS)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    for sizes in (["3"], ["5"], ["3", "5"]):
        command = [sys.executable, str(path), *sizes]
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert run.stdout.split() == sizes


# --- Cost of a first game -------------------------------------------------------------------------

SHARED = f"""{COUNTING}
import numpy as np
from bolicho.games.jit import njit, rule

@rule
def down(n, by):
    return 0 if n < 1 else 1 + down(n - by, 1)

@rule
def twice(n):
    return n + n

@njit
def all_of(small, large):
    return twice(small[0]) + twice(large[0]) + twice(3) + twice(4) + down(small[0], 1) + down(5, 2)

small, large = np.array([100], np.int8), np.array([100], np.int16)
assert all_of(small, large) == 200 + 200 + 6 + 8 + 100 + 4, "small integers overflow nowhere"
print(counted.names.count("twice"), counted.names.count("down"))
"""

WARM = "from bolicho.arena.warm import warm; warm({'truco': ['balanced']})"

FIRST_GAME = f"""{COUNTING}
import sys
from bolicho.cli import main
sys.argv = ["bolicho", "play", "truco", "balanced", "bluffer", "--seed", "1", "--explain"]
try:
    main()
finally:
    print("compiled", counted.compiled, file=sys.stderr)
"""


def run_cached(code: str, cache: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a process with the compiled functions in `cache`."""
    clean = {name: value for name, value in os.environ.items() if name != "BOLICHO_QUIET"}
    environment = {**clean, "NUMBA_CACHE_DIR": str(cache), **environment}
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)


def test_constants_and_small_integers_share_a_compiled_form(tmp_path):
    (tmp_path / "shared.py").write_text(SHARED)
    run = run_cached("import shared", tmp_path / "cache", PYTHONPATH=os.pathsep.join([*sys.path[1:], str(tmp_path)]))
    assert run.stdout.split() == ["1", "1"]


def test_warmed_game_compiles_nothing(tmp_path):
    warming = run_cached(WARM, tmp_path)
    lines = [line for line in warming.stderr.splitlines() if "Compiling" in line]
    assert len(lines) == len(set(lines)) <= 3, "a line for each subject: rules, agents, agents of the game"
    assert any("of truco" in line and " s; " in line for line in lines)
    game = run_cached(FIRST_GAME, tmp_path)
    assert game.stderr.splitlines() == ["compiled 0"]


def test_compiled_functions_have_names_for_the_notice():
    from bolicho.games import game
    from bolicho.games.jit import _subject

    pool = numba.typeof(game("dominoes").deal(1).pool)
    assert _subject("bolicho.games.compiled.calls", (pool, numba.int64)) == "the rules of dominoes"
    assert _subject("bolicho.agents.search.compiled.mcts", (pool,)) == "search agents of dominoes"
    assert _subject("bolicho.agents.kernel", (pool,)) == "agents of dominoes"
    assert _subject("bolicho.agents.cbr.compiled.tree", (numba.float64[:],)) == "cbr agents"
    assert _subject("mine", (numba.float64[:],)) == "mine"


def test_notice_is_one_line_per_subject_and_can_be_silenced(tmp_path):
    slow = "import time\nfrom bolicho.games import jit\njit.NOTICE_AFTER = 0.0\n" + SHARED + "time.sleep(0.2)\n"
    loud = run_cached(slow, tmp_path / "loud")
    assert [line for line in loud.stderr.splitlines() if "Compiling" in line] == [
        "Compiling __main__ for the first time, usually 3 to 30 s; the result is kept."
    ]
    assert run_cached(slow, tmp_path / "quiet", BOLICHO_QUIET="1").stderr == ""
