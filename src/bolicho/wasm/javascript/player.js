// Players: the decisions of agents, by luck.

import {fromBase64} from "./module.js";

const SLOT = 8; // bytes
const GOLDEN = 0x9e3779b97f4a7c15n; // steps of a Weyl sequence

export class Player {
  /**
   * A player from its module and its description (`describe_player`); its arrays follow.
   * @param {import("./module.js").Module} module
   * @param {{slots: string, addresses: number[], memory: number, record: number, actions: number}} about
   */
  constructor(module, {slots, addresses, memory, record, actions}) {
    this.module = module;
    this.record = record;
    this.actions = actions;
    this.size = memory;
    const numbers = fromBase64(slots);
    this.at = module.reserve(numbers.length);
    module.bytes(this.at, numbers.length).set(numbers);
    const arrays = module.reserve(0); // the address of the first one
    const view = new DataView(module.memory.buffer, this.at);
    for (const slot of addresses) view.setInt32(SLOT * slot, view.getInt32(SLOT * slot, true) + arrays, true);
  }

  // The arrays, one after the other, so that a large one is in the memory of the page only once.
  static async load(module, about, arrays) {
    const player = new Player(module, about);
    for await (const array of arrays) {
      const bytes = new Uint8Array(array);
      module.bytes(module.reserve(bytes.length), bytes.length).set(bytes);
    }
    player.rest(about);
    return player;
  }

  rest({memory, record, actions}) {
    const {module} = this;
    this.memory = module.reserve(memory);
    this.pool = module.reserve(record);
    this.chances = module.reserve(8 * actions);
  }

  /** Forget the last game, and sit down. */
  begin(seat) {
    this.seat = seat;
    this.module.bytes(this.memory, this.size).fill(0);
    this.module.call("begin", this.at, this.memory, 1, seat);
  }

  /** Observe events that the seat saw: rows of four words. */
  read(rows) {
    if (!rows.length) return;
    const at = this.module.reserveOnce("rows", 2 * rows.length);
    this.module.words(at, rows.length).set(rows);
    this.module.call("read", this.at, this.memory, 1, at, rows.length / 4, 4, this.seat);
  }

  /** Return the number of the action that the player takes. */
  act(record, luck) {
    this.look(record);
    this.module.call("act", this.at, this.memory, 1, this.pool, 1, this.seat, BigInt.asIntN(64, luck));
    return this.module.whole(1)[0];
  }

  /** Return the probability of each legal action, or null where the player does not know it. */
  mixture(record) {
    this.look(record);
    new Float64Array(this.module.memory.buffer, this.chances, this.actions).fill(0);
    this.module.call("mix", this.at, this.memory, 1, this.pool, 1, this.seat, this.chances, this.actions);
    const [known] = this.module.whole(1);
    return known ? Array.from(new Float64Array(this.module.memory.buffer, this.chances, known)) : null;
  }

  /** Return how often the player takes each action by number, over as many draws of luck. */
  sample(record, luck, count) {
    this.look(record);
    const draws = this.module.reserveOnce("draws", 8 * count);
    new BigUint64Array(this.module.memory.buffer, draws, count).set(
      Array.from({length: count}, (_, i) => BigInt.asUintN(64, luck + BigInt(i) * GOLDEN)));
    const counts = this.module.reserveOnce("counts", 8 * this.actions);
    new BigInt64Array(this.module.memory.buffer, counts, this.actions).fill(0n);
    this.module.call("sample", this.at, this.memory, 1, this.pool, 1, this.seat, draws, count, counts, this.actions);
    return Array.from(new BigInt64Array(this.module.memory.buffer, counts, this.actions), Number);
  }

  look(record) {
    this.module.bytes(this.pool, this.record).set(record);
  }
}
