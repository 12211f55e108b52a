"""A PostgreSQL of one's own: made in a temporary folder, heard by nobody else, gone in the end."""

import getpass
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from bolicho.errors import BadInput

USER = "postgres"  # the server refuses to run as root


def programs() -> Path:
    """The folder of `initdb` and `pg_ctl`, the newest there is."""
    found = shutil.which("initdb")
    folders = [Path(found).parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), reverse=True)
    for folder in folders:
        if (folder / "pg_ctl").exists():
            return folder
    raise BadInput("PostgreSQL is not installed; on Debian and Ubuntu: apt-get install postgresql")


def is_installed() -> bool:
    """Whether there is one."""
    try:
        programs()
    except BadInput:
        return False
    return True


@contextmanager
def cluster(settings: Sequence[str] = ()) -> Iterator[str]:
    """The address of a database that lives as long as the context.

    It listens on a Unix socket in its own folder alone, and writes to the disk as PostgreSQL does by default;
    `settings` are for `postgresql.conf`, as in "shared_buffers=1GB".
    """
    bin = programs()
    is_root = os.geteuid() == 0
    user = USER if is_root else getpass.getuser()
    with tempfile.TemporaryDirectory(prefix="bolicho-postgres-") as folder:
        if is_root:
            shutil.chown(folder, USER)
        data = f"{folder}/data"
        asked = ("listen_addresses=", f"unix_socket_directories={folder}", *settings)
        options = " ".join(f"-c {setting}" for setting in asked)
        _run([bin / "initdb", "--pgdata", data, "--username", user, "--auth", "trust", "--encoding", "UTF8"], folder)
        control: list[str | Path] = [bin / "pg_ctl", "--pgdata", data, "--wait", "--silent"]
        _run([*control, "--log", f"{folder}/log", "--options", options, "start"], folder)
        try:
            yield f"postgresql://{user}@/postgres?host={quote(folder, safe='')}"
        finally:
            _run([*control, "--mode", "immediate", "stop"], folder)


def _run(command: Sequence[str | Path], folder: str) -> None:
    """Run a program of PostgreSQL, as somebody who is not root."""
    somebody = ["runuser", "-u", USER, "--"] if os.geteuid() == 0 else []
    words = [*somebody, *map(str, command)]
    with Path(folder, "told").open("w+") as told:
        if subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=told, stderr=told).returncode != 0:
            told.seek(0)
            raise BadInput(f"PostgreSQL does not start: {' '.join(words)} says {told.read().strip()[-500:]!r}")
