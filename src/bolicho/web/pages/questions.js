// Questionnaire: scales, choices and texts, each of which may stay blank.

import {html} from "/a/draw.js";
import {confirmed} from "/a/participant.js";
import {word} from "/a/settings.js";

const LONGEST = 2000; // most characters of a text
const MANY = 7; // points of a scale without room for labels

// `line` renders a text of the plan, `draft` stores unsent answers, `submit` gets {name: answer or null}.
export function questionnaire(items, {line, draft, go, submit}) {
  const drafted = JSON.parse(sessionStorage.getItem(draft) ?? "{}");
  const form = html("form", {class: "questions"}, items.map((item) => field(item, line, drafted[item.name] ?? null)), ...[go].flat().filter(Boolean));
  const answers = () => Object.fromEntries(items.map((item) => [item.name, read(form, item)]));
  const note = () => sessionStorage.setItem(draft, JSON.stringify(answers()));
  let isAsked = false; // whether the warning about blanks was shown
  form.addEventListener("input", note);
  form.addEventListener("click", ({target}) => {
    const fieldset = target.closest("[data-clear]") && target.closest("fieldset");
    if (!fieldset) return;
    for (const one of fieldset.querySelectorAll("input")) one.checked = false;
    fieldset.querySelector("input").focus();
    note();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const given = answers();
    const blank = items.filter(({name}) => given[name] === null);
    if (blank.length && !isAsked) {
      isAsked = true;
      const goes = await confirmed({
        title: word("page.study.blank.title"),
        texts: [word("page.study.blank", {count: blank.length})],
        yes: word("page.study.blank.yes"),
        no: word("page.study.blank.no"),
      });
      if (!goes) return form.querySelector(`[name="${CSS.escape(blank[0].name)}"]`).focus();
    }
    submit(given);
  });
  return form;
}

function read(form, {name, kind}) {
  const value = form.elements[name].value.trim();
  if (value === "") return null;
  return kind === "scale" ? Number(value) : value;
}

const FIELDS = {scale, choice, text};

const field = (item, line, value) => FIELDS[item.kind](item, line, value);

const clear = () => html("button", {class: "link", type: "button", "data-clear": true}, word("page.study.clear"));

function radio(name, value, isChecked, ...content) {
  return html("label", {}, html("input", {type: "radio", name, value, checked: isChecked}), ...content);
}

function scale({name, text: asked, low, high, points}, line, value) {
  const ends = {1: line(low), [points]: line(high)};
  return html(
    "fieldset",
    {"data-item": name},
    html("legend", {}, line(asked)),
    html(
      "div",
      {
        class: points > MANY ? "likert below" : "likert",
        style: {"--points": String(points), "--half": String(Math.floor(points / 2))},
      },
      html("span", {class: "end low", "aria-hidden": "true"}, ends[1]),
      Array.from({length: points}, (_, i) => radio(
        name,
        i + 1,
        value === i + 1,
        html("span", {}, String(i + 1)),
        ends[i + 1] ? html("span", {class: "hush"}, `: ${ends[i + 1]}`) : null,
      )),
      html("span", {class: "end high", "aria-hidden": "true"}, ends[points]),
    ),
    clear(),
  );
}

function choice({name, text: asked, choices}, line, value) {
  return html(
    "fieldset",
    {"data-item": name},
    html("legend", {}, line(asked)),
    html(
      "div",
      {class: "options"},
      choices.map((one) => radio(name, one.value, value === String(one.value), html("span", {}, line(one.text)))),
    ),
    clear(),
  );
}

function text({name, text: asked}, line, value) {
  return html(
    "label",
    {class: "written", "data-item": name},
    html("span", {}, line(asked)),
    html("textarea", {name, rows: 3, maxlength: LONGEST}, value ?? ""),
  );
}
