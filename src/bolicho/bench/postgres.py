"""Temporary PostgreSQL servers, reachable only through a Unix socket in their own folder."""

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
    """Return the folder of `initdb` and `pg_ctl`: on the PATH, or the newest installed version."""
    found = shutil.which("initdb")
    folders = [Path(found).parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), reverse=True)
    for folder in folders:
        if (folder / "pg_ctl").exists():
            return folder
    raise BadInput("PostgreSQL is not installed; on Debian and Ubuntu: apt-get install postgresql")


def is_installed() -> bool:
    """Return whether PostgreSQL is installed."""
    try:
        programs()
    except BadInput:
        return False
    return True


@contextmanager
def cluster(settings: Sequence[str] = ()) -> Iterator[str]:
    """Start a server, yield the address of its database, and remove it at the end of the context.

    It listens only on a Unix socket in its own folder, and has PostgreSQL's default durability;
    `settings` are those of `postgresql.conf`, such as "shared_buffers=1GB".
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
    """Run a program of PostgreSQL, as the user `postgres` if this process is root."""
    as_user = ["runuser", "-u", USER, "--"] if os.geteuid() == 0 else []
    words = [*as_user, *map(str, command)]
    with Path(folder, "told").open("w+") as told:
        if subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=told, stderr=told).returncode != 0:
            told.seek(0)
            raise BadInput(f"PostgreSQL does not start: {' '.join(words)} says {told.read().strip()[-500:]!r}")
