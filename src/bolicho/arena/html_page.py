"""Self-contained HTML pages, with light and dark colours.

>>> page = Page("A study", "What it is about")
>>> page.text("A paragraph with `code` in it.")
>>> page.table([{"agent": "random", "rate": Cell("50.0%", detail="45.1 to 54.9")}])
>>> "<table" in page.html()
True

Figures are drawn with the colours below and become inline SVG that follows the page's colours:

>>> from matplotlib.figure import Figure
>>> with plot_style():
...     figure = Figure(figsize=(5, 2))
...     line = figure.add_subplot().plot([0, 1], [0, 1], color=ACCENT)
>>> page.figure(figure, "A line.")
"""

import base64
import html
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
from cycler import cycler
from matplotlib.figure import Figure

from bolicho.files import write_text_atomic

# Colours of figures: the light colours of page.css.  `Page.figure` replaces them by the page's variables, so that
# the same figure works in dark mode and as a separate file.
INK, SOFT, LINE, PAPER, ACCENT, WIN, LOSE = "#1f2421", "#66706a", "#e2e0d8", "#fbfaf7", "#1d6b52", "#2a7f9e", "#c8682b"
SERIES = (ACCENT, LOSE, WIN, "#8a5a9e", "#b08a1e", "#b0415a", "#4f7a2a", "#6b7280")
_NAMES = {colour: f"c{number}" for number, colour in enumerate(SERIES)}
_NAMES |= {INK: "ink", SOFT: "soft", LINE: "line", PAPER: "paper"}

_PLOT_STYLE: dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": LINE,
    "axes.facecolor": "none",
    "axes.grid": True,
    "axes.labelcolor": SOFT,
    "axes.prop_cycle": cycler(color=SERIES),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "figure.constrained_layout.use": True,
    "figure.facecolor": "none",
    "font.size": 10,
    "grid.color": LINE,
    "grid.linewidth": 0.8,
    "legend.frameon": False,
    "legend.labelcolor": INK,
    "lines.linewidth": 1.8,
    "lines.solid_capstyle": "round",
    "savefig.facecolor": "none",
    "svg.fonttype": "none",
    "svg.hashsalt": "bolicho",
    "text.color": INK,
    "text.parse_math": False,  # a name of an agent may hold dollar signs
    "xtick.color": LINE,
    "xtick.labelcolor": SOFT,
    "ytick.color": LINE,
    "ytick.labelcolor": INK,
}


@contextmanager
def plot_style() -> Iterator[None]:
    """Apply the style of the pages to figures made inside."""
    with matplotlib.rc_context(_PLOT_STYLE):
        yield


@dataclass(frozen=True)
class TableCell:
    """Cell of a table."""

    text: str
    detail: str = ""  # small, after the text: an interval
    heat: float | None = None  # -1 to 1: strength of the background colour of losses or wins
    title: str = ""  # tooltip
    order: float | None = None  # sort key, if the text does not sort well


Value = str | int | float | TableCell | None
_LONG = 60  # characters: a longer text may wrap


