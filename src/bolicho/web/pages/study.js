// Study page of a participant: always shows the current step according to the server.

import {ask, download} from "/a/api.js";
import {avatar, html} from "/a/draw.js";
import {copy} from "/a/joining.js";
import {measured, startMeasuring} from "/a/measure.js";
import {dropSecond, enroll, forgetStudy, linkOf, myToken, press, withdraw} from "/a/participant.js";
import {questionnaire} from "/a/questions.js";
import {begin, closeButton, language, onChange, set, settingsDialog, word} from "/a/settings.js";
import {toast} from "/a/stage.js";
import {remember} from "/a/tokens.js";
import {TAGS} from "/a/i18n.js";

const id = location.pathname.split("/")[2];
const path = `/api/studies/${id}`;
const $ = (selector) => document.querySelector(selector);
const NAMES = {pt: "Português", es: "Español", en: "English"};
const GONE = [401, 403, 404]; // invalid or expired token
const POLL = 2000; // ms between two polls while waiting for another participant
const FULL = { // refusals of new participants, with their headings
  "server.study.full": "page.study.full",
  "server.study.closed": "page.study.closed",
  "server.study.unopened": "page.study.unopened",
};

let study = null; // public facts of the study
let me = null; // state of this participant
let isBusy = false; // a request is running
let shown = null; // step shown on the sheet
let timed = null; // step whose page is measured
let timer = 0; // of the next poll, while waiting for another participant

await begin();
$("#settings").addEventListener("click", settingsDialog());
document.addEventListener("click", (event) => /** @type {Element} */ (event.target).closest("button, a.button") && dropSecond(event), true);
boot().catch(showProblem);

async function boot() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  if (fragment.has("p")) enroll(id, fragment.get("p"));
  const query = new URLSearchParams(location.search); // a panel's identifier, which goes back to the panel alone
  const sent = query.get("id") ?? query.get("PROLIFIC_PID");
  if (sent) sessionStorage.setItem(`panel.${id}`, sent);
  if (location.hash || location.search) history.replaceState(null, "", `/s/${id}`); // keeps the token out of screenshots of the address bar
  if (fragment.has("p")) sessionStorage.removeItem(`withdrawn.${id}`);
  study = await ask(path);
  if (!study.languages.includes(language())) await set("language", study.languages[0]);
  dressHead();
  onChange(draw);
  addEventListener("pageshow", ({persisted}) => persisted && look()); // restored by the back button: the step may have changed
  addEventListener("hashchange", () => location.reload()); // another link was entered in the address bar
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && look());
  if (sessionStorage.getItem(`withdrawn.${id}`)) return showSheet("withdrawn", farewell());
  if (!myToken(id)) return showDoor(fragment.get("room") ?? "");
  await look();
}

// --- Current step --------------------------------------------------------------------------------------

async function look() {
  if (!myToken(id) || isBusy) return;
  try {
    await take(await ask(`${path}/me`, {token: myToken(id)}));
  } catch (problem) {
    if (keyOf(problem) in FULL) return showFull(problem);
    if (!GONE.includes(problem.status)) {
      if (me?.step.waiting) timer = setTimeout(look, POLL);
      return showProblem(problem);
    }
    forgetStudy(id);
    showDoor("", problem.message);
  }
}

const keyOf = (problem) => problem.body?.says?.[0];

function showFull(problem) {
  me = null;
  $("#foot").replaceChildren();
  showSheet("full", [heading(word(FULL[keyOf(problem)])), html("p", {}, problem.message)]);
}

// An unchanged step is not redrawn, since it may be half filled in.
async function take(told) {
  const isSame = me !== null && me.code === told.code && me.step.number === told.step.number;
  me = told;
  if (["practice", "match"].includes(me.step.name) && me.step.over) return answer({});
  const wasWaiting = isSame && $("#waiting") !== null;
  if (!isSame) draw();
  else if (wasWaiting && me.step.waiting) showLeft(me.step);
  else if (wasWaiting) {
    draw(); // stores the seat for the table
    location.assign(`/m/${me.step.match}`); // a partner has joined
  }
  clearTimeout(timer);
  if (me.step.waiting) timer = setTimeout(look, POLL);
}

