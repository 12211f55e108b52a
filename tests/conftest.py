"""Settings shared by all tests."""

import ctypes
import functools
import gc
import os
import resource
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import settings

from bolicho.bench import postgres
from bolicho.games import jit

# No deadline, because a first example compiles the game; fixed examples, so that failures reproduce.
settings.register_profile("bolicho", deadline=None, derandomize=True)
settings.load_profile("bolicho")

os.environ["LC_ALL"] = "C.UTF-8"  # tests expect tables in English, on any machine


TIDY, MOST = 1 << 30, 2 << 30
"""Bytes of a test process when a file of tests is done: above the first caches are dropped, above the second the run
fails.  `make test` has two such processes, and servers and PostgreSQL beside them: a machine with 8 GB runs it."""


@pytest.fixture(autouse=True, scope="module")
def _bounded_memory(request):
    """Fail the run when a test process grows beyond what `make test` may take."""
    yield
    if resident() > TIDY:
        drop_caches()
    assert resident() <= MOST, f"the process holds {resident() >> 20} MB after {request.node.nodeid}; see MOST"


def pytest_sessionfinish(session):
    """Tell the controller the peak memory of this worker."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def pytest_testnodedown(node, error):
    """Collect the peak memory of a worker that is done."""
    PEAKS[node.gateway.id] = getattr(node, "workeroutput", {}).get("peak", 0)


def pytest_terminal_summary(terminalreporter):
    """Print the peak memory of every worker."""
    for worker, peak in sorted(PEAKS.items()):
        terminalreporter.write_line(f"peak memory of {worker}: {peak >> 10} MB")


PEAKS: dict[str, int] = {}
"""Kilobytes of each worker at its peak."""


def resident():
    """Return the resident memory of this process in bytes; 0 where it is unknown."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
    except OSError:
        return 0


def drop_caches():
    """Drop the caches of agents, and give freed memory back to the system."""
    for name, module in list(sys.modules.items()):
        if name.startswith("bolicho.agents."):
            for value in vars(module).values():
                if isinstance(value, functools._lru_cache_wrapper):
                    value.cache_clear()
    if (cases := sys.modules.get("bolicho.agents.cbr.agent")) is not None:
        cases._loaded.clear()
    gc.collect()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)


def compile_in_child(load_overload):
    """Return a `load_overload` that compiles missing functions in a forked process, and then reads them from the disk.

    LLVM keeps almost 1 MB for every function it compiles, as long as the process lives: with an empty cache a worker
    of `make test` held 3.4 GB.
    """

    def load(self, signature, target):
        found = load_overload(self, signature, target)
        if found is not None or self.compiler is None:
            return found
        if (child := os.fork()) == 0:
            with suppress(BaseException):  # errors are reported when the parent compiles
                self.save_overload(signature, self.compiler.compile(signature, None))
            os._exit(0)  # without the clean-up of the parent's fixtures
        os.waitpid(child, 0)
        return load_overload(self, signature, target)

    return load


if hasattr(os, "fork"):
    jit._DiskCache.load_overload = compile_in_child(jit._DiskCache.load_overload)


@pytest.fixture(autouse=True)
def _restored_process_state():
    """Restore environment variables, `sys.path` and the output of the command line after each test."""
    environment, path = dict(os.environ), list(sys.path)
    yield
    if (cli := sys.modules.get("bolicho.cli")) is not None:
        cli.out.file = None  # the stdout of the next test
    if os.environ != environment:
        os.environ.clear()
        os.environ.update(environment)
    sys.path[:] = path


@pytest.fixture(scope="session")
def postgresql():
    """Return the address of a PostgreSQL cluster for the tests."""
    if not postgres.is_installed():
        pytest.skip("PostgreSQL is not installed; on Debian and Ubuntu: apt-get install postgresql")
    with postgres.cluster() as address:
        yield address
