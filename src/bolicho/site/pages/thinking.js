// A worker in which agents think: each decision from the record and the log of a seat, and from luck.

import {Library} from "./engine/library.js";

const MOST = 2; // players kept; one may take 100 MB
const players = new Map();

function playerOf(root, files) {
  const key = JSON.stringify(files);
  if (!players.has(key)) {
    if (players.size >= MOST) players.delete(players.keys().next().value);
    const made = new Library(root).player(files);
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
