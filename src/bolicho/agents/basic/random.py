"""The agent that every comparison starts from."""

import numpy as np

from bolicho.agents.agent import Agent, Choice
from bolicho.games.game import View


class Random(Agent):
    """A uniformly random legal action."""

    def act(self, view: View, rng: np.random.Generator) -> Choice:
        return view.legal[int(rng.random() * len(view.legal))]
