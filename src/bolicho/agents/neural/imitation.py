"""Imitation for any game: nets that learn to play as the winners of recorded games did.

Games are split into those to learn from, those that say when to stop, and those to test on; moves
of one game never stand on two sides, since they look alike.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.loop import Deal, play_deals
from bolicho.agents.neural import kernel
from bolicho.agents.neural.learning import Look, Trainee, torch_library, without_denormals
from bolicho.agents.neural.net import Nets, coding, fresh, layers, save
from bolicho.agents.registry import recipe
from bolicho.agents.training import progress, whole_numbers
from bolicho.errors import BadInput
from bolicho.games.game import Game, View
from bolicho.store.artifact import Arrays

T = TypeVar("T")

TEST, STOP = 0.2, 0.1
"""The shares of games that are tested on, and that say when to stop."""

POINTS = 100
"""Of a curve, for each net about so many."""

SLICE = 64
"""Games that are watched at a time."""


@dataclass(frozen=True)
class Plan:
    """Whom to imitate, and how."""

    teacher: str = "random"  # an agent; it sits on every seat
    games: int = 1_000
    coding: str = "features"
    hidden: tuple[tuple[int, ...], ...] = ((80, 80),)
    winners: bool = True  # learn from the winners' plays alone?
    epochs: int = 200
    patience: int = 10  # epochs without getting better before it stops; 0: never
    batch: int = 64
    rate: float = 1e-4
    decay: float = 0.0  # of weights
    drop: float = 0.0  # share of hidden units left out
    masked: bool = False  # are illegal outputs impossible while learning?
    seed: int = 1


@dataclass(frozen=True)
class Plays:
    """Plays to imitate, a row each; `net` is which of the coding's nets they are for."""

    inputs: NDArray[np.float32]
    chosen: NDArray[np.int64]
    masks: NDArray[np.uint8]
    net: NDArray[np.int64]
    game: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.chosen)

    def part(self, where: NDArray[np.bool_]) -> "Plays":
        """Some of them."""
        return Plays(self.inputs[where], self.chosen[where], self.masks[where], self.net[where], self.game[where])


def split(plays: Plays, games: int, seed: int) -> tuple[Plays, Plays, Plays]:
    """Plays to learn from, to stop by, and to test on; whole games each."""
    order = np.random.default_rng([seed, 5]).permutation(games)
    rank = np.empty(games, np.int64)
    rank[order] = np.arange(games)
    at = rank[plays.game]
    test, stop = math.ceil(games * TEST), math.ceil(games * (TEST + STOP))
    return plays.part(at >= stop), plays.part((at >= test) & (at < stop)), plays.part(at < test)


def observe(
    game: Game, agents: Sequence[str], plan: Plan, games: range, note: Callable[[View, int], T | None]
) -> list[tuple[T, int]]:
    """Let the agents play some of the plan's games; what `note` makes of the plays of those who won (or of all).

    Each with the number of its game; a play of which it makes nothing is left out.
    """
    rows: list[tuple[T, int]] = []
    for number, deal, who, actions in _played(game, agents, plan, games):
        table = game.deal(deal.seed)
        for choice in actions.tolist():
            seat = table.turn
            assert seat is not None
            if who[seat]:
                row = note(table.view(seat), choice)
                if row is not None:
                    rows.append((row, number))
            table.play(choice)
    return rows


def _played(
    game: Game, agents: Sequence[str], plan: Plan, games: range
) -> Iterator[tuple[int, Deal, NDArray[np.bool_], NDArray[np.int16]]]:
    """Some of the plan's games, in order: their number and deal, the seats to learn from, and what was played."""
    makers = [recipe(agent, game.name).maker(game) for agent in agents]
    deals = [_deal(plan.seed, number, game.seats) for number in games]
    for outcome in sorted(play_deals(game, makers, deals), key=lambda outcome: outcome.number):
        assert outcome.forfeit is None, outcome.forfeit
        payoffs = np.array(outcome.payoffs)
        who = (payoffs == payoffs.max()) | (not plan.winners)
        yield games[outcome.number], deals[outcome.number], who, outcome.actions


