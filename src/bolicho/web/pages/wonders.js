// The table of 7 Wonders: one's own city in the middle, the neighbours at its sides, the hand below, further cities compact.

import {BOARDS, CARDS} from "/a/deck.js";
import {html, picture} from "/a/draw.js";
import {redraw} from "/a/redraw.js";
import {COLOURS, DEFINITIONS, GOODS, RAW, costSigns, either, giftSigns, sign, wonderPicture} from "/a/signs.js";

const ROMAN = ["", "I", "II", "III"];
const KINDS = ["military", "coins", "wonder", "civil", "commerce", "guilds", "science", "total"];
const KIND_SIGNS = {military: "shield", coins: "coin", wonder: "stage", civil: "blue", commerce: "yellow", guilds: "purple", science: "compass"};
const SALE = 3; // coins for a card sold
const ACTION = /^(\w+) (.*?)(?: \d+\/\d+)?$/; // "build Palace 3/2": kind, card
const NARROW = 560; // pixels: below, the cards of one's own city are folded away
const RESOLVED = ["built", "stage", "sold", "income", "no revival", "discarded", "war", "age"]; // events of a turn's end

const tables = new WeakMap(); // what a root shows: its view and context, the card looked at, what happened last

// Draw a view of 7 Wonders into `context.root`.
export function table(view, context) {
  let shown = tables.get(context.root);
  if (!shown?.all.isConnected) tables.set(context.root, (shown = begin(context.root)));
  const isAgain = shown.view?.ply === view.ply;
  if (!isAgain || !context.canAct) shown.card = null;
  if (!isAgain || view.log.length) shown.news = view.log;
  Object.assign(shown, {view, context});
  draw(shown);
}

// What stands above the points.
export function title(view, {word}) {
  const {age, round} = view.table;
  return view.over ? word("page.wonders.end") : word("page.wonders.title", {age: ROMAN[age], turn: round});
}

// The fixed parts of the table, and what its buttons do.
function begin(root) {
  const shown = {card: null, news: []};
  for (const name of ["bar", "cities", "hand", "panel", "more"]) shown[name] = html("div", {class: `wn-${name}`});
  const colours = picture(`<defs>${DEFINITIONS}</defs>`, {class: "wn-colours"});
  shown.all = html("div", {class: "wn-all"}, colours, shown.bar, shown.cities, shown.hand, shown.panel, shown.more);
  root.replaceChildren(html("div", {class: "wonders"}, shown.all));
  shown.all.addEventListener("click", (event) => press(shown, event));
  shown.all.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && shown.card) look(shown, null);
  });
  return shown;
}

function press(shown, event) {
  const button = event.target.closest("button");
  if (!button || event.detail > 1) return; // the second half of a double click means nothing
  const {action, card} = button.dataset;
  if (action) shown.context.send(action);
  else look(shown, card && card !== shown.card ? card : null);
}

// Look at a card of the hand and what can be done with it, or at none.
function look(shown, card) {
  const before = shown.card;
  shown.card = card;
  drawHand(shown);
  const next = card ? shown.panel.querySelector("[data-action]") : shown.hand.querySelector(`[data-card="${before}"]`);
  next?.focus({preventScroll: true});
  if (card) shown.panel.scrollIntoView({block: "nearest"});
}

function draw(shown) {
  shown.all.classList.toggle("wn-over", shown.view.over);
  shown.cities.classList.toggle("wn-watching", shown.view.seat === null);
  redraw(shown.bar, bar(shown));
  redraw(shown.cities, cities(shown));
  redraw(shown.more, more(shown));
  drawHand(shown);
}

function drawHand(shown) {
  redraw(shown.hand, hand(shown));
  redraw(shown.panel, panel(shown));
  shown.all.classList.toggle("wn-looking", shown.panel.childElementCount > 0);
}

// --- What is known ----------------------------------------------------------------------------------

