"""Work on other machines: the same tasks, played by the workers of a Dask cluster.

Nothing changes but who plays: what comes back is replayed and written here, as what processes of this machine bring.
The modules of the agents' authors are sent to the workers.  A worker plays only if its code is the one of the run
(see `identity`).
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

PATIENCE = 10  # seconds to find the cluster
LOOK_EVERY = 1.0  # seconds between two counts of the workers
NO_WORKERS_AFTER = 5.0  # seconds without a worker after which that is said


@dataclass(frozen=True)
class Cluster:
    """A Dask scheduler, the identity of the run that its workers shall play, and the modules of the agents' authors."""

    address: str
    code: str
    modules: Mapping[str, Path]


def work_there(
    cluster: Cluster, experiment: Experiment, missing: Sequence[Task], found: Sequence[Traits]
) -> Iterator[tuple[Task, list[Row]]]:
    """What the tasks bring, in the order they are finished; those whose workers died again and again bring nothing."""
    dask = _dask()
    try:
        client = dask.Client(cluster.address, timeout=PATIENCE, set_as_default=False)
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
                raise BadInput(f"the Dask scheduler at {cluster.address} has gone; what was finished is kept") from None
            future.release()


def _dask() -> Any:
    """What speaks to clusters, if it is installed."""
    try:
        import distributed
    except ImportError as problem:
        raise BadInput(f"a cluster needs more: pip install 'bolicho[cluster]' ({problem})") from None
    return distributed


@contextmanager
def _watched(client: Any, address: str) -> Iterator[None]:
    """Say on stderr when the scheduler has had no worker for some seconds; the run waits for one."""
    done = threading.Event()

    def watch() -> None:
        empty = 0.0
        while not done.wait(LOOK_EVERY):
            with suppress(Exception):  # a scheduler that has gone is reported by the tasks
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
        watcher.join(LOOK_EVERY)  # not for ever: a scheduler that has gone may not answer


# --- Modules of authors -------------------------------------------------------------------------


@contextmanager
def _sent(client: Any, cluster: Cluster) -> Iterator[None]:
    """Have the authors' modules on all workers, also those that come later."""
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
        with suppress(Exception):  # the scheduler may be gone, and its workers with it
            client.unregister_worker_plugin(name)


def _with_packages(modules: Mapping[str, Path]) -> dict[str, Path]:
    """Return modules and the packages they stand in, without which Python would not find them."""
    found = dict(modules)
    for name, path in modules.items():
        folder = path.parent.parent if path.stem == "__init__" else path.parent
        while name := name.rpartition(".")[0]:
            if (package := folder / "__init__.py").is_file():
                found.setdefault(name, package)
            folder = folder.parent
    return found


def _place(module: str, path: Path) -> str:
    """Return where a module's file stands, relative to a folder of the import path."""
    place = PurePosixPath(*module.split("."))
    return str(place / path.name if path.stem == "__init__" else place.with_name(place.name + "".join(path.suffixes)))


# --- In a worker --------------------------------------------------------------------------------


def _play_there(task: Task, experiment: Experiment, found: Sequence[Traits], code: str) -> tuple[Task, list[Row]]:
    """Play a task, in a worker; nobody's process stays behind."""
    from bolicho.arena.run import play_task

    _check_code(experiment, code)
    try:
        return play_task(experiment, task, found)
    finally:
        subprocess_agent.end_all()


_checked: set[tuple[str, str]] = set()
"""Experiments, as text, and the code that this worker has for them."""


def _check_code(experiment: Experiment, code: str) -> None:
    """Refuse to play with other code than the run's; looked at until it is right, and then no more."""
    from bolicho.arena.run import look_at

    if (experiment.to_toml(), code) in _checked:
        return
    met = [look_at(experiment, spec) for spec in experiment.agents]
    here, _ = identities.sums(experiment, [(each.modules, each.files) for each in met])
    if identities.digest(here) != code:
        raise BadInput("a worker of the cluster has other code or files than this machine; install the same there")
    _checked.add((experiment.to_toml(), code))
