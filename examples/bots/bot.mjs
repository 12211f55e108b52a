// Bot for Bolicho in one file: Node 20, no packages.
//
//     BOLICHO_TOKEN=... node bot.mjs http://127.0.0.1:8000    accepts challenges and plays, until it is stopped
//     node bot.mjs --listen 8080                              plays as the agent remote(url=http://127.0.0.1:8080/)
//
// The operator of the server makes the token: bolicho token new NAME --scope bot

import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";

const GAMES = new Set(["truco", "dominoes", "fives", "wonders"]);
const AT_ONCE = 8; // matches
const SILENCE = 20_000; // milliseconds; the server sends something every five seconds
const LOCAL = randomBytes(32); // all nonces are derived from it, so none is stored; it is never sent

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// --- Decisions -----------------------------------------------------------------------------------

// A legal action: anything but giving up, if there is anything else. The same view and luck give the same action,
// so requests may be repeated, and for many tables at once.
function decide(view, luck) {
  const legal = view.legal.map((option) => option.action);
  const bold = legal.filter((action) => !/^(baralho|virada|sell)\b/.test(action));
  const choices = bold.length ? bold : legal;
  return choices[createHash("sha256").update(luck).digest().readUInt32BE() % choices.length];
}

// --- Matches at a server -------------------------------------------------------------------------

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

  // Send a request; return the answer, or null for a refusal: another bot was faster, or the match is over.
  async ask(path, body = {}) {
    const signal = AbortSignal.timeout(SILENCE);
    const answer = await fetch(this.base + path, { method: "POST", headers: this.headers, body: JSON.stringify(body), signal });
    if (answer.status === 429 || answer.status === 503) throw await refusal(answer);
    const said = await answer.json();
    return answer.ok ? said : null;
  }

  // Messages of a stream.
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
        for (const line of lines) if (line) yield JSON.parse(line); // an empty line keeps the connection open
      }
    } finally {
      clearTimeout(timer);
      stop.abort();
    }
  }
}

const refusal = async (answer) =>
  new Refused(answer.status, Number(answer.headers.get("retry-after") ?? 0), await answer.text());

// Repeat some work until it is done, with growing pauses after lost connections.
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
      console.error(`connection lost: ${problem.message}; retry in ${pause} ms`);
    }
    if (Date.now() - start > SILENCE) pause = 200;
    await sleep(pause * (0.5 + Math.random() / 2));
  }
}

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();

// Nonce of this bot for the deal of a match, which nobody can guess before it is revealed; its commitment is sent first.
const nonceOf = (match) => sha256(LOCAL, match).subarray(0, 16);
const commitmentTo = (nonce) => sha256(nonce).toString("hex");

// Play a match; return whether its end is reached.
async function play(server, match) {
  for await (const { state, view } of server.stream(`/api/stream/matches/${match}`)) {
    if (state === "over") return true;
    if (!view?.legal.length) continue;
    const move = { ply: view.ply, action: decide(view, `${match} ${view.ply}`) };
    await server.ask(`/api/matches/${match}/moves`, move);
  }
  return false;
}

// Follow the events: accept challenges, a few at a time, and play the matches. The first events describe the
// current state, so nothing is kept from before.
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
      // Reveal the nonce once all commitments are shown, if it is the one committed to.
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

// --- Answers to requests -------------------------------------------------------------------------

// Answer requests for decisions, without state.
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
