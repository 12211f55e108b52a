"""Doors of games and players: the functions that their modules export (docs/wasm.md)."""

from functools import cache
from typing import Any

import numpy as np

from bolicho.agents import kernel as players
from bolicho.agents.agent import Agent
from bolicho.agents.player import Compiled
from bolicho.errors import BadInput
from bolicho.games.compiled import calls
from bolicho.games.compiled.chance import stream
from bolicho.games.game import Game
from bolicho.games.kind import copy_pool
from bolicho.wasm.emit import Door, module_of
from bolicho.wasm.pack import Packed, pack


def game_doors(game: Game) -> list[Door]:
    """Return the doors of a game, those that its views need included (`Kind.view_calls`)."""
    pool = copy_pool(game.deal(0).pool)
    numbers, seed = np.zeros(1, np.int16), np.uint64(0)
    logs = np.zeros((1, 1, 4), np.int16)
    rows, points, counts = logs[0], np.zeros(1), np.zeros(1, np.int64)
    doors = [
        Door("start", calls.start, (pool, seed, numbers, logs)),
        Door("step", calls.step, (pool, 0, numbers, 0, logs, 0)),
        Door("show", calls.show, (pool, numbers, logs, 0)),
        Door("publish", calls.publish, (pool, counts, rows, 0)),
        Door("look", calls.write_view, (pool, 0, pool, numbers)),
        Door("redeal", calls.redeal, (pool, 0, seed)),
        Door("payoff", calls.payoff, (pool, points)),
        Door("scores", calls.scores, (pool, counts)),
        Door("features", calls.features, (pool, 0, np.zeros(1, np.float32))),
        Door("stream", stream, (seed, seed)),
    ]
    return doors + [
        Door(name, function, tuple(_example(pool, one) for one in kinds.split()))
        for name, function, kinds in game.kind.view_calls
    ]


def _example(pool: Any, kind: str) -> Any:
    """Return an argument of a kind (see `ViewCall`)."""
    if kind == "pool":
        return pool
    name, _, axes = kind.removesuffix("]").partition("[")
    return np.zeros((1,) * int(axes), name) if axes else 0


def player_doors(agent: Compiled, game: Game) -> list[Door]:
    """Return the doors of an agent's player."""
    player, memory = agent.player(game), np.zeros(1, agent.memory)
    pool, numbers = copy_pool(game.deal(0).pool), np.zeros((1, 4), np.int16)
    seed = np.uint64(0)
    return [
        Door("act", players.act, (player, memory, pool, 0, seed)),
        Door("mix", players.mix, (player, memory, pool, 0, np.zeros(1))),
        Door("sample", players.sample, (player, memory, pool, 0, np.zeros(1, np.uint64), np.zeros(1, np.int64))),
        Door("read", players.read, (player, memory, numbers, 0)),
        Door("begin", players.begin, (player, memory, 0)),
    ]


@cache
def game_module(game: Game) -> bytes:
    """Return the WebAssembly module of a game."""
    return module_of(game_doors(game))


def compiled_form(agent: Agent, game: Game, name: str = "the agent") -> Compiled:
    """Return the compiled player that decides as an agent does; raise with the reason if there is none."""
    found = agent if isinstance(agent, Compiled) else getattr(agent, "compiled", lambda game: None)(game)
    if found is None:
        raise BadInput(f"{name} is written in plain Python; only compiled players run in a browser (docs/wasm.md)")
    if found.learns:
        raise BadInput(f"{name} learns while it plays; its memory would be lost with the page")
    return found


def player_module(agent: Compiled, game: Game) -> tuple[bytes, Packed]:
    """Return the WebAssembly module of an agent's player, and its data."""
    return module_of(player_doors(agent, game)), pack(agent.player(game))
