"""Training of case bases for games whose cases are turns.

It starts with turns observed between built-in players, each judged by trials of its alternatives, and continues by
self-play: the case-based player tries all alternatives at its rare turns, and judges them by its own continuation.
"""

import numpy as np

from bolicho.agents.agent import Values, Within
from bolicho.agents.cbr import retain
from bolicho.agents.cbr.agent import OPTION_VALUES
from bolicho.agents.cbr.bases import bases_of, domain_of
from bolicho.agents.cbr.casebase import CaseBase
from bolicho.agents.cbr.clusters import ALGORITHMS, clustered
from bolicho.agents.cbr.observe import judge
from bolicho.agents.loop import Deal, play_deals
from bolicho.agents.player import Compiled
from bolicho.agents.registry import recipe
from bolicho.agents.training import Learner, whole_numbers
from bolicho.games import game as find_game
from bolicho.games.game import Game

CASES = 24_000
GAMES = 300


_AMOUNT = Within(1, 100_000)  # the maximum takes hours on one core
BASELINE: dict[str, Values] = {"hands": _AMOUNT, "clustering": ALGORITHMS}
LEARNED: dict[str, Values] = {
    "base": bases_of("truco"),
    "cases": _AMOUNT,
    "keep": retain.KEEPS,
    "rivals": Within(0.0, 1.0),
    "membership": retain.MEMBERSHIPS,
    "cleaning": retain.CLEANINGS,
    "clustering": ALGORITHMS,
    "groups": retain.GROUPS,
    **{name: values for name, values in OPTION_VALUES.items() if name != "policy"},
}
TURNS: dict[str, Values] = {"cases": _AMOUNT, "games": Within(1, 10_000)}
"""Values of options for trainings that may be started over HTTP."""


def turns(seed: int, game: Game, cases: int = CASES, games: int = GAMES) -> Learner:
    """Train a base of `cases` turns, starting from those of one seat in `games` observed games."""
    whole_numbers(cases=cases, games=games)
    return retain.Course(observed(game.name, games, seed), cases, seed, policies=(domain_of(game.name).policy,))


def observed(name: str, games: int, seed: int) -> CaseBase:
    """Return the turns of one seat, drawn at random, in games between players drawn at random."""
    played, domain = find_game(name), domain_of(name)
    chance = np.random.default_rng(seed)
    recipes = [recipe(spec, name) for spec in domain.observed]
    drawn = chance.integers(2**64, size=(games, 1 + played.seats), dtype=np.uint64).tolist()
    seated = chance.integers(len(recipes), size=(games, played.seats)).tolist()
    watched = chance.integers(played.seats, size=games).tolist()
    deals = [Deal(cards, who, luck) for (cards, *luck), who in zip(drawn, seated, strict=True)]
    scripted = recipes[0].make(played)
    assert isinstance(scripted, Compiled)
    player = scripted.player(played)
    found = [np.zeros(0, domain.schema.dtype)] * games
    for outcome in play_deals(played, [one.maker(played) for one in recipes], deals):
        assert outcome.forfeit is None, outcome.forfeit
        deal, seat = deals[outcome.number], watched[outcome.number]
        start = played.deal(deal.seed)
        found[outcome.number] = judge(domain, player, deal.luck[seat], start, outcome.actions, seat)
    cases = np.concatenate(found)
    return clustered(domain, cases, {"name": "observed", "games": games})
