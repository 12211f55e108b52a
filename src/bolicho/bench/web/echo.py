"""Echo server, a baseline for the cost of connections: `python -m bolicho.bench.web.echo PROCESSES`.

It has the HTTP server, the settings and the middleware of `bolicho serve`.
"""

import multiprocessing
import os
import signal
import sys
from typing import Any

PATH = "/echo"


def echo_app() -> Any:
    """Return the app: one WebSocket, with the request limits of the web server."""
    from fastapi import FastAPI, WebSocket, WebSocketDisconnect

    from bolicho.web.limits import RequestLimits

    app = FastAPI(openapi_url=None)
    app.add_middleware(RequestLimits)

    async def echo(wire: WebSocket) -> None:
        await wire.accept()
        try:
            while True:
                await wire.send_text(await wire.receive_text())
        except (WebSocketDisconnect, RuntimeError, KeyError):
            pass

    app.add_api_websocket_route(PATH, echo)
    return app


def _answer(sock: Any, is_started: Any) -> None:
    """Serve on a socket until a signal ends the process."""
    import uvicorn

    from bolicho.web.serve import configure

    class Server(uvicorn.Server):  # type: ignore[misc]
        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets)
            is_started.release()

    Server(configure(echo_app())).run(sockets=[sock])


def main(processes: int) -> None:
    """Print the address once all processes answer, and serve until SIGTERM."""
    from bolicho.web.serve import listen

    sock, address = listen("127.0.0.1", 0)
    context = multiprocessing.get_context("spawn")
    started = context.Semaphore(0)
    children = [context.Process(target=_answer, args=(sock, started), daemon=True) for _ in range(processes)]
    for child in children:
        child.start()
    for _ in children:
        started.acquire()
    print(f"echo is open at {address}", flush=True)
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    for child in children:
        child.join()


if __name__ == "__main__":
    main(int(sys.argv[1]))
