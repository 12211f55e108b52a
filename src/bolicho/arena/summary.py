"""Statistics of a run: the numbers of `result.json` and `made.json`.

`result.json` depends only on the games:

`ranked_by`  `wins`, or `payoff` if payoffs carry more than wins and losses
`agents`     the standings, best first: the traits `oracle`, `learns`, `built_in`, fixed before the first game,
             `games`, `wins` (ties shared), `rate`, `rating`, the mean
             `payoff`, the mean point difference `in_wins` and `in_losses` (ahead of the best of the
             others), `seats` (games, wins and rate by seat) and `forfeits`.  A forfeit is a loss: the
             forfeiting agent gets the lowest payoff of the run; the other agents' payoffs and all
             point differences, which have another scale, leave the game out
`pairs`      for every two agents that met: `wins` and `rate` of `agent` against `against`, its mean
             `payoff` in these games and that of the other (`payoff_against`)
`behaviours` behaviours that the game counts: `name`, denominator of the share (`of`), and for each of the
             `agents` the `times`, the `chances` and their `share`
`forfeits`   the first ones, with row, seat and reason

An estimate is `{"value", "low", "high"}` with a 95% interval, null if undefined.

An unfinished run has the same table (`partial_table`): two agents are compared on the deals that all pairings with both
have played, an agent's rate uses the deals that all its pairings have played; the rest, ratings included, uses all
games. Until every agent has a rate, the agents are ordered by rating.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bolicho
from bolicho import stats
from bolicho.agents.registry import Traits
from bolicho.arena.experiment import Experiment
from bolicho.arena.rows import Games, read_behaviours, read_forfeits
from bolicho.arena.seeds import as_number
from bolicho.stats import Estimate, Floats

FORFEITS_LISTED = 50


def summarise(experiment: Experiment, games: Games, folder: Path, code: str, found: Sequence[Traits]) -> dict[str, Any]:
    """Return the content of `result.json`; `code` is the digest of the run's identity."""
    table = partial_table(experiment, games)
    known = {
        name: {"oracle": one.oracle, "learns": one.learns, "built_in": one.built_in}
        for name, one in zip(experiment.agents, found, strict=True)
    }
    return {
        "bolicho": bolicho.__version__,
        "experiment": experiment.hash,
        "code": code,
        **about(experiment),
        "ranked_by": table["ranked_by"],
        "games": table["games"],
        "plies": int(games.plies.sum()),
        "agents": [{"agent": row["agent"], **known[row["agent"]], **row} for row in table["agents"]],
        "pairs": table["pairs"],
        "behaviours": _behaviours(experiment, read_behaviours(folder, experiment)),
        "num_forfeits": table["num_forfeits"],
        "forfeits": read_forfeits(folder, FORFEITS_LISTED),
    }


def about(experiment: Experiment) -> dict[str, Any]:
    """Return the game and the settings of an experiment."""
    game = experiment.make_game()
    return {
        "game": experiment.game,
        "title": game.kind.title,
        "rules": dict(experiment.rules),
        "duplicates": experiment.duplicates,
        "seed": experiment.seed,
        "move_limit": experiment.move_limit,
        "seats": game.seats,
    }


def partial_table(experiment: Experiment, games: Games) -> dict[str, Any]:
    """Return standings and pairs of the games played so far."""
    payoffs = np.where(games.played[..., None, None], games.payoffs, np.nan)
    wins = stats.pair_wins(payoffs, games.seated, len(experiment.agents))
    standings = _standings(experiment, games, wins)
    ranked_by = "payoff" if has_stakes(games) else "wins"
    return {
        "ranked_by": ranked_by,
        "games": int(games.played.sum()) * games.seated.shape[-1],
        "agents": sorted(standings, key=_order(standings, ranked_by)),
        "pairs": _pairs(experiment, games, wins),
        "num_forfeits": int((games.forfeit >= 0).sum()),
    }


