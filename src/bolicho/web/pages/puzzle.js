// Puzzles: one choice of a game that was analysed; of the day, by number, or of the player's own mistakes.
// /puzzle/truco, /puzzle/truco#number=3, /puzzle/truco#match=ID&seat=0

import {ask} from "/a/api.js";
import {html} from "/a/draw.js";
import {calledName} from "/a/opponents.js";
import {barList} from "/a/pictures.js";
import {analysisPage, gameHere, learnPage} from "/a/places.js";
import {rulesPanel} from "/a/rules.js";
import {begin, keep, onChange, recall, settings, settingsDialog, word} from "/a/settings.js";
import {Stage, gameModule, titleOf, toast} from "/a/stage.js";
import {myMatch} from "/a/tokens.js";

const NEAR = 0.1; // points that a good choice may cost
const MISTAKE = 0.1; // points from which on a decision of one's own is a puzzle
const game = gameHere();
const fragment = new URLSearchParams(location.hash.slice(1));
const $ = (selector) => document.querySelector(selector);

const match = {id: "", info: {game, look: "", rules: {}, options: {}}, seat: null, token: null, players: [], state: "playing", clock: null};
let stage = null;
let puzzle = null; // {view, by, agents, number, of}, and `solve(action)`
let solved = null; // the solution, once an action was chosen
let mistakes = []; // plies of one's own mistakes, and the solutions

await begin();
$("#settings").addEventListener("click", settingsDialog());
boot().catch((problem) => $("#notice").replaceChildren(html("p", {class: "sorry"}, problem.message)));
onChange(() => {
  if (!stage) return;
  dress();
  stage.rewrite();
  if (solved) tell();
});

async function boot() {
  $("#rules").onclick = () => rulesPanel(match)().catch((problem) => toast(problem.message));
  if (fragment.has("match")) return trainOnMine(fragment.get("match"), fragment.get("seat"));
  const asked = fragment.get("number");
  const found = await ask(`/api/puzzles/${game}${asked === null ? "" : `?number=${asked}`}`);
  const solve = (action) => ask(`/api/puzzles/${game}/${found.number}`, {body: {action}});
  await show({...found, solve});
}

// Show a puzzle on the table of its game.
async function show(found) {
  puzzle = found;
  solved = null;
  const {view, agents, rules, look} = puzzle;
  Object.assign(match.info, {rules, look});
  match.seat = view.seat;
  match.players = agents.map((agent) => ({name: agent ?? (settings.name || word("page.guest")), agent, taken: true, here: true}));
  const module = await gameModule(match.info);
  stage ??= new Stage(module, match, {isLive: true, send, cancel() {}, canAct: () => !solved, plan: () => null, pace: () => 0});
  stage.shown = null;
  $("#players").dataset.known = "";
  $("#notice").replaceChildren(question());
  dress();
  stage.rewind(view);
}

function dress() {
  $("#game").textContent = puzzle.title?.() ?? word(fragment.has("number") ? "page.puzzle.of" : "page.puzzle.daily", {game: titleOf(game)});
  document.title = `${$("#game").textContent} · Bolicho`;
  stage.dressPlayers(match);
  if (!solved) $("#notice").replaceChildren(question());
}

const question = () => html(
  "div",
  {class: "riddle ask"},
  html("h2", {}, word("page.puzzle.ask")),
  html("p", {class: "fine"}, word("page.puzzle.how")),
);

async function send(actions) {
  if (solved) return;
  const [action] = [actions].flat();
  try {
    solved = await puzzle.solve(action);
  } catch (problem) {
    toast(problem.message);
    return;
  }
  if (puzzle.number !== undefined) count();
  stage.show(stage.shown);
  tell();
}

// Puzzles tried and solved on this device.
function count() {
  const key = `${game} ${puzzle.number}`;
  const tried = recall("puzzles", {});
  if (!(key in tried)) keep("puzzles", {...tried, [key]: solved.cost <= NEAR});
}

