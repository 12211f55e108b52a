// Setup of a table: players, rules and options.

import {ask} from "/a/api.js";
import {html} from "/a/draw.js";
import {GAMES, defaultRules} from "/a/games.js";
import {myName, openMatch} from "/a/joining.js";
import {calledName, isCharacter} from "/a/opponents.js";
import {optionRows, writeSpec} from "/a/options.js";
import {closeButton, keep, recall, word} from "/a/settings.js";
import {titleOf, toast} from "/a/stage.js";

const CLOCKS = [[0, 0], [180, 2], [300, 5], [600, 5], [1800, 10]];
const OPTIONS = {why: "page.option.why", hint: "page.option.hint", open_end: "page.option.open_end"};
const OPEN = "+open"; // cannot be the name of an agent
const ME = "+me";

// The options of the last match are the defaults.
export const rulesKept = (game) => ({...defaultRules(game), ...recall(`rules.${game}`, {})});
const habit = (game) => ({
  rules: rulesKept(game),
  options: {why: true, open_end: true, clock: null, ...recall("table", {}), series: recall(`series.${game}`)},
});

// Rules that differ from the default, as the server wants them.
export function changedRules(game, rules = rulesKept(game)) {
  const usual = defaultRules(game);
  return Object.fromEntries(Object.entries(rules).filter(([name, value]) => value !== usual[name]));
}

// Seats for this player and these agents; with too few names the last one is repeated.  A bot is given as its seat.
export function startMatch(game, opponents) {
  const {rules, options} = habit(game);
  const chairs = GAMES[game].seats(rules) - 1;
  const others = Array.from(
    {length: chairs},
    (_, i) => seatOf(opponents[Math.min(i, opponents.length - 1)]),
  );
  return make(game, rules, [{who: "me", name: myName()}, ...others], options);
}

const seatOf = (opponent) => (typeof opponent === "string" ? {who: "agent", agent: opponent} : opponent);

// Between people there are hints only if they are asked for.
const hintsOf = ({hint}, seats) => hint ?? !seats.some(({who}) => who === "open");

const make = (game, rules, seats, options) =>
  openMatch(game, changedRules(game, rules), seats, {...options, hint: hintsOf(options, seats)});

