"""Agent that starts from the near-equilibrium strategy and adapts it to its opponent."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bolicho.agents.agent import Explanation
from bolicho.agents.cfr.agent import CFR
from bolicho.agents.cfr.truco.compiled.leaning import Leaning as Player
from bolicho.agents.cfr.truco.compiled.leaning import memory_of
from bolicho.agents.cfr.truco.profiles import EQUILIBRIUM, KNOWN, Profiles, load_profiles
from bolicho.agents.explanation import listed, named
from bolicho.agents.learned import by_action, draw_actions
from bolicho.agents.player import Compiled
from bolicho.errors import BadInput
from bolicho.games.game import Game, View
from bolicho.games.kind import Action
from bolicho.i18n import Message
from bolicho.store.artifact import artifact_path

SHIPPED = "leaning-truco"
LEAN, MOST = 0.25, 0.2
"""Weight of a point, and largest share of a mixture that may move; the latter bounds what a best response gains."""

HALF = 0.5  # prior of the equilibrium itself; the other profiles share the rest
TOLD = 3  # number of profiles named in an explanation


class Leaning(Compiled):
    """Adapt the mixture of `cfr` to the observed opponent, within bounds.

    The share of an action is multiplied by e^`lean` for every point that the action is worth more against players like
    this one, and at most `most` of the mixture moves in a decision. `profiles` is a name or a file of known players;
    `like` names a profile to assume from the beginning, whatever the opponent does; `artifact` is that of `cfr`.
    """

    games = ("truco",)
    memory = memory_of(len(KNOWN))

    def __init__(
        self, lean: float = LEAN, most: float = MOST, profiles: str = SHIPPED, like: str = "", artifact: str = ""
    ) -> None:
        if not 0 <= lean <= 10:
            raise BadInput(f"lean must be a number from 0 to 10, not {lean!r}")
        if not 0 <= most <= 1:
            raise BadInput(f"most must be a share from 0 to 1, not {most!r}")
        self.lean, self.most, self.profiles, self.like = lean, most, profiles, like
        self.base = CFR(artifact)

    def plays(self, game: Game) -> str | None:
        if (why := super().plays(game) or self.base.plays(game)) is not None:
            return why
        try:
            self.known(game)
        except BadInput as problem:
            return str(problem)
        return None

    def known(self, game: Game) -> Profiles:
        """Return the known profiles."""
        known = load_profiles(game, self.profiles)
        if self.like and self.like not in known.names:
            raise BadInput(f"leaning has no profile {self.like!r}; it has {', '.join(known.names)}")
        return known

    def prepare(self, game: Game) -> None:
        self.base.prepare(game)
        self.memory = memory_of(len(self.known(game).names))

    def player(self, game: Game) -> Player:
        known = self.known(game)
        made = known.player(self.base.player(game), prior(known.names), self.lean, self.most, game.num_actions)
        if self.like:
            made.prior[:] = np.where(np.array(known.names) == self.like, 0, -np.inf)
        return made

    def files(self, game: Game) -> Sequence[Path]:
        return [*self.base.files(game), artifact_path(self.profiles)]

    def explain_choice(self, view: View, action: Action) -> Explanation:
        leaned, even = self.mixture(view) or [], self.base.mixture(view) or []
        memory = self._memory[0]
        weights = dict(zip(self.known(view.game).names, memory["weight"].tolist(), strict=True))
        likely = sorted(weights, key=lambda name: -weights[name])[:TOLD]
        at, seen = view.legal.index(action), int(memory["seen"])
        moved = sum(abs(a - b) for a, b in zip(leaned, even, strict=True)) / 2
        alike = [Message("agents.leaning.like", name=_name(name), weight=weights[name]) for name in likely]
        texts = [Message("agents.leaning.from", share=a, even=b) for a, b in zip(leaned, even, strict=True)]
        return Explanation(
            Message("agents.leaning.draws", action=named(view, action), share=leaned[at], even=even[at]),
            {
                "action": str(action),
                "mixture": by_action(view, leaned),
                "equilibrium": by_action(view, even),
                "moved": moved,
                "seen": seen,
                "profiles": weights,
            },
            [
                Message("agents.leaning.seen", seen=seen, alike=listed(alike)),
                Message("agents.leaning.moved", moved=moved, most=self.most),
            ],
            picture=draw_actions("cfr.title", "share", view, action, leaned, texts),
        )


def prior(names: Sequence[str]) -> list[float]:
    """Return the prior belief over profiles."""
    others = (1 - HALF) / max(1, len(names) - 1)
    return [HALF if name == EQUILIBRIUM else others for name in names]


def _name(name: str) -> Message | str:
    return Message("agents.leaning.equilibrium") if name == EQUILIBRIUM else name