// A step is answered once; after any refusal the page continues with the server's current step.
async function answer(answers) {
  if (isBusy) return;
  isBusy = true;
  const number = me.step.number;
  $("#sheet").setAttribute("aria-busy", "true");
  try {
    const body = {step: number, answers, measured: measured(study.signals, Boolean($("#trap")?.value))};
    const told = await ask(`${path}/me`, {token: myToken(id), body});
    sessionStorage.removeItem(draftKey(number));
    isBusy = false;
    await take(told);
  } catch (problem) {
    isBusy = false;
    if (problem.status === 0) return toast(problem.message); // offline: keep the answers, so that they can be sent again
    toast(problem.message);
    await look();
  } finally {
    $("#sheet").removeAttribute("aria-busy");
  }
}

const draftKey = (number) => `draft.${id}.${me.code}.${number}`;

// --- The sheet -------------------------------------------------------------------------------------------

const STEPS = {
  consent,
  instructions,
  comprehension,
  practice: table,
  match: table,
  questions: questionSheet,
  before: questionSheet,
  after: questionSheet,
  debriefing,
  thanks,
};

function draw() {
  dressHead();
  if (shown === "withdrawn") return showSheet("withdrawn", farewell());
  if (shown === "full") return look();
  if (!me) return shown === "door" ? showDoor() : undefined;
  const {step} = me;
  showSheet(`step ${step.number}`, (STEPS[step.name] ?? thanks)(step));
  showProgress(step);
  showFoot();
}

// A new step gets the focus at its heading, also for screen readers; an unchanged step stays where it is.
function showSheet(which, children) {
  const isNew = shown !== null && shown !== which;
  shown = which;
  $("#sheet").dataset.step = me?.step.name ?? which;
  $("#sheet").dataset.number = me?.step.number ?? "";
  $("#sheet").replaceChildren(...children.flat().filter(Boolean));
  if (timed !== which) startMeasuring();
  timed = which;
  if (!me) $("#progress").replaceChildren();
  if (!isNew) return;
  scrollTo(0, 0);
  $("#heading")?.focus({preventScroll: true});
}

const heading = (text) => html("h2", {id: "heading", tabindex: "-1"}, text);

// The reader's language if the study has it.
const spoken = () => (study.languages.includes(language()) ? language() : study.languages[0]);

const line = (texts) => texts[spoken()];

// Text of the plan: empty lines separate paragraphs, dashes make a list, other line breaks stay.
function prose(texts) {
  return html("div", {class: "prose", lang: TAGS[spoken()]}, line(texts).trim().split(/\n\s*\n/).map(block));
}

function block(text) {
  const lines = text.split("\n").map((line) => line.trim());
  if (!lines.every((line) => line.startsWith("- "))) return html("p", {}, lines.join("\n"));
  return html("ul", {}, lines.map((line) => html("li", {}, line.slice(2))));
}

const onward = (text, more = {}) => html("button", {class: "button main large", id: "onward", ...more}, text);

function form(children, submit) {
  return html("form", {on: {
    submit: (event) => {
      event.preventDefault();
      submit(event.target);
    },
  }}, children);
}

// --- Steps -------------------------------------------------------------------------------------------------

function consent({text, version}) {
  const tick = html("input", {type: "checkbox", id: "agree", name: "agree", required: true});
  return [
    heading(word("page.study.consent")),
    prose(text),
    html("p", {class: "fine"}, word("page.study.consent.version", {version})),
    html("p", {}, press("copy-consent", "page.study.consent.copy", keepCopy)),
    form([
      trap(),
      html("label", {class: "tick"}, tick, html("span", {}, word("page.study.consent.agree"))),
      html(
        "div",
        {class: "ways-on"},
        onward(word("page.study.consent.begin")),
        press("decline", "page.study.consent.no", decline),
      ),
    ], () => answer({agree: true, language: spoken()})),
  ];
}

async function keepCopy() {
  try {
    await download(`${path}/consent?language=${spoken()}`, {token: myToken(id), name: `${id}-consent.txt`});
  } catch (problem) {
    toast(problem.message);
  }
}

// Programs fill it in; people do not see it, and screen readers skip it.
const trap = () => study.signals && html(
  "label",
  {class: "trap", "aria-hidden": "true"},
  word("page.study.trap"),
  html("input", {id: "trap", name: "homepage", tabindex: "-1", autocomplete: "off"}),
);

