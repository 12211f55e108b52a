"""The synthetic baseline: hands observed between the scripted styles.

The 3,195 human hands of the research group are not public (documents 000 and 002).  This base has as
many, from matches between scripted players of varied temper, and says in its own metadata that it is
synthetic.
"""

import itertools

import numpy as np

from bolicho.agents.agent import agent
from bolicho.agents.cbr.casebase import CaseBase
from bolicho.agents.cbr.clusters import cluster_all, label
from bolicho.agents.cbr.observe import watch_table
from bolicho.agents.cbr.truco.scenarios import TRUCO
from bolicho.agents.rules.truco import STYLES
from bolicho.games import game

HANDS = 3195  # document 000, section 3.1
SEED = 1


def make_baseline(hands: int = HANDS, seed: int = SEED) -> CaseBase:
    """Observe matches between all pairs of styles, one seat of each drawn at random, until there are enough hands."""
    truco = game("truco")
    rng = np.random.default_rng(seed)
    pairs = itertools.cycle(itertools.product(STYLES, repeat=2))
    found = np.zeros(0, TRUCO.schema.dtype)
    while len(found) < hands:
        players = [agent(style) for style in next(pairs)]
        table = truco.deal(int(rng.integers(2**63)))
        while (turn := table.turn) is not None:
            table.play(players[turn].act(table.view(turn), rng))
        found = np.concatenate([found, watch_table(TRUCO, table, int(rng.integers(2)))])
    base = CaseBase(TRUCO, found[:hands], (), {"name": "baseline", "kind": "synthetic", "hands": hands, "seed": seed})
    base.clusterings = cluster_all(TRUCO, base.cases)
    label(base)
    return base
