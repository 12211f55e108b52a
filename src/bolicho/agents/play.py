"""One game through the loop that plays all games.

>>> import bolicho
>>> from bolicho.agents.play import play
>>> played = play(bolicho.game("truco"), [bolicho.agent("random"), bolicho.agent("random")], seed=7)
>>> max(played.scores) >= 24 and played.forfeit is None
True

An agent gets the view of its seat (an oracle the open one) and its own random generator.  An agent that
fails forfeits the game and the loop continues: see `play`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bolicho.agents.agent import Agent, Explanation, is_oracle
from bolicho.agents.agent_errors import blamed
from bolicho.agents.loop import Deal, Forfeit, Outcome, Watch, forfeit_payoffs, play_deals
from bolicho.agents.mirrored_games import luck_of_seats
from bolicho.agents.player import Luck
from bolicho.agents.seated import number_of
from bolicho.errors import BadInput, IllegalAction
from bolicho.games.compiled.chance import stream
from bolicho.games.game import Game, Table
from bolicho.games.kind import Action

__all__ = ["Forfeit", "PlayedGame", "advice", "answer", "forfeit_payoffs", "play"]


@dataclass(frozen=True, eq=False)
class PlayedGame(Outcome):
    """Outcome of one game, and its table."""

    table: Table

    @property
    def plies(self) -> int:
        """Number of chosen actions."""
        return self.table.ply

    def record(self) -> dict[str, Any]:
        """Return the game as replayable JSON."""
        return self.table.record()

    def _repr_svg_(self) -> str:
        return self.table._repr_svg_()


def play(
    game: Game,
    agents: Sequence[Agent],
    seed: int = 0,
    *,
    table: Table | None = None,
    luck: int | str | None = None,
    oracles: Sequence[bool] | None = None,
    move_limit: float | None = None,
    watch: Watch | None = None,
) -> PlayedGame:
    """Play one game to its end: `agents[i]` sits at seat `i`, each its own object.

    Continues a given `table`; otherwise deals one from `seed`. The agents' chance comes from `luck`, by default the
    same seed. `oracles` selects by seat the agents that receive the full state, by default those whose class requires
    it; this is fixed before any agent is called.

    An agent that fails forfeits: see `loop.play_deals`. The limit covers each call of `begin`, `act` and `end` without
    compilation. In the main thread of a POSIX system a timer interrupts the call, and time while the process was
    stopped or the machine slept does not count: see `clock.Clock`. Compiled code cannot be interrupted; a late answer
    is a forfeit once it arrives. Without the timer this holds for every call, and only wall-clock time counts.
    """
    if len(agents) != game.seats:
        raise BadInput(f"{game.name} has {game.seats} seats, but {len(agents)} agents were given")
    start = game.deal(seed) if table is None else table
    keys = luck_of_seats(seed if luck is None else luck, game.seats)

    [outcome] = play_deals(
        game,
        [lambda agent=agent: agent for agent in agents],  # type: ignore[misc]
        [Deal(seed, range(game.seats), keys, start)],
        oracles=oracles,
        move_limit=move_limit,
        watch=watch,
    )
    return PlayedGame(**vars(outcome), table=start)


def advice(table: Table, agent: Agent, luck: int | str = 0) -> tuple[Action, Explanation | None]:
    """Return the action of an agent at a table, and its explanation; the table stays unchanged.

    Raises `BadInput` where the agent fails.
    """
    if table.turn is None:
        raise BadInput("the game is over: there is no decision to make")
    with blamed("the agent failed to decide"):
        action = answer(table, agent, luck_of_seats(luck, table.game.seats)[table.turn])
        return action, agent.explain()


def answer(table: Table, agent: Agent, key: int) -> Action:
    """Return the action of an agent that joins a table in the middle of a game, with the luck of this key."""
    seat = table.game.seat(table.turn)  # type: ignore[arg-type]
    agent.begin(table.game, seat)
    view = (table.open_view if is_oracle(agent) else table.view)(seat)
    number, why = number_of(agent.act(view, Luck.of(int(stream(np.uint64(key), table.ply)))), view)
    if why is not None:
        raise IllegalAction(f"ply {table.ply}: {why}")
    return table.game.action(view.state, number)
