"""Self-play of the Markov agent in heatmaps: figures 5.5 to 5.11 of Rossato 2020."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.markov.heatmap import SHOWN, evolution_figures, initial_figures
from bolicho.agents.markov.layout import MODES, UNIT, matrix
from bolicho.agents.markov.matrices import WEAKEST, LearnedMatrices, initial
from bolicho.agents.markov.options import PUBLISHED, TO_THE_LETTER, MarkovOptions
from bolicho.agents.markov.train import AS_PUBLISHED, evolution
from bolicho.lab.markov import published
from bolicho.lab.markov.readings import READINGS_NOTE, by, published_figure
from bolicho.lab.study import Cell, Effort, Findings, Table, share


def run(effort: Effort) -> Findings:
    """Play five thousand matches of self-play and show how the matrices change."""
    tables, figures = [], [published_figure(name, plot) for name, plot in initial_figures().items()]
    for options in (TO_THE_LETTER, PUBLISHED):
        recipe = replace(AS_PUBLISHED, options=options)
        snapshots = list(evolution(published.SELF_PLAY_MATCHES, published.SNAPSHOTS, effort.seed, recipe))
        drawn = {str(number): snapshots[number - 1] for number in SHOWN}
        tables.append(growth_table(drawn, "snapshot", by(options.reading)))
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


def growth_table(known: Mapping[str, LearnedMatrices], after: str, about: str = "") -> Table:
    """Tabulate the growth of the matrices after each `snapshot` or `opponent`."""
    start = initial()
    rows: list[list[Cell]] = []
    for name, learned in known.items():
        row: list[Cell] = [name]
        for mode in MODES:
            now, then = matrix(learned.block, mode), matrix(start.block, mode)
            row += [f"{100 * np.mean(cells):.1f}%" for cells in (now != then, is_brown(now))]
            row.append(int(now.max()) // UNIT)
        rows.append(row)
    columns = [f"{mode}, {what}" for mode in MODES for what in ("moved", "brown", "largest")]
    title = f"Growth of the matrices{about}"
    return Table(title, [after, *columns], rows, "Share of cells that moved and of those drawn brown; largest count.")


def weakest_table(seeds: Sequence[int], matches: int) -> Table:
    """Tabulate the share of trainings in which the rows of the weakest pair and flor grew, by their initial counts."""
    rows: list[list[Cell]] = []
    for reading in (TO_THE_LETTER.reading, PUBLISHED.reading):
        for weakest in reversed(WEAKEST):
            recipe = replace(AS_PUBLISHED, options=MarkovOptions(reading=reading, weakest=weakest))
            ends = [end for seed in seeds for end in evolution(matches, 1, seed, recipe)]
            envido, flor = ([matrix(end.block, mode) for end in ends] for mode in ("envido", "flor"))
            counted = (
                [bool(won[0].any()) for won in envido],
                [not is_brown(won)[0].all() for won in envido],
                [bool(won[0].any()) for won in flor],
            )
            rows.append([reading, weakest, *(share(grew) for grew in counted)])
    note = (
        f"Share of {len(seeds)} trainings of {matches:,} matches. Blue: a cell of the row is drawn in the upper half "
        "of the scale, as in figure 5.7 d."
    )
    columns = ["by the", "weakest", "row 0-0 grew", "row 0-0 blue", "row 0-0-0 of the flor grew"]
    return Table("The weakest pair and flor", columns, rows, note)


def is_brown(counts: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Return whether a heatmap of these counts draws each of them in the lower half of its scale."""
    return np.asarray(2 * counts.astype(np.int64) < int(counts.min()) + int(counts.max()))
