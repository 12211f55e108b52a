"""Imitation for any game: nets trained on the plays of winners in recorded games.

Games are split into training, early-stopping and test sets; all moves of a game belong to one set, since they are
similar.
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
from bolicho.agents.training import whole_numbers
from bolicho.errors import BadInput
from bolicho.games.game import Game, View
from bolicho.progress import progress
from bolicho.store.artifact import Arrays

T = TypeVar("T")

TEST, STOP = 0.2, 0.1
"""Shares of games in the test and the early-stopping set."""

POINTS = 100
"""Approximate number of points of a curve, for each net."""

SLICE = 64
"""Games processed at a time."""


@dataclass(frozen=True)
class ImitationSettings:
    """Teacher and training parameters."""

    teacher: str = "random"  # an agent, in every seat
    games: int = 1_000
    coding: str = "features"
    hidden: tuple[tuple[int, ...], ...] = ((80, 80),)
    winners: bool = True  # True if only the winners' plays are used
    epochs: int = 200
    patience: int = 10  # epochs without improvement before it stops; 0: unlimited
    batch: int = 64
    rate: float = 1e-4
    decay: float = 0.0  # weight decay
    drop: float = 0.0  # share of hidden units dropped
    masked: bool = False  # True if illegal outputs are masked in training
    seed: int = 1


@dataclass(frozen=True)
class ImitationPlays:
    """Plays to imitate, one row each; `net` is the number of the coding's net."""

    inputs: NDArray[np.float32]
    chosen: NDArray[np.int64]
    masks: NDArray[np.uint8]
    net: NDArray[np.int64]
    game: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.chosen)

    def part(self, where: NDArray[np.bool_]) -> "ImitationPlays":
        """Return the selected plays."""
        return ImitationPlays(
            self.inputs[where], self.chosen[where], self.masks[where], self.net[where], self.game[where]
        )


def split(plays: ImitationPlays, games: int, seed: int) -> tuple[ImitationPlays, ImitationPlays, ImitationPlays]:
    """Return the plays of the training, early-stopping and test sets; whole games each."""
    order = np.random.default_rng([seed, 5]).permutation(games)
    rank = np.empty(games, np.int64)
    rank[order] = np.arange(games)
    at = rank[plays.game]
    test, stop = math.ceil(games * TEST), math.ceil(games * (TEST + STOP))
    return plays.part(at >= stop), plays.part((at >= test) & (at < stop)), plays.part(at < test)


def observe(
    game: Game, agents: Sequence[str], plan: ImitationSettings, games: range, note: Callable[[View, int], T | None]
) -> list[tuple[T, int]]:
    """Let the agents play some of the plan's games; return the results of `note` for the winners' plays (or all).

    Each result comes with the number of its game; plays with the result None are left out.
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
    game: Game, agents: Sequence[str], plan: ImitationSettings, games: range
) -> Iterator[tuple[int, Deal, NDArray[np.bool_], NDArray[np.int16]]]:
    """Yield some of the plan's games, in order: number and deal, the seats to learn from, and the actions."""
    makers = [recipe(agent, game.name).maker(game) for agent in agents]
    deals = [_deal(plan.seed, number, game.seats) for number in games]
    for outcome in sorted(play_deals(game, makers, deals), key=lambda outcome: outcome.number):
        assert outcome.forfeit is None, outcome.forfeit
        payoffs = np.array(outcome.payoffs)
        who = (payoffs == payoffs.max()) | (not plan.winners)
        yield games[outcome.number], deals[outcome.number], who, outcome.actions


def _deal(seed: int, number: int, seats: int) -> Deal:
    """Return the deal of that number."""
    luck = np.random.default_rng([seed, 7, number]).integers(1 << 63, size=seats)
    return Deal(int(np.random.default_rng([seed, 6, number]).integers(1 << 63)), range(seats), luck.tolist())


def collect(game: Game, agents: Sequence[str], plan: ImitationSettings, games: int | None = None) -> ImitationPlays:
    """Return the plays of the plan's games, or of the first `games`, as inputs of nets."""
    how = coding(game, plan.coding)
    wide = max(width for width, _ in how.widths)
    units = max(outputs for _, outputs in how.widths)
    legal = np.zeros(game.num_actions, np.int16)
    count, parts = plan.games if games is None else games, []
    with progress(f"{plan.teacher} plays", count, "games") as bar:
        for first in range(0, count, SLICE):
            some = range(first, min(count, first + SLICE))
            for number, deal, who, actions in _played(game, agents, plan, some):
                room = len(actions)
                inputs, masks = np.zeros((room, wide), np.float32), np.zeros((room, units), np.uint8)
                chosen, nets = np.zeros(room, np.int64), np.zeros(room, np.int64)
                pool, played = game.deal(deal.seed).pool, np.array(actions, np.int64)
                n = kernel.record_plays(pool, played, who, how.number, legal, inputs, chosen, masks, nets)
                parts.append((inputs[:n], chosen[:n], masks[:n], nets[:n], np.full(n, number)))
            bar.update(some.stop)
    return ImitationPlays(*(np.concatenate(part) for part in zip(*parts, strict=True)))


