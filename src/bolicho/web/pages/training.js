// New training of a case base: kind, initial base and options.

import {ask} from "/a/api.js";
import {token} from "/a/door.js";
import {html} from "/a/draw.js";
import {optionRows} from "/a/options.js";
import {word} from "/a/settings.js";
import {titleOf} from "/a/stage.js";

const USUAL_SEED = 1;

// The form; calls `begun()` after the training is queued.
export async function trainingForm(begun) {
  const {offered} = await ask("/api/arena/trainings", {token: token()});
  const asked = {training: Object.keys(offered)[0], options: {}, seed: USUAL_SEED, name: ""};
  const rows = html("div", {class: "pair"});
  const wrong = html("p", {class: "sorry", role: "alert"});

  async function start(event) {
    event.preventDefault();
    const button = form.querySelector(".main");
    button.disabled = true;
    wrong.textContent = "";
    try {
      await ask("/api/arena/trainings", {token: token(), body: {...asked, name: asked.name.trim() || null}});
      begun();
    } catch (problem) {
      button.disabled = false;
      wrong.textContent = problem.message;
    }
  }

  function choose(training) {
    Object.assign(asked, {training, options: {}});
    rows.replaceChildren(...optionRows(offered[training].options, asked.options, () => {}));
  }

  const row = (label, input) => html("label", {class: "row"}, html("span", {}, word(label)), input);
  const training = html(
    "select",
    {name: "training", on: {change: (event) => choose(event.target.value)}},
    Object.entries(offered).map(([name, {game}]) => html("option", {value: name}, `${titleOf(game)}: ${name}`)),
  );
  const seed = html("input", {type: "number", name: "seed", min: 0, max: Number.MAX_SAFE_INTEGER, step: 1, required: true, value: USUAL_SEED, on: {input: (event) => (asked.seed = Number(event.target.value))}});
  const name = html("input", {name: "name", maxlength: 80, autocomplete: "off", placeholder: word("page.arena.name.trained"), on: {input: (event) => (asked.name = event.target.value)}});
  const form = html(
    "form",
    {class: "sheet tournament agent-options", on: {submit: start}},
    row("page.arena.training", training),
    rows,
    html("div", {class: "pair"}, row("page.arena.seed", seed), row("page.arena.name", name)),
    wrong,
    html("button", {class: "button main large"}, word("page.arena.train.start")),
  );
  choose(asked.training);
  return form;
}
