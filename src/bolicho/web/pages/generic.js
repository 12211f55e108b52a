// Table of a game without a page of its own: its drawing or its facts with labels, and its actions as buttons.

import {html, picture} from "/a/draw.js";
import {redraw} from "/a/redraw.js";
import {titleOf} from "/a/stage.js";

const STAR = // ornament on the cloth, as at the table of dominoes
  '<path d="M0-9.5L2-2L9.5 0L2 2L0 9.5L-2 2L-9.5 0L-2-2Z"/><path d="M5-5L3.2 0L5 5L0 3.2L-5 5L-3.2 0L-5-5L0-3.2Z" opacity=".6"/>';

const tables = new WeakMap(); // by root: parts of the table, and the last action of each seat

// Draw a view of any game into `context.root`.
export function table(view, context) {
  let shown = tables.get(context.root);
  if (!shown?.shared.isConnected) tables.set(context.root, (shown = begin(context)));
  for (const {event, seat, action} of view.log) if (event === "chose") shown.last.set(seat, action);
  if (view.ply === 0) shown.last.clear();
  if (view.log.some(({event}) => event === "chose")) context.sound?.("knock");
  Object.assign(shown, {view, context});
  draw(shown);
}

// Summary above the points.
export const title = (view) => titleOf(view.game);

function begin({root}) {
  const shown = {last: new Map()};
  for (const name of ["others", "shared", "own", "ask", "actions"]) shown[name] = html("div", {class: `gn-${name}`});
  const star = picture(STAR, {viewBox: "-10 -10 20 20", class: "gn-star"});
  const cloth = html("div", {class: "gn-cloth"}, star, shown.others, shown.shared, shown.own);
  const all = html("div", {class: "generic"}, cloth, shown.ask, shown.actions);
  all.addEventListener("click", ({target}) => {
    const action = target.closest("button")?.dataset.action;
    if (action) shown.context.send(action);
  });
  root.replaceChildren(all);
  return shown;
}

function draw(shown) {
  const {view, context} = shown;
  const mine = view.seat ?? 0; // the first seat is below for a spectator
  const others = view.scores.map((_, seat) => seat).filter((seat) => seat !== mine);
  const {shared, own} = sorted(view);
  redraw(shown.others, others.map((seat) => place(shown, seat, own)));
  redraw(shown.shared, view.svg ? [drawing(view.svg), html("div", {class: "hush"}, facts(shared, context))] : facts(shared, context));
  redraw(shown.own, place(shown, mine, own));
  redraw(shown.ask, html("p", {}, asked(shown)));
  redraw(shown.actions, isMyTurn(shown) ? view.legal.map((one) => button(one, context)) : []);
}

// --- Facts ------------------------------------------------------------------------------------------

// Facts of a view, a list of [name, value]: shared ones, and lists with a value per seat.
function sorted({table, scores}) {
  const isOfSeats = ([, value]) => Array.isArray(value) && value.length === scores.length;
  const all = Object.entries(table);
  return {shared: all.filter((fact) => !isOfSeats(fact)), own: all.filter(isOfSeats)};
}

function facts(pairs, context) {
  if (!pairs.length) return [];
  const fact = ([name, value]) => html("div", {class: "gn-fact"}, html("dt", {}, label(name)), html("dd", {}, shownAs(value, context)));
  return [html("dl", {class: "gn-facts"}, pairs.map(fact))];
}

const label = (name) => name[0].toUpperCase() + name.slice(1).replaceAll("_", " ");

// A value: chips side by side, rows of chips for a board, nested facts.
function shownAs(value, context) {
  if (Array.isArray(value)) {
    if (!value.length) return html("span", {class: "gn-none"}, "–");
    const isBoard = value.every(Array.isArray);
    return html("span", {class: isBoard ? "gn-board" : "gn-row"}, value.map((one) => shownAs(one, context)));
  }
  if (value === null) return html("span", {class: "gn-chip gn-hidden", role: "img", "aria-label": context.word("page.generic.hidden")});
  if (typeof value === "object") return facts(Object.entries(value), context);
  if (typeof value === "boolean") return html("span", {class: "gn-chip"}, context.word(value ? "page.yes" : "page.no"));
  return html("span", {class: "gn-chip"}, String(value).replace("-", "−"));
}

// The game's own drawing; the content security policy blocks scripts in it.
function drawing(text) {
  const drawn = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  drawn.classList.add("gn-drawing");
  return drawn;
}

// --- Seats and actions ------------------------------------------------------------------------------

const isMyTurn = ({view, context}) => context.canAct && !view.over && view.turn === view.seat;

function place(shown, seat, own) {
  const {view, context, last} = shown;
  const isDrawn = Boolean(view.svg);
  const mine = facts(own.map(([name, values]) => [name, values[seat]]), context);
  return html(
    "section",
    {class: view.turn === seat && !view.over ? "gn-place gn-turn" : "gn-place", "data-seat": seat},
    html("p", {class: "gn-name"}, context.names[seat], last.has(seat) && html("span", {class: "gn-did"}, last.get(seat))),
    html("div", {class: isDrawn ? "hush" : null}, mine),
  );
}

function asked({view, context}) {
  if (view.over) return "";
  return view.turn === view.seat ? context.word("page.generic.yours") : context.word("page.generic.theirs", {who: {seat: view.turn}});
}

const button = ({action, says}, {say}) =>
  html("button", {type: "button", class: "button large", "data-action": action, "data-key": action}, says ? say(says) : action);
