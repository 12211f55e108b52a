// Types of the package; `docs/wasm.md` explains the parts below `Game` and `Agent`.

/** A sentence: a key of the catalogue and its facts. */
export type Message = [string, Record<string, unknown>];

/** A view as JSON: what `view.data()` returns in Python (docs/views.md). */
export interface ViewData {
  game: string;
  rules: Record<string, unknown>;
  seat: number | null;
  turn: number | null;
  over: boolean;
  scores: number[];
  ply: number;
  legal: {action: string; says: Message}[];
  log_from: number;
  log: ({event: string; says: Message} & Record<string, unknown>)[];
  table: Record<string, any>;
}

export interface GameTold {
  name: string;
  title: string;
  seats: number;
  agents: string[];
}

export interface Catalog {
  games: GameTold[];
  agents: Record<string, {name: string; says: Message; rating: number | null}[]>;
}

/** A game in progress. */
export interface Table {
  readonly seed: bigint;
  /** Numbers of the actions played, and of those that are legal. */
  readonly actions: number[];
  readonly legal: number[];
  /** The seat to act; -1 when the game is over. */
  readonly turn: number;
  readonly over: boolean;
  readonly ply: number;
  play(action: number): void;
  back(ply: number): Table;
  record(seat: number): Uint8Array;
}

export interface Rules {
  readonly seats: number;
  scores(record: Uint8Array): number[];
  payoffs(record: Uint8Array): number[];
}

export class Game {
  readonly rules: Rules;
  deal(seed?: bigint | number | string): Table;
  view(table: Table, seat: number, from?: number): ViewData;
  play(table: Table, action: string): void;
  legal(table: Table): string[];
  replay(record: {seed: bigint | number | string; actions: string[]}): Table;
  agent(name: string): Promise<Agent>;
}

export class Agent {
  decide(table: Table, luck?: bigint): string;
}

export class Library {
  constructor(root: string | URL);
  catalog(): Promise<Catalog>;
  /** Names of the agents that play a game by these rules. */
  agents(name: string, rules?: Record<string, unknown>): Promise<string[]>;
  game(name: string, rules?: Record<string, unknown>): Promise<Game>;
}

/** A file of the folder that could not be loaded. */
export class Missing extends Error {}

export const NOBODY: -1;

export function open(root?: string | URL): Library;
