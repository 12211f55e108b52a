"""A game told line by line: who did what, the score at that moment, and why, once it helps nobody."""

from collections import deque
from collections.abc import Callable, Sequence

from bolicho.games.game import Table, View
from bolicho.games.plain import Entry
from bolicho.words import Said, Seat, Words


def seat_names(players: Sequence[str]) -> list[str]:
    """What the seats are called: by their players, and by the seat too where a name would stand twice.

    >>> seat_names(["human", "balanced"]), seat_names(["random", "random"])
    (['human', 'balanced'], ['random 0', 'random 1'])
    """
    return [name if players.count(name) == 1 else f"{name} {seat}" for seat, name in enumerate(players)]


def running_scores(entries: Sequence[Entry], now: Sequence[int]) -> list[list[int]]:
    """The score after each entry, counted back from the score now by the points the entries tell of.

    Where they tell of none, as in 7 Wonders, it is the score now.
    """
    scores, running = [], list(now)
    for entry in reversed(entries):
        scores.append(list(running))
        if "points" in entry:
            running[entry["seat"]] -= entry["points"]
    return scores[::-1]


def shown(position: View | Table, action: str, words: Words) -> str:
    """An action as people at a terminal read and type it: as it is written, or its name where it is words."""
    kind = position.game.kind
    return words.say(kind.name_action(position.state, action)) if kind.spoken(action) else str(action)


class Teller:
    """Tells somebody what has happened since it was last asked to.

    `because` takes what a decision rested on.  It is told right after the decision to those who only
    watch (`open`); a player hears it when the hands it spoke of are gone: with the next deal, where
    the game has one, or at the end.
    """

    def __init__(self, names: Sequence[str], say: Callable[[str], None], words: Words, open: bool = False) -> None:
        self.words = words
        self.names = names
        self.say = say
        self.open = open
        self.told = 0
        self._reasons: deque[tuple[int, str]] = deque()

    def because(self, row: int, seat: int, action: str, why: Said) -> None:
        """Note why a seat chose an action, at that row of the log."""
        reason = why if self.open else Said("terminal.reason", who=Seat(seat), action=action, why=why)
        self._reasons.append((row, self.words.say(reason, self.names)))

    def skip(self, view: View) -> None:
        """Take what has happened so far as told."""
        say, self.say = self.say, lambda line: None
        self.tell(view)
        self.say = say

    def tell(self, view: View, action: str | None = None) -> None:
        """Tell what is new in a view; `action` is the one just chosen, where the log does not show all of it."""
        kind = view.game.kind
        entries = [kind.entry(row) for row in view.rows[self.told :]]
        for entry, scores in zip(entries, running_scores(entries, view.scores), strict=True):
            if entry["event"] in kind.deals:
                self._give_reasons(self.told)
            if action is not None and entry["event"] == "chose":
                entry["action"] = action
            line = Said("terminal.line", scores="-".join(map(str, scores)), what=kind.said(entry))
            self.say(self.words.say(line, self.names))
            self.told += 1
            if self.open:
                self._give_reasons(self.told)
        if view.over:
            self._give_reasons(self.told)

    def _give_reasons(self, before: int) -> None:
        """Tell the reasons of the decisions before a row of the log."""
        while self._reasons and self._reasons[0][0] < before:
            self.say(f"    {self._reasons.popleft()[1]}")
