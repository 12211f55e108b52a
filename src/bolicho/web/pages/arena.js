// The arena: running and finished tournaments, new ones, and the reports of the lab.  It polls the server.

import {ask} from "/a/api.js";
import {bouts} from "/a/bouts.js";
import {door, forgetToken, token} from "/a/door.js";
import {html} from "/a/draw.js";
import {moment, number} from "/a/numbers.js";
import {redraw} from "/a/redraw.js";
import {begin, language, onChange, settingsDialog, word} from "/a/settings.js";
import {titleOf, toast} from "/a/stage.js";
import {crossTable, standings} from "/a/standings.js";
import {tournamentForm} from "/a/tournament.js";
import {trainingForm} from "/a/training.js";

const path = "/api/arena/runs";
const trainingsPath = "/api/arena/trainings";
const $ = (selector) => document.querySelector(selector);
const AGAIN = {running: 1000, queued: 1000, stopped: 4000}; // ms between requests for a run
const LIST_AGAIN = 3000;
const FEWEST = 3; // seconds of progress needed for an estimate of the rest

let place = {}; // selection in the address: {run}, {report}, {new}, {train} or nothing
let seen = {}; // drawn data, by section
let timer = null;
let watched = null; // start of this page's measurement, and the games played by then
let games = null; // the list of games that is shown
let settings = null; // whether visitors may see runs, and the limits

await begin();
$("#settings").addEventListener("click", settingsDialog());
$("#leave").addEventListener("click", () => {
  forgetToken();
  location.hash = "";
  open();
});
onChange(open);
addEventListener("hashchange", open);
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && look());

function open() {
  clearTimeout(timer);
  [seen, watched, games] = [{}, null, null];
  place = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  $("#leave").hidden = !token();
  document.title = `${place.run ?? place.report ?? word("page.arena.title")} · Bolicho`;
  $("#state").textContent = "";
  $("#desk").replaceChildren(...frame());
  look();
}

function frame() {
  if (place.run) return [back(), html("div", {id: "run"})];
  if (place.report) return [back(), html("div", {id: "report"})];
  if ("new" in place) return [back(), html("h2", {}, word("page.arena.new")), html("div", {id: "form"})];
  if ("train" in place) return [back(), html("h2", {}, word("page.arena.train")), html("div", {id: "form"})];
  return [
    html("div", {class: "head"}, html("h2", {}, word("page.arena.runs")), html("span", {id: "start"})),
    html("ul", {role: "list", id: "runs"}),
    token() && html("div", {class: "head"}, html("h2", {}, word("page.arena.trainings")), html("a", {class: "button main", href: "#train"}, word("page.arena.train"))),
    token() && html("ul", {role: "list", id: "trainings"}),
    html("h2", {}, word("page.arena.reports")),
    html("ul", {role: "list", id: "reports"}),
  ].filter(Boolean);
}

const back = () => html("p", {}, html("a", {href: "#"}, `← ${word("page.arena.runs")}`));

// --- Polling ----------------------------------------------------------------------------------------------

async function look() {
  clearTimeout(timer);
  const asked = place;
  let again; // ms until the next request
  try {
    settings ??= await ask("/api/arena");
    if (!token() && !(settings.open && !("new" in asked || "train" in asked))) return showDoor();
    again = await looker(asked)(asked);
    if (asked !== place) return;
    $("#state").textContent = "";
  } catch (problem) {
    if (asked !== place) return;
    if ([401, 403].includes(problem.status)) return showDoor(problem);
    if (problem.status === 404) return $("#desk").replaceChildren(back(), html("p", {class: "sorry"}, problem.message));
    $("#state").textContent = problem.message;
    again = LIST_AGAIN;
  }
  if (again) timer = setTimeout(() => document.hidden || look(), again);
}

function looker(asked) {
  if (asked.run) return lookAtRun;
  if (asked.report) return lookAtReport;
  if ("train" in asked) return offerTraining;
  return "new" in asked ? offerNew : lookAtAll;
}

function showDoor(problem) {
  forgetToken();
  $("#leave").hidden = true;
  $("#desk").replaceChildren(door(open, problem?.message));
}

// Redraw a section if its data has changed, keeping focus and scroll position.
function put(id, told, draw) {
  const known = JSON.stringify([told, language()]);
  if (seen[id] === known) return;
  seen[id] = known;
  const box = $(`#${id}`);
  const scrolled = new Map([...box.querySelectorAll(".scroll")].map((one) => [one.dataset.key, one.scrollLeft]));
  redraw(box, draw(told));
  for (const one of box.querySelectorAll(".scroll")) one.scrollLeft = scrolled.get(one.dataset.key) ?? 0;
}

// --- Lists --------------------------------------------------------------------------------------------------

