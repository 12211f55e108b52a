"""A small league for the studies of the case-based agents."""

import pytest

from bolicho.lab.cbr.mirrored_matches import league
from bolicho.lab.study import Effort


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    effort = Effort(False, 1, 1, tmp_path_factory.mktemp("cbr"))
    return league(effort, ("nps", "pvs", "pvcnps"), "baseline", 30)
