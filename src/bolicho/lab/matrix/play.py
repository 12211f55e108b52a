"""All against all, game by game, over all cells of the matrix.

`matrix.json` beside the report holds the results, from which `leaderboard` makes its tables: {"games": {game: {"rows",
"best", "ranked_by", "deals", "games", "seats", "took", "jobs"}}, "absent", "command", "seed", "version", "machine"}.
"rows" has the agents, best first; "best" has the rates of the best agent against each other one.
"""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure as Plot

from bolicho import __version__
from bolicho.agents.registry import default_game, recipe
from bolicho.agents.training import read_cost
from bolicho.arena.experiment import Experiment
from bolicho.arena.run import Run
from bolicho.arena.summary import pair_rates
from bolicho.files import write_text_atomic
from bolicho.lab.matrix.cells import ANCHOR, BESIDE, GAMES, TECHNIQUES, MatrixCell, cells
from bolicho.lab.matrix.leaderboard import FOUND, minutes, size
from bolicho.lab.plots import drawing
from bolicho.lab.study import Effort, Figure, Findings, Table, standing
from bolicho.machine import machine
from bolicho.store.artifact_search import facts_of

HOW = (
    "Every two agents of a game sat at one table in {least} games or more, every deal being played once in every "
    "seat. Ratings are Bradley and Terry's on Elo's scale, 1500 is the average of the agents of a game: they compare "
    "within a game, never between games. Intervals are 95%, over deals. Searches have limits of a few milliseconds a "
    "decision. The time of a decision is measured in the same run, on cores that others use too."
)

GAMES_A_PAIR = (12, 1_000)
"""Least number of games that any two agents play at one table, in the quick and in the full study."""

LEAST_DEALS = 2  # an interval needs two deals

Facts = dict[str, Any]  # as JSON


def deals_for(agents: int, seats: int, games: int) -> int:
    """Return the deals for `games` games of every pair; each deal is played once in every seat, at every table."""
    tables = math.comb(agents - 2, seats - 2) if agents >= seats else agents
    return max(LEAST_DEALS, math.ceil(games / (seats * tables)))


def run(effort: Effort) -> Findings:
    """Play a tournament of every game and tabulate all results."""
    there = cells()
    least = effort.pick(quick=GAMES_A_PAIR[0], full=GAMES_A_PAIR[1])
    found = {}
    for game in GAMES:
        playing = [cell for cell in there if cell.game == game and not cell.why]
        agents = [*(cell.agent for cell in playing), *BESIDE[game], ANCHOR]
        deals = deals_for(len(agents), default_game(game).seats, least)
        experiment = Experiment(game, agents, duplicates=deals, seed=effort.seed, move_limit=None)
        finished = effort.play(experiment, game)
        found[game] = _of_game(finished, playing)
    content: Facts = {
        "games": found,
        "absent": [[cell.technique, cell.game, cell.why] for cell in there if cell.why],
        "command": f"bolicho lab run matrix {'--full' if effort.full else '--quick'} --seed {effort.seed}",
        "seed": effort.seed,
        "version": __version__,
        "machine": machine(),
    }
    write_text_atomic(effort.folder.parent / FOUND, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    return Findings(
        tables=[*(_table(game, content["games"][game]) for game in GAMES), _absent(content["absent"])],
        figures=[Figure("matrix", picture(content), "Ratings by technique and game; colours compare within a game.")],
        notes=[HOW.format(least=f"{least:,}")],
    )


def _of_game(finished: Run, playing: Sequence[MatrixCell]) -> Facts:
    """Collect the results of a tournament, agent by agent."""
    techniques = {cell.agent: cell.technique for cell in playing}
    times = {row["agent"]: row["mean"] for row in finished.made["timing"]}
    rows = []
    for row in finished.result["agents"]:
        kept = {name: row[name] for name in ("agent", "rating", "payoff", "rate", "games")}
        spec = row["agent"]
        made = _training(spec, finished.experiment.game)
        rows.append({**kept, "technique": techniques.get(spec, ""), "seconds": times[spec], **made})
    rates = pair_rates(finished.result)
    best, *others = (row["agent"] for row in rows)
    against = [{"agent": other, "rate": rates[best, other].written()} for other in others]
    return {
        "rows": rows,
        "best": against,
        "ranked_by": finished.result["ranked_by"],
        "deals": finished.experiment.duplicates,
        "games": finished.result["games"],
        "seats": finished.result["seats"],
        "took": finished.made["seconds"],
        "jobs": finished.made["jobs"],
    }


def _training(spec: str, game: str) -> Facts:
    """Collect an agent's files, their size, the commands that made them, and their cost if recorded."""
    files = [Path(path) for path in recipe(spec, game).make(default_game(game)).files(default_game(game))]
    costs = [read_cost(path) for path in files]
    return {
        "files": [path.name for path in files],
        "size": sum(path.stat().st_size for path in files),
        "commands": [facts_of(path).get("command", "") for path in files],
        "cpu_seconds": None if not files or None in costs else sum(cost for cost in costs if cost),
    }


def _table(game: str, found: Facts) -> Table:
    rows = [
        [
            row["technique"] or "-",
            row["agent"],
            *standing(row, "rating", "payoff", "rate"),
            1000 * row["seconds"],
            minutes(row),
            size(row),
        ]
        for row in found["rows"]
    ]
    columns = ["technique", "agent", "rating", "mean payoff", "won", "ms a decision", "CPU minutes of training", "size"]
    note = f"{found['games']:,} games; {found['deals']} deals a table, ranked by {found['ranked_by']}."
    return Table(GAMES[game], columns, rows, note)


def _absent(absent: Sequence[Sequence[str]]) -> Table:
    return Table("Absent techniques", ["technique", "game", "reason"], [list(row) for row in absent])


def picture(content: Facts) -> Plot:
    """Draw ratings by technique and game; the colour goes from random play to the best of the game."""
    with drawing(8.2, 5.4) as (plot, axes):
        names = list(TECHNIQUES)
        for column, game in enumerate(GAMES):
            rows = content["games"][game]["rows"]
            ratings = {row["agent"]: row["rating"]["value"] for row in rows}
            low, high = ratings[ANCHOR], max(ratings.values())
            for line in {*range(len(names))} - {names.index(row["technique"]) for row in rows if row["technique"]}:
                axes.text(column, line, "-", ha="center", va="center", color="#7a869a")
            for row in rows:
                if row["technique"]:
                    share = max(0.0, (row["rating"]["value"] - low) / (high - low or 1))
                    _paint(axes, column, names.index(row["technique"]), row, share)
        axes.set_xlim(-0.5, len(GAMES) - 0.5)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_xticks(range(len(GAMES)), list(GAMES.values()))
        axes.set_yticks(range(len(names)), names)
        axes.tick_params(length=0)
        axes.xaxis.tick_top()
        axes.grid(visible=False)
    return plot


def _paint(axes: Any, column: int, line: int, row: Facts, share: float) -> None:
    shade = tuple(1 - share * (1 - part) for part in (0.12, 0.31, 0.47))  # from white to the blue of all pages
    axes.fill_between([column - 0.49, column + 0.49], line - 0.48, line + 0.48, color=shade)
    ink = "white" if share > 0.55 else "#1c2733"
    axes.text(column, line - 0.12, f"{row['rating']['value']:.0f}", ha="center", va="center", color=ink, fontsize=11)
    name = row["agent"].partition("(")[0]
    axes.text(column, line + 0.24, name, ha="center", va="center", color=ink, fontsize=7.5)
