"""Bolicho's games in OpenSpiel.

>>> import pyspiel
>>> import bolicho.openspiel                            # registers bolicho_truco, bolicho_dominoes, ...
>>> game = pyspiel.load_game("bolicho_dominoes(highest=2,hand=2)")
>>> state = game.new_initial_state()
>>> len(state.chance_outcomes())                        # all chance is in the deal
180
>>> state.apply_action(7)
>>> [state.action_to_string(action) for action in state.legal_actions()]
['0-0', '1-1']

Needs the extra `openspiel`: `pip install bolicho[openspiel]`.
"""

import hashlib
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pyspiel

from bolicho.errors import BadInput
from bolicho.games import game_names
from bolicho.games import kind as find_kind
from bolicho.games.compiled import calls
from bolicho.games.compiled.deals import deal_number, num_deals
from bolicho.games.game import Game, View
from bolicho.games.kind import Kind, Pool

PREFIX = "bolicho_"
MOST_LISTED = 10_000
"""A game with at most this number of deals has one chance node with an outcome for each deal."""

DIGITS, DIGIT = 8, 256
"""Chance nodes and outcomes of each for larger games: the bytes of the seed, lowest first."""


# --- Registration -------------------------------------------------------------------------------


def register(kind: Kind) -> str:
    """Register a kind of game in OpenSpiel, with its rules as parameters; return its name there."""
    if kind.bounds is None or kind.longest is None:
        raise BadInput(f"OpenSpiel needs the payoffs and the length of a game; give {kind.name} bounds and longest")
    name = PREFIX + kind.name
    made = type(name, (OpenSpielGame,), {"kind": kind})  # no closure: OpenSpiel frees it after Python has ended
    globals()[name] = made  # pickle looks the class up here
    pyspiel.register_game(_type(kind), made)
    return name


def _type(kind: Kind) -> Any:
    """Return OpenSpiel's type of a game, which does not depend on its rules."""
    kinds = pyspiel.GameType
    players = _players(kind)
    return kinds(
        short_name=PREFIX + kind.name,
        long_name=kind.title,
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kinds.Information.PERFECT_INFORMATION
        if kind.perfect_information
        else kinds.Information.IMPERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM if kind.zero_sum else kinds.Utility.GENERAL_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        min_num_players=min(players),
        max_num_players=max(players),
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=vars(kind.rules()),
    )


def _players(kind: Kind) -> list[int]:
    """Return the possible numbers of players, from the rule `players` or `seats`."""
    counts = {kind.seats(kind.rules())}
    for name in {"players", "seats"} & set(vars(kind.rules())):
        for count in range(1, 11):
            try:
                counts.add(kind.seats(kind.rules(**{name: count})))
            except BadInput:
                continue
    return sorted(counts)


def _listed(game: Game) -> int:
    """Return the number of deals if they are few enough to be listed, otherwise 0."""
    deals = int(num_deals(game.deal(0).pool))
    return deals if deals <= MOST_LISTED else 0


class OpenSpielGame(pyspiel.Game):  # type: ignore[misc]
    """Adapter of a game to OpenSpiel; `native` is Bolicho's game."""

    kind: Kind

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        kind = self.kind
        self.native = Game(kind, **params or {})
        self.deals = _listed(self.native)
        assert kind.bounds is not None and kind.longest is not None
        low, high = kind.bounds(self.native.rules)
        info = pyspiel.GameInfo(
            num_distinct_actions=self.native.num_actions,
            max_chance_outcomes=self.deals or DIGIT,
            num_players=self.native.seats,
            min_utility=low,
            max_utility=high,
            utility_sum=0.0 if kind.zero_sum else None,
            max_game_length=kind.longest(self.native.rules),
        )
        super().__init__(_type(kind), info, params or {})

    def new_initial_state(self) -> "OpenSpielState":
        return OpenSpielState(self)

    def max_chance_nodes_in_history(self) -> int:
        return 1 if self.deals else DIGITS

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "Observer":
        return Observer(self.native, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)


# --- States -------------------------------------------------------------------------------------


class Position(NamedTuple):
    """Immutable content of a state, which OpenSpiel copies and pickles with it."""

    digits: bytes = b""  # digits of the seed so far
    record: bytes = b""  # empty before the deal
    logs: tuple[bytes, ...] = ()  # events that each seat saw
    turn: int = int(pyspiel.PlayerId.CHANCE)
    ply: int = 0

    def __deepcopy__(self, memo: object) -> "Position":
        return self


