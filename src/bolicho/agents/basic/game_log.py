"""Game log for the terminal: each action with its score, and the reasons of decisions once they reveal nothing."""

from collections import deque
from collections.abc import Callable, Sequence

from bolicho.games.game import Table, View
from bolicho.games.small_game import Entry
from bolicho.i18n import Catalogue, Message, Seat


def seat_names(players: Sequence[str]) -> list[str]:
    """Return names of the seats: their players, with the seat number where a name occurs twice.

    >>> seat_names(["human", "balanced"]), seat_names(["random", "random"])
    (['human', 'balanced'], ['random 0', 'random 1'])
    """
    return [name if players.count(name) == 1 else f"{name} {seat}" for seat, name in enumerate(players)]


def running_scores(entries: Sequence[Entry], now: Sequence[int]) -> list[list[int]]:
    """Return the score after each entry, computed backwards from the score now by the points in the entries.

    Where entries contain no points, as in 7 Wonders, it is the score now.
    """
    scores, running = [], list(now)
    for entry in reversed(entries):
        scores.append(list(running))
        if "points" in entry:
            running[entry["seat"]] -= entry["points"]
    return scores[::-1]


def shown(position: View | Table, action: str, words: Catalogue) -> str:
    """Return an action as the terminal shows and reads it: its name where it is a word, otherwise its notation."""
    kind = position.game.kind
    return words.say(kind.name_action(position.state, action)) if kind.spoken(action) else str(action)


class GameLogPrinter:
    """Prints the events since the previous call.

    `because` records the reason of a decision. For spectators (`open`) it is printed right after the decision; for a
    player after the hands it refers to are over: with the next deal, where the game has one, or at the end.
    """

    def __init__(self, names: Sequence[str], say: Callable[[str], None], words: Catalogue, open: bool = False) -> None:
        self.words = words
        self.names = names
        self.say = say
        self.open = open
        self.told = 0
        self._reasons: deque[tuple[int, str]] = deque()

    def because(self, row: int, seat: int, action: str, why: Message) -> None:
        """Record why a seat chose an action, at that row of the log."""
        reason = why if self.open else Message("terminal.reason", who=Seat(seat), action=action, why=why)
        self._reasons.append((row, self.words.say(reason, self.names)))

    def skip(self, view: View) -> None:
        """Mark the events so far as printed."""
        say, self.say = self.say, lambda line: None
        self.print_events(view)
        self.say = say

    def print_events(self, view: View, action: str | None = None) -> None:
        """Print new events of a view; `action` is the last choice, where the log does not show all of it."""
        kind = view.game.kind
        entries = [kind.entry(row) for row in view.rows[self.told :]]
        for entry, scores in zip(entries, running_scores(entries, view.scores), strict=True):
            if entry["event"] in kind.deals:
                self._give_reasons(self.told)
            if action is not None and entry["event"] == "chose":
                entry["action"] = action
            line = Message("terminal.line", scores="-".join(map(str, scores)), what=kind.said(entry))
            self.say(self.words.say(line, self.names))
            self.told += 1
            if self.open:
                self._give_reasons(self.told)
        if view.over:
            self._give_reasons(self.told)

    def _give_reasons(self, before: int) -> None:
        """Print the reasons of the decisions before a row of the log."""
        while self._reasons and self._reasons[0][0] < before:
            self.say(f"    {self._reasons.popleft()[1]}")