async function decline() {
  const token = myToken(id);
  let told;
  try {
    told = await ask(`${path}/decline`, {token, method: "POST"});
  } catch (problem) {
    return toast(problem.message);
  }
  forgetStudy(id);
  $("#foot").replaceChildren();
  showSheet("declined", [
    heading(word("page.study.declined")),
    html("p", {}, word("page.study.declined.text")),
    told.link && panelLink(told.link, "page.study.declined.panel"),
    press("reconsider", "page.study.declined.back", () => {
      enroll(id, token);
      draw();
    }),
  ]);
}

// The identifier that the panel gave goes from the browser back to the panel, past this server.
function panelLink(link, key) {
  const mine = encodeURIComponent(sessionStorage.getItem(`panel.${id}`) ?? "");
  return html("a", {class: "button main large", id: "panel", href: link.replaceAll("{id}", mine)}, word(key));
}

function instructions({text}) {
  return [
    heading(word("page.study.instructions")),
    prose(text),
    form(onward(word("page.study.continue")), () => answer({})),
  ];
}

// Store the seat for the table, and this page as the way back.
function table(step) {
  if (step.waiting) return waiting(step);
  const isPractice = step.name === "practice";
  const {match, seat, token, label, place, matches} = step;
  remember(match, {game: study.game, seat, token, study: {study: id, place, matches, isPractice}});
  return [
    heading(isPractice ? word("page.study.practice") : word("page.study.place", {place, matches})),
    html(
      "div",
      {class: "meet"},
      avatar("", true),
      html("p", {}, isPractice ? word("page.study.practice.text") : word("page.study.match.text", {label})),
    ),
    isPractice ? null : dots(place, matches),
    html("a", {class: "button main large", id: "onward", href: `/m/${match}`}, word("page.study.to_table")),
    html("p", {class: "fine"}, word("page.study.match.back")),
  ];
}

function waiting({place, matches, left}) {
  return [
    heading(word("page.study.waiting")),
    html(
      "div",
      {class: "meet", id: "waiting"},
      avatar(""),
      html("p", {}, word("page.study.waiting.text", {place, matches})),
    ),
    dots(place, matches),
    html("p", {id: "left", role: "timer"}, leftText(left)),
    html("p", {class: "fine"}, word("page.study.waiting.else")),
    html("p", {class: "fine"}, word("page.study.waiting.unknown")),
  ];
}

const leftText = (left) => {
  const seconds = Math.ceil(left);
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  return word("page.study.waiting.left", {time});
};

const showLeft = ({left}) => ($("#left").textContent = leftText(left));

function dots(place, matches) {
  return html(
    "ol",
    {class: "dots", "aria-hidden": "true"},
    Array.from({length: matches}, (_, i) => i + 1).map((one) => html(
      "li",
      {class: one < place ? "done" : one === place ? "now" : null},
    )),
  );
}

function questionSheet(step) {
  return [
    heading(step.about ? word("page.study.questions.about", {label: step.about}) : word("page.study.questions")),
    html("p", {class: "fine"}, word("page.study.questions.blank")),
    questions(step),
  ];
}

const questions = ({items, number}) => questionnaire(items, {
  line,
  draft: draftKey(number),
  go: [trap(), onward(word("page.study.continue"))],
  submit: answer,
});

// Questions on the instructions; after a wrong answer once more, with the instructions.
function comprehension(step) {
  if (!step.text) return [heading(word("page.study.comprehension")), questions(step)];
  return [
    heading(word("page.study.comprehension.again")),
    html("p", {}, word("page.study.comprehension.wrong")),
    prose(step.text),
    questions(step),
  ];
}

function debriefing({text, opponents}) {
  return [
    heading(word("page.study.debriefing")),
    prose(text),
    opponents.length && html("p", {}, word("page.study.debriefing.opponents")),
    opponents.length && html("ul", {id: "unmasked"}, opponents.map(({label, name, agent}) => html(
      "li",
      {title: agent},
      word("page.study.debriefing.was", {label, name}),
    ))),
    form(onward(word("page.study.continue")), () => answer({})),
  ];
}

function thanks({text, panel}) {
  return [
    heading(word("page.study.thanks")),
    prose(text),
    panel?.code && html("p", {class: "code", id: "completion"}, word("page.study.panel.code", {code: panel.code})),
    panel?.link && panelLink(panel.link, "page.study.panel.link"),
    html("p", {class: "code"}, word("page.study.thanks.code", {code: me.code})),
  ];
}

