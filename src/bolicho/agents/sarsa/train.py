"""Training by self-play: checkpoints, a curve against random play, the same bytes for the same seed."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import Progress

import bolicho
from bolicho.agents.agent import parse_spec, write_spec
from bolicho.agents.basic.random import Random
from bolicho.agents.loop import Deal, play_deals
from bolicho.agents.meet import meet
from bolicho.agents.player import AtHand, OpenAtHand
from bolicho.agents.sarsa import kernel
from bolicho.agents.sarsa.model import Model, facts_of, new_model, player
from bolicho.agents.training import TRAININGS
from bolicho.errors import BadInput
from bolicho.files import write_text_atomic
from bolicho.games import game as find_game
from bolicho.games.chance import stream
from bolicho.games.game import Game
from bolicho.store.artifact import load_artifact, save_artifact

EPSILON = 0.07  # Pinto 2018, section 5.2.1
GAMMA = 0.99  # the same
ALPHA = 0.1  # of the error is corrected at first ...
FADE = 20_000  # ... half of that after so many games, a third after twice as many
PARTS = 20  # of a training: a point of the curve and a checkpoint after each
CURVE_DEALS = 1_000  # played from every seat for a point of the curve
_SLICE = 2_000  # games between two chances to stop
TABLES = 64  # games that are learned from side by side

UNFINISHED = ".part.safetensors"
CURVE = ".curve.json"


def train_sarsa(
    out: Path | str,
    seed: int = 0,
    game: str | Game = "dominoes",
    games: int = 400_000,
    perfect: bool = False,
    progress: bool = True,
) -> dict[str, Any]:
    """Learn the value of after-states by `games` games of self-play; `perfect` with everything open.

    The game is written as a name, or with rules: "truco(hands=1)".

    Writes `out` and, beside it, the curve (`.curve.json`); unfinished work (`.part.safetensors`) is
    gone on with when the training is the same.
    """
    if type(games) is not int or games < 1:
        raise BadInput(f"games must be a whole number from 1 on, not {games!r}")
    out = Path(out)
    model = new_model(_read_game(game) if isinstance(game, str) else game, perfect)
    story = {
        **facts_of(model),
        "version": bolicho.__version__,
        "command": _command(model, games, seed),
        "seed": seed,
        "games": games,
        "epsilon": EPSILON,
        "gamma": GAMMA,
        "alpha": ALPHA,
        "fade": FADE,
    }
    unfinished = out.with_name(out.name.removesuffix(".safetensors") + UNFINISHED)
    mean, curve = np.zeros(model.size), []
    if unfinished.exists():
        part = load_artifact(str(unfinished))
        if part.facts["story"] == json.loads(json.dumps(story)):
            model.weights[:], mean, curve = part.arrays["weights"], part.arrays["mean"], part.facts["curve"]
    done = curve[-1]["games"] if curve else 0
    half = games // 2
    with Progress(console=Console(stderr=True), disable=not progress) as bar:
        task = bar.add_task(f"sarsa {model.game.name}{' open' if perfect else ''}", total=games, completed=done)
        for end in sorted({games * part // PARTS for part in range(1, PARTS + 1)}):
            while done < end:
                count = min(_SLICE, end - done)
                _play(model, mean, done, count, half, seed)
                done += count
                bar.update(task, completed=done)
            if not curve or curve[-1]["games"] < end:
                played = _average(model, mean, done, half)
                curve.append({"games": done, **_against_random(model, played, seed)})
                arrays = {"weights": model.weights, "mean": mean}
                save_artifact(unfinished, arrays, {"story": story, "curve": curve})
    save_artifact(out, {"weights": _average(model, mean, done, half)}, story)
    curve_file = out.with_name(out.name.removesuffix(".safetensors") + CURVE)
    write_text_atomic(curve_file, json.dumps({"story": story, "curve": curve}, indent=1, sort_keys=True) + "\n")
    unfinished.unlink()
    return {
        "games": games,
        "features": model.size,
        "rate_against_random": curve[-1]["rate"],
        "curve": str(curve_file),
        "agent": f"{'sarsa-open' if perfect else 'sarsa'}(artifact={out})",
    }


def _read_game(spec: str) -> Game:
    """A game by name, with its rules: "truco(hands=1)"."""
    name, rules = parse_spec(spec)
    return find_game(name, **rules)


def _command(model: Model, games: int, seed: int) -> str:
    """The command that makes this artifact."""
    name = f"sarsa-{model.game.name}" + ("-open" if model.perfect else "")
    if name in TRAININGS and not model.game.options:
        return f"bolicho train {name} games={games} --seed {seed}"
    game = write_spec(model.game.name, dict(model.game.options))
    return f'bolicho train sarsa "game={game}" games={games} perfect={str(model.perfect).lower()} --seed {seed}'


def _play(model: Model, mean: Any, first: int, count: int, half: int, seed: int) -> None:
    """Let the learner play games `first` .. `first + count - 1` against itself, side by side."""
    games = np.array([first])
    numbers = EPSILON, GAMMA, ALPHA, FADE, half, model.by_points
    learner = kernel.Learner(player(model), *numbers, mean, games)
    game, seats = model.game, model.game.seats
    own = [np.uint64(stream(np.uint64(seed), number)) for number in range(first, first + count)]
    deals = [Deal(int(stream(x, 0)), [0] * seats, [int(stream(x, 1 + seat)) for seat in range(seats)]) for x in own]
    agent = _at_hand(model)(learner, kernel.last_after_state(model.size), learns=True)
    for outcome in play_deals(game, [lambda: agent], deals, tables=TABLES):
        assert outcome.forfeit is None, outcome.forfeit


def _at_hand(model: Model) -> type[AtHand]:
    """What sees as much as the model is to see."""
    return OpenAtHand if model.perfect else AtHand


def _average(model: Model, mean: Any, done: int, half: int) -> Any:
    """The weights to play by: their mean over the second half of the games, once it has begun."""
    return mean / (done - half) if done > half else model.weights.copy()


def _against_random(model: Model, weights: Any, seed: int) -> dict[str, float]:
    """The rate of points won against random play, with its 95% interval."""
    agent = _at_hand(model)(player(model, weights))
    others = [Random] * (model.game.seats - 1)
    met = meet(model.game, [lambda: agent, *others], CURVE_DEALS, int(stream(np.uint64(seed), -1)))
    points = met.scores.sum(axis=1)  # by deal and agent
    won = np.stack([points[:, 0], points[:, 1:].sum(axis=1)], axis=1)
    mine, theirs = won.sum(axis=0)
    rate = float(mine / max(1, mine + theirs))
    # A ratio of sums: its error is that of the mean of what each deal adds to it.
    error = (won[:, 0] - rate * won.sum(axis=1)).std() * np.sqrt(CURVE_DEALS) / max(1, mine + theirs)
    return {"rate": rate, "low": rate - 1.96 * float(error), "high": rate + 1.96 * float(error)}


def train_dominoes(out: Path, seed: int = 0, games: int = 400_000) -> dict[str, Any]:
    """Draw dominoes, from what a seat sees."""
    return train_sarsa(out, seed, "dominoes", games)


def train_dominoes_open(out: Path, seed: int = 0, games: int = 400_000) -> dict[str, Any]:
    """Draw dominoes with everything open."""
    return train_sarsa(out, seed, "dominoes", games, perfect=True)


def train_fives(out: Path, seed: int = 0, games: int = 400_000) -> dict[str, Any]:
    """All fives, from what a seat sees."""
    return train_sarsa(out, seed, "fives", games)


def train_fives_open(out: Path, seed: int = 0, games: int = 400_000) -> dict[str, Any]:
    """All fives with everything open."""
    return train_sarsa(out, seed, "fives", games, perfect=True)