const word = ({context}, key, facts) => context.word(`page.wonders.${key}`, facts);
const cardName = (card) => [`wonders.card.${card}`, {}];
const boardName = (board) => [`wonders.board.${board}`, {}];
const nameOf = ({context}, card) => context.say(cardName(card));
const hush = (text) => html("span", {class: "hush"}, text);

// A sign with its meaning: what it stands for is said, and shown to who points at it.
const meant = (text, ...children) => html("span", {class: "wn-meant", title: text}, hush(text), html("span", {"aria-hidden": "true"}, children.flat()));

// What a seat did when the last turn was resolved.
function resolved({news}, seat) {
  const last = news.findLastIndex(({event}) => RESOLVED.includes(event));
  let first = last;
  while (first > 0 && RESOLVED.includes(news[first - 1].event)) first -= 1;
  return last < 0 ? [] : news.slice(first, last + 1).filter((entry) => entry.seat === seat);
}

// --- The bar: age, turn, where the hands go, who has chosen ---------------------------------------------

function bar(shown) {
  const {view, context} = shown;
  const {age, round, phase, direction, chosen, left, right} = view.table;
  if (view.over) return [html("p", {class: "wn-age"}, word(shown, "end"))];
  const to = direction === "left" ? left : right;
  const passing = to === null ? word(shown, `passing.${direction}`) : word(shown, `passing.${direction}.to`, {who: {seat: to}});
  return [
    html("p", {class: "wn-age"}, html("b", {"aria-hidden": "true"}, ROMAN[age]), html("span", {}, word(shown, "age", {age: ROMAN[age]}), html("br"), word(shown, phase === "play" ? "turn" : `phase.${phase}`, {turn: round}))),
    html("p", {class: `wn-passing wn-to-${direction}`}, sign(direction), passing),
    html(
      "ul",
      {class: "wn-chosen", role: "list", "aria-label": word(shown, "who")},
      view.table.cities.map(({seat}) => {
        const state = chosen[seat] ? "chosen" : view.turn === seat ? "choosing" : "waiting";
        return html("li", {class: `wn-${state}`}, html("span", {"aria-hidden": "true"}, {chosen: "✓", choosing: "●", waiting: "…"}[state]), ` ${context.names[seat]}`, hush(`: ${word(shown, `state.${state}`)}`));
      }),
    ),
  ];
}

// --- Cities ---------------------------------------------------------------------------------------------

function cities(shown) {
  const {view} = shown;
  const {left, right} = view.table;
  const city = (seat) => view.table.cities[seat];
  if (view.seat === null) return view.table.cities.map((one) => otherCity(shown, one));
  return [neighbour(shown, city(left), "left"), ownCity(shown, city(view.seat)), neighbour(shown, city(right), "right")];
}

function ownCity(shown, city) {
  return html(
    "section",
    {class: "wn-city wn-own", "aria-label": word(shown, "city.own", {board: boardName(city.board)})},
    cityHead(shown, city),
    deeds(shown, city),
    stages(shown, city),
    statistics(shown, city),
    production(shown, city),
    builtDetails(shown, city, shown.all.clientWidth > NARROW),
  );
}

function neighbour(shown, city, side) {
  return html(
    "section",
    {class: `wn-city wn-next wn-${side}`, "aria-label": word(shown, `city.${side}`, {who: {seat: city.seat}, board: boardName(city.board)})},
    cityHead(shown, city, side),
    deeds(shown, city),
    !shown.view.over && sale(shown, city, side),
    statistics(shown, city),
    stages(shown, city),
    builtDetails(shown, city, false),
  );
}

function builtDetails(shown, city, isOpen) {
  const cards = Object.values(city.cards).flat().length;
  return cards > 0 && html("details", {"data-key": `built-${city.seat}`, open: isOpen}, html("summary", {}, word(shown, "built", {cards})), built(shown, city));
}

