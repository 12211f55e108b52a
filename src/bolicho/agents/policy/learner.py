"""How a policy learns: rounds of games, and after each some small steps up the gradient of what was won.

What a round teaches is how much better every turn went than the critic expected.  The critic is a net that sees the
inputs of all seats and lives in the training only; the policy sees those of its own.  A step is PPO's clipped one, with
two magnets (Sokota et al. 2023): one towards all actions alike, which keeps the play mixed and fades as the training
goes on, and one towards the policy as it was before the round.
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

FIRST_GAMES = 256  # of the first round, when nobody knows how long a game is
LEAST_ROUNDS = 48
LEAST_BATCHES = 4  # of a round
ROOM = 1.5  # turns that there is room for, in those a round aims at
RENEWED = 0.1  # of the measure of payoffs, by every round
LONGEST = 0.5  # step, as the length of the gradient
TRIED = 0.3  # of the choices of who imitates, all alike
WORTH_SHARE = 0.25  # of the loss of what the policy says a position is worth
ALONE = 1_000  # of the chances of a game, the one that says whether the policy has all seats
NEVER = -1e9  # what an illegal action is preferred


@dataclass(frozen=True)
class Plan:
    """How to learn.  Numbers in pairs are what they are at first and at the end."""

    coding: str
    scheme: str
    games: int
    seed: int
    hidden: tuple[int, ...] = (256, 256)
    turns: int = 8_192  # of a round, about
    passes: int = 3
    batch: int = 1_024
    rate: tuple[float, float] = (1e-3, 5e-5)
    mixed: tuple[float, float] = (0.05, 0.01)  # pull towards all actions alike
    near: float = 0.05  # pull towards the policy before the round
    clip: float = 0.2
    trace: float = 0.7  # lambda of generalised advantages
    alone: float = 0.0  # where somebody else is met: the share of games that the policy plays with itself


def scheme_of(game: Game, name: str = "") -> str:
    """What a learner is paid for, checked; by default what is best in that game."""
    own = binding(game.name)
    if not name:
        name = own.scheme if game.seats == own.seats else "payoff"
    if name not in schemes(game.name):
        raise unknown(f"scheme of {game.name}", name, schemes(game.name))
    return name


class Lesson(NamedTuple):
    """Turns to learn from, as tensors with a row each."""

    inputs: Any  # of the seat that acted ...
    whole: Any  # ... and with them the mean of all others'
    masks: Any
    chosen: Any
    before: Any  # the logarithms of the chances of all actions then
    gains: Any  # how much better it went than expected, in standard deviations
    returns: Any  # what the critic should have expected


Aim = Callable[[Any, Any, Lesson], Any]
"""What the policy climbs: by the logarithms of its chances, those themselves, and what was noted."""


class Noting(OpenAtHand):
    """The learner at its tables; it is told when games end and of nothing else."""

    remembers = False

    def __init__(self, recorder: kernel.Recorder) -> None:
        super().__init__(recorder, kernel.TURN, learns=True)


class PolicyLearner:
    """A policy and its critic.  `other` makes who has all seats but one; without it the policy has all of them.

    It begins knowing nothing, or from a net of the same inputs (`start`) whose outputs, `keen` times, become
    preferences.
    """

    def __init__(
        self,
        game: Game,
        plan: Plan,
        other: Callable[[], Agent] | None = None,
        start: Nets | None = None,
        keen: float = model.KEEN,
    ) -> None:
        whole_numbers(games=plan.games)
        self.game, self.plan, self.other = game, plan, other
        self.torch = torch_library()
        self.done, self.rounds, self.turns = 0, 0, 0
        self.last = (FIRST_GAMES, plan.turns)  # games and turns of the last round; nobody knows before how long one is
        self.nets = model.fresh(game, plan.coding, plan.hidden, plan.seed)  # what plays
        self.starts = start is not None
        if start is not None:
            model.begin_from(self.nets, start, keen)
        self.own = Nets(game.name, plan.coding, 0, self.nets.sizes, self.nets.weights.copy(), {})  # what is learned
        wide = self.nets.sizes[0][0]
        seen = ((2 * wide, *plan.hidden, 1),)
        self.critic = Nets(game.name, "", 0, seen, untrained(seen, np.random.default_rng([plan.seed, 2])), {})
        self.policy_trainee, self.critic_trainee = Trainee(self.own), Trainee(self.critic)
        self.scale = np.ones(wide, np.float32)  # the largest number of each input ...
        self.payoff = 0.0  # ... and how far what is won spreads (0: nobody knows yet)
        self.recorder = self._recorder(wide)

    def _recorder(self, wide: int) -> kernel.Recorder:
        room, outputs = int(ROOM * self.plan.turns), self.nets.sizes[0][-1] - model.WORTH
        return kernel.Recorder(
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
        """The next deals: seed and luck come by the number of the game."""
        found = []
        for number in range(self.done, self.done + count):
            chance = np.uint64(stream(np.uint64(self.plan.seed), number))
            luck = [int(stream(chance, 1 + seat)) for seat in range(self.game.seats)]
            found.append(Deal(int(stream(chance, 0)), seated(number), luck))
        return found

    def _seated(self, number: int) -> list[int]:
        """The policy everywhere, or in one seat after the other."""
        seats, plan = self.game.seats, self.plan
        if self.other is None or uniform(np.uint64(stream(np.uint64(plan.seed), number)), ALONE) < plan.alone:
            return [0] * seats
        return [int(seat != number % seats) for seat in range(seats)]

    def count(self) -> int:
        """How many games the next round has."""
        games, turns = self.last
        most = math.ceil(self.plan.games / LEAST_ROUNDS)
        return min(math.ceil(self.plan.turns * games / turns), most, self.plan.games - self.done)

    def round(self) -> dict[str, float]:
        """Play the games of a round, and learn from them; how it went."""
        deals = self.deals(self.count(), self._seated)
        self.recorder.count[0] = 0
        makers = [lambda: Noting(self.recorder), *([] if self.other is None else [self.other])]
        for outcome in play_deals(self.game, makers, deals):
            if outcome.forfeit is not None:
                raise BadInput(f"somebody broke in a game that is learned from: {outcome.forfeit[1]}")
        return self._learned(len(deals), self._gain)

    def imitate(self, count: int) -> dict[str, float]:
        """Let the other play so many games by itself, and learn to choose as it did."""
        assert self.other is not None
        seats = self.game.seats
        deals, memory = self.deals(count, lambda number: [0] * seats), np.zeros(seats, kernel.TURN)
        pool, who = copy_pool(self.game.deal(0).pool), np.ones(seats, np.bool_)
        self.recorder.count[0] = 0
        for outcome in sorted(play_deals(self.game, [self.other], deals), key=lambda outcome: outcome.number):
            if outcome.forfeit is not None:
                raise BadInput(f"an agent that is to be imitated broke: {outcome.forfeit[1]}")
            seed, actions = np.uint64(deals[outcome.number].seed), np.array(outcome.actions, np.int64)
            kernel.follow(self.recorder, memory, pool, seed, actions, who)
        return self._learned(len(deals), self._likeness)

    # --- Learning ---

    def _learned(self, games: int, aim: Aim) -> dict[str, float]:
        """Learn from the turns that were noted in so many games."""
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
        """How large inputs are, by the first round, and how far payoffs spread, by all with the last counting most."""
        found, won = self.recorder, np.zeros(noted)
        kernel.credit(found.before[:noted], found.rewards[:noted], np.zeros(noted), 1.0, won)
        spread = float(won.std()) or 1.0
        if self.payoff == 0:
            largest = np.maximum(np.abs(found.inputs[:noted]).max(axis=0), np.abs(found.others[:noted]).max(axis=0))
            self.scale[:] = np.where(largest > 0, largest, 1)
            self.payoff = spread
            if self.starts:  # its weights are for inputs as they are
                first, _, shape = layers(self.own.sizes, 0)[0]
                self.own.weights[first] = (self.own.weights[first].reshape(shape) * self.scale[:, None]).ravel()
        now = self.payoff + RENEWED * (spread - self.payoff)
        for nets in (self.own, self.critic):  # what was learned of the old measure is said in the new one
            _scale_last(nets, self.payoff / now)
        self.payoff = now

    def _lesson(self, noted: int) -> Lesson:
        """What the turns that were noted teach, as the policy and the critic stand before it."""
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
        """Go through a lesson a few times, in small steps."""
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
        """One step of the policy and one of the critic; how mixed the play is, and how far both are off."""
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
        """The logarithms of the chances of all actions, and the worth."""
        out = self.policy_trainee(inputs)
        return self.torch.log_softmax(out[:, :-1].masked_fill(~masks, NEVER), dim=-1), out[:, -1]

    def _gain(self, logs: Any, chances: Any, some: Lesson) -> Any:
        """PPO's clipped step, held near the policy before the round."""
        torch, plan = self.torch, self.plan
        ratio = (logs - some.before).gather(1, some.chosen[:, None])[:, 0].exp()
        gain = torch.minimum(ratio * some.gains, ratio.clamp(1 - plan.clip, 1 + plan.clip) * some.gains).mean()
        return gain - plan.near * (chances * (logs - some.before)).sum(-1).mean()

    def _likeness(self, logs: Any, chances: Any, some: Lesson) -> Any:
        """How likely what was chosen is, and a little everything else: who imitates exactly tries nothing new."""
        alike = logs.masked_fill(~some.masks, 0).sum(-1) / some.masks.sum(-1)
        return ((1 - TRIED) * logs.gather(1, some.chosen[:, None])[:, 0] + TRIED * alike).mean()

    def _take_up(self) -> None:
        """Play by what was learned: for inputs as they are, in payoffs as they are."""
        weights, places = self.nets.weights, layers(self.nets.sizes, 0)
        weights[:] = self.own.weights
        first, _, shape = places[0]
        weights[first] = (weights[first].reshape(shape) / self.scale[:, None]).ravel()
        _scale_last(self.nets, self.payoff)

    # --- Kept and taken up again ---

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
    """Multiply the last output of a net."""
    last, biases, shape = layers(nets.sizes, 0)[-1]
    nets.weights[last].reshape(shape)[:, -1] *= factor
    nets.weights[biases][-1:] *= factor
