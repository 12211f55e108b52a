// The Truco table: rounds side by side, the player's cards below, calls in fixed places.

import {html, svg} from "/a/draw.js";

const CALLS = {
  truco: "truco.action.truco",
  retruco: "truco.action.retruco",
  vale4: "truco.action.vale4",
  envido: "truco.action.envido",
  real: "truco.action.real",
  falta: "truco.action.falta",
  flor: "truco.action.flor",
  contraflor: "truco.action.contraflor",
  resto: "truco.action.resto",
  quero: "truco.action.quero",
  nao: "truco.action.nao",
  baralho: "truco.action.baralho",
};
const SUITS = {e: "truco.suit.e", p: "truco.suit.p", c: "truco.suit.c", o: "truco.suit.o"};
const FIGURES = {10: "truco.figure.sota", 11: "truco.figure.cavalo", 12: "truco.figure.rei"};
// A place of the bar holds its currently legal call; calls that share a place are never legal together.
const PLACES = [
  ["truco", "retruco", "vale4"],
  ["envido", "flor"],
  ["real", "contraflor"],
  ["falta", "resto"],
  ["quero"],
  ["nao"],
  ["baralho"],
];
const RAISES = PLACES[0];
const LOOKS = {truco: "raise", retruco: "raise", vale4: "raise", quero: "yes", nao: "no"};
const MOST_STICKS = 60; // points beyond which numbers replace the sticks
const STICKS = ["M2 2V20", "M2 2H20", "M20 2V20", "M2 20H20", "M3 19L19 3"];

const SPOKEN = 3200; // ms that a spoken call is shown
// The previous hand: beside the table if there is room, else behind a button.
const isRoomy = matchMedia("(min-width: 1081px) and (min-height: 700px)").matches;
let isLastOpen = isRoomy && !document.body.matches(".replay");
const spoken = [null, null]; // last call of each seat, and its time

// The cards of the other hand are shown once they are open.
export const opensCards = true;

// The drawings of the cards, loaded once per page.
export async function ready() {
  const answer = await fetch("/a/cards.svg");
  const drawn = new DOMParser().parseFromString(await answer.text(), "image/svg+xml").documentElement;
  drawn.setAttribute("class", "hush");
  drawn.setAttribute("aria-hidden", "true");
  document.body.append(document.adoptNode(drawn));
}

// If the next hand is dealt at once, the finished one is shown first.
export function frames(previous, view) {
  const {last, hand} = view.table;
  if (!last || hand === previous.table.hand || last.hand !== previous.table.hand) return [];
  const dealt = view.log.findLastIndex((entry) => entry.event === "dealt");
  if (dealt < 0) return [];
  const own = previous.seat;
  const played = last.played.map(
    (cards, seat) => cards.map((card, i) => (seat === own ? (previous.table.played[seat][i] ?? card) : card)),
  );
  const counts = played.map((cards) => 3 - cards.length);
  const cards = previous.table.cards.filter((card) => !played[own]?.some((one) => one.endsWith(card)));
  const table = {
    ...previous.table,
    played,
    counts,
    cards,
    winners: last.winners,
    calls: last.calls,
    pending: null,
    finished: last,
  };
  return [{...view, table, turn: null, legal: [], log: view.log.slice(0, dealt), hold: 2.2}];
}

export function title(view, {word}) {
  const {hand, target} = view.table;
  return view.rules?.hands ? word("page.truco.hand", {hand}) : word("page.truco.stage", {hand, target});
}

// Points as kept in a bolicho: match sticks in fives, the first half of the target *más*, the second *boas*.
export function tally(view, seat, {word}) {
  const {target} = view.table;
  const points = view.scores[seat];
  if (target > MOST_STICKS) return null;
  const half = Math.ceil(target / 2);
  const row = (label, count, isNow) =>
    html("span", {class: isNow ? "half now" : "half"}, html("i", {}, label), sticks(count));
  const isGood = points >= half;
  return html(
    "span",
    {class: "tally", "aria-hidden": "true"},
    row(word("page.truco.mas"), Math.min(points, half), !isGood),
    row(word("page.truco.boas"), Math.max(0, Math.min(points, target) - half), isGood),
  );
}

function sticks(points) {
  const squares = Math.max(1, Math.ceil(points / 5));
  const drawn = [];
  for (let i = 0; i < points; i++) {
    const at = `translate(${Math.floor(i / 5) * 27} 0)`;
    const [, x, y] = STICKS[i % 5].match(/M(\d+) (\d+)/);
    drawn.push(
      svg("path", {d: STICKS[i % 5], transform: at, class: "stick"}),
      svg("circle", {cx: x, cy: y, r: 2.3, transform: at, class: "head"}),
    );
  }
  return svg(
    "svg",
    {viewBox: `-1 -1 ${squares * 27} 24`, class: "sticks", style: {"--squares": String(squares)}},
    drawn,
  );
}

