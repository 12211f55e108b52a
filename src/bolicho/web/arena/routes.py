"""HTTP routes of the arena: permissions, limits and replies."""

import asyncio
import os
from functools import partial
from hmac import compare_digest
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Query, Request, Response
from fastapi import Path as InPath
from pydantic import Field, StringConstraints

from bolicho.agents.registry import is_built_in
from bolicho.arena.experiment import MOST_SEED, Experiment
from bolicho.arena.seeds import luck
from bolicho.errors import BadInput
from bolicho.i18n import Message
from bolicho.store import tokens
from bolicho.web import game_list, models
from bolicho.web.app_state import AppState
from bolicho.web.arena import files
from bolicho.web.arena.runs import RunGame
from bolicho.web.match import Match
from bolicho.web.refusal import Refusal
from bolicho.web.schemas import Bearer, GameName, Ply, Strict, allowed, answer, answer_text, token_of
from bolicho.web.workers import DecisionRequest

SCOPE = "research"
MOST_AGENTS, MOST_DEALS, MOST_GAMES = 20, 10_000, 500_000
MOST_PROCESSES = min(8, os.cpu_count() or 1)
LISTED = 50  # games per reply

Spec = Annotated[str, StringConstraints(min_length=1, max_length=300)]
Processes = Annotated[int, Field(ge=1, le=MOST_PROCESSES)]
RunName = Annotated[str, InPath()]  # `folder_of` checks names, with the same refusal for all bad ones
RowNumber = Annotated[int, InPath(ge=0, le=2**53)]


class TournamentRequest(Strict):
    """Tournament to be played."""

    game: GameName
    agents: Annotated[list[Spec], Field(min_length=2, max_length=MOST_AGENTS)]
    rules: dict[Annotated[str, StringConstraints(max_length=40)], bool | int | str] = Field(default={}, max_length=20)
    duplicates: Annotated[int, Field(ge=1, le=MOST_DEALS)] = 100
    seed: Annotated[int, Field(ge=0, le=MOST_SEED)] | None = None
    name: Annotated[str, StringConstraints(max_length=80)] | None = None
    processes: Processes = 1


class TrainingRequest(Strict):
    """Case base to be trained."""

    training: Annotated[str, StringConstraints(max_length=40)]
    options: dict[Annotated[str, StringConstraints(max_length=40)], bool | int | float | str] = Field(
        default={}, max_length=20
    )
    seed: Annotated[int, Field(ge=0, le=MOST_SEED)] = 1
    name: Annotated[str, StringConstraints(max_length=80)] | None = None


class ContinueRunRequest(Strict):
    """Run to be continued."""

    processes: Processes = 1


