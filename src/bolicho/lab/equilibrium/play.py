"""Truco near equilibrium: exploitability and strength of agents, and gains and risks of the leaning agent."""

from collections.abc import Collection
from typing import Any

import numpy as np
from matplotlib.figure import Figure as Plot
from numpy.typing import NDArray

from bolicho.agents.cfr.truco.response import KINDS, Responded, respond_to_hands
from bolicho.agents.mirrored_games import meet
from bolicho.agents.policy.response import learn_response
from bolicho.games import game as find_game
from bolicho.games.game import Game
from bolicho.lab.equilibrium.learning import learning
from bolicho.lab.equilibrium.opening import opening
from bolicho.lab.plots import drawing
from bolicho.lab.ratings import shipped
from bolicho.lab.study import Effort, Figure, Findings, Measured, Table, share
from bolicho.progress import progress
from bolicho.stats import mean

OURS = "cfr"
ASKED = (OURS, "balanced", "aggressive", "bluffer", "cautious", "novice")
"""Agents that give their action probabilities, so that the best response can be computed by traversal."""

LEARNED_FROM = ("markov-plus", "markov", "npcpvs", "pvcnps", "dqn-plus", "neural-plus", "policy", "sarsa")
"""Agents without known probabilities or with too many views; a learned responder gives a lower bound."""

WORK = (1e-3, 1e-4)
"""Further thresholds for `OURS` besides FINE, to show that the bounds converge."""

FINE, COARSE = 1e-5, 1e-4
"""Thresholds of points at stake, weighed by probability, below which nothing is traversed. FINE is for the agent near
equilibrium, COARSE for all others, which lose far more."""

FIELD = ("balanced", "aggressive", "bluffer", "markov-plus", "markov", "npcpvs", "pvcnps", "dqn-plus", "neural-plus")


