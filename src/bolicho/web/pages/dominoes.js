// The table of dominoes, draw and all fives: the other hand above, the line on its cloth, one's own hand below.

import {html, picture, svg} from "/a/draw.js";
import {redraw} from "/a/redraw.js";
import {DEFINITIONS, back, face, fit, halves, nameOf} from "/a/tiles.js";

const MARGIN = 14; // pixels between the line and the border of the cloth
const LARGEST = 36; // most pixels of half a tile
const BADGE = 15; // pixels from the middle of an end's value to the end of the line
const TARGET = 25; // the same for a button
const ARROWS = {l: "M5-6L-6 0L5 6Z", r: "M-5-6L6 0L-5 6Z", u: "M-6 5L0-6L6 5Z", d: "M-6-5L0 6L6-5Z"};
const TURNS = {"0,1": 0, "0,-1": 180, "1,0": -90, "-1,0": 90}; // degrees of a tile, upright with its high half above, by direction

const STAR = // ornament on the cloth
  '<path d="M0-9.5L2-2L9.5 0L2 2L0 9.5L-2 2L-9.5 0L-2-2Z"/><path d="M5-5L3.2 0L5 5L0 3.2L-5 5L-3.2 0L-5-5L0-3.2Z" opacity=".6"/>';

export const opensCards = true;

const tables = new WeakMap(); // by root: view, context, chosen tile, bends of the line

// Draw a view of dominoes into `context.root`.
export function table(view, context) {
  let shown = tables.get(context.root);
  if (!shown?.cloth.isConnected) tables.set(context.root, (shown = begin(context.root)));
  const isAgain = shown.view?.ply === view.ply;
  if (!isAgain || !context.canAct) shown.chosen = null;
  if (!isAgain || view.log.length) shown.news = view.log;
  if (view.log.some(({event}) => event === "chose")) context.sound?.("knock");
  if (view.log.some(({event}) => event === "points")) context.sound?.("point");
  Object.assign(shown, {view, context});
  draw(shown);
}

// Summary above the points.
export function title(view, {word}) {
  return word(view.table.fives ? "page.dominoes.title.fives" : "page.dominoes.title.draw", {multiple: view.rules.multiple ?? 5});
}

// Fixed parts of the table, and the actions of its buttons.
function begin(root) {
  const part = (name) => html("div", {class: `dm-${name}`});
  const world = svg("g", {class: "dm-world"});
  const shown = {chosen: null, reach: null, tiles: new Map(), world};
  for (const name of ["other", "cloth", "words", "ends", "seam", "mine"]) shown[name] = part(name);
  const star = picture(STAR, {viewBox: "-10 -10 20 20", class: "dm-star"});
  shown.cloth.append(star, svg("svg", {class: "dm-line", "aria-hidden": "true"}, world), shown.words, shown.ends);
  const colours = picture(`<defs>${DEFINITIONS}</defs>`, {class: "dm-colours"});
  const all = html("div", {class: "dominoes"}, colours, shown.other, shown.cloth, shown.seam, shown.mine);
  root.replaceChildren(all);
  all.addEventListener("click", (event) => press(shown, event));
  all.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && shown.chosen) choose(shown, null);
  });
  new ResizeObserver(() => shown.view && drawLine(shown)).observe(shown.cloth);
  return shown;
}

function press(shown, event) {
  const button = event.target.closest("button");
  if (!button || event.detail > 1) return; // ignores the second click of a double click
  const {action, tile} = button.dataset;
  if (action) shown.context.send(action);
  else choose(shown, tile && tile !== shown.chosen ? tile : null);
}

// Choose a tile, to select its end next; null for none.
function choose(shown, tile) {
  const before = shown.chosen;
  shown.chosen = tile;
  draw(shown);
  const next = tile ? shown.ends.querySelector("button") : shown.mine.querySelector(`[data-tile="${before}"]`);
  next?.focus({preventScroll: true});
}

