"""Files of runs and reports, to show and to keep.

A link that a browser follows carries no token in a header, so the address itself says who was allowed and until
when, sealed with what is kept of that person's token: whoever revokes the token breaks the seal.
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
from bolicho.web.arena.runs import changed, folder_of, folders
from bolicho.web.refusal import Refusal
from bolicho.words import Said

LASTS = 3600  # seconds that a link may be followed
CSV = "games.csv"  # made of the Parquet file when it is asked for
FINDINGS = "findings.json"
OF_A_RUN = (PAGE, GAMES, CSV, TIMING, RESULT, MADE, EXPERIMENT)
OF_A_REPORT = re.compile(r"[\w-][\w.-]{0,99}\.(?:csv|json|png|svg)")
TYPES = {".html": "text/html; charset=utf-8", ".csv": "text/csv; charset=utf-8", ".json": "application/json"}

# The one script that the house's reports have, which sorts their tables; nothing else in them runs, and none of it
# is in reach of what the site keeps in a browser.
_SCRIPT = (Path(bolicho.arena.__file__).parent / "page.js").read_bytes()
_HASH = base64.b64encode(hashlib.sha256(_SCRIPT).digest()).decode()
POLICY = (
    f"sandbox allow-scripts; default-src 'none'; script-src 'sha256-{_HASH}'; style-src 'unsafe-inline'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)


def address(kind: str, name: str, file: str) -> str:
    """Where a file of a run or of a report is."""
    return f"/arena/files/{kind}/{quote(name)}/{quote(file)}"


def sealed(path: str, who: str, seal: Any, now: float) -> str:
    """The same address for who has no token to show; `seal` makes a text of a text."""
    until = int(now + LASTS)
    return f"{path}?{urlencode({'who': who, 'until': until, 'seal': seal(f'{path} {until}')})}"


def files_of_run(folder: Path) -> list[str]:
    """What a run has to give: everything once it is finished."""
    made_of = {CSV: GAMES}
    return [file for file in OF_A_RUN if is_finished(folder) and is_regular(folder / made_of.get(file, file))]


def files_of_report(folder: Path) -> list[str]:
    """What a report has to give."""
    found = sorted(path.name for path in folder.iterdir() if OF_A_REPORT.fullmatch(path.name) and is_regular(path))
    return [PAGE, *found]


def is_report(folder: Path) -> bool:
    """Whether a folder is a report of the lab."""
    return all(is_regular(folder / file) for file in (PAGE, FINDINGS))


def reports(root: Path) -> list[dict[str, Any]]:
    """The reports of the lab, the newest first."""
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
    """A file: a page to look at, all else to keep.

    Whatever keeps it from being sent, the answer is the same: nothing is told of what stands outside.
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
            pass  # the server may read it
    except (OSError, BadInput, Refusal):
        raise Refusal(404, Said("server.no-page")) from None
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
