"""Independence of the technique `neural` from games, and its bindings by name of the game."""

import subprocess
import sys

import pytest

from bolicho.agents.neural import TECHNIQUE, agents
from bolicho.agents.neural.net import binding, schemes
from bolicho.sources import files_of
from tests.test_structure import PACKAGE, imported_names

GENERIC = ("agents", "compiled/codings", "dqn", "imitation", "kernel", "learning", "net", "recipes")

LOADED = """
import sys
from bolicho.agents.neural import agents, dqn, imitation
from bolicho.agents.neural.net import binding
binding("truco")
print([name for name in sys.modules if "wonders" in name])
binding("wonders")
print("bolicho.agents.neural.compiled.wonders" in sys.modules)
"""


@pytest.mark.parametrize("module", GENERIC)
def test_the_technique_imports_no_game(module):
    names = imported_names(PACKAGE / "agents" / "neural" / f"{module}.py")
    assert not [name for name in names for game in ("truco", "dominoes", "wonders") if game in name.split(".")]


def test_binding_of_a_game_is_loaded_on_demand():
    run = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == ["[]", "True"]


def test_identity_of_neural_agents_contains_the_codings_of_each_game():
    files = files_of(agents.__name__)
    assert {binding(game).input_names.__module__ for game in TECHNIQUE.bindings} <= {*files}


def test_payoff_is_a_scheme_of_every_game():
    assert schemes("coins") == {"payoff": 0}
    assert schemes("truco") == {"payoff": 0, "match": 1}
    assert schemes("fives") == {"payoff": 0, "lead": 1}
    assert schemes("wonders") == {"payoff": 0, "published": 1, "margin": 2}
