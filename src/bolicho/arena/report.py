"""Report of a run: `index.html`."""

from pathlib import Path
from typing import Any

from bolicho.arena.figures import margins_figure, ratings_figure, seats_figure
from bolicho.arena.html_page import Page, Value
from bolicho.arena.standings import (
    BEHAVIOURS_CAPTION,
    CROSS_CAPTION,
    MARGINS_CAPTION,
    PAYOFF_CAPTION,
    RATINGS_CAPTION,
    agent_cells,
    behaviour_rows,
    behaviours_told,
    cross_rows,
    facts,
    headline,
    is_by_payoff,
    margin_rows,
    payoff_rows,
    run_title,
    seat_rows,
    seats_caption,
    standings_caption,
    standings_rows,
    timing_rows,
)


def write_report(path: Path, result: dict[str, Any], made: dict[str, Any]) -> None:
    """Write the report of a run from its `result.json` and `made.json`."""
    agents = result["agents"]
    page = Page(run_title(result), result["title"].partition(":")[0] if result["rules"] else result["title"])
    page.facts(facts(result, made))
    page.text(headline(result))
    page.heading("Standings")
    page.table(standings_rows(result), standings_caption(result))
    if len(agents) > 1:
        page.figure(ratings_figure(agents), RATINGS_CAPTION)
        page.heading("Each against each")
        if is_by_payoff(result):
            page.text("What the agent of the row gained in a game with that of the column, on average.")
            page.table(payoff_rows(result), PAYOFF_CAPTION, dense=True)
        page.text("How often the agent of the row did better than that of the column, in percent.")
        page.table(cross_rows(result), CROSS_CAPTION, dense=True)
        page.heading("How clearly")
        page.figure(margins_figure(agents), MARGINS_CAPTION)
        page.table(margin_rows(result))
    page.heading("What the seat is worth")
    page.figure(seats_figure(result), seats_caption(result))
    page.table(seat_rows(result))
    if result["behaviours"]:
        page.heading("What they do")
        page.text(behaviours_told(result))
        page.table(behaviour_rows(result), BEHAVIOURS_CAPTION, dense=True)
    page.heading("Forfeits")
    _forfeits(page, result)
    page.heading("Time to decide")
    page.table(timing_rows(result, made), f"On {made['processor']}, {made['jobs']} at a time; compilation not counted.")
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
        {"row": row["row"], "agent": agent_cells(result)[row["agent"]], "seat": row["seat"], "reason": row["reason"]}
        for row in listed
    ]
    page.table(rows, f"The first {len(listed)}." if total > len(listed) else "")


def _again(page: Page, result: dict[str, Any], made: dict[str, Any]) -> None:
    limited = "" if result["move_limit"] is None else ", unless somebody is at the edge of the time limit"
    page.text(
        f"The run again, in a new folder; `games.parquet` and `result.json` come out the same, byte for byte{limited}:"
    )
    page.code(made["command"])
    page.text("Any game, move by move, by its row:")
    page.code("bolicho replay FOLDER --row 0")
    page.text("All games as a table, with SQL:")
    page.code("import duckdb\n\nduckdb.sql(\"SELECT agents, avg(plies) FROM 'games.parquet' GROUP BY agents\").show()")
