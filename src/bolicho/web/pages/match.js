// Page of a match: seats, connection to the server, and views shown one by one at the reader's pace.

import {ask} from "/a/api.js";
import {html} from "/a/draw.js";
import {Live} from "/a/live.js";
import {endPanel, eveningSaid, finishPanel, follow as followRematch, isFair, mayEnd, resultSaid, stopOffer} from "/a/ending.js";
import {joinPanel, revealNonces, waitingPanel} from "/a/joining.js";
import {showGuide} from "/a/guide.js";
import {baseOf} from "/a/opponents.js";
import {fairPanel, hintPanel, momentPanel, whyPanel} from "/a/panels.js";
import {backLink, dressForStudy, tableTitle} from "/a/participant.js";
import {homePage, matchHere, tablePage} from "/a/places.js";
import {begin, has, isStill, keep, onChange, settings, settingsDialog, word} from "/a/settings.js";
import {Stage, gameModule, openCards, titleOf, toast} from "/a/stage.js";
import {myMatch} from "/a/tokens.js";
import {play as sound} from "/a/sound.js";

const id = matchHere();
const path = `/api/matches/${id}`;
const $ = (selector) => document.querySelector(selector);
const TOO_MANY = 40; // plies behind: after a longer absence only the current position is shown

const match = {
  id,
  info: null, // result of GET /api/matches/ID
  seat: null,
  token: null,
  players: [],
  state: "waiting",
  claim: null,
  clock: null,
  challenge: null, // to bots, while the match waits for them
  reveal: null, // commitments to nonces, while the deal waits for nonces
  stops: null, // seats that offer to stop
  rematch: null, // seats that offer a rematch, and its match
  evening: null, // games won at this table
  result: null,
  changed() {}, // called after each message
};
let live, stage;
const queue = [];
let timer = null;
let waitingTimer = null; // ends the wait
let awayTimer = null; // of the countdown to a claim
let received = null; // newest view received
let heardLog = 0;
let pending = null; // {ply, action, took} sent and not yet acknowledged
let asked = null; // {ply, at} of the decision on the screen, for matches of a study
let plan = null; // the action to follow when this seat is to act again
let isGuided = false; // a guide explains each choice
let isBack = false; // reconnected: the pending action may be lost

await begin();
$("#settings").addEventListener("click", settingsDialog(() => (isPaced() ? ["pace"] : [])));
boot().catch((problem) => notice(html("p", {class: "sorry"}, problem.message), wayOut()));

async function boot() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const invite = fragment.get("invite") ?? sessionStorage.getItem(`invite.${id}`);
  if (fragment.has("invite")) {
    sessionStorage.setItem(`invite.${id}`, invite);
    history.replaceState(null, "", tablePage(id)); // keeps the code out of the address bar and of screenshots
  }
  isGuided = fragment.has("guide");
  const mine = myMatch(id);
  const wanted = fragment.get("seat");
  const seat = fragment.has("watch") ? null : (wanted ?? Object.keys(mine.seats)[0] ?? null);
  match.info = await ask(path, {token: mine.seats[seat] ?? invite}); // an invitation has its own rate limit
  match.players = match.info.players ?? [];
  match.challenge = match.info.challenge ?? null;
  if (studyOf()) dressForStudy(studyOf());
  const module = await gameModule(match.info);
  stage = new Stage(module, match, {isLive: true, send, cancel: () => (plan = null), canAct, plan: () => plan, pace});
  dressTitle();
  stage.dressPlayers(match);
  if (invite && !(seat in mine.seats)) return joinPanel(notice, match, invite, sit);
  if (seat !== null && seat in mine.seats) [match.seat, match.token] = [Number(seat), mine.seats[seat]];
  open();
}

function sit(seat, token) {
  sessionStorage.removeItem(`invite.${id}`);
  [match.seat, match.token] = [seat, token];
  notice();
  $("#table").focus();
  open();
}

function open() {
  live = new Live(id, match.token, {
    hear,
    state: showState,
    seen: () => ({ply: received?.ply ?? -1, log: heardLog}),
  });
  match.live = live;
  dressTools();
}

// --- Messages of the server ----------------------------------------------------------------------

function hear(message) {
  if (message.players) {
    [match.players, match.challenge] = [message.players, message.challenge ?? null];
    match.reveal = message.reveal ?? null;
    match.stops = message.stops ?? null;
    match.evening = message.evening ?? null;
    hearRematch(message.rematch ?? null);
    if (match.token) revealNonces(match).catch((problem) => toast(problem.message));
  }
  if (message.state) match.state = message.state;
  if ("claim" in message) match.claim = message.claim && {...message.claim, heard: performance.now()};
  if ("clock" in message) match.clock = message.clock && {...message.clock, heard: performance.now()};
  if ("result" in message) match.result = message.result;
  if (message.is === "refused") refuse(stage.say(message.says));
  if (message.is === "bye") notice(
    html("p", {class: "sorry"}, message.says ? stage.say(message.says) : message.text),
    wayOut(),
  );
  if (message.view) take(message);
  else if (match.state === "over" && stage.shown && !stage.isFinished && !queue.length) show(stage.shown); // claimed, without a new ply
  stage.dressPlayers(match);
  showWaiting();
  showAway();
  showOffers();
}

