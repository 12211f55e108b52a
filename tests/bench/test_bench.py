"""Benchmarks: the method of measurement, not the figures."""

import asyncio

import pytest

from bolicho import BadInput, agent, bench, game
from bolicho.bench.cold import GAMES
from bolicho.bench.web import measure_echo


def test_figure_compares_its_value_with_its_target():
    assert bench.Figure("x", 3, "s", 2).reached and not bench.Figure("x", 1, "s", 2).reached
    assert bench.Figure("x", 1, "s", 2, at_least=False).reached and bench.Figure("x", 1, "s").reached is None


def test_ratios_are_medians_over_rounds():
    assert bench.ratio([2, 4, 60], [1, 1, 1]) == 4


def test_unknown_benches_and_missing_peers_are_named():
    with pytest.raises(BadInput, match="unknown bench"):
        bench.run(["nothing"])
    with pytest.raises(BadInput, match="not installed"):
        bench.peer("no_such_library")


def test_the_first_games_that_are_measured_can_be_played():
    for played in GAMES:
        name, *specs = played.split()
        assert len(specs) == game(name).seats
        assert all(agent(spec, name) for spec in specs)


def test_bare_echo_is_measured_on_its_own_server(tmp_path):
    answered, work = asyncio.run(measure_echo(tmp_path, "2", seconds=0.5))
    assert answered > 10 and work > 0
