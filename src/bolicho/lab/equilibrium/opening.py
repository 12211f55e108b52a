"""Tables and charts of how a strategy opens hands of Truco."""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
from matplotlib.figure import Figure as Plot
from numpy.typing import NDArray

from bolicho.agents.player import Compiled
from bolicho.agents.registry import agent as make_agent
from bolicho.arena.html_page import plot_style
from bolicho.games.game import Game
from bolicho.games.truco import kernel as k
from bolicho.games.truco.lexicon import CLASSES
from bolicho.games.truco.rules import CARDS, STRENGTH_CLASSES
from bolicho.lab.plots import drawing
from bolicho.lab.study import Figure, Table

CLASS_NAMES = [
    cards[0] if len(cards) == 1 else cards[0][:-1] + ("" if len(cards) == 4 else "".join(card[-1] for card in cards))
    for cards in STRENGTH_CLASSES
]
"""Classes of cards by strength: fours, ..., sevens of paus and copas, ..., ace of espadas."""


Chances = list[tuple[Any, dict[str, float]]]  # for each hand, the probabilities of its actions

POSITIONS: dict[str, tuple[int, tuple[str, ...]]] = {
    "mão, first": (0, ()),
    "pé, after envido": (1, ("envido",)),
    "pé, after falta": (1, ("falta",)),
    "pé, after truco": (1, ("truco",)),
}
"""Seat of the agent and the calls before its turn, by name of the position."""

OTHER = ("4c", "10e", "11p")


def _chances(hand: Game, agent: Compiled, position: tuple[int, tuple[str, ...]]) -> Chances:
    """Return the probabilities of the actions in a position, for every hand without flor."""
    seat, said = position
    found = []
    for cards in combinations(range(len(CARDS)), 3):
        if k.is_flor(*cards):
            continue
        own = [CARDS[card] for card in cards]
        other = [card for card in (*OTHER, "5o", "6c", "12e") if card not in own][:3]
        table = hand.setup(hands=[own, other] if seat == 0 else [other, own], mao=0)
        for action in said:
            table.play(action)
        view = table.view(table.turn)
        mixture = agent.mixture(view) or []
        found.append((cards, {str(action): chance for action, chance in zip(view.legal, mixture, strict=True)}))
    return found


def _by_points(chances: Chances, counts: Callable[[dict[str, float]], float]) -> NDArray[np.float64]:
    """Return the mean of a probability over the hands with each number of envido points."""
    sums, sizes = np.zeros(34), np.zeros(34)
    for cards, mixture in chances:
        points = int(k.envido_value(*cards))
        sums[points] += counts(mixture)
        sizes[points] += 1
    means: NDArray[np.float64] = np.divide(sums, sizes, out=np.full(34, np.nan), where=sizes > 0)
    return means


def _envido(chances: dict[str, Chances]) -> tuple[list[int], dict[str, NDArray[np.float64]]]:
    """Return the possible envido points of a hand, and the mean probability of each envido action for each of them."""
    lines = {
        "as mão, calls envido, real or falta": _by_points(
            chances["mão, first"], lambda m: sum(m.get(call, 0) for call in ("envido", "real", "falta"))
        ),
        "as pé, accepts envido or raises it": _by_points(chances["pé, after envido"], lambda m: 1 - m["nao"]),
        "as pé, raises envido": _by_points(chances["pé, after envido"], lambda m: m["real"] + m["falta"]),
        "as pé, accepts falta": _by_points(chances["pé, after falta"], lambda m: m["quero"]),
    }
    points = [p for p in range(34) if not np.isnan(lines["as pé, accepts falta"][p])]
    return points, {label: line[points] for label, line in lines.items()}


def _envido_table(chances: dict[str, Chances]) -> Table:
    points, lines = _envido(chances)
    rows: list[list[Any]] = [[p, *(f"{line[i]:.0%}" for line in lines.values())] for i, p in enumerate(points)]
    return Table("Envido, by the points of the hand", ["points", *lines], rows, "At 0-0, without flor.")