def add(app: FastAPI, app_state: AppState) -> None:
    """Add the routes of the arena."""

    async def researcher(authorization: str | None) -> tokens.Holder:
        token = token_of(authorization)
        if token is None:
            raise Refusal(401, Message("server.scope", scope=SCOPE))
        app_state.looks.take(token)
        found: tokens.Holder = await app_state.transactions.ask(lambda transaction: allowed(transaction, token, SCOPE))
        return found

    async def looking(authorization: str | None) -> tokens.Holder | None:
        """Return the researcher, or None for a visitor if the server shows its runs to visitors."""
        if authorization is None and app_state.settings.show_runs:
            app_state.looks.take("arena")
            return None
        return await researcher(authorization)

    async def links(who: tokens.Holder | None, kind: str, name: str, found: list[str]) -> dict[str, str]:
        """Return addresses of files that a browser can open without a token."""
        paths = {file: files.address(kind, name, file) for file in found}
        if who is None:
            return paths
        seal = lambda transaction: {  # noqa: E731
            file: files.sealed(
                path, who.name, lambda text: tokens.seal(transaction.connection, who.name, SCOPE, text), transaction.now
            )
            for file, path in paths.items()
        }
        told: dict[str, str] = await app_state.transactions.ask(seal)
        return told

    runs = app_state.runs

    # --- Runs ---------------------------------------------------------------------------------------

    @app.get("/api/arena")
    async def about() -> Response:
        """Return whether visitors may look (`open`), and the limits of tournaments."""
        bounds = {"agents": MOST_AGENTS, "deals": MOST_DEALS, "games": MOST_GAMES, "processes": MOST_PROCESSES}
        return answer({"open": app_state.settings.show_runs, "limits": bounds})

    @app.get("/api/arena/options", response_model=models.OptionsResponse)
    async def options(game: Annotated[GameName, Query()] = "truco", authorization: Bearer = None) -> Response:
        """Return the options of agents: `default`, and `values` or `least`, `most`, `whole`."""
        who = await looking(authorization)
        if game not in app_state.agent_pool.games:
            raise Refusal(404, Message("server.no-game", game=game))
        bases = [] if who is None else await asyncio.to_thread(app_state.trainings.bases, game)
        return answer({"game": game, "agents": game_list.options(app_state.agent_pool, game, bases)})

    @app.get("/api/arena/runs", response_model=models.RunsResponse)
    async def list_runs(authorization: Bearer = None) -> Response:
        """Return all runs, newest first, with state, games played, and what may be done (`may`) or why not (`told`)."""
        who = await looking(authorization)
        return answer({"runs": await asyncio.to_thread(runs.all, who is None)})

    @app.post("/api/arena/runs", status_code=201)
    async def start(asked: TournamentRequest, authorization: Bearer = None) -> Response:
        """Start a tournament; return its name."""
        await researcher(authorization)
        experiment = await asyncio.to_thread(_experiment, app_state, asked)
        return answer({"run": await asyncio.to_thread(runs.start, experiment, asked.name, asked.processes)}, 201)

    @app.get("/api/arena/runs/{name}", response_model=models.RunResponse)
    async def look(name: RunName, authorization: Bearer = None) -> Response:
        """Return a run with its `table` (the result, or the part that is known) and `files`."""
        who = await looking(authorization)
        facts = await asyncio.to_thread(runs.look, name, who is None)
        has = await asyncio.to_thread(files.files_of_run, runs.folder(name))
        return answer({**facts, "files": await links(who, "run", name, has)})

    @app.post("/api/arena/runs/{name}/stop")
    async def stop(name: RunName, authorization: Bearer = None) -> Response:
        """Stop a run; finished parts are kept."""
        await researcher(authorization)
        await asyncio.to_thread(runs.jobs.stop, name)
        return answer({"run": name})

    @app.post("/api/arena/runs/{name}/go")
    async def go_on(name: RunName, asked: ContinueRunRequest, authorization: Bearer = None) -> Response:
        """Continue a stopped run."""
        await researcher(authorization)
        await asyncio.to_thread(runs.go_on, name, asked.processes)
        return answer({"run": name})

    # --- Trainings ------------------------------------------------------------------------------------

    trainings = app_state.trainings

    @app.get("/api/arena/trainings")
    async def list_trainings(authorization: Bearer = None) -> Response:
        """Return all trainings, newest first, and what is `offered`: game and options by training."""
        await researcher(authorization)
        offered = await asyncio.to_thread(trainings.offered)
        return answer({"trainings": await asyncio.to_thread(trainings.all), "offered": offered})

    @app.post("/api/arena/trainings", status_code=201)
    async def start_training(asked: TrainingRequest, authorization: Bearer = None) -> Response:
        """Start a training of a case base; return its name."""
        await researcher(authorization)
        begin = partial(trainings.start, asked.training, asked.options, asked.seed, asked.name)
        return answer({"name": await asyncio.to_thread(begin)}, 201)

    @app.get("/api/arena/trainings/{name}")
    async def look_at_training(name: RunName, authorization: Bearer = None) -> Response:
        """Return a training."""
        await researcher(authorization)
        return answer(await asyncio.to_thread(trainings.look, name))

    @app.post("/api/arena/trainings/{name}/stop")
    async def stop_training(name: RunName, authorization: Bearer = None) -> Response:
        """Stop a training; its state is kept."""
        await researcher(authorization)
        await asyncio.to_thread(trainings.jobs.stop, name)
        return answer({"name": name})

    @app.post("/api/arena/trainings/{name}/go")
    async def go_on_training(name: RunName, authorization: Bearer = None) -> Response:
        """Continue a stopped training."""
        await researcher(authorization)
        await asyncio.to_thread(trainings.go_on, name)
        return answer({"name": name})

    # --- Games of a run: the same replies as for matches ----------------------------------------------

    @app.get("/api/arena/runs/{name}/games", response_model=models.RunRowsResponse)
    async def games(
        name: RunName,
        authorization: Bearer = None,
        agent: Annotated[list[Spec], Query(max_length=7)] = [],  # noqa: B006 (FastAPI copies it)
        start: Annotated[int, Query(ge=0, le=2**53)] = 0,
    ) -> Response:
        """Return 50 games of a run from row `start` on, with these agents, and the `next` row."""
        who = await looking(authorization)
        found = await asyncio.to_thread(runs.games, name, agent, start, LISTED + 1, who is None)
        more = found[LISTED]["row"] if len(found) > LISTED else None
        return answer({"games": found[:LISTED], "next": more})

    async def opened(who: tokens.Holder | None, name: str, row: int) -> tuple[RunGame, Match]:
        return await asyncio.to_thread(_opened, app_state, name, row, who is None)

    @app.get("/api/arena/runs/{name}/games/{row}", response_model=models.RunGameResponse)
    async def game(name: RunName, row: RowNumber, authorization: Bearer = None) -> Response:
        """Return a game of a run, in the form of a match."""
        found, match = await opened(await looking(authorization), name, row)
        return answer({**match.about(), "row": found.row, **match.facts(0.0)})

    @app.get("/api/arena/runs/{name}/games/{row}/view", response_model=models.MatchResponse)
    async def view(
        name: RunName,
        row: RowNumber,
        authorization: Bearer = None,
        ply: Ply | None = None,
        log: Ply = 0,
        seat: Annotated[int | None, Query(ge=0, le=6)] = None,
    ) -> Response:
        """Return the view of a seat of a game at a ply."""
        _, match = await opened(await looking(authorization), name, row)
        if seat is not None and seat >= match.game.seats:
            raise Refusal(404, Message("server.no-seat", seat=seat + 1, seats=match.game.seats))
        return answer_text(await asyncio.to_thread(match.message, seat, 0.0, log, ply))

    @app.get("/api/arena/runs/{name}/games/{row}/record")
    async def record(name: RunName, row: RowNumber, authorization: Bearer = None) -> Response:
        """Return the record of a game."""
        found, _ = await opened(await looking(authorization), name, row)
        file = f"{name}-{row}.json".encode("ascii", "replace").decode().replace('"', "")
        return answer(found.record, headers={"content-disposition": f'attachment; filename="{file}"'})

    @app.get("/api/arena/runs/{name}/games/{row}/why", response_model=models.AdviceResponse)
    async def why(name: RunName, row: RowNumber, ply: Ply, authorization: Bearer = None) -> Response:
        """Return the reason of an agent's action, by asking it again with the same view and luck."""
        who = await researcher(authorization)  # costs computing time, so not open to visitors
        app_state.questions.take(who.name)
        found, match = await opened(who, name, row)
        facts, thought = _thought(found, match, ply)
        told = await app_state.connections.ask_agent(thought, explain=True)
        if told["action"] != found.record["actions"][ply]:
            raise Refusal(409, Message("server.arena.why-other"))
        return answer({**facts, **told})

    # --- Reports and files ----------------------------------------------------------------------------

    reports = Path(app_state.settings.reports)

    @app.get("/api/arena/reports")
    async def list_reports(authorization: Bearer = None) -> Response:
        """Return the reports of the lab, and their files."""
        who = await looking(authorization)
        found = await asyncio.to_thread(files.reports, reports)
        for row in found:
            has = files.files_of_report(reports.joinpath(*row["report"].split("~")))
            row["files"] = await links(who, "report", row["report"], has)
        return answer({"reports": found})

    @app.get("/arena/files/{kind}/{name}/{file}", include_in_schema=False)
    async def send(
        request: Request,
        kind: Literal["run", "report"],
        name: RunName,
        file: str,
        who: Annotated[str, Query(max_length=40)] = "",
        until: Annotated[int, Query(ge=0, le=2**40)] = 0,
        seal: Annotated[str, Query(max_length=64)] = "",
    ) -> Response:
        if not app_state.settings.show_runs:
            text = f"{files.address(kind, name, file)} {until}"
            right = await app_state.transactions.ask(
                lambda transaction: tokens.seal(transaction.connection, who, SCOPE, text)
            )
            if right is None or until < app_state.clock.now() or not compare_digest(right, seal):
                raise Refusal(403, Message("server.arena.link"))
        app_state.looks.take(who or "arena")
        root = runs.root if kind == "run" else reports
        return await asyncio.to_thread(partial(files.send, root, kind, name, file))