// The cities further away, and all of them for who only watches.
function otherCity(shown, city) {
  return html(
    "details",
    {class: "wn-city wn-far", "data-key": `city-${city.seat}`},
    html("summary", {}, cityHead(shown, city), deeds(shown, city), statistics(shown, city)),
    stages(shown, city),
    production(shown, city),
    built(shown, city),
  );
}

function cityHead(shown, city, side = null) {
  return html(
    "div",
    {class: "wn-head"},
    wonderPicture(city.board),
    html("div", {class: "wn-title"}, html("strong", {}, side && sign(side), shown.context.names[city.seat]), html("span", {}, shown.context.say(boardName(city.board)), " ", sign(city.start))),
  );
}

// What happened to a city when the last turn was resolved, short.
function deeds(shown, city) {
  const happened = resolved(shown, city.seat).map((entry) => deed(shown, entry)).filter(Boolean);
  return happened.length > 0 && html("p", {class: "wn-deeds"}, happened);
}

function deed(shown, entry) {
  const {event, card, stage, coins, left, right} = entry;
  if (event === "built") return html("span", {class: `wn-deed wn-bg-${CARDS[card][0]}`}, `+ ${nameOf(shown, card)}`);
  if (event === "stage") return html("span", {class: "wn-deed wn-bg-stage"}, word(shown, "deed.stage", {stage}));
  if (event === "sold") return html("span", {class: "wn-deed"}, word(shown, "deed.sold", {coins: SALE}));
  if (event === "income") return html("span", {class: "wn-deed"}, word(shown, "deed.income", {coins}));
  if (event === "war" && (left || right)) return html("span", {class: "wn-deed wn-bg-red"}, word(shown, "deed.war", {left: signed(left), right: signed(right)}));
  return null;
}

const signed = (number) => (number > 0 ? `+${number}` : number < 0 ? `−${-number}` : "0");

function stages(shown, city) {
  const {context} = shown;
  return html(
    "ol",
    {class: "wn-stages", role: "list", "aria-label": word(shown, "stages")},
    city.steps.map(({cost, gives}, i) => {
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
    }),
  );
}

// Coins, shields, war, science and points.
function statistics(shown, city) {
  const science = Object.entries({...city.symbols, wild: city.wild}).filter(([, count]) => count);
  const item = (text, ...children) => html("li", {}, meant(text, children));
  const units = (what, count) => item(shown.context.say([`wonders.units.${what}`, {n: count}]), sign(what), String(count));
  return html(
    "ul",
    {class: "wn-statistics", role: "list"},
    units("coin", city.coins),
    units("shield", city.shields),
    (city.victories > 0 || city.defeats > 0) && item(word(shown, "war", {won: city.victories, lost: city.defeats}), html("span", {class: "wn-war"}, `+${city.victories} −${city.defeats}`)),
    science.map(([symbol, count]) => units(symbol, count)),
    item(word(shown, "stage-count", {stages: city.stages, of: city.of}), sign("stage"), `${city.stages}/${city.of}`),
    item(word(shown, "points", {points: city.points.total}), sign("points"), String(city.points.total)),
  );
}

// What a city makes each turn: units, one of two, one of all.
function production(shown, city) {
  const {units, either: eithers, any} = city.resources;
  const made = Object.entries(units).flatMap(([kind, count]) => Array.from({length: count}, () => kind));
  return resources(shown, "makes", made, [...eithers, ...any]);
}

function resources(shown, key, kinds, choices, facts = {}) {
  const names = [...kinds.map((kind) => [`wonders.resource.${kind}`, {}]), ...choices.map((some) => ["page.wonders.listed", {what: {several: some.map((kind) => [`wonders.resource.${kind}`, {}]), with: "or"}}])];
  if (!names.length) return null;
  return html(
    "p",
    {class: "wn-resources"},
    hush(word(shown, key, {...facts, what: {several: names, with: "and"}})),
    html("span", {"aria-hidden": "true"}, facts.coins !== undefined && html("span", {class: "wn-price"}, sign("coin", facts.coins)), kinds.map((kind) => sign(kind)), choices.map((some) => either(some))),
  );
}

