// Live connection to a match: a WebSocket with a heartbeat, long polls if sockets are blocked, reconnection after losses.
// No state depends on it: after a reconnection the next view shows the current position.

import {ask} from "/a/api.js";

const PING = 15_000; // ms between heartbeats
const PATIENCE = 8_000; // ms without a reply to one, after which the connection counts as lost
const GREETING = 4_000; // ms without a reply to the first message
const LOOK = 1_200; // ms until a page without a view requests one over HTTP
const WAITS = [400, 1000, 2000, 4000, 8000, 15_000];
const POLL = 25; // most seconds of a long poll
const TRIES = 2; // sockets without any message before long polls take over
const RETRY = 30_000; // ms of polling before a socket is tried again

export class Live {
  // hear(message) receives messages, state("open" | "polling" | "lost") the state of the connection;
  // seen() -> {ply, log} returns the state of the page.
  constructor(match, token, {hear, state, seen}) {
    this.token = token;
    this.hear = hear;
    this.state = state;
    this.seen = seen;
    this.path = `/api/matches/${match}`;
    this.mute = 0; // consecutive sockets without any message
    this.losses = 0;
    this.closed = false;
    addEventListener("online", () => this.again(0));
    addEventListener("offline", () => this.lose());
    addEventListener("pageshow", (event) => event.persisted && this.again(0));
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.beat());
    this.open();
  }

  open() {
    clearTimeout(this.retry);
    if (this.closed) return;
    if (this.mute >= TRIES) this.poll();
    else this.connect();
  }

  connect() {
    this.drop();
    let socket;
    try {
      socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${this.path}/live`);
    } catch {
      this.mute = TRIES;
      this.open();
      return;
    }
    this.socket = socket;
    let spoke = false;
    this.expect(GREETING);
    setTimeout(() => spoke || socket !== this.socket || this.look(), LOOK);
    socket.onopen = () => socket.send(
      JSON.stringify({do: "hello", token: this.token, log: this.seen().log, frames: true}),
    );
    socket.onmessage = ({data}) => {
      if (socket !== this.socket) return;
      clearTimeout(this.patience);
      if (!spoke) {
        spoke = true;
        this.mute = this.losses = 0;
        this.beating = setInterval(() => this.beat(), PING);
        this.state("open");
      }
      const message = JSON.parse(data);
      if (message.is === "bye") this.closed = true;
      if (message.is === "ping") socket.send('{"do":"ping"}');
      else if (message.is !== "pong") this.hear(message);
    };
    socket.onclose = () => {
      if (socket !== this.socket) return;
      if (!spoke && navigator.onLine) this.mute++;
      this.lose();
    };
  }

  beat() {
    if (this.socket?.readyState === WebSocket.OPEN) {
      this.socket.send('{"do":"ping"}');
      this.expect();
    } else if (!this.polling) this.again(0);
  }

  // A half-open connection reports no error, so missing replies must be detected.
  expect(patience = PATIENCE) {
    clearTimeout(this.patience);
    const socket = this.socket;
    this.patience = setTimeout(() => {
      if (socket !== this.socket) return;
      if (!this.beating && navigator.onLine) this.mute++;
      this.lose();
    }, patience);
  }

  drop() {
    clearInterval(this.beating);
    clearTimeout(this.patience);
    this.beating = null;
    this.polling?.abort();
    this.polling = null;
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }

  lose() {
    this.drop();
    if (this.closed) return;
    this.state("lost");
    const wait = WAITS[Math.min(this.losses++, WAITS.length - 1)];
    this.again(this.mute >= TRIES ? 0 : wait * (0.75 + Math.random() / 2));
  }

  again(wait) {
    clearTimeout(this.retry);
    if (this.closed || this.socket?.readyState === WebSocket.OPEN || this.polling) return;
    this.retry = setTimeout(() => this.open(), wait);
  }

  async look() {
    try {
      this.hear(await ask(`${this.path}/view?log=${this.seen().log}`, {token: this.token}));
    } catch {
      // the connection is retried anyway
    }
  }

  async poll() {
    this.drop();
    const polling = (this.polling = new AbortController());
    const until = Date.now() + RETRY;
    let isFirst = true;
    while (polling === this.polling && !this.closed) {
      const {ply, log} = this.seen();
      const wait = isFirst ? "" : `&ply=${ply}&wait=${POLL}`;
      try {
        const message = await ask(`${this.path}/view?log=${log}${wait}`, {token: this.token, signal: polling.signal});
        if (polling !== this.polling) return;
        if (isFirst) this.state("polling");
        isFirst = false;
        this.losses = 0;
        if (message) this.hear(message);
      } catch (problem) {
        if (problem.name === "AbortError" || polling !== this.polling) return;
        if ([401, 403, 404].includes(problem.status)) {
          this.closed = true;
          this.hear({is: "bye", text: problem.message});
          return;
        }
        this.state("lost");
        isFirst = true;
        const rest = (problem.after ?? 0) * 1000 || WAITS[Math.min(this.losses++, WAITS.length - 1)];
        await new Promise((done) => setTimeout(done, rest));
      }
      if (Date.now() > until && polling === this.polling) {
        this.polling = null;
        this.mute = TRIES - 1; // one more socket, then polls again
        this.connect();
        return;
      }
    }
  }

  // Resolves when the server accepts or refuses the move; over the socket the result comes as a message.
  // `took` is the measured time of the decision in seconds; undefined if not known.
  async move(ply, action, took) {
    if (this.socket?.readyState === WebSocket.OPEN && this.beating) {
      this.socket.send(JSON.stringify({do: "move", ply, action, took}));
      this.expect();
      return;
    }
    this.hear(await ask(`${this.path}/moves?log=${this.seen().log}`, {token: this.token, body: {ply, action, took}}));
  }

  close() {
    this.closed = true;
    clearTimeout(this.retry);
    this.drop();
  }
}