function tell() {
  const {cost, unit, says, share, bars} = solved;
  const action = stage.say(says);
  const verdict = cost <= 0 ? word("page.puzzle.best")
    : unit === "share" ? word("page.puzzle.share", {action: capital(action), agent: calledName(puzzle.by), share})
      : cost <= NEAR ? word("page.puzzle.near", {action}) : word("page.puzzle.worse", {action: capital(action), points: cost});
  const results = Object.values(recall("puzzles", {}));
  $("#notice").replaceChildren(html(
    "div",
    {class: "riddle solved"},
    html("h2", {tabindex: "-1", class: cost <= NEAR ? "good" : "bad"}, verdict),
    html("figure", {class: "reason"}, html("figcaption", {}, word("page.puzzle.by", {agent: calledName(puzzle.by)})), barList(bars, stage.say)),
    puzzle.number === undefined ? null : html("p", {class: "fine"}, word("page.puzzle.done", {right: results.filter(Boolean).length, tried: results.length})),
    html("p", {class: "choices"}, puzzle.id ? nextMine() : nextShipped()),
  ));
  $("#notice h2").focus();
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

function nextShipped() {
  const next = (puzzle.number + 1) % puzzle.of;
  const go = () => {
    location.hash = `number=${next}`;
    location.reload();
  };
  return [
    html("button", {type: "button", class: "button main", id: "next", on: {click: go}}, word("page.puzzle.another")),
    html("a", {class: "button", href: learnPage(game)}, word("page.learn.link")),
    html("a", {class: "button", href: "/"}, word("page.back_home")),
  ];
}

// --- One's own mistakes -------------------------------------------------------------------------------

async function trainOnMine(id, seat) {
  const token = myMatch(id).seats[seat];
  if (!token) throw new Error(word("page.analysis.closed"));
  $("#notice").replaceChildren(html("p", {}, word("page.analysis.begins")));
  const [info, told] = await Promise.all([ask(`/api/matches/${id}`, {token}), judged(id, token)]);
  mistakes = told.decisions.filter(({cost, mistake}) => mistake ?? cost > MISTAKE).sort((a, b) => b.cost - a.cost);
  if (!mistakes.length) {
    $("#notice").replaceChildren(html("div", {class: "finish"}, html("h2", {}, word("page.puzzle.mine.none")), html("a", {class: "button", href: "/"}, word("page.back_home"))));
    return;
  }
  await showMine({id, token, info, told}, 0);
}

// Wait until all decisions are judged.
async function judged(id, token) {
  let found = {decisions: [], of: 1};
  while (found.decisions.length < found.of) {
    const more = await ask(`/api/matches/${id}/analysis?since=${found.decisions.length}&wait=20`, {token});
    found = {...more, decisions: [...found.decisions, ...more.decisions]};
  }
  return found;
}

async function showMine(mine, at) {
  const {id, token, info, told} = mine;
  const {ply, values, unit = "points"} = mistakes[at];
  const {view} = await ask(`/api/matches/${id}/view?ply=${ply}&log=0`, {token});
  const best = Object.keys(values).sort((a, b) => values[b] - values[a]);
  const saysOf = Object.fromEntries(view.legal.map(({action, says}) => [action, says]));
  await show({
    view,
    by: told.by,
    agents: info.players.map(({agent}) => agent),
    rules: info.rules,
    look: info.look,
    title: () => word("page.puzzle.mine.of", {number: at + 1, of: mistakes.length}),
    next: at + 1 < mistakes.length ? () => showMine(mine, at + 1) : null,
    id,
    solve: (action) => ({
      unit,
      says: saysOf[best[0]],
      share: values[best[0]],
      cost: values[best[0]] - values[action],
      bars: best.filter((one) => one in saysOf).map((one) => ({
        says: saysOf[one], value: values[one], told: toldOf(values[one], unit), chosen: one === action,
      })),
    }),
  });
}

function toldOf(value, unit) {
  if (unit === "share") return ["agents.percent", {value}];
  return [value < 0 ? "agents.minus" : "agents.plus", {value: Math.abs(value)}];
}

const nextMine = () => [
  puzzle.next && html("button", {type: "button", class: "button main", id: "next", on: {click: () => puzzle.next().catch((problem) => toast(problem.message))}}, word("page.puzzle.mine.next")),
  html("a", {class: "button", href: `${analysisPage(puzzle.id)}#seat=${match.seat}`}, word("page.analysis")),
  html("a", {class: "button", href: "/"}, word("page.back_home")),
];
