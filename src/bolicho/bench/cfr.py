"""Counterfactual regret: exact CFR+ and external sampling, beside OpenSpiel's C++ solvers on the same poker games."""

import time
from collections.abc import Callable, Iterator
from statistics import mean, median
from typing import Any, NamedTuple

import numpy as np

from bolicho.agents.cfr import abstractions
from bolicho.agents.cfr.compiled.player import PAST
from bolicho.agents.cfr.compiled.walk import LINEAR, UNIFORM, Learning
from bolicho.agents.cfr.kernel import Recall
from bolicho.agents.cfr.learner import Regrets
from bolicho.agents.cfr.model import learned, model_of
from bolicho.agents.cfr.rules import DCFR_PLUS
from bolicho.agents.cfr.rules import LINEAR as LINEAR_RULE
from bolicho.agents.cfr.solve import FullTree, Solver
from bolicho.agents.cfr.truco.cards_alone import CardsAlone
from bolicho.agents.cfr.truco.compiled.numbers import STATES
from bolicho.agents.cfr.truco.compiled.opening import iterate
from bolicho.agents.cfr.truco.model import COARSE
from bolicho.agents.cfr.truco.solver import Memory, solver
from bolicho.agents.player import Compiled, InMemoryAgent
from bolicho.agents.registry import agent
from bolicho.bench import Figure, in_turns, peer, ratio
from bolicho.bench.decisions import microseconds_a_decision
from bolicho.games import game
from bolicho.games.game import Game
from bolicho.games.poker import KUHN, LEDUC


class Poker(NamedTuple):
    """A game of both libraries, and the numbers of iterations."""

    ours: Game
    theirs: str  # its name in OpenSpiel
    iterations: int  # iterations of CFR+
    walks: int  # iterations of external sampling


GAMES = {
    "Kuhn": Poker(KUHN, "kuhn_poker", iterations=1_000, walks=100_000),
    "Leduc": Poker(LEDUC, "leduc_poker", iterations=200, walks=100_000),
}
DOMINOES = game("dominoes", highest=2, hand=2)
PLAIN = Learning(UNIFORM, cut=1e9, prune=0.0)
"""External sampling as in OpenSpiel: equal weights of iterations, no lower limit of regrets."""

HANDS = Learning(LINEAR, cut=30.0, prune=0.95)
TARGET = 24
ROOM = 80_000_000  # shares of a solver with coarse memory
PASSES = 25
SLICE = 1_000
SEEDS = (1, 2, 3)
BESIDE, MATCHES, TURNS = "balanced", 10, 5  # agent of the comparison with cfr; matches per round, rounds


# --- CFR+ ---------------------------------------------------------------------------------------


def solved(chosen: Game, iterations: int) -> tuple[float, float]:
    """Build the tree and run CFR+; return the value to seat 0 and the exploitability."""
    solver = Solver(FullTree(chosen))
    solver.iterate(iterations)
    found = solver.solution()
    return found.value, found.exploitability


def solved_by_openspiel(name: str, iterations: int) -> tuple[float, float]:
    """Run OpenSpiel's CFR+; return the value to seat 0 and the exploitability."""
    pyspiel = peer("pyspiel")
    chosen = pyspiel.load_game(name)
    solver = pyspiel.CFRPlusSolver(chosen)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    value = pyspiel.expected_returns(chosen.new_initial_state(), policy, -1, False)[0]
    return float(value), float(pyspiel.exploitability(chosen, policy))


def exact_iterations(chosen: Game, count: int = 100) -> Callable[[], int]:
    """Iterations of CFR+ over a whole game; counts iterations."""
    solver = Solver(FullTree(chosen))

    def work() -> int:
        solver.iterate(count)
        return count

    return work


def openspiel_iterations(name: str) -> Callable[[], int]:
    """Iterations of OpenSpiel's CFR+; counts iterations."""
    pyspiel = peer("pyspiel")
    solver = pyspiel.CFRPlusSolver(pyspiel.load_game(name))

    def work() -> int:
        solver.evaluate_and_update_policy()
        return 1

    return work


def once(work: Callable[..., Any], *arguments: Any) -> Callable[[], int]:
    """Return a call as work of one unit."""

    def whole() -> int:
        work(*arguments)
        return 1

    return whole


# --- Walks --------------------------------------------------------------------------------------


def walks(chosen: Game) -> Callable[[], int]:
    """Iterations of external sampling, each a deal and a walk per seat; counts iterations."""
    regrets = Regrets(chosen, Recall(), PLAIN, 1)

    def work() -> int:
        regrets.iterate(SLICE)
        return SLICE

    return work


