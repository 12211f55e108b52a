"""A bot for Bolicho in one file: Python's standard library and nothing else.

    BOLICHO_TOKEN=... python bot.py http://127.0.0.1:8000    accepts challenges, and plays until it is stopped
    python bot.py --listen 8080                              answers whoever plays remote(url=http://127.0.0.1:8080/)

The token is made by whoever runs the server: `bolicho token new NAME --scope bot`.
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
SILENCE = 20.0  # seconds; the server says something every five
LOCAL = os.urandom(32)  # nonces are made of it, so none has to be stored; the server never sees it
TROUBLE = (OSError, ValueError, EOFError)  # the line was lost, or what came over it is half of something


# --- What it does ---------------------------------------------------------------------------------


def decide(view, luck):
    """One of the legal actions: anything but giving up, as long as there is something else.

    The same view and luck give the same action, so it may be asked twice, and at many tables at once.
    """
    legal = [option["action"] for option in view["legal"]]
    bold = [action for action in legal if action.split()[0] not in ("baralho", "virada", "sell")]
    return random.Random(luck).choice(bold or legal)


# --- Coming to a server ---------------------------------------------------------------------------


class Server:
    """What a server is asked, with the bot's token."""

    def __init__(self, base, token):
        self.base = base.rstrip("/")
        self.headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}

    def ask(self, path, body=None):
        """Send something; what comes back, or None where it is refused: somebody was faster, or it is over."""
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
        """The messages of a stream, as they come."""
        with urllib.request.urlopen(self._request(path), timeout=SILENCE) as lines:
            for line in lines:
                if line.strip():  # an empty one says that the line is alive
                    yield json.loads(line)

    def _request(self, path, data=None):
        return urllib.request.Request(self.base + path, data, self.headers)


def patiently(work):
    """Do some work until it is done; when the line is lost, come back, later and later."""
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
            print(f"lost: {problem}; again in {pause:.1f} s", file=sys.stderr)
        if time.monotonic() - start > SILENCE:
            pause = 0.2
        time.sleep(pause * random.uniform(0.5, 1.0))
        pause = min(10.0, 2 * pause)


def nonce_of(match):
    """Nonce of this bot for the deal of a match: nobody else can guess it before it is revealed."""
    return hashlib.sha256(LOCAL + match.encode()).digest()[:16]


def commitment_to(nonce):
    """Commitment to the nonce, which is sent before it: its SHA-256."""
    return hashlib.sha256(nonce).hexdigest()


def play(server, match):
    """Play a match to its end; whether that is reached."""
    for message in server.stream(f"/api/stream/matches/{match}"):
        view = message.get("view")
        if message["state"] == "over":
            return True
        if view and view["legal"]:
            move = {"ply": view["ply"], "action": decide(view, f"{match} {view['ply']}")}
            server.ask(f"/api/matches/{match}/moves", move)
    return False


class Listener:
    """Accepts challenges, a few at a time, and plays what begins."""

    def __init__(self, server):
        self.server = server
        self.playing = {}  # threads, by match

    def listen(self):
        """Follow the events; the first ones say what is current, so nothing is remembered from before."""
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
        """All seats are taken and all commitments are shown: reveal the nonce, if it is the one committed to."""
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


# --- Being asked ----------------------------------------------------------------------------------


class Answering(BaseHTTPRequestHandler):
    """One question, one answer; nothing is kept in between."""

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
    """Listen, or come to a server."""
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
