"""Descriptions of learners' inputs and features in every language, derived from their English names."""

import re
from collections.abc import Callable, Sequence

from bolicho.errors import BadInput
from bolicho.games.game import Game
from bolicho.i18n import Fact, Message, catalogue, plain

Shape = tuple[str, str, Callable[..., dict[str, Fact]]]
"""Pattern of names, the catalogue key (formatted with the pattern's groups), and a function that makes the facts."""


def check_features(game: Game) -> None:
    """Raise `BadInput` for a game without features, for learners that need them."""
    if not game.num_features:
        raise BadInput(
            f"{game.name} has no features for a learner to see: name them in `feature_names` of its Kind and register "
            "`kernel.features`, which writes them; cfr needs none"
        )


def numbers(**parts: str) -> dict[str, Fact]:
    """Return the groups of a name as integers."""
    return {name: int(text) for name, text in parts.items()}


def say_input(name: str, shapes: Sequence[Shape]) -> Message:
    """Return the description of an input: by the first matching shape, else by its own key, else its plain name."""
    for shape, key, facts in shapes:
        if match := re.fullmatch(shape, name):
            parts = match.groupdict()
            slugs = {part: text.replace(" ", "_") for part, text in parts.items()}
            return Message(f"agents.input.{key.format(**slugs)}", **facts(**parts))
    key = f"agents.input.{name.replace(': ', '_').replace(' ', '_')}"
    return Message(key) if key in catalogue("en").templates else plain(name)
