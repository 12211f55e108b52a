// Cities of 7 Wonders: one's own, the neighbours' with their goods, distant ones; and the table of points.

import {BOARDS, CARDS} from "/a/deck.js";
import {html} from "/a/draw.js";
import {COLOURS, GOODS, RAW, costSigns, either, giftSigns, sign, wonderPicture} from "/a/signs.js";

export const SALE = 3; // coins for a sold card
export const RESOLVED = ["built", "stage", "sold", "income", "no revival", "discarded", "war", "age"]; // events at the end of a turn

const NARROW = 560; // pixels: below, the cards of one's own city are collapsed
const KINDS = ["military", "coins", "wonder", "civil", "commerce", "guilds", "science", "total"];
const KIND_SIGNS = {
  military: "shield", coins: "coin", wonder: "stage", civil: "blue", commerce: "yellow", guilds: "purple", science: "compass",
};

export const word = ({context}, key, facts) => context.word(`page.wonders.${key}`, facts);
export const cardName = (card) => [`wonders.card.${card}`, {}];
export const nameOf = ({context}, card) => context.say(cardName(card));
export const hush = (text) => html("span", {class: "hush"}, text);
const boardName = (board) => [`wonders.board.${board}`, {}];
const resourceName = (kind) => [`wonders.resource.${kind}`, {}];
const unseen = (...children) => html("span", {"aria-hidden": "true"}, ...children);
const repeated = (units) => Object.entries(units).flatMap(([kind, count]) => Array(count).fill(kind));
const signed = (number) => (number > 0 ? `+${number}` : number < 0 ? `−${-number}` : "0");

// --- Whole cities -------------------------------------------------------------------------------------

export function ownCity(shown, city) {
  return html(
    "section",
    {class: "wn-city wn-own", "aria-label": word(shown, "city.own", {board: boardName(city.board)})},
    head(shown, city),
    deeds(shown, city),
    stages(shown, city),
    statistics(shown, city),
    production(shown, city),
    folded(shown, city, shown.all.clientWidth > NARROW),
  );
}

export function neighbour(shown, city, side) {
  const label = word(shown, `city.${side}`, {who: {seat: city.seat}, board: boardName(city.board)});
  return html(
    "section",
    {class: `wn-city wn-next wn-${side}`, "aria-label": label},
    head(shown, city, side),
    deeds(shown, city),
    !shown.view.over && sale(shown, city, side),
    statistics(shown, city),
    stages(shown, city),
    folded(shown, city, false),
  );
}

// A distant city; any city for a spectator.
export function otherCity(shown, city) {
  return html(
    "details",
    {class: "wn-city wn-far", "data-key": `city-${city.seat}`},
    html("summary", {}, head(shown, city), deeds(shown, city), statistics(shown, city)),
    stages(shown, city),
    production(shown, city),
    built(shown, city),
  );
}

// --- Parts of a city ------------------------------------------------------------------------------------

function head(shown, city, side = null) {
  const {context} = shown;
  return html(
    "div",
    {class: "wn-head"},
    wonderPicture(city.board),
    html(
      "div",
      {class: "wn-title"},
      html("strong", {}, side && sign(side), context.names[city.seat]),
      html("span", {}, context.say(boardName(city.board)), " ", sign(city.start)),
    ),
  );
}

// Short text of a city's events in the last turn.
function deeds(shown, city) {
  const {news} = shown;
  const last = news.findLastIndex(({event}) => RESOLVED.includes(event));
  let first = last;
  while (first > 0 && RESOLVED.includes(news[first - 1].event)) first -= 1;
  const entries = last < 0 ? [] : news.slice(first, last + 1).filter(({seat}) => seat === city.seat);
  const told = entries.map((entry) => deed(shown, entry)).filter(Boolean);
  return told.length > 0 && html("p", {class: "wn-deeds"}, told);
}

function deed(shown, {event, card, stage, coins, left, right}) {
  const tell = (ground, text) => html("span", {class: `wn-deed wn-bg-${ground}`}, text);
  if (event === "built") return tell(CARDS[card][0], `+ ${nameOf(shown, card)}`);
  if (event === "stage") return tell("stage", word(shown, "deed.stage", {stage}));
  if (event === "sold") return tell("coins", word(shown, "deed.sold", {coins: SALE}));
  if (event === "income") return tell("coins", word(shown, "deed.income", {coins}));
  if (event === "war" && (left || right)) return tell("red", word(shown, "deed.war", {left: signed(left), right: signed(right)}));
  return null;
}

function stages(shown, city) {
  const steps = city.steps.map(({cost, gives}, i) => {
    const state = i < city.stages ? "built" : i === city.stages ? "next" : "later";
    const text = word(shown, `stage.${state}`, {stage: i + 1, gives, cost});
    const [costs, gift] = BOARDS[city.board][i];
    return html(
      "li",
      {class: `wn-stage wn-stage-${state}`, title: text},
      hush(text),
      html("span", {class: "wn-cost", "aria-hidden": "true"}, state === "built" ? "✓" : costSigns(costs)),
      html("span", {class: "wn-gift", "aria-hidden": "true"}, giftSigns(gift)),
    );
  });
  return html("ol", {class: "wn-stages", role: "list", "aria-label": word(shown, "stages")}, steps);
}

