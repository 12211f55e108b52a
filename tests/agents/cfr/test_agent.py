"""The agent `cfr`: its contract, mixtures, explanations and accepted rules, and the command `bolicho exploit`."""

import json
import subprocess
import sys

import numpy as np
import pytest

from bolicho import game
from bolicho.agents.cfr.exploit import exploit
from bolicho.agents.cfr.model import load_model
from bolicho.agents.check import check_agent
from bolicho.agents.player import InMemoryAgent, Luck
from bolicho.agents.registry import agent
from bolicho.agents.training import train
from bolicho.errors import BadInput
from bolicho.games.check import BrokenPromise
from bolicho.i18n import LANGUAGES, catalogue

DOMINOES = game("dominoes", highest=2, hand=2)
TRUCO = game("truco", hands=1)


@pytest.fixture(scope="module")
def artifact(tmp_path_factory):
    out = tmp_path_factory.mktemp("cfr") / "dominoes.safetensors"
    train("cfr dominoes(highest=2, hand=2)", out, 1, {"iterations": 5_000}, show=False)
    return out


@pytest.fixture(scope="module")
def hands(tmp_path_factory):
    out = tmp_path_factory.mktemp("cfr") / "truco.safetensors"
    train("cfr truco(hands=1)", out, 1, {"abstraction": "small", "iterations": 300}, show=False)
    return out


def test_artifact_is_loaded_once_for_all_games_with_the_same_rules(artifact):
    made = [load_model(game("dominoes", highest=2, hand=2), str(artifact)) for _ in range(2)]
    assert made[0] is made[1]


def test_cfr_agent_keeps_the_contract_in_dominoes(artifact):
    report = check_agent(f"cfr(artifact={artifact})", DOMINOES, games=10)
    assert report.mixtures == report.explanations == report.decisions > 0


def test_cfr_agent_keeps_the_contract_in_truco(hands):
    assert check_agent(f"cfr(artifact={hands})", TRUCO, games=10).mixtures > 0


@pytest.mark.parametrize("style", ["novice", "cautious", "aggressive", "bluffer", "balanced"])
def test_scripted_styles_report_their_mixture(style):
    report = check_agent(style, TRUCO, games=30)
    assert report.mixtures == report.decisions


def test_check_agent_detects_a_mixture_that_differs_from_play(artifact):
    made = agent(f"cfr(artifact={artifact})", DOMINOES)
    right = made.player(DOMINOES)

    class Liar(InMemoryAgent):
        def mixture(self, view):
            mixture = super().mixture(view)
            return mixture and mixture[::-1]

    with pytest.raises(BrokenPromise, match="mixture"):
        check_agent(lambda: Liar(right, made.memory), DOMINOES, games=10)


def test_learned_strategy_is_hardly_exploitable(artifact):
    found = exploit(DOMINOES, f"cfr(artifact={artifact})")
    assert 0 <= found.wins < 0.02
    assert found.deals == 180


def test_explanation_contains_the_mixture_and_the_visits_in_training(artifact):
    made, table = agent(f"cfr(artifact={artifact})", DOMINOES), DOMINOES.deal(3)
    action = made.act(table.view(), Luck.of(1))
    why = made.explain()
    assert why.facts["action"] == action and why.facts["visits"] > 100
    assert sum(why.facts["mixture"].values()) == pytest.approx(1)
    assert [one["value"] for one in why.picture["bars"]] == list(why.facts["mixture"].values())
    assert "times in training" in catalogue("en").say(why.sentence)


