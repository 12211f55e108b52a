"""Agents at single hands of Truco, language models above all, measured by a strategy near equilibrium.

Every agent plays mirrored hands against `cfr` and `balanced`. The values of `cfr` give the cost of each of its
decisions, and a control variate: against `cfr`, the points of a hand and the costs of the agent's decisions in it add
up to luck alone, which is 0 on average over both seats (by the martingale of the values of the agent's decisions).
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from bolicho import stats
from bolicho.agents.cfr.analyse import Judge, JudgedDecision, hand_of
from bolicho.agents.llm.exchanges import Tally, tallies
from bolicho.agents.spec import parse_spec
from bolicho.arena.experiment import Experiment
from bolicho.arena.match import mean_gains
from bolicho.arena.rows import GAMES, find_record, list_games, read_behaviours, read_games
from bolicho.arena.run import Run
from bolicho.files import read_text, write_text_atomic
from bolicho.games.game import Table as GameTable
from bolicho.games.record import replay
from bolicho.lab.plots import drawing
from bolicho.lab.study import Effort, Figure, Findings, Measured, Table
from bolicho.progress import progress
from bolicho.sources import fingerprint
from bolicho.stats import Estimate
from bolicho.store.file_checksums import file_sum

BY = "cfr"
OPPONENTS = {BY: f"{BY}(scores=true)", "balanced": "balanced"}
"""Opponents by name; the first one is written with a default option, so that `cfr` itself can be measured."""

LEAST = 1e-4
"""Positions below this probability are skipped; changes the mean cost of a decision by 0.00005 points (six hands)."""

SUPPORT = 0.005
"""Smallest share of the strategy's mixture that counts as support: smaller ones are remains of its learning."""

KINDS = ("envido", "truco", "cards")
POINTS = ("envido", "real", "falta", "flor", "contraflor", "resto")
RAISES = ("truco", "retruco", "vale4", "baralho")
BLUFFS = ("bluffs at truco", "bluffs at envido")
QUICK, FULL = 20, 500
"""Deals against each opponent; each is played from both seats, so the full study has 1,000 hands a pairing."""


@dataclass(frozen=True)
class JudgedHand:
    """Decisions of an agent in a hand: number, cost and number on the support by kind, and the luck of the hand."""

    deal: int
    count: tuple[int, ...]
    cost: tuple[float, ...]
    support: tuple[int, ...]
    luck: float


@dataclass(frozen=True)
class Measures:
    """Results of an agent."""

    agent: str
    against: Mapping[str, Run]
    hands: list[JudgedHand]
    points: Mapping[str, NDArray[np.float64]]  # by opponent and deal
    controlled: Estimate
    gains: tuple[float, float] | None
    """Factors of variance: of mirrored deals, and of the control variate as well; None where the games do not vary."""

    tally: Tally | None


def run(effort: Effort) -> Findings:
    """Measure the agents of `--agent`, and rank them by their points a hand against `cfr`."""
    found = sorted((_measure(effort, number) for number in range(len(effort.agents))), key=_rank_key)
    services = [_service(found)] if any(one.tally for one in found) else []
    return Findings(
        tables=[_ranking(found), _strength(found), _decisions(found), _precision(found), *services],
        figures=[_figure(found)],
        notes=[
            f"Single hands at 0-0, mirrored deals. Costs are in points of the hand, by the values of {BY}. Points are "
            f"those against {BY}, less the luck that its values measure. A forfeit costs the most points of any hand. "
            "Intervals are of 95%, with the deal as the unit."
        ],
    )


def _measure(effort: Effort, number: int) -> Measures:
    agent = effort.agents[number]
    deals = effort.pick(quick=QUICK, full=FULL)
    against = {}
    for other, spec in OPPONENTS.items():
        if spec == agent:
            continue
        experiment = Experiment("truco", [agent, spec], {"hands": 1}, deals, effort.seed)
        against[other] = effort.play(experiment, f"agent-{number}-{other}")
    hands = _judged(against[BY], effort.jobs)
    luck = _by_deal(hands, deals, lambda hand: hand.luck) / 2
    points = {other: mean_gains(read_games(one.folder, one.experiment)) for other, one in against.items()}
    mirrored = points[BY]
    controlled, gain = stats.controlled(mirrored, luck)
    name, options = parse_spec(agent)
    counted = [tallies(one.folder).get(str(options.get("model"))) for one in against.values()] if name == "llm" else []
    mirror = _plain_variance(against[BY]) / (float(mirrored.var(ddof=1)) / deals) if mirrored.var() else None
    gains = None if mirror is None else (mirror, mirror * gain)
    tally = _sum([one for one in counted if one is not None])
    return Measures(agent, against, hands, points, controlled, gains, tally)


