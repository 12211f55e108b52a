"""A tournament or a training that the page has asked for, in a process of its own, only while the server is there.

It is `bolicho tournament --config FILE --out FOLDER --jobs N`, or `bolicho train`, and nothing else; Ctrl-C stops it in
the same way.  A training finishes its step first, and keeps what it has learned so far.
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
from bolicho.web.thinking import stay_with

if TYPE_CHECKING:
    from bolicho.agents.training import Learner

NICE = 10  # people at the tables come first
TRAINING, PROGRESS = "training.json", "progress.json"  # what is to be trained, and how far it is
TELL_EVERY = 0.5  # seconds


def command(config: Path, folder: Path, jobs: int) -> list[str]:
    """What starts it; no module of the current folder is found before those that are installed."""
    return [sys.executable, "-P", "-m", __name__, str(os.getpid()), str(config), str(folder), str(jobs)]


def main(parent: int, config: Path, folder: Path, jobs: int) -> int:
    """Play; the exit code of the command line."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # however the server was started
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
    from bolicho.arena.session import alone

    is_stopped, told = False, 0.0

    def stop(*_: object) -> None:
        nonlocal is_stopped
        is_stopped = True

    def watch(learner: "Learner", point: object) -> bool:
        nonlocal told
        signal.signal(signal.SIGINT, stop)  # from now on, between two steps
        if is_stopped or learner.done >= learner.total or SYSTEM.monotonic() - told >= TELL_EVERY:
            facts = {"done": learner.done, "total": learner.total, "unit": learner.unit}
            write_text_atomic(folder / PROGRESS, json.dumps(facts))
            told = SYSTEM.monotonic()
        return is_stopped

    with alone(folder):
        train(asked["training"], trained_file(folder), asked["seed"], asked["options"], show=False, watch=watch)


def trained_file(folder: Path) -> Path:
    """The case base that is trained in a folder."""
    return folder / f"{folder.name}.parquet"


if __name__ == "__main__":
    number, file, out, processes = sys.argv[1:]
    sys.exit(main(int(number), Path(file), Path(out), int(processes)))
