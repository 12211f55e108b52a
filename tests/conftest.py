"""Settings shared by all tests."""

import os
import sys

import pytest
from hypothesis import settings

# A first example compiles the game: no deadline.  The same examples every time: no surprises.
settings.register_profile("bolicho", deadline=None, derandomize=True)
settings.load_profile("bolicho")


@pytest.fixture(autouse=True)
def _as_it_was():
    """The command line, tried in this process, changes where modules are looked for; not for the next test."""
    environment, path = dict(os.environ), list(sys.path)
    yield
    if os.environ != environment:
        os.environ.clear()
        os.environ.update(environment)
    sys.path[:] = path
