"""The tool server (`bolicho mcp`): a thin layer of named tools over tables, agents and runs.

Over stdio the client is whoever started the process. Over streamable HTTP every request carries a personal token of
the HTTP interface, with its scopes: `bot` to play, `research` for tournaments and their results.
"""

import asyncio
import hashlib
from collections.abc import Mapping
from functools import wraps
from pathlib import Path
from typing import Any

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import AnyHttpUrl
from sqlalchemy.engine import Engine

from bolicho import __version__
from bolicho.arena.experiment import Experiment
from bolicho.arena.run import run
from bolicho.errors import BadInput
from bolicho.games import game as make_game
from bolicho.games import kind
from bolicho.games.rulebook import rules_text
from bolicho.store.challenges import SCOPE as BOT
from bolicho.store.tokens import holder
from bolicho.web.arena.runs import Runs
from bolicho.web.limits import LOOKS, Rate
from bolicho.web.refusal import Refusal
from bolicho.web.tools.tables import SeatedClients
from bolicho.web.workers import AgentPool

RESEARCH = "research"
LOCAL = "local"  # the client over stdio
MOST_GAMES = 2000  # of a tournament
MOST_TOURNAMENTS = 2  # at once

INSTRUCTIONS = (
    "Table games with hidden information. `list_games` and `rules` tell what is played; `sit_down` takes a seat "
    "against agents of `list_agents`; `play` takes one of the legal actions of the view, until the game is over. You "
    "see what your seat may see."
)


class Tools:
    """The tools of a server; each method is one, and its docstring is what a model reads."""

    def __init__(self, agent_pool: AgentPool, runs: Path) -> None:
        self._agent_pool = agent_pool
        self._clients = SeatedClients(agent_pool)
        self._runs = Runs(runs)
        self._looks = Rate(*LOOKS)
        self._playing = 0

    def list_games(self) -> dict[str, Any]:
        """List the games: name, title, seats, and the options of their rules with the defaults."""
        client_with(BOT)
        kinds = [kind(name) for name in self._agent_pool.games]
        return {
            "games": [
                {"name": k.name, "title": k.title, "seats": k.seats(k.rules()), "rules": vars(k.rules())} for k in kinds
            ]
        }

    def rules(self, game: str, options: dict[str, bool | int | str] | None = None) -> str:
        """Return the rules of a game, its notation, and the options of its rules."""
        client_with(BOT)
        return rules_text(self._game(game, options))

    def list_agents(self, game: str) -> dict[str, Any]:
        """List the agents that play a game, with a description of each."""
        client_with(BOT)
        self._game(game, None)
        return {"agents": [{"name": entry.name, "about": entry.about} for entry in self._agent_pool.entries(game)]}

    async def sit_down(
        self, game: str, agents: list[str], seat: int = 0, options: dict[str, bool | int | str] | None = None
    ) -> dict[str, Any]:
        """Sit down at a new table against agents, one for each other seat in order, and return the first view."""
        return await self._clients.sit(client_with(BOT), game, options or {}, agents, seat)

    async def view(self, table: str) -> dict[str, Any]:
        """Return what your seat sees at a table: history, view, legal actions and their effects."""
        client = client_with(BOT)
        self._looks.take(client)
        return self._clients.view(client, table)

    async def play(self, table: str, action: str) -> dict[str, Any]:
        """Play one of the legal actions; the agents answer until it is your turn again or the game is over."""
        return await self._clients.play(client_with(BOT), table, action)

    async def hint(self, table: str, adviser: str) -> dict[str, Any]:
        """Ask an agent what it would play in your place, and why."""
        return await self._clients.hint(client_with(BOT), table, adviser)

    async def explain(self, table: str, ply: int) -> dict[str, Any]:
        """Ask an agent of a finished game why it played its action of that ply, from 0."""
        return await self._clients.explain(client_with(BOT), table, ply)

    async def analyse(self, table: str) -> dict[str, Any]:
        """Return what each of your decisions cost in a finished match of truco, by a strategy near equilibrium."""
        return await self._clients.analyse(client_with(BOT), table)

    async def tournament(
        self, game: str, agents: list[str], duplicates: int = 20, options: dict[str, bool | int | str] | None = None
    ) -> dict[str, Any]:
        """Play a small tournament of agents, every deal from every seat, and return the standings with intervals."""
        client_with(RESEARCH)
        chosen = self._game(game, options)
        experiment = Experiment(game, agents, options or {}, duplicates)
        for spec in experiment.agents:
            self._agent_pool.check(chosen, spec)
        if len(experiment.agents) < 2 or experiment.num_games > MOST_GAMES:
            games = f"{len(experiment.agents)} agents and {experiment.num_games} games"
            raise BadInput(f"a tournament of tools has 2 agents or more and at most {MOST_GAMES} games, not {games}")
        if self._playing >= MOST_TOURNAMENTS:
            raise BadInput(f"{MOST_TOURNAMENTS} tournaments are being played; ask again later")
        name = f"tools-{hashlib.sha256(experiment.to_toml().encode()).hexdigest()[:12]}"
        self._playing += 1
        try:
            work = self._agent_pool.do("tournament", play_tournament, experiment, self._runs.root / name)
            result = await asyncio.wrap_future(work)
        finally:
            self._playing -= 1
        return {"run": name, "result": result}

    async def results(self, run: str = "") -> dict[str, Any]:
        """List the tournaments of this server, or return the result of one of them."""
        client = client_with(RESEARCH)
        self._looks.take(client)
        if run:
            return await asyncio.to_thread(self._runs.look, run)
        return {"runs": await asyncio.to_thread(self._runs.all)}

    def _game(self, game: str, options: Mapping[str, Any] | None) -> Any:
        if not self._agent_pool.knows(game):
            raise BadInput(f"there is no game {game[:40]!r}; list_games lists them")
        return make_game(game, **(options or {}))


