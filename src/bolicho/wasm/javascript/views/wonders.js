// The reading of 7 Wonders, as bolicho/games/wonders/state.py, building.py and text.py have it.

import {NOBODY} from "../table.js";

const NONE = -1;
const [BUILD, WONDER, SELL, FREE, REVIVE] = [0, 1, 2, 3, 4];
const [AGE_BEGINS, BUILDS, RAISES, SELLS, INCOME, NO_REVIVAL, DISCARDS, WAR] = [1, 2, 3, 4, 5, 6, 7, 8];
const HOW = ["paid", "chain", "free", "revived"];
const ROMAN = ["I", "II", "III"];
const HAND = 7;
const HELD = 0;
const [NUM_RAW, NUM_GOODS] = [4, 3];

const listOf = (view, name) => [...view.reader.of(name).values()];
const and = (several) => ({several, with: "and"});

// --- Actions -------------------------------------------------------------------------------------

function parts(view, number) {
  const {split, most_left: most} = view.description.facts;
  const plain = number < split ? number : Math.floor((number - split) / (most + 1));
  const cards = listOf(view, "card").length;
  return {
    plain,
    kind: Math.floor(plain / cards),
    card: plain % cards,
    left: number < split ? null : (number - split) % (most + 1),
  };
}

const plainText = (view, plain) => view.reader.of("plain action").get(plain);

function ways(view, kind, card) {
  const {module, room} = view.reading.rules;
  const most = view.description.facts.most_left + 2;
  const [count] = view.whole("ways", [view.pool(), 1, view.turn, kind, card, room, most, 2], 1);
  const found = new BigInt64Array(module.memory.buffer, room, 2 * count);
  return Array.from({length: count}, (_, i) => [Number(found[2 * i]), Number(found[2 * i + 1])]);
}

const isChosen = (view) => view.description.rules.trade === "choose";

export function textOf(view, number) {
  const {plain, kind, card, left} = parts(view, number);
  if (!isChosen(view) || (left === null && kind > WONDER)) return plainText(view, plain);
  const known = view.turn >= 0 ? ways(view, kind, card) : [];
  if (known.length < 2) return plainText(view, plain);
  const coins = left ?? known[0][0];
  const way = known.find(([one]) => one === coins);
  return way ? `${plainText(view, plain)} ${coins}/${way[1]}` : plainText(view, plain);
}

const nameCard = (card) => [`wonders.card.${card}`, {}];

export function nameOf(text) {
  const [, kind, card, left, right] = /^(\w+) (.+?)(?: (\d+)\/(\d+))?$/.exec(text);
  const action = [`wonders.action.${kind}`, {card: nameCard(card)}];
  return left === undefined ? action : ["wonders.action.paying", {action, left: Number(left), right: Number(right)}];
}

// --- Events --------------------------------------------------------------------------------------

export function entry(view, [kind, seat, value, extra]) {
  const [left, right] = [extra & 15, (extra >> 4) & 15];
  const card = value >= 0 ? view.reader.of("card").get(value) : null;
  switch (kind) {
    case AGE_BEGINS: return {event: "age", age: value + 1};
    case BUILDS: return {event: "built", seat, card, how: HOW[extra >> 10], left, right, bank: (extra >> 9) & 1};
    case RAISES: return {event: "stage", seat, stage: (extra >> 9) + 1, card, left, right};
    case SELLS: return {event: "sold", seat, card};
    case INCOME: return {event: "income", seat, coins: value};
    case NO_REVIVAL: return {event: "no revival", seat, stage: value + 1};
    case DISCARDS: return {event: "discarded", seat, card};
    case WAR: return {event: "war", seat, left: value, right: extra};
    default: {
      const action = value >= 0 ? plainText(view, parts(view, value).plain) : null;
      return {event: "chose", seat, action, age: Math.floor(extra / HAND) + 1, turn: (extra % HAND) + 1};
    }
  }
}

const signed = (number) => (number < 0 ? String(number) : `+${number}`);

export function said(told) {
  if (told.event === "age") return ["wonders.age", {age: ROMAN[told.age - 1]}];
  const who = {seat: told.seat};
  const card = told.card ? nameCard(told.card) : ["wonders.hidden", {}];
  switch (told.event) {
    case "built": return paying([`wonders.built.${told.how}`, {who, card}], told);
    case "stage": return paying(["wonders.stage", {who, stage: told.stage, card}], told);
    case "sold": return ["wonders.sold", {who, card}];
    case "income": return ["wonders.income", {who, coins: told.coins}];
    case "no revival": return ["wonders.no revival", {who}];
    case "discarded": return ["wonders.discarded", {who, card}];
    case "war": return ["wonders.war", {who, left: signed(told.left), right: signed(told.right)}];
    default: return told.action === null
      ? ["wonders.chosen", {who}]
      : ["wonders.chose", {who, action: nameOf(told.action)}];
  }
}