def openspiel_walks(name: str) -> Callable[[], int]:
    """Iterations of OpenSpiel's external sampling, each a walk per seat with its own deal; counts iterations."""
    pyspiel = peer("pyspiel")
    solver = pyspiel.ExternalSamplingMCCFRSolver(pyspiel.load_game(name), seed=1)

    def work() -> int:
        for _ in range(SLICE):
            solver.run_iteration()
        return SLICE

    return work


def walked(chosen: Game, iterations: int, seed: int) -> float:
    """Return the exploitability of the average strategy after iterations of external sampling."""
    regrets, whole = Regrets(chosen, Recall(), PLAIN, seed), FullTree(chosen)
    regrets.iterate(iterations)
    model = model_of(chosen, Recall(), learned(regrets, 1))
    return whole.exploitability(whole.strategy_of(InMemoryAgent(model.player(), PAST)))


def walked_by_openspiel(name: str, iterations: int, seed: int) -> float:
    """Return the exploitability after iterations of OpenSpiel's external sampling."""
    pyspiel = peer("pyspiel")
    chosen = pyspiel.load_game(name)
    solver = pyspiel.ExternalSamplingMCCFRSolver(chosen, seed=seed)
    for _ in range(iterations):
        solver.run_iteration()
    return float(pyspiel.exploitability(chosen, solver.average_policy()))


def hand_nodes(abstraction: str) -> Callable[[], int]:
    """Walks through single hands of Truco; counts decisions with more than one choice."""
    single = game("truco", hands=1)
    regrets = Regrets(single, abstractions.find(abstraction, single), HANDS, 1)

    def work() -> int:
        before = regrets.nodes
        regrets.iterate(SLICE)
        return regrets.nodes - before

    return work


def vector_situations(count: int = 5) -> Callable[[], int]:
    """Vector-form iterations; counts updated information sets of rounds two and three, by hand of the seat."""
    made, done = solver(TARGET, Memory(*COARSE), ROOM), 0
    laid, table = made.layouts, made.blocks
    visits = ((laid.second, table.second_visits), (laid.third, table.third_visits))
    rows = [[sum(place[2] for _, place in layout.situations()) for layout in layouts] for layouts, _ in visits]

    def learned_in() -> int:
        return sum(
            int(times.reshape(-1, STATES).sum(axis=0) @ np.array(of_state))
            for (_, times), of_state in zip(visits, rows, strict=True)
        )

    def work() -> int:
        nonlocal done
        before = learned_in()
        iterate(made.opening, LINEAR_RULE.weights(done, count), done, np.uint64(1), LINEAR_RULE.learners)
        done += count
        return learned_in() - before

    return work


def cards_alone() -> Iterator[Figure]:
    """Yield the exact exploitability of a hand without bets on points, by rule and memory."""
    for what, memory, rule in (
        ("linear regrets, seven steps", Memory(7, 7), LINEAR_RULE),
        ("linear regrets, classes", Memory(14, 14), LINEAR_RULE),
        ("DCFR+, classes", Memory(14, 14), DCFR_PLUS),
    ):
        made = CardsAlone(memory, rule)
        made.iterate(PASSES)
        found = made.exploitability()
        yield Figure(f"Truco without points, {what}: exploitability after {PASSES} passes", found * 1e3, "thousandths")


# --- Figures ------------------------------------------------------------------------------------


def bench() -> Iterator[Figure]:
    """Yield the figures of counterfactual regret."""
    for name, poker in GAMES.items():
        yield from exact(name, poker)
        yield from sampled(name, poker)
    peer("bolicho.openspiel")  # registers the games in OpenSpiel
    adapted = openspiel_iterations("bolicho_dominoes(highest=2,hand=2)")
    exactly, by_walks, through = in_turns(exact_iterations(DOMINOES), walks(DOMINOES), adapted)
    sets = FullTree(DOMINOES).sets
    yield Figure("small dominoes: CFR+", median(exactly) * sets / 1e6, "million situations updated/s")
    yield Figure("small dominoes: walks", median(by_walks) / 1e3, "thousand iterations/s")
    yield Figure("small dominoes: CFR+, ratio to OpenSpiel's on our game", ratio(exactly, through), "times")
    for abstraction in ("small", "fine"):
        (nodes,) = in_turns(hand_nodes(abstraction), clock=time.process_time)
        yield Figure(f"a hand of Truco, {abstraction}: walks", median(nodes) / 1e6, "million decisions/CPU-s", 2)
    yield from cards_alone()
    (situations,) = in_turns(vector_situations(), clock=time.process_time)
    yield Figure("a hand of Truco, by vectors", median(situations) / 1e6, "million situations updated/CPU-s")
    yield from decisions()


