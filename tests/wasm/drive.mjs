// Plays games with WebAssembly modules, and prints what the tests compare with native code.
// node drive.mjs FOLDER: `game.wasm`, `game.json`, `task.json`; for players `player.wasm`, `player.bin`, `player.json`.

import {createHash} from "node:crypto";
import {readFileSync, writeFileSync} from "node:fs";

const folder = process.argv[2];
const read = (name) => readFileSync(`${folder}/${name}`);
const json = (name) => JSON.parse(read(name));
const task = json("task.json");
const {Module, NOBODY, Player, Reading, Rules} = await import(`${task.package}/index.js`);

const description = json("game.json");
const rules = new Rules(await Module.load(read("game.wasm")), description);
const reading = new Reading(rules, await import(`${task.package}/views/${description.reading}.js`));

// A legal action at random, by the seed and the ply.
function random(table) {
  const word = rules.stream(table.seed, table.ply);
  return table.legal[Number((word >> 32n) % BigInt(table.legal.length))];
}

const bytes = (words) => Buffer.from(words.buffer, words.byteOffset, words.byteLength);

const TASKS = {
  // One hash for each game: every record, event, score and payoff.
  records(seed) {
    const hash = createHash("sha256");
    const table = rules.deal(seed);
    hash.update(table.records);
    while (!table.over) {
      table.play(random(table));
      hash.update(table.records);
    }
    table.logs.forEach((log) => hash.update(bytes(log)));
    const {record, log} = table.publicRecord();
    hash.update(record).update(bytes(log));
    hash.update(bytes(new Float64Array([...rules.scores(table.record(NOBODY)), ...rules.payoffs(table.record(NOBODY))])));
    return hash.digest("hex");
  },

  // The views of all seats and of spectators at every ply.
  views(seed) {
    const found = [];
    const table = rules.deal(seed);
    for (;;) {
      const from = table.ply % 3;
      for (let seat = NOBODY; seat < rules.seats; seat++) found.push(JSON.stringify(reading.view(table, seat).data(from)));
      if (table.over) return found;
      table.play(random(table));
    }
  },

  // The actions of a game of a player against itself; in early games also its mixtures.
  decisions(seed) {
    const table = rules.deal(seed);
    const keys = players.map((_, seat) => rules.stream(table.seed, 1000 + seat));
    const known = players.map(() => 0);
    const mixtures = [];
    players.forEach((player, seat) => player.begin(seat));
    while (!table.over) {
      const {turn: seat} = table;
      const player = players[seat];
      player.read(table.logs[seat].subarray(known[seat]));
      known[seat] = table.logs[seat].length;
      if (task.mixtures) mixtures.push(player.mixture(table.record(seat)));
      table.play(player.act(table.record(seat), rules.stream(keys[seat], table.ply)));
    }
    return {actions: table.actions, mixtures};
  },
};

const players = [];
if (task.do === "decisions") {
  const code = read("player.wasm");
  for (let seat = 0; seat < rules.seats; seat++) {
    players.push(await Player.load(await Module.load(code), json("player.json"), [read("player.bin")]));
  }
}
const found = [];
for (let seed = task.first; seed < task.first + task.games; seed++) found.push(TASKS[task.do](seed));
writeFileSync(`${folder}/found.json`, JSON.stringify(found));