async function lookAtAll(asked) {
  const [told, lab, learned] = await Promise.all([
    ask(path, {token: token()}),
    ask("/api/arena/reports", {token: token()}),
    token() ? ask(trainingsPath, {token: token()}) : null,
  ]);
  if (asked !== place) return null;
  put("start", null, () => html("a", {class: "button main", href: "#new"}, word("page.arena.new")));
  put("runs", told.runs, (list) => (list.length ? list.map(card) : html("li", {class: "fine"}, word("page.arena.no_runs"))));
  if (learned) put("trainings", learned.trainings, (list) => (list.length ? list.map(trainingCard) : html("li", {class: "fine"}, word("page.arena.no_trainings"))));
  const plain = lab.reports.map(({files, ...rest}) => rest); // links differ in every response
  put("reports", plain, (list) => (list.length ? list.map(reportCard) : html("li", {class: "fine"}, word("page.arena.no_reports"))));
  return learned?.trainings.some(({state}) => state in AGAIN && state !== "stopped") ? AGAIN.running : LIST_AGAIN;
}

// --- Trainings ----------------------------------------------------------------------------------------------

function trainingCard(one) {
  const {name, state, done, total, unit, may} = one;
  const isUnderWay = ["running", "queued", "stopped"].includes(state);
  const much = total === null ? null : word("page.arena.learned", {done: number(done), total: number(total), unit: [`page.arena.unit.${unit}`]});
  return html(
    "li",
    {class: "sheet", "data-training": name, "data-state": state},
    html("h3", {}, name, chip(state, state === "running" ? "learning" : state)),
    one.command ? html("p", {}, html("code", {}, one.command)) : null,
    one.told ? html("p", {class: "sorry"}, one.told) : null,
    isUnderWay ? html("progress", {max: total ?? 1, value: total === null ? 0 : done, "aria-label": `${word("page.arena.progress")}: ${name}`}) : null,
    may.length ? html("p", {class: "line"}, may.map((what) => html(
      "button",
      {type: "button", class: what === "stop" ? "button grave" : "button main", "data-do": what, "data-key": `${name} ${what}`, "aria-label": `${word(`page.arena.${what}`)}: ${name}`, on: {click: ({currentTarget}) => tellTraining(currentTarget, name, what)}},
      word(`page.arena.${what}`),
    ))) : null,
    html("p", {class: "fine"}, [much, moment(one.changed)].filter(Boolean).join(" · ")),
  );
}

async function tellTraining(button, name, what) {
  button.disabled = true;
  try {
    await ask(`${trainingsPath}/${encodeURIComponent(name)}/${what}`, {token: token(), method: "POST"});
  } catch (problem) {
    toast(problem.message);
  }
  seen.trainings = null;
  look();
}

async function offerTraining(asked) {
  const form = await trainingForm(() => (location.hash = "#"));
  if (asked === place) $("#form").replaceChildren(form);
  return null;
}

// --- Cards of runs ------------------------------------------------------------------------------------------

function card(one) {
  const isReadable = one.state !== "unreadable";
  return html(
    "li",
    {class: "sheet", "data-run": one.run, "data-state": one.state},
    html("h3", {}, html("a", {href: `#run=${encodeURIComponent(one.run)}`, "data-key": one.run}, one.run.replaceAll("~", " / ")), chip(one.state)),
    isReadable ? html("p", {}, `${titleOf(one.game)}: ${one.agents.join(", ")}`) : html("p", {class: "sorry"}, one.told),
    isReadable && one.state !== "done" ? bar(one) : null,
    html("p", {class: "fine"}, isReadable ? `${played(one)} · ${moment(one.changed)}` : moment(one.changed)),
  );
}

const chip = (state, called = state) => html("span", {class: "state", "data-state": state}, word(`page.arena.state.${called}`));
const played = ({played: done, games: all}) => word("page.arena.played", {played: number(done), games: number(all)});
const bar = ({played: done, games: all}) => html("progress", {max: all, value: done, "aria-label": word("page.arena.progress")});

function reportCard(one) {
  return html(
    "li",
    {class: "sheet", "data-report": one.report},
    html("h3", {}, html("a", {href: `#report=${encodeURIComponent(one.report)}`, "data-key": one.report}, one.report.replaceAll("~", " / "))),
    html("p", {}, html("code", {}, one.command)),
    html("p", {class: "fine"}, moment(one.changed)),
  );
}

// --- One run ------------------------------------------------------------------------------------------------

async function lookAtRun(asked) {
  const told = await ask(`${path}/${encodeURIComponent(asked.run)}`, {token: token()});
  if (asked !== place) return null;
  if (!$("#head")) $("#run").append(...["head", "result", "list", "keep"].map((id) => html("div", {id})));
  put("head", {...told, files: null, table: null, made: null, left: left(told)}, head);
  if (told.state === "unreadable") return null;
  put("result", told.table, (table) => (table ? [standings(table), crossTable(table, (one, other) => games?.show(one, other))] : []));
  showGames(asked.run, told);
  put("keep", [Object.keys(told.files), told.state], () => keep(told));
  return AGAIN[told.state] ?? null;
}

function showGames(run, told) {
  if (!told.played || games) return;
  games = bouts(run, told.agents);
  $("#list").replaceChildren(games.section);
  games.load();
}

