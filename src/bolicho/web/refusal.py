"""What is not done, why, and when to ask again."""

from typing import Any

from bolicho.errors import BadInput
from bolicho.words import Said, words

SEATS = [f"Seat {number}" for number in range(1, 8)]
"""The names of seats in sentences for programs, which know players by their seats."""


class Refusal(Exception):
    """A request that is refused: the status of the answer, why, and after how many seconds to come back.

    `more` stands beside it in the answer: how things are.
    """

    def __init__(self, status: int, says: Said, after: float | None = None, more: dict[str, Any] | None = None) -> None:
        super().__init__(says.key)
        self.status = status
        self.says = says
        self.after = after
        self.more = more or {}

    def as_json(self) -> dict[str, Any]:
        """The body of the answer: the key and its facts for programs, and an English sentence for their authors."""
        facts: dict[str, Any] = {"says": self.says.as_json(), "message": self._message(), **self.more}
        return facts if self.after is None else {**facts, "after": round(max(0.1, self.after), 1)}

    def _message(self) -> str:
        try:
            return words("en").say(self.says, SEATS)
        except BadInput:  # a game from another package may say what the catalogues do not know
            return self.says.key
