"""Study whose tournaments are played by a cluster."""

from bolicho.lab.study import run_study
from tests.arena.test_elsewhere import cluster, files

__all__ = ["cluster"]  # a fixture


def test_study_on_a_cluster_has_the_results_of_a_local_one(cluster, tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    run_study("styles", jobs=1, out=here)
    run_study("styles", out=there, cluster=cluster.scheduler_address)
    assert files(there / "work" / "matches") == files(here / "work" / "matches")
    assert (there / "findings.json").read_text() == (here / "findings.json").read_text()
