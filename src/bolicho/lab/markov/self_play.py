"""The Markov agent against itself, in heatmaps: figures 5.5 to 5.11 of Rossato 2020."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bolicho.agents.markov.heatmap import SHOWN, evolution_figures, initial_figures
from bolicho.agents.markov.layout import MODES, UNIT, matrix
from bolicho.agents.markov.matrices import Learned, initial
from bolicho.agents.markov.options import (
    PUBLISHED,
    TO_THE_LETTER,
)
from bolicho.agents.markov.train import (
    AS_PUBLISHED,
    evolution,
)
from bolicho.lab.markov import published
from bolicho.lab.markov.readings import READINGS_NOTE, by, published_figure
from bolicho.lab.study import Cell, Effort, Findings, Table


def run(effort: Effort) -> Findings:
    """Five thousand matches against itself, and what they did to the matrices."""
    tables, figures = [], [published_figure(name, plot) for name, plot in initial_figures().items()]
    for options in (TO_THE_LETTER, PUBLISHED):
        recipe = replace(AS_PUBLISHED, options=options)
        snapshots = list(evolution(published.SELF_PLAY_MATCHES, published.SNAPSHOTS, effort.seed, recipe))
        tables.append(growth_table(snapshots, options.reading))
        figures += [
            published_figure(name, plot, options.reading) for name, plot in evolution_figures(snapshots).items()
        ]
    return Findings(
        tables=tables,
        figures=figures,
        notes=[
            "Victories of each mode: one's own states downwards, the opponent's to the right, weak to strong; "
            "few victories brown, many blue. Every heatmap has its own scale, as published. " + READINGS_NOTE,
        ],
    )


def growth_table(snapshots: Sequence[Learned], reading: str = "") -> Table:
    """How much the matrices moved by each snapshot that is drawn."""
    start = initial()
    rows: list[list[Cell]] = []
    for number in SHOWN:
        learned = snapshots[number - 1]
        row: list[Cell] = [number]
        for mode in MODES:
            now, then = matrix(learned.block, mode), matrix(start.block, mode)
            row += [f"{100 * np.mean(now != then):.1f}%", int(now.max()) // UNIT]
        rows.append(row)
    columns = [f"{mode}, {what}" for mode in MODES for what in ("moved", "largest")]
    title = f"Growth of the matrices{by(reading)}"
    return Table(title, ["snapshot", *columns], rows, "Share of cells that moved; largest count.")
