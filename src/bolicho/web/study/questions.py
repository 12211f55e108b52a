"""Questions of a study: their kinds, checks of attention and understanding, scales of several items, demographics."""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bolicho.errors import BadInput, unknown
from bolicho.i18n import Message, catalogue
from bolicho.web.study.toml_reader import Reader

Text = Mapping[str, str]
"""Text in every language of a study."""

LONGEST_ANSWER = 2_000

UNDERSTANDING = "instructions"
"""Moment of questions on the instructions: with wrong answers, the page is shown once more."""

WHEN = ("match", "before", "after", UNDERSTANDING)

DEMOGRAPHICS: dict[str, tuple[str, ...]] = {
    "age": ("18-24", "25-34", "35-44", "45-54", "55-64", "65+"),
    "gender": ("woman", "man", "other"),
    "education": ("primary", "secondary", "degree", "postgraduate"),
}
"""Questions that a plan may ask for by name, with the values of their choices; texts are in the catalogues."""

UNSAID = "unsaid"  # value of the choice "I prefer not to say"


@dataclass(frozen=True)
class Question:
    """Question of a questionnaire."""

    when: str  # before, match (after each), after, or instructions (about them)
    name: str
    kind: str  # scale, choice, text
    text: Text
    low: Text | None = None
    high: Text | None = None
    points: int = 0
    choices: tuple[tuple[str, Text], ...] = ()
    correct: int | str | None = None  # the right answer of a check
    construct: str | None = None  # what several items measure together
    reverse: bool = False  # True if a high mark means little of the construct

    @property
    def scale(self) -> str:
        """Return the name under which marks are reported: the construct, or that of the question."""
        return self.construct or self.name

    def mark(self, answer: int) -> int:
        """Return a mark in the direction of the construct."""
        return self.points + 1 - answer if self.reverse else answer

    def as_json(self) -> dict[str, Any]:
        """Return the question as the pages receive it, without the right answer."""
        facts: dict[str, Any] = {"name": self.name, "kind": self.kind, "text": self.text}
        if self.kind == "scale":
            facts |= {"low": self.low, "high": self.high, "points": self.points}
        if self.kind == "choice":
            facts["choices"] = [{"value": value, "text": text} for value, text in self.choices]
        return facts

    def is_answer(self, value: Any) -> bool:
        """Return whether a value answers the question; None (no answer) always does."""
        match self.kind:
            case "scale":
                return value is None or (type(value) is int and 1 <= value <= self.points)
            case "choice":
                return value is None or value in [known for known, _ in self.choices]
            case _:
                # R cannot read a table with a NUL character, and no keyboard types one
                return value is None or (type(value) is str and len(value) <= LONGEST_ANSWER and "\0" not in value)


def shuffled(questions: Sequence[Question], seed: str) -> list[Question]:
    """Return the questions in an order of their own for each seed, the same each time."""
    found = list(questions)
    random.Random(f"questions {seed}").shuffle(found)
    return found


# --- Reading --------------------------------------------------------------------------------------


def read_questions(top: Reader) -> tuple[Question, ...]:
    """Read the demographics and the questions of a plan."""
    found = _demographics(top)
    for number, table in enumerate(top.of(list, "a list of tables", "questions", "[]", []), 1):
        one = Reader(table, f"{top.where}, question {number}", top.languages)
        question = _question(one)
        one.done()
        if any(question.name == other.name for other in found):
            raise BadInput(f"{one.at('name')} {question.name!r} is the name of an earlier question")
        found.append(question)
    _check_constructs(found, top.where)
    return tuple(found)


def _demographics(top: Reader) -> list[Question]:
    """Read the names of the demographic questions, which are asked before the matches."""
    asked = top.of(list, "a list of names", "demographics", '["age", "gender"]', [])
    for name in asked:
        if name not in DEMOGRAPHICS:
            raise BadInput(f"{top.where}: {unknown('demographic question', str(name), DEMOGRAPHICS)}")
    if len(set(asked)) != len(asked):
        raise BadInput(f"{top.at('demographics')} must name each question once")

    def text(key: str) -> Text:
        said = Message(f"server.study.demographics.{key}")
        return {language: catalogue(language).say(said) for language in top.languages}

    return [
        Question("before", name, "choice", text(name),
                 choices=(*((value, text(f"{name}.{value}")) for value in DEMOGRAPHICS[name]), (UNSAID, text(UNSAID))))
        for name in asked
    ]  # fmt: skip


def _question(one: Reader) -> Question:
    name = one.text("name", '"fun"', longest=40)
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise BadInput(f"{one.at('name')} must be small letters, digits and _, since it names a column, not {name!r}")
    one.where += f" ({name})"
    when = one.one_of("when", WHEN)
    kind = one.one_of("kind", ("scale", "choice", "text"))
    facts: dict[str, Any] = {"when": when, "name": name, "kind": kind, "text": one.words("text")}
    if kind == "scale":
        facts |= {"low": one.words("low"), "high": one.words("high"), "points": one.number("points", 2, 11, 5)}
        facts |= {"construct": one.text("construct", '"fun"', None, 40), "reverse": one.flag("reverse", False)}
    if kind == "choice":
        facts["choices"] = _choices(one)
    return _with_correct(one, Question(**facts))


def _with_correct(one: Reader, question: Question) -> Question:
    """Add the right answer of a check; questions on the instructions must have one."""
    example = "4" if question.kind == "scale" else '"24"'
    correct = one.take("correct", example, ... if question.when == UNDERSTANDING else None)
    if correct is None:
        return question
    if question.kind == "text" or not question.is_answer(correct):
        known = "a mark of the scale" if question.kind == "scale" else "the value of one of its choices"
        raise BadInput(
            f"{one.at('correct')} must be {known}, not {correct!r}"
            if question.kind != "text"
            else f"{one.at('correct')}: a written answer is not checked; make it a choice"
        )
    if question.construct is not None:
        raise BadInput(f"{one.at('correct')}: a check measures no construct")
    return Question(**{**vars(question), "correct": correct})


def _choices(one: Reader) -> tuple[tuple[str, Text], ...]:
    given = one.of(list, "a list of tables", "choices", "[{value = ..., text = {...}}, ...]")
    if not 2 <= len(given) <= 30:
        raise BadInput(f"{one.at('choices')} must be 2 to 30, not {len(given)}")
    found: list[tuple[str, Text]] = []
    for number, table in enumerate(given, 1):
        choice = Reader(table, f"{one.where}, choice {number}", one.languages)
        value = choice.text("value", '"never"', longest=40)
        if value in [known for known, _ in found]:
            raise BadInput(f"{choice.at('value')} {value!r} is the value of an earlier choice")
        found.append((value, choice.words("text")))
        choice.done()
    return tuple(found)


def _check_constructs(questions: Sequence[Question], where: str) -> None:
    """Check that the items of a construct are asked at one moment on scales of the same length."""
    first: dict[str, Question] = {}
    for one in questions:
        if one.kind != "scale" or one.correct is not None:
            continue
        other = first.setdefault(one.scale, one)
        if (one.when, one.points) != (other.when, other.points):
            raise BadInput(
                f"{where}: {other.name} and {one.name} measure {one.scale}, so both need the same `when` and `points`"
            )
