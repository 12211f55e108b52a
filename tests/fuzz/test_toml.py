"""A thousand damaged experiments: each is refused in a sentence, or is the same experiment when written again."""

import random

from bolicho import BadInput
from bolicho.arena.experiment import Experiment

from . import mutate

TEXTS = [
    """
game = "truco"
agents = ["random", "balanced"]
duplicates = 12
seed = 7
move_limit = 2.5
[rules]
target = 12
flor = false
""",
    """
game = "truco"
agents = [
  "random",
  "pimc-search(worlds=8)",
]
seed = 0x10
duplicates = 1_000
""",
    """
game = "dominoes"
agents = ["random", "sarsa", "rule"]
seed = 9223372036854775807
""",
]
VALUES = [
    "-1",
    "0",
    "1.0",
    "inf",
    "nan",
    "true",
    '""',
    "[]",
    "{}",
    "9" * 5000,
    "0x" + "f" * 5000,
    "1979-05-27",
    "{self = 1}",
    '["random"]',
    '"random"',
    "'''\n'''",
    '"\\u2028"',
    '"\\ud800"',
    "[" * 2000,
    "1e999",
    "[[1]]",
    "9223372036854775808",
    "-0.0",
    "1e-320",
]


def changed(text: str, rng: random.Random) -> str:
    """Return the text with another kind of value, a line doubled, lost or moved, or changed bytes."""
    if rng.random() < 0.5:
        return mutate.bytes_of(text.encode(), rng).decode(errors="replace")
    lines = text.split("\n")
    at = rng.randrange(len(lines))
    match rng.randrange(4):
        case 0 | 1:
            lines[at] = lines[at].partition("=")[0] + "= " + rng.choice(VALUES)
        case 2:
            lines.insert(rng.randrange(len(lines)), lines[at])
        case 3:
            del lines[at]
    return "\n".join(lines)


def test_writing_an_accepted_experiment_keeps_its_meaning():
    accepted = 0
    for number in range(1000):
        rng = random.Random(number)
        text = changed(TEXTS[number % len(TEXTS)], rng)
        try:
            experiment = Experiment.from_toml(text)
        except BadInput as problem:
            assert str(problem)
            continue
        again = Experiment.from_toml(experiment.to_toml())
        assert again == experiment and again.hash == experiment.hash and again.to_toml() == experiment.to_toml()
        assert type(experiment.seed) is int and type(experiment.duplicates) is int
        assert type(experiment.move_limit) in (float, type(None))
        assert experiment.make_game().options == experiment.rules
        accepted += 1
    assert 50 < accepted < 900, "too few or too many experiments are accepted for a useful test"