def test_explanation_states_that_training_never_visited_a_position(hands):
    made, rng = agent(f"cfr(artifact={hands})", TRUCO), np.random.default_rng(1)
    met = set()
    for seed in range(40):
        table = TRUCO.deal(seed)
        while not table.over:
            view = table.view()
            made.begin(TRUCO, view.seat)
            made.act(view, Luck.of(seed))
            why = made.explain()
            met.add(why.facts["visits"] > 0)
            if why.facts["visits"] == 0:
                chances = [chance for chance in why.facts["mixture"].values() if chance > 0]
                assert min(chances) == max(chances)
                assert "never reached" in catalogue("en").say(why.sentence)
                assert all(catalogue(language).say(why.sentence) for language in LANGUAGES)
            table.play(table.legal[rng.integers(len(table.legal))])
    assert met == {True, False}


@pytest.mark.parametrize(
    ("name", "rules", "why"),
    [
        ("dominoes", {}, r"was made for hand=2, highest=2, and this game has the default rules"),
        ("dominoes", {"highest": 2, "hand": 1}, r"was made for .* and this game has hand=1"),
        ("fives", {"highest": 2, "hand": 2}, r"has game 'dominoes'"),
    ],
)
def test_cfr_agent_refuses_rules_it_was_not_trained_on(artifact, name, rules, why):
    with pytest.raises(BadInput, match=why):
        agent(f"cfr(artifact={artifact})", game(name, **rules))


def test_missing_artifact_error_names_the_training_command():
    with pytest.raises(BadInput, match="bolicho train cfr wonders"):
        agent("cfr", game("wonders"))


def test_exploit_command_reports_what_a_best_response_wins():
    code = "from bolicho.cli import main; main()"
    rules, few = ["--rule", "highest=2", "--rule", "hand=2"], ["--hands", "2", "--least", "1e-4", "--jobs", "1"]
    ran = [
        subprocess.run([sys.executable, "-c", code, "exploit", *args], capture_output=True, text=True)
        for args in (
            ["dominoes", "random", *rules, "--json"],
            ["dominoes", "random", *rules],
            ["truco", "balanced", *few, "--json"],
        )
    ]
    assert [run.returncode for run in ran] == [0, 0, 0]
    facts = json.loads(ran[0].stdout)
    assert facts["wins"] == pytest.approx(sum(facts["responses"]) / 2) == pytest.approx(0.6268, abs=1e-3)
    assert facts["exact"] is True and facts["deals"] == 180
    assert "wins +0.6269 a game from random" in ran[1].stdout and "The responder sees" in ran[1].stdout
    facts = json.loads(ran[2].stdout)
    assert facts["wins_at_most"]["value"] > facts["wins"]["value"] > 0.3
    assert facts["hands"] == 4 and facts["exact"] is False


def test_exploit_command_refuses_invalid_options_with_a_message():
    tried = {
        ("dominoes", "random", "--matches"): "--matches is for matches of truco",
        ("truco", "balanced", "--rule", "hands=3"): "truco is enumerated one hand at a time, not 3",
        (
            "truco",
            "cfr",
            "--rule",
            "flor=false",
        ): "was made for the default rules, and this game has flor=False; play by",
        ("truco", "balanced", "--least=-1"): "least must be a number of points from 0 on",
    }
    code = (
        "import sys\nfrom bolicho.cli import main\n"
        f"for args in {list(tried)!r}:\n"
        "    sys.argv = ['bolicho', 'exploit', *args]\n"
        "    try:\n        main()\n"
        "    except SystemExit as stopped:\n        assert stopped.code == 2, args\n"
        "    else:\n        raise AssertionError(args)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    said = [line for line in ran.stderr.splitlines() if "bolicho: " in line]
    assert len(said) == len(tried)
    for sentence, why in zip(said, tried.values(), strict=True):
        assert why in sentence


def test_exploit_command_trains_a_responder_where_games_cannot_be_enumerated():
    code = "from bolicho.cli import main; main()"
    args = ["exploit", "dominoes", "random", "--games", "200", "--json"]
    ran = subprocess.run([sys.executable, "-c", code, *args], capture_output=True, text=True)
    assert ran.returncode == 0 and "so a responder learns from 200 games" in ran.stderr
    assert json.loads(ran.stdout)["exact"] is False
