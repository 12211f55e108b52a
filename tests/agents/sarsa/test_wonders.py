"""After-states of 7 Wonders, compared with the city once the choice is resolved."""

import numpy as np

import bolicho
from bolicho.agents.sarsa import kernel
from bolicho.agents.sarsa.compiled import wonders
from bolicho.agents.sarsa.model import new_model, player

GAME = bolicho.game("wonders")
MODEL = new_model(GAME, perfect=False)


def features(table, action):
    """Return the features of the after-state of an action, by name."""
    view, own = table.view(), player(MODEL)
    kernel.ask_all(own, view.pool, view.seat, np.uint64(1))
    before = view.pool.tobytes()
    _, n = kernel.ask_value(own, view.seat, action.number)
    assert view.pool.tobytes() == before
    return {MODEL.names[i]: x for i, x in zip(own.index[:n].tolist(), own.value[:n].tolist(), strict=True)}


def test_feature_names_are_unique():
    assert len(set(MODEL.names)) == MODEL.size == wonders.NUM_FEATURES


def test_after_state_matches_the_city_once_the_choice_is_resolved():
    rng = np.random.default_rng(1)
    checked = 0
    for seed in range(3):
        table = GAME.deal(seed)
        while not table.over:
            seat, age = table.turn, int(table.state["age"])
            action = table.legal[rng.integers(len(table.legal))]
            on = features(table, action)
            table.play(action)
            while not table.over and table.turn > seat:  # the others choose; then all is resolved
                table.play(table.legal[-1])
            s = table.state
            if table.over or s["age"] != age or s["phase"] != 0:
                continue  # a conflict or a choice from the discard pile came between
            for i, colour in enumerate(wonders.COLOURS):
                assert np.isclose(on.get(f"age {age + 1}: {colour} cards", 0), s["colours"][seat, i] / 3)
            for i, symbol in enumerate(wonders.SYMBOLS):
                assert on.get(f"age {age + 1}: {symbol}s", 0) == s["symbols"][seat, i]
            board = wonders.BOARDS[s["board"][seat]]
            assert on[f"{board}: {s['stages'][seat]} stages"] == 1
            built = {name.removesuffix(" built") for name in on if name.endswith(" built")}
            assert len(built) == s["colours"][seat].sum()
            checked += 1
    assert checked > 20
