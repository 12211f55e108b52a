"""Options of a player: the published agent, and its proposed extensions."""

from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.markov import layout
from bolicho.agents.markov.compiled.chain import fill_leads
from bolicho.agents.markov.layout import PLAYER_STATE
from bolicho.agents.markov.matrices import WEAKEST, LearnedMatrices, initial
from bolicho.agents.markov.states import NUM_TRUCO
from bolicho.errors import BadInput, unknown

PlayerStates = NDArray[np.void]
"""One record of type `layout.PLAYER_STATE`."""


READINGS = ("scripts", "text")


@dataclass(frozen=True)
class MarkovOptions:
    """Options; the defaults are the published agent, and each field is one proposed extension, or our own."""

    area: float = 0.0
    """Learning rate for hands one step away, to the power of the distance; 0 for none."""

    similarity: float = 0.0
    """Weight of hands one step away in a decision; 0 for none."""

    increment: str = "fixed"
    """Increment of a result.

    `fixed`: 10% of the initial maximum, in whole counts; `adaptive`: a tenth of the mean count of the cells where that
    is more, in thousandths of a count.
    """

    minimums: str = "fixed"
    """Minimums: `fixed` as published, or `adaptive`: the chance above which a yes pays according to the ledger.

    After each match every minimum (by call, role, round, steps of 5%) moves to where logged results say that a yes pays
    with enough certainty. A bet is also never refused when that loses the match, nor made when the hand wins the match
    anyway.
    """

    rounds: bool = False
    """Propagate the chance over the rounds (Chapman-Kolmogorov) instead of evaluating the whole hand.

    After the first card it is the chance over the remaining steps and every holding of the opponent, with each player's
    best step.
    """

    counted: bool = False
    """Weight each hand of the opponent by the number of its deals; the chance of an envido is then exact."""

    roulette: bool = True
    """Say yes with the probability of winning; otherwise whenever it exceeds the minimum."""

    reading: str = "scripts"
    """Source where the two descriptions of the published agent differ: the author's `scripts`, or the `text`.

    According to the scripts (to which Rossato 2020, section 5.1, refers) only orders that win more than they lose count
    for a card, and the order of cards is learned only from hands that the cards decided. According to the text all
    orders count (section 5.2), a hand that ended early is learned too, with a shared increment (section 5.1), and a
    contra flor has the minimum of an envido (section 5.2: it goes as the envido does).
    """

    weakest: str = WEAKEST[0]
    """Initial matrices of the weakest pair and flor: it `loses`, or is `unknown` (`matrices.WEAKEST`)."""

    def __post_init__(self) -> None:
        for name in ("area", "similarity"):
            if not 0 <= getattr(self, name) <= 1:
                raise BadInput(f"{name} must be 0 (off) to 1, not {getattr(self, name)!r}")
        for name in ("increment", "minimums"):
            if getattr(self, name) not in ("fixed", "adaptive"):
                raise BadInput(f"{name} must be fixed or adaptive, not {getattr(self, name)!r}")
        if self.reading not in READINGS:
            raise unknown("reading", self.reading, READINGS)
        if self.weakest not in WEAKEST:
            raise unknown("weakest", self.weakest, WEAKEST)

    def facts(self) -> dict[str, Any]:
        """Return the options as JSON; without a default `weakest`, which the older shipped files lack."""
        return {name: value for name, value in asdict(self).items() if (name, value) != ("weakest", WEAKEST[0])}


PUBLISHED = MarkovOptions()
TO_THE_LETTER = MarkovOptions(reading="text", weakest="unknown")
"""Options of the text of Rossato 2020; the shipped files follow the author's scripts and keep the transpose."""

PLUS = MarkovOptions(
    area=0.25, similarity=0.25, increment="adaptive", minimums="adaptive", rounds=True, counted=True, roulette=False
)
"""All extensions: the best combination against the case-based agents (study `markov-options`)."""

SHIPPED = {"markov": PUBLISHED, "markov-plus": PLUS}
"""Agents by name; the artifacts NAME-truco contain their learned states."""

_CHANGED = {name: value for name, value in PLUS.facts().items() if value != PUBLISHED.facts()[name]}

SINGLE = {name: MarkovOptions(**{name: value}) for name, value in _CHANGED.items()}
"""Each extension alone."""

WITHOUT = {name: MarkovOptions(**PLUS.facts() | {name: PUBLISHED.facts()[name]}) for name in _CHANGED}
"""All extensions but one."""


@cache
def leads() -> NDArray[np.uint8]:
    """Return the winning leads of the first round for all pairs of hands; see `compiled.chain`."""
    table = np.zeros((NUM_TRUCO, NUM_TRUCO), np.uint8)
    fill_leads(table)
    return table


def new_player_state(
    options: MarkovOptions = PUBLISHED,
    learned: LearnedMatrices | None = None,
    explore: float = 0.0,
    learns: bool = False,
) -> PlayerStates:
    """Create the state of a player with these options and a learned state (by default the initial one)."""
    learned = learned or initial(options.weakest)
    mind = np.zeros(1, PLAYER_STATE)
    mind["block"][0] = learned.block
    mind["minima"][0] = learned.minima
    mind["ledger"][0] = learned.ledger
    mind["leads"][0] = leads()
    row = mind["options"][0]
    row[layout.AREA], row[layout.SIMILARITY] = options.area, options.similarity
    row[layout.INCREMENTS] = options.increment == "adaptive"
    row[layout.MINIMUMS] = options.minimums == "adaptive"
    row[layout.ROUNDS], row[layout.COUNTED] = options.rounds, options.counted
    row[layout.SURE] = not options.roulette
    row[layout.EXPLORE], row[layout.LEARNS] = explore, learns
    row[layout.TEXT] = options.reading == "text"
    if options.reading == "text":
        mind["minima"][0, layout.ASK_CONTRAFLOR] = layout.MINIMA[layout.ASK_ENVIDO]
    return mind


def learned_matrices(mind: PlayerStates) -> LearnedMatrices:
    """Return a copy of the learned state of a player."""
    return LearnedMatrices(mind["block"][0].copy(), mind["minima"][0].copy(), mind["ledger"][0].copy())
