"""Match of two agents: estimate of the difference, and a test of whether there is one.

The unit is the deal, played in every rotation: for two seats a pair of mirrored games.  Deals are played in steps whose
length depends only on the number of earlier deals, and are counted in order, so the answer does not depend on the
processes that play.  With bounds it is a sequential test (see `sequential`) that ends with the deciding pair.

The folder of a match is that of an unfinished tournament (see `run`); every call computes the answer, `match.json`,
from its games.
"""

import json
import math
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

import bolicho
from bolicho import stats
from bolicho.arena import identity as identities
from bolicho.arena import sequential
from bolicho.arena.experiment import Experiment
from bolicho.arena.rows import Games, begun_in, first_forfeit, no_games, put_games
from bolicho.arena.run import claim, inspect_agent, no_process_left, play_missing, sole_writer, with_seed
from bolicho.arena.sequential import Bounds, elo_share, share_elo
from bolicho.arena.summary import about, has_stakes
from bolicho.errors import BadInput
from bolicho.files import write_text_atomic
from bolicho.progress import progress
from bolicho.stats import Estimate, Floats
from bolicho.store.file_checksums import SUMS

MATCH = "match.json"

ELO, PAYOFF = "elo", "payoff"
"""Measure of a match: wins, or payoffs."""

FIRST_STEP = 64  # pairs
GROWTH = 8  # a step is 1/8 of the pairs played so far, so few pairs are played beyond the deciding one
TASKS = 16  # in a step: each is a file
EVEN = {ELO: 0.5, PAYOFF: 0.0}  # mean of a pair of equal agents
LEAST = {ELO: 1, PAYOFF: 128}  # pairs before a verdict: large payoffs may be rare, and must be in the sample
REACH = {ELO: 0.5, PAYOFF: None}  # largest distance of a pair from the middle, if known
FORFEITS_TO_END = 8
"""A match ends if one agent forfeits each of the first 8 games: the agent is broken, and more games are useless.
An agent that forfeits every second game does so in 0.4% of matches; at the default time limit they take 4 minutes."""

DECIDED, PLAYED, FORFEITED = "verdict", "pairs", "forfeits"
"""Reasons of a match's end: its test, its last pair, or an agent that forfeits every game."""


def elo_bounds(elo0: float, elo1: float, alpha: float, beta: float) -> Bounds:
    """Convert bounds in points of Elo to bounds of the share of wins."""
    if not -2000 <= elo0 < elo1 <= 2000:
        raise BadInput(f"the bounds go from a lower Elo to a higher, within 2000 points; not from {elo0:g} to {elo1:g}")
    return Bounds(elo_share(elo0), elo_share(elo1), alpha, beta)


@no_process_left()
def play_match(
    experiment: Experiment,
    bounds: Bounds | None = None,
    by: str = ELO,
    *,
    out: Path | str | None = None,
    jobs: int | None = 1,
) -> dict[str, Any]:
    """Play `experiment.duplicates` pairs of two agents, or fewer if the test of `bounds` stops; return the answer.

    With `out` the games are kept there: a stopped match is resumed, a decided one is read, and for more pairs or other
    bounds only the missing games are played.
    """
    if len(experiment.agents) != 2:
        raise BadInput(f"a match is played by two agents, not by {len(experiment.agents)}")
    if jobs is not None and jobs < 1:
        raise BadInput(f"jobs must be 1 or more processes, not {jobs}")
    with _place(out) as folder:
        if (folder / SUMS).exists():
            raise BadInput(f"{str(folder)!r} holds a finished tournament; choose another folder")
        met = [inspect_agent(experiment, spec) for spec in experiment.agents]
        for spec, each in zip(experiment.agents, met, strict=True):
            if each.traits.learns:
                raise BadInput(f"{spec} learns from game to game, so its pairs are not alike; use a tournament")
        now, modules = identities.sums(experiment, [(each.modules, each.files) for each in met])
        experiment = with_seed(experiment, folder)
        owner, found = identities.owner(experiment, now), [each.traits for each in met]
        with sole_writer(folder):
            total = experiment.num_games if bounds is None else None
            with _kept(out), progress("playing", total, "games") as bar:
                for pairs in _steps(experiment, folder):
                    wanted = replace(experiment, duplicates=pairs)
                    claim(folder, wanted, now)
                    parts, _ = play_missing(wanted, folder, jobs, owner, found, bar, TASKS)
                    games = no_games(wanted)
                    put_games(games, parts)
                    answer = judge(experiment, games, bounds, by)
                    if bounds is not None:
                        bar.update(
                            what=f"LLR {answer['llr']:+.2f} of {bounds.limits[0]:+.2f} to {bounds.limits[1]:+.2f}"
                        )
                    if answer["ended"]:
                        break
            for name in identities.edited(now, modules):
                raise BadInput(f"{name} was changed while the match was under way; play it again")
            first = first_forfeit(parts, answer["pairs"]) if any(answer["forfeits"]) else None
            answer = {"bolicho": bolicho.__version__, "code": identities.digest(now), **answer, "first_forfeit": first}
            if out is not None:
                write_text_atomic(folder / MATCH, json.dumps(answer, indent=1, ensure_ascii=False) + "\n")
        return answer


