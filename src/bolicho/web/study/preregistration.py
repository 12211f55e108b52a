"""Text of a preregistration from a study's plan: design, measures and analysis as they will be carried out."""

from collections.abc import Callable, Iterator

from bolicho import __version__
from bolicho.i18n import Message, catalogue
from bolicho.web.study import latin_squares
from bolicho.web.study.parts import PERSON, Plan
from bolicho.web.study.questions import Question

Say = Callable[..., str]


def preregistration(plan: Plan, language: str) -> str:
    """Return the text in a language, as Markdown; what the plan does not say is left in [square brackets]."""
    words = catalogue(language)

    def say(key: str, **facts: int | float | str) -> str:
        return words.say(Message(f"lab.prereg.{key}", **facts))

    spoken = language if language in plan.languages else plan.languages[0]
    parts = [f"# {plan.title[spoken]}"]
    for heading, lines in (
        ("hypotheses", [say("hypotheses.text")]),
        ("design", _design(plan, say)),
        ("sample", _sample(plan, say)),
        ("measures", _measures(plan, say, spoken)),
        ("exclusions", [say("exclusions.text"), say("exclusions.signals")]),
        ("analysis", [say("analysis.linear"), say("analysis.ordinal"), say("analysis.pairs"), say("analysis.look")]),
        ("software", [say("software.text", version=__version__)]),
    ):
        parts += [f"## {say(heading)}", *lines]
    return "\n\n".join(parts) + "\n"


def _design(plan: Plan, say: Say) -> Iterator[str]:
    agents = "\n".join(f"- `{spec}`" for spec in plan.opponents if spec != PERSON)
    yield say("design.text", game=plan.game, opponents=len(plan.opponents), matches=plan.matches)
    yield agents
    if plan.person is not None:
        yield say("design.person", meetings=plan.person.meetings)
    rows = latin_squares.num_rows(plan.order, len(plan.opponents))
    yield say(f"design.{plan.order}", rows=rows)
    if plan.practice is not None:
        yield say("design.practice", agent=plan.practice.agent)
    yield say("design.names" if plan.sees.names == "agents" else "design.neutral")


def _sample(plan: Plan, say: Say) -> Iterator[str]:
    yield say("sample.text", target=plan.target, hours=plan.lost_after)
    if plan.ends is not None:
        yield say("sample.ends", day=plan.ends.isoformat())
    yield say("sample.power")


def _measures(plan: Plan, say: Say, spoken: str) -> Iterator[str]:
    for when in ("before", "match", "after", "instructions"):
        if asked := plan.asked(when):
            yield say(f"measures.{when}")
            yield "\n".join(_item(question, say, spoken) for question in asked)
    if plan.is_shuffled:
        yield say("measures.shuffled")
    yield say("measures.matches")


def _item(question: Question, say: Say, spoken: str) -> str:
    line = f"- **{question.name}**: {question.text[spoken]}"
    if question.kind == "scale" and question.low and question.high:
        line += f" (1 {question.low[spoken]} – {question.points} {question.high[spoken]})"
    if question.choices:
        line += f" ({' / '.join(text[spoken] for _, text in question.choices)})"
    if question.construct is not None:
        line += f" {say('item.reversed' if question.reverse else 'item.construct', construct=question.construct)}"
    return line + (f" {say('item.check', correct=question.correct)}" if question.correct is not None else "")
