// Random games in WebAssembly: `node wasm.mjs PACKAGE MODULE RECORD_SIZE ACTIONS GAMES TABLES BLANK`.
// Prints the choices per second of the calls, and a hash of the final records of every block.

import {createHash} from "node:crypto";
import {readFileSync} from "node:fs";

const [folder, file, size, actions, games, tables, blank] = process.argv.slice(2);
const {Module} = await import(`${folder}/module.js`);
const module = await Module.load(readFileSync(file));
const record = Buffer.from(blank, "base64");
const pool = module.reserve(Number(size) * Number(tables));
const legal = module.reserve(2 * Number(actions));
const hashes = [];
let steps = 0;
let spent = 0;
for (let first = 0; first < Number(games); first += Number(tables)) {
  const bytes = module.bytes(pool, Number(size) * Number(tables));
  for (let table = 0; table < Number(tables); table++) bytes.set(record, table * record.length);
  const start = performance.now();
  module.call("play", pool, Number(tables), BigInt(first), legal, Number(actions));
  if (first) spent += performance.now() - start; // without the first block, which V8 has yet to optimise
  if (first) steps += module.whole(1)[0];
  hashes.push(createHash("sha256").update(module.bytes(pool, bytes.length)).digest("hex"));
}
console.log(JSON.stringify({rate: (1000 * steps) / spent, hashes}));
