// Tables in this browser: rules and agents are WebAssembly, and matches are kept as records in the browser's storage.

import {Library, Missing} from "./engine/library.js";
import {NOBODY} from "./engine/table.js";
import {keep, recall} from "/a/settings.js";

const MATCH = "site.match.";
const KEPT = "site.matches"; // numbers of matches
const MOST = 30; // matches kept

class Refusal extends Error {
  constructor(key, facts = {}, status = 404) {
    super(key);
    this.says = [key, facts];
    this.status = status;
  }
}

// --- Files of the site -----------------------------------------------------------------------------

const root = new URL("..", import.meta.url).href;
navigator.serviceWorker?.register(`${root}offline.js`).catch(() => {}); // without it the site needs the network

const library = new Library(root);

// Errors of the library as sentences.
async function loaded(asked, key, facts = {}) {
  try {
    return await asked;
  } catch (problem) {
    if (problem instanceof Missing) throw new Refusal("page.site.missing", {file: problem.message}, 503);
    throw problem instanceof RangeError ? new Refusal(key, facts, 422) : problem;
  }
}

/** Games and agents of the site. */
export const catalog = () => loaded(library.catalog(), "page.site.none");

const gameOf = (name, rules) => loaded(library.game(name, rules), "page.site.rules");

/** The agents of a game that play by these rules, as the server tells them. */
export async function opponents(game, rules) {
  const known = await loaded(library.agents(game, rules), "page.site.rules");
  const {agents} = await catalog();
  return {game, agents: agents[game].filter(({name}) => known.includes(name))};
}

// --- Agents ----------------------------------------------------------------------------------------

const worker = {thread: null, waiting: new Map(), asked: 0};

function thread() {
  if (worker.thread) return worker.thread;
  worker.thread = new Worker(new URL("./thinking.js", import.meta.url), {type: "module"});
  worker.thread.onmessage = ({data: {number, result, problem}}) => {
    const {done, fail} = worker.waiting.get(number);
    worker.waiting.delete(number);
    if (problem) fail(new Refusal("page.site.failed", {problem}, 500));
    else done(result);
  };
  worker.thread.onerror = ({message}) => {
    worker.waiting.forEach(({fail}) => fail(new Refusal("page.site.failed", {problem: message}, 500)));
    worker.waiting.clear();
    worker.thread = null;
  };
  return worker.thread;
}

// What the worker finds: {number} of the action, and with `trials` how often each legal one is played.
function think(task) {
  const number = worker.asked++;
  return new Promise((done, fail) => {
    worker.waiting.set(number, {done, fail});
    thread().postMessage({number, ...task});
  });
}

async function decide(match, table, agent, isTried = false) {
  const {reading, players} = await gameOf(match.game, match.rules);
  const files = (await loaded(players(), "page.site.none"))[agent];
  if (!files) throw new Refusal("page.site.no_agent", {agent}, 422);
  const seat = table.turn;
  const key = reading.rules.stream(BigInt(match.luck), seat);
  const luck = reading.rules.stream(key, table.ply);
  return think({
    root, files, seat, luck, trials: isTried ? files.trials : 0, record: table.record(seat), log: table.logs[seat], legal: table.legal,
  });
}

// Load the agents of a match before their turn.
async function prepare({game, rules, seats}) {
  const known = await (await gameOf(game, rules)).players();
  const wanted = new Set(seats.flatMap(({agent}) => (agent && known[agent] ? [known[agent]] : [])));
  await Promise.all([...wanted].map((files) => think({root, files, prepare: true})));
}

// --- Matches ---------------------------------------------------------------------------------------

const seated = new Map(); // by number: {match, table, reading}

const wide = () => crypto.getRandomValues(new BigUint64Array(1))[0].toString();

/** The record in the fragment, as it is written there, or null. */
export const recordHere = () => new URLSearchParams(location.hash.slice(1)).get("record");

async function matchOf(id) {
  if (seated.has(id)) return seated.get(id);
  const match = id === "shared" ? await sharedMatch() : recall(MATCH + id);
  if (!match) throw new Refusal("page.site.no_match");
  const {reading} = await gameOf(match.game, match.rules);
  const table = reading.rules.deal(match.seed);
  const sitting = {id, match, table, reading};
  match.actions.forEach((text) => playText(sitting, text));
  seated.set(id, sitting);
  return sitting;
}

