"""Files of runs and reports, to view and to download.

A link in a browser carries no token header, so its address names the holder and an expiry time, signed with the
token's stored hash: revoking the token invalidates the link.
"""

import base64
import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import Response
from starlette.background import BackgroundTask
from starlette.responses import FileResponse

import bolicho.arena
from bolicho.arena.rows import EXPERIMENT, GAMES, MADE, PAGE, RESULT, TIMING, is_finished, write_csv
from bolicho.errors import BadInput
from bolicho.files import is_regular, open_regular, read_bytes
from bolicho.i18n import Message
from bolicho.web.arena.runs import changed, folder_of, folders
from bolicho.web.refusal import Refusal

LINK_SECONDS = 3600  # seconds that a link is valid
CSV = "games.csv"  # generated from the Parquet file on request
FINDINGS = "findings.json"
OF_A_RUN = (PAGE, GAMES, CSV, TIMING, RESULT, MADE, EXPERIMENT)
OF_A_REPORT = re.compile(r"[\w-][\w.-]{0,99}\.(?:csv|json|png|svg)")
TYPES = {".html": "text/html; charset=utf-8", ".csv": "text/csv; charset=utf-8", ".json": "application/json"}

# The only script of our reports, which sorts tables; nothing else in them may run, and the sandbox keeps it from the
# site's browser storage.
_SCRIPT = (Path(bolicho.arena.__file__).parent / "page.js").read_bytes()
_HASH = base64.b64encode(hashlib.sha256(_SCRIPT).digest()).decode()
POLICY = (
    f"sandbox allow-scripts; default-src 'none'; script-src 'sha256-{_HASH}'; style-src 'unsafe-inline'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)


def address(kind: str, name: str, file: str) -> str:
    """Return the address of a file of a run or report."""
    return f"/arena/files/{kind}/{quote(name)}/{quote(file)}"


def sealed(path: str, who: str, seal: Any, now: float) -> str:
    """Return a signed address, which needs no token; `seal` computes the signature of a text."""
    until = int(now + LINK_SECONDS)
    return f"{path}?{urlencode({'who': who, 'until': until, 'seal': seal(f'{path} {until}')})}"


def files_of_run(folder: Path) -> list[str]:
    """Return the files of a run, once it is finished."""
    made_of = {CSV: GAMES}
    return [file for file in OF_A_RUN if is_finished(folder) and is_regular(folder / made_of.get(file, file))]


def files_of_report(folder: Path) -> list[str]:
    """Return the files of a report."""
    found = sorted(path.name for path in folder.iterdir() if OF_A_REPORT.fullmatch(path.name) and is_regular(path))
    return [PAGE, *found]


def is_report(folder: Path) -> bool:
    """Return whether a folder is a report of the lab."""
    return all(is_regular(folder / file) for file in (PAGE, FINDINGS))


def reports(root: Path) -> list[dict[str, Any]]:
    """Return the reports of the lab, the newest first."""
    found = []
    for name, folder in sorted(folders(root, is_report), key=lambda report: -changed(report[1])):
        try:
            facts = json.loads(read_bytes(folder / FINDINGS))
            row = {key: str(facts[key]) for key in ("study", "command", "version")}
        except (OSError, BadInput, ValueError, KeyError, TypeError):
            continue
        found.append({"report": name, "changed": changed(folder), **row})
    return found


def send(root: Path, kind: str, name: str, file: str) -> Response:
    """Send a file: a page for viewing, others for download.

    Every failure has the same refusal, so that it does not tell what exists outside.
    """
    try:
        folder = folder_of(root, name)
        known: Sequence[str] = ()
        if kind == "run":
            known = files_of_run(folder)
        elif is_report(folder):
            known = files_of_report(folder)
        if file not in known:
            raise FileNotFoundError
        with open_regular(folder / (GAMES if file == CSV else file)):
            pass  # checks that the server may read it
    except (OSError, BadInput, Refusal):
        raise Refusal(404, Message("server.no-page")) from None
    headers = {"cache-control": "no-store", "content-security-policy": POLICY}
    if file == PAGE:
        return FileResponse(folder / file, headers=headers, media_type=TYPES[".html"])
    path, done = folder / file, None
    if file == CSV:
        place = Path(tempfile.mkdtemp())
        path, done = place / CSV, BackgroundTask(shutil.rmtree, place, ignore_errors=True)
        try:
            write_csv(folder, path)
        except BaseException:
            shutil.rmtree(place, ignore_errors=True)
            raise
    kept_as = f"{name}-{file}" if kind == "run" else file
    media = TYPES.get(path.suffix, "application/octet-stream")
    return FileResponse(path, headers=headers, media_type=media, filename=kept_as, background=done)
