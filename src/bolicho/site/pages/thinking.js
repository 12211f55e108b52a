// A worker in which agents think: each decision from the record and the log of a seat, and from luck.

import {Module} from "./engine/module.js";
import {Player} from "./engine/player.js";

const MOST = 2; // players kept; one may take 100 MB
const players = new Map();

async function load(root, {code, data, about}) {
  const [module, ...parts] = await Promise.all([code, ...data].map(async (path) => {
    const answer = await fetch(root + path);
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    if (!path.endsWith(".gz")) return answer.arrayBuffer();
    return new Response(answer.body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  }));
  return new Player(await Module.load(module), parts, about);
}

function playerOf(root, files) {
  const key = JSON.stringify(files);
  if (!players.has(key)) {
    if (players.size >= MOST) players.delete(players.keys().next().value);
    const made = load(root, files);
    made.catch(() => players.delete(key));
    players.set(key, made);
  }
  return players.get(key);
}

async function decide({root, files, prepare, seat, luck, trials, record, log, legal}) {
  const player = await playerOf(root, files);
  if (prepare) return {};
  player.begin(seat);
  player.read(log);
  const number = player.act(record, luck);
  if (!trials) return {number};
  const known = player.mixture(record);
  if (known) return {number, shares: known, tried: 0};
  const counts = player.sample(record, luck, trials);
  return {number, shares: legal.map((one) => counts[one] / trials), tried: trials};
}

// One decision after the other: a player remembers one seat at a time.
let last = Promise.resolve();
onmessage = ({data: {number, ...task}}) => {
  last = last.then(async () => {
    try {
      postMessage({number, result: await decide(task)});
    } catch (problem) {
      postMessage({number, problem: problem.message});
    }
  });
};