// What a neighbour sells, and for how much a unit: raw materials and goods have each their price.
function sale(shown, city, side) {
  const {prices} = shown.view.table.cities[shown.view.seat];
  const {units, either: eithers} = city.resources;
  const of = (kinds) => Object.entries(units).filter(([kind]) => kinds.includes(kind)).flatMap(([kind, count]) => Array.from({length: count}, () => kind));
  return html(
    "div",
    {class: "wn-sale"},
    html("h2", {}, word(shown, "sale")),
    resources(shown, "sells", of(RAW), eithers, {coins: prices[side]}),
    resources(shown, "sells", of(GOODS), [], {coins: prices.goods}),
  );
}

// The cards of a city by colour, each with what it gives.
function built(shown, city) {
  return html(
    "div",
    {class: "wn-built"},
    COLOURS.filter((colour) => city.cards[colour].length).map((colour) =>
      html(
        "ul",
        {class: "wn-group", role: "list", "aria-label": word(shown, `colour.${colour}`)},
        city.cards[colour].map((card) =>
          html("li", {class: `wn-chip wn-bg-${colour}`}, html("span", {"aria-hidden": "true", class: "wn-kind"}, sign(colour)), html("span", {class: "wn-chip-name"}, nameOf(shown, card)), html("span", {class: "wn-chip-signs", "aria-hidden": "true"}, giftSigns(CARDS[card][2]))),
        ),
      ),
    ),
  );
}

// --- The hand ---------------------------------------------------------------------------------------------

function hand(shown) {
  const {view, context} = shown;
  const {table} = view;
  if (view.over) return [pointsTable(shown)];
  if (view.seat === null) return [];
  const isRevival = table.revive.length > 0;
  const cards = isRevival ? table.revive : table.hand;
  let ask = word(shown, "wait", {who: {seat: view.turn}});
  if (context.canAct) ask = word(shown, isRevival ? "ask.revive" : table.phase === "seventh" ? "ask.seventh" : "ask");
  else if (table.choice) ask = word(shown, "chose", {what: action(table.choice)});
  return [html("p", {class: "wn-ask"}, ask), html("div", {class: "wn-cards"}, cards.map((card) => handCard(shown, card)))];
}

// The card this seat has chosen, while the others still choose.
function pickedCard({view}) {
  return view.table.choice ? ACTION.exec(view.table.choice)[2] : null;
}

// An action's text as it is called: "build Altar" -> construir o Altar.
function action(text) {
  const [, kind, card] = ACTION.exec(text);
  return [`wonders.action.${kind}`, {card: cardName(card)}];
}

// What can be done with a card, in the order of what one wants: [{kind, action, price, status}].
function ways(card) {
  if (card.action) return [{kind: "revive", action: card.action}];
  const found = [];
  for (const kind of ["build", "wonder"]) {
    const way = card[kind];
    if (way.action) found.push(...(way.ways ?? [{action: way.action, ...way.price}]).map((one) => ({kind, action: one.action, price: one, status: way.status})));
  }
  if (card.free?.action) found.push({kind: "free", action: card.free.action});
  if (card.sell?.action) found.push({kind: "sell", action: card.sell.action});
  return found;
}

