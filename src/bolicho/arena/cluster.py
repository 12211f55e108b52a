"""Work on other machines: the same tasks, played by the workers of a Dask cluster.

Nothing changes but who plays: what comes back is replayed and written here, as what processes of this machine bring.
A worker plays only if its code is the one of the run (see `identity`).
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from bolicho.agents.agent import Traits
from bolicho.arena import identity as identities
from bolicho.arena import stranger
from bolicho.arena.experiment import Experiment
from bolicho.arena.pairing import Task
from bolicho.arena.rows import Row
from bolicho.errors import BadInput

PATIENCE = 10  # seconds to find the cluster


def work_there(
    address: str, experiment: Experiment, missing: Sequence[Task], found: Sequence[Traits], code: str
) -> Iterator[tuple[Task, list[Row]]]:
    """What the tasks bring, in the order they are finished; those whose workers died again and again bring nothing."""
    dask = _dask()
    try:
        client = dask.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as problem:
        raise BadInput(f"there is no Dask scheduler at {address}: {type(problem).__name__}: {problem}") from None
    with client:
        futures = client.map(
            _play_there, list(missing), experiment=experiment, found=list(found), code=code, pure=False
        )
        for future in dask.as_completed(futures, loop=client.loop):
            try:
                yield future.result()
            except dask.KilledWorker:
                continue
            except dask.CancelledError:
                raise BadInput(f"the Dask scheduler at {address} has gone; what was finished is kept") from None
            future.release()


def _dask() -> Any:
    """What speaks to clusters, if it is installed."""
    try:
        import distributed
    except ImportError as problem:
        raise BadInput(f"a cluster needs more: pip install 'bolicho[cluster]' ({problem})") from None
    return distributed


def _play_there(task: Task, experiment: Experiment, found: Sequence[Traits], code: str) -> tuple[Task, list[Row]]:
    """Play a task, in a worker; nobody's process stays behind."""
    from bolicho.arena.run import play_task

    if _code_here(experiment.to_toml()) != code:
        raise BadInput("a worker of the cluster has other code or files than this machine; install the same there")
    try:
        return play_task(experiment, task, found)
    finally:
        stranger.end_all()


@lru_cache(maxsize=8)
def _code_here(experiment_as_text: str) -> str:
    """The identity of an experiment as this process would play it; looked at once."""
    from bolicho.arena.run import look_at

    experiment = Experiment.from_toml(experiment_as_text)
    met = [look_at(experiment, spec) for spec in experiment.agents]
    return identities.digest(identities.sums(experiment, [(each.modules, each.files) for each in met])[0])
