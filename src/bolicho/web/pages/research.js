// Researchers' page: studies, their progress, and actions on them.  It polls the server.

import {ask, download} from "/a/api.js";
import {door, forgetToken, token} from "/a/door.js";
import {html} from "/a/draw.js";
import {copy} from "/a/joining.js";
import {confirmed, press} from "/a/participant.js";
import {redraw} from "/a/redraw.js";
import {begin, language, onChange, settingsDialog, word} from "/a/settings.js";
import {toast} from "/a/stage.js";
import {planEditor} from "/a/plan.js";
import {attrition, balance, flow, participants, progress, results} from "/a/tally.js";

const path = "/api/research/studies";
const $ = (selector) => document.querySelector(selector);
const AGAIN = 4000; // ms between polls
const SECTIONS = {progress, flow, attrition, balance, results, participants};
const NEW = "new"; // the address of the editor for a new study

let study = null; // the selected study
let isRehearsal = false; // whether scripted participants are counted instead of people
let seen = {}; // drawn data, by section
let timer = null;
let wanted = 0; // newest request; responses to older ones are dropped

await begin();
$("#settings").addEventListener("click", settingsDialog());
$("#leave").addEventListener("click", leave);
onChange(() => {
  seen = {};
  open();
});
addEventListener("hashchange", open);
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && look());

function leave() {
  forgetToken();
  location.hash = "";
  open();
}

// Selection in the address: one study, or the list.
function open() {
  clearTimeout(timer);
  seen = {};
  study = decodeURIComponent(location.hash.slice(1)) || null;
  wanted++;
  $("#leave").hidden = !token();
  document.title = `${study ?? word("page.research.title")} · Bolicho`;
  if (!token()) return showDoor();
  if (study === NEW) return showNew();
  $("#desk").replaceChildren(...(study ? folder() : [
    html("h2", {}, word("page.research.studies")),
    html("p", {}, html("a", {class: "button main", id: "new-study", href: `#${NEW}`}, word("page.research.new"))),
    html("ul", {role: "list", id: "studies"}),
  ]));
  look();
}

async function showNew() {
  try {
    const {plan} = await ask("/api/research/plan", {token: token()});
    $("#desk").replaceChildren(backLink(), html("h2", {}, word("page.research.new")), html("section", {class: "sheet"}, planEditor(plan, {
      label: "page.research.plan.create",
      save: async (text) => {
        const made = await ask(path, {token: token(), body: {plan: text}});
        location.hash = made.study;
      },
    })));
  } catch (problem) {
    if ([401, 403].includes(problem.status)) forgetToken();
    showDoor(problem.message);
  }
}

function showDoor(problem = "") {
  clearTimeout(timer);
  $("#leave").hidden = true;
  $("#desk").replaceChildren(door(open, problem));
}

// --- Polling -------------------------------------------------------------------------------------------

async function look() {
  clearTimeout(timer);
  const turn = ++wanted;
  const place = study ? `${path}/${encodeURIComponent(study)}?scripted=${isRehearsal}` : path;
  try {
    const told = await ask(place, {token: token()});
    if (turn !== wanted) return;
    $("#state").textContent = "";
    if (study) showStudy(told);
    else showStudies(told.studies);
  } catch (problem) {
    if (turn !== wanted) return;
    if ([401, 403].includes(problem.status)) {
      forgetToken();
      return showDoor(problem.message);
    }
    const sorry = html("p", {class: "sorry"}, problem.message);
    if (problem.status === 404) return $("#desk").replaceChildren(backLink(), sorry);
    $("#state").textContent = problem.message;
  }
  timer = setTimeout(() => document.hidden || look(), AGAIN);
}

// Redraw an element if its data has changed, keeping focus and scroll position.
function put(place, told, draw) {
  const known = JSON.stringify([told, language(), Math.floor(Date.now() / 60_000)]); // redraws relative times such as "a minute ago"
  if (seen[place] === known) return;
  seen[place] = known;
  const box = $(`#${place}`);
  const before = new Map(
    [...box.querySelectorAll(".scroll")].map(({dataset, scrollLeft: left, scrollTop: top}) => [dataset.key, {left, top}]),
  );
  redraw(box, draw(told));
  for (const one of box.querySelectorAll(".scroll")) one.scrollTo(before.get(one.dataset.key) ?? {});
}

