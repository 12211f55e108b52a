"""Plugin of Dask workers with the modules of external agents (see `cluster`).

It needs the extra `cluster`, so only `cluster` imports it, after Dask.
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
    """Source files in a temporary folder at the end of a worker's import path.

    At the end, so that a worker's own module of the same name is found first; if it differs the worker does not play.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = dict(files)
        self.folder = ""

    def setup(self, worker: Any) -> None:
        """Write the files and add their folder to the import path."""
        self.folder = tempfile.mkdtemp(prefix="bolicho-", dir=worker.local_directory)
        for name, data in self.files.items():
            path = Path(self.folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        sys.path.append(self.folder)
        importlib.invalidate_caches()

    def teardown(self, worker: Any) -> None:
        """Unload the modules, since the next run may send another version, and remove the files."""
        with suppress(ValueError):
            sys.path.remove(self.folder)
        for name, module in list(sys.modules.items()):
            if str(getattr(module, "__file__", None) or "").startswith(self.folder):
                del sys.modules[name]
        shutil.rmtree(self.folder, ignore_errors=True)
