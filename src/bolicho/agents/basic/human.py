"""Human player at the terminal."""

import os
import re
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Iterable

import numpy as np

from bolicho.agents.agent import Agent, Choice
from bolicho.agents.basic.game_log import GameLogPrinter, shown
from bolicho.games.game import Game, View
from bolicho.games.kind import Action
from bolicho.i18n import Catalogue, Fact, Message, Several, catalogue, preferred

QUIT, HELP = "quit", "?"
AT_A_GLANCE = 12  # largest number of actions listed in the prompt


class PlayerQuit(KeyboardInterrupt):
    """The human player has left the game."""


class Human(Agent):
    """Human player at the terminal: type an action or its beginning, ? for the effects of actions, quit to stop."""

    def __init__(self) -> None:
        self.teller: GameLogPrinter | None = None

    def begin(self, game: Game, seat: int) -> None:
        if self.teller is None:
            chosen = catalogue(preferred(os.environ))
            names = [chosen.say(Message("terminal.seat", number=number)) for number in range(game.seats)]
            self.teller = GameLogPrinter(names, say, chosen)

    def act(self, view: View, rng: np.random.Generator) -> Choice:
        assert self.teller is not None
        self.teller.print_events(view)
        asked = _Asked(view, self.teller.words)
        say("")
        for line in view.text(asked.words).splitlines():
            say(line)
        asked.say("terminal.you may", choices=asked.choices())
        return asked.answer()

    def end(self, view: View) -> None:
        if self.teller is not None:
            self.teller.print_events(view)

    def mark_shown(self, view: View) -> None:
        """Mark the events so far as shown."""
        if self.teller is not None:
            self.teller.skip(view)


# --- The screen -----------------------------------------------------------------------------------


def say(line: str) -> None:
    """Print a line, wrapped at words under its own indentation."""
    indent = " " * (len(line) - len(line.lstrip()))
    _wrap(line, indent + "    ")


def _wrap(line: str, indent: str) -> None:
    width = max(20, shutil.get_terminal_size().columns - 1)
    wrapped = textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False, drop_whitespace=True)
    print("\n".join(wrapped or [""]), file=sys.stderr)


# --- Prompt and answer ----------------------------------------------------------------------------


class _Asked:
    """Prompt for an action in a position, in a language."""

    def __init__(self, view: View, words: Catalogue) -> None:
        self.view = view
        self.words = words
        self.kind = view.game.kind

    def answer(self) -> Action:
        """Return the chosen action, after handling all other input."""
        while True:
            typed = self.read("> ")
            if typed.startswith(HELP):
                self.explain(typed.removeprefix(HELP).strip())
                continue
            found = self.match(typed)
            if len(found) == 1 and self.is_meant(typed, found[0]):
                return found[0]
            if len(found) > 1:
                self.say("terminal.which", actions=self.listed(found))
            elif not found:
                self.refuse(typed)

    def read(self, prompt: str) -> str:
        """Read a line of input."""
        print(prompt, end="", file=sys.stderr, flush=True)
        try:
            typed = input().strip()
        except EOFError:
            raise KeyboardInterrupt from None
        if typed.casefold() in (QUIT, self.words.say(Message("terminal.quit"))):
            raise PlayerQuit
        return typed

    def say(self, key: str, **facts: Fact) -> None:
        say(self.words.say(Message(key, **facts)))

    def name(self, action: str) -> str:
        """Return the name of an action in the player's language."""
        return self.words.say(self.kind.name_action(self.view.state, action))

    def listed(self, actions: Iterable[str]) -> Several:
        return Several([shown(self.view, action, self.words) for action in actions], ",")

    def choices(self) -> Message:
        """Return the legal actions, or only their number where they are many."""
        legal = self.view.legal
        if len(legal) <= AT_A_GLANCE:
            return Message("terminal.one of", actions=self.listed(legal))
        return Message("terminal.one of many", n=len(legal), first=self.listed(legal[:1]))

    def explain(self, about: str) -> None:
        """Print the rules of the position and the effect of each action; of those that begin with `about`, if given."""
        remarks = [
            (heading and shown(self.view, heading, self.words), heading, self.words.say(said))
            for heading, said in self.kind.action_help(self.view)
        ]
        if about:
            remarks = [remark for remark in remarks if remark[1] and self.begins(about, remark[1])]
            if not remarks:
                self.refuse(about)
        elif not remarks:
            self.say("terminal.legal", actions=self.listed(self.view.legal))
        widest = max((len(heading) for heading, _, _ in remarks), default=0)
        for heading, _, line in remarks:
            _wrap(f"  {heading:{widest}}  {line}" if heading else f"  {line}", " " * (4 + widest if heading else 2))

    def refuse(self, typed: str) -> None:
        """Print why an input cannot be played."""
        why = self.kind.refusal(self.view, self.written(typed)) if typed else None
        if why is not None:
            self.say("terminal.refused", typed=typed, why=why)
        self.say("terminal.please", choices=self.choices())

    # Matching input to actions.

    def match(self, typed: str) -> list[Action]:
        """Return the legal actions that `typed` may mean: exact texts or names, otherwise prefixes; case is ignored."""
        wanted = fold(typed)
        if not wanted:
            return []
        texts = [(action, fold(action), fold(self.name(action))) for action in self.view.legal]
        return (
            [action for action, text, _ in texts if text == wanted]
            or [action for action, _, name in texts if name == wanted]
            or [action for action, text, _ in texts if text.startswith(wanted)]
            or [action for action, _, name in texts if name.startswith(wanted)]
        )

    def begins(self, typed: str, action: str) -> bool:
        """Return whether an action, or its name, begins with `typed`."""
        return fold(action).startswith(fold(typed)) or fold(self.name(action)).startswith(fold(typed))

    def written(self, typed: str) -> str:
        """Return the notation of a name in the player's language, also of an illegal action; `typed` where unknown."""
        game, wanted = self.view.game, fold(typed)
        actions = (str(game.action(self.view.state, number)) for number in range(game.num_actions))
        headings = (heading for heading, _ in self.kind.action_help(self.view) if heading)
        return next((text for text in (*headings, *actions) if fold(self.name(text)) == wanted), typed)

    def is_meant(self, typed: str, action: Action) -> bool:
        """Confirm an action: a bet or a fold that was abbreviated needs one confirmation."""
        whole = (fold(action), fold(self.name(action)))
        if action not in self.kind.needs_confirmation or fold(typed) in whole:
            return True
        sure = self.words.say(Message("terminal.sure", action=shown(self.view, action, self.words)))
        yes = self.words.say(Message("terminal.yes")).split(", ")
        return fold(self.read(f"{sure} ")) in (*yes, *whole)


def fold(text: str) -> str:
    """Normalize a text for comparison: no capitals, accents, marks or repeated spaces.

    >>> fold("  Não  quero!")
    'nao quero'
    """
    letters = (letter for letter in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(letter))
    return " ".join(re.sub(r"[^\w\s/-]", "", "".join(letters)).split())
