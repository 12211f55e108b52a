// A guided game: a hand against an easy opponent, with a word at every choice.

import {agentsFor} from "/a/api.js";
import {html} from "/a/draw.js";
import {GAMES, defaultRules} from "/a/games.js";
import {myName, openMatch} from "/a/joining.js";
import {ranked} from "/a/opponents.js";
import {word} from "/a/settings.js";

const RULES = {truco: {hands: 1}}; // a single hand, where a game has several
const EASIEST = 1; // the second in the order: the first one plays at random
const LAST_TURNS = 5; // of an age, from which on its war is near

// Start a guided game and go to its table.
export async function startGuided(game) {
  const rules = RULES[game] ?? {};
  const {agents} = await agentsFor(game, rules);
  const rated = ranked(agents).characters.filter(({level, name}) => level && name !== "markov");
  const {name} = rated[Math.min(EASIEST, rated.length - 1)] ?? agents[0];
  const others = Array.from({length: GAMES[game].seats({...defaultRules(game), ...rules}) - 1}, () => ({who: "agent", agent: name}));
  const seats = [{who: "me", name: myName()}, ...others];
  await openMatch(game, rules, seats, {why: true, hint: true, open_end: true, clock: null}, "#guide");
}

const TRUCO_CALLS = {envido: "envido", real: "envido", falta: "envido", flor: "flor", contraflor: "flor", resto: "flor"};

// What the guide says: [key of a text, facts].
const SAID = {
  truco({table}) {
    const {pending, round, envido, played} = table;
    if (pending) return [TRUCO_CALLS[pending.call] ?? "truco", {envido}];
    if (round > 1) return ["later"];
    return played.flat().length ? ["lead"] : ["first", {envido}];
  },
  dominoes({table, seat}) {
    const lacked = table.lacked[1 - seat];
    if (!table.line.row.length || table.line.row.length < 3) return ["first"];
    return lacked.length ? ["lacked", {values: {several: lacked, with: "and"}}] : ["later"];
  },
  fives: (view) => (view.table.line.row.length < 6 ? ["first"] : SAID.dominoes(view)),
  wonders({table: {age, round}}) {
    if (age === 1 && round === 1) return ["first"];
    if (round >= LAST_TURNS) return ["war"];
    return age === 3 ? ["late"] : ["stage"];
  },
};

const isWithoutText = (game, [name]) => game === "fives" && name !== "first";

// Text about a view, in the words of the catalogue.
export function guideSaid(game, view, canAct) {
  if (view.over) return word("learn.guide.over");
  if (!canAct) return word("learn.guide.wait");
  const said = SAID[game]?.(view);
  if (!said) return "";
  const from = isWithoutText(game, said) ? "dominoes" : game;
  return word(`learn.guide.${from}.${said[0]}`, said[1]);
}

// Box of the guide above the table, with a button that asks an adviser.
export function showGuide(match, view, canAct, close) {
  const box = /** @type {HTMLElement} */ (document.querySelector("#guide"));
  box.hidden = false;
  const ask = () => /** @type {HTMLElement} */ (document.querySelector("#hint")).click();
  box.replaceChildren(
    html("p", {}, html("b", {}, `${word("page.guide")}: `), guideSaid(match.info.game, view, canAct)),
    canAct ? html("button", {type: "button", class: "button", id: "guide-hint", on: {click: ask}}, word("page.guide.ask")) : "",
    html("button", {type: "button", class: "link", id: "guide-off", on: {click: close}}, word("page.guide.off")),
  );
}
