"""Inspection of decisions in finished runs: position, agent, action and its explanation."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from bolicho.agents.agent import Explanation
from bolicho.agents.play import advice
from bolicho.agents.registry import agent
from bolicho.arena.experiment import Experiment
from bolicho.arena.rows import EXPERIMENT, row_record
from bolicho.arena.seeds import Seed, luck
from bolicho.errors import BadInput
from bolicho.games.game import Table
from bolicho.games.kind import Action
from bolicho.games.record import Record, read_records, replay


@dataclass(frozen=True)
class InspectedDecision:
    """A position of a game, and the action chosen there."""

    table: Table  # before the action
    player: str  # spec of the agent to act
    chosen: Action | None  # None at the end of the record
    luck: Seed  # seed of the agents' luck in the game

    def ask(self, spec: str | None = None) -> tuple[Action, Explanation | None]:
        """Return an agent's action there and its explanation; by default of the agent to act, with its luck."""
        return advice(self.table, agent(spec or self.player, self.table.game), self.luck)


def before(table: Table, ply: int) -> Table:
    """Return a table before its action of that number, from 0."""
    if not 0 <= ply < table.ply:
        raise BadInput(f"the game has the plies 0 to {table.ply - 1}, and no ply {ply}")
    return table.back(ply)


def positions(
    file: Path,
    spec: str | None,
    row: int | None,
    ply: int | None,
    luck: Seed | None,
    table_of: Callable[[Record], Table] = replay,
) -> Iterator["InspectedDecision"]:
    """Yield the positions of the command `ask`: one ply of a run's game, or the last positions of a file's records."""
    if row is not None:
        if ply is None:
            raise BadInput("name the decision of that game: --ply K, from 0")
        found = decision(file, row, ply)
        yield replace(found, player=spec or found.player, luck=found.luck if luck is None else luck)
        return
    if file.is_dir():
        raise BadInput(f"{file} is a folder; name the game and the decision: --row N --ply K, both from 0")
    if spec is None:
        raise BadInput("name the agent to ask, as in: bolicho ask position.json balanced")
    for record in read_records(file):
        table = table_of(record)
        at = table if ply is None else before(table, ply)
        yield InspectedDecision(at, spec, None if ply is None else table.actions[ply], luck or 0)


def decision(folder: Path | str, row: int, ply: int) -> InspectedDecision:
    """Return the decision of a ply, from 0, in the game of a row of a finished run."""
    record = row_record(folder, row)
    experiment = Experiment.read(Path(folder) / EXPERIMENT)
    table = replay(record, experiment.make_game())
    position = before(table, ply)
    assert position.turn is not None and experiment.seed is not None
    deal = row // table.game.seats % experiment.duplicates
    return InspectedDecision(
        position, record["players"][position.turn], table.actions[ply], luck(experiment.seed, deal)
    )
