"""Plugin of Dask workers that brings them the modules of agents' authors (see `cluster`).

Needs the extra `cluster`, so only `cluster` imports it, when it has found Dask.
"""

import importlib
import shutil
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from distributed import WorkerPlugin


class Sources(WorkerPlugin):  # type: ignore[misc]
    """Source files in a folder of their own, at the end of a worker's import path.

    At the end: a module that the worker has under the same name is found first, and if it differs the worker does not
    play.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = dict(files)
        self.folder = ""

    def setup(self, worker: Any) -> None:
        """Write the files, and let Python find them."""
        self.folder = tempfile.mkdtemp(prefix="bolicho-", dir=worker.local_directory)
        for name, data in self.files.items():
            path = Path(self.folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        sys.path.append(self.folder)
        importlib.invalidate_caches()

    def teardown(self, worker: Any) -> None:
        """Forget the modules, since the next run may bring another version, and remove the files."""
        with suppress(ValueError):
            sys.path.remove(self.folder)
        for name, module in list(sys.modules.items()):
            if str(getattr(module, "__file__", None) or "").startswith(self.folder):
                del sys.modules[name]
        shutil.rmtree(self.folder, ignore_errors=True)
