"""Agents that play by nets."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.agent import Agent, Explanation
from bolicho.agents.explanation import bar, bars, chain, listed, named, signed
from bolicho.agents.learned import LearnedAgent
from bolicho.agents.neural import kernel
from bolicho.agents.neural.net import Nets, binding, game_of, layers, load
from bolicho.games.game import Game, View
from bolicho.games.kind import Action
from bolicho.i18n import Fact, Message
from bolicho.store.artifact import has_artifact

TOLD = 3  # number of actions in an explanation ...
DRAWN = 12  # ... and of its picture
REASONS = 4  # number of inputs in an explanation
ANY_GAME = "GAME"  # placeholder for the game in the name of an artifact


class NetAgent(LearnedAgent):
    """Plays the action its net likes best.

    `weights` is the name or the path of an artifact, where GAME stands for the name of the game; `values` tells whether
    the outputs are action values (Q-learning) or preferences of a teacher (imitation).
    """

    def __init__(self, weights: str, values: bool = False) -> None:
        self.weights = weights
        self.values = values

    def plays(self, game: Game) -> str | None:
        if ANY_GAME in self.weights and not has_artifact(self.artifact_of(game)):
            return "it has no nets for this game"
        learned = game_of(self.artifact_of(game))
        return None if learned in (None, game.name) else f"the nets {self.weights} were trained on {learned}"

    def artifact_of(self, game: Game) -> str:
        return self.weights.replace(ANY_GAME, game.name)

    def model(self, game: Game) -> Nets:
        """Return the trained model of a game."""
        return load(game, self.artifact_of(game))

    def player(self, game: Game) -> kernel.Net:
        return self.model(game).player(game)

    def explain_choice(self, view: View, action: Action) -> Explanation:
        net = self.player(view.game)
        best = kernel.choose(view.pool, view.seat, net)
        said = net.values[: len(view.numbers)]
        if not self.values:
            said = np.exp(said - said.max())
            said = said / said.sum()
        known = np.argsort(-said, kind="stable")[: np.isfinite(said).sum()]  # an action without an output has no value
        order = [best, *(i for i in known.tolist() if i != best)]
        actions = [(view.legal[i], float(said[i])) for i in order]
        told = {str(action): value for action, value in actions[:TOLD]}
        reasons = self._reasons(view, view.numbers[best])
        chosen = str(actions[0][0])
        shown = [
            bar(named(view, action), value, self._value(value), action == chosen) for action, value in actions[:DRAWN]
        ]
        how = "valued" if self.values else "likely"
        return Explanation(
            self._sentence(
                how,
                [(named(view, action), value) for action, value in actions[:TOLD]],
                [(say(view.game, name), effect) for name, effect in reasons],
            ),
            {"action": chosen, "actions": told, "inputs": dict(reasons), "weights": self.artifact_of(view.game)},
            picture=bars(f"neural.title.{how}", "value" if self.values else "share", chosen, shown),
        )

    def _sentence(
        self, how: str, actions: list[tuple[Message, float]], reasons: list[tuple[Message, float]]
    ) -> Message:
        told = [Message("agents.neural.told", action=name, value=self._value(value)) for name, value in actions]
        because = [Message("agents.neural.told", action=name, value=signed(effect)) for name, effect in reasons]
        said = Message(f"agents.neural.{how}", told=listed(told))
        return chain([said, Message("agents.neural.because", because=listed(because))]) if because else said

    def _value(self, value: float) -> Fact:
        return value if self.values else Message("agents.percent", value=value)

    def _reasons(self, view: View, action: int) -> list[tuple[str, float]]:
        """The inputs with the largest effect on an action: their value times the slope of its output."""
        nets = self.model(view.game)
        inputs = np.zeros(max(sizes[0] for sizes in nets.sizes), np.float32)
        which = kernel.read(view.pool, view.seat, nets.number, inputs)
        place = kernel.output_of(view.pool, nets.number, action)
        if place < 0:
            return []
        effect = _slopes(nets, which, inputs[: nets.sizes[which][0]], place)
        names: Sequence[str] = input_names(view.game, nets.coding, which)
        largest = np.argsort(-np.abs(effect), kind="stable")[:REASONS]
        return [(names[i], float(effect[i])) for i in largest if effect[i]]


@lru_cache
def input_names(game: Game, coding: str, which: int) -> tuple[str, ...]:
    """Return a name for each input of a net."""
    if coding == "features":
        return game.feature_names
    return tuple(binding(game.name).input_names(game, coding, which))


def say(game: Game, name: str) -> Message:
    """Return the translation of an input's name."""
    return binding(game.name).say_input(name)


def _slopes(nets: Nets, which: int, inputs: NDArray[np.float32], place: int) -> NDArray[Any]:
    """Return input times gradient of one output."""
    places = layers(nets.sizes, which)
    matrices = [nets.weights[matrix].reshape(shape) for matrix, _, shape in places]
    open_units = []
    values = inputs
    for (_, biases, _), matrix in zip(places[:-1], matrices[:-1], strict=True):
        values = values @ matrix + nets.weights[biases]
        open_units.append(values > 0)
        values = np.maximum(values, 0)
    slope = matrices[-1][:, place]
    for matrix, is_open in zip(reversed(matrices[:-1]), reversed(open_units), strict=True):
        slope = matrix @ (slope * is_open)
    return np.asarray(inputs * slope)


# --- Shipped agents -----------------------------------------------------------------------------


def neural(weights: str = "neural-wonders") -> Agent:
    """Create the imitation agent of Pereira 2021."""
    return NetAgent(weights)


def neural_plus(weights: str = "neural-plus-GAME") -> Agent:
    """Create the imitation agent with our inputs, one net per game."""
    return NetAgent(weights)


def dqn(weights: str = "dqn-wonders") -> Agent:
    """Create the Q-learning agent of Pereira 2021."""
    return NetAgent(weights, values=True)


def dqn_plus(weights: str = "dqn-plus-GAME") -> Agent:
    """Create our Q-learning agent."""
    return NetAgent(weights, values=True)