class OpenSpielState(pyspiel.State):  # type: ignore[misc]
    """State of a game."""

    def __init__(self, game: OpenSpielGame) -> None:
        super().__init__(game)
        self.at = Position(logs=(b"",) * game.native.seats)

    @property
    def native(self) -> Game:
        """Bolicho's game of this state."""
        found: Game = self.get_game().native
        return found

    @property
    def dealt(self) -> bool:
        """True once the cards are dealt."""
        return bool(self.at.record)

    def view(self, seat: int) -> View:
        """Return the view of a seat after the deal."""
        log = np.frombuffer(self.at.logs[seat], np.int16).reshape(-1, 4)
        return self.native.view(self._pool(), seat, log, ply=self.at.ply)

    def _pool(self) -> Pool:
        return np.frombuffer(bytearray(self.at.record), self.native.dtype)

    def current_player(self) -> int:
        return self.at.turn

    def is_terminal(self) -> bool:
        return self.at.turn == int(pyspiel.PlayerId.TERMINAL)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the equally likely deals; for a game with too many deals, the values of the next byte of the seed."""
        outcomes = self.get_game().deals or DIGIT
        return [(number, 1 / outcomes) for number in range(outcomes)]

    def _legal_actions(self, player: int) -> list[int]:
        out = np.empty(self.native.num_actions, np.int16)
        numbers: list[int] = out[: calls.legal(self._pool(), out)].tolist()
        return numbers

    def _apply_action(self, action: int) -> None:
        game: OpenSpielGame = self.get_game()
        native, at = game.native, self.at
        if not at.record and not game.deals:
            self.at = at = at._replace(digits=at.digits + bytes([action]))
            if len(at.digits) < DIGITS:
                return
        scratch = np.frombuffer(bytearray(native.record_size), native.dtype)
        logs = np.zeros((native.seats + 1, native.dtype["events"].shape[0], 4), np.int16)
        if at.record:
            pool = self._pool()
            if not calls.play(pool, 0, action, np.empty(native.num_actions, np.int16)):
                raise BadInput(f"action {action} is not legal here; legal: {self._legal_actions(at.turn)}")
        else:
            pool = np.frombuffer(bytearray(native.blank_bytes), native.dtype)
            if game.deals:
                deal_number(pool, action)
            else:
                calls.deal(pool, np.uint64(int.from_bytes(at.digits, "little")))
        noted = calls.note(pool, 0, scratch, logs, 0)
        turn = int(pool["turn"][0])
        self.at = Position(
            at.digits,
            pool.tobytes(),
            tuple(old + new[:noted].tobytes() for old, new in zip(at.logs, logs[:-1], strict=True)),
            turn if turn >= 0 else int(pyspiel.PlayerId.TERMINAL),
            at.ply + bool(at.record),
        )

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"deal {action}" if self.get_game().deals else f"seed byte {action}"
        if not self.dealt and self.native.kind.texts is None:
            return f"action {action}"
        return str(self.native.action(self._pool()[0] if self.dealt else None, action))  # type: ignore[arg-type]

    def returns(self) -> list[float]:
        out = np.zeros(self.native.seats)
        if self.is_terminal():
            calls.payoff(self._pool(), out)
        return out.tolist()

    def resample_from_infostate(self, player: int, probability_sampler: Callable[[], float]) -> "OpenSpielState":
        """Sample a state of the player's information set, each equally likely.

        The logs of the other seats are replaced by this player's log.  The history still names the original deal.
        """
        pool = self.view(player).pool
        calls.redeal(pool, player, np.uint64(int(probability_sampler() * 2**53)))
        other: OpenSpielState = self.clone()
        other.at = self.at._replace(digits=b"", record=pool.tobytes(), logs=(self.at.logs[player],) * self.native.seats)
        return other

    def __str__(self) -> str:
        if not self.dealt:
            return f"before the deal {self.at.digits.hex()}".strip()
        texts = [f"seat {seat}\n{_text(self.view(seat))}" for seat in range(self.native.seats)]
        return "\n".join([*texts, _digest(self.at.record, *self.at.logs)])


def _text(view: View) -> str:
    """Return the text of a view, cached because algorithms repeat the same views."""
    return _text_of(view.game, view.seat, view.pool.tobytes(), tuple(view.numbers), view.rows.tobytes())


@lru_cache(maxsize=1 << 14)
def _text_of(game: Game, seat: int, record: bytes, numbers: tuple[int, ...], log: bytes) -> str:
    return str(game.make_view(game, seat, np.frombuffer(record, game.dtype), list(numbers), log))


def _digest(*parts: bytes) -> str:
    """Return a digest that differs for all different parts, even if their texts are equal."""
    digest = hashlib.blake2b(digest_size=12)
    for part in parts:
        digest.update(len(part).to_bytes(4, "little") + part)
    return digest.hexdigest()


# --- Observers ----------------------------------------------------------------------------------


class Observer:
    """Observation of one seat, as text and as named tensors: `player` (one-hot) and `features`.

    The text of an information state ends in a digest of the seat's view and its log, which gives perfect recall; that
    of an observation is the current view only.  The tensors are the same for both: the game's features.
    """

    def __init__(self, game: Game, iig_obs_type: Any, params: Any) -> None:
        if params:
            raise BadInput(f"observers take no parameters here, not {params}")
        if iig_obs_type.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER or not iig_obs_type.public_info:
            raise BadInput("only the whole view of one seat, public and private, can be observed")
        self.recalls = bool(iig_obs_type.perfect_recall)
        self.tensor = np.zeros(game.seats + game.num_features, np.float32)
        self.dict = {"player": self.tensor[: game.seats], "features": self.tensor[game.seats :]}

    def set_from(self, state: OpenSpielState, player: int) -> None:
        """Write the observation of a player into the tensors."""
        self.tensor.fill(0)
        if player >= 0:
            self.dict["player"][player] = 1
            if state.dealt:
                self.dict["features"][:] = state.view(player).features()

    def string_from(self, state: OpenSpielState, player: int) -> str:
        """Return the observation of a player as text."""
        if not state.dealt:
            return f"seat {player}, before the deal"
        view = state.view(player)
        text = f"seat {player}\n{_text(view)}"
        return f"{text}\n{_digest(view.pool.tobytes(), view.rows.tobytes())}" if self.recalls else text


def register_all(kinds: Iterable[Kind] = ()) -> list[str]:
    """Register all named games (plug-ins only with `bounds` and `longest`) and the given kinds."""
    named = [found for found in map(find_kind, game_names()) if found.bounds is not None and found.longest is not None]
    return [register(kind) for kind in (*named, *kinds)]


NAMES = register_all()
"""Names of the games in OpenSpiel."""
