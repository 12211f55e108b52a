"""Deep Q-learning for any game: a net of action values.

The learner is a player that records its turns (`kernel.Explorer`); the games of a round are played in parallel with
fixed weights. Batches sampled from the replay buffer move the net, after every turn or after some games, towards a
target:

- `max`: the reward plus the best value of the next turn, by the same net (as published);
- `fixed`: as `max`, but by a target net, a copy of the net renewed every `renew` updates;
- `double`: as `fixed`, but the target net values the action that the net prefers;
- `return`: the actual return of the seat from there to the end (Monte Carlo).
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.agent import Agent
from bolicho.agents.loop import TABLES, Deal, play_deals
from bolicho.agents.mirrored_games import meet
from bolicho.agents.neural import TECHNIQUE, kernel
from bolicho.agents.neural.learning import Look, Trainee, torch_library, without_denormals
from bolicho.agents.neural.net import Nets, binding, fresh, load, save, schemes
from bolicho.agents.player import InMemoryAgent
from bolicho.agents.registry import recipe
from bolicho.agents.training import whole_numbers
from bolicho.errors import BadInput, unknown
from bolicho.games.compiled.chance import stream
from bolicho.games.game import Game, View
from bolicho.games.kind import Action
from bolicho.store.artifact import Arrays

KINDS = ("random", "scripted", "learner", "other")
"""Kinds of players at a learner's table: random, scripted, the learner, another net; or an agent, by its spec."""

TARGETS = ("max", "fixed", "double", "return")
REPLAY_COLUMNS = ("inputs", "chosen", "rewards", "returns", "following", "masks")
"""Fields of the replay buffer."""

POINTS = 200  # approximate number of points of a curve


@dataclass(frozen=True)
class QLearningSettings:
    """Training parameters. The defaults are a small, sound plan for any game."""

    coding: str = "features"
    hidden: tuple[int, ...] = (128, 128)
    scheme: str = "payoff"
    games: int = 5_000
    tables: tuple[tuple[float, tuple[str, ...]], ...] = ()  # (share, players); empty: only learners
    other: str = ""  # artifact of the player `other`
    target: str = "double"
    renew: int = 500  # number of updates between two copies into the target net
    gamma: float = 1.0
    explore: tuple[float, float, float] = (1.0, 0.003, 0.05)  # exploration rate: initial, decrease per turn, minimum
    memory: int = 100_000  # capacity of the replay buffer, in turns
    round: int = 1  # games between two updates of the playing net
    each_turn: bool = False  # True if it learns after every turn, within games
    batch: int = 64
    batches: float = 1.0  # per new turn
    rate: float = 1e-4
    last_rate: float = 1e-4
    masked: bool = True  # True if only legal actions count as best next ones
    seed: int = 1


def measure(game: Game, nets: Nets, table: tuple[str, ...], deals: int, seed: int) -> tuple[float, float]:
    """Return the mean score and share of wins of nets (kind `learner`) at a table, averaged over seats."""
    kinds = kinds_of([table])
    makers = _makers(game, kinds, nets, nets)
    met = meet(game, [makers[kinds.index(kind)] for kind in table], deals, seed)
    mine = [kind == "learner" for kind in table]
    return float(met.scores[..., mine].mean()), float(met.won[..., mine].mean())


def kinds_of(tables: Iterable[Sequence[str]]) -> list[str]:
    """Return all kinds of players, including the agents that tables name."""
    return [*KINDS, *sorted({kind for seated in tables for kind in seated} - set(KINDS))]


def _makers(game: Game, kinds: Sequence[str], learner: Nets, other: Nets) -> list[Callable[[], Agent]]:
    """Return factories of the players of each kind, without learning."""
    specs = ["random", binding(game.name).scripted, *kinds[len(KINDS) :]]
    anybody, scripted, *agents = (recipe(spec, game.name).maker(game) for spec in specs)
    nets = (lambda nets=nets: InMemoryAgent(nets.player(game)) for nets in (learner, other))
    return [anybody, scripted, *nets, *agents]


class LearningInGames(Agent):
    """Learner that updates after every turn, within games."""

    learns = True

    def __init__(self, explorer: kernel.Explorer, learn: Callable[[], None]) -> None:
        self._noting = InMemoryAgent(explorer, kernel.TURN, learns=True)
        self._learn = learn
        self.begin, self.end = self._noting.begin, self._noting.end  # type: ignore[method-assign]

    def act(self, view: View, rng: np.random.Generator) -> Action:
        action = self._noting.act(view, rng)
        self._learn()
        return action


