"""Servers that all tests of the web table share."""

import pytest

from tests.web.arena.lab import Arena
from tests.web.running import Served


@pytest.fixture(scope="session")
def truco(tmp_path_factory):
    """A server of Truco."""
    served = Served(tmp_path_factory.mktemp("truco") / "matches.db", "--game", "truco")
    yield served
    told = served.stop()
    assert "Traceback" not in told and "leaked" not in told, told


@pytest.fixture(scope="session")
def app_state(tmp_path_factory):
    """A server of all games."""
    served = Served(tmp_path_factory.mktemp("house") / "matches.db")
    yield served
    told = served.stop()
    assert "Traceback" not in told and "leaked" not in told, told


@pytest.fixture(scope="session")
def poker(tmp_path_factory):
    """A server of two games without their own pages, served by address; one of them has a drawing."""
    games = ("--game", "examples.kuhn:KUHN", "--game", "tests.web.drawn:DRAWN")
    served = Served(tmp_path_factory.mktemp("poker") / "matches.db", *games)
    yield served
    told = served.stop()
    assert "Traceback" not in told and "leaked" not in told, told


@pytest.fixture(scope="session")
def arena(tmp_path_factory):
    """A server of Truco with an arena, and the token of a researcher."""
    lab = Arena(tmp_path_factory.mktemp("arena"))
    yield lab
    told = lab.served.stop()
    assert "Traceback" not in told and "leaked" not in told, told
