// Replay of a match, step by step or automatically, with explanations of agents; each ply has a link.
// A game of a tournament (/replay/run:NAME:ROW) is shown in the same way to readers with access.

import {ask} from "/a/api.js";
import {token as readerToken} from "/a/door.js";
import {html} from "/a/draw.js";
import {copyText} from "/a/joining.js";
import {downloadRecord, fairPanel, isAnalysed, isServed, whyOf} from "/a/panels.js";
import {analysisPage, keepPlace, matchHere} from "/a/places.js";
import {begin, onChange, settingsDialog, word} from "/a/settings.js";
import {Stage, gameModule, openedAt, titleOf, toast} from "/a/stage.js";
import {myMatch} from "/a/tokens.js";

const id = matchHere();
const [, tournament, row] = /^run:(.*):(\d+)$/.exec(id) ?? [];
const path = tournament ? `/api/arena/runs/${encodeURIComponent(tournament)}/games/${row}` : `/api/matches/${id}`;
const reader = tournament ? readerToken() : null;
const $ = (selector) => document.querySelector(selector);
const SPEEDS = {2400: "page.pace.slow", 1200: "page.pace.normal", 500: "page.pace.quick", 120: "page.pace.instant"};
const GLANCE = 600; // ms of an intermediate event, times its weight
const ALL = "all"; // eyes that see all cards
const STILL_PLAYED = 1000; // ms between polls of an unfinished match

const match = {id, path, reader, info: null, seat: null, token: null, players: [], clock: null};
const views = new Map(); // by seat and ply
let stage;
let ply = 0;
let end = 0; // the last ply
let speed = 1200;
let running = null;
let seesAll = false; // all cards are open
let wanted = 0; // newest requested step; responses to older ones are dropped

await begin();
$("#settings").addEventListener("click", settingsDialog());
boot().catch((problem) => $("#notice").replaceChildren(html("p", {class: "sorry"}, problem.message)));

async function boot() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  await look();
  const module = await gameModule(match.info);
  stage = new Stage(
    module,
    match,
    {isLive: false, send() {}, cancel() {}, canAct: () => false, plan: () => null, pace: () => (running ? speed : 0)},
  );
  const seat = fragment.get("seat");
  lookAs(seat);
  dress();
  $("#steps").inert = false; // until here there is nothing to step through
  $("#fair").hidden = !isServed(match);
  if (tournament) dressForTournament();
  $("#fair").onclick = () => openFair().catch((problem) => toast(problem.message));
  $("#why").onclick = explain;
  await show(Math.min(Number(fragment.get("ply") ?? 0) || 0, end));
  if (fragment.has("run")) run();
  addEventListener("hashchange", follow);
}

let fairOpener = null;
const openFair = (...all) => (fairOpener ??= fairPanel(match, stage))(...all);

async function look() {
  match.info = await ask(path, {token: reader ?? Object.values(myMatch(id).seats)[0]});
  match.players = match.info.players.map((player) => ({...player, here: true}));
  match.result = match.info.result;
  end = Math.max(end, match.info.ply);
  $("#ply").max = end;
}

function dress() {
  $("#game").textContent = `${titleOf(match.info.game)} · ${word("page.replay.title")}`;
  document.title = `${titleOf(match.info.game)} · Bolicho`;
  const mine = Object.keys(myMatch(id).seats);
  const isOpen = match.info.state === "over" && match.info.options?.open_end !== false;
  const eyes = [
    ["", word("page.replay.public")],
    ...match.players.flatMap((_, seat) => (isOpen || mine.includes(String(seat)) ? [[String(seat), stage.names[seat]]] : [])),
    ...(isOpen && stage.module.opensCards ? [[ALL, word("page.replay.all")]] : []),
  ];
  const chosen = seesAll ? ALL : String(match.seat ?? "");
  $("#eyes").replaceChildren(
    ...eyes.map(([value, text]) => html("option", {value, selected: value === chosen}, text)),
  );
  $("#speed").replaceChildren(
    ...Object.entries(SPEEDS).reverse().map(([value, key]) => html(
      "option",
      {value, selected: Number(value) === speed},
      word(key),
    )),
  );
  $("#whole").hidden = !isOpen;
  $("#why").hidden = match.info.options?.why === false;
  const isOffered = match.info.state === "over" && !match.info.options?.study && isAnalysed(match);
  $("#analysis").hidden = !isOffered;
  if (isOffered) $("#analysis").href = `${analysisPage(id)}#seat=${match.seat}`;
  $("#run").textContent = word(running ? "page.replay.pause" : "page.replay.run");
  stage.dressPlayers(match);
  where();
}

// The deal comes from the seed of the tournament, so there are no secrets and no seats of people.
function dressForTournament() {
  for (const name of ["#fair", "#record"]) $(name).hidden = true;
  $("#steps").append(html("a", {class: "button", id: "back-to-run", href: `/arena#run=${encodeURIComponent(tournament)}`}, word("page.arena.back")));
  const {forfeit, reason} = match.info.row;
  if (forfeit !== null) $("#notice").replaceChildren(html("p", {}, word("page.arena.forfeited", {agent: match.players[forfeit].name, reason})));
}

