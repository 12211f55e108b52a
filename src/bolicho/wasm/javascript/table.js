// Games and tables: the full state, and the record, legal actions and events of each seat.

import {fromBase64, joined} from "./module.js";

export const NOBODY = -1; // the seat of a spectator
const ROW = 4; // words of an event
const ROOM = 512; // bytes reserved for counts and payoffs

export class Rules {
  /**
   * Compiled rules of a game and their description (`describe.game`).
   * @param {import("./module.js").Module} module
   * @param {any} description
   */
  constructor(module, description) {
    this.module = module;
    this.description = description;
    const {seats, record, num_actions: actions, event_rows: rows} = description;
    this.seats = seats;
    this.size = record.size;
    this.rows = rows;
    this.numActions = actions;
    this.records = module.reserve(this.size * (seats + 1));
    this.second = module.reserve(2 * this.size);
    this.legal = module.reserve(2 * actions);
    this.logs = module.reserve(2 * ROW * rows * (seats + 1));
    this.room = module.reserve(ROOM);
    this.blank = fromBase64(record.blank);
    this.turnAt = record.fields.find(({name}) => name === "turn").offset;
  }

  /** @param {BigUint64Array | bigint | number | string} seed */
  deal(seed) {
    return new Table(this, BigInt(/** @type {any} */ (seed)));
  }

  // Index of a seat's record in the memory of the module, after `put`.
  at(seat) {
    return this.records + this.size * (seat + 1);
  }

  // Copy a record into the memory of the module; return its address.
  put(record) {
    this.module.bytes(this.second, this.size).set(record);
    return this.second;
  }

  // Result of a door that takes a record and writes whole numbers.
  scores(record) {
    const at = this.put(record);
    const counts = new BigInt64Array(this.module.memory.buffer, this.room, this.seats);
    counts.fill(0n);
    this.module.call("scores", at, 1, this.room, this.seats);
    return Array.from(new BigInt64Array(this.module.memory.buffer, this.room, this.seats), Number);
  }

  payoffs(record) {
    const at = this.put(record);
    new Float64Array(this.module.memory.buffer, this.room, this.seats).fill(0);
    this.module.call("payoff", at, 1, this.room, this.seats);
    return Array.from(new Float64Array(this.module.memory.buffer, this.room, this.seats));
  }

  // The index-th number of a stream of random numbers.
  stream(seed, index) {
    this.module.call("stream", BigInt.asIntN(64, seed), BigInt.asIntN(64, BigInt(index)));
    return this.module.wide();
  }
}

export class Table {
  constructor(rules, seed) {
    this.rules = rules;
    this.seed = seed;
    this.actions = []; // numbers
    this.logs = Array.from({length: rules.seats + 1}, () => new Int16Array(0)); // of each seat, then unhidden
    const {module, seats, size} = rules;
    const shape = [rules.records, seats + 1];
    for (let seat = -1; seat < seats; seat++) module.bytes(rules.at(seat), size).set(rules.blank);
    module.call("start", ...shape, BigInt.asIntN(64, seed), rules.legal, rules.numActions, ...this.logShape());
    this.keep(module.whole(3));
  }

  logShape() {
    const {logs, seats, rows} = this.rules;
    return [logs, seats + 1, rows, ROW];
  }

  // Copy what a door has written.
  keep([noted, may, turn]) {
    const {module, seats, size, rows} = this.rules;
    this.records = module.bytes(this.rules.records, size * (seats + 1)).slice();
    this.legal = Array.from(module.words(this.rules.legal, may));
    this.turn = turn;
    this.noted = noted;
    this.logs = this.logs.map((log, seat) =>
      joined(log, module.words(this.rules.logs + 2 * ROW * rows * seat, ROW * noted)));
  }

  get over() {
    return this.turn < 0;
  }

  get ply() {
    return this.actions.length;
  }

  // Play the action of a number; an illegal one changes nothing and is refused.
  play(number) {
    const {rules} = this;
    const {module} = rules;
    if (!this.legal.includes(number)) throw new RangeError(`${number} is not a legal action; legal: ${this.legal.join(", ")}`);
    module.bytes(rules.records, this.records.length).set(this.records);
    module.words(rules.legal, this.legal.length).set(this.legal);
    const {length} = this.legal;
    module.call(
      "step", rules.records, rules.seats + 1, number, rules.legal, rules.numActions, length, ...this.logShape(), 0,
    );
    this.keep(module.whole(3));
    this.actions.push(number);
  }

  // Record of a seat's view; of seat -1, the full state.
  record(seat) {
    const {size} = this.rules;
    return this.records.subarray(size * (seat + 1), size * (seat + 2));
  }

  // Record and events of the public view.
  publicRecord() {
    const {rules} = this;
    const {module, seats, size} = rules;
    const start = new Table(rules, this.seed);
    const rows = this.logs[seats].length / ROW;
    const log = module.reserveOnce("public log", 2 * ROW * (rows + rules.rows));
    const moves = module.reserveOnce("moves", 8 * (this.ply + 1));
    const pool = rules.second;
    module.bytes(pool, size).set(start.record(-1));
    module.bytes(pool + size, size).set(start.record(-1));
    new BigInt64Array(module.memory.buffer, moves, this.ply).set(this.actions.map(BigInt));
    module.call("publish", pool, 2, moves, this.ply, log, rows + rules.rows, ROW, seats);
    return {record: module.bytes(pool, size).slice(), log: module.words(log, ROW * rows).slice()};
  }

  // An independent table at an earlier ply.
  back(ply) {
    const table = new Table(this.rules, this.seed);
    for (const number of this.actions.slice(0, ply)) table.play(number);
    return table;
  }
}
