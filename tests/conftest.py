"""Settings shared by all tests."""

import os
import sys

import pytest
from hypothesis import settings

# A first example compiles the game: no deadline.  The same examples every time: no surprises.
settings.register_profile("bolicho", deadline=None, derandomize=True)
settings.load_profile("bolicho")

os.environ["LC_ALL"] = "C.UTF-8"  # the tables of tests are told in English, wherever these run


@pytest.fixture(autouse=True)
def _as_it_was():
    """What the command line changes, tried in this process, is not for the next test: modules' places, its output."""
    environment, path = dict(os.environ), list(sys.path)
    yield
    if (cli := sys.modules.get("bolicho.cli")) is not None:
        cli.out.file = None  # stdout, whatever it is for the next test
    if os.environ != environment:
        os.environ.clear()
        os.environ.update(environment)
    sys.path[:] = path