// --- The table -------------------------------------------------------------------------------------

export function table(view, context) {
  const me = context.seat ?? view.seat ?? 0;
  const legal = new Set(context.canAct ? view.legal.map(({action}) => action) : []);
  announce(view, context, me);
  context.root.replaceChildren(
    html(
      "div",
      {class: "truco-table"},
      others(view, context, 1 - me),
      cloth(view, context, me),
      hand(view, context, me, legal),
      bar(view, context, legal),
      lastHand(view, context, me),
    ),
  );
}

// Calls appear as speech; points and cards make a sound.
function announce(view, {word, sound}, me) {
  const bubble = (seat, text) => (spoken[seat] = {text, at: performance.now()});
  for (const entry of view.log) {
    const isCall = entry.event === "chose" && entry.action in CALLS;
    if (isCall) bubble(entry.seat, `${word(CALLS[entry.action])}!`);
    if (entry.event === "flor") bubble(entry.seat, word("page.truco.flor"));
    if (entry.event === "shown") bubble(entry.seat, word("page.truco.shown", {points: entry.envido ?? entry.flor}));
    if (isCall && entry.seat !== me) sound("call");
    if (entry.event === "chose" && !isCall) sound("card");
    if (entry.event === "points") sound("point");
  }
}

function speech(seat) {
  const late = spoken[seat] ? performance.now() - spoken[seat].at : SPOKEN;
  if (late >= SPOKEN) return null;
  const drawn = html("p", {class: "speech", "aria-hidden": "true", style: {"--late": `${-late}ms`}}, spoken[seat].text);
  setTimeout(() => drawn.remove(), SPOKEN - late);
  return drawn;
}

export const nameOf = (card, {word}) => {
  const number = card.slice(0, -1);
  return word(
    "truco.card",
    {number: number in FIGURES ? [FIGURES[number], {}] : Number(number), suit: [SUITS[card.at(-1)], {}]},
  );
};

export function cardPicture(name, label = null, more = {}) {
  return svg(
    "svg",
    {
      viewBox: "0 0 100 154",
      class: "card",
      ...(label ? {role: "img", "aria-label": label} : {"aria-hidden": "true"}),
      ...more,
    },
    svg("use", {href: `#card-${name}`}),
  );
}

function others(view, context, seat) {
  const {word, opened} = context;
  const count = view.table.counts[seat];
  if (opened[seat]?.cards.length) {
    const open = opened[seat].cards.map((card, i) => cardPicture(card, nameOf(card, context), {style: {"--turn": String(i - (count - 1) / 2)}}));
    return html("div", {class: "others open", role: "group", "aria-label": word("page.truco.other_cards", {count})}, html("div", {class: "backs"}, open));
  }
  const backs = Array.from(
    {length: count},
    (_, i) => cardPicture("back", null, {style: {"--turn": String(i - (count - 1) / 2)}}),
  );
  const cards = html(
    "div",
    {class: "backs", role: "img", "aria-label": word("page.truco.other_cards", {count})},
    backs,
  );
  return html("div", {class: "others"}, cards, view.table.mao === seat ? mao(word) : null, speech(seat));
}

const mao = (word) => html("b", {class: "mao", title: word("page.truco.mao.why")}, word("page.truco.mao"));

function cloth(view, context, me) {
  const {table} = view;
  return html(
    "div",
    {class: "cloth"},
    [0, 1, 2].map((number) => round(view, context, me, number)),
    worth(table, context),
    prompt(view, context),
  );
}

function round(view, context, me, number) {
  const {table} = view;
  const {word} = context;
  const winner = table.winners[number];
  const isNow = !view.over && !table.finished && number === table.round - 1;
  return html(
    "div",
    {class: isNow ? "round now" : "round", role: "group", "aria-label": word("page.truco.round", {number: number + 1})},
    lying(view, context, 1 - me, number, winner, me),
    verdict(winner, me, number, word),
    lying(view, context, me, number, winner, me),
  );
}

function lying(view, context, seat, number, winner, me) {
  const card = view.table.played[seat][number];
  const side = seat === me ? "below" : "above";
  if (!card) return html("div", {class: `slot ${side}`});
  const before = context.previous?.table;
  const isNew = context.animate && before && (before.hand !== view.table.hand || !before.played[seat][number]);
  const isDown = card.startsWith("virada");
  const hidden = isDown && card.length > 6 ? card.slice(7) : null;
  const label = isDown
    ? (hidden ? `${nameOf(hidden, context)}, ${context.word("page.truco.down")}` : context.word("page.truco.down"))
    : nameOf(card, context);
  const isOpen = winner === null || winner === undefined;
  const state = isOpen ? "" : winner === seat ? "won" : winner === "tie" ? "tied" : "lost";
  return html(
    "div",
    {class: `slot ${side} ${state} ${isNew ? "arriving" : ""}`},
    cardPicture(isDown ? "back" : card, label),
    hidden ? html("span", {class: "under", "aria-hidden": "true"}, hidden.slice(0, -1), suitSign(hidden)) : null,
  );
}