def run(effort: Effort) -> Findings:
    """Measure exploitability and strength, the loss by kind of decision, and the openings of hands."""
    hand, match = find_game("truco", hands=1), find_game("truco")
    samples, fewer = effort.pick(quick=2, full=100), effort.pick(quick=2, full=24)
    agents = effort.pick(quick=ASKED[:2], full=ASKED)
    fine, coarse = effort.pick(quick=(3e-4, 1e-3), full=(FINE, COARSE))
    work = effort.pick(quick=WORK[:1], full=WORK)
    total = samples * (len(agents) + len(work)) + fewer * len(KINDS)
    with progress("responses", total, "hands") as bar:
        done = 0

        def response(spec: str, samples: int, least: float, kinds: tuple[str, ...] = tuple(KINDS)) -> Responded:
            nonlocal done
            found = respond_to_hands(
                hand, spec, samples=samples, seed=effort.seed, kinds=kinds, least=least, jobs=effort.jobs,
                advance=lambda n: bar.update(done + n, note=spec),
            )  # fmt: skip
            done += samples
            return found

        responses = {spec: response(spec, samples, fine if spec == OURS else coarse) for spec in agents}
        leaks = {kind: response(OURS, fewer, fine, (kind,)) for kind in KINDS}
        converging = [response(OURS, samples, least) for least in work]
        converging += [responses[OURS].of_first(samples // part) for part in effort.pick(quick=(1,), full=(4, 2, 1))]
    learned = {
        spec: learn_response(
            hand, spec, seed=effort.seed, games=effort.pick(quick=300, full=30_000),
            deals=effort.pick(quick=20, full=5_000),
        )
        for spec in effort.pick(quick=(), full=LEARNED_FROM)
    }  # fmt: skip
    falls, fall = learning(hand, effort, responses[OURS].of_first(effort.pick(quick=2, full=10)))
    openings, charts = opening(hand, OURS)
    return Findings(
        tables=[
            _exploitability(responses, learned),
            _strength(hand, match, effort),
            _leaks(leaks, responses[OURS]),
            _convergence(converging),
            falls,
            *_leaning(effort),
            *openings,
        ],
        figures=[_bars(responses, learned), _leak_bars(leaks), fall, *charts],
        notes=[
            "A best response sees what its seat sees and knows with which probabilities the other acts. Where the "
            "other tells them, all that may follow from sampled hands of the responder is gone through; where not, a "
            "responder learned from games, and wins at least that much. Single hands at 0-0, to 24, with flor.",
        ],
    )


def _exploitability(responses: dict[str, Responded], learned: dict[str, Any]) -> Table:
    ratings = {row["agent"]: row["rating"] for row in shipped()["truco"]}
    rows: list[list[Any]] = [
        [spec, Measured(found.wins), "gone through", found.best.size, ratings.get(spec)]
        for spec, found in responses.items()
    ]
    rows += [
        [spec, Measured(found.payoff), "learned", 2 * found.deals, ratings.get(spec)] for spec, found in learned.items()
    ]
    columns = ["agent", "a best response wins, points a hand", "how", "hands", "rating in the gallery"]
    return Table("What a best response wins", columns, rows, "At least; mean of both seats.")


def _strength(hand: Game, match: Game, effort: Effort) -> Table:
    rows: list[list[Any]] = []
    for spec in effort.pick(quick=FIELD[:1], full=FIELD):
        hands = meet(hand, [OURS, spec], effort.pick(quick=100, full=100_000), effort.seed)
        matches = meet(match, [OURS, spec], effort.pick(quick=20, full=10_000), effort.seed)
        points = Measured(mean(hands.payoffs[:, :, 0].mean(axis=1)))
        won = share(matches.first_won)
        rows.append([spec, points, 2 * len(hands.payoffs), won, 2 * len(matches.payoffs)])
    columns = ["against", f"points a hand of {OURS}", "hands", f"matches won by {OURS}", "matches"]
    return Table(f"Strength of {OURS}", columns, rows, "Mirrored deals.")


def _leaks(leaks: dict[str, Responded], whole: Responded) -> Table:
    rows: list[list[Any]] = [[kind, Measured(found.wins), found.best.size] for kind, found in leaks.items()]
    rows.append(["everywhere", Measured(whole.wins), whole.best.size])
    return Table(
        f"Where {OURS} leaks",
        ["the responder deviates in", "wins, points a hand", "hands"],
        rows,
        "Only there, and does as the agent would everywhere else. Kinds add up to less than all together, or to more.",
    )


def _convergence(found: list[Responded]) -> Table:
    rows: list[list[Any]] = [
        [one.best.size, f"{one.least:g}", one.nodes, Measured(one.wins), Measured(one.wins_at_most)] for one in found
    ]
    return Table(
        f"What a best response wins from {OURS}, by the work that is put in",
        ["hands", "least", "positions", "at least", "at most"],
        rows,
        "Where fewer points than `least` are at stake, by how likely it is to come there, nothing is gone through. At "
        "least: the responder gives up there; at most: it wins all it could. More hands are the same ones and others.",
    )


def _bars(responses: dict[str, Responded], learned: dict[str, Any]) -> Figure:
    found = {spec: one.wins for spec, one in responses.items()} | {spec: one.payoff for spec, one in learned.items()}
    caption = "What a best response wins, points a hand, with 95% intervals; light: what a responder learned to."
    return Figure("exploitability", _bar_plot(found, "points a hand", set(learned)), caption)


def _leak_bars(leaks: dict[str, Responded]) -> Figure:
    plot = _bar_plot({kind: found.wins for kind, found in leaks.items()}, "points a hand")
    return Figure("leaks", plot, f"What a response wins from {OURS} that deviates in one kind of decision only.")


def _bar_plot(found: dict[str, Any], label: str, light: Collection[str] = ()) -> Plot:
    with drawing(7.2, 0.45 * len(found) + 0.8) as (plot, axes):
        names = list(found)
        values = [found[name].value for name in names]
        errors = [[v - found[n].low for n, v in zip(names, values, strict=True)],
                  [found[n].high - v for n, v in zip(names, values, strict=True)]]  # fmt: skip
        colours = ["#a9c9dc" if name in light else "#2a6f97" for name in names]
        axes.barh(names, values, xerr=errors, height=0.6, color=colours, ecolor="#555", capsize=2)
        axes.invert_yaxis()
        axes.set_xlabel(label)
    return plot


# --- Leaning -------------------------------------------------------------------------------------

LEANS = "leaning"
LEANED_AGAINST = ("balanced", "pvcnps", "markov-plus")
STRANGERS = ("markov", "npcpvs", "random")
"""Opponents without a profile in the leaning agent."""


def _leaning(effort: Effort) -> list[Table]:
    """Tabulate the gain of leaning over the equilibrium on the same deals, and the gain of a best response to it."""
    hand, match = find_game("truco", hands=1), find_game("truco")
    deals = effort.pick(quick=20, full=10_000)
    won: list[list[Any]] = []
    for spec in effort.pick(quick=LEANED_AGAINST[:1], full=LEANED_AGAINST + STRANGERS):
        even, leaned = (meet(match, [agent, spec], deals, effort.seed) for agent in (OURS, LEANS))
        gain = leaned.first_won - even.first_won
        margins = [np.diff(met.scores[:, :, ::-1], axis=2)[:, :, 0].mean(axis=1) for met in (even, leaned)]
        rates = [share(met.first_won) for met in (even, leaned)]
        won.append([spec, *rates, Measured(mean(gain), percent=True), Measured(mean(margins[1] - margins[0]))])
    samples, least = effort.pick(quick=2, full=16), effort.pick(quick=1e-2, full=1e-3)

    def lost(spec: str) -> NDArray[np.float64]:
        found = respond_to_hands(hand, spec, samples=samples, seed=effort.seed, least=least, jobs=effort.jobs)
        gained: NDArray[np.float64] = (found.best - found.same).mean(axis=1)
        return gained

    before = lost(OURS)
    safe: list[list[Any]] = []
    for name in effort.pick(quick=LEANED_AGAINST[:1], full=LEANED_AGAINST):
        after = lost(f"{LEANS}(like={name})")
        safe.append([name, Measured(mean(before)), Measured(mean(after)), Measured(mean(after - before)), 2 * samples])
    return [
        Table(
            f"What {LEANS} wins beyond {OURS}",
            ["against", OURS, LEANS, "more matches", "more points a match"],
            won,
            f"Matches won, {2 * deals:,} of each, on the same mirrored deals; differences are paired, deal by deal.",
        ),
        Table(
            f"What {LEANS} risks",
            ["fully leaned against", f"a best response wins from {OURS}", f"from {LEANS}", "more", "hands"],
            safe,
            f"Points a hand, from the same hands of the responder, who gives up below {least:g}.",
        ),
    ]
