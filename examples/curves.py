"""Draw the curves that `selfplay.py` writes, a panel each, named by their files.

python examples/curves.py docs/images/learners.svg truco.csv dominoes.csv fives.csv wonders.csv
"""

import csv
import sys
from pathlib import Path

from matplotlib.figure import Figure

from bolicho import game

ACCENT, SOFT = "#1f6f54", "#b8b8b0"


def main(out: Path, *files: Path) -> None:
    """Draw the share of wins against random by minutes, with its interval, and the share of random itself."""
    figure = Figure(figsize=(2.6 * len(files), 2.8))
    panels = figure.subplots(1, len(files), sharex=True, sharey=True, squeeze=False)[0]
    for panel, file in zip(panels, files, strict=True):
        with file.open(newline="") as rows:
            told = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(rows)]
        minutes = [row["seconds"] / 60 for row in told]
        panel.fill_between(minutes, *([row[end] for row in told] for end in ("low", "high")), color=ACCENT, alpha=0.2)
        panel.plot(minutes, [row["won"] for row in told], color=ACCENT)
        panel.axhline(1 / game(file.stem).seats, color=SOFT, linestyle=":", linewidth=1)
        panel.set(title=file.stem, xlabel="minutes of one core", ylim=(0, 1.02))
    panels[0].yaxis.set_major_formatter("{x:.0%}")
    panels[0].set_xlim(left=0)
    panels[0].set_ylabel("won against random")
    figure.savefig(out, metadata={"Date": None})


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
