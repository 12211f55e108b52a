"""Contribution of each part of inference search: each part alone, all without one, and all parts."""

import re
from dataclasses import dataclass, replace
from typing import Any

from bolicho.agents.search.binding import END, binding
from bolicho.agents.search.infer import NONE
from bolicho.agents.spec import write_spec
from bolicho.arena.experiment import Experiment
from bolicho.arena.rows import read_games
from bolicho.arena.summary import timing
from bolicho.games import BUILT_IN
from bolicho.lab.dominoes.meetings import points_rate
from bolicho.lab.study import Cell, Effort, Findings, Table, standing

AGAINST = {
    "truco": ("balanced",),
    "dominoes": ("rule",),
    "fives": ("rule",),
    "wonders": ("rules", "dqn-plus"),
}
"""Opponents of the search, by game."""

ELSEWHERE = {
    "truco": (("cfr",), ("markov-plus",)),
    "dominoes": (("sarsa",), ("random",)),
    "fives": (("sarsa",), ("random",)),
    "wonders": (("neural-plus", "dqn-plus"),),
}
"""Opponents that differ, all or some, from the search's model of them."""

BY_POINTS = ("dominoes", "fives")
"""Games compared by the rate of points, as in the study of dominoes."""

DEALS = {"truco": (2, 60), "dominoes": (4, 500), "fives": (4, 500), "wonders": (1, 40)}
"""Deals of a row, in a quick and in a full run."""

QUICK = 60  # iterations per decision in a quick run; a full run takes those of the plan


@dataclass(frozen=True)
class Parts:
    """The parts that a search has."""

    weights: bool = False  # weights of worlds by a model of the other seats
    modelled: bool = False  # the model chooses the actions of the other seats in the tree
    playouts: bool = False  # playouts by a player, not at random
    leaves: bool = False  # the end of the hand, or a net, ends playouts

    def spec(self, game: str, iterations: int) -> str:
        """Return the spec of the agent with these parts; without any it is `mcts`."""
        plan = binding(game).plan
        options: dict[str, Any] = {"iterations": iterations}
        if self == Parts():
            return write_spec("mcts", options)
        options["model"] = plan.model if self.weights or self.modelled else NONE
        options["weigh"] = self.weights
        options["opponents"] = "modelled" if self.modelled else "auto"
        options["playouts"] = plan.playouts if self.playouts else "random"
        options["leaves"] = plan.leaves if self.leaves else END
        return write_spec("infer", options)


NAMES = {
    "weights": "worlds weighed by the model",
    "modelled": "others in the tree by the model",
    "playouts": "playouts by a player",
    "leaves": "the hand, or a net, at the leaves",
}


def rows_of(game: str) -> dict[str, Parts]:
    """Return the searches to compare: none, each part alone, all but one, all."""
    parts = [part for part in NAMES if part != "leaves" or binding(game).plan.leaves != END]
    whole = Parts(**dict.fromkeys(parts, True))
    return {
        "none (mcts)": Parts(),
        **{f"only: {NAMES[part]}": replace(Parts(), **{part: True}) for part in parts},
        **{f"all but: {NAMES[part]}": replace(whole, **{part: False}) for part in parts},
        "all": whole,
    }


def run(effort: Effort) -> Findings:
    """Play every search against the same opponents on the same deals."""
    findings = Findings(
        notes=[
            "Every deal is played from every seat; intervals are 95%, from deal to deal. Iterations are those of the "
            "plans, at most 50 ms a decision with all parts; the quick study has fewer."
        ]
    )
    for game in BUILT_IN:
        iterations = effort.pick(quick=QUICK, full=binding(game).plan.iterations)
        rows = [
            _row(effort, game, label, parts.spec(game, iterations), AGAINST[game])
            for label, parts in rows_of(game).items()
        ]
        at = " and ".join(AGAINST[game])
        findings.tables.append(
            Table(f"{game}, at the table of {at}", _columns(game), rows, f"{iterations} iterations.")
        )
        whole = write_spec("infer", {"iterations": iterations})
        others = [_row(effort, game, " and ".join(who), whole, who) for who in ELSEWHERE[game]]
        findings.tables.append(Table(f"{game}: all parts, at other tables", ["against", *_columns(game)[1:]], others))
    return findings


def _columns(game: str) -> list[str]:
    return ["parts", *(["rate of points"] if game in BY_POINTS else []), "games won", "ms a decision"]


def _row(effort: Effort, game: str, label: str, spec: str, against: tuple[str, ...]) -> list[Cell]:
    deals = effort.pick(quick=DEALS[game][0], full=DEALS[game][1])
    experiment = Experiment(game, (spec, *against), duplicates=deals, seed=effort.seed, move_limit=None)
    named = re.sub(r"\W+", "-", f"{game} {label} {' '.join(against)}")
    done = effort.play(experiment, named)
    games = read_games(done.folder, done.experiment)
    own = experiment.agents[0]
    won = next(row for row in done.result["agents"] if row["agent"] == own)
    cells: list[Cell] = [label, *standing(won, "rate")]
    if game in BY_POINTS:
        cells.insert(1, points_rate(games, 0))
    return [*cells, 1000 * timing(experiment, games)[0]["mean"]]
