"""Tables and code in Markdown."""

from collections.abc import Iterable


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a Markdown table; a bar inside a cell does not end it."""
    head = list(head)
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines) + "\n"


def code(value: object) -> str:
    """Return a value as code; nothing where there is no text."""
    return f"`{value}`" if str(value) else ""
