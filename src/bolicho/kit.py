"""Public interface for authors of games, agents and techniques.

Names exported here, and by `bolicho` itself, stay: a name that is to go keeps working for one minor version, with a
`DeprecationWarning` that names its successor.  Other modules below `bolicho` may change in every version.

- Games (`docs/new-game.md`): `state`, `record_type`, `blank_of`, `Kind`, `Names`, `kernel`, `implements`, `rule`,
  `begin`, `choose`, `log`, `check_game`; random numbers of a seed: `below`, `uniform`, `stream`.
- Agents (`docs/tutorial.md`): `Agent`, `Explanation`, `Message`, `plain`, `check_agent`.
- Compiled agents (`docs/architecture.md`): `Compiled`, `players`, `njit`.
- Techniques (`docs/new-technique.md`): `Technique`, `Preset`, `Training`, `Absent`; random play from a position of a
  pool: `playout`.
- Trainings (`docs/training.md`): `Learner`, `train`, `load_artifact`, `save_artifact`; agents that play from a trained
  file: `LearnedAgent`.
- Playing and measuring: `game`, `agent`, `play`, `meet`, `replay`, `read_records`, `Estimate`, `mean`, `rate`,
  `win_shares`.
"""

from numba import from_dtype as record_type

from bolicho.agents import kernel as players
from bolicho.agents.agent import Agent, Explanation
from bolicho.agents.check import check_agent
from bolicho.agents.learned import LearnedAgent
from bolicho.agents.mirrored_games import meet
from bolicho.agents.play import play
from bolicho.agents.player import Compiled
from bolicho.agents.registry import agent
from bolicho.agents.search.compiled.playout import playout
from bolicho.agents.technique import Absent, Preset, Technique, Training
from bolicho.agents.training import Learner, train
from bolicho.errors import BadInput, IllegalAction
from bolicho.games import game, kernel
from bolicho.games.check import check_game
from bolicho.games.compiled.chance import below, stream, uniform
from bolicho.games.compiled.events import begin, choose, log
from bolicho.games.fields import Names
from bolicho.games.game import Game, Table, View
from bolicho.games.jit import njit, rule
from bolicho.games.kernel import implements
from bolicho.games.kind import Action, Kind
from bolicho.games.record import read_records, replay
from bolicho.games.small_game import blank_of, state
from bolicho.i18n import Message, plain
from bolicho.stats import Estimate, mean, rate, win_shares
from bolicho.store.artifact import load_artifact, save_artifact

__all__ = [
    "Absent", "Action", "Agent", "BadInput", "Compiled", "Estimate", "Explanation", "Game", "IllegalAction",
    "Kind", "LearnedAgent", "Learner", "Message", "Names", "Preset", "Table", "Technique", "Training", "View", "agent",
    "begin", "below", "blank_of", "check_agent", "check_game", "choose", "game", "implements", "kernel",
    "load_artifact", "log", "mean", "meet", "njit", "plain", "play", "players", "playout", "rate", "read_records",
    "record_type", "replay", "rule", "save_artifact", "state", "stream", "train", "uniform", "win_shares",
]  # fmt: skip
