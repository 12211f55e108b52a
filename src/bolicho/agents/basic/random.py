"""The agent that every comparison starts from."""

import numpy as np

from bolicho.agents.agent import Agent
from bolicho.games.game import Action, View


class Random(Agent):
    """A uniformly random legal action."""

    def act(self, view: View, rng: np.random.Generator) -> Action:
        return view.legal[int(rng.random() * len(view.legal))]
