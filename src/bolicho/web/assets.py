"""Static files of the pages, read once and sent compressed."""

import gzip
import json
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from bolicho.i18n import LANGUAGES, catalogue

PAGES = Path(__file__).parent / "pages"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".png": "image/png",
}


@dataclass(frozen=True)
class Asset:
    """File as it is sent."""

    body: bytes
    zipped: bytes
    type: str
    tag: str


def _asset(body: bytes, kind: str) -> Asset:
    return Asset(body, gzip.compress(body, mtime=0), kind, f'"{sha256(body).hexdigest()[:20]}"')


@cache
def pages() -> dict[str, Asset]:
    """Return all files, by name."""
    files = [path for path in sorted(PAGES.rglob("*")) if path.suffix in TYPES]
    return {path.relative_to(PAGES).as_posix(): _asset(path.read_bytes(), TYPES[path.suffix]) for path in files}


@cache
def catalogues() -> dict[str, Asset]:
    """Return the catalogue of each language."""
    templates = {language: catalogue(language).templates for language in LANGUAGES}
    return {
        language: _asset(json.dumps(all, ensure_ascii=False).encode(), TYPES[".json"])
        for language, all in templates.items()
    }
