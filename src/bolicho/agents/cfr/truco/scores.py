"""Values of all scores of a match of Truco by backward induction: `bolicho train cfr-scores truco`.

Hands of the single-hand strategy against itself give the results of cards and flores. Then envido alone is solved at
each score, later scores first, with the chance of winning the match as payoff.
"""

from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cfr.model import load_model
from bolicho.agents.cfr.truco.compiled import scores as compiled
from bolicho.agents.cfr.truco.match import FULL, KIND, Scores, packed
from bolicho.agents.cfr.truco.model import Vectors
from bolicho.agents.player import NOTHING
from bolicho.agents.training import Learner, whole_numbers
from bolicho.errors import BadInput
from bolicho.games import game as find_game
from bolicho.games.truco import kernel as k
from bolicho.games.truco.rules import CARDS as DECK
from bolicho.store.artifact import Arrays, save_artifact

HANDS, ITERATIONS = 200_000, 300
_SLICE = 4_000  # hands per step
_SOLVED = 24  # scores per step


@lru_cache(maxsize=1)
def meeting() -> NDArray[np.float64]:
    """Return the exact joint distribution of the envido points of the mão and the pé, where neither has a flor."""
    plain = [cards for cards in combinations(range(len(DECK)), 3) if not k.is_flor(*cards)]
    masks = np.array([sum(1 << card for card in cards) for cards in plain], np.int64)
    values = np.array([compiled.value_of(k.envido_value(*cards)) for cards in plain], np.int64)
    counts = np.zeros((compiled.VALUES, compiled.VALUES))
    compiled.meet_points(masks, values, counts)
    shares: NDArray[np.float64] = counts / counts.sum()
    return shares


class Usual:
    """Average results of hands, from the counts of `count_hands`."""

    def __init__(self, counts: NDArray[np.int64]) -> None:
        bets = counts.sum(axis=2).astype(np.float64)
        cards = counts.sum(axis=(0, 1)).astype(np.float64)
        cards[compiled.MOST_CARDS] = 0  # these hands ended with a falta
        self.flores = float(bets[1].sum() / bets.sum())
        self.bets = bets / np.maximum(1, bets.sum(axis=1, keepdims=True))
        self.cards = cards / cards.sum()


def back_from_the_end(target: int) -> list[tuple[int, int]]:
    """Return the scores, each after all scores that hands can lead to from it."""
    return sorted(((a, b) for a in range(target) for b in range(target)), key=lambda score: (-sum(score), score))


class Induction:
    """Learner that plays hands, and then runs backward induction over the scores of the match."""

    unit = "hands and scores"

    def __init__(self, seed: int, hands: int, iterations: int, artifact: str) -> None:
        whole_numbers(hands=hands, iterations=iterations)
        match = find_game("truco")
        self._game, self.seed = find_game("truco", hands=1), np.uint64(seed)
        target = match.rules.target
        model = load_model(self._game, artifact)
        if not isinstance(model, Vectors):
            raise BadInput(f"{artifact} is not a strategy by vectors; `bolicho train cfr truco` trains one")
        self._player = model.player()
        self._hands, self._iterations, self._order = hands, iterations, back_from_the_end(target)
        self.total, self.done = hands + len(self._order), 0
        self.counts = np.zeros((2, compiled.BETS, compiled.CARDS), np.int64)
        self.chances = np.zeros((target, target))
        self.envido = np.zeros((target, target, compiled.SITUATIONS, compiled.VALUES, compiled.CHOICES), np.uint8)
        made_for = {"kind": KIND, "game": match.name, "rules": dict(match.options)}
        self.facts = {**made_for, "hands": hands, "iterations": iterations, "artifact": artifact}

    def step(self) -> dict[str, Any] | None:
        if self.done < self._hands:
            count = min(_SLICE, self._hands - self.done)
            pool = np.frombuffer(2 * self._game.blank_bytes, self._game.dtype).copy()
            memory = np.zeros(1, NOTHING)
            compiled.count_hands(self._player, memory, pool, self.seed, self.done, count, self.counts)
            self.done += count
            return None
        usual, room = Usual(self.counts), np.zeros((4, compiled.SITUATIONS, compiled.CHOICES, compiled.VALUES))
        for a, b in self._order[self.done - self._hands :][:_SOLVED]:
            compiled.induce(
                meeting(), usual.flores, usual.bets, usual.cards, a, b, self._iterations, self.chances, room
            )
            self.envido[a, b] = np.round(FULL * room[1]).astype(np.uint8).transpose(0, 2, 1)
            self.done += 1
        return None

    def state(self) -> Arrays:
        return {"counts": self.counts.copy(), "chances": self.chances.copy(), "envido": self.envido.copy()}

    def restore(self, state: Arrays) -> None:
        self.counts[:], self.chances[:], self.envido[:] = state["counts"], state["chances"], state["envido"]

    def finish(self, out: Path, story: dict[str, Any]) -> dict[str, Any]:
        save_artifact(out, {**packed(Scores(self.chances, self.envido)), "counts": self.counts}, story)
        return {"mão at 0-0": round(float(self.chances[0, 0]), 4), "size": out.stat().st_size}


def cfr_truco_scores(
    seed: int, hands: int = HANDS, iterations: int = ITERATIONS, *, artifact: str = "cfr-truco"
) -> Learner:
    """Train the scores of a match of Truco by its default rules."""
    return Induction(seed, hands, iterations, artifact)
