"""Ranking by mean payoff in games with stakes, and by wins otherwise."""

import io

import numpy as np
import pytest
from rich.console import Console

from bolicho.agents.registry import Traits
from bolicho.arena import summary
from bolicho.arena.console import show
from bolicho.arena.experiment import Experiment
from bolicho.arena.report import write_report
from bolicho.arena.rows import Games
from bolicho.arena.run import Run, run

EXPERIMENT = Experiment("truco", ["random", "novice"], {"hands": 1}, duplicates=8)
OFTEN, MUCH = EXPERIMENT.agents


def games_with(gains, forfeits=()):
    """Return games of two agents with the gains of the first on each deal, equal from both seats."""
    gains = np.asarray(gains, float)
    payoffs = np.stack([np.stack([gains, -gains], -1), np.stack([-gains, gains], -1)], axis=1)[None]
    zeros = np.zeros(payoffs.shape)
    forfeit = np.full(payoffs.shape[:-1], -1)
    for deal, seat in forfeits:
        forfeit[0, deal, 0] = seat
        payoffs[0, deal, 0] = [-1.0 if seat == 0 else 1.0, -1.0 if seat == 1 else 1.0]
    return Games(
        seated=np.array([[[0, 1], [1, 0]]]),
        scores=np.maximum(payoffs, 0).astype(np.int64),
        payoffs=payoffs,
        plies=np.ones(payoffs.shape[:-1], np.int64),
        forfeit=forfeit,
        decisions=zeros.astype(np.int64),
        seconds=zeros,
        slowest=zeros,
    )


@pytest.fixture
def summarised(monkeypatch, tmp_path):
    monkeypatch.setattr(summary, "read_forfeits", lambda folder, most: [])
    monkeypatch.setattr(summary, "read_behaviours", lambda folder, experiment: np.zeros((2, 9, 8, 2), np.int64))
    traits = [Traits(oracle=False, learns=False, built_in=True)] * 2
    return lambda games: summary.summarise(EXPERIMENT, games, tmp_path, "code", traits)


SMALL_WINS = [1, 1, 2, 1, 1, 2, -9, -12]


def test_agent_with_the_highest_payoff_is_first_in_games_with_stakes(summarised):
    result = summarised(games_with(SMALL_WINS))
    assert result["ranked_by"] == "payoff"
    assert [row["agent"] for row in result["agents"]] == [MUCH, OFTEN]
    assert [row["rate"]["value"] for row in result["agents"]] == [0.25, 0.75]
    (pair,) = result["pairs"]
    assert pair["payoff"]["value"] == pytest.approx(np.mean(SMALL_WINS))
    assert pair["payoff_against"]["value"] == pytest.approx(-np.mean(SMALL_WINS))


def test_agent_with_the_most_wins_is_first_in_games_of_equal_worth(summarised):
    result = summarised(games_with([1, 1, 1, -1, 1, 1, -1, -1]))
    assert result["ranked_by"] == "wins"
    assert [row["agent"] for row in result["agents"]] == [OFTEN, MUCH]


def test_forfeit_of_a_lost_game_does_not_raise_the_payoff(summarised):
    """Forfeit of a game of the costliest deal, which counts as the largest loss of the run."""
    result = summarised(games_with([1, 1, 2, 1, 1, 2, -9, -12], forfeits=[(7, 0)]))
    often = next(row for row in result["agents"] if row["agent"] == OFTEN)
    assert often["payoff"]["value"] == pytest.approx(np.mean([*SMALL_WINS, *SMALL_WINS[:-1], -12]), rel=1e-5)


def test_page_and_terminal_state_the_criterion_of_the_ranking(summarised, tmp_path):
    result = summarised(games_with(SMALL_WINS))
    made = {
        "finished": "2020",
        "seconds": 1.0,
        "jobs": 1,
        "played": 16,
        "command": "bolicho",
        "timing": [],
        **dict.fromkeys(("processor", "cores", "system", "bolicho", "python", "numpy"), "?"),
    }
    write_report(tmp_path / "index.html", result, made)
    page = (tmp_path / "index.html").read_text()
    assert f"<strong>{MUCH}</strong> did best: it gained +1.62" in page
    assert f"<strong>{OFTEN}</strong> won more often, 75.0%, and gained less." in page
    assert "Ranked by mean payoff" in page
    for width in (80, 140):
        terminal = io.StringIO()
        show(Run(tmp_path, EXPERIMENT, result, made), Console(width=width, file=terminal))
        text = terminal.getvalue()
        assert "ranked by mean payoff" in text and "+1.62 [" in text and "25.0%" in text
        assert f"{MUCH} did best: it gained +1.62" in text and "won more often" in " ".join(text.split())
        assert text.index(MUCH + " ", text.index("agent")) < text.index(OFTEN + " ", text.index("agent"))


def test_single_hands_have_stakes_and_matches_have_none(tmp_path):
    for rules, ranked_by in (({"hands": 1}, "payoff"), ({"target": 6}, "wins")):
        finished = run(Experiment("truco", ["random", "novice"], rules, duplicates=20), tmp_path / ranked_by)
        assert finished.result["ranked_by"] == ranked_by
        key = "payoff" if ranked_by == "payoff" else "rate"
        values = [row[key]["value"] for row in finished.result["agents"]]
        assert values == sorted(values, reverse=True)
