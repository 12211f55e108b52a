"""Bot for Bolicho in one file, with Python's standard library alone.

    BOLICHO_TOKEN=... python bot.py http://127.0.0.1:8000    accepts challenges and plays, until it is stopped
    python bot.py --listen 8080                              plays as the agent remote(url=http://127.0.0.1:8080/)

The operator of the server makes the token: `bolicho token new NAME --scope bot`.
"""

import hashlib
import json
import os
import random
import sys
import threading
import time
import urllib.error
import urllib.request
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

GAMES = {"truco", "dominoes", "fives", "wonders"}
AT_ONCE = 8  # matches
SILENCE = 20.0  # seconds; the server sends something every five
LOCAL = os.urandom(32)  # all nonces are derived from it, so none is stored; it is never sent
TROUBLE = (OSError, ValueError, EOFError)  # a lost connection, or an incomplete message


# --- Decisions ------------------------------------------------------------------------------------


def decide(view, luck):
    """Return a legal action: anything but giving up, if there is anything else.

    The same view and luck give the same action, so requests may be repeated, and for many tables at once.
    """
    legal = [option["action"] for option in view["legal"]]
    bold = [action for action in legal if action.split()[0] not in ("baralho", "virada", "sell")]
    return random.Random(luck).choice(bold or legal)


# --- Matches at a server --------------------------------------------------------------------------


class Server:
    """Requests to a server, with the bot's token."""

    def __init__(self, base, token):
        self.base = base.rstrip("/")
        self.headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}

    def ask(self, path, body=None):
        """Send a request; return the answer, or None for a refusal: another bot was faster, or the match is over."""
        data = json.dumps(body or {}).encode()
        try:
            with urllib.request.urlopen(self._request(path, data), timeout=SILENCE) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refusal:
            with refusal:
                if refusal.code in (429, 503):
                    raise
                return None

    def stream(self, path):
        """Yield the messages of a stream."""
        with urllib.request.urlopen(self._request(path), timeout=SILENCE) as lines:
            for line in lines:
                if line.strip():  # an empty line keeps the connection open
                    yield json.loads(line)

    def _request(self, path, data=None):
        return urllib.request.Request(self.base + path, data, self.headers)


def patiently(work):
    """Repeat some work until it is done, with growing pauses after lost connections."""
    pause = 0.2
    while True:
        start = time.monotonic()
        try:
            if work():
                return
        except urllib.error.HTTPError as refusal:
            with refusal:
                if refusal.code in (401, 403):
                    sys.exit(f"refused: {refusal.read().decode()}")
                pause = max(pause, float(refusal.headers.get("retry-after") or 0))
        except TROUBLE as problem:
            print(f"connection lost: {problem}; retry in {pause:.1f} s", file=sys.stderr)
        if time.monotonic() - start > SILENCE:
            pause = 0.2
        time.sleep(pause * random.uniform(0.5, 1.0))
        pause = min(10.0, 2 * pause)


def nonce_of(match):
    """Return this bot's nonce for the deal of a match, which nobody can guess before it is revealed."""
    return hashlib.sha256(LOCAL + match.encode()).digest()[:16]


def commitment_to(nonce):
    """Return the commitment to a nonce, its SHA-256, which is sent first."""
    return hashlib.sha256(nonce).hexdigest()


def play(server, match):
    """Play a match; return whether its end is reached."""
    for message in server.stream(f"/api/stream/matches/{match}"):
        view = message.get("view")
        if message["state"] == "over":
            return True
        if view and view["legal"]:
            move = {"ply": view["ply"], "action": decide(view, f"{match} {view['ply']}")}
            server.ask(f"/api/matches/{match}/moves", move)
    return False


class Listener:
    """Client that accepts challenges, a few at a time, and plays the matches."""

    def __init__(self, server):
        self.server = server
        self.playing = {}  # threads, by match

    def listen(self):
        """Follow the events; the first ones describe the current state, so nothing is kept from before."""
        self.waiting, self.busy = {}, set()
        for event in self.server.stream("/api/stream/events"):
            getattr(self, f"on_{event['is']}", lambda event: None)(event)
            while self.waiting and len(self.busy) < AT_ONCE:
                match = next(iter(self.waiting))
                del self.waiting[match]
                committed = {"nonce_commit": commitment_to(nonce_of(match))}
                if self.server.ask(f"/api/challenges/{match}/accept", committed):
                    self.busy.add(match)
        return False

    def on_challenge(self, event):
        match, state = event["match"], event["state"]
        self.waiting.pop(match, None)
        if state == "open" and match not in self.busy:
            if event["game"] in GAMES:
                self.waiting[match] = event
            else:
                self.server.ask(f"/api/challenges/{match}/decline")
        if state in ("cancelled", "declined", "expired"):
            self.busy.discard(match)

    def on_reveal(self, event):
        """Reveal the nonce once all commitments are shown, if it is the one committed to."""
        match, nonce = event["match"], nonce_of(event["match"])
        self.busy.add(match)
        if event["nonce_commits"][event["seat"]] == commitment_to(nonce):
            self.server.ask(f"/api/matches/{match}/reveal", {"nonce": nonce.hex()})

    def on_void(self, event):
        self.busy.discard(event["match"])

    def on_start(self, event):
        match = event["match"]
        self.busy.add(match)
        if match not in self.playing or not self.playing[match].is_alive():
            work = threading.Thread(target=patiently, args=[lambda: play(self.server, match)], daemon=True)
            self.playing[match] = work
            work.start()

    def on_finish(self, event):
        self.busy.discard(event["match"])
        self.playing.pop(event["match"], None)
        print(f"{event['match']}: seat {event['seat']}, {event['result']}", flush=True)


# --- Answers to requests --------------------------------------------------------------------------


class Answering(BaseHTTPRequestHandler):
    """Handler of requests for decisions; it keeps no state."""

    protocol_version = "HTTP/1.1"  # connections stay open
    wbufsize = -1  # an answer is one packet

    def do_POST(self):
        question = json.loads(self.rfile.read(int(self.headers["content-length"])))
        answer = json.dumps({"action": decide(question["view"], question["luck"])}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


def main(arguments):
    """Listen for requests, or connect to a server."""
    if len(arguments) == 2 and arguments[0] == "--listen":
        with ThreadingHTTPServer(("127.0.0.1", int(arguments[1])), Answering) as listening:
            print(f"listening at http://127.0.0.1:{listening.server_port}/", flush=True)
            listening.serve_forever()
    elif len(arguments) == 1 and (token := os.environ.get("BOLICHO_TOKEN")):
        patiently(Listener(Server(arguments[0], token)).listen)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main(sys.argv[1:])