function handCard(shown, card) {
  const [colour, cost, gives] = CARDS[card.card];
  const {context} = shown;
  const isPicked = pickedCard(shown) === card.card;
  const status = isPicked ? {can: "picked", mark: html("b", {"aria-hidden": "true"}, "★"), text: word(shown, "status.picked")} : statusOf(shown, card);
  const canLook = context.canAct;
  const about = word(shown, cost ? "card" : "card.nothing", {card: cardName(card.card), colour: [`page.wonders.colour.${colour}`, {}], gives: card.gives, cost: card.cost, status: status.text});
  return html(
    canLook ? "button" : "div",
    {
      class: `wn-card wn-edge-${colour} wn-can-${status.can}`,
      ...(canLook ? {type: "button", "data-card": card.card, "data-key": `card ${card.card}`, "aria-expanded": String(shown.card === card.card), "aria-label": about} : {role: "img", "aria-label": about}),
    },
    html("span", {class: `wn-card-head wn-bg-${colour}`}, sign(colour), html("span", {}, nameOf(shown, card.card))),
    html("span", {class: "wn-card-cost"}, cost ? costSigns(cost) : html("i", {}, word(shown, "no-cost"))),
    html("span", {class: "wn-card-gives"}, giftSigns(gives)),
    html("span", {class: "wn-status"}, status.mark, html("span", {}, status.text), status.stage && sign("stage")),
  );
}

// Whether a card can be built, and for what; where it cannot but a stage can be with it, that.
function statusOf(shown, card) {
  const can = (kind, mark, key, facts) => ({can: kind, mark: html("b", {"aria-hidden": "true"}, mark), text: word(shown, `status.${key}`, facts)});
  const {build, wonder, free} = card;
  if (!build) return can("free", "✓", "revive");
  if (build.status === "chain") return can("free", sign("chain"), "chain");
  if (build.status === "free") return can("free", "✓", "free");
  if (build.status === "price") return can("price", "✓", "price", {coins: build.price.total});
  if (free) return can("free", "✓", "right");
  const isStage = ["free", "price"].includes(wonder.status);
  return {...can("not", "✗", isStage ? build.status : "sell"), stage: isStage};
}

// --- What can be done with the card looked at ---------------------------------------------------------------

function panel(shown) {
  const {view, context} = shown;
  const card = [...view.table.hand, ...view.table.revive].find((one) => one.card === shown.card);
  if (!card || !context.canAct) return [];
  const [colour, cost, gives] = CARDS[card.card];
  const can = ways(card);
  const cannot = ["build", "wonder"].filter((kind) => card[kind] && !card[kind].action && card[kind].why);
  return [
    html(
      "section",
      {class: "wn-panel-in", "aria-label": nameOf(shown, card.card)},
      html("header", {class: `wn-bg-${colour}`}, sign(colour), html("h2", {}, nameOf(shown, card.card)), html("button", {type: "button", class: "wn-close", "data-key": "close", "aria-label": word(shown, "close")}, "×")),
      html("p", {class: "wn-about"}, html("span", {"aria-hidden": "true", class: "wn-gift"}, giftSigns(gives)), word(shown, cost ? "about" : "about.nothing", {colour: [`page.wonders.colour.${colour}`, {}], gives: card.gives, cost: card.cost})),
      html("ul", {class: "wn-ways", role: "list"}, can.map((way) => html("li", {}, wayButton(shown, card, way))), cannot.map((kind) => html("li", {class: "wn-cannot"}, html("strong", {}, wayName(shown, kind)), " ", context.say(card[kind].why)))),
    ),
  ];
}

function wayName(shown, kind) {
  const city = shown.view.table.cities[shown.view.seat];
  return kind === "wonder" && city.stages < city.of ? word(shown, "way.wonder", {stage: city.stages + 1}) : word(shown, `way.${kind === "wonder" ? "no-stage" : kind}`, {coins: SALE});
}

