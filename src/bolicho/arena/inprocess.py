"""Tournaments in this process, of classes, objects, factories and specs of agents.

>>> from bolicho import Agent
>>> from bolicho.arena.inprocess import tournament
>>> class First(Agent):
...     def act(self, view, rng):
...         return view.legal[0]
>>> found = tournament("truco", [First, "random", "balanced"], duplicates=20, seed=1)
>>> found.agents[0]                                       # best first
'balanced'
>>> found.won("First", "balanced").value < 0.5
True

Deals, seats and statistics are those of `bolicho tournament` (`arena.run`); there are no files, no resuming and no
separate processes, and an exception of an agent ends the tournament.  All rotations of a deal are played in this
process, so an agent that remembers games in its module or class knows hands of its opponent; `check_agent` finds such
agents.
"""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from bolicho.agents.agent import Agent, is_oracle
from bolicho.agents.mirrored_games import meet, rotated
from bolicho.agents.registry import recipe
from bolicho.arena.experiment import Experiment
from bolicho.arena.pairing import Pairing, pairings
from bolicho.arena.rows import Games, no_games
from bolicho.arena.run import QUIET_SECONDS
from bolicho.arena.summary import partial_table
from bolicho.errors import BadInput, unknown
from bolicho.games import game as find_game
from bolicho.games.game import Game
from bolicho.progress import progress
from bolicho.stats import Estimate

Player = str | type[Agent] | Agent | Callable[[], Agent]
"""A spec; a class, made anew for every game; an object, copied for every game; or a factory."""


@dataclass(frozen=True)
class Standings:
    """Result of a tournament: `result` has the keys of a run's `result.json` (see `arena.summary`)."""

    game: Game
    result: dict[str, Any]

    @property
    def agents(self) -> list[str]:
        """Names of the agents, best first."""
        return [row["agent"] for row in self.result["agents"]]

    def rate(self, agent: str) -> Estimate:
        """Return the share of its games that an agent won."""
        rows = {row["agent"]: row for row in self.result["agents"]}
        if agent not in rows:
            raise unknown("agent of this tournament", agent, rows)
        return Estimate.read(rows[agent]["rate"])

    def won(self, agent: str, against: str) -> Estimate:
        """Return the win rate of an agent against another."""
        for pair in self.result["pairs"]:
            if (pair["agent"], pair["against"]) == (agent, against):
                return Estimate.read(pair["rate"])
            if (pair["agent"], pair["against"]) == (against, agent):
                return Estimate.read(pair["rate"]).rest()
        raise BadInput(f"no pairing of {agent} and {against} in this tournament of {', '.join(self.agents)}")

    def _repr_html_(self) -> str:
        from bolicho.arena.standings import standings_html

        return standings_html(self.result)


@dataclass(frozen=True)
class _Here:
    """The part of an experiment that the statistics need."""

    game: Game
    agents: tuple[str, ...]
    duplicates: int
    seed: int

    def make_game(self) -> Game:
        return self.game

    def pairings(self) -> list[Pairing]:
        return pairings(len(self.agents), self.game.seats)


def tournament(
    game: str | Game,
    agents: Sequence[Player] | Mapping[str, Player],
    duplicates: int = 100,
    seed: int = 1,
    **rules: Any,
) -> Standings:
    """Play a round-robin tournament, each deal from every seat.

    A mapping gives the agents names; otherwise the name is the spec, or the name of the class.  A longer tournament
    shows a progress bar on stderr.
    """
    chosen = find_game(game, **rules) if isinstance(game, str) else game
    named = dict(agents) if isinstance(agents, Mapping) else _named(agents)
    if len(named) < 2:
        raise BadInput(f"a tournament needs two agents or more, not {len(named)}")
    if duplicates < 1:
        raise BadInput(f"duplicates must be 1 or more, not {duplicates}")
    makers = {name: _maker(name, player, chosen) for name, player in named.items()}
    here = _Here(chosen, tuple(named), duplicates, seed)
    total = len(here.pairings()) * duplicates * chosen.seats
    with progress("playing", total, "games", after=QUIET_SECONDS) as bar:
        played = _play(here, list(makers.values()), bar.advance)
    table = partial_table(cast(Experiment, here), played)
    known = {name: {"oracle": is_oracle(make()), "learns": False, "built_in": True} for name, make in makers.items()}
    about = {"game": chosen.name, "title": chosen.kind.title, "rules": dict(chosen.options)}
    rows = [{**row, **known[row["agent"]]} for row in table["agents"]]
    return Standings(chosen, {**about, "duplicates": duplicates, "seed": seed, **table, "agents": rows})


def _play(here: _Here, makers: Sequence[Callable[[], Agent]], advance: Callable[[int], None]) -> Games:
    games, seats = no_games(cast(Experiment, here)), here.game.seats
    for number, pairing in enumerate(here.pairings()):
        met = meet(here.game, [makers[agent] for agent in pairing], here.duplicates, here.seed, advance=advance)
        for rotation in range(seats):
            places = rotated(range(seats), rotation)  # index in the pairing, by seat
            games.payoffs[number, :, rotation] = met.payoffs[:, rotation, places]
            games.scores[number, :, rotation] = met.scores[:, rotation, places]
    games.plies[:] = 0
    return games


def _named(agents: Sequence[Player]) -> dict[str, Player]:
    """Return the agents by unique names."""
    if isinstance(agents, str):
        raise BadInput(f"agents must be a list, not the text {agents!r}")
    named: dict[str, Player] = {}
    for player in agents:
        name = first = _name(player)
        count = 1
        while name in named:
            count += 1
            name = f"{first} {count}"
        named[name] = player
    return named


def _name(player: Player) -> str:
    if isinstance(player, str):
        return player
    return type(player).__name__ if isinstance(player, Agent) else getattr(player, "__name__", type(player).__name__)


def _maker(name: str, player: Player, game: Game) -> Callable[[], Agent]:
    """Return a factory of an agent; raise `BadInput` if it cannot be made or does not play the game."""
    if isinstance(player, str):
        recipe(player, game.name).make(game)
        return recipe(player, game.name).maker(game)
    make: Callable[[], Agent] = (lambda: copy.deepcopy(player)) if isinstance(player, Agent) else player
    if not callable(make) or not isinstance(made := make(), Agent):
        raise BadInput(
            f"{name} is not an agent: give a spec, a class that derives from bolicho.Agent, or one of its objects"
        )
    if (why := made.plays(game)) is not None:
        raise BadInput(f"the agent {name} does not play {game.name}: {why}")
    return make