function playText({table, reading}, text) {
  const number = table.legal.find((one) => reading.textOf(table, one) === text);
  if (number === undefined) throw new Refusal("page.site.record", {}, 422);
  table.play(number);
}

// A match from the record in the fragment.
async function sharedMatch() {
  let record;
  try {
    record = JSON.parse(await unpacked(recordHere()));
  } catch {
    throw new Refusal("page.site.record", {}, 422);
  }
  const {game, rules = {}, seed, actions, players, agents = [], luck = "0"} = record;
  if (seed === undefined || !Array.isArray(actions)) throw new Refusal("page.site.record", {}, 422);
  const {reading} = await gameOf(game, rules);
  const seats = Array.from({length: reading.rules.seats}, (_, seat) => ({
    name: String(players?.[seat] ?? `${seat + 1}`), agent: agents[seat] ?? null,
  }));
  return {game, rules, seed: String(seed), luck, actions: [...actions], seats, shared: true};
}

// A seed may exceed what a number of JavaScript holds, so records are parsed with it as a text.
const readRecord = (text) => text.replace(/("seed"\s*:\s*)(\d+)/, '$1"$2"');

async function through(stream, data) {
  return new Response(new Blob([data]).stream().pipeThrough(stream)).arrayBuffer();
}

async function unpacked(text) {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const data = Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
  return readRecord(new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), data)));
}

