"""Static files of the pages, read once and sent compressed."""

import gzip
import json
import re
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

HEAD = """<!doctype html>
<html lang="pt-BR" data-theme="system">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">{robots}
<title>Bolicho</title>
<link rel="icon" href="/a/icon.svg" type="image/svg+xml">
<link rel="apple-touch-icon" href="/a/icon-192.png">
<link rel="manifest" href="/a/manifest.webmanifest">
<meta name="theme-color" content="#3d2815">
{links}
<script type="module" src="/a/{script}"></script>
</head>
"""


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
    return {path.relative_to(PAGES).as_posix(): _asset(_content(path), TYPES[path.suffix]) for path in files}


def _content(path: Path) -> bytes:
    return page(path).encode() if path.suffix == ".html" else path.read_bytes()


def page(path: Path) -> str:
    """Return a page with head and end; the first line of the file names its script, its style sheets, and `noindex`."""
    first, _, body = path.read_text(encoding="utf-8").partition("\n")
    script, *words = first.removeprefix("<!-- head: ").removesuffix(" -->").split()
    styles = ["style.css", *(word for word in words if word.endswith(".css"))]
    links = [f'<link rel="stylesheet" href="/a/{name}">' for name in styles]
    links += [f'<link rel="modulepreload" href="/a/{name}">' for name in sorted(_imported(script))]
    robots = '\n<meta name="robots" content="noindex">' if "noindex" in words else ""
    return HEAD.format(robots=robots, links="\n".join(links), script=script) + body + "</body>\n</html>\n"


@cache
def _imported(script: str) -> frozenset[str]:
    """Return the modules that a module imports, directly or not."""
    own = re.findall(r'^import\b[^;]*?"/a/([\w.]+)"', (PAGES / script).read_text(encoding="utf-8"), re.MULTILINE)
    return frozenset(own).union(*map(_imported, own))


@cache
def catalogues() -> dict[str, Asset]:
    """Return the catalogue of each language."""
    templates = {language: catalogue(language).templates for language in LANGUAGES}
    return {
        language: _asset(json.dumps(all, ensure_ascii=False).encode(), TYPES[".json"])
        for language, all in templates.items()
    }
