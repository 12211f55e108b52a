"""Analysis of a finished match of any game with a judge: the value of each choice of a seat, one by one.

Truco has an analysis of its own (`analysis`), which weighs what the other seat may hold by its actions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bolicho.agents.explanation import signed
from bolicho.agents.registry import agent
from bolicho.errors import BadInput
from bolicho.games.game import Game, Table
from bolicho.i18n import Fact, Message, Seat
from bolicho.lab import puzzles
from bolicho.web.puzzles import choices_shown
from bolicho.web.workers import DecisionRequest

OTHERWISE = "mcts"  # judge of rules that a game's own judge does not play
MISTAKE = {"points": 0.5, "share": 0.5}  # least cost of a mistake, by unit
BIGGEST = 3  # mistakes in the summary


def is_judged(game: str) -> bool:
    """Return whether the choices of a game are judged here."""
    return game in puzzles.PLANS


def judge_of(game: Game) -> str:
    """Return the agent that judges the choices of a game."""
    spec = puzzles.PLANS[game.name].judge
    try:
        agent(spec, game)
    except BadInput:
        return OTHERWISE
    return spec


def judge_choice(thought: DecisionRequest, seat: int, ply: int) -> tuple[str, list[dict[str, Any]]]:
    """Return the judge, and the values of a seat's choice at a ply; runs in a worker process."""
    whole = thought.table()
    table = whole.back(ply)
    by = judge_of(table.game)
    unit, values = puzzles.judged(table, by)
    return by.partition("(")[0], [
        {"ply": ply, "seat": seat, "chosen": str(whole.actions[ply]), "unit": unit, "values": values}
    ]


@dataclass(frozen=True)
class Choices:
    """Judged choices of a seat so far, and the call that judges more."""

    seat: int
    by: str
    table: Table
    rows: list[dict[str, Any]]
    thought: DecisionRequest
    names: Sequence[str]

    judge = staticmethod(judge_choice)

    @property
    def plies(self) -> list[int]:
        """Return the plies of the seat's choices, without forced ones."""
        made = [entry for entry in self.table.log if entry["event"] == "chose"]
        own = [ply for ply, entry in enumerate(made) if entry["seat"] == self.seat]
        return [ply for ply in own if len(self.table.back(ply).legal) > 1]

    @property
    def done(self) -> int:
        """Return the number of judged choices."""
        return len(self.rows)

    @property
    def of(self) -> int:
        """Return the number of all choices."""
        return len(self.plies)

    def next_part(self) -> int | None:
        """Return the first ply that is not judged yet."""
        judged = {row["ply"] for row in self.rows}
        return next((ply for ply in self.plies if ply not in judged), None)

    def as_json(self, since: int) -> dict[str, Any]:
        """Return the choices from a number on for the page, and a summary once all are judged."""
        facts = {"seat": self.seat, "names": self.names, "by": self.by or None, "of": self.of, "done": self.done}
        facts |= {"decisions": [self._told(row) for row in self.rows[since:]], "summary": None, "biggest": []}
        if self.done == facts["of"]:
            costs = [(self._cost(row), row) for row in self.rows]
            made = sorted((one for one in costs if self._is_mistake(*one)), key=lambda one: -one[0])
            facts["summary"] = [
                Message("analyse.choices", who=Seat(self.seat), n=self.done, m=len(made), by=self.by).as_json(),
                Message("analyse.biggest" if made else "analyse.none", n=min(len(made), BIGGEST)).as_json(),
            ]
            facts["biggest"] = [
                {"ply": row["ply"], "cards": [], "says": self._mistake(row, number).as_json()}
                for number, (_, row) in enumerate(made[:BIGGEST], 1)
            ]
        return facts

    @staticmethod
    def _cost(row: dict[str, Any]) -> float:
        return float(max(row["values"].values()) - row["values"][row["chosen"]])

    def _is_mistake(self, cost: float, row: dict[str, Any]) -> bool:
        return cost >= MISTAKE[row["unit"]]

    def _name(self, table: Table, action: str) -> Message:
        return self.table.game.kind.name_action(table.state, action)

    def _told(self, row: dict[str, Any]) -> dict[str, Any]:
        table, cost = self.table.back(row["ply"]), self._cost(row)
        shown = choices_shown(table, row["values"], row["chosen"], row["unit"])
        verdict = self._verdict(row, table) if self._is_mistake(cost, row) else Message("analyse.nothing")
        return {
            **{name: row[name] for name in ("ply", "values", "unit")},
            "chosen": self._name(table, row["chosen"]).as_json(),
            "cost": cost,
            "mistake": self._is_mistake(cost, row),
            "bars": shown["bars"],
            "verdict": verdict.as_json(),
        }

    def _verdict(self, row: dict[str, Any], table: Table) -> Message:
        best = self._name(table, puzzles.best(row["values"]))
        if row["unit"] == "share":
            return Message("analyse.otherwise", action=best, by=self.by)
        return Message("analyse.costs", points=self._cost(row))

    def _mistake(self, row: dict[str, Any], number: int) -> Message:
        table, values = self.table.back(row["ply"]), row["values"]
        best = puzzles.best(values)
        names: dict[str, Fact] = {
            "number": number,
            "action": self._name(table, row["chosen"]),
            "best": self._name(table, best),
        }
        if row["unit"] == "share":
            return Message("analyse.mistake.share", by=self.by, share=values[best], **names)
        return Message(
            "analyse.mistake.choice", chosen=signed(values[row["chosen"]]), value=signed(values[best]), **names
        )