class Page:
    """Builder of a page, from top to bottom."""

    def __init__(self, title: str, subtitle: str = "", language: str = "en") -> None:
        self.title = title
        self.language = language
        self.subtitle = subtitle
        self._parts: list[str] = []
        self._figures = 0

    def heading(self, text: str) -> None:
        """Begin a section."""
        anchor = re.sub(r"\W+", "-", text.lower()).strip("-")
        self._parts.append(f'<h2 id="{html.escape(anchor)}">{_inline(text)}</h2>')

    def text(self, text: str) -> None:
        """Add a paragraph; of Markdown only `code` and **bold**."""
        self._parts.append(f"<p>{_inline(text)}</p>")

    def code(self, text: str) -> None:
        """Add preformatted lines of code."""
        self._parts.append(f"<pre><code>{html.escape(text)}</code></pre>")

    def facts(self, facts: Mapping[str, Value]) -> None:
        """Add names with their values, side by side."""
        items = "".join(f"<div><dt>{_inline(name)}</dt><dd>{_show(value)}</dd></div>" for name, value in facts.items())
        self._parts.append(f'<dl class="facts">{items}</dl>')

    def table(self, rows: Sequence[Mapping[str, Value]], caption: str = "", *, dense: bool = False) -> None:
        """Add a table: the keys of the first row are the headings.  A click on a heading sorts.

        Columns of numbers are aligned to the right; `dense` is for matrices.
        """
        if not rows:
            return
        names = list(rows[0])
        numeric = {name for name in names if all(_is_number(row.get(name)) for row in rows)}
        head = "".join(f"<th{_side(name in numeric)}>{_inline(name)}</th>" for name in names)
        body = "".join(
            "<tr>" + "".join(_cell(row.get(name), name in numeric) for name in names) + "</tr>" for row in rows
        )
        caption = f"<caption>{_inline(caption)}</caption>" if caption else ""
        kind = ' class="dense"' if dense else ""
        self._parts.append(
            f'<div class="wide"><table{kind}>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
        )

    def figure(self, figure: Figure, caption: str = "") -> None:
        """Add a matplotlib figure as inline SVG."""
        self._figures += 1
        svg = _inline_svg(figure, f"f{self._figures}", caption)
        caption = f"<figcaption>{_inline(caption)}</figcaption>" if caption else ""
        self._parts.append(f"<figure>{svg}{caption}</figure>")

    def svg(self, svg: str, caption: str = "") -> None:
        """Add an SVG drawing as an `img`, so that its ids and styles cannot collide with the page's."""
        data = base64.b64encode(svg.encode()).decode()
        words = f"<figcaption>{_inline(caption)}</figcaption>" if caption else ""
        image = f'<img alt="{html.escape(caption)}" src="data:image/svg+xml;base64,{data}">'
        self._parts.append(f"<figure>{image}{words}</figure>")

    def link(self, address: str, text: str) -> None:
        """Add a paragraph with a link to another page."""
        self._parts.append(f'<p><a href="{html.escape(address)}">{_inline(text)}</a></p>')

    def body(self) -> str:
        """Return the content so far, without head and scripts."""
        return "\n".join(self._parts)

    def html(self) -> str:
        """Return the whole page."""
        title = html.escape(self.title)
        subtitle = f"<p>{_inline(self.subtitle)}</p>" if self.subtitle else ""
        return (
            f'<!doctype html>\n<html lang="{self.language}">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<meta name="color-scheme" content="light dark">\n'
            f"<style>{_beside('page.css')}</style>\n</head>\n<body>\n<header><h1>{_inline(self.title)}</h1>{subtitle}</header>\n<main>\n"
            + self.body()
            + f"\n</main>\n<script>{_beside('page.js')}</script>\n</body>\n</html>\n"
        )

    def write(self, path: Path | str) -> None:
        """Write the page atomically."""
        write_text_atomic(path, self.html())


def _beside(name: str) -> str:
    """Return the text of a file of this package."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def _inline(text: str) -> str:
    """Return text as HTML, with `code` and **bold**."""
    text = html.escape(text, quote=False)
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    return re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", text)


def _is_number(value: Value) -> bool:
    if isinstance(value, TableCell):
        return value.order is not None or value.text[:1].lstrip("+-−") == "" or value.text.lstrip("+-−")[:1].isdigit()
    return not isinstance(value, str)


def _side(numeric: bool) -> str:
    return ' class="n"' if numeric else ""


def _show(value: Value) -> str:
    if value is None:
        return '<span class="soft">–</span>'
    if isinstance(value, TableCell):
        detail = f' <span class="soft">{_inline(value.detail)}</span>' if value.detail else ""
        return _inline(value.text) + detail
    if isinstance(value, float):
        return f"{value:,.4g}"
    if isinstance(value, int):
        return f"{value:,}"
    return _inline(value)


def _cell(value: Value, numeric: bool) -> str:
    kinds = ["n"] if numeric else ["long"] if isinstance(value, str) and len(value) > _LONG else []
    extra = ""
    if isinstance(value, TableCell):
        if value.heat is not None:
            kinds.append("won" if value.heat >= 0 else "lost")
            extra += f' style="--heat:{100 * min(1.0, abs(value.heat)):.0f}%"'
        if value.title:
            extra += f' title="{html.escape(value.title)}"'
        if value.order is not None:
            extra += f' data-order="{value.order:g}"'
    elif isinstance(value, int | float):
        extra += f' data-order="{value:g}"'
    kind = f' class="{" ".join(kinds)}"' if kinds else ""
    return f"<td{kind}{extra}>{_show(value)}</td>"


def _inline_svg(figure: Figure, prefix: str, label: str) -> str:
    """Return a figure as SVG with the page's font and colours, and ids that are unique in the page."""
    file = io.StringIO()
    with matplotlib.rc_context(_PLOT_STYLE):
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    svg = file.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}-\1"', svg)
    svg = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}-\1)", svg)
    svg = re.sub(r'href="#([^"]+)"', rf'href="#{prefix}-\1"', svg)
    svg = re.sub(r"font: (?:([\w ]+) )?([\d.]+px) [^;\"]+", r"font: \1 \2 var(--font)", svg)
    svg = re.sub(r"#[0-9a-f]{6}\b", lambda match: f"var(--{_NAMES[match[0]]})" if match[0] in _NAMES else match[0], svg)
    width, height = (f"{72 * inches:g}" for inches in figure.get_size_inches())
    svg = re.sub(r' (?:width|height)="[\d.]+pt"', "", svg, count=2)
    named = f'role="img" aria-label="{html.escape(label)}" style="max-width:{width}pt;max-height:{height}pt"'
    return svg.replace("<svg", f"<svg {named}", 1)
