"""Start of the tool server over stdio or streamable HTTP."""

from collections.abc import Callable
from pathlib import Path

import uvicorn

from bolicho.store.database import open_database
from bolicho.web.limits import BODY, RequestLimits
from bolicho.web.serve import configure, listen
from bolicho.web.tools.server import make_server
from bolicho.web.workers import AgentPool

PATH = "/mcp"


def over_stdio(runs: Path, thinkers: int) -> None:
    """Serve the process that started this one, until it closes stdin."""
    agent_pool = AgentPool(processes=thinkers)
    try:
        make_server(agent_pool, runs).run()
    finally:
        agent_pool.close()


def over_http(host: str, port: int, database: str, runs: Path, thinkers: int, ready: Callable[[str], None]) -> None:
    """Serve holders of tokens until stopped; `ready` gets the address."""
    sock, address = listen(host, port)
    url = f"{address}{PATH.removeprefix('/')}"
    agent_pool = AgentPool(processes=thinkers)
    try:
        server = make_server(agent_pool, runs, open_database(database), url)
        app = server.streamable_http_app(streamable_http_path=PATH, host=host, max_request_body_size=BODY)
        ready(url)
        uvicorn.Server(configure(RequestLimits(app))).run(sockets=[sock])
    finally:
        agent_pool.close()
