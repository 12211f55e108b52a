"""Ratings of the opponents that players can choose: a tournament of every game among agents that answer quickly.

`gallery.json` beside this file holds the results of the full study, and web pages show them:
{"games": {game: [{"agent", "rating", "interval", "won", "games"}, most wins first]}, "command", "seed", "version"}.
"""

import json
from typing import Any

from bolicho import __version__
from bolicho.agents.registry import entries
from bolicho.arena.experiment import Experiment
from bolicho.arena.run import Run
from bolicho.files import write_text_atomic
from bolicho.games import BUILT_IN, kind
from bolicho.lab.plots import drawing
from bolicho.lab.study import Effort, Figure, Findings, Table, standing
from bolicho.stats import Estimate

FILE = "gallery.json"

QUICK, FULL = 4, 200
"""Deals that every pairing plays in every seat; the full study gives each agent at least 1,200 games."""


def rated(game: str) -> list[str]:
    """Return the agents to rate: those that see only their own view and answer quickly."""
    fair = [entry for entry in entries() if not entry.oracle and entry.name != "human" and entry.plays(game)]
    return [entry.name for entry in fair if game not in entry.slow]


def run(effort: Effort) -> Findings:
    """Play all against all on the same deals, game by game."""
    runs = {}
    for name in BUILT_IN:
        duplicates = effort.pick(quick=QUICK, full=FULL)
        experiment = Experiment(name, rated(name), duplicates=duplicates, seed=effort.seed, move_limit=None)
        runs[name] = effort.play(experiment, name)
    found = {name: _rows(finished) for name, finished in runs.items()}
    command = f"bolicho lab run gallery {'--full' if effort.full else '--quick'} --seed {effort.seed}"
    content = {"games": found, "command": command, "seed": effort.seed, "version": __version__}
    write_text_atomic(effort.folder.parent / FILE, json.dumps(content, indent=1) + "\n")
    return Findings(
        tables=[_table(name, finished) for name, finished in runs.items()],
        figures=[_figure(name, rows) for name, rows in found.items()],
        notes=[
            "Every pairing plays the same deals, each agent once in every seat. Ratings are on Elo's scale, 1500 is "
            "the average of the agents of a game: they compare within a game, never between games. Searches that take "
            "more than 50 ms a game and agents that see everything are left out."
        ],
    )


def _rows(finished: Run) -> list[dict[str, Any]]:
    """Return the opponents of a game by share of games won, whatever the tournament ranks by."""
    return sorted((_row(row) for row in finished.result["agents"]), key=lambda row: -row["won"])


def _row(row: dict[str, Any]) -> dict[str, Any]:
    """Return one opponent as pages show it."""
    rating = Estimate.read(row["rating"])
    return {
        "agent": row["agent"],
        "rating": round(rating.value),
        "interval": [round(rating.low), round(rating.high)],
        "won": round(row["rate"]["value"], 4),
        "games": row["games"],
    }


def _table(name: str, finished: Run) -> Table:
    """Tabulate the agents of a game, best first; with payoffs if the game ranks by them."""
    by_payoff = finished.result["ranked_by"] == "payoff"
    names = {**({"payoff": "mean payoff"} if by_payoff else {}), "rating": "rating", "rate": "games won"}
    rows = [[row["agent"], *standing(row, *names), row["games"]] for row in finished.result["agents"]]
    columns = ["agent", *names.values(), "games"]
    note = f"{finished.result['games']:,} games; {finished.experiment.duplicates} deals a pairing."
    if by_payoff:
        note += " Ranked by mean payoff, since some games are worth more than others."
    return Table(kind(name).title, columns, rows, note)


def _figure(name: str, rows: list[dict[str, Any]]) -> Figure:
    """Draw the ratings with their intervals, best at the top."""
    with drawing(7, 0.8 + 0.26 * len(rows)) as (plot, axes):
        for place, row in enumerate(rows):
            axes.plot(row["interval"], [place, place], color="#7a869a", linewidth=2)
            axes.plot(row["rating"], place, "o", color="#1f4e79", markersize=5)
        axes.set_yticks(range(len(rows)), [row["agent"] for row in rows])
        axes.invert_yaxis()
        axes.set_xlabel("rating, 95% interval")
    return Figure(f"ratings-{name}", plot, f"Ratings in {kind(name).title}.")