@contextmanager
def _place(out: Path | str | None) -> Iterator[Path]:
    """Yield the folder of a match; without `out` a temporary one."""
    if out is not None:
        yield Path(out)
        return
    with tempfile.TemporaryDirectory(prefix="bolicho-match-") as folder:
        yield Path(folder) / "match"


@contextmanager
def _kept(out: Path | str | None) -> Iterator[None]:
    """Print a notice on the kept games if a match is stopped."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        if out is not None:
            with suppress(OSError):  # the terminal may be closed
                print(f"Stopped.  {str(out)!r} keeps the pairs; the same command continues the match.", file=sys.stderr)
        raise


def _steps(experiment: Experiment, folder: Path) -> Iterator[int]:
    """Yield the number of pairs played before each look: at least those already played, and `duplicates` at last.

    The first look finds agents that forfeit every game.
    """
    begun = begun_in(folder)
    there = begun.duplicates if begun else 0
    pairs, after = min(experiment.duplicates, _pairs_to_end(experiment)), 0
    while True:
        if pairs >= there or pairs == experiment.duplicates:
            yield max(pairs, there)
        pairs = after = min(experiment.duplicates, after + max(FIRST_STEP, after // GROWTH))


def _pairs_to_end(experiment: Experiment) -> int:
    """Return the number of pairs that hold the first `FORFEITS_TO_END` games."""
    return math.ceil(FORFEITS_TO_END * experiment.duplicates / experiment.num_games)


# --- Evaluation ---------------------------------------------------------------------------------


def judge(experiment: Experiment, games: Games, bounds: Bounds | None, by: str) -> dict[str, Any]:
    """Return the answer of a match from its games, at most `experiment.duplicates` pairs of them."""
    games = _first(games, experiment.duplicates)
    ended = FORFEITED if _is_broken(games, _pairs_to_end(experiment)) else None
    if ended:
        games = _first(games, _pairs_to_end(experiment))
    pairs, verdict, ratio = games.plies.shape[1], None, None
    if bounds is not None:
        ratios = sequential.log_ratios(_units(games, by), bounds, REACH[by])
        if not ended:
            pairs, verdict = sequential.stops(ratios, bounds, LEAST[by])
        ratio = float(ratios[pairs - 1])
    ended = ended or (DECIDED if verdict else PLAYED if pairs == experiment.duplicates else None)
    games = _first(games, pairs)
    agent, against = experiment.agents
    return {
        **{name: value for name, value in about(experiment).items() if name != "duplicates"},
        "agent": agent,
        "against": against,
        "by": by,
        "most": experiment.duplicates,
        "pairs": pairs,
        "games": games.plies.size,
        "bounds": None if bounds is None else _written_bounds(bounds, by),
        "llr": None if ratio is None else float(f"{ratio:.6g}"),
        "verdict": verdict,
        "ended": ended,
        **_estimates(games, bounds, by),
        "counts": _counts(win_shares(games)),
        "stakes": has_stakes(games),
        "forfeits": [int((_who_forfeits(games) == number).sum()) for number in range(2)],
    }


def _is_broken(games: Games, pairs: int) -> bool:
    """Return whether one agent forfeited every game of the first `pairs`."""
    return games.plies.shape[1] >= pairs and set(_who_forfeits(games)[:, :pairs].flat) in ({0}, {1})


def _first(games: Games, pairs: int) -> Games:
    """Return the first pairs of a match."""
    cut = {f.name: getattr(games, f.name)[:, :pairs] for f in fields(games) if f.name != "seated"}
    return replace(games, **cut)


def _units(games: Games, by: str) -> Floats:
    """Return the tested value of each pair."""
    return win_shares(games) if by == ELO else mean_gains(games)


def _written_bounds(bounds: Bounds, by: str) -> dict[str, Any]:
    in_words = share_elo if by == ELO else float
    low, high = (round(in_words(mean), 6) + 0.0 for mean in (bounds.low, bounds.high))
    limits = [float(f"{limit:.6g}") for limit in bounds.limits]
    return {**asdict(bounds), "low": low, "high": high, "limits": limits}


def _estimates(games: Games, bounds: Bounds | None, by: str) -> dict[str, Any]:
    """Return estimates of the tested value, corrected for the stopping rule; without a test also those of wins."""
    units = _units(games, by)
    if bounds is not None:
        found = sequential.estimate(units, bounds, REACH[by], LEAST[by])
        better = sequential.superiority(units, bounds, EVEN[by], REACH[by], LEAST[by])
        told = _elo(found.within_one()) if by == ELO else {"payoff": found}
    else:
        better = _better_than(units, EVEN[by])
        told = {**_elo(stats.rate(win_shares(games))), **({} if by == ELO else {"payoff": stats.mean(units)})}
    written = {name: _written(estimate) for name, estimate in told.items()}
    return {**written, "superiority": float(f"{better:.6g}")}


def _elo(share: Estimate) -> dict[str, Estimate]:
    return {"share": share, "elo": Estimate(*map(share_elo, (share.value, share.low, share.high)))}


def _written(estimate: Estimate) -> dict[str, float | None]:
    return {name: None if x is None else float(f"{x:.6g}") for name, x in estimate.written().items()}


def _better_than(units: Floats, even: float) -> float:
    """Return the probability, after a match of fixed length, that an agent with the mean `even` does worse."""
    from scipy.special import stdtr  # type: ignore[import-untyped]  # slow to import

    far = float(np.abs(units - even).max())
    if far == 0 or len(units) < 2:
        return 0.5
    variance = (float(((units - units.mean()) ** 2).sum()) + 2 * far**2) / (len(units) - 1)
    return float(stdtr(len(units) - 1, (units.mean() - even) * math.sqrt(len(units) / variance)))


def _counts(shares: Floats) -> dict[str, int]:
    """Count the pairs by their share of wins; for pairs of two games include all five possible shares."""
    values, counts = np.unique(np.round(shares, 6), return_counts=True)
    found = dict(zip(values.tolist(), counts.tolist(), strict=True))
    fifths = (0.0, 0.25, 0.5, 0.75, 1.0)
    if set(found) <= set(fifths):
        found = {share: found.get(share, 0) for share in fifths}
    return {f"{share:g}": count for share, count in found.items()}


def win_shares(games: Games) -> Floats:
    """Return the first agent's share of wins in each pair; a tie counts half."""
    wins = stats.pair_wins(games.payoffs, games.seated, 2)
    won, lost = wins[:, 0, 1], wins[:, 1, 0]
    return np.asarray(won / (won + lost))