function draw(shown) {
  redraw(shown.other, otherSide(shown));
  redraw(shown.mine, ownSide(shown));
  redraw(shown.seam, seam(shown));
  drawLine(shown);
}

// --- Facts of a view --------------------------------------------------------------------------------

const word = ({context}, key, facts) => context.word(`page.dominoes.${key}`, facts);

// Seat shown below: the player's own, or the first for a spectator.
const below = ({view}) => view.seat ?? 0;

const isMyTurn = ({view, context}) => context.canAct && !view.over && view.turn === view.seat;

// Legal plays of each tile: {"6-4": [{action, side, says, points}]}.
function plays(shown) {
  const found = {};
  if (!isMyTurn(shown)) return found;
  const {ends, points} = shown.view.table;
  for (const {action, says} of shown.view.legal) {
    const [tile, side] = action.split(" ");
    const sole = Object.keys(ends).find((one) => halves(tile).includes(ends[one]));
    (found[tile] ??= []).push({action, side: side ?? sole ?? null, says, points: points?.[action] ?? 0});
  }
  return found;
}

// Events of a seat in the last choice: drew, passed, scored, won.
function happened({news}, seat) {
  const last = news.findLastIndex((entry) => entry.event === "chose");
  const entries = news.slice(Math.max(0, last)).filter((entry) => entry.seat === seat);
  const of = (event) => entries.filter((entry) => entry.event === event);
  return {
    drew: of("drew").length,
    passed: of("passed").length > 0,
    points: of("points").reduce((sum, entry) => sum + entry.points, 0),
    won: of("won")[0],
  };
}

// --- The two sides of the table ---------------------------------------------------------------------

const tilePicture = (inside) =>
  picture(`<rect x="-.41" y="-.88" width=".94" height="1.94" rx=".15" opacity=".28"/>${inside}`, {viewBox: "-.52 -1.02 1.08 2.12"});

const lyingTile = (tile, more = "") =>
  html("span", {class: `dm-tile ${more}`, role: "img", "aria-label": tile}, tilePicture(face(...halves(tile))));

// Name of a seat, its last event, and values that it lacked when it last drew or passed.
function place(shown, seat) {
  const {view, context} = shown;
  const {drew, passed, points, won} = happened(shown, seat);
  const lacked = view.over || seat === view.seat ? [] : view.table.lacked[seat];
  const bubbles = [
    drew > 0 && word(shown, "drew", {tiles: drew}),
    passed && word(shown, "passed"),
    points > 0 && word(shown, "scored", {points}),
    won && word(shown, won.blocked ? "blocked" : "out", {points: won.points}),
  ].filter(Boolean);
  return html(
    "div",
    {class: "dm-place"},
    html("p", {class: view.turn === seat && !view.over ? "dm-name dm-turn" : "dm-name"}, context.names[seat] ?? ""),
    bubbles.map((text) => html("p", {class: "dm-bubble"}, text)),
    lacked.length > 0 && html("p", {class: "dm-lacked"}, word(shown, "lacked", {values: {several: lacked, with: "or"}})),
  );
}

// Open hand, or the backs of its tiles.
function lyingHand(shown, seat) {
  const {counts, hands} = shown.view.table;
  const open = hands?.[seat] ?? shown.context.opened?.[seat]?.hand;
  if (!open) {
    const tiles = Array.from({length: counts[seat]}, () => html("span", {class: "dm-tile"}, tilePicture(back())));
    return html("div", {class: "dm-row", role: "img", "aria-label": word(shown, "count", {tiles: counts[seat]})}, tiles);
  }
  const pips = open.flatMap(halves).reduce((sum, value) => sum + value, 0);
  return html(
    "div",
    {class: "dm-hand"},
    html("div", {class: "dm-row dm-open"}, open.map((tile) => lyingTile(tile))),
    html("p", {}, open.length ? word(shown, "left", {pips}) : word(shown, "empty")),
  );
}