def _deal(seed: int, number: int, seats: int) -> Deal:
    """The game of that number."""
    luck = np.random.default_rng([seed, 7, number]).integers(1 << 63, size=seats)
    return Deal(int(np.random.default_rng([seed, 6, number]).integers(1 << 63)), range(seats), luck.tolist())


def collect(game: Game, agents: Sequence[str], plan: Plan, games: int | None = None) -> Plays:
    """The plays of the plan's games, or of the first so many, as nets read them."""
    how = coding(game, plan.coding)
    wide = max(width for width, _ in how.widths)
    units = max(outputs for _, outputs in how.widths)
    legal = np.zeros(game.num_actions, np.int16)
    count, parts = plan.games if games is None else games, []
    with progress(f"{plan.teacher} plays", count, "games") as tell:
        for first in range(0, count, SLICE):
            some = range(first, min(count, first + SLICE))
            for number, deal, who, actions in _played(game, agents, plan, some):
                room = len(actions)
                inputs, masks = np.zeros((room, wide), np.float32), np.zeros((room, units), np.uint8)
                chosen, nets = np.zeros(room, np.int64), np.zeros(room, np.int64)
                pool, played = game.deal(deal.seed).pool, np.array(actions, np.int64)
                n = kernel.watch(pool, played, who, how.number, legal, inputs, chosen, masks, nets)
                parts.append((inputs[:n], chosen[:n], masks[:n], nets[:n], np.full(n, number)))
            tell(some.stop, "")
    return Plays(*(np.concatenate(part) for part in zip(*parts, strict=True)))


