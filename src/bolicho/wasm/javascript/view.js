// Views as JSON: what the server's pages and `view.data()` show, from a record and its description.

import {Reader} from "./reading.js";
import {NOBODY} from "./table.js";

const ROW = 4; // words of an event

export class Reading {
  /**
   * The reading of a game: its rules, and the module that knows its sentences.
   * @param {import("./table.js").Rules} rules
   * @param {any} game module of `views/`
   */
  constructor(rules, game) {
    this.rules = rules;
    this.game = game;
    this.description = rules.description;
    this.reader = new Reader(rules.description);
  }

  // View of a seat; of seat -1, the public view.
  view(table, seat) {
    if (seat === NOBODY) {
      const {record, log} = table.publicRecord();
      return new View(this, {seat, record, log, legal: [], ply: table.ply});
    }
    const legal = seat === table.turn ? table.legal : [];
    return new View(this, {seat, record: table.record(seat), log: table.logs[seat], legal, ply: table.ply});
  }

  // Text of an action in the position of a table.
  textOf(table, number) {
    return this.game.textOf(this.view(table, Math.max(0, table.turn)), number);
  }
}

export class View {
  constructor(reading, {seat, record, log, legal, ply}) {
    this.reading = reading;
    this.seat = seat;
    this.record = record;
    this.log = log;
    this.legal = legal;
    this.ply = ply;
    this.turn = this.reader.read(record, "turn");
  }

  get reader() {
    return this.reading.reader;
  }

  get description() {
    return this.reading.description;
  }

  get rows() {
    const rows = [];
    for (let at = 0; at < this.log.length; at += ROW) rows.push(Array.from(this.log.subarray(at, at + ROW)));
    return rows;
  }

  fields() {
    return this.reader.all(this.record);
  }

  // Address of the record in the memory of the rules, for doors that take it.
  pool() {
    return this.reading.rules.put(this.record);
  }

  // Whole numbers that a door of the game returns.
  whole(door, given, count) {
    this.reading.rules.module.call(door, ...given);
    return this.reading.rules.module.whole(count);
  }

  /** Return the view as JSON, with the log from an entry on. */
  data(from = 0) {
    const {game, description} = this.reading;
    const first = Math.max(0, from);
    return {
      game: description.game,
      rules: description.rules,
      seat: this.seat === NOBODY ? null : this.seat,
      turn: this.turn < 0 ? null : this.turn,
      over: this.turn < 0,
      scores: this.reading.rules.scores(this.record),
      ply: this.ply,
      legal: this.legal.map((number) => {
        const action = game.textOf(this, number);
        return {action, says: game.nameOf(action)};
      }),
      log_from: first,
      log: this.rows.slice(first).map((row) => {
        const told = game.entry(this, row);
        return {...told, says: game.said(told)};
      }),
      table: game.table(this),
    };
  }
}