def _check(game: Game, plan: QLearningSettings) -> None:
    whole_numbers(games=plan.games, round=plan.round, memory=plan.memory, batch=plan.batch, renew=plan.renew)
    own = schemes(game.name)
    if plan.scheme not in own and (others := [name for name in TECHNIQUE.bindings if plan.scheme in schemes(name)]):
        raise BadInput(f"the scheme {plan.scheme} is for {', '.join(others)}; {game.name} has {', '.join(own)}")
    for word, given, known in (("scheme", plan.scheme, own), ("target", plan.target, TARGETS)):
        if given not in known:
            raise unknown(word, given, known)
    if plan.each_turn and plan.target == "return":
        raise BadInput("returns are known only when a game is over: the target return is incompatible with each_turn")
    for _, who in plan.tables:
        if len(who) != game.seats or "learner" not in who:
            raise BadInput(f"a table of {game.name} needs {game.seats} players with at least one learner, not {who}")
        for kind in who:
            if kind not in KINDS:
                recipe(kind, game.name)


class QLearner:
    """Net and replay buffer; a step is one round of playing and updating."""

    unit = "games"

    def __init__(self, game: Game, plan: QLearningSettings, name: str = "", look: Look | None = None) -> None:
        _check(game, plan)
        self.game, self.plan, self.look = game, plan, look
        self.total, self.done = plan.games, 0
        self.facts = {"name": name, "rules": dict(game.options), "plan": asdict(plan), "seed": plan.seed}
        self.torch = torch_library()
        self.nets = fresh(game, plan.coding, (plan.hidden,), plan.seed)
        self.trainee = Trainee(self.nets, rate=plan.rate)
        self.target = self.trainee.frozen()
        self.kinds = kinds_of(seated for _, seated in plan.tables)
        self.makers = _makers(game, self.kinds, self.nets, load(game, plan.other) if plan.other else self.nets)
        self.explorer = self._explorer()
        noted = [getattr(self.explorer, name) for name in REPLAY_COLUMNS]
        self.tensors = dict(zip(REPLAY_COLUMNS, map(self.torch.from_numpy, noted), strict=True))
        self.updates = 0
        self.began = 0  # turns recorded before the current game: only turns of this game may lack their next turn

    def _explorer(self) -> kernel.Explorer:
        plan, room = self.plan, self.plan.memory
        inputs, outputs = self.nets.sizes[0][0], self.nets.sizes[0][-1]
        return kernel.Explorer(
            self.nets.player(self.game),
            np.array(plan.explore),
            schemes(self.game.name)[plan.scheme],
            float(plan.gamma),
            np.zeros(1, np.int64),
            inputs=np.zeros((room, inputs), np.float32),
            chosen=np.zeros(room, np.int64),
            rewards=np.zeros(room, np.float32),
            returns=np.zeros(room, np.float32),
            following=np.full(room, kernel.ENDED, np.int64),
            before=np.full(room, -1, np.int64),
            masks=np.zeros((room, outputs), np.uint8),
        )

    @property
    def count(self) -> int:
        """Number of turns recorded so far."""
        return int(self.explorer.count[0])

    def step(self) -> dict[str, Any] | None:
        """Play some games and make the planned number of updates, between turns or afterwards."""
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

        def learn() -> None:
            nonlocal known
            due, known = self._due(known), self.count
            losses.extend(self.update(due, rng))

        self.play(who, (plan.seed << 32) + number, learn if plan.each_turn else None)
        learn()
        rewards = self.explorer.rewards[np.arange(before, self.count) % plan.memory]
        seats = max(1, int((who == KINDS.index("learner")).sum()))
        return {
            "games": number * plan.round + games,
            "turns": self.count,
            "reward": float(rewards.sum()) / seats,
            "loss": sum(losses) / max(1, len(losses)),
            "new": self.count - before,
        }

    def _due(self, known: int) -> int:
        """Return the number of updates due for the turns since `known`."""
        return round(self.count * self.plan.batches) - round(known * self.plan.batches)

    def _seat(self, games: int, rng: np.random.Generator) -> NDArray[np.int8]:
        """Return the kinds of players by seat: tables drawn by their shares, rotated by a random number of seats."""
        seats, tables = self.game.seats, self.plan.tables
        who = np.full((games, seats), KINDS.index("learner"), np.int8)
        if tables:
            shares = np.array([share for share, _ in tables])
            chosen = rng.choice(len(tables), games, p=shares / shares.sum())
            kinds = np.array([[self.kinds.index(kind) for kind in seated] for _, seated in tables], np.int8)
            turned = (np.arange(seats) + rng.integers(seats, size=(games, 1))) % seats
            who = np.take_along_axis(kinds[chosen], turned, axis=1)
        return who

    def play(self, who: NDArray[np.int8], seed: int, learn: Callable[[], None] | None = None) -> None:
        """Play a game for each row of `who` and record it.

        The games run in parallel, or one after the other where `learn` is called after every turn of the learner.
        """
        makers = [*self.makers]
        makers[KINDS.index("learner")] = lambda: (
            InMemoryAgent(self.explorer, kernel.TURN, learns=True)
            if learn is None
            else LearningInGames(self.explorer, learn)
        )
        deals = []
        for number, seated in enumerate(who.tolist()):
            chance = np.uint64(stream(np.uint64(seed), number))
            deals.append(Deal(int(stream(chance, 0)), seated, [int(stream(chance, 1 + i)) for i in range(len(seated))]))
        for outcome in play_deals(self.game, makers, deals, tables=TABLES if learn is None else 1):
            assert outcome.forfeit is None, outcome.forfeit
            self.began = self.count

    def whole(self) -> tuple[int, int]:
        """Return the range of usable turns: those in the replay buffer whose next turn is known."""
        first = max(0, self.count - self.plan.memory)
        last = np.arange(max(first, self.began), self.count)
        waiting = last[self.explorer.following[last % self.plan.memory] == kernel.WAITING]
        return first, int(min(waiting, default=self.count))

    def update(self, updates: int, rng: np.random.Generator) -> list[float]:
        """Update the net batch by batch; return the losses."""
        plan, torch = self.plan, self.torch
        first, behind = self.whole()
        if updates < 1 or first >= behind:
            return []
        drawn = first + rng.integers(behind - first, size=(updates, plan.batch))
        inputs, chosen = self.tensors["inputs"], self.tensors["chosen"]
        losses = []
        for pick in torch.from_numpy(drawn % plan.memory):
            wanted = self._wanted(pick)
            values = self.trainee(inputs[pick]).gather(1, chosen[pick].unsqueeze(1)).squeeze(1)
            loss = torch.nn.functional.mse_loss(values, wanted)
            self.trainee.step(loss)
            losses.append(loss.item())
            self.updates += 1
            if plan.target in ("fixed", "double") and self.updates % plan.renew == 0:
                self.target = self.trainee.frozen()
        return losses

    def _wanted(self, pick: Any) -> Any:
        """Return the targets of the chosen actions."""
        plan, torch = self.plan, self.torch
        inputs, rewards, masks = self.tensors["inputs"], self.tensors["rewards"], self.tensors["masks"]
        if plan.target == "return":
            return self.tensors["returns"][pick]
        with torch.no_grad():
            following = self.tensors["following"][pick]
            ended = following < 0
            following = following.clamp(min=0)
            next_inputs = inputs[following]
            values = self.trainee(next_inputs, self.target if plan.target == "fixed" else None)
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
        kept = {f"memory.{name}": getattr(self.explorer, name)[:filled] for name in REPLAY_COLUMNS}
        target = {f"target.{i}": part.numpy() for i, part in enumerate(self.target)}
        counts = {"count": np.array(self.count), "updates": np.array(self.updates)}
        return {"weights": self.nets.weights, **counts, **kept, **target, **self.trainee.state()}

    def restore(self, state: Arrays) -> None:
        self.nets.weights[:] = state["weights"]
        for name in REPLAY_COLUMNS:
            saved = state[f"memory.{name}"]
            getattr(self.explorer, name)[: len(saved)] = saved
        self.target = [self.torch.from_numpy(state[f"target.{i}"].copy()) for i in range(len(self.target))]
        self.began = self.explorer.count[0] = int(state["count"])
        self.updates = int(state["updates"])
        self.trainee.restore(state)

    def finish(self, out: Path, story: dict[str, Any]) -> dict[str, Any]:
        save(self.nets, out, story)
        return self.look(self.nets) if self.look else {}