def _order(standings: Sequence[dict[str, Any]], ranked_by: str) -> Callable[[dict[str, Any]], Any]:
    """Return the sort key of the standings."""
    if any(row["rate"]["value"] is None for row in standings):  # they have not met the same opponents yet
        return lambda row: (not row["games"], -row["rating"]["value"])  # a rating without games ranks nobody
    return _by_payoff if ranked_by == "payoff" else _by_wins


def _by_wins(row: dict[str, Any]) -> Any:
    return -row["rate"]["value"]


def _by_payoff(row: dict[str, Any]) -> Any:
    payoff = row["payoff"]["value"]
    return math.inf if payoff is None else -payoff, _by_wins(row)


def has_stakes(games: Games) -> bool:
    """Return whether some games are worth more than others, so that wins and payoffs may rank agents differently."""
    payoffs = games.payoffs[_played_out(games)]
    above = stats.win_shares(payoffs) - 1 / payoffs.shape[-1]  # proportional to the payoff if only wins counted
    scale = (payoffs * above).sum() / max(1e-9, (above**2).sum())
    return not np.allclose(payoffs, scale * above)


def _played_out(games: Games) -> NDArray[np.bool_]:
    """Return a mask of the games without a forfeit."""
    return np.asarray((games.forfeit < 0) & games.played[..., None])


def _payoffs(games: Games) -> tuple[Floats, NDArray[np.bool_]]:
    """Return payoffs by seat and a mask of those that count; a forfeit is worth the lowest payoff of the run."""
    loses = games.forfeit[..., None] == np.arange(games.payoffs.shape[-1])
    played_out = np.broadcast_to(_played_out(games)[..., None], games.payoffs.shape)
    lowest = games.payoffs[played_out].min() if played_out.any() else -1.0
    return np.where(loses, lowest, games.payoffs), played_out | loses


def _standings(experiment: Experiment, games: Games, wins: Floats) -> list[dict[str, Any]]:
    shares = stats.win_shares(games.payoffs) * games.played[..., None, None]
    margins = stats.margins(games.scores)
    played_out = _played_out(games)[..., None]
    lost_by_forfeit = games.forfeit[..., None] == np.arange(games.payoffs.shape[-1])
    rated = stats.ratings(wins, as_number(experiment.seed or 0))
    payoffs, counts = _payoffs(games)
    rows = []
    for number, name in enumerate(experiment.agents):
        mine = games.seated == number
        whole = _whole_deals(games, mine.any(axis=(1, 2)))
        won, lost = played_out & (shares == 1), played_out & (shares == 0)
        rows.append(
            {
                "agent": name,
                "games": int(games.played.sum(axis=1) @ mine.sum(axis=(1, 2))),
                "wins": _tidy(_per_deal(shares, mine).sum()),
                "rate": _json(_rate(shares, mine, whole)),
                "rating": _json(rated[number]),
                "payoff": _json(stats.ratio(_per_deal(payoffs * counts, mine), _per_deal(counts, mine))),
                "in_wins": _json(stats.ratio(_per_deal(margins * won, mine), _per_deal(won, mine))),
                "in_losses": _json(stats.ratio(_per_deal(margins * lost, mine), _per_deal(lost, mine))),
                "seats": _by_seat(shares, mine, whole),
                "forfeits": int(_per_deal(lost_by_forfeit, mine).sum()),
            }
        )
    return rows