def decisions() -> Iterator[Figure]:
    """Yield the time per decision in Truco beside that of a scripted style: from Python, and in compiled code."""
    times: dict[str, list[float]] = {"cfr": [], BESIDE: []}
    for turn in range(1 + TURNS):
        for spec, taken in times.items():
            found = microseconds_a_decision("truco", spec, range(MATCHES * turn, MATCHES * (turn + 1)))
            if turn > 0:  # the first compiles
                taken.append(found)
    yield Figure("a decision of cfr in Truco, asked from Python", median(times["cfr"]), "µs", 50, at_least=False)
    yield Figure(f"a decision of {BESIDE} in Truco, asked from Python", median(times[BESIDE]), "µs")
    slower = ratio(times["cfr"], times[BESIDE])
    yield Figure(f"a decision asked from Python, cfr to {BESIDE}", slower, "times the time")
    ours, theirs = in_turns(openings("cfr"), openings(BESIDE), clock=time.process_time)
    yield Figure("a decision of cfr in Truco, compiled", 1e6 / median(ours), "µs", 50, at_least=False)
    yield Figure(f"a decision of {BESIDE} in Truco, compiled", 1e6 / median(theirs), "µs")
    yield Figure(f"a decision compiled, cfr to {BESIDE}", ratio(theirs, ours), "times the time")


def openings(spec: str) -> Callable[[], int]:
    """First decisions of matches, many of each in one call; counts decisions."""
    chosen, luck = game("truco"), range(SLICE)
    player = agent(spec, chosen)
    assert isinstance(player, Compiled)
    views = [chosen.deal(seed).view() for seed in range(MATCHES)]

    def work() -> int:
        for view in views:
            player.sampled(view, luck)
        return len(views) * len(luck)

    return work


def exact(name: str, poker: Poker) -> Iterator[Figure]:
    """Yield CFR+ of Bolicho and OpenSpiel: the result, iterations per second, and the time with building the tree."""
    n = poker.iterations
    for who, (value, exploitability) in {
        "": solved(poker.ours, n),
        "OpenSpiel, ": solved_by_openspiel(poker.theirs, n),
    }.items():
        yield Figure(f"{name}: {who}CFR+ value after {n:,} iterations", value, "to seat 0")
        yield Figure(f"{name}: {who}CFR+ exploitability after {n:,} iterations", exploitability * 1e3, "thousandths")
    ours, theirs = in_turns(exact_iterations(poker.ours), openspiel_iterations(poker.theirs))
    sets = FullTree(poker.ours).sets
    yield Figure(f"{name}: CFR+", median(ours) * sets / 1e6, "million situations updated/s")
    yield Figure(f"{name}: OpenSpiel, CFR+", median(theirs) * sets / 1e6, "million situations updated/s")
    yield Figure(f"{name}: CFR+, ratio of iterations", ratio(ours, theirs), "times")
    ours, theirs = in_turns(once(solved, poker.ours, n), once(solved_by_openspiel, poker.theirs, n))
    what = f"{name}: tree, {n:,} iterations of CFR+, value and exploitability"
    yield Figure(f"{what}, ratio of time", ratio(ours, theirs), "times")


def sampled(name: str, poker: Poker) -> Iterator[Figure]:
    """Yield external sampling of Bolicho and OpenSpiel: exploitability, and iterations per second."""
    ours, theirs = in_turns(walks(poker.ours), openspiel_walks(poker.theirs))
    yield Figure(f"{name}: walks", median(ours) / 1e3, "thousand iterations/s")
    yield Figure(f"{name}: OpenSpiel, walks", median(theirs) / 1e3, "thousand iterations/s")
    yield Figure(f"{name}: walks, ratio of iterations", ratio(ours, theirs), "times")
    near = [walked(poker.ours, poker.walks, seed) for seed in SEEDS]
    near_theirs = [walked_by_openspiel(poker.theirs, poker.walks, seed) for seed in SEEDS]
    for who, found in {"": near, "OpenSpiel, ": near_theirs}.items():
        note = f"mean of {len(SEEDS)} seeds, {min(found):.4f} to {max(found):.4f}"
        what = f"{name}: {who}exploitability after {poker.walks:,} iterations of walks"
        yield Figure(what, mean(found) * 1e3, "thousandths", note=note)