// Seconds until the end, at the rate measured so far.
function left({state, played: done, games: all}) {
  if (state !== "running") return (watched = null);
  const now = performance.now() / 1000;
  watched ??= {at: now, played: done};
  const passed = now - watched.at;
  if (passed < FEWEST || done <= watched.played) return null;
  const seconds = ((all - done) * passed) / (done - watched.played);
  return seconds < 90 ? {seconds: 5 * Math.ceil(seconds / 5)} : {minutes: Math.ceil(seconds / 60)};
}

function head(told) {
  if (told.state === "unreadable") return [title(told), html("p", {class: "sorry"}, told.told)];
  const {about} = told;
  const rules = Object.entries(about.rules).map(([name, value]) => `${name} = ${value}`).join(", ");
  const facts = {
    game: titleOf(about.game),
    rules: rules || word("page.arena.rules.usual"),
    deals: number(about.duplicates),
    seed: String(about.seed ?? "–"),
    limit: about.move_limit === null ? "–" : `${number(about.move_limit)} s`,
  };
  const rest = told.left && (told.left.minutes ? word("page.arena.left.minutes", told.left) : word("page.arena.left.seconds", told.left));
  return [
    title(told),
    html(
      "section",
      {class: "sheet", "aria-label": word("page.arena.progress")},
      html("p", {class: "big", id: "played"}, played(told), rest ? html("small", {}, ` · ${rest}`) : null),
      bar(told),
      told.told ? html("p", {class: "sorry", id: "told"}, told.told) : null,
      told.may.length ? html("p", {class: "line"}, told.may.map((what) => html(
        "button",
        {type: "button", class: what === "stop" ? "button grave" : "button main", id: what, "data-key": what, on: {click: ({currentTarget}) => tell(currentTarget, what)}},
        word(`page.arena.${what}`),
      )), html("span", {class: "fine"}, word(`page.arena.${told.may[0]}.how`))) : null,
      html("dl", {class: "facts"}, Object.entries(facts).map(([name, value]) => html(
        "div",
        {},
        html("dt", {}, word(`page.arena.fact.${name}`)),
        html("dd", {}, value),
      ))),
    ),
  ];
}

const title = ({run, state}) => html("h2", {}, run.replaceAll("~", " / "), chip(state));

async function tell(button, what) {
  button.disabled = true;
  try {
    await ask(`${path}/${encodeURIComponent(place.run)}/${what}`, {token: token(), method: "POST", body: what === "go" ? {processes: 1} : undefined});
  } catch (problem) {
    toast(problem.message);
  }
  button.disabled = false;
  seen.head = null;
  look();
}

// Links are requested when they are followed, since each expires after an hour.
function keep({run, files}) {
  const names = Object.keys(files).filter((file) => file !== "index.html");
  if (!names.length) return [];
  const address = `${path}/${encodeURIComponent(run)}`;
  return html(
    "section",
    {class: "sheet", "aria-labelledby": "keep-title"},
    html("h3", {id: "keep-title"}, word("page.arena.keep")),
    html("p", {class: "line"}, names.map((file) => html(
      "button",
      {type: "button", class: "button", "data-file": file, on: {click: () => fetchFile(address, file)}},
      file,
    )), html("a", {class: "button main", id: "whole-report", href: `#report=${encodeURIComponent(run)}&of=run`}, word("page.arena.report.whole"))),
  );
}

async function fetchFile(address, file, find = (told) => told.files) {
  try {
    const link = find(await ask(address, {token: token()}))[file];
    html("a", {href: link, download: ""}).click();
  } catch (problem) {
    toast(problem.message);
  }
}

// --- A report -----------------------------------------------------------------------------------------------

async function lookAtReport(asked) {
  const isRun = asked.of === "run";
  const told = await ask(isRun ? `${path}/${encodeURIComponent(asked.report)}` : "/api/arena/reports", {token: token()});
  if (asked !== place) return null;
  const found = isRun ? told : told.reports.find(({report}) => report === asked.report);
  if (!found) return showMissing();
  const files = Object.keys(found.files).filter((file) => file !== "index.html");
  redraw(
    $("#report"),
    html("h2", {}, asked.report.replaceAll("~", " / ")),
    isRun ? null : html("p", {}, html("code", {}, found.command)),
    html("iframe", {src: found.files["index.html"], sandbox: "allow-scripts", title: word("page.arena.report.title", {name: asked.report})}),
    isRun ? html("p", {}, html("a", {href: `#run=${encodeURIComponent(asked.report)}`}, `← ${asked.report}`)) : html("p", {class: "line"}, files.map((file) => html(
      "button",
      {type: "button", class: "button", "data-file": file, on: {click: () => fetchFile("/api/arena/reports", file, (all) => all.reports.find(({report}) => report === asked.report).files)}},
      file,
    ))),
  );
  return null;
}

function showMissing() {
  $("#report").replaceChildren(html("p", {class: "sorry"}, word("page.arena.report.none")));
  return null;
}

// --- New tournament -----------------------------------------------------------------------------------------

async function offerNew(asked) {
  await ask(path, {token: token()}); // reports a wrong token before the form is filled in
  const form = await tournamentForm(settings.limits, (run) => (location.hash = `#run=${encodeURIComponent(run)}`));
  if (asked === place) $("#form").replaceChildren(form);
  return null;
}

open();
