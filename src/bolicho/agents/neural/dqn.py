"""Deep Q-learning for any game: a net that values every action by what comes of it.

Games are played in compiled code with the weights as they are, and remembered; batches drawn from
memory move the net, after every turn or after some games, towards a target:

- `max`: the reward and the best value of the next turn, by the same net (as published);
- `double`: as `max`, but a target net, a copy renewed now and then, values what the net prefers;
- `return`: what the seat really got from there to the end (Monte Carlo).
"""

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.neural import kernel
from bolicho.agents.neural.bindings import BINDINGS, schemes
from bolicho.agents.neural.learning import Look, Trainee, torch_library, without_denormals
from bolicho.agents.neural.net import Nets, fresh, load, save
from bolicho.agents.training import whole_numbers
from bolicho.errors import BadInput, unknown
from bolicho.games.game import Game, copy_pool
from bolicho.store.artifact import Arrays

KINDS = {"random": kernel.RANDOM, "scripted": kernel.SCRIPTED, "learner": kernel.LEARNER, "other": kernel.OTHER}
TARGETS = ("max", "double", "return")
MEMORY = ("inputs", "chosen", "rewards", "returns", "following", "masks")
POINTS = 200  # of a curve, about so many


@dataclass(frozen=True)
class Plan:
    """How to learn.  The defaults are a small, sound plan for any game."""

    coding: str = "features"
    hidden: tuple[int, ...] = (128, 128)
    scheme: str = "payoff"
    games: int = 5_000
    tables: tuple[tuple[float, tuple[str, ...]], ...] = ()  # (share, who sits there); none: learners only
    other: str = ""  # an artifact that plays `other`
    target: str = "double"
    renew: int = 500  # updates between two copies into the target net
    gamma: float = 1.0
    explore: tuple[float, float, float] = (1.0, 0.003, 0.05)  # first, less a turn, least
    memory: int = 100_000  # turns
    round: int = 1  # games between two updates of what plays
    each_turn: bool = False  # or does it learn after every turn, within the games?
    batch: int = 64
    batches: float = 1.0  # for each turn remembered
    rate: float = 1e-4
    last_rate: float = 1e-4
    masked: bool = True  # do only legal actions count as best next?
    seed: int = 1


def measure(game: Game, nets: Nets, table: tuple[str, ...], games: int, seed: int) -> tuple[float, float]:
    """What nets score at a table (`learner` are they), moved on by a seat each game: mean score, share of wins."""
    kinds = np.array([KINDS[kind] for kind in table], np.int8)
    who = np.array([np.roll(kinds, number % len(kinds)) for number in range(games)])
    totals = np.zeros((games, game.seats, 2))
    rows = np.zeros((2, max(max(sizes) for sizes in nets.sizes)), np.float32)
    legal, values = np.zeros(game.num_actions, np.int16), np.zeros(game.num_actions)
    pool = copy_pool(game._blank)
    kernel.measure(pool, np.uint64(seed), who, nets.compiled, nets.compiled, totals, rows, legal, values)
    mine = totals[who == kernel.LEARNER]
    best = totals[..., 1] == totals[..., 1].max(axis=1, keepdims=True)
    won = best / best.sum(axis=1, keepdims=True)
    return float(mine[:, 0].mean()), float(won[who == kernel.LEARNER].mean())


def _check(game: Game, plan: Plan) -> None:
    whole_numbers(games=plan.games, round=plan.round, memory=plan.memory, batch=plan.batch)
    own = schemes(game.name)
    if plan.scheme not in own and (others := [name for name in BINDINGS if plan.scheme in schemes(name)]):
        raise BadInput(f"the scheme {plan.scheme} is for {', '.join(others)}; {game.name} has {', '.join(own)}")
    for word, given, known in (("scheme", plan.scheme, own), ("target", plan.target, TARGETS)):
        if given not in known:
            raise unknown(word, given, known)
    if plan.each_turn and plan.target == "return":
        raise BadInput("returns are known when a game is over: the target return does not go with each_turn")
    for _, who in plan.tables:
        if len(who) != game.seats or "learner" not in who:
            raise BadInput(f"a table of {game.name} has {game.seats} players, one of them a learner, not {who}")
        for kind in who:
            if kind not in KINDS:
                raise unknown("kind of player", kind, KINDS)


