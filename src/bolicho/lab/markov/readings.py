"""The two readings of Rossato 2020: where the text and the author's scripts differ, the text is what was published.

The scripts stand beside it (`Options.reading`).
"""

from matplotlib.figure import Figure as Plot

from bolicho.lab.study import Figure

READINGS_NOTE = (
    "By the text: as Rossato 2020 describes the agent. By the scripts: as the author's scripts play it, "
    "to which its section 5.1 refers."
)


def published_figure(name: str, plot: Plot, reading: str = "") -> Figure:
    """The drawing of a published figure; by the text it bears the published number alone."""
    beside = "-scripts" if reading == "scripts" else ""
    return Figure(f"figure-{name}{beside}", plot, f"As figure {name} of Rossato 2020{by(reading)}.")


def by(reading: str) -> str:
    """What is added to a title."""
    return f", by the {reading}" if reading else ""
