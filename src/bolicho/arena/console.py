"""Output of standings of a run and results of a match on a terminal."""

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

from bolicho.arena.html_page import TableCell, Value
from bolicho.arena.standings import REMOTE, headline, is_by_payoff, is_remote, percent_number, run_title, standings_rows

if TYPE_CHECKING:
    from bolicho.arena.run import Run


def show(run: "Run", console: Console | None = None) -> None:
    """Print the standings of a run and the path of its report."""
    console = console or Console()
    result = run.result
    each = {row["games"] for row in result["agents"]}
    title = (
        f"{run_title(result)}, {each.pop():,} each"
        if len(result["agents"]) > 2 and len(each) == 1
        else run_title(result)
    )
    rows = standings_rows(result)
    left_out = (
        {"games"} if console.width >= _ROOMY else {"games", "wins", *(["rating"] if is_by_payoff(result) else [])}
    )
    if console.width < _NARROW:
        left_out |= {"rating", "forfeits"}
    names = [name for name in rows[0] if name not in left_out]
    table = RichTable(
        title=escape(title), title_justify="left", title_style="bold", header_style="dim", box=SIMPLE_HEAD
    )
    for name in names:
        if name == "agent":
            table.add_column(name, overflow="fold", min_width=10)
        else:
            table.add_column(name, justify="right", no_wrap=True, min_width=len(str(len(rows))))
    for row in rows:
        table.add_row(*(_rich(row[name]) for name in names))
    console.print(table)
    console.print(_without_stars(headline(result)), highlight=False, markup=False)
    if is_by_payoff(result):
        console.print("[dim]ranked by mean payoff, since some games are worth more than others[/dim]", highlight=False)
    if is_remote(row["agent"] for row in result["agents"]):
        console.print(f"[dim]{REMOTE}[/dim]", highlight=False)
    console.print(f"[dim]95% intervals; the page is[/dim] {escape(str(run.folder / 'index.html'))}", highlight=False)


def match_lines(answer: dict[str, Any]) -> list[str]:
    """Return the lines of a match's result."""
    agent, against, bounds = answer["agent"], answer["against"], answer["bounds"]
    told = {"pairs": f"{answer['pairs']:,} of {answer['most']:,} at most, {answer['games']:,} games"}
    if len(answer["counts"]) <= _COUNTS_TOLD:
        told["won of a pair"] = ", ".join(f"{share}: {count:,}" for share, count in answer["counts"].items())
    if "elo" in answer:
        told["Elo"] = _with_interval(answer["elo"], lambda x: f"{x:+.1f}")
        told["won"] = _with_interval(answer["share"], percent_number, "%")
    if "payoff" in answer:
        told["mean payoff"] = _with_interval(answer["payoff"], lambda x: f"{x:+.4f}")
    told["superiority"] = f"{100 * answer['superiority']:.1f}% likely"
    if bounds is not None:
        lower, upper = bounds["limits"]
        errors = f"alpha {bounds['alpha']:g}, beta {bounds['beta']:g}"
        told["LLR"] = f"{answer['llr']:+.2f} of {lower:+.2f} to {upper:+.2f}; {errors}"
        told["verdict"] = _verdict(answer)
    if first := answer["first_forfeit"]:
        told["forfeits"] = f"{answer['forfeits'][0]:,} of {agent}, {answer['forfeits'][1]:,} of {against}"
        place = f"deal {first['deal']}, rotation {first['rotation']}, seat {first['seat']}"
        told["first forfeit"] = f"{first['agent']} at {place}: {first['reason']}"
    if answer["ended"] == "forfeits":
        told["ended"] = f"{first['agent']} forfeited each of the first {answer['games']} games; no more were played"
    if answer["stakes"] and answer["by"] == "elo":
        told["stakes"] = "some games are worth more than others, and Elo counts wins alone: see --payoff1"
    if is_remote([agent, against]):
        told["note"] = REMOTE
    wide = max(map(len, told))
    return [
        f"{agent} against {against}, {answer['game']}",
        *(f"  {name:{wide}}  {text}" for name, text in told.items()),
    ]


_COUNTS_TOLD = 5


def _verdict(answer: dict[str, Any]) -> str:
    unit = "Elo" if answer["by"] == "elo" else "payoff"
    low, high = (f"{answer['bounds'][name]:+g}" for name in ("low", "high"))
    if answer["ended"] == "forfeits":
        return "none: games that one agent always forfeits test nothing"
    if answer["verdict"] is None:
        return f"none: these pairs do not decide between {low} and {high} {unit}"
    kept, other = (high, low) if answer["verdict"] == "H1" else (low, high)
    return f"{answer['verdict']} accepted: {kept} {unit} rather than {other}"


def _with_interval(written: Mapping[str, float | None], show: Callable[[float], str], sign: str = "") -> str:
    """Return a number and its interval as text; infinite values are named in words."""
    value, low, high = (written[name] for name in ("value", "low", "high"))
    shown = "beyond measure" if value is None else show(value) + sign
    between = ", ".join("unbounded" if x is None else show(x) for x in (low, high))
    return f"{shown} [{between}]"


_ROOMY = 100  # columns of a terminal that fit the whole table
_NARROW = 60  # with fewer columns only place, name and wins are shown; the report has the rest


def _without_stars(text: str) -> str:
    """Return text without the marks of bold."""
    return re.sub(r"\*\*(.*?)\*\*", r"\1", text)


def _rich(value: Value) -> str:
    """Return a cell for the terminal."""
    if isinstance(value, TableCell):
        text = _without_stars(value.text)
        detail = f" [dim]{escape(value.detail)}[/dim]" if value.detail else ""
        return escape(text) + detail
    return "–" if value is None else f"{value:,}" if isinstance(value, int) else str(value)