const suitSign = (card) => svg(
  "svg",
  {viewBox: "-50 -50 100 100", class: "sign", "aria-hidden": "true"},
  svg("use", {href: `#suit-${card.at(-1)}`}),
);

function verdict(winner, me, number, word) {
  const says = word("page.truco.round_won", {who: {seat: winner}});
  if (winner === null || winner === undefined) {
    return html("p", {class: "verdict"}, word("page.truco.round", {number: number + 1}));
  }
  if (winner === "tie") return html("p", {class: "verdict tie"}, word("page.truco.parda"));
  return html(
    "p",
    {class: `verdict ${winner === me ? "down" : "up"}`, title: says},
    html("span", {class: "hush"}, says),
    arrow(),
  );
}

const arrow = () => svg("svg", {viewBox: "0 0 26 20", "aria-hidden": "true"}, svg("path", {d: "M2 3H24L13 18Z"}));

const WORTHS = ["", "page.truco.worth.1", "truco.action.truco", "truco.action.retruco", "truco.action.vale4"];

function worth({worth: value}, {word}) {
  return html(
    "div",
    {class: `worth level-${value}`, role: "img", "aria-label": word("page.truco.worth", {value})},
    html("b", {}, String(value)),
    html("span", {}, word(WORTHS[value])),
  );
}

// Line that says which answer is due, and from which seat.
function prompt(view, context) {
  const {table} = view;
  const {word} = context;
  let said = null;
  if (table.finished) said = pointsSaid(table.finished, context);
  else if (view.over || (context.isLive && context.isOver)) said = null;
  else if (context.plan) said = word(
    "page.truco.planned",
    {card: nameOf(context.plan.replace("virada ", ""), context)},
  );
  else if (table.pending && table.pending.by !== context.seat)
    said = word(
      "page.truco.asked",
      {who: {seat: table.pending.by}, call: [CALLS[table.pending.call], {}], points: table.pending.accepted},
    );
  else if (context.isLive && view.turn === context.seat) said = word("page.truco.your_turn");
  else if (view.turn !== null) said = context.waitedFor(view.turn);
  const isCall = table.pending && context.canAct;
  return html(
    "p",
    {class: isCall ? "prompt asked" : "prompt"},
    said,
    context.plan
      ? html(
        "button",
        {type: "button", class: "small", "data-key": "cancel", on: {click: context.cancel}},
        word("page.cancel"),
      )
      : null,
  );
}

function pointsSaid({points}, {word}) {
  return points.map(({seat, points: count}) => word("page.truco.scored", {who: {seat}, points: count})).join(" · ");
}

// --- Player's hand -----------------------------------------------------------------------------------

function hand(view, context, me, legal) {
  const {table} = view;
  const {word} = context;
  if (context.seat === null && !table.cards.length) {
    const count = table.counts[me];
    const cards = html(
      "div",
      {class: "backs", role: "img", "aria-label": word("page.truco.other_cards", {count})},
      Array.from({length: count}, () => cardPicture("back")),
    );
    return html("div", {class: "hand closed"}, cards, table.mao === me ? mao(word) : null, speech(me));
  }
  const raise = RAISES.find((call) => legal.has(call));
  const isDealt = context.animate && view.log.some((entry) => entry.event === "dealt");
  return html(
    "div",
    {class: isDealt ? "hand dealt" : "hand", role: "group", "aria-label": word("page.truco.your_cards")},
    html(
      "div",
      {class: "cards"},
      table.cards.map((card, i) => holding(card, i, table.cards.length, context, legal, raise)),
    ),
    html(
      "p",
      {class: "facts"},
      table.mao === me ? mao(word) : html("b", {class: "mao pe"}, word("page.truco.pe")),
      table.envido === null ? null : html("span", {}, word("page.truco.envido", {points: table.envido})),
    ),
    context.isLive ? null : speech(me), // a player knows their own calls
  );
}

