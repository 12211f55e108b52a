"""Proxy between browser and server that can freeze connections or refuse WebSockets."""

import contextlib
import socket
import threading
from urllib.parse import urlsplit

FORBIDDEN = b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class Proxy:
    """A proxy that forwards all bytes to a server.

    `freeze()` makes the open connections half open: they stay open without traffic; new ones work.
    """

    def __init__(self, base, lets_sockets=True):
        self._to = urlsplit(base).hostname, urlsplit(base).port
        self._lets_sockets = lets_sockets
        self._frozen = set()
        self._lines = set()
        self._door = socket.create_server(("127.0.0.1", 0))
        self.base = f"http://127.0.0.1:{self._door.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def freeze(self):
        self._frozen |= self._lines

    def close(self):
        self._door.close()
        for line in list(self._lines):
            line.close()

    def _accept(self):
        while True:
            try:
                near, _ = self._door.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(near,), daemon=True).start()

    def _serve(self, near):
        with contextlib.suppress(OSError):
            first = near.recv(65536)
            if b"upgrade: websocket" in first.lower() and not self._lets_sockets:
                near.sendall(FORBIDDEN)
                near.close()
                return
            far = socket.create_connection(self._to)
            far.sendall(first)
            self._lines |= {near, far}
            threading.Thread(target=self._pipe, args=(far, near), daemon=True).start()
            self._pipe(near, far)

    def _pipe(self, source, sink):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if source not in self._frozen:
                    sink.sendall(data)
        if source in self._frozen:
            return
        for one in (source, sink):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