const paying = (what, {left, right, bank = 0}) =>
  (left + right + bank ? ["wonders.paying", {what, price: priceSaid({left, right, bank})}] : what);

function priceSaid(price) {
  const several = ["left", "right", "bank"].flatMap(
    (who) => (price[who] ? [[`wonders.price.${who}`, {coins: price[who]}]] : []));
  return several.length ? ["wonders.price", {parts: {several, with: ","}}] : ["wonders.price.free", {}];
}

// --- Cities --------------------------------------------------------------------------------------

const neighbours = (seat, seats) => [(seat + 1) % seats, (seat + seats - 1) % seats];

function city(view, s, seat) {
  const {facts} = view.description;
  const board = s.board[seat];
  const stages = s.stages[seat];
  const symbols = s.symbols[seat];
  const names = listOf(view, "symbol").slice(0, -1);
  const points = view.whole("points", [view.pool(), 1, seat], facts.points.length);
  const [left, right, goods] = s.price[seat];
  return {
    seat,
    board: view.reader.of("board").get(board),
    start: view.reader.of("resource").get(facts.starts[board]),
    stages,
    of: facts.stages[board].length,
    steps: facts.stages[board].map((number) => ({cost: facts.costs[number], gives: facts.gives[number]})),
    cards: byColour(view, s.built[seat]),
    resources: resources(view, board, stages, s.built[seat]),
    coins: s.coins[seat],
    shields: s.shields[seat],
    victories: s.victories[seat],
    defeats: s.defeats[seat],
    symbols: Object.fromEntries(names.map((name, i) => [name, symbols[i]])),
    wild: symbols.at(-1),
    prices: {left, right, goods},
    points: Object.fromEntries(facts.points.map((kind, i) => [kind, points[i]])),
  };
}

const numberOf = (view, name) => listOf(view, "card").indexOf(name); // of two cards of a name, the first

function byColour(view, built) {
  const colours = listOf(view, "colour");
  const found = Object.fromEntries(colours.map((colour) => [colour, []]));
  for (const name of built) found[colours[view.description.facts.colours[numberOf(view, name)]]].push(name);
  return found;
}

function resources(view, board, stages, built) {
  const {facts} = view.description;
  const kinds = listOf(view, "resource");
  const units = {[kinds[facts.starts[board]]]: 1};
  const either = [];
  const any = [];
  const numbers = [...built.map((name) => numberOf(view, name)), ...facts.stages[board].slice(0, stages)];
  for (const gift of numbers.flatMap((number) => facts.makes[number].split(" + "))) {
    const made = gift.split(" ").at(-1).split("/");
    if (!kinds.includes(made[0])) continue;
    if (made.length === 1) units[made[0]] = (units[made[0]] ?? 0) + (/^\d/.test(gift) ? Number(gift[0]) : 1);
    else ([NUM_RAW, NUM_GOODS].includes(made.length) ? any : either).push(made);
  }
  const sorted = kinds.filter((kind) => kind in units).map((kind) => [kind, units[kind]]);
  return {units: Object.fromEntries(sorted), either, any};
}

// --- The hand ------------------------------------------------------------------------------------

function held(view, s) {
  if (view.turn < 0) return [];
  const {seats, facts} = view.description;
  const moved = facts.pass[s.age] * Math.min(s.round, HAND - 2);
  const row = (((view.seat - moved) % seats) + seats) % seats;
  const gone = s.fate[s.age][row][s.round] === HELD ? s.round : s.round + 1;
  return s.cards[s.age][row].slice(gone);
}

function cardTold(view, card) {
  const {facts} = view.description;
  return {
    card: view.reader.of("card").get(card),
    colour: view.reader.of("colour").get(facts.colours[card]),
    cost: facts.costs[card],
    gives: facts.gives[card],
  };
}

const coins = ([left, right, bank]) => ({left, right, bank, total: left + right + bank});
const priceOf = (view, number) => coins(view.whole("price", [view.pool(), 1, view.seat, number], 3));

