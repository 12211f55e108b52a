"""The Markov agent against itself, in heatmaps: figures 5.5 to 5.11 of Rossato 2020."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.markov.heatmap import SHOWN, evolution_figures, initial_figures
from bolicho.agents.markov.layout import MODES, UNIT, matrix
from bolicho.agents.markov.matrices import WEAKEST, Learned, initial
from bolicho.agents.markov.options import (
    PUBLISHED,
    TO_THE_LETTER,
    Options,
)
from bolicho.agents.markov.train import (
    AS_PUBLISHED,
    evolution,
)
from bolicho.lab.markov import published
from bolicho.lab.markov.readings import READINGS_NOTE, by, published_figure
from bolicho.lab.study import Cell, Effort, Findings, Table, share


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
    seeds = range(effort.seed, effort.seed + effort.pick(quick=3, full=12))
    tables.append(weakest_table(seeds, published.SELF_PLAY_MATCHES))
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


def weakest_table(seeds: Sequence[int], matches: int) -> Table:
    """In how many trainings the weakest pair and flor won anything, by what is known of them at first."""
    rows: list[list[Cell]] = []
    for reading in (TO_THE_LETTER.reading, PUBLISHED.reading):
        for weakest in reversed(WEAKEST):
            recipe = replace(AS_PUBLISHED, options=Options(reading=reading, weakest=weakest))
            ends = [end for seed in seeds for end in evolution(matches, 1, seed, recipe)]
            envido, flor = ([matrix(end.block, mode) for end in ends] for mode in ("envido", "flor"))
            counted = (
                [bool(won[0].any()) for won in envido],
                [is_blue(won[0].max(), won) for won in envido],
                [bool(won[0].any()) for won in flor],
            )
            rows.append([reading, weakest, *(share(grew) for grew in counted)])
    note = (
        f"Share of {len(seeds)} trainings of {matches:,} matches. Blue: a cell of the row is drawn in the upper half "
        "of the scale, as in figure 5.7 d."
    )
    columns = ["by the", "weakest", "row 0-0 grew", "row 0-0 blue", "row 0-0-0 of the flor grew"]
    return Table("The weakest pair and flor", columns, rows, note)


def is_blue(count: int, counts: NDArray[np.uint32]) -> bool:
    """Whether a heatmap of these counts draws this one in the upper half of its scale."""
    return bool(2 * int(count) > int(counts.min()) + int(counts.max()))