def play_tournament(experiment: Experiment, folder: Path) -> dict[str, Any]:
    """Play a tournament in a worker process, or read it if it was played before; return its result."""
    return run(experiment, folder, jobs=1).result


def client_with(scope: str) -> str:
    """Return the client of the present request; raise `BadInput` where its token lacks a scope."""
    token = get_access_token()
    if token is None:
        return LOCAL
    if scope not in token.scopes:
        raise BadInput(f"the token of {token.client_id} lacks the scope {scope}")
    return token.client_id


class Tokens:
    """Verifier of personal tokens in the database of a server."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return the holder of a token with its scopes, or None."""
        found = await asyncio.to_thread(self._find, token)
        return None if found is None else AccessToken(token=token, client_id=found.name, scopes=sorted(found.scopes))

    def _find(self, token: str) -> Any:
        if len(token) > LONGEST_TOKEN or not token.isascii():
            return None
        with self._engine.connect() as connection:
            return holder(connection, token)


LONGEST_TOKEN = 100  # characters


def make_server(agent_pool: AgentPool, runs: Path, engine: Engine | None = None, address: str = "") -> MCPServer:
    """Return the tool server: for a local client, or with an engine for holders of its tokens at an address."""
    tools = Tools(agent_pool, runs)
    more: dict[str, Any] = {}
    if engine is not None:
        url = AnyHttpUrl(address)
        more = {"auth": AuthSettings(issuer_url=url, resource_server_url=url), "token_verifier": Tokens(engine)}
    server: MCPServer = MCPServer(
        "bolicho", title="Bolicho", instructions=INSTRUCTIONS, version=__version__, log_level="WARNING", **more
    )
    for name in NAMES:
        server.add_tool(_answering(getattr(tools, name)), name=name)
    return server


NAMES = (
    "list_games", "rules", "list_agents", "sit_down", "view", "play", "hint", "explain", "analyse", "tournament",
    "results",
)  # fmt: skip


def _answering(tool: Any) -> Any:
    """Return a tool whose refusals are answers that the model reads."""

    @wraps(tool)
    async def answer(*arguments: Any, **named: Any) -> Any:
        try:
            made = tool(*arguments, **named)
            return await made if asyncio.iscoroutine(made) else made
        except Refusal as problem:
            raise ToolError(problem.as_json()["message"]) from None
        except BadInput as problem:
            raise ToolError(str(problem)) from None

    return answer