function otherSide(shown) {
  const {boneyard} = shown.view.table;
  const pile = Array.from({length: Math.min(3, boneyard)}, () => tilePicture(back()));
  return [
    place(shown, 1 - below(shown)),
    lyingHand(shown, 1 - below(shown)),
    html("p", {class: "dm-boneyard"}, html("span", {class: "dm-pile", "aria-hidden": "true"}, pile), word(shown, "boneyard", {tiles: boneyard})),
  ];
}

function ownSide(shown) {
  const {view} = shown;
  const isMine = view.seat !== null && !view.over;
  const hand = isMine ? html("div", {class: "dm-row dm-own", tabindex: "-1"}, ownHand(shown)) : lyingHand(shown, below(shown));
  return [hand, place(shown, below(shown))];
}

function ownHand(shown) {
  const can = plays(shown);
  return shown.view.table.hand.map((tile) => {
    const ways = can[tile];
    if (!ways) return lyingTile(tile, isMyTurn(shown) ? "dm-idle" : "");
    const best = Math.max(...ways.map(({points}) => points));
    const sole = ways.length === 1 ? ways[0] : null;
    return html(
      "button",
      {
        class: "dm-tile",
        type: "button",
        "data-key": tile,
        "data-action": sole?.action,
        "data-tile": sole ? null : tile,
        "aria-pressed": sole ? null : String(shown.chosen === tile),
        "aria-label": sole ? named(shown, sole) : word(shown, "several", {tile, ends: ways.length}),
      },
      tilePicture(face(...halves(tile))),
      best > 0 && html("b", {class: "dm-points", "aria-hidden": "true"}, `+${best}`),
    );
  });
}

// Name of a play, with its score.
const named = (shown, {says, points}) => (points ? word(shown, "scoring", {what: says, points}) : shown.context.say(says));

// Row between cloth and hand: sum of the ends, prompt, weight of the hand.
function seam(shown) {
  const {view} = shown;
  const {line, pips, total} = view.table;
  const isScoring = total > 0 && total % (view.rules.multiple ?? 5) === 0;
  return [
    total !== null && line.row.length > 0 && html("p", {class: isScoring ? "dm-total dm-scoring" : "dm-total"}, word(shown, "total", {total})),
    html("p", {class: "dm-ask"}, asked(shown)),
    !view.over && pips !== null && html("p", {}, word(shown, "pips", {pips})),
  ];
}

function asked(shown) {
  const {view, chosen} = shown;
  if (view.over || (shown.context.isLive && shown.context.isOver)) return [];
  const cancel = () => html("button", {type: "button", class: "dm-cancel", "data-key": "cancel"}, word(shown, "cancel"));
  if (chosen) return [word(shown, "which", {tile: chosen}), cancel()];
  if (!isMyTurn(shown)) return [away(shown) ?? word(shown, "theirs", {who: {seat: view.turn}})];
  if (view.table.lead) return [word(shown, "lead", {tile: view.table.lead})];
  return [word(shown, view.table.line.row.length ? "yours" : "open")];
}

// Said instead of "to play" of a player who is away.
const away = ({view, context}) => (context.players?.[view.turn]?.here === false ? context.waitedFor(view.turn) : null);

// --- The line ---------------------------------------------------------------------------------------

function drawLine(shown) {
  const {line, ends} = shown.view.table;
  const room = {width: shown.cloth.clientWidth, height: shown.cloth.clientHeight};
  if (!room.width || !room.height) return;
  const laid = fit(line, ends, room.width - 2 * MARGIN, room.height - 2 * MARGIN, LARGEST, line.row.length > 1 ? shown.reach : null);
  const {unit, box} = laid;
  const origin = {x: room.width / 2 - (unit * (box.left + box.right)) / 2, y: room.height / 2 - (unit * (box.top + box.bottom)) / 2};
  shown.reach = laid.reach;
  shown.world.style.transform = `translate(${origin.x}px, ${origin.y}px) scale(${unit})`;
  drawTiles(shown, laid.placed);
  drawEnds(shown, laid.open, (end, off) => ({
    left: within(origin.x + unit * end.x + off * end.along[0], off + 4, room.width),
    top: within(origin.y + unit * end.y + off * end.along[1], off + 4, room.height),
  }));
  shown.words.textContent = inWords(shown);
}

