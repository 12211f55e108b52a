"""What learners look at, said in whatever language: inputs and features have English names, which are read here."""

import re
from collections.abc import Callable, Sequence

from bolicho.errors import BadInput
from bolicho.games.game import Game
from bolicho.words import Fact, Said, plain, words

Shape = tuple[str, str, Callable[..., dict[str, Fact]]]
"""A pattern of names, the key they are said by (made of the pattern's parts), and the facts."""


def check_features(game: Game) -> None:
    """Refuse a game without features, for learners that see nothing else of a position."""
    if not game.num_features:
        raise BadInput(
            f"{game.name} has no features for a learner to see: name them in `feature_names` of its Kind and register "
            "`kernel.features`, which writes them; cfr learns without"
        )


def numbers(**parts: str) -> dict[str, Fact]:
    """Parts of a name that are numbers."""
    return {name: int(text) for name, text in parts.items()}


def say_input(name: str, shapes: Sequence[Shape]) -> Said:
    """An input by its name: of one of these shapes, or a key of its own; as it is written where it has no words."""
    for shape, key, facts in shapes:
        if match := re.fullmatch(shape, name):
            parts = match.groupdict()
            slugs = {part: text.replace(" ", "_") for part, text in parts.items()}
            return Said(f"agents.input.{key.format(**slugs)}", **facts(**parts))
    key = f"agents.input.{name.replace(': ', '_').replace(' ', '_')}"
    return Said(key) if key in words("en").templates else plain(name)
