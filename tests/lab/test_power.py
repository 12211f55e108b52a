"""Power of a study: against an analytic computation, without an effect, and on the command line."""

import numpy as np
import pytest
from scipy.stats import nct, t

from bolicho.lab.power import Assumed, power
from bolicho.web.study.latin_squares import sequence, square
from tests.test_cli import bolicho_json, bolicho_run
from tests.web.study.plans import plan


def test_power_of_two_agents_is_that_of_a_paired_t_test():
    """Compare with the noncentral t distribution, on a scale so fine that rounding does not matter."""
    people, assumed = 24, Assumed(effect=0.0, within=100.0, between=300.0, points=10_001)
    effect = 70.0
    assumed = Assumed(effect, assumed.within, assumed.between, assumed.points)
    found = power(square(2), people, assumed, studies=600, seed=3)
    freedom = people - 2  # agent and place are estimated
    centre = effect / (assumed.within * np.sqrt(2)) * np.sqrt(people)
    reach = t.ppf(0.975, freedom)
    exact = nct.sf(reach, freedom, centre) + nct.cdf(-reach, freedom, centre)
    assert found.alone.low - 0.01 < exact < found.alone.high + 0.01
    assert found.holm == found.alone  # one pair needs no adjustment


def test_without_an_effect_the_power_is_the_level():
    found = power(square(4), 16, Assumed(0.0, 1.0, 0.7, 5), studies=600, seed=1)
    assert found.alone.low < 0.05 < found.alone.high + 0.01 and found.holm.value <= found.alone.value < 0.08


def test_power_grows_with_participants_and_falls_with_blanks():
    orders = [sequence("williams", 4, row) for row in range(4)]
    few, many = (power(orders, n, Assumed(0.8, 1.0, 0.7, 5), studies=150, seed=1) for n in (8, 32))
    blank = power(orders, 8, Assumed(0.8, 1.0, 0.7, 5, missing=0.5), studies=150, seed=1)
    assert blank.alone.value < few.alone.value < many.alone.value and few.holm.value < many.holm.value


def test_power_of_a_plan_on_the_command_line(tmp_path):
    (tmp_path / "my.toml").write_text(plan(opponents=("cautious", "bluffer", "novice", "balanced")))
    options = ["--participants", "8,24", "--studies", 40, "--effect", 1.5]
    told = bolicho_json("study", "power", tmp_path / "my.toml", *options)
    assert [row["participants"] for row in told["power"]] == [8, 24] and told["enough"] == 24
    refused = bolicho_run("study", "power", tmp_path / "my.toml", "--participants", "few")
    assert refused.returncode == 2 and "such as 12,24" in refused.stderr


@pytest.mark.parametrize(("language", "said"), [("en", "a Williams square of 4 rows"), ("pt", "quadrado de Williams"),
                                                ("es", "cuadrado de Williams")])  # fmt: skip
def test_preregistration_tells_the_plan(tmp_path, language, said):
    (tmp_path / "my.toml").write_text(plan(opponents=("cautious", "bluffer", "novice", "balanced"), target=12))
    told = bolicho_run("study", "preregister", tmp_path / "my.toml", "--language", language)
    assert told.returncode == 0, told.stderr
    assert said in told.stdout and "`bluffer`" in told.stdout and "12 particip" in told.stdout
    assert "**fun**" in told.stdout and "Holm" in told.stdout
