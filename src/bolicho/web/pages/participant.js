// Participants of a study: their token, the way back from a table, and withdrawal.

import {ask} from "/a/api.js";
import {html} from "/a/draw.js";
import {closeButton, keep, recall, word} from "/a/settings.js";
import {toast} from "/a/stage.js";
import {forget, myMatches} from "/a/tokens.js";

const $ = (selector) => document.querySelector(selector);

export const myToken = (study) => recall(`study.${study}`);
export const enroll = (study, token) => keep(`study.${study}`, token);
export const linkOf = (study, token) => `${location.origin}/s/${study}#p=${token}`;

// Remove all data of the study from this browser.
export function forgetStudy(study) {
  keep(`study.${study}`, null);
  for (const match of myMatches()) if (match.study?.study === study) forget(match.id);
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(`draft.${study}.`)) sessionStorage.removeItem(key);
}

// --- At a table ------------------------------------------------------------------------------------

export const backLink = ({study}, key = "page.study.back") => html(
  "a",
  {class: "button main large", id: "onward", href: `/s/${study}`},
  word(key),
);

export function tableTitle({place, matches, isPractice}, game) {
  if (isPractice) return word("page.study.practice");
  return place ? word("page.study.place", {place, matches}) : game;
}

export function dressForStudy({study}) {
  document.body.classList.add("studied");
  $("#out").href = `/s/${study}`;
  $("#out").dataset.label = "page.study.back";
  $("#out").setAttribute("aria-label", word("page.study.back"));
  $("#out").title = word("page.study.back");
  $("#withdraw").hidden = false;
  $("#withdraw").onclick = () => withdraw(study);
}

// Ignore the second click of a double click, since another element may be below the pointer by then.
export function dropSecond(event) {
  if (event.detail < 2) return;
  event.preventDefault();
  event.stopPropagation();
}

// Button with an action on this page.
export const press = (id, key, click, kind = "button") => html(
  "button",
  {class: kind, type: "button", id, on: {click}},
  word(key),
);

// --- Confirmation -------------------------------------------------------------------------------------

// Resolves to the answer; Escape and a click outside mean no.
export function confirmed({title, texts, yes, no, isGrave = false}) {
  const dialog = html(
    "dialog",
    {id: "confirm-panel", "aria-labelledby": "confirm-title"},
    html("h2", {id: "confirm-title"}, title),
    texts.map((text) => html("p", {}, text)),
    html(
      "form",
      {method: "dialog", class: "choices"},
      html("button", {class: isGrave ? "button main" : "button", value: "no", id: "confirm-no"}, no),
      html("button", {class: isGrave ? "button grave" : "button main", value: "yes", id: "confirm-yes"}, yes),
    ),
  );
  dialog.prepend(closeButton(dialog));
  dialog.addEventListener("click", dropSecond, true); // the second click of a double click is not an answer
  document.body.append(dialog);
  dialog.showModal();
  dialog.querySelector("#confirm-no").focus();
  return new Promise((done) => dialog.addEventListener("close", () => {
    dialog.remove();
    done(dialog.returnValue === "yes");
  }));
}

// Permanent: server and browser delete all data of this participant.
export async function withdraw(study) {
  const isSure = await confirmed({
    title: word("page.study.withdraw.title"),
    texts: [word("page.study.withdraw.what"), word("page.study.withdraw.for_good")],
    yes: word("page.study.withdraw.yes"),
    no: word("page.study.withdraw.no"),
    isGrave: true,
  });
  if (!isSure) return;
  let remains; // copies that will be erased later
  try {
    ({remains} = await ask(`/api/studies/${study}/withdraw`, {token: myToken(study), body: {sure: true}}));
  } catch (problem) {
    toast(problem.message);
    return;
  }
  forgetStudy(study);
  sessionStorage.setItem(`withdrawn.${study}`, remains.length ? "soon" : "yes");
  location.replace(`/s/${study}`);
}