// Presence has changed, or a player offers something: draw what depends on it.
function showOffers() {
  match.changed();
  const box = $("#offers");
  const offer = stopOffer(match, stage, hear);
  box.replaceChildren(...eveningSaid(match, stage).map((text) => html("p", {class: "evening"}, text)), ...(offer ? [offer] : []));
  const away = match.players.map(({here}) => here).join();
  if (stage.shown && stage.shownAway !== away) stage.show(stage.shown);
  stage.shownAway = away;
}

function hearRematch(rematch) {
  const isNews = JSON.stringify(rematch) !== JSON.stringify(match.rematch);
  match.rematch = rematch;
  if (!isNews || !stage?.isFinished) return;
  showFinish();
  followRematch(match);
}

function take({view, frames = []}) {
  if (received && view.ply < received.ply) return; // a newer response came first
  const isFirst = received === null;
  const before = received?.ply ?? -1;
  const isSkipped = isFirst || frames.length > TOO_MANY;
  if (isSkipped) frames.forEach((frame) => stage.hear(frame));
  const news = isSkipped ? [view] : [...frames.filter((frame) => frame.ply > before && frame.ply < view.ply), view];
  received = view;
  heardLog = Math.max(heardLog, view.log_from + view.log.length);
  if (pending && view.ply > pending.ply) pending = null;
  else if (pending && isBack) live.move(pending.ply, pending.action, pending.took).catch(() => {});
  isBack = false;
  for (const one of news) queue.push(...stage.between(queue.at(-1) ?? stage.shown, one), one);
  pump();
}

function refuse(text) {
  pending = plan = null;
  toast(text);
  if (stage.shown) stage.show(stage.shown);
}

// --- Views at the reader's pace ------------------------------------------------------------------

const isPaced = () => typeof match.info?.options?.pace === "number"; // the same pace for all participants of a study
const pace = () => (document.hidden ? 0 : isPaced() ? match.info.options.pace : settings.pace);

function pump() {
  const next = queue[0];
  if (!next) return;
  const isMine = match.seat !== null && stage.shown?.turn === match.seat;
  if (timer && !isMine) return;
  clearTimeout(timer);
  timer = null;
  queue.shift();
  show(next);
  const rest = pace() * (next.hold ?? 1);
  timer = setTimeout(() => {
    timer = null;
    pump();
  }, rest);
}

function show(view) {
  const fresh = stage.show(view);
  $("#table").dataset.state = match.state;
  if (fresh.some((entry) => entry.event === "dealt")) plan = null;
  if (match.state === "over" && !queue.length) finish();
  dressTitle();
  if (isGuided) showGuide(match, view, canAct(), stopGuide);
  if (!canAct()) return;
  if (stage.wasAsked !== view.ply) {
    sound("knock");
    noteAsked(view.ply);
  }
  stage.wasAsked = view.ply;
  follow(view);
}

// A decision is timed from the moment when the page shows all that went before it: pauses between events are over.
// After a reload the time is not known.
function noteAsked(ply) {
  if (!studyOf()) return;
  const isReload = sessionStorage.getItem(`asked.${id}`) === String(ply);
  sessionStorage.setItem(`asked.${id}`, String(ply));
  asked = isReload ? null : {ply, at: performance.now()};
}

const tookFor = (ply) => (asked?.ply === ply ? (performance.now() - asked.at) / 1000 : undefined);

function stopGuide() {
  isGuided = false;
  $("#guide").hidden = true;
  history.replaceState(null, "", tablePage(id));
}

// Second action of a gesture: sent at the seat's next turn, dropped if it is no longer legal.
function follow(view) {
  if (!plan) return;
  const next = plan;
  plan = asked = null; // decided with the first action
  if (view.legal.some(({action}) => action === next)) setTimeout(() => send(next), isStill() ? 0 : 350);
  else stage.show(view);
}

function canAct() {
  const view = stage?.shown;
  const isNewest = view && view === received && !queue.length;
  return !pending && isNewest && match.state === "playing" && match.seat !== null && view.turn === match.seat;
}

function send(actions) {
  if (!canAct()) return;
  const [action, next = null] = [actions].flat();
  pending = {ply: received.ply, action, took: tookFor(received.ply)};
  plan = next;
  stage.show(stage.shown);
  live.move(pending.ply, action, pending.took).catch((problem) => {
    if (problem.status) refuse(problem.message);
    else live.lose();
  });
}

function showState(state) {
  const shown = {
    open: "",
    polling: word("page.state.polling"),
    lost: navigator.onLine ? word("page.state.lost") : word("page.state.offline"),
  };
  if (state === "lost") isBack = true;
  $("#state").dataset.state = state;
  $("#state").textContent = shown[state];
}