// One thing to do with a card, what it costs and who gets it.
function wayButton(shown, card, way) {
  const city = shown.view.table.cities[shown.view.seat];
  const pays = way.price ? payment(shown, way) : null;
  const step = way.kind === "wonder" ? city.steps[city.stages] : null;
  return html(
    "button",
    {type: "button", class: `wn-way wn-way-${way.kind}`, "data-action": way.action, "data-key": way.action},
    html("span", {class: "wn-way-sign", "aria-hidden": "true"}, {build: sign(CARDS[card.card][0]), wonder: sign("stage"), free: sign("free"), sell: sign("coin", `+${SALE}`), revive: sign("revive")}[way.kind]),
    html("span", {class: "wn-way-words"}, html("strong", {}, wayName(shown, way.kind), hush(`: ${nameOf(shown, card.card)}. `)), step && html("span", {}, word(shown, "gives", {gives: step.gives})), pays && html("span", {}, pays)),
    way.price?.total > 0 && html("span", {class: "wn-way-price", "aria-hidden": "true"}, sign("coin", way.price.total)),
  );
}

function payment(shown, {price, status}) {
  if (!price.total) return word(shown, status === "chain" ? "pays.chain" : "pays.nothing");
  const {left, right} = shown.view.table;
  const parts = [
    price.left && ["page.wonders.pays.to", {coins: price.left, who: {seat: left}}],
    price.right && ["page.wonders.pays.to", {coins: price.right, who: {seat: right}}],
    price.bank && ["page.wonders.pays.bank", {coins: price.bank}],
  ].filter(Boolean);
  return word(shown, "pays", {total: price.total, parts: {several: parts, with: "and"}});
}

// --- Below: further cities, and the points ------------------------------------------------------------------------

function more(shown) {
  const {view} = shown;
  const {left, right} = view.table;
  const count = view.table.cities.length;
  const far = [];
  if (view.seat !== null) for (let seat = (left + 1) % count; seat !== right; seat = (seat + 1) % count) far.push(view.table.cities[seat]);
  return [
    far.length > 0 && html("h2", {}, word(shown, "far")),
    far.length > 0 && html("div", {class: "wn-others"}, far.map((city) => otherCity(shown, city))),
    !view.over && html("details", {class: "wn-points", "data-key": "points"}, html("summary", {}, word(shown, "points-now")), pointsTable(shown)),
  ];
}

function winnersOf(view) {
  const worth = ({points, coins}) => points.total * 1000 + coins;
  const best = Math.max(...view.table.cities.map(worth));
  return view.over ? view.table.cities.filter((city) => worth(city) === best).map(({seat}) => seat) : [];
}

// Points by kind, a row a city; war with its tokens.
function pointsTable(shown) {
  const {view, context} = shown;
  const winners = winnersOf(view);
  const head = (kind) =>
    html("th", {scope: "col", title: word(shown, `kind.${kind}`)}, hush(word(shown, `kind.${kind}`)), html("span", {"aria-hidden": "true"}, kind === "total" ? "Σ" : COLOURS.includes(KIND_SIGNS[kind]) ? html("span", {class: `wn-chip-sign wn-bg-${KIND_SIGNS[kind]}`}, sign(KIND_SIGNS[kind])) : sign(KIND_SIGNS[kind])));
  const row = (city) =>
    html(
      "tr",
      {class: winners.includes(city.seat) ? "wn-winner" : null},
      html("th", {scope: "row"}, winners.includes(city.seat) && html("span", {"aria-hidden": "true"}, "♛ "), context.names[city.seat], winners.includes(city.seat) && hush(` (${word(shown, "winner")})`), html("small", {}, context.say(boardName(city.board)))),
      KINDS.map((kind) => html("td", {class: `wn-of-${kind}`}, String(city.points[kind]).replace("-", "−"), kind === "military" && (city.victories > 0 || city.defeats > 0) && html("small", {}, `+${city.victories} −${city.defeats}`))),
    );
  const order = [...view.table.cities].sort((a, b) => (view.over ? b.points.total - a.points.total || b.coins - a.coins : a.seat - b.seat));
  return html(
    "table",
    {class: "wn-table"},
    html("caption", {}, word(shown, view.over ? "points-end" : "points-now")),
    html("thead", {}, html("tr", {}, html("th", {scope: "col"}, word(shown, "city")), KINDS.map(head))),
    html("tbody", {}, order.map(row)),
  );
}