def _experiment(app_state: AppState, asked: TournamentRequest) -> Experiment:
    """Return the experiment of a request: built-in agents, with the options that they declare and numbers."""
    if asked.game not in app_state.agent_pool.games:
        raise Refusal(404, Message("server.no-game", game=asked.game))
    try:
        experiment = Experiment(asked.game, asked.agents, asked.rules, asked.duplicates, asked.seed)
        game = experiment.make_game()
        bases = app_state.trainings.bases(game.name)
        for spec in experiment.agents:
            app_state.agent_pool.check(game, spec, numbers=True, bases=bases)
            if not is_built_in(spec):  # allowed at tables by the operator, but not built in
                raise Refusal(422, Message("server.arena.external", agent=spec[:80]))
        games = experiment.num_games
    except BadInput as problem:
        raise Refusal(422, Message("server.bad", problem=str(problem))) from None
    if games > MOST_GAMES:
        raise Refusal(422, Message("server.arena.many", games=games, most=MOST_GAMES))
    return experiment


def _opened(app_state: AppState, name: str, row: int, public: bool) -> tuple[RunGame, Match]:
    """Return a game of a run, as a finished match."""
    game = app_state.runs.game(name, row, public)
    try:
        return game, Match.played(f"{name}:{row}", game.record, game.row["payoffs"])
    except BadInput as problem:
        raise Refusal(422, Message("server.bad", problem=str(problem))) from None


def _thought(found: RunGame, match: Match, ply: int) -> tuple[dict[str, Any], DecisionRequest]:
    """Return the call that explains an agent's decision at a ply, with the random numbers it had in the run."""
    if not 0 <= ply < match.ply:
        raise Refusal(404, Message("server.no-ply", ply=ply, last=match.ply))
    before = match.table.back(ply)
    assert before.turn is not None and found.experiment.seed is not None
    spec = found.record["players"][before.turn]
    if not is_built_in(spec):
        raise Refusal(403, Message("server.arena.why-external"))
    chance = str(luck(found.experiment.seed, found.row["deal"]))
    actions = tuple(map(int, before.actions))
    seed = int(found.record["seed"])
    thought = DecisionRequest(match.row.game, dict(match.game.options), seed, actions, spec, chance)
    return {"ply": ply, "seat": before.turn, "agent": spec}, thought
