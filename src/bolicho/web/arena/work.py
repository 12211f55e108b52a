"""A tournament that the page has asked for, in a process of its own: politely, and only while the server is there.

It is `bolicho tournament --config FILE --out FOLDER --jobs N` and nothing else; Ctrl-C stops it in the same way.
"""

import os
import signal
import sys
from pathlib import Path

from bolicho.errors import BadInput, one_line
from bolicho.web.thinking import stay_with

NICE = 10  # people at the tables come first


def command(config: Path, folder: Path, jobs: int) -> list[str]:
    """What starts it; no module of the current folder is found before those that are installed."""
    return [sys.executable, "-P", "-m", __name__, str(os.getpid()), str(config), str(folder), str(jobs)]


def main(parent: int, config: Path, folder: Path, jobs: int) -> int:
    """Play; the exit code of the command line."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # however the server was started
    stay_with(parent)
    os.nice(NICE)
    from bolicho.arena.experiment import Experiment
    from bolicho.arena.run import run

    try:
        run(Experiment.read(config), folder, jobs)
    except (BadInput, OSError) as problem:
        print(f"bolicho: {one_line(str(problem))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    number, file, out, processes = sys.argv[1:]
    sys.exit(main(int(number), Path(file), Path(out), int(processes)))