def mean_gains(games: Games) -> Floats:
    """Return half the mean payoff difference of the first agent to the second per game of each pair.

    In zero-sum games this is the first agent's mean payoff.  A forfeit costs the largest absolute payoff of any game so
    far, and gives it to the others.
    """
    forfeiter = games.forfeit[..., None]
    size = np.abs(np.where(forfeiter < 0, games.payoffs, 0)).max(axis=(0, 2, 3))
    most = np.maximum(1.0, np.maximum.accumulate(size))[None, :, None, None]
    lost = np.where(forfeiter == np.arange(games.payoffs.shape[-1]), -most, most)
    payoffs = np.where(forfeiter < 0, games.payoffs, lost)
    mine, theirs = (_mean_payoff(payoffs, games.seated == agent) for agent in range(2))
    return (mine - theirs) / 2


def _mean_payoff(payoffs: Floats, here: Any) -> Floats:
    """Return the mean, in each pair, over the games and seats of an agent."""
    return np.asarray(np.einsum("pdrs,prs->d", payoffs, here.astype(np.float64)) / here.sum())


def _who_forfeits(games: Games) -> Any:
    """Return the index of the agent that forfeited each game, or -1."""
    seats = games.forfeit[..., None] == np.arange(games.seated.shape[-1])
    return np.where(games.forfeit < 0, -1, (seats * games.seated[:, None]).sum(axis=-1))
