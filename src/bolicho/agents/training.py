"""What can be trained: a name, the function that does it, and what comes of it.

A training function takes `out` (the artifact's path) and `seed`, and options with defaults; it shows
its progress on stderr, keeps checkpoints beside `out` and goes on from them, and gives the same
artifact, byte for byte, for the same seed and options.  It returns facts for people to read.
"""

import inspect
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from bolicho.errors import BadInput, unknown

TRAININGS: dict[str, tuple[str, str]] = {
    "cbr-baseline": (
        "bolicho.agents.cbr.truco.train:train_baseline",
        "hands observed between the scripted Truco styles",
    ),
    "cbr-learned": ("bolicho.agents.cbr.truco.train:train_learned", "the same base, grown by self-play"),
    "markov": ("bolicho.agents.markov.train:train_markov", "the matrices of Rossato 2020, by self-play"),
    "markov-plus": (
        "bolicho.agents.markov.train:train_markov_plus",
        "the same with all its options, which ships",
    ),
    "sarsa": ("bolicho.agents.sarsa.train:train_sarsa", "a linear value of after-states for any game=NAME"),
    "sarsa-dominoes": ("bolicho.agents.sarsa.train:train_dominoes", "the same for draw dominoes, which ships"),
    "sarsa-dominoes-open": ("bolicho.agents.sarsa.train:train_dominoes_open", "the same with everything open"),
    "sarsa-fives": ("bolicho.agents.sarsa.train:train_fives", "the same for all fives, which ships"),
    "sarsa-fives-open": ("bolicho.agents.sarsa.train:train_fives_open", "the same with everything open"),
    "wonders-dqn": ("bolicho.agents.neural.recipes:train_dqn", "Q-learning of 7 Wonders as in Pereira 2021"),
    "wonders-dqn-plus": ("bolicho.agents.neural.recipes:train_dqn_plus", "our Q-learning of 7 Wonders"),
    "wonders-neural": ("bolicho.agents.neural.recipes:train_neural", "nets that imitate, as in Pereira 2021"),
    "wonders-neural-plus": ("bolicho.agents.neural.recipes:train_neural_plus", "a net that imitates, with our inputs"),
    "wonders-plays": ("bolicho.agents.neural.plays:write_plays", "the plays that wonders-neural imitates, as a CSV"),
}
"""name: (module:function, what it makes)."""

ENDINGS = {"cbr-baseline": ".parquet", "cbr-learned": ".parquet", "wonders-plays": ".csv"}
"""How the files of those end that are not arrays (`.safetensors`)."""

_OWN = ("out", "seed")  # options that every training has


def training(name: str) -> Callable[..., Any]:
    """The function that trains the artifact of that name."""
    if name not in TRAININGS:
        raise unknown("training", name, TRAININGS)
    module, attribute = TRAININGS[name][0].split(":")
    function: Callable[..., Any] = getattr(import_module(module), attribute)
    return function


def options_of(name: str) -> dict[str, Any]:
    """The options a training takes beside `out` and `seed`, with their defaults."""
    parameters = inspect.signature(training(name)).parameters.values()
    return {p.name: p.default for p in parameters if p.name not in _OWN and p.default is not p.empty}


def train(name: str, out: Path, seed: int, options: Mapping[str, Any]) -> dict[str, Any]:
    """Train an artifact into the file `out`."""
    known = options_of(name)
    for key, value in options.items():
        if key not in known:
            raise unknown(f"option of the training {name}", key, known)
        if known[key] is not None and type(value) is not type(known[key]) and not isinstance(known[key], float):
            wanted = type(known[key]).__name__
            raise BadInput(
                f"option {key} of the training {name} must be {wanted} (default {known[key]!r}), not {value!r}"
            )
    return dict(training(name)(out=out, seed=seed, **options) or {})
