"""Case-based agent: one class for all policies and games with cases."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bolicho.agents.agent import Explanation, Values, Within
from bolicho.agents.cbr import TECHNIQUE
from bolicho.agents.cbr.bases import bases_of, domain_of, file_of, load_base
from bolicho.agents.cbr.compiled.decision import CaseBasedPlayer
from bolicho.agents.cbr.cycle import OURS, RETRIEVALS, CaseBasedOptions, Settings, make_settings, make_trace
from bolicho.agents.cbr.explain import explain
from bolicho.agents.cbr.retrieve import CaseIndex, make_scratch
from bolicho.agents.cbr.reuse import POINTS, POLICIES, SMALL_CLUSTERS, VICTORIES
from bolicho.agents.cbr.reuse import policy as find_policy
from bolicho.agents.cbr.revise import REVISIONS
from bolicho.agents.cbr.weights import WEIGHTS
from bolicho.agents.player import Compiled
from bolicho.files import file_state
from bolicho.games.game import Game, View
from bolicho.games.kind import Action
from bolicho.store.checksum import checksum
from bolicho.store.rules_match import check_rules

_loaded: dict[tuple[str, str], tuple[Any, str, CaseIndex]] = {}
"""Cached indexes by base and game: the state of the file, the checksum of its content, and the index."""

KEPT = 8  # maximum number of indexes in memory: a study with a growing base has a file for each version


def load_index(base: str, game: str) -> CaseIndex:
    """Return the index of a game's base, rebuilt when the content of its file has changed.

    A base that grows in a study is rewritten without the hands of a participant who withdraws; no process may continue
    to use them.
    """
    path = file_of(base, game)
    state = file_state(path)
    known = _loaded.pop((base, game), None)
    if known is None or known[0] != state:
        try:
            content = checksum(path.read_bytes())
        except OSError:
            content = ""  # `load_base` reports the problem
        index = known[2] if known and known[1] == content else CaseIndex(load_base(base, domain_of(game)))
        known = (state, content, index)
    _loaded[base, game] = known  # most recently used last
    while len(_loaded) > KEPT:
        _loaded.pop(next(iter(_loaded)))
    return known[2]


BEST = "best"
"""Placeholder for the policy that plays a game best from the shipped base."""


OPTION_VALUES: Mapping[str, Values] = {
    "policy": (BEST, *POLICIES),
    "threshold": Within(0.5, 1.0),  # far below every threshold in use
    "retrieval": RETRIEVALS,
    "revise": REVISIONS,
    "victory": tuple(VICTORIES),
    "points": tuple(POINTS),
    "small_clusters": tuple(SMALL_CLUSTERS),
    "minimum": Within(0, 1000),
    "weights": WEIGHTS,
    "bluff": Within(0.0, 1.0),
}
"""Option values that a request may choose in every game; the bases depend on the game."""


class CaseBased(Compiled):
    """Reuse the decisions of the most similar hands: a policy picks a cluster of them, then an action."""

    games: tuple[str, ...] = ("truco",)

    def __init__(self, policy: str, base: str | CaseIndex = "learned", options: CaseBasedOptions = OURS) -> None:
        """Create the agent.

        `base` is `learned` (in Truco also `baseline`), the path of a case file, or an index in memory.
        """
        self.name = policy
        self.base = base
        self.options = options
        options.check()
        if policy != BEST:
            find_policy(policy)
        self._trace = make_trace()

    def index(self, game: Game) -> CaseIndex:
        """Return the index for a game."""
        index = self.base if isinstance(self.base, CaseIndex) else load_index(self.base, game.name)
        return index.weighted(self.options.weights)

    def prepare(self, game: Game) -> None:
        index = self.index(game)
        check_rules(index.base.made, game.options, f"the case base {self.base}", apart=index.domain.apart)
        self._settings(index)  # rejects values that the game does not support

    def option_values(self, game: Game) -> Mapping[str, Values]:
        return {**OPTION_VALUES, "base": bases_of(game.name)}

    def files(self, game: Game) -> Sequence[Path]:
        return [] if isinstance(self.base, CaseIndex) else [file_of(self.base, game.name)]

    def player(self, game: Game) -> CaseBasedPlayer:
        index = self.index(game)
        scratch = make_scratch(index.index, index.domain)
        calls = index.calls if self.options.bluff < 1 else index.index
        return CaseBasedPlayer(index.index, index.groups, self._settings(index), scratch, self._trace, calls)

    def _policy(self, index: CaseIndex) -> str:
        return index.domain.policy if self.name == BEST else self.name

    def _settings(self, index: CaseIndex) -> Settings:
        return make_settings(index.domain, self._policy(index), self.options)

    def explain_choice(self, view: View, action: Action) -> Explanation:
        index = self.index(view.game)
        return explain(index, self._policy(index), self._settings(index), view, self._trace, int(action))


def cbr(policy: str = BEST, base: str | CaseIndex = "learned", options: CaseBasedOptions = OURS) -> CaseBased:
    """Create the agent for any game with cases, by any of the policies."""
    made = CaseBased(policy, base, options)
    made.games = tuple(TECHNIQUE.bindings)
    return made
