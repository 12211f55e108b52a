"""Imitation for any game: nets that learn to play as the winners of recorded games did.

Games are split into those to learn from, those that say when to stop, and those to test on; moves
of one game never stand on two sides, since they look alike.
"""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bolicho.agents.agent import recipe
from bolicho.agents.loop import Deal, play_deals
from bolicho.agents.neural import kernel
from bolicho.agents.neural.learning import (
    Trainee,
    checkpoint_path,
    progress,
    read_checkpoint,
    torch_library,
    without_denormals,
    write_checkpoint,
    write_curve,
)
from bolicho.agents.neural.net import Nets, coding, fresh, layers, save
from bolicho.errors import BadInput
from bolicho.games.game import Game, View

T = TypeVar("T")

TEST, STOP = 0.2, 0.1
"""The shares of games that are tested on, and that say when to stop."""

POINTS = 100
"""Of a curve, for each net about so many."""


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
    game: Game, agents: Sequence[str], plan: Plan, games: int, note: Callable[[View, int], T | None]
) -> list[tuple[T, int]]:
    """Let the agents play the plan's first games; what `note` makes of the plays of those who won (or of all).

    Each with the number of its game; a play of which it makes nothing is left out.
    """
    makers = [recipe(agent, game.name).maker(game) for agent in agents]
    deals = [_deal(plan.seed, number, game.seats) for number in range(games)]
    rows: list[tuple[T, int]] = []
    with progress(f"games of {plan.teacher}", games) as show:
        for done, outcome in enumerate(play_deals(game, makers, deals), start=1):
            assert outcome.forfeit is None, outcome.forfeit
            best = max(outcome.payoffs)
            table = game.deal(deals[outcome.number].seed)
            for choice in outcome.actions:
                seat = table.turn
                assert seat is not None
                if not plan.winners or outcome.payoffs[seat] == best:
                    row = note(table.view(seat), choice)
                    if row is not None:
                        rows.append((row, outcome.number))
                table.play(choice)
            show(done, f"{len(rows)} plays")
    return sorted(rows, key=lambda row: row[1])


def _deal(seed: int, number: int, seats: int) -> Deal:
    """The game of that number."""
    luck = np.random.default_rng([seed, 7, number]).integers(1 << 63, size=seats)
    return Deal(int(np.random.default_rng([seed, 6, number]).integers(1 << 63)), range(seats), luck.tolist())


def collect(game: Game, agents: Sequence[str], plan: Plan, games: int | None = None) -> Plays:
    """The plays of the plan's games, or of the first so many, as nets read them."""
    how = coding(game, plan.coding)
    wide = max(width for width, _ in how.widths)
    units = max(outputs for _, outputs in how.widths)

    def coded(view: View, choice: int) -> tuple[NDArray[np.float32], int, NDArray[np.uint8], int] | None:
        chosen = kernel.output_of(view.pool, how.number, choice)
        if chosen < 0 or len(view.numbers) == 1:  # what is forced teaches nothing
            return None
        inputs, mask = np.zeros(wide, np.float32), np.zeros(units, np.uint8)
        net = kernel.read(view.pool, view.seat, how.number, inputs)
        for action in view.numbers:
            if (place := kernel.output_of(view.pool, how.number, action)) >= 0:
                mask[place] = 1
        return inputs, chosen, mask, net

    rows = observe(game, agents, plan, plan.games if games is None else games, coded)
    inputs, chosen, masks, net = zip(*(row for row, _ in rows), strict=True)
    return Plays(
        np.array(inputs, np.float32),
        np.array(chosen, np.int64),
        np.array(masks, np.uint8),
        np.array(net, np.int64),
        np.array([number for _, number in rows], np.int64),
    )


