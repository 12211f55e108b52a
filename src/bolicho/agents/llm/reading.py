"""Strict reading of a model's answer."""

from collections.abc import Mapping

from bolicho.agents.agent_errors import short
from bolicho.agents.llm.prompt import ANSWER


def read_answer(content: str, names: Mapping[str, int], reasoning: bool) -> tuple[int | None, str]:
    """Return the number of the action in an answer, or None and what is wrong with the answer.

    Without reasoning the answer is one line; with it, only the last line counts, and no other line may be one.

    >>> read_answer("ACTION: quero", {"quero": 19, "nao": 20}, False)
    (19, '')
    >>> read_answer("I accept.", {"quero": 19, "nao": 20}, False)
    (None, "its last line is 'I accept.', not `ACTION: ` and an action")
    """
    lines = [line.strip() for line in content.strip().splitlines() if line.strip()]
    if not lines:
        return None, "it is empty"
    if not reasoning and len(lines) > 1:
        return None, f"it has {len(lines)} lines instead of one"
    if not lines[-1].startswith(ANSWER):
        return None, f"its last line is {short(lines[-1])}, not `{ANSWER} ` and an action"
    if sum(line.startswith(ANSWER) for line in lines) > 1:
        return None, f"it has more than one line that begins with `{ANSWER}`"
    wanted = _folded(lines[-1].removeprefix(ANSWER))
    number = {_folded(name): number for name, number in names.items()}.get(wanted)
    return number, "" if number is not None else f"{short(wanted)} is not a legal action here"


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
