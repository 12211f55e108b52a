"""A person at the terminal."""

import os
import re
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Iterable

import numpy as np

from bolicho.agents.agent import Agent, Choice
from bolicho.agents.basic.telling import Teller, shown
from bolicho.games.game import Game, View
from bolicho.games.kind import Action
from bolicho.words import Fact, Said, Several, Words, preferred, words

QUIT, HELP = "quit", "?"
AT_A_GLANCE = 12  # actions


class Left(KeyboardInterrupt):
    """The person has left the table."""


class Human(Agent):
    """You, in the terminal: type an action or the beginning of it, ? for what each would do, quit to stop."""

    def __init__(self) -> None:
        self.teller: Teller | None = None

    def begin(self, game: Game, seat: int) -> None:
        if self.teller is None:
            chosen = words(preferred(os.environ))
            names = [chosen.say(Said("terminal.seat", number=number)) for number in range(game.seats)]
            self.teller = Teller(names, say, chosen)

    def act(self, view: View, rng: np.random.Generator) -> Choice:
        assert self.teller is not None
        self.teller.tell(view)
        asked = _Asked(view, self.teller.words)
        say("")
        for line in view.text(asked.words).splitlines():
            say(line)
        asked.say("terminal.you may", choices=asked.choices())
        return asked.answer()

    def end(self, view: View) -> None:
        if self.teller is not None:
            self.teller.tell(view)

    def look(self, view: View) -> None:
        """Take what has happened so far as seen."""
        if self.teller is not None:
            self.teller.skip(view)


# --- The screen -----------------------------------------------------------------------------------


def say(line: str) -> None:
    """A line on the person's screen, wrapped at words under its own indentation."""
    indent = " " * (len(line) - len(line.lstrip()))
    _wrap(line, indent + "    ")


def _wrap(line: str, indent: str) -> None:
    width = max(20, shutil.get_terminal_size().columns - 1)
    wrapped = textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False, drop_whitespace=True)
    print("\n".join(wrapped or [""]), file=sys.stderr)


# --- A question and its answer --------------------------------------------------------------------


class _Asked:
    """A person asked what to play in a position, in a language."""

    def __init__(self, view: View, words: Words) -> None:
        self.view = view
        self.words = words
        self.kind = view.game.kind

    def answer(self) -> Action:
        """What the person plays, after whatever else there was to say."""
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
        """What the person typed."""
        print(prompt, end="", file=sys.stderr, flush=True)
        try:
            typed = input().strip()
        except EOFError:
            raise KeyboardInterrupt from None
        if typed.casefold() in (QUIT, self.words.say(Said("terminal.quit"))):
            raise Left
        return typed

    def say(self, key: str, **facts: Fact) -> None:
        say(self.words.say(Said(key, **facts)))

    def name(self, action: str) -> str:
        """What the action is called in the person's language."""
        return self.words.say(self.kind.name_action(self.view.state, action))

    def listed(self, actions: Iterable[str]) -> Several:
        return Several([shown(self.view, action, self.words) for action in actions], ",")

    def choices(self) -> Said:
        """The legal actions, where a person can take them in at a glance."""
        legal = self.view.legal
        if len(legal) <= AT_A_GLANCE:
            return Said("terminal.one of", actions=self.listed(legal))
        return Said("terminal.one of many", n=len(legal), first=self.listed(legal[:1]))

    def explain(self, about: str) -> None:
        """The rules of the moment, and what each action would do; only those that begin with `about`, if anything."""
        remarks = [
            (heading and shown(self.view, heading, self.words), heading, self.words.say(said))
            for heading, said in self.kind.moment(self.view)
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
        """Say why what was typed cannot be played."""
        why = self.kind.refusal(self.view, self.written(typed)) if typed else None
        if why is not None:
            self.say("terminal.refused", typed=typed, why=why)
        self.say("terminal.please", choices=self.choices())

    # What was meant.

    def match(self, typed: str) -> list[Action]:
        """The legal actions that `typed` may mean: itself or its name, or those it begins, in whatever case."""
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
        """Whether an action, or its name, begins so."""
        return fold(action).startswith(fold(typed)) or fold(self.name(action)).startswith(fold(typed))

    def written(self, typed: str) -> str:
        """What is called so in the person's language, as it is written, where that is clear: also what is not legal."""
        game, wanted = self.view.game, fold(typed)
        actions = (str(game.action(self.view.state, number)) for number in range(game.num_actions))
        headings = (heading for heading, _ in self.kind.moment(self.view) if heading)
        return next((text for text in (*headings, *actions) if fold(self.name(text)) == wanted), typed)

    def is_meant(self, typed: str, action: Action) -> bool:
        """Whether the person means it: a bet or a fold that was not written out is asked for once."""
        whole = (fold(action), fold(self.name(action)))
        if action not in self.kind.solemn or fold(typed) in whole:
            return True
        sure = self.words.say(Said("terminal.sure", action=shown(self.view, action, self.words)))
        yes = self.words.say(Said("terminal.yes")).split(", ")
        return fold(self.read(f"{sure} ")) in (*yes, *whole)


def fold(text: str) -> str:
    """A text without what one may leave out: capitals, accents, marks, second spaces.

    >>> fold("  Não  quero!")
    'nao quero'
    """
    letters = (letter for letter in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(letter))
    return " ".join(re.sub(r"[^\w\s/-]", "", "".join(letters)).split())