def _envido_chart(chances: dict[str, Chances]) -> Figure:
    points, lines = _envido(chances)
    with drawing(8.4, 3.6) as (plot, axes):
        for (label, line), style in zip(lines.items(), ("-", "--", "-.", ":"), strict=True):
            axes.plot(range(len(points)), line, style, label=label, linewidth=1.8)
        axes.set_xticks(range(len(points)), [str(p) for p in points])
        axes.set_xlabel("envido points of the hand")
        axes.yaxis.set_major_formatter(lambda y, _: f"{100 * y:.0f}%")
        axes.legend(loc="upper left", fontsize=8)
    return Figure("envido", plot, "How often it calls, accepts and raises envido, by the points it holds, at 0-0.")


TRUCO: dict[str, tuple[str, Callable[[dict[str, float]], float]]] = {
    "as mão, calls truco at once": ("mão, first", lambda m: m["truco"]),
    "as mão, goes to the deck at once": ("mão, first", lambda m: m["baralho"]),
    "as pé, takes truco called at once": ("pé, after truco", lambda m: 1 - m["nao"]),
}
SECONDS = {"4 to 7": (0, 4), "10 to 12": (4, 7), "ace or 2": (7, 9), "3 or better": (9, CLASSES)}
"""Groups of the second best card, as ranges of strength classes."""


def _by_cards(chances: Chances, counts: Callable[[dict[str, float]], float]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the sum of a probability over the hands, and the number of hands, by best and second best card."""
    sums, sizes = np.zeros((CLASSES, CLASSES)), np.zeros((CLASSES, CLASSES))
    for cards, mixture in chances:
        *_, second, best = sorted(int(k.STRENGTH[card]) - 1 for card in cards)
        sums[best, second] += counts(mixture)
        sizes[best, second] += 1
    return sums, sizes


def _truco_tables(chances: dict[str, Chances]) -> list[Table]:
    tables = []
    for title, (position, counts) in TRUCO.items():
        sums, sizes = _by_cards(chances[position], counts)
        rows: list[list[Any]] = []
        for best in reversed(range(CLASSES)):
            steps = [(sums[best, low:high].sum(), sizes[best, low:high].sum()) for low, high in SECONDS.values()]
            rows.append([CLASS_NAMES[best], *(f"{total / size:.0%}" if size else "-" for total, size in steps)])
        columns = ["best card", *(f"with {step}" for step in SECONDS)]
        tables.append(Table(f"Truco, by the two best cards: {title}", columns, rows, "At 0-0, without flor."))
    return tables


def _truco_chart(chances: dict[str, Chances]) -> Figure:
    """Draw the probabilities of calling truco first and of accepting it, by the two best cards."""
    with plot_style():
        plot = Plot(figsize=(12.6, 4.4))
        for i, (title, (position, counts)) in enumerate(TRUCO.items(), 1):
            sums, sizes = _by_cards(chances[position], counts)
            axes = plot.add_subplot(1, len(TRUCO), i)
            shares = np.divide(sums, sizes, out=np.full_like(sums, np.nan), where=sizes > 0)
            shown = axes.imshow(shares, origin="lower", vmin=0, vmax=1, cmap="viridis")
            axes.set_xticks(range(CLASSES), CLASS_NAMES, rotation=90, fontsize=7)
            axes.set_yticks(range(CLASSES), CLASS_NAMES, fontsize=7)
            axes.set_title(title, fontsize=9)
            axes.set_xlabel("second best card")
            axes.grid(visible=False)
        plot.axes[0].set_ylabel("best card")
        plot.colorbar(shown, ax=plot.axes, shrink=0.7, format=lambda y, _: f"{100 * y:.0f}%")
    return Figure("truco", plot, "How often it does so, by the two best cards it holds, at 0-0, without flor.")


def opening(hand: Game, spec: str) -> tuple[list[Table], list[Figure]]:
    """Return tables and charts: envido by points, truco by the two best cards."""
    agent = make_agent(spec, hand)
    assert isinstance(agent, Compiled)
    chances = {name: _chances(hand, agent, position) for name, position in POSITIONS.items()}
    tables = [_envido_table(chances), *_truco_tables(chances)]
    return tables, [_envido_chart(chances), _truco_chart(chances)]
