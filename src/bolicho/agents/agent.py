"""The base class of agents, and explanations of their decisions.

An agent derives from `Agent` and says how it acts; the rest has defaults:

>>> from bolicho import Agent
>>> class First(Agent):
...     "Always the first legal action."
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
from bolicho.words import Said, plain, words

Choice = Action | str | int
"""What `act` may return; the agents of the house return an `Action`."""

Mixture = Mapping[Any, float] | Sequence[float]
"""Probabilities of legal actions: by `Choice` (an action that is left out has 0), or in the order of `view.legal`."""


@dataclass(frozen=True, init=False)
class Explanation:
    """What a decision rests on: a sentence and, for who wants more, lines for people; facts for programs (JSON).

    The facts name the `action` that is explained, where it could be another.  `picture` is what a page may
    draw beside the sentence (JSON; see `agents.saying`).  A sentence or a line may be given as plain text.
    """

    sentence: Said
    facts: dict[str, Any]
    lines: tuple[Said, ...]
    picture: dict[str, Any] | None

    def __init__(
        self,
        sentence: Said | str,
        facts: dict[str, Any] | None = None,
        lines: Sequence[Said | str] = (),
        picture: dict[str, Any] | None = None,
    ) -> None:
        said = {"sentence": _said(sentence), "lines": tuple(map(_said, lines))}
        for name, value in {**said, "facts": facts or {}, "picture": picture}.items():
            object.__setattr__(self, name, value)

    def _repr_html_(self) -> str:
        say = words("en").say
        lines = "".join(f"<li>{html.escape(say(line))}</li>" for line in self.lines)
        return f"<p>{html.escape(say(self.sentence))}</p>" + (f"<ul>{lines}</ul>" if lines else "")

    def as_json(self) -> dict[str, Any]:
        """What people are shown, for pages: the sentence, the lines, the picture."""
        return {
            "why": self.sentence.as_json(),
            "lines": [line.as_json() for line in self.lines],
            "picture": self.picture,
        }


def _said(words: Said | str) -> Said:
    return plain(words) if isinstance(words, str) else words


@dataclass(frozen=True)
class Within:
    """Numbers that an option may be, both ends included: whole numbers where the ends are."""

    least: int | float
    most: int | float

    def __contains__(self, value: object) -> bool:
        is_number = type(value) is int or (type(value) is float and type(self.least) is float)
        return is_number and self.least <= value <= self.most  # type: ignore[operator]


Values = tuple[str, ...] | Within
"""The values that an option may have where anybody may choose it: over HTTP."""


class Agent:
    """A player.  Override `act`; the rest has a default that does nothing."""

    games: tuple[str, ...] | None = None
    """The games whose rules it was written for; None where `plays` knows better."""

    oracle: bool = False
    """Whether it is handed the full state.  For measuring only.  The class decides, once: what an
    object sets in itself changes nothing."""

    learns: bool = False
    """Whether one object is to play game after game.  Every other agent is made anew for each game."""

    def plays(self, game: Game) -> str | None:
        """Why it cannot play a game, as it was made; None where it can."""
        if self.games is None or game.name in self.games:
            return None
        return f"it plays {', '.join(self.games)}"

    def prepare(self, game: Game) -> None:
        """Get ready for games of these rules: load what is needed, or raise `BadInput` for what cannot be played.

        Called when the agent is made for a game, before anything is played.
        """

    def begin(self, game: Game, seat: int) -> None:
        """A game begins; called before the first view."""
        self.prepare(game)

    def act(self, view: View, rng: np.random.Generator) -> Choice:
        """One of `view.legal`, itself, as text or as number.  All chance comes from `rng`."""
        raise NotImplementedError(f"{type(self).__name__} does not say how it acts")

    def mixture(self, view: View) -> Mixture | None:
        """Return the probabilities with which `act` takes the legal actions of a view; None where they are not known.

        `bolicho exploit` computes the exact exploitability of an agent that states them.
        """
        return None

    def end(self, view: View) -> None:
        """The game is over; the last view."""

    def explain(self) -> Explanation | None:
        """What the last decision rested on, where the agent can tell."""
        return None

    def option_values(self, game: Game) -> Mapping[str, Values]:
        """The options that anybody may choose over HTTP, with their values: none is a path, an address or code."""
        return {}

    def files(self, game: Game) -> Sequence[Path]:
        """The files it plays that game from, beside those its options name: when they change, it is another agent."""
        return ()


def is_oracle(agent: Agent) -> bool:
    """Whether an agent's class asks for the full state."""
    return bool(type(agent).oracle)