def _plain_variance(run: Run) -> float:
    """Return the variance of the mean over games that are taken as independent."""
    payoffs = np.concatenate([read_games(run.folder, run.experiment).payoffs[0, :, r, s] for r, s in ((0, 0), (1, 1))])
    return float(payoffs.var(ddof=1)) / len(payoffs)


def _sum(found: list[Tally]) -> Tally | None:
    if not found:
        return None
    return Tally(**{name: sum(asdict(one)[name] for one in found) for name in asdict(found[0])})


# --- Judging -------------------------------------------------------------------------------------


def _judged(run: Run, jobs: int | None) -> list[JudgedHand]:
    """Return the judged hands of the first agent of a run; kept beside it, so that they are judged once."""
    path, folder = run.folder / "judged.json", run.folder
    about = {"games": file_sum(folder / GAMES), "by": BY, "least": LEAST, "code": fingerprint(Judge.__module__)}
    if path.is_file():
        kept = json.loads(read_text(path))
        if kept["about"] == about:
            return [
                JudgedHand(one["deal"], tuple(one["count"]), tuple(one["cost"]), tuple(one["support"]), one["luck"])
                for one in kept["hands"]
            ]
    rows = list_games(run.experiment, [folder / GAMES], most=run.experiment.num_games)
    games = [(row["row"], row["deal"], row["agents"].index(run.experiment.agents[0]), row["forfeit"]) for row in rows]
    cut = [games[at : at + CHUNK] for at in range(0, len(games), CHUNK)]
    hands: list[JudgedHand] = []
    with progress("judging", len(games), "hands") as bar:
        parallel = Parallel(n_jobs=-1 if jobs is None else jobs, return_as="generator")
        for judged in parallel(delayed(_judge)(run.experiment, folder, chunk) for chunk in cut):
            hands += judged
            bar.update(len(hands))
    write_text_atomic(path, json.dumps({"about": about, "hands": [asdict(hand) for hand in hands]}) + "\n")
    return hands


CHUNK = 10  # hands of a task


def _judge(experiment: Experiment, folder: Path, games: list[tuple[int, int, int, int | None]]) -> list[JudgedHand]:
    """Judge the decisions of a seat in some games: (row, deal, seat, the seat that forfeited)."""
    judge = Judge(hand_of(experiment.make_game()), BY, LEAST)
    return [_judge_game(judge, experiment, folder, *game) for game in games]


def _judge_game(
    judge: Judge, experiment: Experiment, folder: Path, row: int, deal: int, seat: int, forfeit: int | None
) -> JudgedHand:
    record = find_record(experiment, [folder / GAMES], row)
    assert record is not None
    table = replay(record)
    made = list(judge.decisions(table, seat))
    by_kind = {kind: [one for one in made if kind_of(one) == kind] for kind in KINDS}
    cost = tuple(sum(one.cost for one in by_kind[kind]) for kind in KINDS)
    end = _value_of_rest(judge, table, seat) if forfeit == seat else float(table.payoffs[seat])
    return JudgedHand(
        deal,
        tuple(len(by_kind[kind]) for kind in KINDS),
        cost,
        tuple(sum(one.mixture[one.chosen] >= SUPPORT for one in by_kind[kind]) for kind in KINDS),
        end + sum(cost),
    )


def _value_of_rest(judge: Judge, table: GameTable, seat: int) -> float:
    """Return the value of a hand for the seat that forfeits at its turn, if the strategy played on."""
    assert table.turn == seat
    return judge.decision(table, [action.number for action in table.actions], table.legal[0].number).value


def kind_of(one: JudgedDecision) -> str:
    """Return the kind of a decision: by the call to answer, otherwise by the action."""
    decided = one.asked or one.chosen
    return "envido" if decided in POINTS else "truco" if decided in RAISES else "cards"


def _by_deal(hands: list[JudgedHand], deals: int, value: Any) -> NDArray[np.float64]:
    """Return the sum of a value over the hands of each deal."""
    sums = np.zeros(deals)
    for hand in hands:
        sums[hand.deal] += value(hand)
    return sums


# --- Tables --------------------------------------------------------------------------------------


def _rank_key(one: Measures) -> float:
    return -one.controlled.value


def _ranking(found: list[Measures]) -> Table:
    rows: list[list[Any]] = []
    for one in found:
        better = sum(other.controlled.low > one.controlled.high for other in found)
        worse = sum(other.controlled.high < one.controlled.low for other in found)
        first, last = 1 + better, len(found) - worse
        place = str(first) if first == last else f"{first} to {last}"
        cost = _cost(one, range(len(KINDS)))
        rows.append([place, one.agent, Measured(one.controlled), Measured(cost), *_illegal(one)])
    columns = ["rank", "agent", f"points a hand against {BY}", "cost of a decision", "illegal answers", "forfeits"]
    return Table("Ranking", columns, rows, "Ranks that the intervals leave open are ranges.")


