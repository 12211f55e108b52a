// The table of 7 Wonders: the player's city in the middle, neighbours at the sides, the hand below, other cities compact.

import {RESOLVED, SALE, cardName, hush, nameOf, neighbour, otherCity, ownCity, pointsTable, word} from "/a/cities.js";
import {CARDS} from "/a/deck.js";
import {html, picture} from "/a/draw.js";
import {redraw} from "/a/redraw.js";
import {DEFINITIONS, costSigns, giftSigns, sign} from "/a/signs.js";

const ROMAN = ["", "I", "II", "III"];
const HURRY = 0.25; // factor on the reader's pace
const ACTION = /^(\w+) (.*?)(?: \d+\/\d+)?$/; // "build Palace 3/2": kind, card
const MARKS = {chosen: "✓", choosing: "●", waiting: "…"};

const tables = new WeakMap(); // by root: view, context, selected card, last events

// Draw a view of 7 Wonders into `context.root`.
export function table(view, context) {
  let shown = tables.get(context.root);
  if (!shown?.all.isConnected) tables.set(context.root, (shown = begin(context.root)));
  const isAgain = shown.view?.ply === view.ply;
  if (!isAgain || !context.canAct) shown.card = null;
  if (!isAgain || view.log.length) shown.news = view.log;
  if (view.log.some(({event}) => RESOLVED.includes(event))) context.sound?.("card");
  Object.assign(shown, {view, context});
  draw(shown);
}

// Summary above the points.
export function title(view, {word}) {
  const {age, round} = view.table;
  return view.over ? word("page.wonders.end") : word("page.wonders.title", {age: ROMAN[age], turn: round});
}

// All choose at the same time, so "one more has chosen" is shown briefly.
export function frames(previous, view) {
  const {age, round, phase} = previous.table;
  if (view.table.age === age && view.table.round === round && view.table.phase === phase) view.hold = HURRY;
  return [];
}

// Fixed parts of the table, and the actions of its buttons.
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
  if (!button || event.detail > 1) return; // ignores the second click of a double click
  const {action, card} = button.dataset;
  if (action) shown.context.send(action);
  else look(shown, card && card !== shown.card ? card : null);
}

// Select a card of the hand and show its actions, or none.
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

// --- Age, turn, direction of the hands, players who have chosen -----------------------------------------

function bar(shown) {
  const {view} = shown;
  const {age, round, phase, direction, left, right} = view.table;
  if (view.over) return [html("p", {class: "wn-age"}, word(shown, "end"))];
  const to = direction === "left" ? left : right;
  const passing = to === null ? word(shown, `passing.${direction}`) : word(shown, `passing.${direction}.to`, {who: {seat: to}});
  const turn = word(shown, phase === "play" ? "turn" : `phase.${phase}`, {turn: round});
  return [
    html(
      "p",
      {class: "wn-age"},
      html("b", {"aria-hidden": "true"}, ROMAN[age]),
      html("span", {}, word(shown, "age", {age: ROMAN[age]}), html("br"), turn),
    ),
    html("p", {class: `wn-passing wn-to-${direction}`}, sign(direction), passing),
    html("ul", {class: "wn-who", role: "list", "aria-label": word(shown, "who")}, view.table.cities.map(({seat}) => chooser(shown, seat))),
  ];
}

function chooser(shown, seat) {
  const {view, context} = shown;
  const state = view.table.chosen[seat] ? "chosen" : view.turn === seat ? "choosing" : "waiting";
  const mark = html("span", {"aria-hidden": "true"}, MARKS[state]);
  return html("li", {class: `wn-${state}`}, mark, ` ${context.names[seat]}`, hush(`: ${word(shown, `state.${state}`)}`));
}

// --- Cities and points -----------------------------------------------------------------------------------

function cities(shown) {
  const {seat, table} = shown.view;
  if (seat === null) return table.cities.map((city) => otherCity(shown, city));
  return [
    neighbour(shown, table.cities[table.left], "left"),
    ownCity(shown, table.cities[seat]),
    neighbour(shown, table.cities[table.right], "right"),
  ];
}

