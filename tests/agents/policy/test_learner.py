"""Policy learning: recorded rounds, imitation, convergence of self-play, and reproducibility."""

import numpy as np
import pytest

from bolicho import game
from bolicho.agents.cfr.solve import FullTree
from bolicho.agents.player import InMemoryAgent, Luck
from bolicho.agents.policy import kernel, model
from bolicho.agents.policy.learner import PolicyLearner, PolicySettings
from bolicho.agents.policy.measure import measure
from bolicho.agents.policy.train import PolicySelfPlay
from bolicho.agents.registry import recipe
from bolicho.agents.training import run, train
from bolicho.errors import BadInput
from bolicho.games.compiled.chance import stream
from bolicho.games.poker import KUHN

FIVES = game("fives", highest=3, hand=3)


def plan(**options):
    return PolicySettings(
        **{"coding": "features", "scheme": "payoff", "games": 400, "seed": 1, "hidden": (16,)} | options
    )


@pytest.mark.parametrize("decay", [0.0, 0.7, 1.0])
def test_credit_is_the_decayed_sum_of_surprises(decay):
    rng = np.random.default_rng(1)
    seat = rng.integers(3, size=40)  # three seats whose turns are noted as they come
    before = [max((j for j in range(i) if seat[j] == seat[i]), default=-1) for i in range(40)]
    rewards, values, out = rng.normal(size=40), rng.normal(size=40), np.zeros(40)
    kernel.credit(np.array(before), rewards, values, decay, out)
    for one in range(3):
        own = np.flatnonzero(seat == one)
        following = [*values[own][1:], 0.0]
        surprises = rewards[own] + following - values[own]
        wanted = [sum(decay**k * surprise for k, surprise in enumerate(surprises[i:])) for i in range(len(own))]
        np.testing.assert_allclose(out[own], wanted)


def test_recorder_contains_inputs_actions_and_rewards_of_the_games():
    """A round of self-play, read from the recorder, against the same games played in plain Python."""
    learner = PolicyLearner(FIVES, plan(games=20))
    policy = InMemoryAgent(model.player(learner.nets, FIVES))
    deals = learner.deals(20, lambda number: [0, 0])
    learner._learned = lambda games, aim: {}  # only play
    learner.count = lambda: 20
    learner.round()
    found, wanted = learner.recorder, []
    for deal in deals:
        table = FIVES.deal(deal.seed)
        turns = []
        while not table.over:
            view, seat = table.view(), table.turn
            policy.begin(FIVES, seat)
            action = policy.act(view, Luck.of(int(stream(np.uint64(deal.luck[seat]), table.ply))))
            if len(view.numbers) > 1:
                turns.append(
                    (
                        seat,
                        view.features(),
                        table.view(1 - seat).features(),
                        view.numbers,
                        int(action),
                    )
                )
            table.play(action)
        last = {seat: number for number, (seat, *_) in enumerate(turns)}
        for number, (seat, mine, other, legal, action) in enumerate(turns):
            wanted.append((mine, other, legal, action, table.payoffs[seat] if last[seat] == number else 0))
    n = int(found.count[0])
    assert n == len(wanted)

    def key(mine, other, legal, action, reward):
        return mine.tobytes(), other.tobytes(), tuple(legal), action, float(reward)

    noted = [
        key(found.inputs[i], found.others[i], np.flatnonzero(found.masks[i]), int(found.chosen[i]), found.rewards[i])
        for i in range(n)
    ]
    assert sorted(noted) == sorted(key(*row) for row in wanted)


def test_exported_policy_plays_as_the_network_in_training():
    """Comparison with the network in training, which scales inputs and payoffs."""
    learner = PolicyLearner(KUHN, plan(games=2_000))
    for _ in range(5):
        learner.round()
    view = KUHN.deal(1).view()
    torch = learner.torch
    with torch.no_grad():
        masks = torch.zeros(1, 3, dtype=torch.bool)
        masks[0, view.numbers] = True
        logs, worth = learner._logs(torch.from_numpy(view.features()[None] / learner.scale), masks)
    player = InMemoryAgent(model.player(learner.nets, KUHN))
    np.testing.assert_allclose(player.mixture(view), logs.exp().numpy()[0, view.numbers], rtol=1e-4)
    said = kernel.value(view.pool, view.seat, model.player(learner.nets, KUHN).net)
    assert said == pytest.approx(float(worth[0]) * learner.payoff, rel=1e-4)


def test_imitation_learns_to_play_like_the_teacher():
    learner = PolicyLearner(FIVES, plan(games=2_000, hidden=(32,)), recipe("rule", "fives").maker(FIVES))
    while learner.done < 2_000:
        learner.imitate(learner.count())
    player = InMemoryAgent(model.player(learner.nets, FIVES, greedy=True))
    won = [
        measure(FIVES, mine, "random", 200, 7)[0].value
        for mine in (lambda: player, recipe("rule", "fives").maker(FIVES))
    ]
    assert won[0] > won[1] / 2 > 0


def test_self_play_in_kuhn_poker_comes_near_equilibrium(tmp_path):
    learner = PolicySelfPlay(KUHN, plan(games=20_000, turns=512, hidden=(32, 32), mixed=(0.1, 0.01)))
    run(learner, tmp_path / "kuhn.safetensors", show=False)
    whole = FullTree(KUHN)
    player = InMemoryAgent(model.player(model.load(KUHN, str(tmp_path / "kuhn.safetensors")), KUHN))
    left = whole.exploitability(whole.strategy_of(player))  # its inputs do not say in which seat it is
    assert left < 0.2 < whole.exploitability(whole.uniform()) / 2


def test_the_same_seed_gives_the_same_bytes(tmp_path):
    options = {"games": 200, "width": 8, "turns": 100}
    for number, seed in enumerate((1, 1, 2)):
        train("policy fives(highest=3, hand=3)", tmp_path / f"{number}.safetensors", seed, options, show=False)
    files = [(tmp_path / f"{number}.safetensors").read_bytes() for number in range(3)]
    assert files[0] == files[1] != files[2]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"game": "chess"}, "unknown game"),
        ({"games": 0}, "games must be a whole number"),
        ({"width": 2_000}, "width must be at most 1,024"),
        ({"turns": 2_000_000}, "turns must be at most 1,000,000"),
        ({"rate": 0}, "rate must be a number above 0"),
        ({"mixed": -1}, "mixed must be a number from 0"),
        ({"coding": "cities"}, "unknown coding of dominoes"),
        ({"game": "wonders(players=3)", "coding": "ages"}, "is for several nets"),
        ({"game": "wonders(players=4)", "coding": "cities"}, "with 3 players, not 4"),
        ({"scheme": "margin"}, "unknown scheme of dominoes"),
    ],
)
def test_invalid_options_are_refused(tmp_path, options, why):
    with pytest.raises(BadInput, match=why):
        train(f"policy {options.pop('game', 'dominoes')}", tmp_path / "it.safetensors", 1, options, show=False)
