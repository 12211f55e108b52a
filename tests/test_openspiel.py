"""Games in OpenSpiel: its tests pass, its solvers find the same values, and its searches play."""

import subprocess
import sys

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (extra `openspiel`)")

from examples.kuhn import KUHN as SHORT  # noqa: E402

import bolicho.openspiel  # noqa: E402
from bolicho import BadInput, game  # noqa: E402
from bolicho.agents.cfr.solve import FullTree, Solver, solve  # noqa: E402
from bolicho.games.poker import KUHN, POKER  # noqa: E402

POKER_NAME = bolicho.openspiel.register(POKER)
SMALL = "bolicho_dominoes(highest=2,hand=2)"
EVERY = [*bolicho.openspiel.NAMES, POKER_NAME, SMALL, "bolicho_truco(hands=1,flor=False)", "bolicho_wonders(players=5)"]


@pytest.mark.parametrize("name", EVERY)
def test_openspiel_s_own_simulation_passes(name):
    pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize("name", EVERY)
def test_openspiel_test_of_python_games_passes(name):
    """Run OpenSpiel's test module, which takes any registered game."""
    tests = pytest.importorskip("open_spiel.python.tests.games_sim_test", reason="OpenSpiel came without its tests")
    np.random.seed(1)
    tests.GamesSimTest().sim_game(pyspiel.load_game(name))


def dealt(name, seed):
    """Return a state of a game dealt from a seed, which OpenSpiel gets byte by byte."""
    state = pyspiel.load_game(name).new_initial_state()
    for digit in seed.to_bytes(8, "little"):
        assert state.is_chance_node() and len(state.chance_outcomes()) == 256
        state.apply_action(digit)
    return state


@pytest.mark.parametrize("name", ["truco", "fives", "wonders"])
def test_openspiel_game_equals_the_bolicho_game(name):
    """Compare legal actions, texts, features and payoffs ply by ply, for the same deal and actions."""
    seed, rng = 2**60 + 12345, np.random.default_rng(1)
    state, table = dealt(f"bolicho_{name}", seed), game(name).deal(seed)
    while not table.over:
        view = table.view()
        assert (state.current_player(), state.legal_actions()) == (table.turn, view.numbers)
        assert [state.action_to_string(number) for number in view.numbers] == list(view.legal)
        assert state.observation_string() == f"seat {table.turn}\n{view}"
        assert state.information_state_tensor()[table.game.seats :] == view.features().tolist()
        number = view.numbers[rng.integers(len(view.numbers))]
        table.play(number)
        state.apply_action(number)
    assert state.is_terminal() and state.returns() == table.payoffs


def test_information_states_are_those_of_perfect_recall():
    """Compare their number with our own count, so that they hold no hidden card."""
    from open_spiel.python.algorithms.get_all_states import get_all_states

    states = get_all_states(pyspiel.load_game(POKER_NAME), include_terminals=False, include_chance_states=False)
    assert len({state.information_state_string() for state in states.values()}) == FullTree(KUHN).sets == 12


def test_openspiel_cfr_finds_the_value_of_small_dominoes():
    small, ours = pyspiel.load_game(SMALL), Solver(FullTree(game("dominoes", highest=2, hand=2)))
    solver = pyspiel.CFRPlusSolver(small)
    for _ in range(20):
        solver.evaluate_and_update_policy()
    ours.iterate(20)
    policy = solver.average_policy()
    value = pyspiel.expected_returns(small.new_initial_state(), policy, -1, False)[0]
    assert value == pytest.approx(2.4, abs=0.01)
    assert solve(ours.whole, 0.0005).value == pytest.approx(2.4, abs=0.001)
    assert pyspiel.exploitability(small, policy) == pytest.approx(ours.solution().exploitability, abs=0.002)


def test_kuhn_poker_equals_that_of_openspiel():
    ours, theirs = pyspiel.load_game(POKER_NAME), pyspiel.load_game("kuhn_poker")
    policies = [pyspiel.UniformRandomPolicy(each) for each in (ours, theirs)]
    assert pyspiel.exploitability(ours, policies[0]) == pytest.approx(pyspiel.exploitability(theirs, policies[1]))
    mine, yours = pyspiel.CFRPlusSolver(ours), pyspiel.CFRPlusSolver(theirs)
    for _ in range(10):
        mine.evaluate_and_update_policy()
        yours.evaluate_and_update_policy()
    found = [
        pyspiel.exploitability(*each) for each in ((ours, mine.average_policy()), (theirs, yours.average_policy()))
    ]
    assert found[0] == pytest.approx(found[1])


def test_openspiel_mccfr_runs_on_hands_of_truco():
    solver = pyspiel.ExternalSamplingMCCFRSolver(pyspiel.load_game("bolicho_truco(hands=1,flor=False)"), seed=1)
    solver.run_iteration()


@pytest.mark.parametrize("name", ["truco", "wonders"])
def test_resampled_states_have_the_same_information_state(name):
    state = dealt(f"bolicho_{name}", 7)
    for _ in range(6):
        state.apply_action(state.legal_actions()[-1])
    others = [state.resample_from_infostate(state.current_player(), lambda x=x: x / 9) for x in range(9)]
    assert {other.information_state_string() for other in others} == {state.information_state_string()}
    assert {tuple(other.legal_actions()) for other in others} == {tuple(state.legal_actions())}
    assert len({str(other) for other in others}) > 1
    for other in others:
        while not other.is_terminal():
            other.apply_action(other.legal_actions()[0])


def test_openspiel_search_beats_random():
    from open_spiel.python.algorithms.ismcts import ISMCTSBot
    from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator

    small, rng, won = pyspiel.load_game(SMALL), np.random.RandomState(1), []
    bot = ISMCTSBot(small, RandomRolloutEvaluator(1, rng), uct_c=5, max_simulations=15, random_state=rng)
    for deal in range(0, 180, 15):
        for seat in range(2):
            state = small.new_initial_state()
            state.apply_action(deal)
            while not state.is_terminal():
                mine = state.current_player() == seat
                state.apply_action(bot.step(state) if mine else rng.choice(state.legal_actions()))
            won.append(state.returns()[seat])
    assert np.mean(won) > 0


def test_missing_bounds_and_unsupported_observers_are_refused():
    with pytest.raises(BadInput, match="give kuhn bounds and longest"):
        bolicho.openspiel.register(SHORT)
    with pytest.raises(BadInput, match="the whole view of one seat"):
        pyspiel.load_game(SMALL).make_py_observer(
            pyspiel.IIGObservationType(perfect_recall=False, private_info=pyspiel.PrivateInfoType.NONE)
        )


def test_python_exits_cleanly_after_games_were_registered():
    code = (
        "import bolicho.openspiel, pyspiel; game = pyspiel.load_game('bolicho_truco'); state = game.new_initial_state()"
    )
    assert subprocess.run([sys.executable, "-c", code], check=True).returncode == 0
