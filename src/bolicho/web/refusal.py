"""What is not done, why, and when to ask again."""

from typing import Any

from bolicho.words import Said


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
        """The body of the answer."""
        facts: dict[str, Any] = {"says": self.says.as_json(), **self.more}
        return facts if self.after is None else {**facts, "after": round(max(0.1, self.after), 1)}
