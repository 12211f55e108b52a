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

from collections.abc import Sequence
from typing import Any, Literal

from bolicho.agents.cfr.analyse import Judge, hand_of
from bolicho.agents.llm.prompt import Prompter, Prompting
from bolicho.agents.loop import forfeit_payoffs
from bolicho.agents.mirrored_games import deal_seed, luck_of_seats
from bolicho.agents.play import answer
from bolicho.agents.registry import agent
from bolicho.errors import BadInput
from bolicho.games import game as find_game
from bolicho.games.game import Table

__all__ = ["TableEnvironment"]

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