const showStudies = (studies) => put("studies", studies, () => studies.length
  ? studies.map(card)
  : html("li", {}, word("page.research.none")));

function card(one) {
  return html(
    "li",
    {class: "sheet"},
    html("h3", {}, html("a", {href: `#${one.study}`, "data-key": one.study}, titleOf(one))),
    html("p", {class: "fine"}, [
      one.study,
      openness(one),
      word("page.research.finished_of", one),
    ].join(" · ")),
  );
}

const openness = ({open: isOpen, opened}) => {
  const state = isOpen ? "open" : opened ? "closed" : "unopened";
  return word(`page.research.${state}`);
};

const titleOf = ({title}) => title[language()] ?? Object.values(title)[0];

function showStudy(told) {
  $("#study-title").textContent = titleOf(told);
  $("#study-state").textContent = openness(told);
  $("#close").hidden = told.closed !== null || told.opened === null;
  showUnopened(told);
  showQr(told);
  $("#whose").hidden = !told.scripted && !isRehearsal;
  for (const [place, draw] of Object.entries(SECTIONS)) put(place, told, draw);
}

// Before a study is opened: its blanks, its plan to edit, and a preview of the real pages by a test participant.
function showUnopened({opened, blanks, plan}) {
  const box = $("#unopened");
  box.hidden = opened !== null;
  if (box.hidden || box.childElementCount) return; // the editor may hold unsaved text
  box.replaceChildren(
    html("h3", {}, word("page.research.unopened")),
    html("p", {}, press("open-study", "page.research.open_it", openIt, "button main"), press("preview", "page.research.plan.preview", preview)),
    html("details", {open: blanks.length > 0}, html("summary", {}, word("page.research.plan.edit")), planEditor(plan, {
      label: "page.research.plan.save",
      save: async (text) => {
        await ask(`${path}/${study}/plan`, {token: token(), method: "PUT", body: {plan: text}});
        look();
      },
    })),
  );
}

// QR code of the room, for people at phones; it holds the code of the room.
async function showQr({open: isOpen, room}) {
  const box = $("#qr");
  const link = isOpen && room ? `${location.origin}/s/${study}#room=${room}` : "";
  if (box.dataset.link === link) return;
  box.dataset.link = link;
  box.replaceChildren();
  if (!link) return;
  const {svg} = await ask("/api/research/qr", {token: token(), body: {text: link}});
  box.replaceChildren(
    html("p", {class: "fine"}, word("page.research.qr")),
    html("p", {}, html("a", {href: link}, link)),
    new DOMParser().parseFromString(svg, "text/html").body.firstElementChild,
  );
}

async function openIt(event) {
  const button = event.currentTarget;
  const isSure = await confirmed({
    title: word("page.research.open.title"),
    texts: [word("page.research.open.what")],
    yes: word("page.research.open_it"),
    no: word("page.cancel"),
  });
  if (!isSure) return;
  await pressed(button, () => ask(`${path}/${study}/open`, {token: token(), method: "POST"}));
  look();
}

const preview = ({currentTarget}) => pressed(currentTarget, async () => {
  const shown = window.open("about:blank", "preview"); // at once, or the browser blocks the window
  const {links} = await ask(`${path}/${study}/links`, {token: token(), body: {count: 1, scripted: true}});
  if (shown) shown.location.href = links[0].path;
  look();
});

// --- One study --------------------------------------------------------------------------------------------

const backLink = () => html("p", {}, html("a", {href: "#"}, `← ${word("page.research.studies")}`));

const section = (place, heading) => html(
  "section",
  {class: "sheet", "aria-labelledby": `${place}-title`},
  html("h3", {id: `${place}-title`}, heading),
  html("div", {id: place}),
);