export function arrangeDialog(agentsOf) {
  const dialog = html("dialog", {id: "arrange-panel", "aria-labelledby": "arrange-title"});
  document.body.append(dialog);
  return async (game, way, rival = null) => {
    const {rules, options} = habit(game);
    let agents = []; // that play by the rules
    let offered = {}; // options to choose from, by agent
    const find = async () => (agents = (await agentsOf(game, changedRules(game, rules))).filter(({bot}) => !bot).map(({name}) => name));
    try {
      await find();
      offered = (await ask(`/api/options?game=${game}`)).agents;
    } catch (problem) {
      toast(problem.message);
      return;
    }
    const {opponent, series} = GAMES[game];
    const first = () => [rival, opponent].find((name) => agents.includes(name)) ?? agents[0];
    let usual = first();
    let seats = [];
    const chosen = []; // options that differ from the defaults, by chair
    const open = new Set(); // chairs whose options are expanded
    const form = html("form", {});
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const button = form.querySelector(".main");
      button.disabled = true;
      try {
        keep(`rules.${game}`, rules);
        const {series: target, ...kept} = options;
        keep("table", kept);
        keep(`series.${game}`, target);
        await make(game, rules, asked(), options);
      } catch (problem) {
        button.disabled = false;
        form.querySelector(".wrong").textContent = problem.message;
      }
    });

    // Set the number of chairs by the rules; players keep their chairs.
    function place() {
      const count = GAMES[game].seats(rules);
      const second = agents.find((name) => name !== usual && name !== "random") ?? usual;
      const [one, other] = {play: [ME, usual], invite: [ME, OPEN], watch: [usual, second]}[way];
      const isGone = (who) => who !== ME && who !== OPEN && !agents.includes(who);
      seats = Array.from({length: count}, (_, i) => (isGone(seats[i] ?? ME) ? usual : (seats[i] ?? [one, other][i] ?? usual)));
    }

    function draw() {
      place();
      form.replaceChildren(
        group("page.who", seats.map(chair)),
        GAMES[game].rules.length ? group("page.rules", [...GAMES[game].rules.map(rule), series ? seriesRow() : []]) : "",
        group("page.options", [...Object.keys(OPTIONS).map(option), clock()]),
        html("p", {class: "wrong sorry", role: "alert"}),
        html("button", {class: "button main"}, word("page.start")),
      );
    }

    function chair(sitting, i) {
      const one = (value, text) => html("option", {value, selected: value === sitting}, text);
      const select = html(
        "select",
        {name: `seat-${i}`},
        one(ME, `${word("page.who.me")} (${myName()})`),
        one(OPEN, word("page.who.open")),
        agents.map((name) => one(name, isCharacter(name) ? `${calledName(name)} (${name})` : name)),
      );
      select.addEventListener("change", () => {
        if (select.value === ME) seats = seats.map((who) => (who === ME ? usual : who)); // a player has one chair only
        seats[i] = select.value;
        chosen[i] = {};
        draw();
        form.querySelector(`[name=seat-${i}]`).focus();
      });
      const row = html("label", {class: "row"}, html("span", {}, word("page.seat", {number: i + 1})), select);
      return sitting in offered ? [row, optionsOf(sitting, i)] : row;
    }

    function optionsOf(agent, i) {
      chosen[i] ??= {};
      const spec = html("code", {}, writeSpec(agent, chosen[i]));
      const rows = optionRows(offered[agent], chosen[i], () => (spec.textContent = writeSpec(agent, chosen[i])), `seat-${i}-`);
      const toggle = (event) => (event.target.open ? open.add(i) : open.delete(i));
      return html(
        "details",
        {class: "agent-options", open: open.has(i), on: {toggle}},
        html("summary", {}, word("page.choice.of", {agent})),
        html("p", {class: "fine"}, spec),
        rows,
      );
    }

    const rule = (one) => ruleRow(one, rules[one.name], (value) => {
      rules[one.name] = value;
      if (!one.options && (one.type ?? "bool") !== "bool") return; // typed letter by letter
      find().then(() => {
        usual = first();
        draw(); // chairs and agents may have changed
        form.querySelector(`[name=${one.name}]`).focus();
      }, (problem) => (form.querySelector(".wrong").textContent = problem.message));
    });
    const asked = () => seats.map((who, i) => seatAsked(who, chosen[i]));
    const isOn = (name) => (name === "hint" ? hintsOf(options, asked()) : options[name]);
    const option = (name) => checkRow(OPTIONS[name], isOn(name), (value) => (options[name] = value), name);

    function seriesRow() {
      const one = (target) => html(
        "option",
        {value: target ?? "", selected: target === (options.series ?? null)},
        target ? word("page.series.points", {target}) : word("page.series.none"),
      );
      const select = html("select", {name: "series"}, [null, ...series].map(one));
      select.addEventListener("change", () => (options.series = Number(select.value) || null));
      return html("label", {class: "row"}, html("span", {}, word("page.option.series")), select);
    }

    function clock() {
      const now = options.clock?.seconds ?? 0;
      const select = html(
        "select",
        {name: "clock"},
        CLOCKS.map(([seconds, plus]) => html(
          "option",
          {value: seconds, selected: seconds === now},
          seconds ? word("page.clock.minutes", {minutes: seconds / 60, plus}) : word("page.clock.none"),
        )),
      );
      select.addEventListener("change", () => {
        const [seconds, plus] = CLOCKS.find(([value]) => String(value) === select.value);
        options.clock = seconds ? {seconds, plus} : null;
      });
      return html("label", {class: "row"}, html("span", {}, word("page.option.clock")), select);
    }

    draw();
    dialog.replaceChildren(closeButton(dialog), html("h2", {id: "arrange-title"}, titleOf(game)), form);
    dialog.showModal();
  };
}

// Input for a rule: a choice, a number, a text, or yes and no.
export function ruleRow({name, label, options: choices, words = {}, type = "bool"}, value, set) {
  if (!choices) return type === "bool" ? checkRow(label, value, set, name) : valueRow({name, label, type}, value, set);
  const select = html(
    "select",
    {name},
    choices.map((one) => html(
      "option",
      {value: one, selected: one === value},
      one in words ? word(words[one]) : String(one),
    )),
  );
  select.addEventListener("change", () => set(choices.find((one) => String(one) === select.value)));
  return html("label", {class: "row"}, html("span", {}, word(label)), select);
}

function valueRow({name, label, type}, value, set) {
  const isNumber = type !== "str";
  const change = ({target}) => target.value !== "" && set(isNumber ? Number(target.value) : target.value);
  const kind = isNumber ? {type: "number", step: type === "int" ? 1 : "any"} : {type: "text", maxlength: 80};
  return html("label", {class: "row"}, html("span", {}, word(label)), html("input", {...kind, name, value, on: {input: change}}));
}

function checkRow(label, value, set, name) {
  return html(
    "label",
    {class: "row"},
    html("span", {}, word(label)),
    html("input", {type: "checkbox", name, checked: value, on: {change: (event) => set(event.target.checked)}}),
  );
}

const group = (title, rows) => html("fieldset", {}, html("legend", {}, word(title)), rows.flat());

function seatAsked(who, chosen = {}) {
  if (who === ME) return {who: "me", name: myName()};
  return who === OPEN ? {who: "open"} : {who: "agent", agent: writeSpec(who, chosen)};
}
