"""Games as environments for training language models by reinforcement learning.

`TableEnvironment` has the form of an environment of TRL's `GRPOTrainer` (`environment_factory`), without depending on
it: `reset` returns the first observation, the method `play` is the tool that the model calls, and `get_reward` scores
the finished game. `decisions` yields positions of Truco with the mixture of a strategy near equilibrium.

>>> environment = TableEnvironment("truco", ["random"], hands=1)
>>> "The legal actions are exactly" in environment.reset()
True
>>> while not environment.over:
...     observation = environment.play(environment.legal[0])
>>> environment.get_reward() == environment.table.payoffs[environment.seat]
True
"""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from bolicho import __version__
from bolicho.agents.cfr.analyse import Judge, hand_of
from bolicho.agents.llm.prompt import Prompter, Prompting
from bolicho.agents.loop import forfeit_payoffs
from bolicho.agents.mirrored_games import deal_seed, luck_of_seats
from bolicho.agents.play import answer, play
from bolicho.agents.registry import agent
from bolicho.errors import BadInput
from bolicho.files import write_text_atomic
from bolicho.games import game as find_game
from bolicho.games.game import Table
from bolicho.machine import machine

__all__ = ["TableEnvironment", "decisions", "write_decisions"]

MOST_ILLEGAL = 2
"""Illegal actions in a row that lose the game, as for the agent `llm`."""

PROMPTING = Prompting()


class TableEnvironment:
    """A seat at a table against agents; the deal and the seat come from a row of the data set, or by turns.

    With `reward="outcome"` the reward is the payoff of the seat; with `"value"` what its decisions cost by the
    strategy `cfr`, less the payoff's luck (single hands of Truco). A game that was not finished is forfeited.
    """

    def __init__(
        self,
        game: str = "truco",
        opponents: Sequence[str] = ("random",),
        reward: Literal["outcome", "value"] = "outcome",
        seed: int = 1,
        prompting: Prompting = PROMPTING,
        **rules: Any,
    ) -> None:
        self._game = find_game(game, **rules)
        if len(opponents) != self._game.seats - 1:
            raise BadInput(f"{game} has {self._game.seats} seats here, so it takes {self._game.seats - 1} opponents")
        if reward == "value" and (game != "truco" or self._game.options.get("hands") != 1):
            raise BadInput('reward="value" needs single hands of Truco: TableEnvironment("truco", ..., hands=1)')
        self._opponents = [agent(spec, self._game) for spec in opponents]
        self._reward = reward
        self._seed = seed
        self._prompter = Prompter(self._game, prompting)
        self._played = 0
        self.reset()

    def reset(self, seed: int | None = None, seat: int | None = None, **row: Any) -> str:
        """Deal a new game and return the rules and the first observation; other columns of a row are ignored.

        Without a seed, deals that end before the seat has a decision are passed over.
        """
        while True:
            number, self._played = self._played, self._played + 1
            deal = deal_seed(self._seed, number // self._game.seats) if seed is None else seed
            self.seat = self._game.seat(number % self._game.seats if seat is None else seat)
            self.table: Table = self._game.deal(deal)
            self._luck = luck_of_seats(f"{self._seed} {deal}", self._game.seats)
            self._illegal = 0
            self._others_play()
            if seed is not None or not self.table.over:
                return f"{self._prompter.rules()}\n{self._observed()}"

    def play(self, action: str) -> str:
        """
        Play one of the legal actions and see what follows.

        Args:
            action: The action, exactly as it is listed among the legal actions.

        Returns:
            What happened since, and the new legal actions.
        """
        if self.over:
            return "The game is over."
        names = self._prompter.names(self.table.view(self.seat))
        if action not in names:
            self._illegal += 1
            return "That is not a legal action. " + ("The game is lost." if self.over else self._task())
        self._illegal = 0
        self.table.play(names[action])
        self._others_play()
        return self._observed()

    def get_reward(self) -> float:
        """Return the reward of the game; -1 if it was not finished."""
        if not self.table.over:
            return forfeit_payoffs(self._game.seats, self.seat)[self.seat]
        if self._reward == "value":
            return -sum(one.cost for one in Judge(hand_of(self._game), "cfr").decisions(self.table, self.seat))
        return self.table.payoffs[self.seat]

    @property
    def over(self) -> bool:
        """Whether the game is over, or lost by illegal actions."""
        return self.table.over or self._illegal >= MOST_ILLEGAL

    @property
    def legal(self) -> list[str]:
        """Texts of the legal actions, as the observation lists them."""
        return [] if self.over else list(self._prompter.names(self.table.view(self.seat)))

    def _others_play(self) -> None:
        while self.table.turn not in (None, self.seat):
            turn = self.table.turn
            assert turn is not None
            opponent = self._opponents[turn - (turn > self.seat)]
            self.table.play(answer(self.table, opponent, self._luck[turn]))

    def _observed(self) -> str:
        told = self._prompter.position(self.table.view(self.seat))
        return f"{told}\n\nThe game is over." if self.table.over else f"{told}\n\n{self._task()}"

    def _task(self) -> str:
        return f"The legal actions are exactly: {', '.join(self.legal)}. Call `play` with one of them."


# --- Decisions with mixtures --------------------------------------------------------------------


def decisions(
    hands: int,
    seed: int = 1,
    by: str = "cfr",
    agents: Sequence[str] = ("cfr", "balanced"),
    prompting: Prompting = PROMPTING,
    advance: Callable[[int], None] = lambda done: None,
) -> Iterator[dict[str, Any]]:
    """Yield the decisions of agents in hands of Truco, with the mixture and the values of a strategy.

    A row has `prompt` (messages as the agent `llm` sends them), `legal`, `mixture` and `values` (in that order), the
    `action` that was taken, and where it comes from: `seed`, `seat`, `ply`. Each hand is played from both seats.
    """
    game = find_game("truco", hands=1)
    judge, prompter = Judge(game, by), Prompter(game, prompting)
    for number in range(hands):
        deal, turned = deal_seed(seed, number // 2), number % 2
        seated = [agent(spec, game) for spec in (reversed(agents) if turned else agents)]
        table = play(game, seated, deal, luck=f"{seed} {number}").table
        for one in judge.decisions(table):
            view = table.back(one.ply).view(one.seat)
            names = prompter.names(view)
            told = {str(game.action(view.state, at)): name for name, at in names.items()}
            yield {
                "prompt": prompter.talk(view),
                "legal": list(names),
                "mixture": [one.mixture[action] for action in told],
                "values": [one.values[action] for action in told],
                "action": told[one.chosen],
                "seed": str(deal),  # text: data frames read larger numbers as floats
                "seat": one.seat,
                "ply": one.ply,
            }
        advance(number + 1)


def write_decisions(path: Path, hands: int, seed: int = 1, by: str = "cfr", **options: Any) -> int:
    """Write decisions as JSON lines, and beside them their origin as `NAME.made.json`; return their number."""
    rows = [json.dumps(row, ensure_ascii=False) for row in decisions(hands, seed, by, **options)]
    write_text_atomic(path, "".join(f"{row}\n" for row in rows))
    made = {"bolicho": __version__, "hands": hands, "seed": seed, "by": by, "decisions": len(rows)}
    made["command"] = f"bolicho dataset {path.name} --hands {hands} --seed {seed} --by {by}"
    made["machine"] = machine()
    write_text_atomic(path.with_name(f"{path.name}.made.json"), json.dumps(made, indent=1) + "\n")
    return len(rows)