function folder() {
  return [
    backLink(),
    html(
      "div",
      {class: "head"},
      html("h2", {id: "study-title"}, study),
      html(
        "p",
        {class: "fine"},
        html("span", {id: "study-state"}),
        " · ",
        html("a", {href: `/s/${study}`}, `/s/${study}`),
      ),
    ),
    html("section", {class: "sheet", id: "unopened", hidden: true}),
    whose(),
    section("progress", word("page.research.progress")),
    doings(),
    section("flow", word("page.research.flow")),
    section("attrition", word("page.research.attrition")),
    section("results", word("page.research.results")),
    section("balance", word("page.research.balance")),
    section("participants", word("page.research.participants")),
  ];
}

// People or scripted participants, never in one count.
function whose() {
  const button = (key, value) => html(
    "button",
    {type: "button", "aria-pressed": String(isRehearsal === value), on: {click: () => count(value)}},
    word(key),
  );
  return html(
    "div",
    {id: "whose", class: "tabs", role: "group", "aria-label": word("page.research.whose"), hidden: !isRehearsal},
    button("page.research.whose.people", false),
    button("page.research.whose.scripted", true),
  );
}

function count(value) {
  isRehearsal = value;
  const [people, scripted] = $("#whose").children;
  people.setAttribute("aria-pressed", String(!value));
  scripted.setAttribute("aria-pressed", String(value));
  look();
}

function doings() {
  const number = html("input", {name: "count", type: "number", min: 1, max: 1000, value: 1, required: true});
  const scripted = html("input", {name: "scripted", type: "checkbox"});
  const made = html("div", {id: "links", "aria-live": "polite"});
  const make = async (event) => {
    event.preventDefault();
    await pressed(event.submitter, async () => {
      const body = {count: Number(number.value), scripted: scripted.checked};
      const {links} = await ask(`${path}/${study}/links`, {token: token(), body});
      made.replaceChildren(...fresh(links));
    });
    look();
  };
  return html(
    "section",
    {class: "sheet", "aria-labelledby": "doings-title"},
    html("h3", {id: "doings-title"}, word("page.research.doings")),
    html(
      "form",
      {class: "line", on: {submit: make}},
      html("label", {class: "row"}, html("span", {}, word("page.research.links.count")), number),
      html("label", {class: "row"}, scripted, html("span", {}, word("page.research.links.scripted"))),
      html("button", {class: "button main", id: "make-links"}, word("page.research.links.make")),
    ),
    made,
    html("div", {id: "qr"}),
    html(
      "p",
      {class: "line"},
      press("export", "page.research.export", exported),
      press("close", "page.research.close", close, "button grave"),
    ),
  );
}

// Disable a button while its action runs, and show refusals.
async function pressed(button, act) {
  button.disabled = true;
  try {
    await act();
  } catch (problem) {
    toast(problem.message);
  } finally {
    button.disabled = false;
  }
}

// Links are shown once, since the server stores only hashes of tokens.
function fresh(links) {
  const texts = links.map(({path: link}) => new URL(link, location.origin).href);
  const box = html(
    "textarea",
    {
      readonly: true,
      rows: Math.min(8, texts.length + 1),
      "aria-label": word("page.research.links"),
      on: {focus: (event) => event.target.select()},
    },
    texts.join("\n"),
  );
  return [
    html("p", {class: "once"}, word("page.research.links.once", {count: texts.length})),
    box,
    html("p", {}, press("copy-links", "page.copy", ({target}) => copy(box, target))),
  ];
}

const exported = ({currentTarget}) => pressed(
  currentTarget,
  () => download(`${path}/${study}/export.zip`, {token: token(), name: `${study}.zip`}),
);

async function close(event) {
  const button = event.currentTarget;
  const isSure = await confirmed({
    title: word("page.research.close.title"),
    texts: [word("page.research.close.what")],
    yes: word("page.research.close.yes"),
    no: word("page.cancel"),
    isGrave: true,
  });
  if (!isSure) return;
  await pressed(button, () => ask(`${path}/${study}/close`, {token: token(), method: "POST"}));
  look();
}

open();
