"""The two readings of Rossato 2020: by its text, and by the author's scripts (`Options.reading`).

Where they differ, the text counts as published.
"""

from matplotlib.figure import Figure as Plot

from bolicho.lab.markov.case_based import OURS
from bolicho.lab.study import Figure

READINGS_NOTE = (
    "By the text: as Rossato 2020 describes the agent. By the scripts: as the author's scripts play it, "
    "to which its section 5.1 refers."
)


def published_figure(name: str, plot: Plot, reading: str = "", opponents: str = "") -> Figure:
    """Return a drawing of a published figure, under the published number alone if all definitions are as published."""
    beside = "-scripts" if reading == "scripts" else ""
    beside += "-ours" if opponents == OURS else ""
    return Figure(f"figure-{name}{beside}", plot, f"As figure {name} of Rossato 2020{by(reading, opponents)}.")


def by(reading: str = "", opponents: str = "") -> str:
    """Return the suffix of a title that names the reading and the definition of the opponents."""
    return (f", by the {reading}" if reading else "") + (f", opponents {opponents}" if opponents else "")
