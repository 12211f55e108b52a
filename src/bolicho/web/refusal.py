"""Refusals of requests."""

from typing import Any

from bolicho.errors import BadInput
from bolicho.i18n import Message, catalogue

SEATS = [f"Seat {number}" for number in range(1, 8)]
"""Names of seats in sentences for programs, which identify players by their seats."""


class Refusal(Exception):
    """Refused request: the status of the reply, the reason, and after how many seconds to repeat it.

    `more` are further fields of the reply, such as the current state.
    """

    def __init__(
        self, status: int, says: Message, after: float | None = None, more: dict[str, Any] | None = None
    ) -> None:
        super().__init__(says.key)
        self.status = status
        self.says = says
        self.after = after
        self.more = more or {}

    def as_json(self) -> dict[str, Any]:
        """Return the body of the reply: key and values for programs, and an English sentence for their authors."""
        facts: dict[str, Any] = {"says": self.says.as_json(), "message": self._message(), **self.more}
        return facts if self.after is None else {**facts, "after": round(max(0.1, self.after), 1)}

    def _message(self) -> str:
        try:
            return catalogue("en").say(self.says, SEATS)
        except BadInput:  # a game of another package may use keys that the catalogues do not have
            return self.says.key