function more(shown) {
  const {view} = shown;
  const {left, right, cities} = view.table;
  const far = [];
  if (view.seat !== null) {
    for (let seat = (left + 1) % cities.length; seat !== right; seat = (seat + 1) % cities.length) far.push(otherCity(shown, cities[seat]));
  }
  const summary = html("summary", {}, word(shown, "points-now"));
  return [
    far.length > 0 && html("h2", {}, word(shown, "far")),
    far.length > 0 && html("div", {class: "wn-others"}, far),
    !view.over && html("details", {class: "wn-points", "data-key": "points"}, summary, pointsTable(shown)),
  ];
}

// --- The hand ---------------------------------------------------------------------------------------------

function hand(shown) {
  const {view} = shown;
  const {revive, hand} = view.table;
  if (view.over) return [pointsTable(shown)];
  if (view.seat === null) return [];
  const cards = revive.length ? revive : hand;
  return [html("p", {class: "wn-ask"}, asked(shown)), html("div", {class: "wn-cards"}, cards.map((card) => handCard(shown, card)))];
}

function asked(shown) {
  const {view, context} = shown;
  const {revive, phase, choice} = view.table;
  if (context.canAct) return word(shown, revive.length ? "ask.revive" : phase === "seventh" ? "ask.seventh" : "ask");
  if (!choice && context.players?.[view.turn]?.here === false) return context.waitedFor(view.turn);
  if (!choice) return word(shown, "wait", {who: {seat: view.turn}});
  const [, kind, card] = ACTION.exec(choice);
  return word(shown, "chose", {what: [`wonders.action.${kind}`, {card: cardName(card)}]});
}

function handCard(shown, card) {
  const [colour, cost, gives] = CARDS[card.card];
  const status = statusOf(shown, card);
  const facts = {card: cardName(card.card), gives: card.gives, cost: card.cost, status: status.text};
  const about = word(shown, cost ? "card" : "card.nothing", {...facts, colour: [`page.wonders.colour.${colour}`, {}]});
  const isOpen = String(shown.card === card.card);
  const asButton = {type: "button", "data-card": card.card, "data-key": `card ${card.card}`, "aria-expanded": isOpen};
  const {canAct} = shown.context;
  return html(
    canAct ? "button" : "div",
    {class: `wn-card wn-edge-${colour} wn-can-${status.can}`, "aria-label": about, ...(canAct ? asButton : {role: "img"})},
    html("span", {class: `wn-card-head wn-bg-${colour}`}, sign(colour), html("span", {}, nameOf(shown, card.card))),
    html("span", {class: "wn-card-cost"}, cost ? costSigns(cost) : html("i", {}, word(shown, "no-cost"))),
    html("span", {class: "wn-card-gives"}, giftSigns(gives)),
    html("span", {class: "wn-status"}, html("b", {}, status.mark), html("span", {}, status.text), status.stage && sign("stage")),
  );
}

// Status of a card: buildable with its price, or usable for a stage, or neither.
function statusOf(shown, card) {
  const {build, wonder, free} = card;
  const {choice} = shown.view.table;
  const can = (kind, mark, key, facts) => ({can: kind, mark, text: word(shown, `status.${key}`, facts)});
  if (choice && ACTION.exec(choice)[2] === card.card) return can("picked", "★", "picked");
  if (!build) return can("free", "✓", "revive");
  if (build.status === "chain") return can("free", sign("chain"), "chain");
  if (build.status === "free") return can("free", "✓", "free");
  if (build.status === "price") return can("price", "✓", "price", {coins: build.price.total});
  if (free) return can("free", "✓", "right");
  const isStage = ["free", "price"].includes(wonder.status);
  return {...can("not", "✗", isStage ? build.status : "sell"), stage: isStage};
}

// --- Actions with the selected card -------------------------------------------------------------------------

