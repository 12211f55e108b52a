"""Tasks of a run on the workers of a Dask cluster.

This process replays and writes the returned games, as it does with those of local processes.  External agents'
modules are sent to the workers.  A worker plays only if its code is that of the run (see `identity`).
"""

import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from uuid import uuid4

from bolicho.agents.registry import Traits
from bolicho.arena import identity as identities
from bolicho.arena import subprocess_agent
from bolicho.arena.experiment import Experiment
from bolicho.arena.pairing import Task
from bolicho.arena.rows import Row
from bolicho.errors import BadInput

CONNECT_TIMEOUT = 10  # seconds to connect to the scheduler
LOOK_EVERY = 1.0  # seconds between two counts of the workers
NO_WORKERS_AFTER = 5.0  # seconds without a worker before a notice is printed


@dataclass(frozen=True)
class Cluster:
    """A Dask scheduler, the digest of the run's identity, and the modules of external agents."""

    address: str
    code: str
    modules: Mapping[str, Path]


def work_there(
    cluster: Cluster, experiment: Experiment, missing: Sequence[Task], found: Sequence[Traits]
) -> Iterator[tuple[Task, list[Row]]]:
    """Yield tasks and their rows, in the order of completion; skip tasks whose workers died repeatedly."""
    dask = _dask()
    try:
        client = dask.Client(cluster.address, timeout=CONNECT_TIMEOUT, set_as_default=False)
    except (OSError, ValueError) as problem:
        message = f"there is no Dask scheduler at {cluster.address}: {type(problem).__name__}: {problem}"
        raise BadInput(message) from None
    with client, _sent(client, cluster), _watched(client, cluster.address):
        futures = client.map(
            _play_there, list(missing), experiment=experiment, found=list(found), code=cluster.code, pure=False
        )
        for future in dask.as_completed(futures, loop=client.loop):
            try:
                yield future.result()
            except dask.KilledWorker:
                continue
            except dask.CancelledError:
                raise BadInput(
                    f"the Dask scheduler at {cluster.address} does not answer; finished games are kept"
                ) from None
            future.release()


def _dask() -> Any:
    """Return the module `distributed`, or raise `BadInput` if it is not installed."""
    try:
        import distributed
    except ImportError as problem:
        raise BadInput(f"a cluster needs an extra: pip install 'bolicho[cluster]' ({problem})") from None
    return distributed


@contextmanager
def _watched(client: Any, address: str) -> Iterator[None]:
    """Print a notice on stderr if the scheduler has had no worker for some seconds; the run waits for one."""
    done = threading.Event()

    def watch() -> None:
        empty = 0.0
        while not done.wait(LOOK_EVERY):
            with suppress(Exception):  # the tasks report a lost scheduler
                empty = 0.0 if client.nthreads() else empty + LOOK_EVERY
            if NO_WORKERS_AFTER <= empty < NO_WORKERS_AFTER + LOOK_EVERY:
                print(
                    f"The Dask scheduler at {address} has 0 workers; the run waits for one.  "
                    f"Start one: dask worker {address} --nthreads 1",
                    file=sys.stderr,
                )

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join(LOOK_EVERY)  # with a timeout: a lost scheduler may not answer


# --- Modules of external agents -----------------------------------------------------------------


@contextmanager
def _sent(client: Any, cluster: Cluster) -> Iterator[None]:
    """Send the external agents' modules to all workers, also to those that join later."""
    if not cluster.modules:
        yield
        return
    from bolicho.arena.upload import Sources  # needs Dask

    plugin = Sources({_place(name, path): path.read_bytes() for name, path in _with_packages(cluster.modules).items()})
    name = f"bolicho {uuid4()}"
    client.register_plugin(plugin, name=name)
    try:
        yield
    finally:
        with suppress(Exception):  # the connection to the scheduler may be lost
            client.unregister_worker_plugin(name)


def _with_packages(modules: Mapping[str, Path]) -> dict[str, Path]:
    """Return modules and their parent packages, without which Python would not find them."""
    found = dict(modules)
    for name, path in modules.items():
        folder = path.parent.parent if path.stem == "__init__" else path.parent
        while name := name.rpartition(".")[0]:
            if (package := folder / "__init__.py").is_file():
                found.setdefault(name, package)
            folder = folder.parent
    return found


def _place(module: str, path: Path) -> str:
    """Return the path of a module's file relative to a folder of the import path."""
    place = PurePosixPath(*module.split("."))
    return str(place / path.name if path.stem == "__init__" else place.with_name(place.name + "".join(path.suffixes)))


# --- In a worker --------------------------------------------------------------------------------


def _play_there(task: Task, experiment: Experiment, found: Sequence[Traits], code: str) -> tuple[Task, list[Row]]:
    """Play a task in a worker, and end all agent processes afterwards."""
    from bolicho.arena.run import play_task

    try:
        _check_code(experiment, code)
        return play_task(experiment, task, found)
    finally:
        subprocess_agent.end_all()


_checked: set[tuple[str, str]] = set()
"""Experiments, as text, and the digests that this worker has checked."""


def _check_code(experiment: Experiment, code: str) -> None:
    """Raise `BadInput` unless this worker's code is that of the run; a success is cached."""
    from bolicho.arena.run import inspect_agent

    if (experiment.to_toml(), code) in _checked:
        return
    met = [inspect_agent(experiment, spec) for spec in experiment.agents]
    here, _ = identities.sums(experiment, [(each.modules, each.files) for each in met])
    if identities.digest(here) != code:
        raise BadInput("a worker of the cluster has other code or files than this machine; install the same there")
    _checked.add((experiment.to_toml(), code))
