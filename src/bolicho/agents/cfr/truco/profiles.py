"""Profiles of known players for `leaning`: their answers, and the actions worth more against them.

`bolicho train leaning truco` plays hands of the near-equilibrium strategy against each of them. It counts their answers
by situation and, where the strategy draws among actions, each action's gain over the mixture.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.cfr.truco.compiled.leaning import PLACES, Leaning, memory_of, replay_hands
from bolicho.agents.cfr.truco.compiled.opponent_actions import ANSWERS, SITUATIONS
from bolicho.agents.cfr.truco.match import ANY_MATCH
from bolicho.agents.cfr.truco.model import OTHER_RULES
from bolicho.agents.loop import play_deals
from bolicho.agents.mirrored_games import deal_seed, in_rotation
from bolicho.agents.player import Compiled
from bolicho.agents.registry import agent as make_agent
from bolicho.agents.registry import recipe
from bolicho.agents.training import Learner, whole_numbers
from bolicho.errors import BadInput
from bolicho.games import game as find_game
from bolicho.games.game import Game
from bolicho.games.kind import copy_pool
from bolicho.store.artifact import Arrays, artifact_path, load_artifact, save_artifact
from bolicho.store.rules_match import check_rules

KIND = "leaning"
EQUILIBRIUM = "cfr"
KNOWN = (EQUILIBRIUM, "novice", "cautious", "aggressive", "bluffer", "balanced", "markov-plus", "pvcnps")
"""Known players; the first one is the strategy itself, against which no action is worth more."""

DEALS = 40_000
SLICE = 2_000  # deals per step
BLUR = 20.0  # pseudo-count: answers of all profiles together, added to a profile's own in every situation
DOUBT = 150.0  # pseudo-count of a gain; with so many samples the noise is a fifth of a point
MOST_WORTH = 1.0
"""Largest gain, in points.

Larger gains mostly come from falta, 24 points at 0-0; a seat that refuses it more often against callers with the best
hands only lets all others call it with any hand.
"""


@dataclass(frozen=True)
class Profiles:
    """Names of profiles, the probabilities of their answers, and the gain of each action against them, in points."""

    names: tuple[str, ...]
    habits: NDArray[np.float64]  # (profile, situation, answer)
    worth: NDArray[np.float64]  # (profile, place)

    def player(self, base: NamedTuple, prior: Sequence[float], lean: float, most: float, width: int) -> Leaning:
        """Create the adapting player: a share is multiplied by e^lean for every point that the action is worth more."""
        room = np.zeros(width, np.int16), np.zeros(width)
        return Leaning(base, np.log(prior), np.log(self.habits), lean * self.worth, float(most), *room)


def load_profiles(game: Game, name: str) -> Profiles:
    """Load the profiles of a file and check their game and rules; cached per process."""
    path = artifact_path(name)
    found: Profiles = _load(game, str(path), path.stat().st_mtime_ns if path.exists() else 0)
    return found


@lru_cache(maxsize=4)
def _load(game: Game, path: str, modified: int) -> Profiles:
    artifact = load_artifact(path, game=game.name, kind=KIND)
    check_rules(artifact.facts, game.options, artifact.path, apart=ANY_MATCH, instead=OTHER_RULES)
    names = tuple(artifact.facts.get("profiles", ()))
    shapes = {"habits": (len(names), SITUATIONS, ANSWERS), "worth": (len(names), PLACES)}
    arrays = artifact.arrays
    if not names or any(name not in arrays or arrays[name].shape != shape for name, shape in shapes.items()):
        raise BadInput(f"{artifact.path} lacks habits and gains for some of its profiles; train it again")
    return Profiles(names, arrays["habits"].astype(np.float64), arrays["worth"].astype(np.float64))


class Meetings:
    """Learner that plays hands against all known players and counts."""

    unit = "deals"

    def __init__(self, game: Game, seed: int, deals: int) -> None:
        whole_numbers(deals=deals)
        self.game, self.seed, self.deals = game, seed, deals
        self.done, self.total = 0, deals * len(KNOWN)
        self.facts = {
            "kind": KIND, "game": game.name, "rules": dict(game.options), "profiles": list(KNOWN), "deals": deals,
        }  # fmt: skip
        self.counts = np.zeros((len(KNOWN), SITUATIONS, ANSWERS))
        self.gains, self.sizes = np.zeros((len(KNOWN), PLACES)), np.zeros((len(KNOWN), PLACES))
        base = make_agent(EQUILIBRIUM, game)
        assert isinstance(base, Compiled)
        even = Profiles(KNOWN, np.ones_like(self.counts), np.zeros_like(self.gains))
        self._player = even.player(base.player(game), np.ones(len(KNOWN)).tolist(), 0, 0, game.num_actions)
        self._pool = copy_pool(game.deal(0).pool)

    def step(self) -> dict[str, Any] | None:
        number, first = divmod(self.done, self.deals)
        count = min(SLICE, self.deals - first)
        self._meet(number, first, count)
        self.done += count
        return None

    def _meet(self, number: int, first: int, count: int) -> None:
        """Play some deals, each with the strategy in either seat, and count their actions."""
        makers = [recipe(spec, self.game.name).maker(self.game) for spec in (EQUILIBRIUM, KNOWN[number])]
        seeds = [deal_seed(self.seed, first + i) for i in range(count)]
        wanted = [in_rotation(2, rotation, seed, seed) for seed in seeds for rotation in range(2)]
        actions = [np.zeros(0, np.int16) for _ in wanted]
        for outcome in play_deals(self.game, makers, wanted):
            if outcome.forfeit is not None:
                raise RuntimeError(f"a known player failed: {outcome.forfeit[1]}")
            actions[outcome.number] = outcome.actions
        replay_hands(
            self._player, np.zeros(1, memory_of(len(KNOWN))), self._pool, copy_pool(self._pool),
            np.array([deal.seed for deal in wanted], np.uint64), np.array([deal.seated.index(0) for deal in wanted]),
            np.concatenate(actions), np.cumsum([0, *map(len, actions)]),
            self.counts[number], self.gains[number], self.sizes[number],
        )  # fmt: skip

    def state(self) -> Arrays:
        return {"counts": self.counts, "gains": self.gains, "sizes": self.sizes}

    def restore(self, state: Arrays) -> None:
        self.counts, self.gains, self.sizes = (state[name].copy() for name in ("counts", "gains", "sizes"))

    def finish(self, out: Path, story: dict[str, Any]) -> dict[str, Any]:
        pooled = self.counts.sum(axis=0) + 1
        pooled /= pooled.sum(axis=-1, keepdims=True)
        habits = (self.counts + BLUR * pooled) / (self.counts.sum(axis=-1, keepdims=True) + BLUR)
        worth = np.clip(self.gains / (self.sizes + DOUBT), -MOST_WORTH, MOST_WORTH)
        worth[KNOWN.index(EQUILIBRIUM)] = 0
        arrays: Arrays = {"habits": habits.astype(np.float32), "worth": worth.astype(np.float32)}
        save_artifact(out, arrays, story)
        return {"profiles": len(KNOWN), "size": out.stat().st_size, "agent": f"leaning(profiles={out})"}


def leaning_truco(seed: int, deals: int = DEALS) -> Learner:
    """Train profiles on single hands of Truco by its default rules."""
    return Meetings(find_game("truco", hands=1), seed, deals)