function panel(shown) {
  const {view, context} = shown;
  const card = [...view.table.hand, ...view.table.revive].find((one) => one.card === shown.card);
  if (!card || !context.canAct) return [];
  const [colour, cost, gives] = CARDS[card.card];
  const facts = {colour: [`page.wonders.colour.${colour}`, {}], gives: card.gives, cost: card.cost};
  const cannot = ["build", "wonder"].filter((kind) => card[kind]?.why);
  const close = html("button", {type: "button", class: "wn-close", "data-key": "close", "aria-label": word(shown, "close")}, "×");
  return [
    html(
      "section",
      {class: "wn-panel-in", "aria-label": nameOf(shown, card.card)},
      html("header", {class: `wn-bg-${colour}`}, sign(colour), html("h2", {}, nameOf(shown, card.card)), close),
      html(
        "p",
        {class: "wn-about"},
        html("span", {"aria-hidden": "true", class: "wn-gift"}, giftSigns(gives)),
        word(shown, cost ? "about" : "about.nothing", facts),
      ),
      html(
        "ul",
        {class: "wn-ways", role: "list"},
        ways(card).map((way) => html("li", {}, wayButton(shown, card, way))),
        cannot.map((kind) => html("li", {class: "wn-cannot"}, html("strong", {}, wayName(shown, kind)), " ", context.say(card[kind].why))),
      ),
    ),
  ];
}

// Actions with a card, in order of preference: [{kind, action, price, status}].
function ways(card) {
  if (card.action) return [{kind: "revive", action: card.action}];
  const paid = ["build", "wonder"].flatMap((kind) => {
    const {action, ways, price, status} = card[kind];
    if (!action) return [];
    return (ways ?? [{action, ...price}]).map((way) => ({kind, action: way.action, price: way, status}));
  });
  const others = ["free", "sell"].filter((kind) => card[kind]?.action).map((kind) => ({kind, action: card[kind].action}));
  return [...paid, ...others];
}

function wayName(shown, kind) {
  const {stages, of} = shown.view.table.cities[shown.view.seat];
  if (kind !== "wonder") return word(shown, `way.${kind}`, {coins: SALE});
  return stages < of ? word(shown, "way.wonder", {stage: stages + 1}) : word(shown, "way.no-stage");
}

// One action with a card: its price, and the receiving neighbours.
function wayButton(shown, card, {kind, action, price, status}) {
  const {stages, steps} = shown.view.table.cities[shown.view.seat];
  const drawn = {build: CARDS[card.card][0], wonder: "stage", free: "free", sell: "coin", revive: "revive"}[kind];
  return html(
    "button",
    {type: "button", class: `wn-way wn-way-${kind}`, "data-action": action, "data-key": action},
    html("span", {class: "wn-way-sign", "aria-hidden": "true"}, sign(drawn, kind === "sell" ? `+${SALE}` : null)),
    html(
      "span",
      {class: "wn-way-words"},
      html("strong", {}, wayName(shown, kind), hush(`: ${nameOf(shown, card.card)}. `)),
      kind === "wonder" && html("span", {}, word(shown, "gives", {gives: steps[stages].gives})),
      price && html("span", {}, payment(shown, price, status)),
    ),
    price?.total > 0 && html("span", {class: "wn-way-price", "aria-hidden": "true"}, sign("coin", price.total)),
  );
}

function payment(shown, price, status) {
  if (!price.total) return word(shown, status === "chain" ? "pays.chain" : "pays.nothing");
  const {left, right} = shown.view.table;
  const parts = [
    price.left && ["page.wonders.pays.to", {coins: price.left, who: {seat: left}}],
    price.right && ["page.wonders.pays.to", {coins: price.right, who: {seat: right}}],
    price.bank && ["page.wonders.pays.bank", {coins: price.bank}],
  ].filter(Boolean);
  return word(shown, "pays", {total: price.total, parts: {several: parts, with: "and"}});
}
