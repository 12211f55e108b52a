// The end of a match: resigning, stopping by agreement, the result, and a rematch at the same table.

import {ask} from "/a/api.js";
import {html} from "/a/draw.js";
import {openMatch} from "/a/joining.js";
import {isAnalysed, isServed} from "/a/panels.js";
import {analysisPage, homePage, replayPage, tablePage} from "/a/places.js";
import {closeButton, keep, recall, word} from "/a/settings.js";
import {freshNonce, nonceCommit} from "/a/sha256.js";
import {toast} from "/a/stage.js";
import {remember} from "/a/tokens.js";

const pathOf = ({id}) => `/api/matches/${id}`;
const tried = (promise) => promise.catch((problem) => toast(problem.message));
const people = ({players}) => players.flatMap(({agent}, seat) => (agent ? [] : [seat]));
const named = (seats) => ({several: seats.map((seat) => ({seat})), with: "and"});

// --- Leaving a match under way ---------------------------------------------------------------------

export const isFair = (match) => isServed(match) && !match.info.options?.study;

export const mayEnd = (match) => match.seat !== null && isFair(match) && !match.info.options?.bots;

// Dialog with the ways to end a match under way; `hear` takes the state after the request.
export function endPanel(match, stage, hear) {
  const dialog = html("dialog", {id: "end-panel", "aria-labelledby": "end-title"});
  document.body.append(dialog);
  const request = (what, body) => tried((async () => {
    hear({is: "view", ...(await ask(`${pathOf(match)}/${what}`, {token: match.token, method: "POST", body}))});
    dialog.close();
  })());
  const row = (id, name, why, click) => html(
    "div",
    {class: "way-out"},
    html("p", {}, word(why)),
    html("button", {type: "button", class: "button", id, on: {click}}, word(name)),
  );
  const fill = () => {
    const count = people(match).length;
    const isMine = match.stops?.includes(match.seat);
    const ways = [];
    if (match.state !== "playing") ways.push(html("p", {}, word("page.end.nothing")));
    else {
      if (count > 1 && !isMine) ways.push(row("stop", "page.stop", "page.stop.why", () => request("stop", {offer: true})));
      if (count > 1 && isMine) ways.push(row("stop-back", "page.stop.back", "page.stop.mine", () => request("stop", {offer: false})));
      if (count === 1 || match.players.length === 2) ways.push(row("resign", "page.resign", "page.resign.why", () => request("resign")));
    }
    dialog.replaceChildren(closeButton(dialog), html("h2", {id: "end-title"}, word("page.end")), ...ways);
  };
  match.changed = () => dialog.open && fill(); // the match goes on while the dialog is open
  return async () => {
    fill();
    dialog.showModal();
  };
}

// Offer of another player to stop, with the button that accepts it.
export function stopOffer(match, stage, hear) {
  const others = (match.stops ?? []).filter((seat) => seat !== match.seat);
  if (!others.length || match.state !== "playing" || match.seat === null) return null;
  const accept = () => tried((async () =>
    hear({is: "view", ...(await ask(`${pathOf(match)}/stop`, {token: match.token, body: {offer: true}}))}))());
  return html(
    "div",
    {class: "offer"},
    html("p", {}, stage.word("page.stop.offered", {who: named(others)})),
    html("button", {type: "button", class: "button", id: "stop-accept", on: {click: accept}}, word("page.stop.accept")),
  );
}

// --- The result ---------------------------------------------------------------------------------------

export function resultSaid(match, stage) {
  const {winners = [], ended} = match.result ?? {};
  if (ended === "stopped") return word("page.over.stopped");
  return winners.length ? stage.word("page.over.won", {who: named(winners)}) : word("page.over.tie");
}

// Why a match ended before its time; null for one that was played to its end.
function reasonSaid({result, players}, stage) {
  const {ended, by, claimed, forfeit} = result ?? {};
  if (forfeit !== undefined && forfeit !== null) return stage.word("page.over.forfeit", {who: {seat: forfeit}});
  if (ended === "resigned") return stage.word("page.over.resigned", {who: {seat: by}});
  if (ended !== "away" && ended !== "clock") return null;
  const late = stage.shown?.turn ?? players.findIndex((_, seat) => seat !== claimed);
  return stage.word(`page.over.${ended}`, {who: {seat: late}, winner: {seat: claimed}});
}

// Games won at this table so far, and the points of a series.
export function eveningSaid(match, stage) {
  const tally = match.evening ?? match.info.options?.evening;
  const target = match.info.options?.series;
  const listed = (numbers) => numbers.map((number, seat) => `${stage.names[seat]}: ${number}`).join(" · ");
  const games = tally?.won.reduce((sum, count) => sum + count, 0) ?? 0;
  return [
    target && tally?.points.some(Boolean) && word("page.series", {target, score: listed(tally.points)}),
    target && !tally?.points.some(Boolean) && !games && word("page.series.to", {target}),
    games > (match.state === "over" ? 1 : 0) && word("page.evening", {score: listed(tally.won)}),
  ].filter(Boolean);
}

