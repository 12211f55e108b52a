"""The Markov agent: its state spaces and initial matrices as published, its play within the rules."""

import numpy as np
import pytest

from bolicho import BadInput, agent, game
from bolicho.agents.markov.matrices import initial_victories, load_learned
from bolicho.agents.markov.states import NUM_ENVIDO, NUM_FLOR, NUM_ORDERS, NUM_TRUCO
from bolicho.store.artifact import artifact_path


def test_the_state_spaces_have_the_published_sizes():
    assert (NUM_TRUCO, NUM_ENVIDO, NUM_FLOR, NUM_ORDERS) == (502, 29, 64, 6)


def test_the_initial_matrices_fall_by_one_a_step_from_the_diagonal():
    truco = initial_victories("truco")
    assert truco.shape == (502, 502) and truco[0, 0] == truco[501, 501] == 37
    assert truco[0].tolist() == sorted(truco[0].tolist(), reverse=True) and truco[0, -1] == 1 and truco[501, 0] == 73
    envido, flor = initial_victories("envido"), initial_victories("flor")
    assert envido.shape == (29, 29) and envido[0].sum() == 0 and envido.max() <= 26 and envido[5, 5] == 13
    assert flor.shape == (64, 64) and flor.max() <= 36 and flor[5, 5] == 18


def positions(count, seed):
    rng = np.random.default_rng(seed)
    table = game("truco").deal(seed)
    for number in range(count):
        if table.over:
            table = game("truco").deal(seed * 1000 + number)
        yield table
        table.play(table.legal[rng.integers(len(table.legal))])


@pytest.mark.parametrize("name", ["markov", "markov-plus"])
def test_actions_are_legal_and_depend_only_on_the_view(name):
    player = agent(name, "truco")
    player.begin(game("truco"), 0)
    for table in positions(400, 7):
        view = table.view()
        other = view.redeal(seed=table.ply).view(table.turn)
        choice = player.act(view, np.random.default_rng(table.ply))
        assert str(choice) in view.legal or choice in view.numbers
        assert choice == player.act(other, np.random.default_rng(table.ply))
        assert player.explain().sentence


def test_shipped_matrices_are_small_and_refused_when_truncated(tmp_path):
    for name in ("markov", "markov-plus"):
        path = artifact_path(name)
        assert path.stat().st_size <= 300_000
        load_learned(str(path))
        cut = tmp_path / "cut.safetensors"
        cut.write_bytes(path.read_bytes()[:-10])
        with pytest.raises(BadInput, match="safetensors"):
            load_learned(str(cut))
