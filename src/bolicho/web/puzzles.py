"""Puzzles of the pages: the shipped ones, one for each day, and those of a player's own mistakes."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any

from fastapi import FastAPI, Query, Response

from bolicho.agents.explanation import bar, signed
from bolicho.games.game import Table
from bolicho.i18n import Message
from bolicho.lab import puzzles
from bolicho.web import models
from bolicho.web.app_state import AppState
from bolicho.web.match import game_of
from bolicho.web.refusal import Refusal
from bolicho.web.rendering import look_of, shown
from bolicho.web.schemas import ActionText, Client, Strict, answer

DAY = 24 * 3600.0  # seconds
LISTED = 8  # choices shown with their values, besides the chosen one


class SolutionRequest(Strict):
    """Choice in a puzzle."""

    action: ActionText


def _of(game: str) -> dict[str, Any]:
    """Return the shipped puzzles of a game."""
    found: dict[str, Any] | None = puzzles.shipped().get(game)
    if found is None:
        raise Refusal(404, Message("server.no-puzzles", game=game))
    return found


@lru_cache(maxsize=256)
def _table(game: str, number: int) -> Table:
    """Return the position of a puzzle."""
    found = _of(game)
    if not 0 <= number < len(found["puzzles"]):
        raise Refusal(404, Message("server.no-puzzles", game=game))
    puzzle = found["puzzles"][number]
    table = game_of(game, found["rules"]).deal(puzzle["seed"])
    table.play_all(puzzle["actions"])
    return table


def of_day(game: str, now: float) -> int:
    """Return the number of the puzzle of a day (UTC)."""
    return int(now // DAY) % len(_of(game)["puzzles"])


def puzzle_shown(game: str, number: int) -> dict[str, Any]:
    """Return a puzzle as the seat to act sees it."""
    table = _table(game, number)
    found = _of(game)
    agents = [None if seat == table.turn else spec for seat, spec in enumerate(found["players"])]
    return {
        "game": game,
        "number": number,
        "of": len(found["puzzles"]),
        "look": look_of(table.game.kind),
        "rules": dict(table.game.options),
        "by": found["judge"].partition("(")[0],
        "agents": agents,
        "view": shown(table.view()),
    }


def solution(game: str, number: int, action: str) -> dict[str, Any]:
    """Return the best choice, and what was chosen costs."""
    table = _table(game, number)
    puzzle = _of(game)["puzzles"][number]
    if action not in puzzle["values"]:
        raise Refusal(422, Message("server.illegal"))
    return {"unit": puzzle["unit"], **choices_shown(table, puzzle["values"], action, puzzle["unit"])}


def choices_shown(table: Table, values: dict[str, float], chosen: str, unit: str) -> dict[str, Any]:
    """Return the best action, the cost of the chosen one, and a bar for the best choices and the chosen one."""
    order = sorted(values, key=lambda action: -values[action])
    listed = [action for at, action in enumerate(order) if at < LISTED or action == chosen]
    name = lambda action: table.game.kind.name_action(table.state, action)  # noqa: E731
    return {
        "best": order[0],
        "says": name(order[0]).as_json(),
        "cost": values[order[0]] - values[chosen],
        "share": values[order[0]],
        "bars": _bars([(name(action), values[action], action == chosen) for action in listed], unit),
    }


def _bars(choices: Sequence[tuple[Message, float, bool]], unit: str) -> list[dict[str, Any]]:
    told = lambda value: Message("agents.percent", value=value) if unit == "share" else signed(value)  # noqa: E731
    return [bar(says, value, told(value), is_chosen) for says, value, is_chosen in choices]


def add(app: FastAPI, app_state: AppState) -> None:
    """Add the routes of puzzles."""

    @app.get("/api/puzzles/{game}", response_model=models.PuzzleResponse)
    async def puzzle(
        game: str, client: Client, number: Annotated[int | None, Query(ge=0, le=10_000)] = None
    ) -> Response:
        """Return a puzzle as the seat to act sees it, by default that of the day (UTC); `agents` sit at other seats."""
        app_state.looks.take(client)
        return answer(puzzle_shown(game, of_day(game, app_state.clock.now()) if number is None else number))

    @app.post("/api/puzzles/{game}/{number}", response_model=models.SolutionResponse)
    async def solve(game: str, number: int, asked: SolutionRequest, client: Client) -> Response:
        """Return the `best` choice in a puzzle, the `cost` of the given one, and the values of all."""
        app_state.looks.take(client)
        return answer(solution(game, number, asked.action))