class Imitator:
    """Learner of nets, one after the other, by imitation; a step is one epoch of one net.

    Each net stops when it no longer improves on the early-stopping set, and keeps its best weights.
    """

    unit = "epochs"

    def __init__(self, game: Game, plan: ImitationSettings, name: str = "", look: Look | None = None) -> None:
        whole_numbers(games=plan.games, batch=plan.batch)
        whole_numbers(0, epochs=plan.epochs, patience=plan.patience)
        self.game, self.plan, self.look = game, plan, look
        self.torch = torch_library()
        self.nets = fresh(game, plan.coding, plan.hidden, plan.seed)
        self.total, self.done = plan.epochs * len(self.nets.sizes), 0
        self.facts = {"name": name, "rules": dict(game.options), "plan": asdict(plan), "seed": plan.seed}
        self.which = -1

    @cached_property
    def parts(self) -> tuple[ImitationPlays, ImitationPlays, ImitationPlays]:
        """Plays of the teachers: training, early-stopping and test sets."""
        game, plan = self.game, self.plan
        return split(collect(game, [plan.teacher] * game.seats, plan), plan.games, plan.seed)

    def _begin(self, which: int) -> None:
        """Start the training of a net."""
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
        self.chance = torch.Generator().manual_seed(plan.seed * 1000 + which).get_state()  # for dropout

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
        """Train on every play once; return the mean loss."""
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
        """Write the nets; report how often they choose the recorded action.

        The rates are among the `legal` outputs and among all (`raw`), each for the training (`train`), early-stopping
        (`stop`) and test set (`test`), net by net.
        """
        sides = dict(zip(("train", "stop", "test"), self.parts, strict=True))
        rates = {
            how: {side: accuracy(self.nets, part, how) for side, part in sides.items()} for how in ("legal", "raw")
        }
        save(self.nets, out, {**story, "accuracy": rates})
        return {"accuracy": rates, **(self.look(self.nets) if self.look else {})}


def tensors_of(plays: ImitationPlays, nets: Nets, which: int) -> tuple[Any, Any, Any]:
    """Return the plays of a net as PyTorch tensors: inputs, chosen outputs, and illegal outputs."""
    torch = torch_library()
    return (
        torch.from_numpy(plays.inputs[:, : nets.sizes[which][0]].copy()),
        torch.from_numpy(plays.chosen),
        torch.from_numpy(plays.masks[:, : nets.sizes[which][-1]] == 0),
    )


def see_all(trainee: Trainee, tensors: tuple[Any, Any, Any], plan: ImitationSettings, which: int, epoch: int) -> float:
    """Train on every play once, in the epoch's own random order; return the mean loss."""
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


def predict(nets: Nets, which: int, plays: ImitationPlays, how: str = "legal") -> NDArray[np.int64]:
    """Return a net's choices among the legal outputs, or (`raw`) among all, for its own plays."""
    values = plays.inputs[:, : nets.sizes[which][0]]
    places = layers(nets.sizes, which)
    for i, (matrix, biases, shape) in enumerate(places):
        values = values @ nets.weights[matrix].reshape(shape) + nets.weights[biases]
        if i + 1 < len(places):
            values = np.maximum(values, 0)
    if how == "legal":
        values = np.where(plays.masks[:, : values.shape[1]] != 0, values, -np.inf)
    return np.asarray(values.argmax(axis=1))


def accuracy_of(nets: Nets, which: int, plays: ImitationPlays, how: str = "legal") -> float:
    """Return how often a net chooses the recorded action, among the legal outputs or (`raw`) among all."""
    return float(np.mean(predict(nets, which, plays, how) == plays.chosen)) if len(plays) else 0.0


def accuracy(nets: Nets, plays: ImitationPlays, how: str = "legal") -> list[float]:
    """Return the accuracy of each net, on its own plays."""
    return [accuracy_of(nets, which, plays.part(plays.net == which), how) for which in range(len(nets.sizes))]