class QLearner:
    """The net and its memory; a step is one round of playing and updating."""

    unit = "games"

    def __init__(self, game: Game, plan: Plan, name: str = "", look: Look | None = None) -> None:
        _check(game, plan)
        self.game, self.plan, self.look = game, plan, look
        self.total, self.done = plan.games, 0
        self.facts = {"name": name, "rules": dict(game.options), "plan": asdict(plan), "seed": plan.seed}
        self.torch = torch_library()
        self.nets = fresh(game, plan.coding, (plan.hidden,), plan.seed)
        self.trainee = Trainee(self.nets, rate=plan.rate)
        self.target = self.trainee.frozen()
        self.other = load(game, plan.other) if plan.other else self.nets
        inputs, outputs = self.nets.sizes[0][0], self.nets.sizes[0][-1]
        room = plan.memory
        self.memory: tuple[NDArray[Any], ...] = (
            np.zeros((room, inputs), np.float32),
            np.zeros(room, np.int64),
            np.zeros(room, np.float32),
            np.zeros(room, np.float32),
            np.full(room, -1, np.int64),
            np.zeros((room, outputs), np.uint8),
        )
        self.tensors = [self.torch.from_numpy(array) for array in self.memory]
        self.count = 0  # turns remembered so far
        self.updates = 0
        self.pool = copy_pool(game._blank)
        wide = max(max(self.nets.sizes[0]), *(max(sizes) for sizes in self.other.sizes))
        self.room = (
            np.zeros((2, wide), np.float32),
            np.zeros(game.num_actions, np.int16),
            np.zeros(game.num_actions),
        )
        self.seats = np.full(game.seats, -1, np.int64), np.zeros(game.seats)  # see `kernel.play_on`

    def step(self) -> dict[str, Any] | None:
        """Play some games and update as often as the plan says, between turns or afterwards."""
        number, rounds = self.done // self.plan.round, math.ceil(self.total / self.plan.round)
        with without_denormals():
            point = self._round(number, rounds)
        self.done = point["games"]
        return point if number % max(1, rounds // POINTS) == 0 or number == rounds - 1 else None

    def _round(self, number: int, rounds: int) -> dict[str, Any]:
        plan = self.plan
        before = self.count
        games = min(plan.round, plan.games - number * plan.round)
        who = self._seat(games, np.random.default_rng([plan.seed, 2, number]))
        rng = np.random.default_rng([plan.seed, 3, number])
        self.trainee.pace(plan.rate + (plan.last_rate - plan.rate) * number / rounds)
        losses: list[float] = []
        known = before
        for _ in self.play(who, np.uint64(plan.seed) * np.uint64(1 << 32) + np.uint64(number)):
            if plan.each_turn:
                losses += self.update(self._due(known), rng)
                known = self.count
        losses += self.update(self._due(known), rng)
        rewards = self.memory[2][np.arange(before, self.count) % plan.memory]
        seats = max(1, int((who == kernel.LEARNER).sum()))
        return {
            "games": number * plan.round + games,
            "turns": self.count,
            "reward": float(rewards.sum()) / seats,
            "loss": sum(losses) / max(1, len(losses)),
            "new": self.count - before,
        }

    def _due(self, known: int) -> int:
        """How many updates the turns since `known` call for."""
        return round(self.count * self.plan.batches) - round(known * self.plan.batches)

    def _seat(self, games: int, rng: np.random.Generator) -> NDArray[np.int8]:
        """Who sits where: tables by their shares, everybody moved on by a random number of seats."""
        seats, tables = self.game.seats, self.plan.tables
        who = np.full((games, seats), kernel.LEARNER, np.int8)
        if tables:
            shares = np.array([share for share, _ in tables])
            chosen = rng.choice(len(tables), games, p=shares / shares.sum())
            kinds = np.array([[KINDS[kind] for kind in seated] for _, seated in tables], np.int8)
            turned = (np.arange(seats) + rng.integers(seats, size=(games, 1))) % seats
            who = np.take_along_axis(kinds[chosen], turned, axis=1)
        return who

    def play(self, who: NDArray[np.int8], seed: np.uint64) -> Iterator[None]:
        """Play a game for each row of `who` and remember it; stops after each turn of a learner's, or each game."""
        plan, nets = self.plan, (self.nets.compiled, self.other.compiled)
        explore, scheme = np.array(plan.explore), schemes(self.game.name)[plan.scheme]
        limit = 1 if plan.each_turn else 1 << 30
        for game, seated in enumerate(who):
            chance, draws = np.uint64(kernel.begin(self.pool, seed, game, self.seats)), 0
            began = self.count
            while not kernel.is_over(self.pool):
                self.count, draws = kernel.play_on(
                    self.pool,
                    chance,
                    draws,
                    seated,
                    nets,
                    explore,
                    scheme,
                    self.memory,
                    self.count,
                    self.seats,
                    self.room,
                    limit,
                )
                if kernel.is_over(self.pool):
                    kernel.settle(self.pool, scheme, plan.gamma, self.memory, began, self.count, self.seats)
                yield

    def whole(self) -> tuple[int, int]:
        """The turns one can learn from, first and behind the last: those remembered whose next turn is known."""
        last = self.seats[0]
        return max(0, self.count - self.plan.memory), int(min(last[last >= 0], default=self.count))

    def update(self, updates: int, rng: np.random.Generator) -> list[float]:
        """Move the net, batch by batch; the losses."""
        plan, torch = self.plan, self.torch
        first, behind = self.whole()
        if updates < 1 or first >= behind:
            return []
        drawn = first + rng.integers(behind - first, size=(updates, plan.batch))
        inputs, chosen, _, _, _, _ = self.tensors
        losses = []
        for pick in torch.from_numpy(drawn % plan.memory):
            wanted = self._wanted(pick)
            values = self.trainee(inputs[pick]).gather(1, chosen[pick].unsqueeze(1)).squeeze(1)
            loss = torch.nn.functional.mse_loss(values, wanted)
            self.trainee.step(loss)
            losses.append(loss.item())
            self.updates += 1
            if plan.target == "double" and self.updates % plan.renew == 0:
                self.target = self.trainee.frozen()
        return losses

    def _wanted(self, pick: Any) -> Any:
        """What the chosen actions should be valued at."""
        plan, torch = self.plan, self.torch
        inputs, _, rewards, returns, following, masks = self.tensors
        if plan.target == "return":
            return returns[pick]
        with torch.no_grad():
            following = following[pick]
            ended = following < 0
            following = following.clamp(min=0)
            next_inputs = inputs[following]
            values = self.trainee(next_inputs)
            if plan.masked:
                values = values.masked_fill(masks[following] == 0, -math.inf)
            if plan.target == "double":
                best = values.argmax(1, keepdim=True)
                value = self.trainee(next_inputs, self.target).gather(1, best).squeeze(1)
            else:
                value = values.max(1).values
            return rewards[pick] + plan.gamma * value.masked_fill(ended, 0.0)

    def state(self) -> Arrays:
        filled = min(self.count, self.plan.memory)
        kept = {f"memory.{name}": array[:filled] for name, array in zip(MEMORY, self.memory, strict=True)}
        target = {f"target.{i}": part.numpy() for i, part in enumerate(self.target)}
        counts = {"count": np.array(self.count), "updates": np.array(self.updates)}
        return {"weights": self.nets.weights, **counts, **kept, **target, **self.trainee.state()}

    def restore(self, state: Arrays) -> None:
        self.nets.weights[:] = state["weights"]
        for name, array in zip(MEMORY, self.memory, strict=True):
            saved = state[f"memory.{name}"]
            array[: len(saved)] = saved
        self.target = [self.torch.from_numpy(state[f"target.{i}"].copy()) for i in range(len(self.target))]
        self.count, self.updates = int(state["count"]), int(state["updates"])
        self.trainee.restore(state)

    def finish(self, out: Path, story: dict[str, Any]) -> dict[str, Any]:
        save(self.nets, out, story)
        return self.look(self.nets) if self.look else {}