def _illegal(one: Measures) -> list[Any]:
    forfeits = sum(int((read_games(run.folder, run.experiment).forfeit >= 0).sum()) for run in one.against.values())
    if one.tally is None or not one.tally.decisions:
        return [None, forfeits]
    count = one.tally.decisions
    share = one.tally.illegal / count
    return [Measured(Estimate(share, *stats.wilson(share, count, stats.t_quantile(count))), percent=True), forfeits]


def _share(sums: NDArray[Any], counts: NDArray[Any]) -> Measured:
    """Return a share of decisions, with Wilson's interval for as many independent ones as their deals are worth."""
    found, size = stats.ratio(sums, counts), float(counts.sum())
    if size == 0:
        return Measured(found, percent=True)
    reach = stats.t_quantile(max(1, int(np.count_nonzero(counts)) - 1))
    error = (found.high - found.low) / (2 * reach) if found.has_interval else 0.0
    if error > 0:
        size = min(size, found.value * (1 - found.value) / error**2)
    return Measured(Estimate(found.value, *stats.wilson(found.value, size, reach)), percent=True)


def _cost(one: Measures, kinds: Any) -> Estimate:
    deals = one.against[BY].experiment.duplicates
    sums = _by_deal(one.hands, deals, lambda hand: sum(hand.cost[kind] for kind in kinds))
    return stats.ratio(sums, _by_deal(one.hands, deals, lambda hand: sum(hand.count[kind] for kind in kinds)))


def _strength(found: list[Measures]) -> Table:
    rows: list[list[Any]] = []
    for one in found:
        for other, run in one.against.items():
            won = Measured(Estimate.read(run.result["pairs"][0]["rate"]), percent=True)
            if run.result["pairs"][0]["agent"] != one.agent:
                won = Measured(won.estimate.rest(), percent=True)
            bluffs = read_behaviours(run.folder, run.experiment)[0]
            names = [name for name, _ in run.experiment.make_game().kind.behaviours]
            shares = [_share(*bluffs[names.index(name)].T) for name in BLUFFS]
            points = Measured(stats.mean(one.points[other]))
            rows.append([one.agent, other, won, points, *shares])
    columns = ["agent", "against", "hands won", "points a hand", *BLUFFS]
    return Table("Strength and bluffs", columns, rows, "Bluffs: share of its calls with little behind them.")


def _decisions(found: list[Measures]) -> Table:
    rows: list[list[Any]] = []
    for one in found:
        deals = one.against[BY].experiment.duplicates
        for number, kind in enumerate(KINDS):
            counts = _by_deal(one.hands, deals, lambda hand, n=number: hand.count[n])
            on = _share(_by_deal(one.hands, deals, lambda hand, n=number: hand.support[n]), counts)
            rows.append([one.agent, kind, int(counts.sum()), Measured(_cost(one, [number])), on])
    columns = ["agent", "decisions", "number", "mean cost in points", "on the support"]
    note = (
        "By the call to answer, otherwise by the action taken. On the support: the strategy takes that action in at "
        f"least {SUPPORT:.1%} of the cases."
    )
    return Table(f"Decisions against {BY}", columns, rows, note)


def _precision(found: list[Measures]) -> Table:
    rows: list[list[Any]] = [
        [one.agent, Measured(stats.mean(one.points[BY])), Measured(one.controlled), *(one.gains or (None, None))]
        for one in found
    ]
    columns = ["agent", "mirrored", "less luck", "factor of mirrored deals", "factor of both"]
    note = "Factors: of the variance of the mean, against as many independent hands."
    return Table("Variance reduction", columns, rows, note)


def _service(found: list[Measures]) -> Table:
    names = ("decisions", "illegal", "repaired", "failed", "late", "tokens_in", "tokens_out", "cost", "seconds")
    rows = [[one.agent, *(asdict(one.tally)[name] for name in names)] for one in found if one.tally is not None]
    note = "Of the exchanges kept beside the runs; failed: forfeits, or actions by the fallback."
    return Table("Answers and cost", ["agent", *(name.replace("_", " ") for name in names)], rows, note)


def _figure(found: list[Measures]) -> Figure:
    with drawing(7.2, 0.45 * len(found) + 0.9) as (plot, axes):
        values = [one.controlled.value for one in found]
        errors = [[one.controlled.value - one.controlled.low for one in found],
                  [one.controlled.high - one.controlled.value for one in found]]  # fmt: skip
        axes.errorbar(values, range(len(found)), xerr=errors, fmt="o", color="#2a6f97", ecolor="#555", capsize=3)
        axes.set_yticks(range(len(found)), [one.agent for one in found])
        axes.set_ylim(len(found) - 0.5, -0.5)
        axes.axvline(0, color="#999", linewidth=0.8)
        axes.set_xlabel(f"points a hand against {BY}, less luck")
    return Figure("ranking", plot, f"Points a hand against {BY}, less the luck of cards, with 95% intervals.")