def _whole_deals(games: Games, pairings: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a mask of the deals that all of these pairings have played; in a finished run, all deals."""
    return np.asarray(games.played[pairings].all(axis=0))


def _per_deal(values: NDArray[Any], mine: NDArray[np.bool_]) -> Floats:
    """Return the sum, for each deal, over the games and seats of an agent."""
    return np.asarray(np.einsum("pdrs,prs->d", values.astype(np.float64), mine.astype(np.float64)))


def _rate(shares: Floats, mine: NDArray[np.bool_], whole: NDArray[np.bool_]) -> Estimate:
    if not whole.any():
        return Estimate(math.nan)
    sets = int(mine.any(axis=(1, 2)).sum() * whole.sum())
    return stats.rate(_per_deal(shares, mine)[whole] / mine.sum(), sets)


def _by_seat(shares: Floats, mine: NDArray[np.bool_], whole: NDArray[np.bool_]) -> list[dict[str, Any]]:
    """Return an agent's results by seat; in Truco seat 0 is the mão of the first hand."""
    rows = []
    for seat in range(mine.shape[-1]):
        here = mine & (np.arange(mine.shape[-1]) == seat)
        rows.append(
            {
                "seat": seat,
                "games": int(here.sum() * whole.sum()),
                "wins": _tidy(_per_deal(shares, here)[whole].sum()),
                "rate": _json(_rate(shares, here, whole)),
            }
        )
    return rows


def _pairs(experiment: Experiment, games: Games, wins: Floats) -> list[dict[str, Any]]:
    payoffs, counts = _payoffs(games)
    pairings = experiment.pairings()
    rows = []
    for one, agent in enumerate(experiment.agents):
        for other in range(one + 1, len(experiment.agents)):
            together = np.array([one in pairing and other in pairing for pairing in pairings])
            whole = _whole_deals(games, together)
            won, lost = wins[whole, one, other], wins[whole, other, one]
            both = [games.seated == number for number in (one, other)]
            mine, theirs = (here & there.any(axis=-1, keepdims=True) for here, there in (both, both[::-1]))
            rows.append(
                {
                    "agent": agent,
                    "against": experiment.agents[other],
                    "games": int((won + lost).sum()),
                    "wins": _tidy(won.sum()),
                    "rate": _json(
                        stats.rate(
                            won / (won + lost), int(together.sum() * whole.sum())
                        )  # every deal has the same number of games
                        if whole.any()
                        else Estimate(math.nan)
                    ),
                    "payoff": _json(stats.ratio(_per_deal(payoffs * counts, mine), _per_deal(counts, mine))),
                    "payoff_against": _json(
                        stats.ratio(_per_deal(payoffs * counts, theirs), _per_deal(counts, theirs))
                    ),
                }
            )
    return rows


def _behaviours(experiment: Experiment, did: NDArray[np.int64]) -> list[dict[str, Any]]:
    """Return every behaviour for which an agent had a chance, in the order of the game."""
    rows = []
    for number, (name, of) in enumerate(experiment.make_game().kind.behaviours):
        agents = {}
        for agent, (times, chances) in zip(experiment.agents, np.moveaxis(did[:, number], -1, 1), strict=True):
            share = stats.ratio(times, chances)
            agents[agent] = {
                "times": int(times.sum()),
                "chances": int(chances.sum()),
                "share": _json(share.within_one() if share.has_interval else share),
            }
        if any(each["chances"] for each in agents.values()):
            rows.append({"name": name, "of": of, "agents": agents})
    return rows


def pair_rates(result: Mapping[str, Any]) -> dict[tuple[str, str], Estimate]:
    """Return the win rate of each agent against each opponent, in both directions."""
    rates = {(pair["agent"], pair["against"]): Estimate.read(pair["rate"]) for pair in result["pairs"]}
    return rates | {(other, one): rate.rest() for (one, other), rate in rates.items()}


def timing(experiment: Experiment, games: Games) -> list[dict[str, Any]]:
    """Return the times of decisions of each agent, in seconds."""
    rows = []
    for number, name in enumerate(experiment.agents):
        mine = games.seated == number
        decisions = int(_per_deal(games.decisions, mine).sum())
        seconds = float(_per_deal(games.seconds, mine).sum())
        slowest = float((games.slowest * mine[:, None]).max())
        row = {"agent": name, "decisions": decisions, "mean": seconds / max(1, decisions), "slowest": slowest}
        rows.append(row)
    return rows


def _json(estimate: Estimate) -> dict[str, float | None]:
    return {name: None if x is None else float(f"{x:.6g}") for name, x in estimate.written().items()}


def _tidy(wins: float) -> float | int:
    """Return a number of wins, as an int if no tie was shared."""
    wins = round(float(wins), 6)
    return int(wins) if wins == int(wins) else wins