const within = (at, margin, most) => Math.min(Math.max(at, margin), most - margin);

// Tiles keep their elements between views, so that they move smoothly when the line bends differently.
function drawTiles(shown, placed) {
  const names = placed.map(({inner, outer}) => nameOf(inner, outer));
  for (const [name, {element}] of shown.tiles) {
    if (names.includes(name)) continue;
    element.remove();
    shown.tiles.delete(name);
  }
  const isNews = placed.length === shown.tiles.size + 1;
  placed.forEach(({x, y, inner, outer, along}, i) => {
    const tile = shown.tiles.get(names[i]) ?? newTile(shown, names[i], isNews);
    tile.turn = nearestTurn(tile.turn, TURNS[along.join()] + (inner < outer ? 180 : 0));
    tile.body.style.transform = `translate(${x}px, ${y}px) rotate(${tile.turn}deg)`;
    tile.shadow.style.transform = `translate(${x + 0.06}px, ${y + 0.1}px) rotate(${tile.turn}deg)`;
    tile.element.classList.toggle("dm-last", names[i] === shown.view.table.last);
  });
}

function newTile(shown, name, isNews) {
  const drawn = picture(
    '<g><rect class="dm-shadow" x="-.47" y="-.97" width=".94" height="1.94" rx=".15" opacity=".3"/>' +
      `<g class="dm-body"><g class="${isNews ? "dm-new" : ""}">` +
      `<rect class="dm-mark" x="-.57" y="-1.07" width="1.14" height="2.14" rx=".24"/>${face(...halves(name))}</g></g></g>`,
  );
  const element = drawn.firstChild;
  const tile = {element, shadow: element.firstChild, body: element.lastChild, turn: 0};
  shown.world.append(element);
  shown.tiles.set(name, tile);
  return tile;
}

// The same angle, by the shorter rotation from the previous one.
const nearestTurn = (before, turn) => turn + 360 * Math.round((before - turn) / 360);

// Values of the open ends; buttons where the chosen tile fits.
function drawEnds(shown, open, spot) {
  const {ends} = shown.view.table;
  const ways = (shown.chosen && plays(shown)[shown.chosen]) || [];
  const sides = Object.keys(ends).filter((side) => open[side]);
  redraw(shown.ends, sides.map((side) => {
    const way = ways.find((one) => one.side === side);
    const element = way ? target(shown, way, ends[side]) : html("span", {class: "dm-end", "aria-hidden": "true"}, String(ends[side]));
    const {left, top} = spot(open[side], way ? TARGET : BADGE);
    Object.assign(element.style, {left: `${left}px`, top: `${top}px`});
    return element;
  }));
}

function target(shown, way, value) {
  return html(
    "button",
    {type: "button", class: "dm-end dm-target", "data-action": way.action, "data-key": way.action, "aria-label": named(shown, way)},
    picture(`<path d="${ARROWS[way.side]}"/>`, {viewBox: "-8 -8 16 16"}),
    String(value),
    way.points > 0 && html("b", {class: "dm-points"}, `+${way.points}`),
  );
}

// Text of the line for screen readers.
function inWords(shown) {
  const {line, ends} = shown.view.table;
  if (!line.row.length) return word(shown, "no-line");
  const tiles = (list) => list.map(([a, b]) => `${a}-${b}`).join(" ");
  const sides = Object.entries(ends).map(([side, value]) => [`page.dominoes.end.${side}`, {value}]);
  return [
    word(shown, "line", {tiles: tiles(line.row)}),
    ...["up", "down"].filter((arm) => line[arm].length).map((arm) => word(shown, `arm.${arm}`, {tiles: tiles(line[arm])})),
    word(shown, "ends", {ends: {several: sides, with: "and"}}),
  ].join(" ");
}
