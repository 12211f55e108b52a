// New tournament: game, agents and deals.

import {ask} from "/a/api.js";
import {ruleRow} from "/a/arrange.js";
import {token} from "/a/door.js";
import {html} from "/a/draw.js";
import {GAMES, addGames, defaultRules} from "/a/games.js";
import {optionRows, writeSpec} from "/a/options.js";
import {number} from "/a/numbers.js";
import {redraw} from "/a/redraw.js";
import {has, say, word} from "/a/settings.js";
import {gamesHere, titleOf, toast} from "/a/stage.js";

const DEALS = 100;
const USUAL_SEED = 1;

// The form; calls `begun(run)` with the name of the run.
export async function tournamentForm(limits, begun) {
  const games = await gamesHere();
  addGames(games);
  const galleries = new Map();
  const offered = new Map(); // by game, the options of agents that may be chosen
  const asked = {game: games[0].name, agents: [], rules: {}, duplicates: DEALS, seed: USUAL_SEED, processes: 1, name: ""};
  let search = "";

  const form = html("form", {class: "sheet tournament", on: {submit: start}});
  const gallery = html("ul", {role: "list", class: "gallery"});
  const picked = html("div", {class: "picked", "aria-live": "polite"});
  const count = html("p", {class: "fine", id: "count", role: "status"});
  const wrong = html("p", {class: "sorry", role: "alert"});
  const rules = html("fieldset", {});
  const choices = html("details", {class: "agent-options"});
  const add = html("button", {type: "button", class: "button", hidden: true, on: {click: () => toggle(search.trim(), true)}});
  const seek = html("input", {type: "search", id: "seek", autocomplete: "off", spellcheck: "false", on: {
    input: (event) => {
      search = event.target.value;
      drawGallery();
    },
    keydown: (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault(); // Enter in the search field must not submit the form
      if (!add.hidden) add.click();
    },
  }});

  async function start(event) {
    event.preventDefault();
    const button = form.querySelector(".main");
    button.disabled = true;
    wrong.textContent = "";
    const usual = defaultRules(asked.game);
    const changed = Object.fromEntries(Object.entries(asked.rules).filter(([name, value]) => value !== usual[name]));
    try {
      const body = {...asked, rules: changed, name: asked.name.trim() || null};
      begun((await ask("/api/arena/runs", {token: token(), body})).run);
    } catch (problem) {
      button.disabled = false;
      wrong.textContent = problem.message;
    }
  }

  // --- Agents -----------------------------------------------------------------------------------------

  function toggle(name, isIn) {
    asked.agents = asked.agents.filter((one) => one !== name);
    if (isIn) asked.agents.push(name);
    drawPicked();
    drawGallery();
  }

  function drawPicked() {
    redraw(picked, asked.agents.map((name) => html(
      "button",
      {type: "button", class: "chip", "data-key": name, "aria-label": word("page.arena.remove", {agent: name}), on: {click: () => toggle(name, false)}},
      name,
      html("span", {"aria-hidden": "true"}, " ×"),
    )), asked.agents.length ? [] : [html("p", {class: "fine"}, word("page.arena.nobody"))]);
    drawCount();
  }

  function drawGallery() {
    const all = galleries.get(asked.game) ?? [];
    const wanted = search.trim().toLowerCase();
    const text = ({name, says}) => `${name} ${says && has(says[0]) ? say(says) : ""}`;
    const found = all.filter((one) => text(one).toLowerCase().includes(wanted));
    redraw(gallery, found.map((one) => html("li", {}, html(
      "label",
      {},
      html("input", {type: "checkbox", name: "agent", value: one.name, checked: asked.agents.includes(one.name), "data-key": one.name, on: {change: (event) => toggle(one.name, event.target.checked)}}),
      html("span", {}, html("b", {}, one.name), one.rating ? html("small", {}, ` ${number(one.rating)}`) : null, one.says && has(one.says[0]) ? html("small", {class: "about"}, say(one.says)) : null),
    ))), found.length ? [] : [html("li", {class: "fine"}, word("page.arena.none_found"))]);
    add.hidden = !/^[\w.-]+\(.*\)$/.test(search.trim()) || asked.agents.includes(search.trim());
    add.textContent = word("page.arena.add", {agent: search.trim()});
  }

  async function choose(game) {
    Object.assign(asked, {game, agents: [], rules: defaultRules(game)});
    try {
      if (!galleries.has(game)) galleries.set(game, (await ask(`/api/agents?game=${game}`)).agents);
      if (!offered.has(game)) offered.set(game, (await ask(`/api/arena/options?game=${game}`, {token: token()})).agents);
    } catch (problem) {
      toast(problem.message);
    }
    drawRules();
    drawPicked();
    drawGallery();
    drawChoices();
  }

  // Agent with options, as on the researcher's screen of Paulus 2020 (figure 8).
  function drawChoices() {
    const agents = offered.get(asked.game) ?? {};
    const names = Object.keys(agents);
    choices.hidden = !names.length;
    if (!names.length) return;
    const rows = html("div", {class: "pair"});
    const more = html("button", {type: "button", class: "button", id: "add-choice", on: {click: () => toggle(more.value, true)}});
    const fill = (agent) => {
      const chosen = {};
      const tell = () => {
        more.value = writeSpec(agent, chosen);
        more.textContent = word("page.arena.add", {agent: more.value});
      };
      tell();
      rows.replaceChildren(...optionRows(agents[agent], chosen, tell, "of-"));
    };
    const select = html("select", {name: "of", on: {change: () => fill(select.value)}}, names.map((name) => html("option", {value: name}, name)));
    choices.replaceChildren(
      html("summary", {}, word("page.arena.choices")),
      html("label", {class: "row"}, html("span", {}, word("page.arena.agent")), select),
      rows,
      html("p", {class: "line"}, more),
    );
    fill(names[0]);
  }

  function drawRules() {
    redraw(rules, html("legend", {}, word("page.rules")), GAMES[asked.game].rules.map((rule) => ruleRow(
      rule,
      asked.rules[rule.name],
      (value) => {
        asked.rules[rule.name] = value;
        drawCount();
      },
    )));
  }

  // --- Size -------------------------------------------------------------------------------------------

  function drawCount() {
    const seats = GAMES[asked.game].seats(asked.rules);
    const pairings = pairingsOf(asked.agents.length, seats);
    const all = pairings * asked.duplicates * seats;
    count.textContent = asked.agents.length < 2
      ? word("page.arena.two")
      : word("page.arena.count", {games: number(all), deals: number(asked.duplicates), pairings: number(pairings)});
    const isTooMuch = all > limits.games || asked.agents.length > limits.agents;
    count.classList.toggle("sorry", isTooMuch);
    if (isTooMuch) count.textContent += ` ${word("page.arena.too_many", {games: number(limits.games), agents: limits.agents})}`;
    form.querySelector(".main").disabled = asked.agents.length < 2 || isTooMuch;
  }

  const field = (name, label, input) => html("label", {class: "row"}, html("span", {}, word(label)), input);
  const amount = (name, least, most) => html("input", {type: "number", name, min: least, max: most, step: 1, required: true, value: asked[name], on: {
    input: (event) => {
      asked[name] = Number(event.target.value);
      drawCount();
    },
  }});
  const text = html("input", {name: "name", maxlength: 80, autocomplete: "off", placeholder: word("page.arena.name.own"), on: {input: (event) => (asked.name = event.target.value)}});
  form.append(
    html("div", {class: "line"}, games.map(({name}) => html(
      "label",
      {class: "pill"},
      html("input", {type: "radio", name: "game", value: name, checked: name === asked.game, on: {change: () => choose(name)}}),
      html("span", {}, titleOf(name)),
    ))),
    html("fieldset", {}, html("legend", {}, word("page.arena.who")), picked, html("div", {class: "line"}, html("label", {class: "row"}, html("span", {}, word("page.arena.search")), seek), add), gallery, choices),
    html(
      "div",
      {class: "pair"},
      html(
        "fieldset",
        {},
        html("legend", {}, word("page.arena.how_much")),
        field("duplicates", "page.arena.deals", amount("duplicates", 1, limits.deals)),
        field("seed", "page.arena.seed", amount("seed", 0, Number.MAX_SAFE_INTEGER)),
        field("processes", "page.arena.processes", amount("processes", 1, limits.processes)),
        field("name", "page.arena.name", text),
      ),
      rules,
    ),
    count,
    wrong,
    html("button", {class: "button main large"}, word("page.arena.start")),
  );
  await choose(asked.game);
  return form;
}

// Number of tables: every combination of agents; with fewer agents than seats, every seating that has all of them.
function pairingsOf(agents, seats) {
  const of = (n, k) => Array.from({length: k}).reduce((all, _, i) => (all * (n - i)) / (i + 1), 1);
  return agents >= seats ? of(agents, seats) : of(seats - 1, agents - 1);
}
