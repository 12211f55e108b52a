// Analysis of a match: decisions judged while the page waits, in Truco hand by hand, then the biggest mistakes.

import {ask} from "/a/api.js";
import {html} from "/a/draw.js";
import {number} from "/a/numbers.js";
import {calledName, playerName} from "/a/opponents.js";
import {barList} from "/a/pictures.js";
import {matchHere, puzzlePage, replayPage} from "/a/places.js";
import {begin, onChange, say as sayWith, settingsDialog, word} from "/a/settings.js";
import {myMatch} from "/a/tokens.js";
import {cardPicture, nameOf, ready} from "/a/truco.js";

const id = matchHere();
const $ = (selector) => document.querySelector(selector);
const POLL = 20; // most seconds of a long poll
const TRIES = 5; // consecutive failures before the page gives up
const REST = 2000; // ms between them
const MISTAKE = 0.01; // points, as in agents/cfr/analyse.py
const GRAVE = 0.5; // points

const {seats} = myMatch(id);
const seat = new URLSearchParams(location.hash.slice(1)).get("seat") ?? Object.keys(seats)[0];
const token = seats[seat];
let told = {names: [], decisions: [], done: 0, of: 0, by: null, summary: null, biggest: []};

const say = (said) => sayWith(said, told.names);
const wordOf = (key, facts = {}) => word(key, facts, told.names);
let game = null; // of the match
let names = []; // of its players
const replayOf = (ply) => `${replayPage(id)}#ply=${ply}&seat=${seat}`;

await begin();
$("#settings").addEventListener("click", settingsDialog());
$("#replay").href = replayOf(0);
$("#only").onchange = () => $("#hands").classList.toggle("only", $("#only").checked);
onChange(draw);
boot().catch((problem) => $("#progress").replaceChildren(html("p", {class: "sorry", role: "alert"}, problem.message)));

async function boot() {
  document.title = `${word("page.analysis")} · Bolicho`;
  if (!token) throw new Error(word("page.analysis.closed"));
  const info = await ask(`/api/matches/${id}`, {token});
  game = info.game;
  names = info.players.map(playerName);
  $("#train").href = `${puzzlePage(game)}#match=${id}&seat=${seat}`;
  $("#train").hidden = false;
  if (game === "truco") await ready();
  await follow();
}

async function follow() {
  showProgress();
  let failed = 0;
  do {
    try {
      const more = await ask(`/api/matches/${id}/analysis?since=${told.decisions.length}&wait=${POLL}`, {token});
      failed = 0;
      told = {...more, names, decisions: [...told.decisions, ...more.decisions]};
      draw();
    } catch (problem) {
      const isPassing = problem.status === 0 || problem.status === 429 || problem.status === 503;
      if (!isPassing || ++failed === TRIES) throw problem;
      await new Promise((done) => setTimeout(done, 1000 * (problem.after ?? 0) || REST));
    }
  } while (told.decisions.length < told.of);
  $("#live").replaceChildren(html("p", {}, word("page.analysis.done", {of: told.of})));
}

// --- Drawing -------------------------------------------------------------------------------------

// Finished hands are kept while others are added; a change of language redraws all.
function draw(changed = null) {
  if (changed) {
    document.title = `${word("page.analysis")} · Bolicho`;
    $("#hands").replaceChildren();
  }
  if (!told.names.length) return;
  $("#who").textContent = told.names.join(" – ");
  $("#how").textContent = told.by ? how() : "";
  showProgress();
  showVerdict();
  if (game !== "truco") return showChoices();
  const hands = Map.groupBy?.(told.decisions, ({hand}) => hand) ?? grouped(told.decisions);
  for (const [hand, decisions] of hands) {
    if (!document.getElementById(`hand-${hand}`)) $("#hands").append(handSheet(hand, decisions));
  }
}

function how() {
  const by = told.by;
  if (game !== "truco") return word("page.analysis.choices", {by: calledName(by)});
  return `${wordOf("page.analysis.how", {by})} ${word(by === "cfr" ? "page.analysis.near" : "page.analysis.style", {by})}`;
}

// Choices of a game without hands, one after the other.
function showChoices() {
  const list = $("#hands ol") ?? $("#hands").appendChild(html("section", {class: "sheet"}, html("ol", {class: "decided", role: "list"}))).firstChild;
  list.append(...told.decisions.slice(list.children.length).map(choiceRow));
}

function choiceRow({ply, chosen, bars, unit, mistake, verdict}) {
  return html(
    "li",
    {class: `decision ${mistake ? "mistake" : "fine"}`, "data-ply": String(ply)},
    html("div", {class: "head"}, html("a", {href: replayOf(ply)}, say(chosen)), html("b", {class: "cost"}, say(verdict))),
    barList(bars, say, unit === "share" ? 1 : 0),
  );
}

function grouped(decisions) {
  const hands = new Map();
  for (const one of decisions) hands.set(one.hand, [...(hands.get(one.hand) ?? []), one]);
  return hands;
}

function showProgress() {
  const {done, of} = told;
  if (told.summary) return $("#progress").replaceChildren();
  const text = done ? word("page.analysis.progress", {done, of}) : word("page.analysis.begins");
  $("#progress").replaceChildren(
    html("p", {}, text),
    html("progress", {max: of || 1, value: of ? done : null, "aria-label": word("page.analysis.judging")}),
  );
}

function showVerdict() {
  if (!told.summary) return;
  $("#verdict").replaceChildren(
    ...told.summary.map((said, i) => html(i === told.summary.length - 1 ? "h2" : "p", {}, say(said))),
    html("ol", {class: "biggest", role: "list"}, told.biggest.map(({ply, cards, says}) => html(
      "li",
      {},
      held(cards),
      html("p", {}, say(says), " ", html("a", {href: replayOf(ply)}, word("page.analysis.see"))),
    ))),
  );
}

const held = (cards) => html("span", {class: "held"}, cards.map((card) => cardPicture(card, nameOf(card, {word}))));

function handSheet(hand, decisions) {
  const isSpotless = decisions.every(({cost}) => cost <= MISTAKE);
  return html(
    "section",
    {class: isSpotless ? "sheet spotless" : "sheet", id: `hand-${hand}`, "aria-labelledby": `hand-title-${hand}`},
    html("h2", {id: `hand-title-${hand}`}, word("page.truco.hand", {hand})),
    html("ol", {class: "decided", role: "list"}, decisions.map(decisionRow)),
  );
}

function decisionRow({ply, round, cards, asked, chosen, bars, worth, cost, verdict, note}) {
  const key = asked ? "page.analysis.answer" : "page.analysis.round";
  const weight = cost > GRAVE ? "grave" : cost > MISTAKE ? "mistake" : cost < -MISTAKE ? "better" : "fine";
  return html(
    "li",
    {class: `decision ${weight}`, "data-ply": String(ply)},
    html("div", {class: "head"}, held(cards), html("a", {href: replayOf(ply)}, wordOf(key, {round, asked, action: chosen})), html(
      "b",
      {class: "cost", title: `${number(cost, 2)}`},
      say(verdict),
    )),
    barList(bars, say, 1),
    html("p", {class: "fine"}, say(worth)),
    note && html("p", {class: "fine"}, say(note).trim()),
  );
}
