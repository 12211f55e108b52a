"""Server under measurement, in child processes on the loopback interface."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from bolicho.errors import BadInput

READY = "open at "
START_TIMEOUT = 300.0  # seconds, for a first start that compiles
TABLE = ("-c", "from bolicho.cli import main; main()", "serve", "--port", "0")
ECHO = ("-m", "bolicho.bench.web.echo")


class Server:
    """`bolicho serve` (or another program) with some options; `with Server(...) as server: server.base`."""

    def __init__(self, folder: Path, *options: str, program: tuple[str, ...] = TABLE) -> None:
        self._log = folder / f"server-{len(list(folder.glob('server-*.log')))}.log"  # one per server
        command = [sys.executable, *program, *options]
        with self._log.open("w") as log:
            self._process = subprocess.Popen(
                command,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, "COLUMNS": "200"},
                start_new_session=True,
            )
        self.base = self._wait()

    def _wait(self) -> str:
        end = time.monotonic() + START_TIMEOUT
        while time.monotonic() < end:
            said = self._log.read_text()
            if READY in said:
                return said.rpartition(READY)[2].split()[0].rstrip("/")
            if self._process.poll() is not None:
                break
            time.sleep(0.1)
        self.end()
        raise BadInput(f"the server did not start: {self._log.read_text().strip()[-300:]}")

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *problem: object) -> None:
        self.end()

    def end(self) -> None:
        """End the server and all its processes."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGTERM)
            try:
                self._process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait()

    @property
    def processes(self) -> list[int]:
        """Ids of the process and of all its descendants."""
        found, looked = [self._process.pid], 0
        while looked < len(found):
            children = Path(f"/proc/{found[looked]}/task/{found[looked]}/children")
            found += [int(child) for child in children.read_text().split()] if children.exists() else []
            looked += 1
        return found

    def memory(self) -> int:
        """Return the anonymous resident memory of all processes, in bytes."""
        sizes = []
        for process in self.processes:
            status = Path(f"/proc/{process}/status")
            if status.exists():
                sizes += [int(line.split()[1]) * 1024 for line in status.read_text().splitlines() if "RssAnon" in line]
        return sum(sizes)

    def worked(self) -> float:
        """Return the processor time of all processes, in seconds."""
        ticks = 0
        for process in self.processes:
            stat = Path(f"/proc/{process}/stat")
            if stat.exists():
                fields = stat.read_text().rpartition(")")[2].split()
                ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")
