"""Prompts: the rules once, then the history and the view of a seat in the game's own words.

A prompt depends on the view alone. It names the players by their seats, so no name chosen by a person or a program
reaches a model.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from bolicho.agents.llm import TECHNIQUE
from bolicho.agents.llm.obfuscation import Obfuscation
from bolicho.agents.technique import load
from bolicho.games import kind
from bolicho.games.game import Game, View
from bolicho.games.rulebook import rules_text
from bolicho.i18n import Message, catalogue

ANSWER = "ACTION:"
"""Beginning of the line with the chosen action."""

LANGUAGE = "en"
"""Language of prompts."""

Talk = list[dict[str, str]]
"""Messages of a conversation: {"role": ..., "content": ...}."""


@dataclass(frozen=True)
class Prompting:
    """Options of prompts."""

    legal: bool = True  # list the legal actions with their effects
    memory: bool = True  # include the events of earlier hands of the match
    reasoning: bool = False  # let the model write before its final line
    obfuscate: bool = False  # replace the words of the game by pseudo-words


class Prompter:
    """Writer of prompts for a game."""

    def __init__(self, game: Game, options: Prompting) -> None:
        self._game = game
        self._options = options
        self._hiding = obfuscation(game.kind.name) if options.obfuscate else None
        self._words = catalogue(LANGUAGE)
        self._seats = [f"seat {seat}" for seat in range(game.seats)]

    @property
    def reasoning(self) -> bool:
        """Whether a model may write before its final line."""
        return self._options.reasoning

    def talk(self, view: View) -> Talk:
        """Return the conversation that asks for an action."""
        return [
            {"role": "system", "content": self.rules()},
            {"role": "user", "content": self.position(view) + self.task(view)},
        ]

    def rules(self) -> str:
        """Return the rules of the game."""
        return self._told(self._system())

    def position(self, view: View) -> str:
        """Return the history and the view of a seat."""
        return self._told(self._position(view))

    def names(self, view: View) -> dict[str, int]:
        """Return the numbers of the legal actions by the texts that a prompt uses."""
        texts = [self._told(str(action)) for action in view.legal]
        return dict(zip(texts, view.numbers, strict=True))

    def task(self, view: View) -> str:
        """Return the final paragraph: the legal actions, where listed, and the form of the answer."""
        lines = []
        if self._options.legal:
            lines.append(f"The legal actions are exactly: {', '.join(self.names(view))}.")
        form = f"`{ANSWER} ` followed by the action as written in the game's notation"
        if self._options.reasoning:
            lines.append(f"Think first if you like. The last line of your answer must be {form}, and nothing else.")
        else:
            lines.append(f"Answer with one line and nothing else: {form}.")
        return "\n\n" + "\n".join(lines)

    def repair(self, view: View, wrong: str) -> str:
        """Return the message after an answer that could not be read or is not legal."""
        return f"That answer does not count: {wrong}. This is your last attempt." + self.task(view)

    def _told(self, text: str) -> str:
        return text if self._hiding is None else self._hiding.hide(text)

    def _system(self) -> str:
        return f"You play a game with hidden information, as well as you can.\n\n{rules_text(self._game)}"

    def _position(self, view: View) -> str:
        seat = f"You are seat {view.seat} of seats 0 to {self._game.seats - 1}."
        parts = [seat, "# What happened so far", *self._history(view), "# What you see now", view.text(self._words)]
        if self._options.legal and (helps := self._helps(view)):
            parts += ["# What is in force, and what each action does", *helps]
        return "\n".join(parts)

    def _history(self, view: View) -> list[str]:
        kind, entries = self._game.kind, view.history
        if not self._options.memory:
            deals = [n for n, entry in enumerate(entries) if entry["event"] in kind.deals]
            entries = entries[deals[-1] :] if deals else entries
        return [f"- {self._say(kind.said(entry))}" for entry in entries] or ["- nothing yet"]

    def _helps(self, view: View) -> list[str]:
        helps = self._game.kind.action_help(view)
        return [f"- {action + ': ' if action else ''}{self._say(said)}" for action, said in helps]

    def _say(self, message: Message) -> str:
        return self._words.say(message, self._seats)


@lru_cache
def obfuscation(game: str) -> Obfuscation:
    """Return the replacement of a game's words; of a game without a list, the words of its name and its actions."""
    return Obfuscation(_words_of(game))


def _words_of(game: str) -> Mapping[str, str]:
    if game in TECHNIQUE.bindings:
        words: Mapping[str, str] = load(TECHNIQUE.bindings[game])
        return words
    declared = kind(game)
    texts = " ".join((declared.name, declared.title, *(declared.texts or ())))
    return dict.fromkeys(re.findall(r"[^\W\d]{3,}", texts.casefold()), "")
