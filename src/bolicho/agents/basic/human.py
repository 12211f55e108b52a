"""A person at the terminal."""

import shutil
import sys
import textwrap

import numpy as np

from bolicho.agents.agent import Agent, Choice
from bolicho.agents.basic.telling import Teller
from bolicho.games.game import Action, Game, View
from bolicho.words import words

QUIT, HELP = "quit", "?"
YES = ("y", "yes")
AT_A_GLANCE = 12  # actions


class Left(KeyboardInterrupt):
    """The person has left the table."""


class Human(Agent):
    """You, in the terminal: type an action or the beginning of it, ? for what each would do, quit to stop."""

    def __init__(self) -> None:
        self.teller: Teller | None = None

    def begin(self, game: Game, seat: int) -> None:
        if self.teller is None:
            self.teller = Teller([f"seat {number}" for number in range(game.seats)], say, words("en"))

    def act(self, view: View, rng: np.random.Generator) -> Choice:
        self._tell(view)
        say("")
        for line in str(view).splitlines():
            say(line)
        say(f"you may type {_choices(view)}   ({HELP} explains, {QUIT} stops)")
        while True:
            typed = _read("> ")
            if typed.startswith(HELP):
                _explain(view, typed.removeprefix(HELP).strip())
                continue
            found = _match(typed, view)
            if len(found) == 1 and _is_meant(typed, found[0], view):
                return found[0]
            if len(found) > 1:
                say(f"which of {', '.join(found)}?")
            elif not found:
                _refuse(typed, view)

    def end(self, view: View) -> None:
        self._tell(view)

    def look(self, view: View) -> None:
        """Take what has happened so far as seen."""
        if self.teller is not None:
            self.teller.skip(view)

    def _tell(self, view: View) -> None:
        """What has happened since the last look."""
        if self.teller is not None:
            self.teller.tell(view)


# --- The screen -----------------------------------------------------------------------------------


def say(line: str) -> None:
    """A line on the person's screen, wrapped at words under its own indentation."""
    indent = " " * (len(line) - len(line.lstrip()))
    _wrap(line, indent + "    ")


def _wrap(line: str, indent: str) -> None:
    width = max(20, shutil.get_terminal_size().columns - 1)
    wrapped = textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False, drop_whitespace=True)
    print("\n".join(wrapped or [""]), file=sys.stderr)


def _read(prompt: str) -> str:
    """What the person typed."""
    print(prompt, end="", file=sys.stderr, flush=True)
    try:
        typed = input().strip()
    except EOFError:
        raise KeyboardInterrupt from None
    if typed.casefold() == QUIT:
        raise Left
    return typed


def _explain(view: View, about: str) -> None:
    """The rules of the moment, and what each action would do; only those that begin with `about`, if anything."""
    remarks = view.game.kind.moment(view)
    if about:
        remarks = [remark for remark in remarks if remark[0].casefold().startswith(about.casefold())]
    elif not remarks:
        say(f"you may type {', '.join(view.legal)}")
    if about and not remarks:
        _refuse(about, view)
    widest = max((len(heading) for heading, _ in remarks), default=0)
    for heading, line in remarks:
        _wrap(f"  {heading:{widest}}  {line}" if heading else f"  {line}", " " * (4 + widest if heading else 2))


def _choices(view: View) -> str:
    """The legal actions, where a person can take them in at a glance."""
    few = len(view.legal) <= AT_A_GLANCE
    return f"one of {', '.join(view.legal)}" if few else f"one of {len(view.legal)} actions, like {view.legal[0]}"


def _refuse(typed: str, view: View) -> None:
    """Say why what was typed cannot be played."""
    why = view.game.kind.refusal(view, typed) if typed else ""
    if why:
        say(f"{typed} is not possible: {why}")
    say(f"please type {_choices(view)}")


# --- What was meant -------------------------------------------------------------------------------


def _match(typed: str, view: View) -> list[Action]:
    """The legal actions that `typed` may mean, in whatever case: itself, or those it begins."""
    typed = " ".join(typed.casefold().split())
    same = [action for action in view.legal if action.casefold() == typed]
    return same or [action for action in view.legal if typed and action.casefold().startswith(typed)]


def _is_meant(typed: str, action: Action, view: View) -> bool:
    """Whether the person means it: a bet or a fold that was not written out is asked for once."""
    if action not in view.game.kind.solemn or typed.casefold() == action.casefold():
        return True
    return _read(f"{action}? y/n ").casefold() in (*YES, action.casefold())
