"""Limits of searches."""

from time import thread_time

from bolicho.agents.registry import agent
from bolicho.agents.search.limits import Limits, spend


def test_search_stops_by_the_clock_of_its_limits():
    ticks = iter(range(1000))  # a clock that is a second further at each look
    asked = []

    def step(units):
        asked.append(units)
        return units

    assert spend(step, Limits(seconds=5, clock=lambda: float(next(ticks)))) == sum(asked)
    assert len(asked) == 5


def test_time_per_world_is_processor_time():
    timed = agent("pimc-search(world_seconds=0.007, inner=mcts)", "dominoes")
    shared = agent("pimc-search(seconds=0.7, inner=mcts)", "dominoes")
    clocks = [player._solvers["mcts"].__closure__ for player in (timed, shared)]
    limits = [next(cell.cell_contents for cell in cells if isinstance(cell.cell_contents, Limits)) for cells in clocks]
    assert [limit.clock is thread_time for limit in limits] == [True, False]