// --- Around the table --------------------------------------------------------------------------------

// A dot before the title shows, in another window, that it is the player's turn.
function dressTitle() {
  const title = studyOf() ? tableTitle(studyOf(), titleOf(match.info.game)) : titleOf(match.info.game);
  $("#game").textContent = title;
  document.title = `${canAct() ? "● " : ""}${title} · Bolicho`;
}

function notice(...children) {
  $("#notice").replaceChildren(...children);
}

const homeLink = () => html("a", {class: "button", href: homePage}, word("page.back_home"));
const wayOut = () => (studyOf() ? backLink(studyOf()) : homeLink());

// The study of this match and its step; null for other matches.
function studyOf() {
  const study = match.info?.options?.study ?? myMatch(id).study?.study;
  return study ? {...myMatch(id).study, study} : null;
}

function showWaiting() {
  clearTimeout(waitingTimer);
  if (!["waiting", "void"].includes(match.state)) {
    if ($("#notice .waiting")) notice();
    return;
  }
  const said = $("#notice .waiting h2")?.textContent;
  notice(waitingPanel(match, wayOut));
  const {textContent} = $("#notice .waiting h2");
  if (said && said !== textContent) $("#live").append(html("p", {}, textContent));
  const left = (match.reveal?.by ?? match.challenge?.expires ?? 0) - Date.now() / 1000;
  if (left > 0) waitingTimer = setTimeout(showWaiting, 1000 * left);
}

// The late player is away or out of time: a countdown, then a button; the game is claimed only by a click.
function showAway() {
  clearTimeout(awayTimer);
  const {claim, seat, players} = match;
  const box = $("#away");
  box.hidden = !claim || match.info.options?.claims === false || match.state !== "playing" || claim.late === seat;
  if (box.hidden) return;
  const left = Math.max(0, Math.ceil(claim.in - (performance.now() - claim.heard) / 1000));
  const isAway = players[claim.late].here === false;
  const who = {seat: claim.late};
  box.hidden = left > 0 && !isAway; // a running clock is visible already
  const said = left
    ? stage.word("page.away.in", {who, seconds: left})
    : stage.word(isAway ? "page.away.now" : "page.away.clock", {who});
  const button = html(
    "button",
    {id: "claim", class: "button", type: "button", disabled: left > 0, on: {click: takeGame}},
    word("page.claim"),
  );
  box.replaceChildren(html("p", {}, said), ...(seat === null ? [] : [button]));
  if (left) awayTimer = setTimeout(showAway, 1000);
}

async function takeGame() {
  try {
    hear({is: "view", ...(await ask(`${path}/claim`, {token: match.token, method: "POST"}))});
  } catch (problem) {
    toast(problem.message);
  }
}

async function finish() {
  if (!stage.isFinished) {
    stage.isFinished = true;
    if (match.result?.ended !== "stopped") sound((match.result?.winners ?? []).includes(match.seat) ? "win" : "lose");
    $("#live").append(html("p", {}, resultSaid(match, stage)));
    openCards(match, stage).catch(() => {}); // the table stays as it is
    showFinish();
    $("#notice").scrollIntoView({block: "nearest"});
    remember(match);
  } else showFinish();
}

// Drawn again when a rematch is offered; the focus stays.
function showFinish() {
  const held = document.activeElement?.id;
  notice(finishPanel(match, stage, studyOf() && backLink(studyOf(), "page.study.continue")));
  if (held === "again") $("#again")?.focus();
}

// Result against one agent, from which the home page suggests the next opponent.
function remember({info, seat, players, result}) {
  const rivals = players.filter((_, other) => other !== seat);
  if (seat === null || studyOf() || !rivals.every(({agent}) => typeof agent === "string")) return;
  keep(`last.${info.game}`, {agent: baseOf(rivals[0].agent), won: (result?.winners ?? []).includes(seat)});
}

// The rules bring drawings of all games, so they are loaded when they are asked for.
function lazyRules(...all) {
  let opens = null;
  return async () => (opens ??= (await import("/a/rules.js")).rulesPanel(...all))();
}

function dressTools() {
  const {options = {}} = match.info;
  const tool = (name, panel, isOn) => {
    const button = $(`#${name}`);
    button.hidden = !isOn;
    const opens = panel(match, stage);
    button.onclick = () => opens().catch((problem) => toast(problem.message));
  };
  tool("rules", lazyRules, has(`learn.${match.info.game}.goal`));
  tool("moment", momentPanel, match.seat !== null);
  tool("hint", hintPanel, match.seat !== null && options.hint !== false);
  tool("why", whyPanel, options.why !== false);
  tool("fair", fairPanel, isFair(match));
  tool("end", (...all) => endPanel(...all, hear), mayEnd(match));
}

onChange((name) => {
  if (!stage) return;
  dressTitle();
  if (stage.shown) stage.rewrite();
  stage.dressPlayers(match);
  showWaiting();
  if (name === "language" && stage.isFinished) {
    showFinish();
  }
});
setInterval(() => stage?.tick(match), 500);