function where() {
  const text = word("page.replay.ply", {ply, of: end});
  $("#where").textContent = text;
  $("#ply").setAttribute("aria-valuetext", text);
}

// --- Steps -------------------------------------------------------------------------------------------

async function viewAt(at) {
  const key = `${match.seat}:${at}`;
  if (!views.has(key)) {
    const seat = match.seat === null ? "" : `&seat=${match.seat}`;
    views.set(key, ask(`${path}/view?ply=${at}&log=0${seat}`, {token: reader ?? match.token}).then(({view}) => view));
  }
  try {
    return await views.get(key);
  } catch (problem) {
    views.delete(key);
    throw problem;
  }
}

async function show(at) {
  const step = ++wanted;
  const target = Math.max(0, Math.min(at, end));
  let view;
  try {
    view = await viewAt(target);
    stage.opened = seesAll ? await openedAt(path, match, target) : {};
  } catch (problem) {
    stop();
    toast(problem.message);
    return;
  }
  if (step !== wanted) return;
  const isNext = stage.shown && view.ply === ply + 1;
  const between = isNext ? (stage.module.frames?.(stage.shown, view) ?? []) : [];
  ply = view.ply;
  for (const frame of between) {
    stage.show(frame);
    await new Promise((done) => setTimeout(done, frame.hold * (running ? speed : GLANCE)));
    if (step !== wanted) return;
  }
  if (isNext) stage.show(view);
  else stage.rewind(view);
  $("#ply").value = ply;
  $("#reason").replaceChildren();
  where();
  keepPlace(eyesNow() === null ? {ply} : {ply, seat: eyesNow()});
  if (ply < end) viewAt(ply + 1).catch(() => {});
}

function follow() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const seat = fragment.get("seat");
  if (seat !== eyesNow()) lookThrough(seat ?? "");
  else if (Number(fragment.get("ply")) !== ply) show(Number(fragment.get("ply") ?? 0));
}

// The eyes of a seat ("0"), of a spectator ("") or of somebody who sees all cards.
function lookAs(eyes) {
  seesAll = eyes === ALL;
  match.seat = seesAll ? 0 : eyes ? Number(eyes) : null;
  match.token = myMatch(id).seats[match.seat] ?? null;
}

const eyesNow = () => (seesAll ? ALL : match.seat === null ? null : String(match.seat));

function lookThrough(eyes) {
  lookAs(eyes);
  stage.shown = null;
  $("#players").dataset.known = "";
  dress();
  show(ply);
}

function run() {
  stop();
  running = true;
  $("#run").textContent = word("page.replay.pause");
  walk();
}

async function walk() {
  if (!running) return;
  if (ply >= end && match.info.state !== "over") {
    await look().catch(() => {});
    where();
  } else if (ply >= end) return stop();
  else await show(ply + 1);
  if (running) running = setTimeout(walk, ply >= end ? STILL_PLAYED : speed);
}

function stop() {
  clearTimeout(running);
  running = null;
  $("#run").textContent = word("page.replay.run");
  if (match.info.state === "over") dress();
}

const go = (at) => {
  stop();
  show(at);
};
$("#first").onclick = () => go(0);
$("#back").onclick = () => go(ply - 1);
$("#next").onclick = () => go(ply + 1);
$("#last").onclick = () => go(end);
$("#run").onclick = () => (running ? stop() : ply >= end && match.info.state === "over" ? show(0).then(run) : run());
$("#ply").oninput = (event) => go(Number(event.target.value));
$("#eyes").onchange = (event) => lookThrough(event.target.value);
$("#speed").onchange = (event) => (speed = Number(event.target.value));
addEventListener("keydown", (event) => {
  const isElsewhere = /** @type {Element} */ (event.target).matches("input, select, textarea") || document.querySelector("dialog[open]");
  if (isElsewhere || event.altKey || event.ctrlKey || event.metaKey) return;
  const to = {ArrowLeft: ply - 1, ArrowRight: ply + 1, Home: 0, End: end}[event.key];
  if (to === undefined || !stage) return;
  event.preventDefault();
  event.stopPropagation();
  go(to);
}, true);

// --- Reasons and downloads ------------------------------------------------------------------------------

// The decision that led to the shown position.
async function explain() {
  if (ply === 0) return toast(word("page.why.nothing"));
  $("#reason").replaceChildren(html("p", {class: "fine"}, word("page.thinking")));
  const at = ply;
  const drawn = await whyOf(match, stage, at - 1);
  if (at === ply) $("#reason").replaceChildren(...drawn);
  if (matchMedia("(max-width: 1080px)").matches) $("#reason").scrollIntoView(); // on wide screens it is beside the table
}

$("#copy").onclick = () => copyText(location.href).then(() => toast(word("page.copied")));
$("#record").onclick = () => downloadRecord(match, "seat").catch((problem) => toast(problem.message));
$("#whole").onclick = () => downloadRecord(match, "whole").catch((problem) => toast(problem.message));
onChange(() => {
  if (!stage) return;
  dress();
  if (stage.shown) stage.rewrite();
});