class Imitator:
    """Nets that learn, one after the other, to choose as was played; a step is one epoch of one net.

    Each stops when it no longer gets better on the games kept aside, and is left at its best.
    """

    unit = "epochs"

    def __init__(self, game: Game, plan: Plan, name: str = "", look: Look | None = None) -> None:
        whole_numbers(games=plan.games, batch=plan.batch)
        whole_numbers(0, epochs=plan.epochs, patience=plan.patience)
        self.game, self.plan, self.look = game, plan, look
        self.torch = torch_library()
        self.nets = fresh(game, plan.coding, plan.hidden, plan.seed)
        self.total, self.done = plan.epochs * len(self.nets.sizes), 0
        self.facts = {"name": name, "rules": dict(game.options), "plan": asdict(plan), "seed": plan.seed}
        self.which = -1

    @cached_property
    def parts(self) -> tuple[Plays, Plays, Plays]:
        """What the teachers played: to learn from, to stop by, and to test on."""
        game, plan = self.game, self.plan
        return split(collect(game, [plan.teacher] * game.seats, plan), plan.games, plan.seed)

    def _begin(self, which: int) -> None:
        """Take up a net."""
        torch, plan, nets = self.torch, self.plan, self.nets
        self.which = which
        self.learn, self.stop = (part.part(part.net == which) for part in self.parts[:2])
        if not len(self.learn):
            raise BadInput(f"no plays for net {which} in {plan.games} games; more are needed")
        self.trainee = Trainee(nets, which, plan.rate, plan.decay)
        self.tensors = tensors_of(self.learn, nets, which)
        places = layers(nets.sizes, which)
        self.mine = nets.weights[places[0][0].start : places[-1][1].stop]
        self.best, self.score, self.since = self.mine.copy(), -1.0, 0
        self.chance = torch.Generator().manual_seed(plan.seed * 1000 + which).get_state()  # for what is dropped

    def step(self) -> dict[str, Any] | None:
        plan = self.plan
        which, epoch = divmod(self.done, plan.epochs)
        if which != self.which:
            self._begin(which)
        with without_denormals():
            loss = self._epoch(epoch)
        score = accuracy_of(self.nets, which, self.stop)
        point = None
        if (epoch + 1) % max(1, plan.epochs // POINTS) == 0:
            point = {"net": which, "epoch": epoch + 1, "loss": loss, "stop": score}
            point["stop raw"] = accuracy_of(self.nets, which, self.stop, "raw")
            point["train raw"] = accuracy_of(self.nets, which, self.learn, "raw")
        self.since += 1
        if score > self.score:
            self.best[:], self.score, self.since = self.mine, score, 0
        self.done += 1
        if plan.patience and self.since >= plan.patience:
            self.done = (which + 1) * plan.epochs
        if plan.patience and self.done == (which + 1) * plan.epochs:
            self.mine[:] = self.best
        return point

    def _epoch(self, epoch: int) -> float:
        """See every play once; the mean loss."""
        self.torch.set_rng_state(self.chance)
        loss = see_all(self.trainee, self.tensors, self.plan, self.which, epoch)
        self.chance = self.torch.get_rng_state()
        return loss

    def state(self) -> Arrays:
        best = {"best": self.best, "score": np.array(self.score), "since": np.array(self.since)}
        chance = {"which": np.array(self.which), "chance": self.chance.numpy()}
        return {"weights": self.nets.weights, **best, **chance, **self.trainee.state()}

    def restore(self, state: Arrays) -> None:
        self.nets.weights[:] = state["weights"]
        self._begin(int(state["which"]))
        self.best[:], self.score, self.since = state["best"], float(state["score"]), int(state["since"])
        self.chance = self.torch.from_numpy(state["chance"].copy())
        self.trainee.restore(state)

    def finish(self, out: Path, story: dict[str, Any]) -> dict[str, Any]:
        """The report says how often the nets choose as was played.

        Among the `legal` outputs and among all (`raw`), each on the games learned from (`train`), those that said
        when to stop (`stop`), and the others (`test`), net by net.
        """
        sides = dict(zip(("train", "stop", "test"), self.parts, strict=True))
        rates = {
            how: {side: accuracy(self.nets, part, how) for side, part in sides.items()} for how in ("legal", "raw")
        }
        save(self.nets, out, {**story, "accuracy": rates})
        return {"accuracy": rates, **(self.look(self.nets) if self.look else {})}


def tensors_of(plays: Plays, nets: Nets, which: int) -> tuple[Any, Any, Any]:
    """Plays of a net for PyTorch: inputs, what was chosen, and the outputs that are illegal."""
    torch = torch_library()
    return (
        torch.from_numpy(plays.inputs[:, : nets.sizes[which][0]].copy()),
        torch.from_numpy(plays.chosen),
        torch.from_numpy(plays.masks[:, : nets.sizes[which][-1]] == 0),
    )


def see_all(trainee: Trainee, tensors: tuple[Any, Any, Any], plan: Plan, which: int, epoch: int) -> float:
    """Learn from every play once, in an order of the epoch's own; the mean loss."""
    torch = torch_library()
    inputs, chosen, forbidden = tensors
    size = len(chosen)
    order = torch.from_numpy(np.random.default_rng([plan.seed, 8, which, epoch]).permutation(size))
    total = 0.0
    for pick in order.split(plan.batch):
        logits = trainee(inputs[pick], drop=plan.drop)
        if plan.masked:
            logits = logits.masked_fill(forbidden[pick], -math.inf)
        loss = torch.nn.functional.cross_entropy(logits, chosen[pick])
        trainee.step(loss)
        total += loss.item() * len(pick)
    return total / size


def predict(nets: Nets, which: int, plays: Plays, how: str = "legal") -> NDArray[np.int64]:
    """What a net would choose among the legal outputs, or (`raw`) among all, for plays that are its own."""
    values = plays.inputs[:, : nets.sizes[which][0]]
    places = layers(nets.sizes, which)
    for i, (matrix, biases, shape) in enumerate(places):
        values = values @ nets.weights[matrix].reshape(shape) + nets.weights[biases]
        if i + 1 < len(places):
            values = np.maximum(values, 0)
    if how == "legal":
        values = np.where(plays.masks[:, : values.shape[1]] != 0, values, -np.inf)
    return np.asarray(values.argmax(axis=1))


def accuracy_of(nets: Nets, which: int, plays: Plays, how: str = "legal") -> float:
    """How often a net chooses as was played, among the legal outputs or (`raw`) among all."""
    return float(np.mean(predict(nets, which, plays, how) == plays.chosen)) if len(plays) else 0.0


def accuracy(nets: Nets, plays: Plays, how: str = "legal") -> list[float]:
    """The same for each net, on the plays that are its own."""
    return [accuracy_of(nets, which, plays.part(plays.net == which), how) for which in range(len(nets.sizes))]
