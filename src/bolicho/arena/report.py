"""Report of a run: `index.html`."""

from pathlib import Path
from typing import Any

from bolicho.arena import standings
from bolicho.arena.figures import margins_figure, ratings_figure, seats_figure
from bolicho.arena.html_page import Page, Value


def write_report(path: Path, result: dict[str, Any], made: dict[str, Any]) -> None:
    """Write the report of a run from its `result.json` and `made.json`."""
    agents = result["agents"]
    page = Page(standings.run_title(result), result["title"].partition(":")[0] if result["rules"] else result["title"])
    page.facts(standings.facts(result, made))
    page.text(standings.headline(result))
    page.heading("Standings")
    page.table(standings.standings_rows(result), standings.standings_caption(result))
    if len(agents) > 1:
        page.figure(ratings_figure(agents), standings.RATINGS_CAPTION)
        page.heading("Each against each")
        if standings.is_by_payoff(result):
            page.text("What the agent of the row gained in a game with that of the column, on average.")
            page.table(standings.payoff_rows(result), standings.PAYOFF_CAPTION, dense=True)
        page.text("How often the agent of the row did better than that of the column, in percent.")
        page.table(standings.cross_rows(result), standings.CROSS_CAPTION, dense=True)
        page.heading("How clearly")
        page.figure(margins_figure(agents), standings.MARGINS_CAPTION)
        page.table(standings.margin_rows(result))
    page.heading("What the seat is worth")
    page.figure(seats_figure(result), standings.seats_caption(result))
    page.table(standings.seat_rows(result))
    if result["behaviours"]:
        page.heading("What they do")
        page.text(standings.behaviours_told(result))
        page.table(standings.behaviour_rows(result), standings.BEHAVIOURS_CAPTION, dense=True)
    page.heading("Forfeits")
    _forfeits(page, result)
    page.heading("Time to decide")
    page.table(
        standings.timing_rows(result, made),
        f"On {made['processor']}, {made['jobs']} at a time; compilation not counted.",
    )
    page.heading("Again, and closer")
    _again(page, result, made)
    page.write(path)


def _forfeits(page: Page, result: dict[str, Any]) -> None:
    total, listed = result["num_forfeits"], result["forfeits"]
    if not total:
        page.text("None: every game was played to its end.")
        return
    page.text(
        f"{total:,} of {result['games']:,} games were lost by an agent that broke.  They count as defeats in the "
        "standings, cost who forfeits the lowest payoff of the run, and are left out of the others' payoffs and of "
        "point differences."
    )
    rows: list[dict[str, Value]] = [
        {
            "row": row["row"],
            "agent": standings.agent_cells(result)[row["agent"]],
            "seat": row["seat"],
            "reason": row["reason"],
        }
        for row in listed
    ]
    page.table(rows, f"The first {len(listed)}." if total > len(listed) else "")


def _again(page: Page, result: dict[str, Any], made: dict[str, Any]) -> None:
    limited = "" if result["move_limit"] is None else ", unless an agent is at the edge of the time limit"
    page.text(
        f"The run again, in a new folder; `games.parquet` and `result.json` come out the same, byte for byte{limited}:"
    )
    page.code(made["command"])
    page.text("Any game, move by move, by its row:")
    page.code("bolicho replay FOLDER --row 0")
    page.text("All games as a table, with SQL:")
    page.code("import duckdb\n\nduckdb.sql(\"SELECT agents, avg(plies) FROM 'games.parquet' GROUP BY agents\").show()")
