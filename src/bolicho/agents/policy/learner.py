"""Policy learner: rounds of games, each followed by small steps of gradient ascent on the payoff.

A round provides the advantage of every turn over the critic's expectation. The critic is a net that sees the inputs of
all seats and exists only in training; the policy sees those of its own seat. A step is PPO's clipped one, with two
magnets (Sokota et al. 2023): one towards the uniform policy, which keeps the policy mixed and fades during training,
and one towards the policy before the round.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from bolicho.agents.agent import Agent
from bolicho.agents.loop import Deal, play_deals
from bolicho.agents.neural.learning import Trainee, torch_library, without_denormals
from bolicho.agents.neural.net import Nets, binding, layers, schemes, untrained
from bolicho.agents.player import OpenAtHand
from bolicho.agents.policy import kernel, model
from bolicho.agents.training import whole_numbers
from bolicho.errors import BadInput, unknown
from bolicho.games.compiled.chance import stream, uniform
from bolicho.games.game import Game
from bolicho.games.kind import copy_pool
from bolicho.store.artifact import Arrays

FIRST_GAMES = 256  # in the first round, before the length of games is known
LEAST_ROUNDS = 48
LEAST_BATCHES = 4  # batches per round
ROOM = 1.5  # capacity for turns, relative to the target of a round
RENEWED = 0.1  # weight of a round in the running scale of payoffs
LONGEST = 0.5  # maximum norm of the gradient
TRIED = 0.3  # weight of the uniform policy in imitation
WORTH_SHARE = 0.25  # weight of the policy's value loss
ALONE = 1_000  # stream number for the choice between self-play and the other agent
NEVER = -1e9  # preference of illegal actions


@dataclass(frozen=True)
class PolicySettings:
    """Training parameters. Numbers in pairs are the first and the last value of a schedule."""

    coding: str
    scheme: str
    games: int
    seed: int
    hidden: tuple[int, ...] = (256, 256)
    turns: int = 8_192  # target per round
    passes: int = 3
    batch: int = 1_024
    rate: tuple[float, float] = (1e-3, 5e-5)
    mixed: tuple[float, float] = (0.05, 0.01)  # magnet towards the uniform policy
    near: float = 0.05  # magnet towards the policy before the round
    clip: float = 0.2
    trace: float = 0.7  # lambda of generalised advantages
    alone: float = 0.0  # share of self-play games when another agent takes part


def scheme_of(game: Game, name: str = "") -> str:
    """Return the reward scheme of that name, checked; by default the best one for the game."""
    own = binding(game.name)
    if not name:
        name = own.scheme if game.seats == own.seats else "payoff"
    if name not in schemes(game.name):
        raise unknown(f"scheme of {game.name}", name, schemes(game.name))
    return name


class Lesson(NamedTuple):
    """Turns to learn from, as tensors with one row per turn."""

    inputs: Any  # inputs of the acting seat
    whole: Any  # the same, and the mean of all others'
    masks: Any
    chosen: Any
    before: Any  # log probabilities of all actions at the time
    gains: Any  # advantages, in standard deviations
    returns: Any  # targets of the critic


Aim = Callable[[Any, Any, Lesson], Any]
"""Objective of the policy, from log probabilities, probabilities and recorded turns."""


class Noting(OpenAtHand):
    """Learning agent; it is called when games end, and observes no events."""

    remembers = False

    def __init__(self, recorder: kernel.RecordingPlayer) -> None:
        super().__init__(recorder, kernel.TURN, learns=True)


class PolicyLearner:
    """Policy and critic. `other` creates the agents of all seats but one; without it the policy has all seats.

    It starts untrained, or from a net of the same inputs (`start`) whose outputs, multiplied by `keen`, become
    preferences.
    """

    def __init__(
        self,
        game: Game,
        plan: PolicySettings,
        other: Callable[[], Agent] | None = None,
        start: Nets | None = None,
        keen: float = model.KEEN,
    ) -> None:
        whole_numbers(games=plan.games)
        self.game, self.plan, self.other = game, plan, other
        self.torch = torch_library()
        self.done, self.rounds, self.turns = 0, 0, 0
        self.last = (FIRST_GAMES, plan.turns)  # games and turns of the last round; at first a guess
        self.nets = model.fresh(game, plan.coding, plan.hidden, plan.seed)  # the playing net
        self.starts = start is not None
        if start is not None:
            model.begin_from(self.nets, start, keen)
        self.own = Nets(game.name, plan.coding, 0, self.nets.sizes, self.nets.weights.copy(), {})  # the trained net
        wide = self.nets.sizes[0][0]
        seen = ((2 * wide, *plan.hidden, 1),)
        self.critic = Nets(game.name, "", 0, seen, untrained(seen, np.random.default_rng([plan.seed, 2])), {})
        self.policy_trainee, self.critic_trainee = Trainee(self.own), Trainee(self.critic)
        self.scale = np.ones(wide, np.float32)  # largest absolute value of each input ...
        self.payoff = 0.0  # ... and the running standard deviation of payoffs (0: not yet known)
        self.recorder = self._recorder(wide)

    def _recorder(self, wide: int) -> kernel.RecordingPlayer:
        room, outputs = int(ROOM * self.plan.turns), self.nets.sizes[0][-1] - model.WORTH
        return kernel.RecordingPlayer(
            model.player(self.nets, self.game),
            self.game.seats,
            schemes(self.game.name)[self.plan.scheme],
            count=np.zeros(1, np.int64),
            inputs=np.zeros((room, wide), np.float32),
            others=np.zeros((room, wide), np.float32),
            chosen=np.zeros(room, np.int64),
            masks=np.zeros((room, outputs), np.bool_),
            rewards=np.zeros(room),
            before=np.zeros(room, np.int64),
            scratch=np.zeros(wide, np.float32),
        )

    # --- Playing ---

    def deals(self, count: int, seated: Callable[[int], Sequence[int]]) -> list[Deal]:
        """Return the next deals; seed and luck depend on the number of the game."""
        found = []
        for number in range(self.done, self.done + count):
            chance = np.uint64(stream(np.uint64(self.plan.seed), number))
            luck = [int(stream(chance, 1 + seat)) for seat in range(self.game.seats)]
            found.append(Deal(int(stream(chance, 0)), seated(number), luck))
        return found

    def _seated(self, number: int) -> list[int]:
        """Return the seating: the policy everywhere, or in one seat in rotation."""
        seats, plan = self.game.seats, self.plan
        if self.other is None or uniform(np.uint64(stream(np.uint64(plan.seed), number)), ALONE) < plan.alone:
            return [0] * seats
        return [int(seat != number % seats) for seat in range(seats)]

    def count(self) -> int:
        """Return the number of games of the next round."""
        games, turns = self.last
        most = math.ceil(self.plan.games / LEAST_ROUNDS)
        return min(math.ceil(self.plan.turns * games / turns), most, self.plan.games - self.done)

    def round(self) -> dict[str, float]:
        """Play the games of a round and learn from them; return its measurements."""
        deals = self.deals(self.count(), self._seated)
        self.recorder.count[0] = 0
        makers = [lambda: Noting(self.recorder), *([] if self.other is None else [self.other])]
        for outcome in play_deals(self.game, makers, deals):
            if outcome.forfeit is not None:
                raise BadInput(f"an agent failed in a training game: {outcome.forfeit[1]}")
        return self._learned(len(deals), self._gain)

    def imitate(self, count: int) -> dict[str, float]:
        """Let the other agent play `count` games by itself, and learn to imitate it."""
        assert self.other is not None
        seats = self.game.seats
        deals, memory = self.deals(count, lambda number: [0] * seats), np.zeros(seats, kernel.TURN)
        pool, who = copy_pool(self.game.deal(0).pool), np.ones(seats, np.bool_)
        self.recorder.count[0] = 0
        for outcome in sorted(play_deals(self.game, [self.other], deals), key=lambda outcome: outcome.number):
            if outcome.forfeit is not None:
                raise BadInput(f"the imitated agent failed: {outcome.forfeit[1]}")
            seed, actions = np.uint64(deals[outcome.number].seed), np.array(outcome.actions, np.int64)
            kernel.follow(self.recorder, memory, pool, seed, actions, who)
        return self._learned(len(deals), self._likeness)

    # --- Learning ---

    def _learned(self, games: int, aim: Aim) -> dict[str, float]:
        """Learn from the recorded turns of `games` games."""
        noted = int(self.recorder.count[0])
        self.done += games
        self.turns += noted
        self.last = (games, max(1, noted))
        found = {}
        if noted > 1:
            self._measure(noted)
            with without_denormals():
                found = self._learn(self._lesson(noted), aim)
            self._take_up()
        self.rounds += 1
        return found

    def _measure(self, noted: int) -> None:
        """Set the scale of inputs from the first round, and update the scale of payoffs as a running average."""
        found, won = self.recorder, np.zeros(noted)
        kernel.credit(found.before[:noted], found.rewards[:noted], np.zeros(noted), 1.0, won)
        spread = float(won.std()) or 1.0
        if self.payoff == 0:
            largest = np.maximum(np.abs(found.inputs[:noted]).max(axis=0), np.abs(found.others[:noted]).max(axis=0))
            self.scale[:] = np.where(largest > 0, largest, 1)
            self.payoff = spread
            if self.starts:  # its weights are for unscaled inputs
                first, _, shape = layers(self.own.sizes, 0)[0]
                self.own.weights[first] = (self.own.weights[first].reshape(shape) * self.scale[:, None]).ravel()
        now = self.payoff + RENEWED * (spread - self.payoff)
        for nets in (self.own, self.critic):  # rescale learned values to the new scale
            _scale_last(nets, self.payoff / now)
        self.payoff = now

    def _lesson(self, noted: int) -> Lesson:
        """Return the lesson of the recorded turns, with the policy and the critic before learning."""
        torch, plan, found = self.torch, self.plan, self.recorder
        inputs = torch.from_numpy(found.inputs[:noted] / self.scale)
        whole = torch.cat([inputs, torch.from_numpy(found.others[:noted] / self.scale)], dim=1)
        masks, chosen = torch.from_numpy(found.masks[:noted]), torch.from_numpy(found.chosen[:noted])
        with torch.no_grad():
            values = torch.cat([self.critic_trainee(part)[:, 0] for part in whole.split(plan.batch)]).numpy()
            parts = zip(inputs.split(plan.batch), masks.split(plan.batch), strict=True)
            before = torch.cat([self._logs(*part)[0] for part in parts])
        better, rewards = np.zeros(noted), found.rewards[:noted] / self.payoff
        kernel.credit(found.before[:noted], rewards, values.astype(np.float64), plan.trace, better)
        returns = torch.from_numpy((better + values).astype(np.float32))
        gains = torch.from_numpy(((better - better.mean()) / (better.std() + 1e-6)).astype(np.float32))
        return Lesson(inputs, whole, masks, chosen, before, gains, returns)

    def _learn(self, lesson: Lesson, aim: Aim) -> dict[str, float]:
        """Train on a lesson for several passes, in small steps."""
        torch, plan, noted = self.torch, self.plan, len(lesson.chosen)
        share = min(1.0, (self.done - 1) / plan.games)
        rate, mixed = (first + (last - first) * share for first, last in (plan.rate, plan.mixed))
        self.policy_trainee.pace(rate)
        self.critic_trainee.pace(rate)
        rng = np.random.default_rng([plan.seed, 3, self.rounds])
        sums, batch = np.zeros(3), min(plan.batch, math.ceil(noted / LEAST_BATCHES))
        for _ in range(plan.passes):
            for pick in torch.from_numpy(rng.permutation(noted)).split(batch):
                sums += len(pick) * np.array(self._step(Lesson(*(part[pick] for part in lesson)), aim, mixed))
        disorder, lost, missed = (sums / (plan.passes * noted)).tolist()
        return {"entropy": disorder, "critic": lost, "worth": missed}

    def _step(self, some: Lesson, aim: Aim, mixed: float) -> tuple[float, float, float]:
        """Make one step of the policy and one of the critic; return the entropy and both value losses."""
        logs, worth = self._logs(some.inputs, some.masks)
        chances = logs.exp()
        disorder = -(chances * logs).sum(-1).mean()
        gain = aim(logs, chances, some) + mixed * disorder
        missed = (worth - some.returns).square().mean()
        self.policy_trainee.step(WORTH_SHARE * missed - gain, LONGEST)
        lost = (self.critic_trainee(some.whole)[:, 0] - some.returns).square().mean()
        self.critic_trainee.step(lost, LONGEST)
        return disorder.item(), lost.item(), missed.item()

    def _logs(self, inputs: Any, masks: Any) -> tuple[Any, Any]:
        """Return the log probabilities of all actions, and the value."""
        out = self.policy_trainee(inputs)
        return self.torch.log_softmax(out[:, :-1].masked_fill(~masks, NEVER), dim=-1), out[:, -1]

    def _gain(self, logs: Any, chances: Any, some: Lesson) -> Any:
        """Return PPO's clipped objective, with the magnet towards the policy before the round."""
        torch, plan = self.torch, self.plan
        ratio = (logs - some.before).gather(1, some.chosen[:, None])[:, 0].exp()
        gain = torch.minimum(ratio * some.gains, ratio.clamp(1 - plan.clip, 1 + plan.clip) * some.gains).mean()
        return gain - plan.near * (chances * (logs - some.before)).sum(-1).mean()

    def _likeness(self, logs: Any, chances: Any, some: Lesson) -> Any:
        """Return the log likelihood of the chosen actions, mixed with a uniform target that keeps exploration."""
        alike = logs.masked_fill(~some.masks, 0).sum(-1) / some.masks.sum(-1)
        return ((1 - TRIED) * logs.gather(1, some.chosen[:, None])[:, 0] + TRIED * alike).mean()

    def _take_up(self) -> None:
        """Copy the trained net into the playing net, converted to unscaled inputs and payoffs."""
        weights, places = self.nets.weights, layers(self.nets.sizes, 0)
        weights[:] = self.own.weights
        first, _, shape = places[0]
        weights[first] = (weights[first].reshape(shape) / self.scale[:, None]).ravel()
        _scale_last(self.nets, self.payoff)

    # --- Saving and resuming ---

    def state(self) -> Arrays:
        trainees = {"policy": self.policy_trainee, "critic": self.critic_trainee}
        moved = {f"{who}.{name}": array for who, one in trainees.items() for name, array in one.state().items()}
        counts = np.array([self.rounds, self.turns, *self.last])
        learned = {"own": self.own.weights, "critic": self.critic.weights, "scale": self.scale}
        return {**learned, "counts": counts, "payoff": np.array(self.payoff), **moved}

    def restore(self, state: Arrays) -> None:
        self.own.weights[:], self.critic.weights[:], self.scale[:] = state["own"], state["critic"], state["scale"]
        self.rounds, self.turns, *last = state["counts"].tolist()
        self.last = (last[0], last[1])
        self.payoff = float(state["payoff"])
        for who, one in (("policy", self.policy_trainee), ("critic", self.critic_trainee)):
            one.restore({name.removeprefix(f"{who}."): array for name, array in state.items() if name.startswith(who)})
        if self.payoff:
            self._take_up()


def _scale_last(nets: Nets, factor: float) -> None:
    """Multiply the last output of a net by `factor`."""
    last, biases, shape = layers(nets.sizes, 0)[-1]
    nets.weights[last].reshape(shape)[:, -1] *= factor
    nets.weights[biases][-1:] *= factor