/** Return a record as the fragment of a link has it. */
export async function packed(record) {
  const data = new Uint8Array(await through(new CompressionStream("deflate-raw"), JSON.stringify(record)));
  return btoa(String.fromCharCode(...data)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function save({id, match}) {
  if (match.shared) return;
  keep(MATCH + id, match);
  const list = [id, ...recall(KEPT, []).filter((one) => one !== id)];
  list.slice(MOST).forEach((old) => keep(MATCH + old, null));
  keep(KEPT, list.slice(0, MOST));
}

/** Create a match, as the server does; one without people is played at once. */
export async function makeMatch({game, rules, seats, options}) {
  const known = await (await gameOf(game, rules)).players();
  const absent = seats.find(({who, agent}) => who === "agent" && !known[agent]);
  if (absent) throw new Refusal("page.site.no_agent", {agent: absent.agent}, 422);
  const names = seats.map(({who, agent, name}) => (who === "agent" ? agent.split("(")[0] : name));
  if (seats.some(({who}) => !["me", "agent"].includes(who))) throw new Refusal("page.site.alone", {}, 422);
  const id = crypto.randomUUID().slice(0, 8);
  const told = toldApart(names);
  const match = {
    game, rules, seed: wide(), luck: wide(), actions: [], options,
    seats: seats.map(({who, agent}, seat) => ({name: told[seat], agent: who === "agent" ? agent : null})),
  };
  keep(MATCH + id, match);
  const sitting = await matchOf(id);
  save(sitting);
  if (seats.every(({who}) => who === "agent")) await playOn(id);
  return {match: id, commit: null, seats: seats.map(({who}, seat) => (who === "me" ? {seat, token: "here"} : {seat}))};
}

const toldApart = (names) => names.map((name, i) => {
  const same = names.filter((one) => one === name).length;
  return same === 1 ? name : `${name} ${names.slice(0, i).filter((one) => one === name).length + 1}`;
});

function play(sitting, number) {
  sitting.match.actions.push(sitting.reading.textOf(sitting.table, number));
  sitting.table.play(number);
  save(sitting);
}

/** Play the action of a person. */
export async function movesOf(id, ply, action) {
  const sitting = await matchOf(id);
  const {table, reading, match} = sitting;
  const number = table.legal.find((one) => reading.textOf(table, one) === action);
  if (table.ply !== ply || number === undefined || match.seats[table.turn]?.agent) {
    throw new Refusal("server.illegal", {}, 409);
  }
  play(sitting, number);
}

/** Let agents play until a person is to act. */
export async function playOn(id, told = async () => {}) {
  const sitting = await matchOf(id);
  const {match, table} = sitting;
  if (match.shared || sitting.playing) return;
  sitting.playing = true;
  prepare(match).catch(() => {}); // a failure is told when the agent is to act
  try {
    while (!table.over && match.seats[table.turn].agent) {
      const {number} = await decide(match, table, match.seats[table.turn].agent);
      play(sitting, number);
      await told();
    }
  } finally {
    sitting.playing = false;
  }
}

// --- Answers ---------------------------------------------------------------------------------------

/** Facts of a match, as the server tells them. */
export async function facts(id) {
  const {match, table, reading} = await matchOf(id);
  const {games} = await catalog();
  const about = {
    match: id,
    game: match.game,
    look: games.find(({name}) => name === match.game).look,
    seats: reading.rules.seats,
    rules: match.rules,
    options: {why: true, hint: true, open_end: true, ...match.options, clock: null, fair: false},
    ply: table.ply,
  };
  return {...about, ...standing({match, table, reading})};
}

function standing({match, table, reading}) {
  const state = table.over || match.shared ? "over" : "playing";
  const result = table.over ? resultOf(table, reading.rules) : null;
  return {
    players: match.seats.map(({name, agent}) => ({name, agent, taken: true, here: true})),
    state, result: result ?? (match.shared ? {scores: [], winners: []} : null), clock: null, claim: null,
  };
}

function resultOf(table, rules) {
  const payoffs = rules.payoffs(table.record(NOBODY));
  const most = Math.max(...payoffs);
  const best = payoffs.flatMap((payoff, seat) => (payoff === most ? [seat] : []));
  return {scores: rules.scores(table.record(NOBODY)), winners: best.length === payoffs.length ? [] : best, claimed: null};
}

/** The seat of the person, or of a spectator. */
export async function personOf(id) {
  const {match} = await matchOf(id);
  return match.seats.findIndex(({agent}) => !agent);
}

/** The view of a seat (of spectators for -1), now or at a ply, as the server sends it. */
export async function viewMessage(id, seat, {log = 0, ply} = {}) {
  const sitting = await matchOf(id);
  const {table, reading} = sitting;
  const at = ply === undefined || ply === table.ply ? table : table.back(ply);
  return {is: "view", ply: at.ply, view: reading.view(at, seat).data(log), frames: [], ...standing(sitting)};
}

function told({reading}, table, number) {
  const action = reading.textOf(table, number);
  return {action, says: reading.game.nameOf(action)};
}

async function reasons(sitting, table, agent) {
  const {number, shares, tried} = await decide(sitting.match, table, agent, true);
  const choice = told(sitting, table, number);
  const share = shares[table.legal.indexOf(number)];
  const bars = table.legal.map((one, i) => ({
    says: told(sitting, table, one).says,
    value: shares[i],
    told: ["page.site.percent", {share: shares[i]}],
    chosen: one === number,
  }));
  const why = tried
    ? ["page.site.tried", {share, trials: tried}]
    : ["page.site.share", {share}];
  const picture = {
    kind: "bars", title: ["agents.cfr.title", {}], unit: ["agents.unit.share", {}], action: choice.action, bars,
  };
  return {seat: table.turn, agent, ...choice, why, lines: [], picture: table.legal.length > 1 ? picture : null};
}

/** The advice of an agent to the person to act. */
export async function hint(id, agent) {
  const sitting = await matchOf(id);
  return reasons(sitting, sitting.table, agent);
}

/** The decision of an agent at a ply, and how often it would take each action. */
export async function explain(id, ply) {
  const sitting = await matchOf(id);
  const table = sitting.table.back(ply);
  const agent = sitting.match.seats[table.turn]?.agent;
  if (!agent) throw new Refusal("page.site.person", {}, 422);
  return reasons(sitting, table, agent);
}

/** The record of a match, which replays it anywhere. */
export async function recordOf(id) {
  const {match} = await matchOf(id);
  const {game, rules, actions, seats, seed, luck} = match;
  return {game, rules, seed, actions, players: seats.map(({name}) => name), agents: seats.map(({agent}) => agent), luck};
}

// A finished match of this browser gets its record into the address, so that its link replays it elsewhere.
if (location.pathname.endsWith("replay.html") && !recordHere()) {
  const id = new URLSearchParams(location.search).get("match");
  const match = recall(MATCH + id);
  if (match) {
    const record = await packed(await recordOf(id));
    const parameters = new URLSearchParams(location.hash.slice(1));
    parameters.set("record", record);
    history.replaceState(null, "", `${location.pathname}#${parameters}`);
  }
}
