"""Sphinx extension: reads the pages of `docs/` as they stand on a forge, and fills in what the program knows.

Nothing is written below `docs/`: every change is made to the text of a page while Sphinx reads it.

- The index: each section with a list of pages becomes a group of the navigation.
- A `README.md` of a folder: the other pages of the folder follow it in the navigation.
- `<!-- generated: NAME ARGUMENT -->`: replaced by what the function NAME of `reference` returns.
- Examples that begin with `>>>` outside a code block: shown as code.
- Links to files outside `docs/`: lead to a page with the text of the file.
"""

import os
import re
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import reference
from sphinx.application import Sphinx
from sphinx.highlighting import PygmentsBridge

DOCS = Path(__file__).parents[1]
ROOT = DOCS.parent
COPIES = {"speed": "benchmarks/README.md"}
"""Pages whose text is a file outside `docs/`."""

LANGUAGES = {".py": "python", ".mjs": "javascript", ".json": "json", ".ipynb": "json", ".toml": "toml"}
shown: set[str] = set()
"""Files outside `docs/` that pages link to; each becomes a page of the site."""


def read(app: Sphinx, page: str, source: list[str]) -> None:
    """Change the text of a page before Sphinx parses it."""
    file, text = DOCS / f"{page}.md", source[0]
    if page in COPIES:
        file = ROOT / COPIES[page]
        text = file.read_text()
        app.env.note_dependency(str(file))
    if page == "index":
        text = with_navigation(text)
    elif file.name == "README.md" and page not in COPIES:
        text += toctree(":glob:", ["*"])
    text = re.sub(r"<!-- generated: (\w+) ?(.*?) -->", lambda call: generated(*call.groups()), text)
    source[0] = outside_code(text, lambda part: with_links(fenced_examples(part), page, file.parent))


def with_navigation(text: str) -> str:
    """Return the index with a group of the navigation for each section that lists pages."""
    parts = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    for number, part in enumerate(parts):
        pages = re.findall(r"^- \[(.+?)\]\((.+?)\.md\)", part, re.MULTILINE)
        if pages:
            parts[number] += toctree(
                f":caption: {part.splitlines()[0][3:]}", [f"{title} <{page}>" for title, page in pages]
            )
    return "".join(parts)


def toctree(option: str, entries: list[str]) -> str:
    """Return a group of the navigation that the page itself does not show."""
    return "\n".join(["", "```{toctree}", ":hidden:", option, "", *entries, "```", "", ""])


def generated(name: str, argument: str) -> str:
    """Return the Markdown of a part of the reference."""
    made: str = reference.PARTS[name](*argument.split())
    return made


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """Change a text outside its code blocks."""
    parts = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if number % 2 else change(part) for number, part in enumerate(parts))


def fenced_examples(text: str) -> str:
    """Put examples that begin with `>>>` into code blocks."""
    return re.sub(r"^>>> (?:.+\n?)+", lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", text, flags=re.MULTILINE)


def with_links(text: str, page: str, folder: Path) -> str:
    """Lead links to files outside `docs/` to their pages."""
    here = (DOCS / page).parent

    def link(found: re.Match[str]) -> str:
        words, target, anchor = found.groups(default="")
        path = (folder / target).resolve()
        if "://" in target or not path.exists():
            return found[0]
        if path.is_relative_to(DOCS) and path.is_file():
            return f"[{words}]({os.path.relpath(path, here)}{anchor})"
        name = path.relative_to(ROOT).as_posix()
        for copy, original in COPIES.items():
            if name == original:
                return f"[{words}]({os.path.relpath(DOCS / copy, here)}.md{anchor})"
        shown.add(name)
        address = quote(os.path.relpath(DOCS / "source" / f"{name}.html", here))
        return f'<a class="reference internal" href="{address}">{words}</a>'

    return re.sub(r"(?<!!)\[([^\[\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)", link, text)


def source_pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield a page for every file, or every file of a folder, that pages link to."""
    bridge = PygmentsBridge("html", app.config.pygments_style)
    for name in sorted(shown):
        path = ROOT / name
        body = f"<h1><code>{escape(name)}</code></h1>"
        for file in sorted(path.iterdir()) if path.is_dir() else [path]:
            heading = f"<h2>{escape(file.name)}</h2>" if path.is_dir() else ""
            code = bridge.highlight_block(file.read_text(), LANGUAGES.get(file.suffix, "text"))
            body += heading + code
        yield f"source/{name}", {"title": escape(name), "body": body}, "page.html"


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the functions for each step of a build."""
    app.connect("source-read", read)
    app.connect("html-collect-pages", source_pages)
    return {"parallel_read_safe": False}
