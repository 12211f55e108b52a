"""Words of the report of stage 4, in the language of its readers."""

from collections.abc import Callable

from bolicho.i18n import Fact, Message, catalogue

Words = Callable[..., str]
"""Function of a key below `lab.people` and its facts."""


def words(language: str) -> Words:
    """Return the words of a language."""
    found = catalogue(language)

    def say(key: str, **facts: Fact) -> str:
        return found.say(Message(f"lab.people.{key}", **facts))

    return say


def flow_words(language: str, stage: str) -> str:
    """Return the name of a stage of the flow of participants."""
    return catalogue(language).say(Message(f"page.research.flow.{stage}"))


def signal_words(language: str, signal: str) -> str:
    """Return the name of a signal of careless or automated participation."""
    return catalogue(language).say(Message(f"page.research.signal.{signal}"))


ENGLISH = words("en")
