"""Signs of careless or automated participation, for researchers to judge: nothing is decided by them here.

Each sign has ordinary explanations, such as a password manager that fills fields in or a fast reader, so a
participant with one is neither excluded nor told.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from bolicho.store.studies import StepRow
from bolicho.web.study.parts import Plan
from bolicho.web.study.questions import Question

FAST = 0.3  # seconds: the median decision of a person is longer (simple reactions take 0.2 s; Luce 1986)
FEW = 10  # decisions below which their median says nothing
TYPED = 0.5  # keys per letter of a written answer below which it was not typed
ALIKE = 2  # questionnaires with the same mark everywhere that are worth a report
MARKS = 3  # scales that a questionnaire needs for that

PLAYED = ("practice", "match")

SIGNALS = {
    "attention": "wrong answers to checks of attention",
    "comprehension": "wrong answers on the instructions at the second attempt",
    "reading": "pages left before the least reading time of the plan",
    "alike": "questionnaires with the same mark on every scale, two or more",
    "decisions": "1 if the median decision took less than 0.3 seconds",
    "pasted": "texts pasted into answers",
    "untyped": "written answers with fewer keys than half their letters, and nothing pasted",
    "untouched": "answered pages without a key, a click or a touch of a person",
    "trap": "pages on which a field that people do not see was filled in",
    "driver": "pages whose browser says that a program drives it",
}
"""Signals, with the meaning of their counts."""


@dataclass(frozen=True)
class Signal:
    """Signal of a participant: how often it was seen, and out of how many times."""

    name: str
    count: int
    of: int


def signals(plan: Plan, pages: Sequence[StepRow], decisions: Sequence[float]) -> list[Signal]:
    """Return the signals of one participant that can be judged; a count of 0 says that nothing was seen."""
    answered = [page for page in pages if page.done is not None and page.answers is not None]
    counts = {**_checks(plan, answered), "reading": _reading(plan, answered), "alike": _alike(plan, answered)}
    if len(decisions) >= FEW:
        counts["decisions"] = [median(decisions) < FAST]
    if plan.signals:
        counts |= _browser(plan, answered)
    found = [Signal(name, sum(seen), len(seen)) for name, seen in counts.items() if seen]
    return [Signal(one.name, 0, one.of) if one.name == "alike" and one.count < ALIKE else one for one in found]


def seen(found: Sequence[Signal]) -> list[str]:
    """Return the names of the signals that were seen."""
    return [one.name for one in found if one.count]


Answers = Mapping[str, Any]


def _wrong(questions: Sequence[Question], answers: Answers) -> list[bool]:
    """Return for each check that was answered whether the answer is wrong."""
    checks = [one for one in questions if one.correct is not None and answers.get(one.name) is not None]
    return [answers[one.name] != one.correct for one in checks]


def _checks(plan: Plan, pages: Sequence[StepRow]) -> dict[str, list[bool]]:
    known = {question.name: question for question in plan.questions}
    found: dict[str, list[bool]] = {"attention": [], "comprehension": []}
    last = [page for page in pages if page.name == "comprehension"][-1:]
    for page in pages:
        asked = [known[name] for name in page.answers or {} if name in known]
        if page.name != "comprehension":
            found["attention"] += _wrong(asked, page.answers or {})
        elif page in last:
            found["comprehension"] += _wrong(asked, page.answers or {})
    return found


def _reading(plan: Plan, pages: Sequence[StepRow]) -> list[bool]:
    least = {"consent": plan.consent.seconds, "instructions": plan.instructions.seconds}
    read = [(page.name, page.measured["read"]) for page in pages if page.measured and least.get(page.name)]
    return [seconds < least[name] for name, seconds in read]


def _alike(plan: Plan, pages: Sequence[StepRow]) -> list[bool]:
    scales = [one.name for one in plan.asked("match") if one.kind == "scale" and one.correct is None]
    marks = [[(page.answers or {}).get(name) for name in scales] for page in pages if page.name == "questions"]
    full = [one for one in marks if len(one) >= MARKS and None not in one]
    return [len(set(one)) == 1 for one in full]


def _browser(plan: Plan, pages: Sequence[StepRow]) -> dict[str, list[bool]]:
    texts = {question.name for question in plan.questions if question.kind == "text"}
    found: dict[str, list[bool]] = {name: [] for name in ("pasted", "untyped", "untouched", "trap", "driver")}
    for page in pages:
        if page.measured is None:
            continue
        it, letters = page.measured, sum(len(text or "") for name, text in _given(page) if name in texts)
        found["driver"].append(it["driver"])
        found["trap"].append(it["trap"])
        if page.name not in PLAYED:  # the page of a match goes on by itself when the match is over
            found["untouched"].append(it["keys"] + it["touches"] == 0)
        if letters:
            found["pasted"].append(it["pastes"] > 0)
            found["untyped"].append(it["pastes"] == 0 and it["keys"] < TYPED * letters)
    return found


def _given(page: StepRow) -> list[tuple[str, Any]]:
    return list((page.answers or {}).items())