// Whether a card or the next stage can be built, at which price, and why not.
function option(view, s, kind, card) {
  const {facts} = view.description;
  const {seat} = view;
  const all = facts.stages[s.board[seat]];
  if (kind === BUILD) {
    const name = view.reader.of("card").get(card);
    if (s.built[seat].includes(name)) return {status: "built", price: null, why: ["wonders.why.built", {}]};
    if (facts.freed_by[card].some((one) => s.built[seat].includes(one))) {
      return {status: "chain", price: coins([0, 0, 0]), why: null};
    }
  } else if (s.stages[seat] === all.length) return {status: "built", price: null, why: ["wonders.why.all stages", {}]};
  const price = priceOf(view, kind * listOf(view, "card").length + card);
  if (price.left === NONE) {
    const number = kind === BUILD ? card : all[s.stages[seat]];
    const several = lacking(view, s, number).map(([count, kinds]) => unitsSaid(count, kinds));
    return {status: "lacking", price: null, why: ["wonders.why.lacking", {lacking: and(several)}]};
  }
  if (price.total > s.coins[seat]) {
    const why = ["wonders.why.coins", {total: price.total, price: priceSaid(price), coins: s.coins[seat]}];
    return {status: "coins", price, why};
  }
  return {status: price.total ? "price" : "free", price, why: null};
}

function lacking(view, s, number) {
  const {facts, seats} = view.description;
  const kinds = listOf(view, "resource");
  const three = [view.seat, ...neighbours(view.seat, seats)];
  const sum = (rows, at) => three.reduce((total, seat) => total + rows[seat][at], 0);
  const wanted = facts.raw_wanted[number];
  let most = 0;
  let fewest = null;
  for (let set = 1; set < 1 << NUM_RAW; set++) {
    if ((set & wanted) !== set) continue;
    const lack = facts.raw_costs[number][set] - s.any_raw[view.seat] - sum(s.raw, set);
    if (lack > most || (lack === most && fewest !== null && bits(set).length < bits(fewest).length)) {
      [most, fewest] = [lack, set];
    }
  }
  const found = fewest === null ? [] : [[most, bits(fewest).map((kind) => kinds[kind])]];
  const goods = facts.goods_costs[number].map((cost, good) => Math.max(0, cost - sum(s.goods, good)));
  const units = goods.reduce((total, count) => total + count, 0) - s.any_goods[view.seat];
  if (units > 0) found.push([units, kinds.slice(NUM_RAW).filter((_, good) => goods[good])]);
  return found;
}

const bits = (set) => Array.from({length: NUM_RAW}, (_, bit) => bit).filter((bit) => (set >> bit) & 1);

function unitsSaid(n, kinds) {
  if (kinds.length === 1) return [`wonders.units.${kinds[0]}`, {n}];
  const several = kinds.map((kind) => [`wonders.resource.${kind}`, {}]);
  return ["wonders.lacking", {n, resources: {several, with: ","}}];
}

function offer(view, actions, {status, price, why}) {
  const told = {status, price, why, action: actions.length ? textOf(view, actions[0]) : null};
  if (actions.length < 2) return told;
  return {...told, ways: actions.map((number) => ({action: textOf(view, number), ...priceOf(view, number)}))};
}

const choice = (view, actions) => ({action: actions.length ? textOf(view, actions[0]) : null});

function hand(view, s, legal) {
  const cards = held(view, s);
  if (!cards.length) return [];
  const stage = option(view, s, WONDER, cards[0]); // the same for every card put under it
  const isFree = (card) => s.free[view.seat] && !s.built[view.seat].includes(view.reader.of("card").get(card));
  return cards.map((card) => ({
    ...cardTold(view, card),
    build: offer(view, legal(BUILD, card), option(view, s, BUILD, card)),
    wonder: offer(view, legal(WONDER, card), stage),
    free: isFree(card) ? choice(view, legal(FREE, card)) : null,
    sell: choice(view, legal(SELL, card)),
  }));
}

// --- The table -----------------------------------------------------------------------------------

export function table(view) {
  const s = view.fields();
  const {seats, facts} = view.description;
  const own = view.seat !== NOBODY;
  const by = new Map();
  for (const number of view.legal) {
    const {kind, card} = parts(view, number);
    by.set(`${kind} ${card}`, [...(by.get(`${kind} ${card}`) ?? []), number]);
  }
  const legal = (kind, card) => by.get(`${kind} ${card}`) ?? [];
  const chosen = own ? s.commit[view.seat] : NONE;
  const [left, right] = own ? neighbours(view.seat, seats) : [null, null];
  const revived = view.legal.map((number) => ({number, ...parts(view, number)})).filter(({kind}) => kind === REVIVE);
  return {
    age: s.age + 1,
    round: Math.min(s.round + 1, HAND),
    phase: s.phase,
    direction: facts.pass[s.age] === 1 ? "left" : "right",
    chosen: Array.from({length: seats}, (_, seat) => s.phase === "play" && seat < view.turn),
    cities: Array.from({length: seats}, (_, seat) => city(view, s, seat)),
    left,
    right,
    choice: chosen === NONE ? null : plainText(view, parts(view, chosen).plain),
    hand: own ? hand(view, s, legal) : [],
    revive: revived.map(({number, card}) => ({...cardTold(view, card), action: textOf(view, number)})),
  };
}