// Coins, shields, war, science, stages and points.
function statistics(shown, city) {
  const {victories, defeats, symbols, wild} = city;
  const item = (text, ...children) => html("li", {title: text}, hush(text), unseen(...children));
  const units = (what, count) => item(shown.context.say([`wonders.units.${what}`, {n: count}]), sign(what), String(count));
  const war = html("span", {class: "wn-war"}, `+${victories} −${defeats}`);
  return html(
    "ul",
    {class: "wn-statistics", role: "list"},
    units("coin", city.coins),
    units("shield", city.shields),
    (victories > 0 || defeats > 0) && item(word(shown, "war", {won: victories, lost: defeats}), war),
    Object.entries({...symbols, wild}).filter(([, count]) => count).map(([symbol, count]) => units(symbol, count)),
    item(word(shown, "stage-count", {stages: city.stages, of: city.of}), sign("stage"), `${city.stages}/${city.of}`),
    item(word(shown, "points", {points: city.points.total}), sign("points"), String(city.points.total)),
  );
}

// Production per turn: units, one of two, one of all.
function production(shown, city) {
  const {units, either: eithers, any} = city.resources;
  return resources(shown, "makes", repeated(units), [...eithers, ...any]);
}

// Goods of a neighbour with their prices, for raw materials and manufactured goods.
function sale(shown, city, side) {
  const {prices} = shown.view.table.cities[shown.view.seat];
  const {units, either: eithers} = city.resources;
  const of = (kinds) => repeated(units).filter((kind) => kinds.includes(kind));
  return html(
    "div",
    {class: "wn-sale"},
    html("h2", {}, word(shown, "sale")),
    resources(shown, "sells", of(RAW), eithers, prices[side]),
    resources(shown, "sells", of(GOODS), [], prices.goods),
  );
}

// Resources as signs, with text for screen readers.
function resources(shown, key, kinds, choices, coins = null) {
  const choice = (some) => ["page.wonders.listed", {what: {several: some.map(resourceName), with: "or"}}];
  const names = [...kinds.map(resourceName), ...choices.map(choice)];
  if (!names.length) return null;
  return html(
    "p",
    {class: "wn-resources"},
    hush(word(shown, key, {coins, what: {several: names, with: "and"}})),
    unseen(coins !== null && html("span", {class: "wn-price"}, sign("coin", coins)), kinds.map((kind) => sign(kind)), choices.map(either)),
  );
}

function folded(shown, city, isOpen) {
  const cards = Object.values(city.cards).flat().length;
  if (!cards) return null;
  const summary = html("summary", {}, word(shown, "built", {cards}));
  return html("details", {"data-key": `built-${city.seat}`, open: isOpen}, summary, built(shown, city));
}

// Cards of a city by colour, each with its effect.
function built(shown, city) {
  const chip = (card, colour) =>
    html(
      "li",
      {class: `wn-chip wn-bg-${colour}`},
      html("span", {class: "wn-kind", "aria-hidden": "true"}, sign(colour)),
      html("span", {class: "wn-chip-name"}, nameOf(shown, card)),
      html("span", {class: "wn-chip-signs", "aria-hidden": "true"}, giftSigns(CARDS[card][2])),
    );
  const group = (colour) =>
    html(
      "ul",
      {class: "wn-group", role: "list", "aria-label": word(shown, `colour.${colour}`)},
      city.cards[colour].map((card) => chip(card, colour)),
    );
  return html("div", {class: "wn-built"}, COLOURS.filter((colour) => city.cards[colour].length).map(group));
}

// --- Points -----------------------------------------------------------------------------------------------

// Points by kind, a row per city; at the end the best first.
export function pointsTable(shown) {
  const {view} = shown;
  const worth = ({points, coins}) => 1000 * points.total + coins; // coins break ties
  const order = [...view.table.cities];
  if (view.over) order.sort((a, b) => worth(b) - worth(a));
  return html(
    "table",
    {class: "wn-table"},
    html("caption", {}, word(shown, view.over ? "points-end" : "points-now")),
    html("thead", {}, html("tr", {}, html("th", {scope: "col"}, word(shown, "city")), KINDS.map((kind) => kindHead(shown, kind)))),
    html("tbody", {}, order.map((city) => pointsRow(shown, city, view.over && worth(city) === worth(order[0])))),
  );
}

function kindHead(shown, kind) {
  const name = KIND_SIGNS[kind];
  const text = word(shown, `kind.${kind}`);
  let drawn = "Σ";
  if (name) drawn = COLOURS.includes(name) ? html("span", {class: `wn-chip-sign wn-bg-${name}`}, sign(name)) : sign(name);
  return html("th", {scope: "col", title: text}, hush(text), unseen(drawn));
}

function pointsRow(shown, city, isWinner) {
  const {context} = shown;
  const {victories, defeats, points} = city;
  const tokens = (victories > 0 || defeats > 0) && html("small", {}, `+${victories} −${defeats}`);
  return html(
    "tr",
    {class: isWinner ? "wn-winner" : null},
    html(
      "th",
      {scope: "row"},
      isWinner && unseen("♛ "),
      context.names[city.seat],
      isWinner && hush(` (${word(shown, "winner")})`),
      html("small", {}, context.say(boardName(city.board))),
    ),
    KINDS.map((kind) => html("td", {class: `wn-of-${kind}`}, String(points[kind]).replace("-", "−"), kind === "military" && tokens)),
  );
}