export function finishPanel(match, stage, leave) {
  const {scores} = stage.shown;
  const order = scores.map((_, seat) => seat).sort((a, b) => scores[b] - scores[a]);
  const reason = reasonSaid(match, stage);
  return html(
    "div",
    {class: "finish", role: "group", "aria-label": word("page.over")},
    html("h2", {tabindex: "-1"}, resultSaid(match, stage)),
    reason && html("p", {class: "why-over"}, reason),
    html("p", {class: "figures"}, order.map((seat) => `${stage.names[seat]}: ${scores[seat]}`).join(" · ")),
    eveningSaid(match, stage).map((text) => html("p", {class: "evening"}, text)),
    html("p", {class: "rematch fine", "aria-live": "polite"}, rematchSaid(match, stage)),
    html("p", {class: "choices"}, leave ?? whatNext(match)),
  );
}

// A hand without points leaves the series where it was, so the games won tell whether it is over.
function hasWonSeries({evening, info}) {
  const games = (tally) => (tally?.won ?? []).reduce((sum, count) => sum + count, 0);
  return games(evening) > games(info.options.evening);
}

function whatNext(match) {
  const seat = match.seat === null ? "" : `&seat=${match.seat}`;
  const isSeries = match.info.options?.series && !hasWonSeries(match);
  return [
    match.seat !== null && html(
      "button",
      {class: "button main", type: "button", id: "again", disabled: hasOffered(match), on: {click: (event) => again(match, event.target)}},
      word(isSeries ? "page.again.hand" : "page.again"),
    ),
    html("a", {class: "button", href: `${replayPage(match.id)}#ply=0${seat}`}, word("page.replay")),
    isAnalysed(match) && html("a", {class: "button", id: "analysis", href: `${analysisPage(match.id)}#seat=${match.seat}`}, word("page.analysis")),
    isFair(match) && html("button", {class: "button", type: "button", on: {click: openFair}}, word("page.fair")),
    html("a", {class: "button", href: homePage}, word("page.back_home")),
  ];
}

function openFair() {
  /** @type {HTMLElement} */ (document.querySelector("#fair")).click();
}

// --- Rematch ---------------------------------------------------------------------------------------------

const hasOffered = ({rematch, seat}) => Boolean(rematch?.seats.includes(seat));

function rematchSaid(match, stage) {
  if (match.seat === null || !match.rematch) return "";
  const {seats} = match.rematch;
  if (!seats.includes(match.seat)) return stage.word("page.again.offered", {who: named(seats)});
  const missing = people(match).filter((seat) => !seats.includes(seat));
  return missing.length ? stage.word("page.again.waiting", {who: named(missing)}) : "";
}

async function again(match, button) {
  button.disabled = true;
  try {
    await (match.info.options?.bots || !isServed(match) ? openAgain(match) : offer(match));
  } catch (problem) {
    button.disabled = false;
    toast(problem.message);
  }
}

// A bot is challenged anew, since it may have gone; without a server a new match is opened, and the seats move on by one.
function openAgain(match) {
  const {info: {game, rules, options}, players, seat: mine} = match;
  const {why, hint, open_end, clock} = options;
  const seats = players.map(({name, agent}, seat) =>
    seat === mine ? {who: "me", name} : agent ? {who: "agent", agent} : {who: "bot", bot: name});
  const moved = isServed(match) ? seats : [seats.at(-1), ...seats.slice(0, -1)];
  return openMatch(game, rules, moved, {why, hint, open_end, clock});
}

async function offer(match) {
  const nonce = recall(`rematch.${match.id}`) ?? freshNonce();
  keep(`rematch.${match.id}`, nonce);
  const {match: next} = await ask(`${pathOf(match)}/rematch`, {token: match.token, body: {nonce_commit: nonceCommit(nonce)}});
  if (next) await goOn(match, next);
}

let isGoing = false;

// Once all have offered the rematch, go to it; the seats have moved on by one, and the token stays.
export function follow(match) {
  const {rematch, token} = match;
  if (token && rematch?.match && recall(`rematch.${match.id}`)) tried(goOn(match, rematch.match));
}

async function goOn({id, info, seat, token, players}, next) {
  if (isGoing) return;
  isGoing = true;
  const {commit} = await ask(`/api/matches/${next}`, {token});
  const nonce = recall(`rematch.${id}`);
  remember(next, {game: info.game, seat: (seat + 1) % players.length, token, nonce, commit});
  keep(`rematch.${id}`, null);
  location.href = tablePage(next);
}