def train(game: Game, plan: Plan, out: Path | str, facts: dict[str, Any] | None = None) -> tuple[Nets, dict[str, Any]]:
    """Imitate as planned; write the artifact, its curve, and checkpoints on the way.

    Returns the nets and how often they choose as was played: among the `legal` outputs and among all (`raw`), each on
    the games learned from (`train`), those that said when to stop (`stop`), and the others (`test`), net by net.
    """
    out = Path(out)
    torch_library()
    plays = collect(game, [plan.teacher] * game.seats, plan)
    parts = split(plays, plan.games, plan.seed)
    nets = fresh(game, plan.coding, plan.hidden, plan.seed)
    words = json.dumps([game.name, dict(game.options), asdict(plan)])
    kept = read_checkpoint(out, words) or {}
    curve: list[dict[str, Any]] = json.loads(str(kept["curve"])) if kept else []
    begun = int(kept.get("which", -1))
    if kept:
        nets.weights[:] = kept["weights"]
    for which in range(len(nets.sizes)):
        if which >= begun:
            with without_denormals():
                _fit(nets, which, parts, plan, out, words, curve, kept if which == begun else {})
    sides = dict(zip(("train", "stop", "test"), parts, strict=True))
    measured = {how: {side: accuracy(nets, part, how) for side, part in sides.items()} for how in ("legal", "raw")}
    made = {"rules": dict(game.options), "plan": asdict(plan), "seed": plan.seed, "accuracy": measured}
    save(nets, out, made | (facts or {}))
    write_curve(out, curve)
    checkpoint_path(out).unlink(missing_ok=True)
    return nets, measured


def _fit(
    nets: Nets,
    which: int,
    parts: tuple[Plays, Plays, Plays],
    plan: Plan,
    out: Path,
    words: str,
    curve: list[dict[str, Any]],
    kept: dict[str, NDArray[Any]],
) -> None:
    """Train one net until it stops getting better on the games kept aside, and leave it at its best."""
    torch = torch_library()
    torch.manual_seed(plan.seed * 1000 + which)  # for what is dropped
    learn, stop = (part.part(part.net == which) for part in parts[:2])
    if not len(learn):
        raise BadInput(f"no plays for net {which} in {plan.games} games; more are needed")
    trainee = Trainee(nets, which, plan.rate, plan.decay)
    trainee.restore(kept)
    inputs = torch.from_numpy(learn.inputs[:, : nets.sizes[which][0]].copy())
    chosen = torch.from_numpy(learn.chosen)
    forbidden = torch.from_numpy(learn.masks[:, : nets.sizes[which][-1]] == 0)
    places = layers(nets.sizes, which)
    mine = nets.weights[places[0][0].start : places[-1][1].stop]
    best = kept["best"] if kept else mine.copy()
    best_score, since, first = (float(kept["score"]), int(kept["since"]), int(kept["epoch"])) if kept else (-1.0, 0, 0)
    with progress(f"{out.stem}, net {which + 1} of {len(nets.sizes)}", plan.epochs, first) as show:
        for epoch in range(first, plan.epochs):
            order = torch.from_numpy(np.random.default_rng([plan.seed, 8, which, epoch]).permutation(len(learn)))
            total = 0.0
            for begin in range(0, len(learn), plan.batch):
                pick = order[begin : begin + plan.batch]
                logits = trainee(inputs[pick], drop=plan.drop)
                if plan.masked:
                    logits = logits.masked_fill(forbidden[pick], -math.inf)
                loss = torch.nn.functional.cross_entropy(logits, chosen[pick])
                trainee.step(loss)
                total += loss.item() * len(pick)
            score = accuracy_of(nets, which, stop)
            show(epoch + 1, f"{score:.3f} right")
            if (epoch + 1) % max(1, plan.epochs // POINTS) == 0:
                point = {"net": which, "epoch": epoch + 1, "loss": total / len(learn), "stop": score}
                point["stop raw"] = accuracy_of(nets, which, stop, "raw")
                curve.append(point | {"train raw": accuracy_of(nets, which, learn, "raw")})
            since += 1
            if score > best_score:
                best[:], best_score, since = mine, score, 0
            if plan.patience and since >= plan.patience:
                break
            if epoch % 20 == 19:
                state = {"which": which, "epoch": epoch + 1, "best": best, "score": best_score, "since": since}
                state |= {"weights": nets.weights, "curve": np.array(json.dumps(curve)), **trainee.state()}
                write_checkpoint(out, words, state)
    if plan.patience:
        mine[:] = best


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
