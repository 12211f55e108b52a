// The reading of dominoes and all fives, as bolicho/games/dominoes/state.py and text.py have it.

import {NOBODY} from "../table.js";

const NONE = -1;
const NUM_SIDES = 4;
const [LEFT, RIGHT, UP] = [0, 1, 2];
const SIDES = "lrud";
const [OPENED, DREW, PASSED, SCORED, WON] = [1, 2, 3, 4, 5];

const halvesOf = (tile) => tile.split("-").map(Number);
const tileOf = (reader, number) => reader.of("tile").get(number);
const split = (number) => [Math.floor(number / NUM_SIDES), number % NUM_SIDES];

export function textOf(view, number) {
  const [tile, side] = split(number);
  const name = tileOf(view.reader, tile);
  const halves = halvesOf(name);
  const ends = view.reader.read(view.record, "ends");
  return ends.filter((value) => halves.includes(value)).length > 1 ? `${name} ${SIDES[side]}` : name;
}

export function nameOf(text) {
  const [tile, side] = text.split(" ");
  return side
    ? ["dominoes.action.side", {tile, side: [`dominoes.side.${side}`, {}]}]
    : ["dominoes.action.tile", {tile}];
}

export function entry({reader}, [kind, seat, value, extra]) {
  switch (kind) {
    case OPENED: return {event: "opens", seat, tile: tileOf(reader, value)};
    case DREW: return {event: "drew", seat, tile: tileOf(reader, value)};
    case PASSED: return {event: "passed", seat};
    case SCORED: return {event: "points", seat, points: value, for: "ends"};
    case WON: return {event: "won", seat, points: value, blocked: Boolean(extra)};
    default: {
      const [tile, side] = split(value);
      return {event: "chose", seat, action: tileOf(reader, tile) + (extra ? ` ${SIDES[side]}` : "")};
    }
  }
}

export function said(told) {
  const who = {seat: told.seat};
  switch (told.event) {
    case "opens": return ["dominoes.opens", {who, tile: told.tile}];
    case "drew": return told.tile === null ? ["dominoes.drew.hidden", {who}] : ["dominoes.drew.tile", {who, tile: told.tile}];
    case "passed": return ["dominoes.passed", {who}];
    case "points": return ["dominoes.points", {who, points: told.points}];
    case "won": return [`dominoes.won.${told.blocked ? "blocked" : "out"}`, {who, points: told.points}];
    default: return ["dominoes.chose", {who, action: nameOf(told.action)}];
  }
}

export function table(view) {
  const s = view.fields();
  const fives = Boolean(s.fives);
  const {seat} = view;
  const own = seat !== NOBODY;
  const hand = own ? s.hands[seat] : [];
  const plays = s.num_plays;
  return {
    fives,
    highest: s.highest,
    line: lay(view.reader, s.line.slice(0, plays), fives),
    ends: openEnds(s.ends),
    total: fives ? view.whole("ends_total", [view.pool(), 1], 1)[0] : null,
    hand,
    counts: s.counts,
    boneyard: s.num_boneyard - s.drawn,
    last: plays ? tileOf(view.reader, split(s.line[plays - 1])[0]) : null,
    lead: plays ? null : s.lead,
    lacked: [0, 1].map((one) => lacked(s, one)),
    points: fives ? Object.fromEntries(view.legal.map(
      (number) => [textOf(view, number), view.whole("points", [view.pool(), 1, number], 1)[0]])) : {},
    hands: view.turn < 0 ? s.hands : null,
    pips: own ? hand.reduce((sum, tile) => sum + halvesOf(tile)[0] + halvesOf(tile)[1], 0) : null,
  };
}

const openEnds = (ends) =>
  Object.fromEntries([...SIDES].map((side, i) => [side, ends[i]]).filter(([, value]) => value !== NONE));

function lay(reader, actions, fives) {
  const laid = {row: [], first: 0, spinner: null, up: [], down: []};
  const {row} = laid;
  for (const number of actions) {
    const [tile, side] = split(number);
    const [high, low] = halvesOf(tileOf(reader, tile));
    let place = 0;
    if (!row.length) row.push([high, low]);
    else if (side === LEFT) {
      const [inner] = row[0];
      row.unshift([high + low - inner, inner]);
      laid.first++;
      if (laid.spinner !== null) laid.spinner++;
    } else if (side === RIGHT) {
      const inner = row.at(-1)[1];
      row.push([inner, high + low - inner]);
      place = row.length - 1;
    } else {
      const arm = side === UP ? laid.up : laid.down;
      const inner = arm.length ? arm.at(-1)[1] : row[laid.spinner][0];
      arm.push([inner, high + low - inner]);
    }
    if (fives && high === low && laid.spinner === null) laid.spinner = place;
  }
  return laid;
}

function lacked(s, seat) {
  for (let ply = s.num_plays; ply > 0; ply--) {
    const stuck = s.stuck[ply];
    if (stuck && s.by[ply - 1] !== seat) {
      return Array.from({length: 16}, (_, value) => value).filter((value) => (stuck >> value) & 1);
    }
  }
  return [];
}
