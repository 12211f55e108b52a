// Games and agents from files: a folder that `bolicho site build` or `bolicho site package` has written.

import {Module} from "./module.js";
import {Player} from "./player.js";
import {Rules} from "./table.js";
import {Reading} from "./view.js";

export class Missing extends Error {}

const GOLDEN = 0x9e3779b97f4a7c15n; // steps of a Weyl sequence
const NODE_FILES = "node:fs/promises"; // a name that browsers and their tools do not look for

const keyOf = (rules) => JSON.stringify(Object.entries(rules).sort());

export class Library {
  /** @param {string | URL} root address of the folder, which ends with "/" */
  constructor(root) {
    this.root = new URL(root, import.meta.url);
    this.files = new Map();
    this.games = new Map();
  }

  // A file, read once; again only after a failure.
  file(path) {
    if (!this.files.has(path)) {
      const read = this.read(new URL(path, this.root), path);
      read.catch(() => this.files.delete(path));
      this.files.set(path, read);
    }
    return this.files.get(path);
  }

  async read(address, path) {
    if (address.protocol === "file:") {
      const files = await import(NODE_FILES);
      return new Response(new Uint8Array(await files.readFile(address)));
    }
    const answer = await fetch(address);
    if (!answer.ok) throw new Missing(path);
    return answer;
  }

  async json(path) {
    return JSON.parse(new TextDecoder().decode(await this.bytes(path)));
  }

  // The bytes of a file, unpacked if its name ends with .gz.
  async bytes(path) {
    if (!path.endsWith(".gz")) return (await this.file(path)).clone().arrayBuffer();
    const packed = await this.read(new URL(path, this.root), path); // not kept: it may be large
    return new Response(packed.body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  }

  /** The games of the folder, and their agents. */
  catalog() {
    return this.json("games/catalog.json");
  }

  /**
   * Return a game with its rules, those that differ from the default ones.
   * @param {string} name
   * @param {Record<string, any>} [rules]
   */
  game(name, rules = {}) {
    const known = `${name} ${keyOf(rules)}`;
    if (!this.games.has(known)) {
      const made = this.load(name, rules);
      made.catch(() => this.games.delete(known));
      this.games.set(known, made);
    }
    return this.games.get(known);
  }

  // The file of a game, and what it says of a variant.
  async variant(name, rules) {
    const told = (await this.catalog()).games.find((one) => one.name === name);
    if (!told) throw new RangeError(`there is no game ${name} in this folder`);
    const file = await this.json(told.file);
    const variant = file.variants[keyOf(rules)];
    if (!variant) throw new RangeError(`${name} is not in this folder with the rules ${keyOf(rules)}`);
    return {...file, variant};
  }

  /**
   * Return the names of the agents that play a game by these rules.
   * @param {string} name
   * @param {Record<string, any>} [rules]
   */
  async agents(name, rules = {}) {
    const {agents, variant} = await this.variant(name, rules);
    return agents[variant.players];
  }

  async load(name, rules) {
    const {description, players, variant} = await this.variant(name, rules);
    const whole = {...description, ...variant, record: {...description.record, ...variant.record}};
    const [code, module] = await Promise.all([this.bytes(variant.module), import(`./views/${whole.reading}.js`)]);
    const reading = new Reading(new Rules(await Module.load(code), whole), module);
    return new Game(this, reading, async () => (await this.json(players))[variant.players]);
  }

  /** Return a player from its files, as `Game.players` lists them. */
  async player({code, data, about}) {
    const bytes = (path) => this.bytes(path);
    async function* arrays() {
      for (const path of data) yield await bytes(path);
    }
    return Player.load(await Module.load(await bytes(code)), about, arrays());
  }
}

export class Game {
  constructor(library, reading, players) {
    this.library = library;
    this.reading = reading;
    this.players = players; // files of the agents, by name
  }

  get rules() {
    return this.reading.rules;
  }

  /** Return a table with this seed, by default a random one. */
  deal(seed = crypto.getRandomValues(new BigUint64Array(1))[0]) {
    return this.rules.deal(seed);
  }

  /** Return the view of a seat as JSON (of spectators for -1), as the server tells it; its log from an entry on. */
  view(table, seat, from = 0) {
    return this.reading.view(table, seat).data(from);
  }

  /** Play an action, given as its text; throws a `RangeError` for an action that is not legal. */
  play(table, text) {
    const number = table.legal.find((one) => this.reading.textOf(table, one) === text);
    if (number === undefined) throw new RangeError(`${text} is not legal; legal: ${this.legal(table).join(", ")}`);
    table.play(number);
  }

  /** Return the texts of the legal actions. */
  legal(table) {
    return table.legal.map((number) => this.reading.textOf(table, number));
  }

  /** Return the table of a record: {seed, actions}. */
  replay({seed, actions}) {
    const table = this.deal(seed);
    for (const text of actions) this.play(table, text);
    return table;
  }

  /** Return an agent by name. */
  async agent(name) {
    const files = (await this.players())[name];
    if (!files) throw new RangeError(`${name} does not play by these rules here`);
    return new Agent(this, await this.library.player(files));
  }
}

export class Agent {
  constructor(game, player) {
    this.game = game;
    this.player = player;
  }

  /** Return the text of the action that the agent takes at a table, by luck: the same for the same number. */
  decide(table, luck = crypto.getRandomValues(new BigUint64Array(1))[0]) {
    const {turn: seat} = table;
    this.player.begin(seat);
    this.player.read(table.logs[seat]);
    const number = this.player.act(table.record(seat), BigInt.asUintN(64, luck + GOLDEN * BigInt(table.ply)));
    return this.game.reading.textOf(table, number);
  }
}