// A click plays the card; buttons below play it face down, or together with a legal raise.
function holding(card, i, count, context, legal, raise) {
  const {word, send} = context;
  const name = nameOf(card, context);
  const isLegal = legal.has(card);
  const down = `virada ${card}`;
  const isPlanned = context.plan === card || context.plan === down;
  return html(
    "div",
    {class: isPlanned ? "holding planned" : "holding", style: {"--turn": String(i - (count - 1) / 2)}},
    html(
      "button",
      {
        type: "button",
        class: "play",
        disabled: !isLegal,
        "data-action": isLegal ? card : null,
        "data-key": `card ${card}`,
        "aria-label": name,
        title: isLegal ? word("page.truco.play", {card: name}) : name,
        on: {click: () => send(card)},
      },
      cardPicture(card),
    ),
    html(
      "div",
      {class: "extras"},
      legal.has(down)
        ? html(
          "button",
          {
            type: "button",
            class: "small",
            "data-action": down,
            "aria-label": word("page.truco.play_down", {card: name}),
            title: word("page.truco.play_down", {card: name}),
            on: {click: () => send(down)},
          },
          downSign(),
          html("span", {}, word("page.truco.down.short")),
        )
        : null,
      isLegal && raise
        ? html(
          "button",
          {
            type: "button",
            class: "small with",
            "data-call": "",
            "data-gesture": `${raise}+${card}`,
            "aria-label": word("page.truco.play_with", {card: name, call: [CALLS[raise], {}]}),
            title: word("page.truco.play_with", {card: name, call: [CALLS[raise], {}]}),
            on: {click: () => send([raise, card])},
          },
          `+ ${word(CALLS[raise])}`,
        )
        : null,
    ),
  );
}

const downSign = () => svg(
  "svg",
  {viewBox: "0 0 20 20", class: "sign", "aria-hidden": "true"},
  svg("rect", {x: 4, y: 2, width: 12, height: 16, rx: 2}),
  svg("path", {d: "M4 10L10 2M4 17L16 3M10 18L16 10"}),
);

// --- Calls ---------------------------------------------------------------------------------------------

function bar(view, context, legal) {
  const {word, send} = context;
  const isAnswer = legal.has("quero") || legal.has("nao");
  const places = PLACES.map((calls) => {
    const call = calls.find((one) => legal.has(one));
    if (!call) return html("span", {class: "empty"});
    const click = call === "baralho" ? (event) => confirmed(event.currentTarget, word) && send(call) : () => send(call);
    return html(
      "button",
      {type: "button", class: `call ${LOOKS[call] ?? ""}`, "data-action": call, "data-call": "", "data-passive": call === "nao" ? "" : null, on: {click}},
      word(CALLS[call]),
    );
  });
  const last = html(
    "button",
    {
      type: "button",
      class: "call past",
      "data-key": "last",
      "aria-expanded": String(isLastOpen),
      "aria-controls": "last-hand",
      disabled: !view.table.last,
      on: {click: () => toggleLast(context.root)},
    },
    word("page.truco.last"),
  );
  const isPlaying = context.isLive && context.seat !== null && !view.over;
  return html(
    "div",
    {class: isAnswer ? "calls answering" : "calls", role: "group", "aria-label": word("page.truco.calls")},
    isPlaying ? places : null,
    last,
  );
}

// Folding the hand takes two clicks.
function confirmed(button, word) {
  if (button.dataset.armed) return true;
  button.dataset.armed = "yes";
  button.textContent = word("page.truco.sure");
  setTimeout(() => {
    delete button.dataset.armed;
    button.textContent = word(CALLS.baralho);
  }, 4000);
  return false;
}

// --- Previous hand ---------------------------------------------------------------------------------------

function toggleLast(root) {
  isLastOpen = !isLastOpen;
  root.querySelector("#last-hand").hidden = !isLastOpen;
  root.querySelector("[data-key=last]").setAttribute("aria-expanded", String(isLastOpen));
}

function lastHand(view, context, me) {
  const {last} = view.table;
  const {word} = context;
  if (!last) return html("div", {id: "last-hand", class: "last", hidden: true});
  const row = (seat) =>
    html(
      "li",
      {},
      html("span", {class: "name"}, context.names[seat]),
      html(
        "span",
        {class: "small-cards"},
        last.played[seat].map((card, i) => html(
          "span",
          {class: last.winners[i] === seat ? "won" : ""},
          cardPicture(
            card.startsWith("virada") ? "back" : card,
            card.startsWith("virada") ? word("page.truco.down") : nameOf(card, context),
          ),
        )),
      ),
    );
  const calls = last.calls.map(({seat, call}) => `${context.names[seat]}: ${word(CALLS[call])}`).join(" · ");
  const shown = last.shown.map(({seat, envido, flor}) => word(
    envido === undefined ? "page.truco.shown_flor" : "page.truco.shown_envido",
    {who: {seat}, points: envido ?? flor},
  )).join(" · ");
  return html(
    "section",
    {id: "last-hand", class: "last", hidden: !isLastOpen, "aria-label": word("page.truco.last")},
    html("h2", {}, word("page.truco.hand", {hand: last.hand})),
    html("ul", {role: "list"}, row(1 - me), row(me)),
    calls ? html("p", {}, calls) : null,
    shown ? html("p", {}, shown) : null,
    html("p", {class: "gilt"}, pointsSaid(last, context)),
  );
}
