"""What `bolicho train` makes: the two case bases that ship with the package."""

import shlex
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

import bolicho
from bolicho.agents.cbr import retain
from bolicho.agents.cbr.bases import load_base, save_base
from bolicho.agents.cbr.cycle import OURS, Options
from bolicho.agents.cbr.truco.baseline import HANDS, base_of, make_baseline
from bolicho.agents.cbr.truco.scenarios import TRUCO
from bolicho.errors import BadInput

UNFINISHED = ".part.parquet"


def train_baseline(
    out: Path | str, seed: int = 1, hands: int = HANDS, source: str = "", styles: str = ""
) -> dict[str, Any]:
    """Observe `hands` hands between the scripted styles, and cluster them: the synthetic baseline.

    `styles` names those that play, joined by `+` (all of them where it is empty).  With a `source`,
    recorded matches or a case file, the base is made of what it holds.
    """
    if hands < 1:
        raise BadInput(f"hands must be a whole number from 1 on, not {hands!r}")
    if source and styles:
        raise BadInput("a source brings its own hands: give source or styles, not both")
    base = base_of(Path(source)) if source else make_baseline(hands, seed, styles.split("+") if styles else ())
    made_of = f"source={shlex.quote(source)}" if source else f"hands={hands}" + (f" styles={styles}" if styles else "")
    base.made |= _story(f"bolicho train cbr-baseline {made_of} --seed {seed}")
    save_base(base, Path(out))
    return {
        "cases": len(base),
        "groups": {name: c.size for name, c in zip(TRUCO.clusterings, base.clusterings, strict=True)},
    }


def train_learned(
    out: Path | str,
    seed: int = 1,
    cases: int = retain.CASES,
    base: str = "baseline",
    keep: str = retain.KEEPS[0],
    rivals: float = retain.RIVALS,
    threshold: float = OURS.threshold,
    retrieval: str = OURS.retrieval,
    revise: str = OURS.revise,
    victory: str = OURS.victory,
    progress: bool = True,
) -> dict[str, Any]:
    """Grow a base by self-play to `cases` cases.

    What is kept of it is a whole `match` or a `hand`; `rivals` is how often the opponent keeps the
    base of the start; the other options are the players'.

    Beside `out` stands the unfinished course (`.part.parquet`), which is gone on with; the growth
    curve is in the facts of the finished base.
    """
    start = load_base(base, TRUCO)
    if cases < 1:
        raise BadInput(f"cases must be a whole number from 1 on, not {cases!r}")
    players = Options(threshold, retrieval, revise, victory)
    out = Path(out)
    unfinished = out.with_name(out.name.removesuffix(out.suffix) + UNFINISHED)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), disable=not progress) as bar:
        task = bar.add_task("self-play, cases", total=cases)
        learned = retain.learn(
            start,
            cases,
            seed,
            keep=keep,
            rivals=rivals,
            options=players,
            checkpoint=unfinished,
            report=lambda matches, count: bar.update(task, completed=count),
        )
    options = f"cases={cases} base={base} keep={keep} rivals={rivals}"
    options += "".join(f" {name}={value}" for name, value in players.changed().items())
    learned.made |= _story(f"bolicho train cbr-learned {options} --seed {seed}")
    save_base(learned, out)
    unfinished.unlink(missing_ok=True)
    growth = np.diff(learned.made["growth"], prepend=len(start))
    return {
        "cases": len(learned),
        "matches": learned.made["matches"],
        "reclusterings": learned.made["reclusterings"],
        "cases a match, first and last hundred": [float(growth[:100].mean()), float(growth[-100:].mean())],
        "groups": {name: c.size for name, c in zip(TRUCO.clusterings, learned.clusterings, strict=True)},
    }


def _story(command: str) -> dict[str, Any]:
    return {"command": command, "version": bolicho.__version__, "game": TRUCO.game}
