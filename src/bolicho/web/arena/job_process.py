"""Worker process of a tournament or training that the page has started; it ends with the server.

It runs `bolicho tournament --config FILE --out FOLDER --jobs N` or `bolicho train`; Ctrl-C stops it in the same
way.  A training finishes its step first and keeps what it has learned.
"""

import json
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bolicho.errors import BadInput, one_line
from bolicho.files import read_bytes, write_text_atomic
from bolicho.web.clock import SYSTEM
from bolicho.web.workers import stay_with

if TYPE_CHECKING:
    from bolicho.agents.training import Learner

NICE = 10  # lower priority than the tables
TRAINING, PROGRESS = "training.json", "progress.json"  # the requested training, and its progress
TELL_EVERY = 0.5  # seconds


def command(config: Path, folder: Path, jobs: int) -> list[str]:
    """Return the command line; `-P` keeps modules of the current folder from hiding installed ones."""
    return [sys.executable, "-P", "-m", __name__, str(os.getpid()), str(config), str(folder), str(jobs)]


def main(parent: int, config: Path, folder: Path, jobs: int) -> int:
    """Run the job and return the exit code."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # the server may have been started with SIGINT ignored
    stay_with(parent)
    os.nice(NICE)

    try:
        if config.name == TRAINING:
            _train(json.loads(read_bytes(config)), folder)
        else:
            _play(config, folder, jobs)
    except (BadInput, OSError) as problem:
        print(f"bolicho: {one_line(str(problem))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def _play(config: Path, folder: Path, jobs: int) -> None:
    from bolicho.arena.experiment import Experiment
    from bolicho.arena.run import run

    run(Experiment.read(config), folder, jobs)


def _train(asked: dict[str, Any], folder: Path) -> None:
    from bolicho.agents.training import train
    from bolicho.arena.run_lock import lock_exclusively

    is_stopped, told = False, 0.0

    def stop(*_: object) -> None:
        nonlocal is_stopped
        is_stopped = True

    def watch(learner: "Learner", point: object) -> bool:
        nonlocal told
        signal.signal(signal.SIGINT, stop)  # from now on a stop takes effect between two steps
        if is_stopped or learner.done >= learner.total or SYSTEM.monotonic() - told >= TELL_EVERY:
            facts = {"done": learner.done, "total": learner.total, "unit": learner.unit}
            write_text_atomic(folder / PROGRESS, json.dumps(facts))
            told = SYSTEM.monotonic()
        return is_stopped

    with lock_exclusively(folder):
        train(asked["training"], trained_file(folder), asked["seed"], asked["options"], show=False, watch=watch)


def trained_file(folder: Path) -> Path:
    """Return the path of the case base that is trained in a folder."""
    return folder / f"{folder.name}.parquet"


if __name__ == "__main__":
    number, file, out, processes = sys.argv[1:]
    sys.exit(main(int(number), Path(file), Path(out), int(processes)))