const farewell = () => {
  const isErasedLater = sessionStorage.getItem(`withdrawn.${id}`) === "soon";
  return [
    heading(word("page.study.withdrawn")),
    html("p", {}, word(isErasedLater ? "page.study.withdrawn.soon" : "page.study.withdrawn.text")),
  ];
};

// --- Without a token -----------------------------------------------------------------------------------------

function showDoor(room = "", problem = "") {
  me = null;
  $("#foot").replaceChildren();
  const sorry = problem && html("p", {class: "sorry", role: "alert"}, problem);
  const state = study.opened ? "closed" : "unopened";
  if (!study.open) return showSheet("door", [
    heading(word(`page.study.${state}`)),
    sorry,
    html("p", {}, word(`page.study.${state}.text`)),
  ]);
  if (!study.room) return showSheet("door", [
    heading(word("page.study.door")),
    sorry,
    html("p", {}, word("page.study.door.link")),
  ]);
  const field = html("input", {
    name: "room",
    id: "room",
    required: true,
    maxlength: 64,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    value: room || $("#room")?.value || "",
  });
  showSheet("door", [
    heading(word("page.study.door")),
    sorry,
    html("p", {}, word("page.study.door.room")),
    form([
      html("label", {class: "room"}, html("span", {}, word("page.study.door.code")), field),
      onward(word("page.study.door.enter")),
    ], () => enter(field.value.trim())),
  ]);
}

async function enter(room) {
  if (isBusy) return;
  isBusy = true;
  try {
    const {token} = await ask(`${path}/enter`, {body: {room, language: spoken()}});
    enroll(id, token);
    isBusy = false;
    await look();
  } catch (problem) {
    isBusy = false;
    showDoor(room, problem.message);
    $("#room")?.focus();
  }
}

// --- Around the sheet ----------------------------------------------------------------------------------------

function dressHead() {
  const title = line(study.title);
  $("#title").textContent = title;
  document.title = `${title} · Bolicho`;
  $("#languages").hidden = study.languages.length < 2;
  const held = document.activeElement?.dataset.language;
  $("#languages").replaceChildren(...study.languages.map((one) => html(
    "button",
    {
      type: "button",
      lang: TAGS[one],
      title: NAMES[one],
      "aria-label": NAMES[one],
      "aria-pressed": String(one === language()),
      "data-language": one,
      on: {click: () => set("language", one)},
    },
    html("span", {class: "long"}, NAMES[one]),
    html("span", {class: "short"}, one.toUpperCase()),
  )));
  if (held) $(`[data-language="${held}"]`)?.focus();
}

function showProgress({number, of}) {
  const said = word("page.study.progress", {number, of});
  $("#progress").replaceChildren(
    ...(me.scripted ? [html("p", {class: "rehearsal"}, word("page.study.scripted"))] : []),
    html("p", {class: "fine", id: "where"}, said),
    html("progress", {max: of, value: number, "aria-labelledby": "where"}),
  );
}

function showFoot() {
  $("#foot").replaceChildren(
    html("p", {class: "fine"}, word("page.study.code", {code: me.code})),
    press("elsewhere", "page.study.elsewhere", showLink, "link"),
    ...(me.step.name === "consent" ? [] : [press("withdraw", "page.study.withdraw", () => withdraw(id), "link")]),
  );
}

// The participant's own link, for another device or another day.
function showLink() {
  const dialog = html("dialog", {id: "link-panel", "aria-labelledby": "link-title"});
  const field = html("input", {
    readonly: true,
    value: linkOf(id, myToken(id)),
    "aria-label": word("page.study.elsewhere.link"),
    on: {focus: (event) => event.target.select()},
  });
  dialog.append(
    closeButton(dialog),
    html("h2", {id: "link-title"}, word("page.study.elsewhere")),
    html("p", {}, word("page.study.elsewhere.text")),
    html(
      "div",
      {class: "invite"},
      field,
      press("copy-link", "page.copy", ({target}) => copy(field, target)),
    ),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

function showProblem(problem) {
  if (me || shown) return toast(problem.message);
  $("#sheet").replaceChildren(
    heading(word("page.study.problem")),
    html("p", {class: "sorry"}, problem.message),
    press("retry", "page.study.retry", () => location.reload()),
  );
}
