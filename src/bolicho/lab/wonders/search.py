"""Search for hyper-parameters of the imitation nets (Pereira 2021, tables 3.7 to 3.9).

The grid is that of table 3.7 and the text below it. The measure is that of Pereira 2021: accuracy among all outputs, on
the training plays (the criterion of choice there) and on plays of other games.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure as Plot
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from bolicho import __version__, stats
from bolicho.agents.neural import imitation
from bolicho.agents.neural.learning import ACTIVATIONS, Trainee, without_denormals
from bolicho.agents.neural.net import fresh
from bolicho.agents.neural.recipes import declared_plan
from bolicho.arena.html_page import INK, SERIES, plot_style
from bolicho.files import write_text_atomic
from bolicho.games import game
from bolicho.lab.cbr.mirrored_matches import in_parallel
from bolicho.lab.study import Cell, Effort, Figure, Findings, Measured, Table
from bolicho.lab.wonders.nets import AGES, PUBLISHED_ACCURACY
from bolicho.strict import read_json

Accuracies = NDArray[np.float64]

NEURAL = "neural wonders"  # the training whose plan is varied
LAYERS = (2, 3, 4)  # table 3.7
WIDTHS = (70, 75, 80, 85, 90, 95)  # table 3.7 gives 70 to 95; steps of 5 include both ends and the widths of table 3.8
RATES = (1e-4, 1e-5)  # table 3.7
PUBLISHED_EPOCHS = 5_000  # table 3.9
SIDES = ("train", "test")
MARKERS = dict(zip(RATES, "ox", strict=True))


@dataclass(frozen=True)
class Form:
    """Hyper-parameters of a net."""

    layers: int
    width: int
    activation: str = "relu"
    rate: float = 1e-4

    def __str__(self) -> str:
        return f"{self.shape}, {self.kind}"

    @property
    def shape(self) -> str:
        return f"{self.layers} x {self.width}"

    @property
    def kind(self) -> str:
        return f"{self.activation}, {self.rate:g}"

    @property
    def file(self) -> str:
        return f"{self.layers}x{self.width}-{self.activation}-{self.rate:g}"


PRINTED = (Form(2, 80), Form(2, 80), Form(2, 90))
"""The best net of each age (table 3.8)."""


def run(effort: Effort) -> Findings:
    """Train every form of the grid for some epochs, then the printed and the best forms for the published number."""
    layers: Sequence[int] = effort.pick(quick=(2,), full=LAYERS)
    widths: Sequence[int] = effort.pick(quick=(80, 90), full=WIDTHS)
    forms = [Form(*parts) for parts in product(layers, widths, ACTIVATIONS, RATES)]
    games, epochs = effort.pick(quick=60, full=declared_plan(NEURAL).games), effort.pick(quick=20, full=200)
    seeds = [effort.seed + number for number in range(effort.pick(quick=2, full=3))]
    grid = accuracies(effort, [(form, age) for form in forms for age in range(len(AGES))], seeds, games, epochs)
    found = grid.reshape(len(forms), len(AGES), len(seeds), len(SIDES))
    best = best_forms(forms, found)
    longer = effort.pick(quick=40, full=PUBLISHED_EPOCHS)
    nets = [(form, age) for age in range(len(AGES)) for form in dict.fromkeys((PRINTED[age], best[age]))]
    return Findings(
        tables=[
            chosen_table(forms, found, best),
            long_table(nets, accuracies(effort, nets, seeds, games, longer), longer),
            kinds_table(forms, found),
            shapes_table(forms, found),
            grid_table(forms, found),
        ],
        figures=[figure(forms, found)],
        notes=[
            f"{len(forms)} forms for each age, {epochs} epochs each; {len(seeds)} seeds, each with {games:,} games of "
            "three rules agents, initial weights and an order of plays of its own.  A net learns from the winners' "
            "plays of 70% of the games and is tested on those of 20%, as `bolicho train neural wonders` does.  The "
            "accuracy is among all outputs.  Intervals are 95% over seeds; all forms have the same seeds, so "
            "differences are taken seed by seed.",
        ],
    )


def accuracies(
    effort: Effort, nets: Sequence[tuple[Form, int]], seeds: Sequence[int], games: int, epochs: int
) -> Accuracies:
    """Return accuracies by net, seed and side; nets trained before in this folder are not trained again."""
    calls = [(effort.folder, form, age, seed, games, epochs) for form, age in nets for seed in seeds]
    found: list[list[float]] = in_parallel(effort, "learning", _fit_once, calls)
    return np.array(found).reshape(len(nets), len(seeds), len(SIDES))


def _fit_once(folder: Path, form: Form, age: int, seed: int, games: int, epochs: int) -> list[float]:
    """Train a net, or read the result of the same training by the same version from the folder of the study."""
    path = folder / f"net-{form.file}-{age}-{seed}-{games}-{epochs}-{__version__}.json"
    if not path.exists():
        write_text_atomic(path, json.dumps(fit(form, age, seed, games, epochs)))
    return list(read_json(path.read_bytes()))


def fit(form: Form, age: int, seed: int, games: int, epochs: int) -> tuple[float, float]:
    """Train the net of an age, and return its accuracy on the training plays and on plays of other games."""
    plan = declared_plan(NEURAL)
    hidden = tuple((form.width,) * form.layers if which == age else plan.hidden[which] for which in range(len(AGES)))
    plan = replace(plan, games=games, seed=seed, rate=form.rate, hidden=hidden)
    learn, _, test = (part.part(part.net == age) for part in _plays(games, seed))
    nets = fresh(game("wonders"), plan.coding, plan.hidden, seed)
    trainee = Trainee(nets, age, plan.rate, activation=form.activation)
    tensors = imitation.tensors_of(learn, nets, age)
    with without_denormals():
        for epoch in range(epochs):
            imitation.see_all(trainee, tensors, plan, age, epoch)
    return _accuracy(trainee, tensors), _accuracy(trainee, imitation.tensors_of(test, nets, age))


@lru_cache
def _plays(
    games: int, seed: int
) -> tuple[imitation.ImitationPlays, imitation.ImitationPlays, imitation.ImitationPlays]:
    plan = replace(declared_plan(NEURAL), games=games, seed=seed)
    played = imitation.collect(game("wonders"), [plan.teacher] * 3, plan)
    return imitation.split(played, games, seed)


def _accuracy(trainee: Trainee, tensors: tuple[Any, Any, Any]) -> float:
    with trainee.torch.no_grad():
        return float((trainee(tensors[0]).argmax(1) == tensors[1]).double().mean())


def best_forms(forms: Sequence[Form], found: Accuracies) -> list[Form]:
    """Return the form of each age with the highest mean accuracy on the training plays, as in section 3.4.3."""
    return [forms[best] for best in found[..., 0].mean(axis=2).argmax(axis=0)]


# --- Tables -------------------------------------------------------------------------------------


def _shares(found: Accuracies, published: Sequence[float | None] = (None, None)) -> list[Cell]:
    """Return accuracies by seed and side as two cells."""
    cells = zip(found.T, published, strict=True)
    return [Measured(stats.mean(seeds).within_one(), value, percent=True) for seeds, value in cells]


def chosen_table(forms: Sequence[Form], found: Accuracies, best: Sequence[Form]) -> Table:
    """Tabulate the printed nets of table 3.8 and the nets that the same criterion chooses here."""
    rows: list[list[Cell]] = []
    for age, name in enumerate(AGES):
        printed = found[forms.index(PRINTED[age]), age]
        for form, cell in ((PRINTED[age], "printed"), (best[age], "best here")):
            mine = found[forms.index(form), age]
            ahead = Measured(stats.mean(mine[:, 0] - printed[:, 0]), percent=True)
            rows.append([name, cell, form.activation, f"{form.rate:g}", form.shape, *_shares(mine), ahead])
    return Table(
        "The best nets (table 3.8)",
        ["age", "", "activation", "learning rate", "hidden layers", *SIDES, "train, ahead of the printed"],
        rows,
        "Best: the highest mean accuracy on the plays learned from, the criterion of Pereira 2021, section 3.4.3.  "
        f"It is the best of {len(forms)}, which its interval does not account for.",
    )


def long_table(nets: Sequence[tuple[Form, int]], found: Accuracies, epochs: int) -> Table:
    """Tabulate the printed and the best forms after the published number of epochs (table 3.9)."""
    rows: list[list[Cell]] = []
    for (form, age), mine in zip(nets, found, strict=True):
        published = [PUBLISHED_ACCURACY[side][age] if form == PRINTED[age] else None for side in SIDES]
        rows.append([AGES[age], str(form), *_shares(mine, published)])
    return Table(f"After {epochs:,} epochs (table 3.9: 5,000)", ["age", "net", *SIDES], rows)


def kinds_table(forms: Sequence[Form], found: Accuracies) -> Table:
    """Tabulate activations and learning rates, as means over all shapes."""
    kinds = dict.fromkeys(form.kind for form in forms)
    rows = [[kind, *_by_age(found[[form.kind == kind for form in forms]].mean(axis=0))] for kind in kinds]
    return Table("By activation and learning rate, means over all shapes", ["net", *_columns()], rows)


def shapes_table(forms: Sequence[Form], found: Accuracies) -> Table:
    """Tabulate the shapes with the printed activation and learning rate."""
    printed = PRINTED[0].kind
    rows = [[form.shape, *_by_age(mine)] for form, mine in zip(forms, found, strict=True) if form.kind == printed]
    return Table(f"By shape, with {printed}", ["hidden layers", *_columns()], rows)


def grid_table(forms: Sequence[Form], found: Accuracies) -> Table:
    """Tabulate every form of the grid."""
    rows = [[str(form), *_by_age(mine)] for form, mine in zip(forms, found, strict=True)]
    return Table("The whole grid (table 3.7)", ["net", *_columns()], rows)


def _columns() -> list[str]:
    return [f"{age}, {side}" for age in AGES for side in SIDES]


def _by_age(found: Accuracies) -> list[Cell]:
    """Return accuracies by age, seed and side as cells."""
    return [cell for mine in found for cell in _shares(mine)]


# --- Figure -------------------------------------------------------------------------------------


def figure(forms: Sequence[Form], found: Accuracies) -> Figure:
    """Plot the test accuracy of every form over its train accuracy, a panel for each age."""
    with plot_style():
        plot = Plot(figsize=(9.6, 3.8))
        colours = dict(zip(ACTIVATIONS, SERIES, strict=False))
        means = found.mean(axis=2)
        for age, name in enumerate(AGES):
            axes = plot.add_subplot(1, len(AGES), age + 1)
            for form, (train, test) in zip(forms, means[:, age], strict=True):
                axes.plot(train, test, MARKERS[form.rate], color=colours[form.activation], markersize=4, alpha=0.7)
            axes.plot(*means[forms.index(PRINTED[age]), age], "o", markersize=11, fillstyle="none", color=INK)
            axes.set_title(f"age {name}")
            axes.set_xlabel("train accuracy")
        plot.axes[0].set_ylabel("test accuracy")
        keys = [Line2D([], [], marker="s", linestyle="", color=colours[name], label=name) for name in ACTIVATIONS]
        keys += [
            Line2D([], [], marker=mark, linestyle="", color=INK, label=f"rate {rate:g}")
            for rate, mark in MARKERS.items()
        ]
        keys.append(
            Line2D([], [], marker="o", markersize=11, fillstyle="none", linestyle="", color=INK, label="printed")
        )
        plot.legend(handles=keys, loc="outside upper right", ncols=len(keys))
    return Figure("search", plot, "Accuracies of every form of the grid, means over seeds; the printed form is ringed.")
