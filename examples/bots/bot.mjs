// A bot for Bolicho in one file: Node 20 and no packages.
//
//     BOLICHO_TOKEN=... node bot.mjs http://127.0.0.1:8000    accepts challenges, and plays until it is stopped
//     node bot.mjs --listen 8080                              answers whoever plays remote(url=http://127.0.0.1:8080/)
//
// The token is made by whoever runs the server: bolicho token new NAME --scope bot

import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";

const GAMES = new Set(["truco", "dominoes", "fives", "wonders"]);
const AT_ONCE = 8; // matches
const SILENCE = 20_000; // milliseconds; the server says something every five seconds
const LOCAL = randomBytes(32); // nonces are made of it, so none has to be stored; the server never sees it

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// --- What it does --------------------------------------------------------------------------------

// One of the legal actions: anything but giving up, as long as there is something else. The same view and luck
// give the same action, so it may be asked twice, and at many tables at once.
function decide(view, luck) {
  const legal = view.legal.map((option) => option.action);
  const bold = legal.filter((action) => !/^(baralho|virada|sell)\b/.test(action));
  const choices = bold.length ? bold : legal;
  return choices[createHash("sha256").update(luck).digest().readUInt32BE() % choices.length];
}

// --- Coming to a server --------------------------------------------------------------------------

class Refused extends Error {
  constructor(status, after, text) {
    super(`refused with ${status}: ${text}`);
    this.status = status;
    this.after = after; // seconds
  }
}

class Server {
  constructor(base, token) {
    this.base = base.replace(/\/$/, "");
    this.headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  }

  // Send something; what comes back, or null where it is refused: somebody was faster, or it is over.
  async ask(path, body = {}) {
    const signal = AbortSignal.timeout(SILENCE);
    const answer = await fetch(this.base + path, { method: "POST", headers: this.headers, body: JSON.stringify(body), signal });
    if (answer.status === 429 || answer.status === 503) throw await refusal(answer);
    const said = await answer.json();
    return answer.ok ? said : null;
  }

  // The messages of a stream, as they come.
  async *stream(path) {
    const stop = new AbortController();
    let timer = setTimeout(() => stop.abort(), SILENCE);
    try {
      const answer = await fetch(this.base + path, { headers: this.headers, signal: stop.signal });
      if (!answer.ok) throw await refusal(answer);
      let rest = "";
      for await (const text of answer.body.pipeThrough(new TextDecoderStream())) {
        clearTimeout(timer);
        timer = setTimeout(() => stop.abort(), SILENCE);
        const lines = (rest + text).split("\n");
        rest = lines.pop();
        for (const line of lines) if (line) yield JSON.parse(line); // an empty one says that the line is alive
      }
    } finally {
      clearTimeout(timer);
      stop.abort();
    }
  }
}

const refusal = async (answer) =>
  new Refused(answer.status, Number(answer.headers.get("retry-after") ?? 0), await answer.text());

// Do some work until it is done; when the line is lost, come back, later and later.
async function patiently(work) {
  for (let pause = 200; ; pause = Math.min(10_000, 2 * pause)) {
    const start = Date.now();
    try {
      if (await work()) return;
    } catch (problem) {
      if (problem.status === 401 || problem.status === 403) {
        console.error(problem.message);
        process.exit(1);
      }
      pause = Math.max(pause, 1000 * (problem.after ?? 0));
      console.error(`lost: ${problem.message}; again in ${pause} ms`);
    }
    if (Date.now() - start > SILENCE) pause = 200;
    await sleep(pause * (0.5 + Math.random() / 2));
  }
}

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();

// What this bot adds to the deal of a match, which nobody else can guess before it is revealed; and what is sent before.
const nonceOf = (match) => sha256(LOCAL, match).subarray(0, 16);
const commitmentTo = (nonce) => sha256(nonce).toString("hex");

// Play a match to its end; whether that is reached.
async function play(server, match) {
  for await (const { state, view } of server.stream(`/api/stream/matches/${match}`)) {
    if (state === "over") return true;
    if (!view?.legal.length) continue;
    const move = { ply: view.ply, action: decide(view, `${match} ${view.ply}`) };
    await server.ask(`/api/matches/${match}/moves`, move);
  }
  return false;
}

// Follow the events: accept challenges, a few at a time, and play what begins. The first events say what is
// current, so nothing is remembered from before.
const playing = new Set();

async function listen(server) {
  const waiting = new Set(), busy = new Set();
  for await (const event of server.stream("/api/stream/events")) {
    const { match } = event;
    if (event.is === "challenge") {
      waiting.delete(match);
      if (event.state === "open" && !busy.has(match)) {
        if (GAMES.has(event.game)) waiting.add(match);
        else await server.ask(`/api/challenges/${match}/decline`);
      }
      if (["cancelled", "declined", "expired"].includes(event.state)) busy.delete(match);
    } else if (event.is === "reveal") {
      // All seats are taken and all commitments are shown: reveal the nonce, if it is the one committed to.
      const nonce = nonceOf(match);
      busy.add(match);
      if (event.nonce_commits[event.seat] === commitmentTo(nonce)) {
        await server.ask(`/api/matches/${match}/reveal`, { nonce: nonce.toString("hex") });
      }
    } else if (event.is === "void") {
      busy.delete(match);
    } else if (event.is === "start") {
      busy.add(match);
      if (!playing.has(match)) {
        playing.add(match);
        patiently(() => play(server, match)).finally(() => playing.delete(match));
      }
    } else if (event.is === "finish") {
      busy.delete(match);
      console.log(`${match}: seat ${event.seat}, ${JSON.stringify(event.result)}`);
    }
    for (const next of waiting) {
      if (busy.size >= AT_ONCE) break;
      waiting.delete(next);
      const committed = { nonce_commit: commitmentTo(nonceOf(next)) };
      if (await server.ask(`/api/challenges/${next}/accept`, committed)) busy.add(next);
    }
  }
  return false;
}

// --- Being asked ---------------------------------------------------------------------------------

// One question, one answer; nothing is kept in between.
function answerAt(port) {
  const answering = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const question = JSON.parse(Buffer.concat(parts).toString());
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ action: decide(question.view, question.luck) }));
  });
  answering.keepAliveTimeout = 60_000;
  answering.listen(port, "127.0.0.1", () => console.log(`listening at http://127.0.0.1:${answering.address().port}/`));
}

const [first, second] = process.argv.slice(2);
if (first === "--listen" && second !== undefined) answerAt(Number(second));
else if (first && process.env.BOLICHO_TOKEN) patiently(() => listen(new Server(first, process.env.BOLICHO_TOKEN)));
else {
  console.error("BOLICHO_TOKEN=... node bot.mjs http://127.0.0.1:8000, or: node bot.mjs --listen 8080");
  process.exit(2);
}
