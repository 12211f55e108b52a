"""A person at the terminal."""

import sys

import numpy as np

from bolicho.agents.agent import Agent, Choice
from bolicho.games.game import View


class Human(Agent):
    """You, in the terminal: type an action, a part of it, or ? for the rules of the moment."""

    def __init__(self) -> None:
        self._seen = 0

    def begin(self, game: object, seat: int) -> None:
        self._seen = 0

    def act(self, view: View, rng: np.random.Generator) -> Choice:
        self._tell(view)
        print(f"\n{view}", file=sys.stderr)
        print(f"  you may {', '.join(view.legal)}", file=sys.stderr)
        while True:
            try:
                typed = input("> ").strip()
            except EOFError:
                raise KeyboardInterrupt from None
            found = _match(typed, view)
            if len(found) == 1:
                return found[0]
            choices = ", ".join(found or view.legal)
            print(f"  {'which of' if found else 'please type one of'} {choices}?", file=sys.stderr)

    def end(self, view: View) -> None:
        self._tell(view)

    def _tell(self, view: View) -> None:
        """What has happened since the last look."""
        history = view.history
        for happened in history[self._seen :]:
            print(f"  . {view.game.kind.say(happened)}", file=sys.stderr)
        self._seen = len(history)


def _match(typed: str, view: View) -> list[str]:
    """The legal actions that `typed` may mean: itself, or those it begins."""
    if typed in view.legal:
        return [typed]
    return [action for action in view.legal if typed and action.startswith(typed)]
