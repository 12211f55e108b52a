"""Base class of agents, and explanations of their decisions.

An agent derives from `Agent` and implements `act`; all other methods have defaults:

>>> from bolicho import Agent
>>> class First(Agent):
...     "Play the first legal action."
...     def act(self, view, rng):
...         return view.legal[0]
"""

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bolicho.games.game import Game, View
from bolicho.games.kind import Action
from bolicho.i18n import Message, catalogue, plain

Choice = Action | str | int
"""Types that `act` may return; the built-in agents return an `Action`."""

Mixture = Mapping[Any, float] | Sequence[float]
"""Probabilities of legal actions: by `Choice` (an action that is left out has 0), or in the order of `view.legal`."""


@dataclass(frozen=True, init=False)
class Explanation:
    """Explanation of a decision: a sentence, optional detail lines for readers, and facts for programs (JSON).

    The facts contain the explained `action` where several actions are possible. `picture` is data for a drawing beside
    the sentence (JSON; see `agents.explanation`). A sentence or a line may be plain text.
    """

    sentence: Message
    facts: dict[str, Any]
    lines: tuple[Message, ...]
    picture: dict[str, Any] | None

    def __init__(
        self,
        sentence: Message | str,
        facts: dict[str, Any] | None = None,
        lines: Sequence[Message | str] = (),
        picture: dict[str, Any] | None = None,
    ) -> None:
        said = {"sentence": _said(sentence), "lines": tuple(map(_said, lines))}
        for name, value in {**said, "facts": facts or {}, "picture": picture}.items():
            object.__setattr__(self, name, value)

    def _repr_html_(self) -> str:
        say = catalogue("en").say
        lines = "".join(f"<li>{html.escape(say(line))}</li>" for line in self.lines)
        return f"<p>{html.escape(say(self.sentence))}</p>" + (f"<ul>{lines}</ul>" if lines else "")

    def as_json(self) -> dict[str, Any]:
        """Return the sentence, the lines and the picture as JSON for web pages."""
        return {
            "why": self.sentence.as_json(),
            "lines": [line.as_json() for line in self.lines],
            "picture": self.picture,
        }


def _said(words: Message | str) -> Message:
    return plain(words) if isinstance(words, str) else words


@dataclass(frozen=True)
class Within:
    """Closed range of an option; a range of integers where both ends are integers."""

    least: int | float
    most: int | float

    def __contains__(self, value: object) -> bool:
        is_number = type(value) is int or (type(value) is float and type(self.least) is float)
        return is_number and self.least <= value <= self.most  # type: ignore[operator]


Values = tuple[str, ...] | Within
"""Values of an option that any client may set over HTTP."""


class Agent:
    """Base class of agents. Override `act`; the other methods default to no action."""

    games: tuple[str, ...] | None = None
    """Games that the agent supports; None where `plays` decides."""

    oracle: bool = False
    """True if the agent receives the full state; for measurements only.

    The loop reads it from the class, so an attribute of an instance has no effect.
    """

    learns: bool = False
    """True if one object plays all games in sequence. Any other agent is created anew for each game."""

    def plays(self, game: Game) -> str | None:
        """Return the reason why the agent, with its options, cannot play a game; None where it can."""
        if self.games is None or game.name in self.games:
            return None
        return f"it plays {', '.join(self.games)}"

    def prepare(self, game: Game) -> None:
        """Load what games of these rules need, or raise `BadInput` where the agent cannot play them.

        Called when the agent is created for a game, before the first action.
        """

    def keep_in(self, folder: Path) -> None:
        """Take note of the folder of a run, for agents that keep files beside its games; called before they begin."""

    def begin(self, game: Game, seat: int) -> None:
        """Start a game; called before the first view."""
        self.prepare(game)

    def act(self, view: View, rng: np.random.Generator) -> Choice:
        """Return one of `view.legal`: the action, its text or its number. Take all chance from `rng`."""
        raise NotImplementedError(f"{type(self).__name__} does not implement act")

    def mixture(self, view: View) -> Mixture | None:
        """Return the probabilities with which `act` takes the legal actions of a view; None where they are not known.

        `bolicho exploit` computes the exact exploitability of an agent that states them.
        """
        return None

    def end(self, view: View) -> None:
        """End a game; `view` is the last view."""

    def explain(self) -> Explanation | None:
        """Return an explanation of the last decision, or None."""
        return None

    def option_values(self, game: Game) -> Mapping[str, Values]:
        """Return the options that any client may set over HTTP, with their values: no paths, addresses or code."""
        return {}

    def files(self, game: Game) -> Sequence[Path]:
        """Return the files that the agent reads for a game, except those named by options.

        A change of one of these files changes the agent's identity.
        """
        return ()


def is_oracle(agent: Agent) -> bool:
    """Return whether an agent's class requires the full state."""
    return bool(type(agent).oracle)
