"""Overhead of a cluster: processor time of whole runs, relative to that of their tasks alone.

    python benchmarks/elsewhere.py

The cluster is local, with one worker, on the loopback interface.  Processor time is that of this process and all its
descendants, since other work on the machine changes wall-clock time; it includes the time of an idle cluster.
"""

import tempfile
import warnings
from pathlib import Path

import psutil

import bolicho.arena.report  # loaded before the first measurement
from bolicho.arena.experiment import Experiment
from bolicho.arena.pairing import tasks
from bolicho.arena.run import inspect_agent, play_task, run

MEETINGS = (("balanced", 4000), ("mcts(iterations=100)", 128), ("mcts(iterations=800)", 64))
AGAIN = 3


def processor_time() -> float:
    me = psutil.Process()
    return sum(sum(process.cpu_times()[:2]) for process in (me, *me.children(recursive=True)))


def measure(address: str, spec: str, deals: int, folder: Path) -> None:
    experiment = Experiment("truco", [spec, "novice"], duplicates=deals, seed=1)
    found = [inspect_agent(experiment, each).traits for each in experiment.agents]
    work = tasks(1, deals)
    small = Experiment("truco", [spec, "novice"], duplicates=2, seed=2)
    run(small, folder / "here")  # compile in this process and in the worker
    run(small, folder / "there", cluster=address)
    for number in range(AGAIN):
        start = processor_time()
        for task in work:
            play_task(experiment, task, found)
        alone = processor_time()
        run(experiment, folder / f"{number} here")
        here = processor_time()
        run(experiment, folder / f"{number} there", cluster=address)
        there = processor_time()
        playing = alone - start
        print(
            f"{spec}, {deals} deals, {len(work)} tasks: playing {playing:.2f} s, "
            f"one process {(here - alone) / playing:.2f} times that, cluster {(there - here) / playing:.2f}",
            flush=True,
        )


def main() -> None:
    import distributed

    warnings.simplefilter("ignore")
    assert bolicho.arena.report
    quiet = {"dashboard_address": None, "worker_dashboard_address": None, "silence_logs": 50}
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, host="127.0.0.1", **quiet) as cluster:
        for spec, deals in MEETINGS:
            with tempfile.TemporaryDirectory() as folder:
                measure(cluster.scheduler_address, spec, deals, Path(folder))


if __name__ == "__main__":
    main()
